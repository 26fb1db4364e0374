// cairn stat, du: what something is, and how large.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

struct StatArguments {
  std::string where;
  std::int64_t depth = -1;
  bool files = false;
  bool bytes = false;
};

Result<int> run_stat(Kit& kit, const StatArguments& given) {
  auto& client = *TRY(kit.client());
  const auto where = TRY(resolve_address(client, given.where));
  const auto answer = TRY(client.call("fs_stat", where.arguments()));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  const Arguments found(answer.as_object());
  Table table({{""}, {""}});
  auto add = [&](std::string name, std::string value) {
    table.add({{std::move(name), Style::kDim}, kit.out.safe(value)});
  };
  const auto size = [](std::int64_t bytes) {
    return fmt::format("{} ({})", bytes, human_size(bytes));
  };
  const bool is_dir = found.text("type") == "dir";
  add("path", where.path.empty() ? "/" : where.path);
  add("type", is_dir ? "directory" : "file");
  if (is_dir) {
    add("entries", std::to_string(found.number("childCount")));
    add("files", std::to_string(found.number("fileCount")));
    add("size", size(found.number("totalBytes")));
  } else {
    add("size", size(found.number("size")));
    add("content", std::string(found.text("contentType")));
  }
  add("key", std::string(found.text("key")));
  table.print(kit.out);
  return 0;
}

class SizePrinter final {
 public:
  SizePrinter(Output& out, const StatArguments& given)
      : out_(out),
        files_(given.files),
        bytes_(given.bytes),
        depot_(client::Address::parse(given.where).tree) {}

  void add(const Arguments& row) {
    const bool is_dir = row.text("kind") == "dir";
    if (!is_dir && !files_) return;
    const auto bytes = row.number(is_dir ? "bytes" : "size");
    const auto path = row.text("path");
    out_.print("{:>10}  {}\n", bytes_ ? std::to_string(bytes) : human_size(bytes),
               out_.paint(is_dir ? Style::kBlue : Style::kPlain,
                          out_.safe(path.empty() ? depot_ : path) + (is_dir ? "/" : "")));
  }

 private:
  Output& out_;
  bool files_;
  bool bytes_;
  std::string depot_;
};

Result<int> run_du(Kit& kit, const StatArguments& given) {
  auto& client = *TRY(kit.client());
  const auto where = TRY(resolve_address(client, given.where));
  SizePrinter printer(kit.out, given);
  json::Array rows;
  auto take = [&](const json::Object& row) {
    const Arguments entry(row);
    if (!kit.options.json) {
      printer.add(entry);
    } else if (given.files || entry.text("kind") == "dir") {
      rows.emplace_back(row);
    }
    return kit.out.shown();
  };
  const auto about = TRY(client.call("fs_stat", where.arguments()));
  if (Arguments stat(about.as_object()); stat.text("type") == "file") {
    auto itself = given;
    itself.files = true;
    json::Object row{{"path", where.path}, {"kind", "file"}, {"size", stat.number("size")}};
    if (!kit.options.json) SizePrinter(kit.out, itself).add(Arguments(row));
    rows.emplace_back(std::move(row));
  } else {
    auto arguments = where.arguments();
    arguments["depth"] = given.depth;
    TRY(client.stream("fs_tree", arguments, take));
  }
  if (kit.options.json) kit.out.print_json(json::Object{{"sizes", std::move(rows)}});
  return 0;
}

}  // namespace

void add_stat_commands(Commands& commands) {
  auto stat = std::make_shared<StatArguments>();
  auto command = commands.add({.name = "stat",
                               .description = "What a file or directory is: type, size, key",
                               .example = "cairn stat my-project:README.md",
                               .group = "Files"},
                              [stat](Kit& kit) { return run_stat(kit, *stat); });
  command.add_argument("WHERE", stat->where, "DEPOT, or DEPOT:PATH");

  auto du = std::make_shared<StatArguments>();
  command = commands.add(
      {.name = "du",
       .description = "How large directories are, with everything below them",
       .example = "cairn du my-project -d 1",
       .more = "Each file counts with its size, also when its content is stored only once.",
       .group = "Files"},
      [du](Kit& kit) { return run_du(kit, *du); });
  command.add_argument("WHERE", du->where, "DEPOT, or DEPOT:PATH");
  command.add_value("-d,--depth", du->depth, "N", "Levels to show; 0 is the sum alone [all]")
      .non_negative();
  command.add_flag("-a,--all", du->files, "Files too");
  command.add_flag("-b,--bytes", du->bytes, "In bytes");
}

}  // namespace cairn::cli
