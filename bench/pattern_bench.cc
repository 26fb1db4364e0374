// Searching source-like text in memory: RE2 alone against Hyperscan with RE2, for plain text and
// regular expressions; small files, which is what a tree of sources is, and one large buffer.
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "data/text/pattern.h"
#include "data/text/pattern_literal.h"

namespace cairn {
namespace {

constexpr std::size_t kCorpus = 32 << 20;
constexpr std::size_t kFile = 5 << 10;

constexpr std::array<std::string_view, 40> kWords = {
    "size",  "count",  "node",  "path",   "buffer", "index",  "result", "value",
    "name",  "entry",  "file",  "offset", "length", "key",    "parent", "child",
    "error", "flags",  "state", "next",   "begin",  "end",    "data",   "table",
    "hash",  "cursor", "token", "line",   "column", "status", "socket", "thread",
    "lock",  "queue",  "cache", "depth",  "root",   "tree",   "bytes",  "text"};

class Writer final {
 public:
  std::string corpus() {
    std::string out;
    out.reserve(kCorpus + 256);
    while (out.size() < kCorpus) out += line();
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }
  std::string_view word() { return kWords[below(kWords.size())]; }
  std::string name() { return fmt::format("{}_{}", word(), word()); }

  std::string line() {
    switch (below(12)) {
      case 0:
        return "\n";
      case 1:
        return fmt::format("  // The {} of each {} is the {} of its {}.\n", word(), word(), word(),
                           word());
      case 2:
        return fmt::format("  if ({}->{} != nullptr && {} > {}) {{\n", name(), word(), word(),
                           below(100));
      case 3:
        return fmt::format("    return {}({}, {});\n", name(), word(), name());
      case 4:
        return "  }\n";
      case 5:
        return fmt::format("static int {}(struct {} *{}, size_t {});\n", name(), word(), word(),
                           word());
      case 6:
        return fmt::format("#define {}_{} 0x{:08x}\n", word(), word(), below(1U << 31));
      case 7:
        return fmt::format("  std::vector<{}> {};\n", word(), name());
      case 8:
        return fmt::format("  {} = {} + {}[{}];\n", name(), name(), word(), word());
      case 9:
        return fmt::format("  for (std::size_t i = 0; i < {}.size(); ++i) {{\n", name());
      case 10:
        return below(400) == 0 ? rare() : fmt::format("  {}.{}({});\n", word(), word(), name());
      default:
        return fmt::format("  const auto {} = {}.{}();\n", name(), word(), word());
    }
  }

  std::string rare() {
    return fmt::format("uint32_t  {}(void);  // Zygote_handler {}_callback — naïve\n", name(),
                       word());
  }

  std::mt19937_64 engine_{42};
};

const std::string& corpus() {
  static const std::string text = Writer().corpus();
  return text;
}

// Whole lines, about 5 KiB each.
const std::vector<ByteView>& files() {
  static const std::vector<ByteView> parts = [] {
    std::vector<ByteView> out;
    ByteView rest = corpus();
    while (!rest.empty()) {
      auto end = rest.find('\n', std::min(kFile, rest.size() - 1));
      end = end == rest.npos ? rest.size() : end + 1;
      out.push_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    return out;
  }();
  return parts;
}

struct Case {
  const char* name;
  const char* pattern;
  PatternOptions options;
};

constexpr PatternOptions kRegex{.regex = true};

constexpr Case kCases[] = {
    {"rare_literal", "Zygote_handler", {}},
    {"absent_literal", "qwertz_yxcv", {}},
    {"common_literal", "return", {}},
    {"literal_word", "lock", {.whole_word = true}},
    {"literal_ignore_case", "zygote_HANDLER", {.ignore_case = true}},
    {"prefixed", "std::[a-z_]+<token>", kRegex},
    {"no_prefix", R"([A-Za-z_]+_t\s+\w+\()", kRegex},
    {"alternation", "malloc|calloc|realloc|Zygote", kRegex},
    {"suffix", R"(\w+_callback\b)", kRegex},
    {"hex", R"(0x[0-9a-f]{8}\b)", kRegex},
    {"anchored", R"(^uint32_t\s)", kRegex},
    {"line_end", R"(handler$)", kRegex},
    {"blank_lines", R"(^\s*$)", kRegex},
    {"dot_star", R"(if .*socket.*lock)", kRegex},
    {"word_regex", "sock[a-z]+", {.regex = true, .whole_word = true}},
};

enum Engine { kRe2, kHyperscan, kUsual };

PatternTuning tuning(Engine engine) {
  switch (engine) {
    case kRe2:
      return {.accelerate_after = UINT64_MAX, .literal_finder = false};
    case kHyperscan:
      return {.accelerate_after = 0, .literal_finder = false};
    case kUsual:
      return {};
  }
  return {};
}

void search(benchmark::State& state, const Case& row, Engine engine, bool in_files) {
  auto pattern = Pattern::compile(row.pattern, row.options, tuning(engine)).value();
  Searcher searcher(pattern);
  searcher.any(corpus());
  std::int64_t lines = 0;
  const auto count = [&](const LineMatch&) {
    ++lines;
    return true;
  };
  for (auto _ : state) {
    lines = 0;
    if (in_files) {
      for (const auto file : files()) searcher.search(file, count);
    } else {
      searcher.search(corpus(), count);
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * corpus().size()));
  state.counters["lines"] = static_cast<double>(lines);
  state.SetLabel(pattern.accelerated() ? "hyperscan" : "");
}

// From the text of the pattern on: what one grep over the corpus costs.
void compile_and_search(benchmark::State& state, const Case& row) {
  for (auto _ : state) {
    auto pattern = Pattern::compile(row.pattern, row.options).value();
    Searcher searcher(pattern);
    for (const auto file : files()) benchmark::DoNotOptimize(searcher.any(file));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * corpus().size()));
}

void find_with_memmem(benchmark::State& state, std::string_view needle) {
  for (auto _ : state) {
    for (const auto file : files()) {
      benchmark::DoNotOptimize(memmem(file.data(), file.size(), needle.data(), needle.size()));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * corpus().size()));
}

void find_with_finder(benchmark::State& state, std::string_view needle) {
  const LiteralFinder finder{std::string(needle)};
  for (auto _ : state) {
    for (const auto file : files()) benchmark::DoNotOptimize(finder.find(file, 0));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * corpus().size()));
}

void register_all() {
  constexpr std::pair<Engine, const char*> kEngines[] = {
      {kRe2, "re2"}, {kHyperscan, "hyperscan"}, {kUsual, "usual"}};
  for (const auto& row : kCases) {
    for (const auto& [engine, engine_name] : kEngines) {
      for (const bool in_files : {true, false}) {
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/{}", in_files ? "files" : "buffer", row.name, engine_name).c_str(),
            [&row, engine, in_files](benchmark::State& state) {
              search(state, row, engine, in_files);
            });
      }
    }
    benchmark::RegisterBenchmark(
        fmt::format("whole/{}", row.name).c_str(),
        [&row](benchmark::State& state) { compile_and_search(state, row); });
  }
  for (const char* needle : {"Zygote_handler", "qwertz_yxcv", "state.xx"}) {
    benchmark::RegisterBenchmark(
        fmt::format("find/memmem/{}", needle).c_str(),
        [needle](benchmark::State& state) { find_with_memmem(state, needle); });
    benchmark::RegisterBenchmark(
        fmt::format("find/finder/{}", needle).c_str(),
        [needle](benchmark::State& state) { find_with_finder(state, needle); });
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  cairn::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
