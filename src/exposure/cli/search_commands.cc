// cairn grep, diff.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

constexpr int kNothingFound = 1;
constexpr int kDifferent = 1;

struct GrepArguments {
  std::string pattern;
  std::string where;
  bool ignore_case = false;
  bool whole_word = false;
  bool literal = false;
  int around = 0;
  std::int64_t max_count = 0;  // 0: all
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

json::Array list_of(const std::vector<std::string>& texts) {
  json::Array out;
  for (const auto& text : texts) out.emplace_back(text);
  return out;
}

json::Object arguments_of(const GrepArguments& given, const client::Resolved& where) {
  auto out = where.arguments();
  out["pattern"] = given.pattern;
  if (given.max_count > 0) out["maxResults"] = given.max_count;
  if (given.ignore_case) out["ignoreCase"] = true;
  if (given.whole_word) out["wholeWord"] = true;
  if (given.literal) out["literal"] = true;
  if (given.around > 0) out["context"] = given.around;
  if (!given.include.empty()) out["include"] = list_of(given.include);
  if (!given.exclude.empty()) out["exclude"] = list_of(given.exclude);
  return out;
}

// path:12:a line that matches, path-13-one around it; as they come.
class MatchPrinter final {
 public:
  MatchPrinter(Output& out, bool with_context) : out_(out), with_context_(with_context) {}

  void add(const json::Object& row) {
    const Arguments line(row);
    const auto number = line.number("line");
    const bool same_file = line.text("path") == path_;
    if (with_context_ && last_ > 0 && !(same_file && number == last_ + 1)) out_.print("--\n");
    if (!same_file) path_ = line.text("path");
    last_ = number;
    const char mark = line.flag("context") ? '-' : ':';
    out_.print("{}{}{}{}{}\n", out_.paint(Style::kCyan, out_.safe(path_)), mark,
               out_.paint(Style::kGreen, std::to_string(number)), mark,
               out_.safe(line.text("text")));
  }

 private:
  Output& out_;
  bool with_context_;
  std::string path_;
  std::int64_t last_ = 0;
};

// The rows as the one answer that fs_grep gives: the lines of each file together.
class MatchDocument final {
 public:
  void add(const json::Object& row) {
    json::Object line = row;
    const std::string path(json::text(line.at("path")));
    line.erase("path");
    if (files_.empty() || json::text(files_.back().at("path")) != path) {
      files_.emplace_back(json::Object{{"path", path}, {"lines", json::Array()}});
    }
    files_.back().at("lines").as_array().emplace_back(std::move(line));
  }
  json::Object take(const json::Object& summary) {
    json::Object out{{"files", std::move(files_)}};
    for (const auto& member : summary) out.emplace(member.key(), member.value());
    return out;
  }

 private:
  json::Array files_;
};

void note_skipped(const Arguments& found) {
  if (const auto large = found.number("skippedLarge"); large > 0) {
    note(fmt::format("{} too large to be searched", counted(large, "file is", "files are")));
  }
  if (const auto deep = found.number("skippedDeep"); deep > 0) {
    note(fmt::format("{} nested too deep to be looked into",
                     counted(deep, "directory is", "directories are")));
  }
}

Result<int> run_grep(Kit& kit, const GrepArguments& given) {
  auto& client = *TRY(kit.client());
  const auto where = TRY(resolve_address(client, given.where));
  MatchPrinter printer(kit.out, given.around > 0);
  MatchDocument document;
  const auto summary =
      TRY(client.stream("fs_grep", arguments_of(given, where), [&](const json::Object& row) {
        if (kit.options.json) {
          document.add(row);
        } else {
          printer.add(row);
        }
        return kit.out.shown();
      }));
  const Arguments found(summary);
  if (kit.options.json) kit.out.print_json(document.take(summary));
  note_skipped(found);
  return found.number("matches") > 0 ? 0 : kNothingFound;
}

struct DiffArguments {
  std::string from;
  std::string to;
  bool stat = false;
};

// Both sides of a change as people see them; what is not there is empty.
struct Sides {
  Arguments before;
  Arguments after;

