#include <algorithm>

#include "base/budget.h"
#include "base/quote.h"
#include "data/text/shell_glob.h"
#include "tools/executor/shape.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

constexpr std::int64_t kMaxEntries = 10'000;
constexpr std::size_t kBetweenLooks = 32;  // at the clock

// Patterns of what is left out. One without a star also names what is below, at any depth.
class Excluded final {
 public:
  static Result<Excluded> parse(const std::vector<std::string>& patterns) {
    Excluded out;
    for (const auto& pattern : patterns) {
      out.globs_.push_back(TRY(ShellGlob::parse(pattern)));
      if (pattern.contains('*')) continue;
      out.globs_.push_back(TRY(ShellGlob::parse("**/" + pattern)));
      out.globs_.push_back(TRY(ShellGlob::parse("**/" + pattern + "/**")));
    }
    return out;
  }

  bool empty() const { return globs_.empty(); }
  bool matches(const std::string& path) const {
    return std::ranges::any_of(globs_, [&](const auto& glob) { return glob.matches(path); });
  }

 private:
  std::vector<ShellGlob> globs_;
};

struct Item {
  std::string name;
  bool directory = false;
  bool cut = false;        // something in it is not shown
  std::size_t parent = 0;  // the first item is the start, its own parent
  int depth = 0;
  std::size_t first = 0;  // its children, which stand together
  std::size_t count = 0;
};

// A directory with what is below it, level by level, so that what lies near is shown first.
class TreeWalk final {
 public:
  TreeWalk(const Work& work, const Excluded& excluded, int max_depth, std::int64_t max_entries)
      : work_(work),
        excluded_(excluded),
        max_depth_(max_depth),
        budget_(work.clock, {.entries = max_entries,
                             .bytes = work.answer_bytes,
                             .time = Work::kTime,
                             .stop = work.stop}) {}

  Result<void> run(std::string_view path) {
    const auto start = TRY(work_.files.open_directory(path));
    work_.files.listed(*start);
    Item first;
    first.name = start->place();
    first.directory = true;
    items_.push_back(std::move(first));
    TRY(list(0, *start));
    for (std::size_t i = 1; i < items_.size(); ++i) {
      if (!items_[i].directory) continue;
      if (items_[i].depth >= max_depth_ || budget_.stopped_by()) {
        items_[i].cut = true;
        ++not_opened_;
        continue;
      }
      // One that cannot be read does not hide the others.
      const auto directory = work_.files.open_directory(place_of(i));
      if (!directory || !list(i, **directory)) {
        items_[i].cut = true;
        unreadable_.push_back(path_of(i));
      }
    }
    if (budget_.stopped_by() == Budget::Limit::kCancelled) {
      return fail(Code::kBudgetExceeded, "cancelled");
    }
    return {};
  }

