#include <algorithm>
#include <utility>

#include "data/tree/outline.h"
#include "data/tree/walk.h"
#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/portion.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// Children come after their parent in the outline, so it is rendered from its end.
json::Object render(const Call& call, Outline& outline) {
  std::vector<json::Object> nodes(outline.items.size());
  for (std::size_t i = outline.items.size(); i-- > 0;) {
    const auto& item = outline.items[i];
    auto& out = nodes[i];
    out["hash"] = i == 0 ? item.value.key.render() : call.listed(item.value.key);
    if (item.value.kind == Kind::kFile) {
      out["kind"] = "file";
      out["type"] = item.value.type;
      out["size"] = item.value.bytes;
      continue;
    }
    out["kind"] = "dir";
    out["count"] = item.value.children;
    if (i == 0) out["truncated"] = outline.truncated;
    if (item.collapsed) {
      out["collapsed"] = true;
      continue;
    }
    json::Object children;
    children.reserve(item.value.children);
    for (std::size_t k = 0; k < item.value.children; ++k) {
      children.emplace(outline.items[item.first + k].name, std::move(nodes[item.first + k]));
    }
    out["children"] = std::move(children);
  }
  return std::move(nodes.front());
}

Result<Reply> run_fs_tree(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  OutlineOptions options;
  options.depth = arguments.number("depth", options.depth);
  options.max_entries = arguments.number("maxEntries", options.max_entries);
  options.rendering = call.listing();
  Budget budget(call.clock(), call.limits());
  const auto path = TRY(fs::path_of(arguments));
  auto found = TRY(outline(opened.tree, path, options, budget));
  TRY(fs::Known::of(call, opened)).listed(TRY(locate(opened.tree, path)).path);
  const auto key = found.items.front().value.key;
  return fs::about(opened, key, render(call, found));
}

// One row for each file and directory, depth first, so that each comes right behind the directory
// it is in; the first is the directory that was asked for.
class TreeRows final : public Rows {
 public:
  TreeRows(Call& call, TreeView tree, Located at, std::int64_t depth, std::int64_t most)
      : call_(call), tree_(std::move(tree)), at_(std::move(at)), depth_(depth), left_(most) {}

  Result<std::optional<json::Array>> next() override {
    if (ended_) return std::nullopt;
    fs::Portion out;
    if (!std::exchange(begun_, true)) {
      prefix_ = at_.path.is_root() ? "" : at_.path.render() + "/";
      out.add(render(at_.path.render(), at_.entry, depth_ == 0), 0);
    }
    bool more = false;
    if (depth_ != 0) more = TRY(add_entries(out));
    if (!more) end(out);
    return out.take();
  }

 private:
  // Whether there is more behind them.
  Result<bool> add_entries(fs::Portion& out) {
    Budget budget(call_.clock(), call_.open_limits());
    bool more = false;
    auto visit = [&](std::string_view below, const Entry& entry) -> Result<Walk> {
      const auto level = std::ranges::count(below, '/') + 1;
      more = out.full();
      if (more) return Walk::kStop;
      if (left_ == 0) {
        cut_ = true;
        return Walk::kStop;
      }
      left_ -= 1;
      entries_ += 1;
      const auto path = prefix_ + std::string(below);
      const bool closed = entry.is_dir() && (level == depth_ || too_deep(path));
      reached_ = closed ? behind_all_of(below) : std::string(below);
      out.add(render(path, entry, closed), below.size() + 150);
      return closed ? Walk::kSkip : Walk::kContinue;
    };
    const auto after = reached_;
    TRY(walk(tree_.nodes, TRY(open_dir(tree_, at_)), budget, visit, after));
    return more;
  }

  json::Object render(std::string path, const Entry& entry, bool collapsed) const {
    json::Object row;
    row["path"] = std::move(path);
    row["hash"] = call_.listed(entry.key);
    row["kind"] = entry.is_dir() ? "dir" : "file";
    if (entry.is_dir()) {
      row["count"] = entry.children;
      row["files"] = entry.files;
      row["bytes"] = entry.bytes;
      if (collapsed) row["collapsed"] = true;
    } else {
      row["type"] = entry.type;
      row["size"] = entry.bytes;
    }
    return row;
  }

  void end(fs::Portion& out) {
    ended_ = true;
    out.add(json::Object{{"summary", json::Object{{"entries", entries_}, {"truncated", cut_}}}}, 0);
  }

  Call& call_;
  TreeView tree_;
  Located at_;
  std::int64_t depth_;
  std::int64_t left_;
  std::string prefix_;
  std::string reached_;  // below the directory
  std::uint64_t entries_ = 0;
  bool begun_ = false;
  bool cut_ = false;
  bool ended_ = false;
};

Result<std::unique_ptr<Rows>> rows(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto at = TRY(locate(opened.tree, TRY(fs::path_of(arguments))));
  TRY(open_dir(opened.tree, at));
  return std::make_unique<TreeRows>(call, std::move(opened.tree), std::move(at),
                                    arguments.number("depth", OutlineOptions().depth),
                                    arguments.number("maxEntries", INT64_MAX));
}

}  // namespace

Tool fs_tree() {
  return {
      .name = "fs_tree",
      .title = "Directory tree",
      .description =
          "A directory with all below it, nested: the first look at a project. Those marked "
          "collapsed are beyond depth or maxEntries: call again with their path, or search.",
      .input = shape::object(
          {fs::node_key(),
           fs::path("Default: the root", shape::kOptional),
           {"depth", shape::integer("Levels (default 3, -1: all)", -1), shape::kOptional},
           {"maxEntries", shape::integer("Default 500", 1, 100'000), shape::kOptional}}),
      .output = shape::object(
          {{"hash", shape::text()},
           {"kind", shape::choice({"dir"})},
           {"count", shape::integer("Direct children")},
           {"truncated", shape::flag("The limit cut something")},
           {"collapsed", shape::flag(), shape::kOptional},
           {"children", shape::map_of(shape::anything("A file or directory")), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run_fs_tree,
      .rows = rows,
  };
}

}  // namespace cairn
