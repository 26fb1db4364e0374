#include "corpus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr auto kWords = std::to_array<std::string_view>(
    {"account", "array",  "batch",   "block",    "branch",  "bucket",    "buffer", "build",
     "bytes",   "cache",  "channel", "chunk",    "client",  "clock",     "closed", "column",
     "commit",  "config", "context", "copy",     "count",   "cursor",    "data",   "decode",
     "default", "delta",  "depth",   "device",   "digest",  "directory", "domain", "encode",
     "entry",   "error",  "event",   "expected", "export",  "field",     "file",   "filter",
     "first",   "flags",  "format",  "frame",    "graph",   "group",     "handle", "hash",
     "header",  "height", "import",  "index",    "inner",   "input",     "item",   "kernel",
     "key",     "label",  "last",    "layer",    "layout",  "length",    "level",  "limit",
     "line",    "link",   "list",    "lock",     "log",     "lookup",    "map",    "mask",
     "match",   "memory", "merge",   "message",  "method",  "mode",      "module", "name",
     "next",    "node",   "object",  "offset",   "option",  "order",     "output", "owner",
     "packet",  "page",   "parent",  "parse",    "path",    "pending",   "point",  "policy",
     "pool",    "port",   "prefix",  "print",    "process", "profile",   "queue",  "range",
     "read",    "record", "region",  "remote",   "render",  "request",   "reset",  "resource",
     "result",  "retry",  "root",    "route",    "sample",  "scan",      "schema", "scope",
     "segment", "server", "session", "shard",    "signal",  "size",      "slot",   "source",
     "span",    "stage",  "state",   "status",   "step",    "store",     "stream", "string",
     "table",   "target", "task",    "text",     "thread",  "time",      "token",  "total",
     "trace",   "tree",   "type",    "update",   "user",    "value",     "vector", "version",
     "view",    "visit",  "watch",   "weight",   "width",   "window",    "worker", "write"});

constexpr auto kTypes = std::to_array<std::string_view>(
    {"int", "bool", "size_t", "uint32_t", "uint64_t", "double", "char", "std::string",
     "std::vector<int>", "Status", "Result", "int64_t", "void"});

// $i an identifier of the file, $t a type, $n a number, $w a word of prose; a tab is two spaces.
constexpr auto kCode = std::to_array<std::string_view>({
    "\t$i = $i($i, $i);",
    "\tif ($i == nullptr) return $n;",
    "\tif ($i->$i < $n) {",
    "\t\t$i->$i = $i;",
    "\t\treturn $i;",
    "\t}",
    "\t}",
    "}",
    "",
    "",
    "",
    "\tfor (size_t i = 0; i < $i.size(); ++i) {",
    "\t\t$i[i] = $i[i] + $n;",
    "\t\t$i.push_back($i);",
    "\tconst auto $i = $i.find($i);",
    "\treturn $i($i);",
    "$t $i($t $i, $t $i) {",
    "$t $i(const $t& $i) {",
    "static $t $i($t $i);",
    "// $w $w $w $w $w $w $w.",
    "\t// $w $w $w $w $w $w $w $w",
    "\t// $w $w, $w $w $w: $w.",
    "\t$t $i = $n;",
    "\tstd::lock_guard lock($i_mutex);",
    "\tswitch ($i) {",
    "\t\tcase $i:",
    "\t\t\tbreak;",
    "\tassert($i != $n);",
    "\tlog_error(\"$w $w $w: %s\", $i);",
    "\t$i->$i($i, $n, $i);",
    "#define $i $n",
    "struct $i {",
    "\t$t $i;",
    "\t$t $i;  // $w $w $w",
    "};",
    "\twhile ($i.next()) $i += $i.$i();",
});

constexpr auto kScript = std::to_array<std::string_view>({
    "def $i(self, $i, $i=None):",
    "\t\tself.$i = $i",
    "\t\treturn $i",
    "\tif $i is None:",
    "\t\traise ValueError(\"$w $w $w\")",
    "\tfor $i in $i:",
    "\t\t$i.append($i[$n])",
    "class $i:",
    "\t\"\"\"$w $w $w $w $w $w.\"\"\"",
    "",
    "",
    "from $i import $i",
    "\t# $w $w $w $w $w",
    "\treturn [$i for $i in $i if $i > $n]",
    "\t$i = $i($i)",
    "\twith $i.open($i) as $i:",
});

constexpr auto kProse = std::to_array<std::string_view>({
    "$w $w $w $w $w $w $w $w $w, $w $w $w $w.",
    "$w $w $w `$i` $w $w $w $w $w $w.",
    "",
    "* $w $w $w: $w $w",
    "## $w $w",
    "$w $w $w $w – $w $w “$w”, $w $w $w.",
    "\t$i($i, $n)",
});

struct Language {
  std::string_view extension;
  std::span<const std::string_view> lines;
  unsigned weight;
};
const auto kLanguages = std::to_array<Language>({{".cc", kCode, 35},
                                                 {".h", kCode, 30},
                                                 {".c", kCode, 15},
                                                 {".py", kScript, 12},
                                                 {".md", kProse, 8}});

class Generator final {
 public:
  explicit Generator(const CorpusOptions& options) : options_(options), engine_(options.seed) {}