  explicit Sides(const Arguments& change)
      : before(client::object_of(change.object(), "before")),
        after(client::object_of(change.object(), "after")) {}
  bool is_dir() const { return before.text("type") == "dir" || after.text("type") == "dir"; }
};

void print_change(Output& out, const Arguments& change) {
  if (auto text = change.maybe_text("diff")) {
    print_unified(out, *text);
    return;
  }
  const auto path = out.safe(change.text("path"));
  const auto from = change.maybe_text("from");
  out.print("{} {}{}: {}{}\n", Sides(change).is_dir() ? "Directory" : "File", path,
            Sides(change).is_dir() ? "/" : "", change.text("change"),
            from ? " from " + out.safe(*from) : "");
}

Table::Cell mark_of(std::string_view change) {
  if (change == "added") return {"A", Style::kGreen};
  if (change == "moved") return {"R", Style::kYellow};
  return change == "removed" ? Table::Cell{"D", Style::kRed} : Table::Cell{"M", Style::kYellow};
}

std::string growth(const Arguments& change) {
  const Sides sides(change);
  if (sides.is_dir()) return "dir";
  const auto difference = sides.after.number("size") - sides.before.number("size");
  return (difference < 0 ? "-" : "+") + human_size(difference < 0 ? -difference : difference);
}

void print_stat(Output& out, const json::Array& changes) {
  Table table({{""}, {"", Table::Align::kRight}, {""}});
  for (const auto& item : changes) {
    Arguments change(item.as_object());
    const auto from = change.maybe_text("from");
    table.add({mark_of(change.text("change")),
               {from ? std::string("+0") : growth(change), Style::kDim},
               (from ? out.safe(*from) + " -> " : "") + out.safe(change.text("path"))});
  }
  table.print(out);
}

Result<int> run_diff(Kit& kit, const DiffArguments& given) {
  auto& client = *TRY(kit.client());
  const auto from = TRY(resolve_address(client, given.from));
  const auto to = TRY(resolve_address(client, given.to));
  if (!to.path.empty() && to.path != from.path) {
    return fail(Code::kInvalidArgument,
                "the path is given with the first tree and is that of both; compare other "
                "directories by their keys (nod_…)");
  }
  json::Object arguments{{"from", from.tree.key}, {"to", to.tree.key}, {"maxResults", 10'000}};
  if (!from.path.empty()) arguments["path"] = from.path;
  if (!given.stat) arguments["unified"] = true;
  const auto answer = TRY(client.call("fs_diff", arguments));
  const auto& changes = client::rows_of(answer.as_object(), "changes");
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else if (given.stat) {
    print_stat(kit.out, changes);
  } else {
    for (const auto& change : changes) print_change(kit.out, Arguments(change.as_object()));
  }
  Arguments found(answer.as_object());
  if (found.flag("truncated") && !kit.options.json) {
    note("there is more: compare one directory at a time");
  }
  return changes.empty() ? 0 : kDifferent;
}

}  // namespace

void add_search_commands(Commands& commands) {
  auto grep = std::make_shared<GrepArguments>();
  auto command = commands.add(
      {.name = "grep",
       .description = "Search in files by regular expression",
       .example = "cairn grep -i 'todo|fixme' my-project:src --include '*.ts'",
       .more =
           "RE2 syntax: no back-references, no look-around. Exits with 1 when nothing matches.\n"
           "Lines are printed as they are found, all of them.",
       .group = "Files"},
      [grep](Kit& kit) { return run_grep(kit, *grep); });
  command.add_argument("PATTERN", grep->pattern, "Regular expression, or plain text with -F");
  command.add_argument("WHERE", grep->where, "DEPOT, or DEPOT:PATH");
  command.add_flag("-i,--ignore-case", grep->ignore_case, "Without regard to case");
  command.add_flag("-w,--word", grep->whole_word, "Whole words only");
  command.add_flag("-F,--literal", grep->literal, "The pattern is plain text");
  command.add_value("-C,--context", grep->around, "N", "Lines to show before and after")
      .range(0, 20);
  command.add_value("--max-count", grep->max_count, "N", "Stop after so many matching lines")
      .positive();
  command.add_value("--include", grep->include, "GLOB", "Only files that match; may be repeated")
      .repeated();
  command.add_value("--exclude", grep->exclude, "GLOB", "No files that match; may be repeated")
      .repeated();

  auto diff = std::make_shared<DiffArguments>();
  command = commands.add(
      {.name = "diff",
       .description = "What changed from one tree to another",
       .example = "cairn diff nod_… my-project",
       .more =
           "Prints a unified diff; 'cairn depot log' shows earlier roots. Exits with 1 when there\n"
           "are differences.",
       .group = "Files"},
      [diff](Kit& kit) { return run_diff(kit, *diff); });
  command.add_argument("FROM", diff->from, "DEPOT or node, the older; with :PATH only below it");
  command.add_argument("TO", diff->to, "DEPOT or node, the newer");
  command.add_flag("--stat", diff->stat, "Only which files, and by how much");
}

}  // namespace cairn::cli
