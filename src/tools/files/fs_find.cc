#include <optional>
#include <utility>

#include "data/tree/search.h"
#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/search_cursor.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

constexpr std::int64_t kMaxResults = 200;

FindOptions options_of(const Call& call, const Arguments& arguments) {
  FindOptions options;
  if (arguments.text("type") == "file") options.kind = KindFilter::kFiles;
  if (arguments.text("type") == "dir") options.kind = KindFilter::kDirectories;
  if (auto size = arguments.maybe_number("minSize")) {
    options.min_size = static_cast<std::uint64_t>(*size);
  }
  if (auto size = arguments.maybe_number("maxSize")) {
    options.max_size = static_cast<std::uint64_t>(*size);
  }
  options.rendering = call.listing();
  return options;
}

json::Object render(const Call& call, const FindResult::Match& match) {
  json::Object row;
  row["path"] = match.path;
  add_entry(row, match.value, call.listed(match.value.key));
  return row;
}

Result<Reply> run_fs_find(Call& call, const Arguments& arguments) {
  auto [opened, cursor] = TRY(fs::open_search(call, arguments));
  const auto glob = TRY(Glob::parse(arguments.text("pattern")));
  auto options = options_of(call, arguments);
  options.max_results = static_cast<std::size_t>(arguments.number("maxResults", kMaxResults));
  if (cursor) options.after = std::move(cursor->path);
  Budget budget(call.clock(), call.limits());
  auto found = TRY(find_entries(opened.tree, TRY(fs::path_of(arguments)), glob, options, budget));
  json::Array matches;
  for (const auto& match : found.matches) matches.emplace_back(render(call, match));
  json::Object out;
  out["matches"] = std::move(matches);
  out["visited"] = found.visited;
  if (found.skipped_deep > 0) out["skippedDeep"] = found.skipped_deep;
  out["truncated"] = found.stopped_by.has_value();
  if (found.stopped_by) {
    fs::add_rest(out, call, arguments, *found.stopped_by,
                 {opened.target.root, 0, std::move(found.reached)}, "narrow the pattern or path");
  }
  return Reply(std::move(out));
}

// One row for each match, in path order. A search of its own makes each portion, behind the one
// before.
class FindRows final : public Rows {
 public:
  FindRows(Call& call, TreeView tree, Path path, Glob glob, FindOptions options, std::uint64_t most)
      : call_(call),
        tree_(std::move(tree)),
        path_(std::move(path)),
        glob_(std::move(glob)),
        options_(std::move(options)),
        left_(most) {}

  Result<std::optional<json::Array>> next() override {
    if (ended_) return std::nullopt;
    auto limits = call_.open_limits();
    limits.entries = kPortionEntries;
    limits.bytes = kPortionBytes;
    Budget budget(call_.clock(), limits);
    options_.max_results = left_;
    auto found = TRY(find_entries(tree_, path_, glob_, options_, budget));
    json::Array out;
    for (const auto& match : found.matches) out.emplace_back(render(call_, match));
    matches_ += found.matches.size();
    left_ -= found.matches.size();
    visited_ += found.visited;
    skipped_deep_ += found.skipped_deep;
    options_.after = std::move(found.reached);
    const auto& stopped = found.stopped_by;
    if (!stopped || stopped == "results" || stopped == name(Budget::Limit::kCancelled)) {
      out.emplace_back(end(stopped));
    }
    return out;
  }

 private:
  static constexpr std::int64_t kPortionEntries = 20'000;
  static constexpr std::int64_t kPortionBytes = 32 << 10;

  json::Object end(const std::optional<std::string>& stopped) {
    ended_ = true;
    json::Object summary{
        {"matches", matches_}, {"visited", visited_}, {"truncated", stopped.has_value()}};
    if (skipped_deep_ > 0) summary["skippedDeep"] = skipped_deep_;
    if (stopped) summary["stoppedBy"] = *stopped;
    return {{"summary", std::move(summary)}};
  }

  Call& call_;
  TreeView tree_;
  Path path_;
  Glob glob_;
  FindOptions options_;
  std::uint64_t left_;
  std::uint64_t matches_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t skipped_deep_ = 0;
  bool ended_ = false;
};

Result<std::unique_ptr<Rows>> rows(Call& call, const Arguments& arguments) {
  auto [opened, cursor] = TRY(fs::open_search(call, arguments));
  auto options = options_of(call, arguments);
  if (cursor) options.after = std::move(cursor->path);
  return std::make_unique<FindRows>(
      call, std::move(opened.tree), TRY(fs::path_of(arguments)),
      TRY(Glob::parse(arguments.text("pattern"))), std::move(options),
      static_cast<std::uint64_t>(arguments.number("maxResults", INT64_MAX)));
}

}  // namespace

Tool fs_find() {
  return {
      .name = "fs_find",
      .title = "Find files by name",
      .description =
          "Files and directories by glob. '*.ts' matches names at any depth; with a '/' the "
          "pattern is matched against the whole path below path: 'src/**/*.test.ts'. nextCursor: "
          "there is more.",
      .input = shape::object(
          {fs::node_key(),
           {"pattern", shape::text("Glob: * ? [a-z] {a,b} **", Glob::kMaxBytes)},
           fs::path("Directory; default: all", shape::kOptional),
           {"type", shape::choice({"file", "dir"}, "Only these"), shape::kOptional},
           {"minSize", shape::integer("Bytes of a file"), shape::kOptional},
           {"maxSize", shape::integer("Bytes of a file"), shape::kOptional},
           {"maxResults", shape::integer("Default 200", 1, 1'000'000), shape::kOptional},
           fs::cursor()}),
      .output = shape::object(
          {{"matches",
            shape::list_of(shape::object({{"path", shape::text("From the root of the tree")},
                                          {"type", shape::choice({"file", "dir"})},
                                          {"key", shape::text()},
                                          {"size", shape::integer(), shape::kOptional},
                                          {"contentType", shape::text(), shape::kOptional},
                                          {"childCount", shape::integer(), shape::kOptional}}))},
           {"visited", shape::integer("Entries looked at")},
           {"skippedDeep", shape::integer("Directories nested too deep to be looked into"),
            shape::kOptional},
           {"truncated", shape::flag()},
           {"stoppedBy", shape::text("results, entries, bytes or time"), shape::kOptional},
           fs::next_cursor(),
           {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run_fs_find,
      .rows = rows,
  };
}

}  // namespace cairn