  Result<CorpusSummary> write(const fs::path& target) {
    make_vocabulary();
    make_directories();
    for (const auto& directory : directories_) fs::create_directories(target / directory);
    summary_.directories = directories_.size();
    for (std::uint64_t i = 0; i < options_.files; ++i) TRY(write_file(target, i));
    return summary_;
  }

 private:
  // std::uniform_int_distribution differs between libraries.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(list.size())];
  }
  // Small numbers much more often: what is used once is used again.
  template <typename List>
  const auto& pick_skewed(const List& list) {
    auto x = unit();
    return list[static_cast<std::size_t>(x * x * static_cast<double>(list.size()))];
  }

  std::string identifier() {
    std::string name(pick(kWords));
    const bool camel = below(3) == 0;
    for (auto more = below(3); more > 0; --more) {
      std::string word(pick(kWords));
      if (camel) {
        word[0] = static_cast<char>(word[0] - 'a' + 'A');
      } else {
        name += '_';
      }
      name += word;
    }
    return name;
  }

  void make_vocabulary() {
    for (int i = 0; i < 6000; ++i) vocabulary_.push_back(identifier());
  }

  void make_directories() {
    constexpr std::size_t kMaxDepth = 7;
    const auto count = std::max<std::uint64_t>(options_.files * 2 / 25, 1);
    std::vector<std::size_t> depth{0};
    directories_.emplace_back();
    while (directories_.size() < count) {
      const auto parent = below(directories_.size());
      if (depth[parent] >= kMaxDepth) continue;
      auto path = directories_[parent] / fmt::format("{}{}", pick(kWords), directories_.size());
      directories_.push_back(path);
      depth.push_back(depth[parent] + 1);
    }
  }

  std::size_t file_size() {
    constexpr double kMedian = 4000;
    constexpr double kSigma = 1.4;
    constexpr double kLargest = 1 << 20;
    constexpr double kTau = 6.283185307179586;
    const double normal = std::sqrt(-2 * std::log(1 - unit())) * std::cos(kTau * unit());
    return static_cast<std::size_t>(
        std::clamp(kMedian * std::exp(kSigma * normal), 40.0, kLargest));
  }

  const Language& language() {
    auto at = below(100);
    for (const auto& language : kLanguages) {
      if (at < language.weight) return language;
      at -= language.weight;
    }
    return kLanguages.front();
  }

  // Identifiers of one file: some of its module, some of everywhere.
  std::vector<std::string_view> file_vocabulary(std::size_t directory, std::size_t size) {
    constexpr std::size_t kModule = 150;
    std::vector<std::string_view> names;
    const auto count = 12 + size / 250;
    const auto start = directory * 37 % (vocabulary_.size() - kModule);
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(below(4) == 0 ? pick(vocabulary_) : vocabulary_[start + below(kModule)]);
    }
    return names;
  }

  void append_line(std::string& out, std::string_view line,
                   const std::vector<std::string_view>& names) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\t') {
        out += "  ";
      } else if (line[i] != '$') {
        out += line[i];
      } else {
        append_slot(out, line[++i], names);
      }
    }
    out += '\n';
  }

  void append_slot(std::string& out, char slot, const std::vector<std::string_view>& names) {
    switch (slot) {
      case 'i':
        out += pick_skewed(names);
        break;
      case 't':
        out += pick_skewed(kTypes);
        break;
      case 'n':
        out += std::to_string(below(4) == 0 ? below(100'000) : below(10));
        break;
      case 'w':
        out += pick_skewed(kWords);
        break;
    }
  }

  Result<void> write_file(const fs::path& target, std::uint64_t number) {
    const auto directory = below(directories_.size());
    const auto& kind = language();
    const auto size = file_size();
    auto names = file_vocabulary(directory, size);
    std::string text;
    text.reserve(size + 200);
    while (text.size() < size) {
      append_line(text, pick(kind.lines), names);
      // Code repeats itself with small changes.
      if (text.size() > 600 && below(25) == 0) repeat_lines(text);
    }
    if (number % 1000 == 17) text += fmt::format("// see {}\n", kRareLiteral);
    auto name = fmt::format("{}_{}{}", pick(kWords), number, kind.extension);
    std::ofstream out(target / directories_[directory] / name, std::ios::binary);
    out << text;
    out.close();
    if (!out) return fail(Code::kIoError, "cannot write '{}'", name);
    summary_.files += 1;
    summary_.bytes += text.size();
    return {};
  }

  void repeat_lines(std::string& text) {
    auto begin = text.find('\n', below(text.size() - 500)) + 1;
    if (begin == 0 || begin >= text.size()) return;
    auto end = text.find('\n', std::min(begin + 100 + below(200), text.size() - 1));
    if (end == std::string::npos) return;
    text += text.substr(begin, end + 1 - begin);
  }

  CorpusOptions options_;
  std::mt19937_64 engine_;
  std::vector<std::string> vocabulary_;
  std::vector<fs::path> directories_;
  CorpusSummary summary_;
};

}  // namespace

Result<CorpusSummary> generate_corpus(const fs::path& target, const CorpusOptions& options) {
  return Generator(options).write(target);
}

}  // namespace cairn