  std::string text() const {
    std::string out;
    write_children(out, 0, 0);
    return out;
  }
  json::Array array() const { return children_of(0); }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (budget_.stopped_by()) {
      out.push_back(fmt::format(
          "{} entries are shown, the nearest first; left out: {} more of the directories listed, "
          "and what is in {} directories that were not looked into. They are marked "
          "\"truncated\". Name a directory below, leave out more with excludePatterns, or raise "
          "maxEntries.",
          items_.size() - 1, left_out_, not_opened_));
    } else if (not_opened_ > 0) {
      out.push_back(fmt::format(
          "what is in {} directories that lie deeper than maxDepth was left out; they are marked "
          "\"truncated\". Name one of them, or raise maxDepth.",
          not_opened_));
    }
    for (const auto& path : unreadable_) {
      if (out.size() > 10) break;
      out.push_back(fmt::format("'{}' could not be read", shown(path, 300)));
    }
    return out;
  }

 private:
  Result<void> list(std::size_t parent, const WorkDirectory& directory) {
    const auto entries = TRY(directory.entries());
    const auto depth = items_[parent].depth + 1;
    const auto above = excluded_.empty() ? std::string() : path_of(parent);
    items_[parent].first = items_.size();
    if (items_.capacity() < items_.size() + entries.size()) {
      items_.reserve(2 * (items_.size() + entries.size()));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& entry = entries[i];
      if (!excluded_.empty()) {
        if (excluded_.matches(above.empty() ? entry.name : above + "/" + entry.name)) continue;
      }
      const auto cost = static_cast<std::int64_t>(entry.name.size()) + 50 + 12LL * depth;
      if ((i % kBetweenLooks == 0 && !budget_.in_time()) || !budget_.take_entries() ||
          !budget_.take_bytes(cost)) {
        items_[parent].cut = true;
        left_out_ += entries.size() - i;
        break;
      }
      Item item;
      item.name = entry.name;
      item.directory = entry.kind == WorkKind::kDirectory;
      item.parent = parent;
      item.depth = depth;
      items_.push_back(std::move(item));
    }
    items_[parent].count = items_.size() - items_[parent].first;
    return {};
  }

  // From the start, and from the workspace's root.
  std::string path_of(std::size_t i) const {
    if (i == 0) return {};
    const auto above = path_of(items_[i].parent);
    return above.empty() ? items_[i].name : above + "/" + items_[i].name;
  }
  std::string place_of(std::size_t i) const {
    const auto& start = items_.front().name;
    return (start.ends_with('/') ? start : start + "/") + path_of(i);
  }

  // As JSON with two spaces a level, written at once: there may be thousands.
  void write_children(std::string& out, std::size_t parent, std::size_t indent) const {
    const auto& from = items_[parent];
    if (from.count == 0) {
      out += "[]";
      return;
    }
    out += "[\n";
    for (std::size_t i = from.first; i < from.first + from.count; ++i) {
      const auto& item = items_[i];
      out.append(indent + 2, ' ');
      out += "{\n";
      out.append(indent + 4, ' ');
      out += "\"name\": ";
      json::write(out, json::Value(as_text(item.name)));
      out += ",\n";
      out.append(indent + 4, ' ');
      out += item.directory ? "\"type\": \"directory\"" : "\"type\": \"file\"";
      if (item.cut) {
        out += ",\n";
        out.append(indent + 4, ' ');
        out += "\"truncated\": true";
      }
      if (item.directory) {
        out += ",\n";
        out.append(indent + 4, ' ');
        out += "\"children\": ";
        write_children(out, i, indent + 4);
      }
      out += '\n';
      out.append(indent + 2, ' ');
      out += i + 1 < from.first + from.count ? "},\n" : "}\n";
    }
    out.append(indent, ' ');
    out += ']';
  }

  json::Array children_of(std::size_t parent) const {
    json::Array out;
    const auto& from = items_[parent];
    for (std::size_t i = from.first; i < from.first + from.count; ++i) {
      const auto& item = items_[i];
      json::Object one{{"name", as_text(item.name)},
                       {"type", item.directory ? "directory" : "file"}};
      if (item.cut) one["truncated"] = true;
      if (item.directory) one["children"] = children_of(i);
      out.emplace_back(std::move(one));
    }
    return out;
  }

  const Work& work_;
  const Excluded& excluded_;
  int max_depth_;
  Budget budget_;
  std::vector<Item> items_;
  std::size_t left_out_ = 0;
  std::size_t not_opened_ = 0;
  std::vector<std::string> unreadable_;
};

Result<json::Object> run_tree(const Work& work, const Arguments& arguments) {
  const auto excluded =
      TRY(Excluded::parse(arguments.texts("excludePatterns").value_or(std::vector<std::string>{})));
  TreeWalk walk(work, excluded, static_cast<int>(arguments.number("maxDepth", 200)),
                arguments.number("maxEntries", kMaxEntries));
  TRY(walk.run(arguments.text("path")));
  return work.manual() ? result(walk.array(), walk.notes()) : said(walk.text(), walk.notes());
}

}  // namespace

FileTool tree_tool() {
  return {
      .tool = {.name = "directory_tree",
               .title = "Directory Tree",
               .description = "A directory with everything below it as JSON: name, type (file or "
                              "directory) and, of "
                              "directories, children. Large trees are cut, the deepest first, and "
                              "it is said what was "
                              "left out: begin with maxDepth when a tree is not known.",
               .input = shape::object(
                   {{"path", path_shape("Directory")},
                    {"excludePatterns",
                     with_default(
                         shape::list_of(shape::text(),
                                        "Globs of what to leave out, such as node_modules"),
                         json::Array()),
                     shape::kOptional},
                    {"maxDepth", shape::integer("Levels at most", 1, 200), shape::kOptional},
                    {"maxEntries", shape::integer("Entries at most (default 10,000)", 1, 100'000),
                     shape::kOptional}}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "scandir",
      .work = run_tree,
  };
}

}  // namespace cairn::work
