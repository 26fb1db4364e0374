// schema_suite DIRECTORY: checks every *.json file there, each a list of schemas with instances
// that fit and that do not. Two spellings of a case:
//   {"description", "schema", "tests": [{"description", "data", "valid"}]}   the official suite's
//   {"schema", "valid": [...], "invalid": [...]} or {"schema", "refused": "#/place"}   ours
//
// Of the official suite's draft2020-12, the groups below are skipped and counted.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "data/json/json.h"
#include "data/json/schema.h"

namespace {

namespace json = cairn::json;

struct Skipped {
  std::string_view file;
  std::string_view why;
};

constexpr Skipped kSkipped[] = {
    {"dynamicRef.json", "references into other documents"},
    {"refRemote.json", "references into other documents"},
    {"vocabulary.json", "meta-schemas of one's own"},
};

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  int refused = 0;
};

class Suite {
 public:
  bool run(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) run_file(file);
    fmt::print("schema_suite: {} passed, {} failed, {} schemas refused, {} files skipped\n",
               tally_.passed, tally_.failed, tally_.refused, tally_.skipped);
    return tally_.failed == 0 && tally_.passed > 0;
  }

 private:
  void run_file(const std::filesystem::path& file) {
    file_ = file.filename().string();
    const auto* skipped = std::ranges::find(kSkipped, file_, &Skipped::file);
    if (skipped != std::end(kSkipped)) {
      fmt::print("skipped {}: {}\n", file_, skipped->why);
      tally_.skipped += 1;
      return;
    }
    std::ifstream in(file);
    const std::string source(std::istreambuf_iterator<char>(in), {});
    const auto cases = json::parse(source);
    if (!cases) return report(false, cases.error().message);
    for (const auto& group : cases->as_array()) run_group(group.as_object());
  }

  void run_group(const json::Object& group) {
    const auto& schema = group.at("schema");
    const auto compiled = json::Schema::compile(schema);
    if (const auto* place = json::find(group, "refused")) {
      const auto expected = fmt::format("the schema at '{}' ", json::text(*place));
      return report(!compiled && compiled.error().message.starts_with(expected),
                    fmt::format("{} should be refused: {}", json::write(schema),
                                compiled ? "it is not" : compiled.error().message));
    }
    if (!compiled) return refused(group, compiled.error());
    if (const auto* tests = json::find(group, "tests")) {
      for (const auto& test : tests->as_array()) {
        run_one(*compiled, schema, test.at("data"), test.at("valid").as_bool());
      }
    }
    for (const bool valid : {true, false}) {
      const auto* instances = json::find(group, valid ? "valid" : "invalid");
      if (instances == nullptr) continue;
      for (const auto& instance : instances->as_array())
        run_one(*compiled, schema, instance, valid);
    }
  }

  // What the official suite asks beyond one document is refused when compiled: no failure there.
  void refused(const json::Object& group, const cairn::Error& error) {
    const bool official = group.contains("tests");
    fmt::print("refused {}: {}\n", file_, error.message);
    official ? tally_.refused += 1 : tally_.failed += 1;
  }

  void run_one(const json::Schema& schema, const json::Value& source, const json::Value& instance,
               bool valid) {
    const auto checked = schema.check(instance);
    report(checked.has_value() == valid,
           fmt::format("{} for {} should be {}: {}", json::write(instance), json::write(source),
                       valid ? "valid" : "invalid", checked ? "" : checked.error().message));
  }

  void report(bool passed, const std::string& what) {
    passed ? tally_.passed += 1 : tally_.failed += 1;
    if (!passed) fmt::print("FAILED {}: {}\n", file_, what);
  }

  Tally tally_;
  std::string file_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: schema_suite DIRECTORY\n");
    return 2;
  }
  return Suite().run(argv[1]) ? 0 : 1;
}
