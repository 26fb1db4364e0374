#include "data/tree/search.h"
#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto glob = TRY(Glob::parse(arguments.text("pattern")));
  FindOptions options;
  if (arguments.text("type") == "file") options.kind = KindFilter::kFiles;
  if (arguments.text("type") == "dir") options.kind = KindFilter::kDirectories;
  if (auto size = arguments.maybe_number("minSize")) {
    options.min_size = static_cast<std::uint64_t>(*size);
  }
  if (auto size = arguments.maybe_number("maxSize")) {
    options.max_size = static_cast<std::uint64_t>(*size);
  }
  options.max_results = static_cast<std::size_t>(arguments.number("maxResults", 200));
  Budget budget(call.clock(), call.limits());
  auto found = TRY(find_entries(opened.tree, TRY(fs::path_of(arguments)), glob, options, budget));
  json::Array matches;
  for (const auto& match : found.matches) {
    json::Object row;
    row["path"] = match.path;
    add_entry(row, match.value, call.listed(match.value.key));
    matches.emplace_back(std::move(row));
  }
  json::Object out;
  out["matches"] = std::move(matches);
  out["visited"] = found.visited;
  out["truncated"] = found.stopped_by.has_value();
  if (found.stopped_by) {
    out["stoppedBy"] = *found.stopped_by;
    out["hint"] = "narrow the pattern or the path, or ask for more with maxResults";
  }
  return Reply(std::move(out));
}

}  // namespace

Tool fs_find() {
  return {
      .name = "fs_find",
      .title = "Find files by name",
      .description =
          "Files and directories by glob. '*.ts' matches names at any depth; with a '/' the "
          "pattern is matched against the whole path below path: 'src/**/*.test.ts'. When "
          "truncated is true there are more: narrow the pattern or the path.",
      .input = shape::object(
          {fs::node_key(),
           {"pattern", shape::text("Glob: * ? [a-z] {a,b} **", Glob::kMaxBytes)},
           fs::path("Directory to search; default: all", shape::kOptional),
           {"type", shape::choice({"file", "dir"}, "Only these"), shape::kOptional},
           {"minSize", shape::integer("Files of at least so many bytes"), shape::kOptional},
           {"maxSize", shape::integer("Files of at most so many bytes"), shape::kOptional},
           {"maxResults", shape::integer("Matches at most (default 200)", 1, 10'000),
            shape::kOptional}}),
      .output = shape::object(
          {{"matches",
            shape::list_of(shape::object({{"path", shape::text("From the root of the tree")},
                                          {"type", shape::choice({"file", "dir"})},
                                          {"key", shape::text()},
                                          {"size", shape::integer(), shape::kOptional},
                                          {"contentType", shape::text(), shape::kOptional},
                                          {"childCount", shape::integer(), shape::kOptional}}))},
           {"visited", shape::integer("Entries looked at")},
           {"truncated", shape::flag()},
           {"stoppedBy", shape::text("results, entries, bytes or time"), shape::kOptional},
           {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run,
  };
}

}  // namespace cairn
