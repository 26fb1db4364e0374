#include "base/utf8.h"
#include "data/cas/file.h"
#include "data/text/unified_diff.h"
#include "data/tree/diff.h"
#include "tools/fs.h"
#include "tools/list.h"
#include "tools/render.h"

namespace cairn {
namespace {

constexpr std::uint64_t kMaxCompared = 1 << 20;

json::Object side(const Call& call, const EntryValue& value) {
  json::Object out;
  add_entry(out, value, call.listed(value.key));
  return out;
}

// The text of one side, or nothing when it is not text or too long to compare.
Result<std::optional<Bytes>> text_of(const NodeReader& nodes,
                                     const std::optional<EntryValue>& value) {
  if (!value) return Bytes();
  if (value->kind != Kind::kFile || value->bytes > kMaxCompared) return std::nullopt;
  auto bytes = TRY(read_file(nodes, *TRY(nodes.get(value->key))));
  if (!valid_utf8(bytes) || bytes.find('\0') != Bytes::npos) return std::nullopt;
  return bytes;
}

Result<std::optional<std::string>> unified(const NodeReader& nodes, const Change& change) {
  auto before = TRY(text_of(nodes, change.before));
  auto after = TRY(text_of(nodes, change.after));
  if (!before || !after) return std::nullopt;
  return unified_diff(*before, *after,
                      {.old_name = change.before ? "a/" + change.path : "/dev/null",
                       .new_name = change.after ? "b/" + change.path : "/dev/null"});
}

Result<NodePtr> directory(const fs::Opened& opened, const Path& path) {
  return open_dir(opened.tree, TRY(locate(opened.tree, path)));
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto before = TRY(fs::open(call, arguments.text("from")));
  auto after = TRY(fs::open(call, arguments.text("to")));
  auto path = TRY(fs::path_of(arguments));
  const auto& nodes = call.realm().nodes();
  Budget budget(call.clock(), call.limits(arguments.number("maxResults", 500)));
  auto found = TRY(diff(nodes, TRY(directory(before, path)), TRY(directory(after, path)),
                        Directories::kExpanded, budget));
  json::Array changes;
  bool cut = found.stopped_by.has_value();
  for (const auto& change : found.changes) {
    json::Object row;
    row["path"] = change.path;
    row["change"] = !change.before ? "added" : !change.after ? "removed" : "modified";
    if (change.before) row["before"] = side(call, *change.before);
    if (change.after) row["after"] = side(call, *change.after);
    if (arguments.flag("unified")) {
      auto text = TRY(unified(nodes, change));
      if (text && budget.take_bytes(fs::cost(*text))) {
        row["diff"] = std::move(*text);
      } else {
        cut = cut || text.has_value();
      }
    }
    changes.emplace_back(std::move(row));
  }
  json::Object out;
  out["changes"] = std::move(changes);
  out["truncated"] = cut;
  if (cut) out["hint"] = "narrow the path, or ask for more with maxResults";
  return Reply(std::move(out));
}

}  // namespace

Tool fs_diff() {
  auto one = [] {
    return shape::object({{"type", shape::choice({"file", "dir"})},
                          {"key", shape::text()},
                          {"size", shape::integer(), shape::kOptional},
                          {"contentType", shape::text(), shape::kOptional},
                          {"childCount", shape::integer(), shape::kOptional}});
  };
  return {
      .name = "fs_diff",
      .title = "Compare two trees",
      .description =
          "What changed from one tree to another: paths added, removed, modified, with unified "
          "diffs on request. Typical: from = a root of depot_history, to = the depot; or from = "
          "the depot, to = your newRoot before you commit it.",
      .input = shape::object(
          {{"from", shape::text("Depot id or node key of the older tree", 5000)},
           {"to", shape::text("Depot id or node key of the newer tree", 5000)},
           fs::path("Only below this directory of both", shape::kOptional),
           {"unified", shape::flag("Also the changed lines of text files"), shape::kOptional},
           {"maxResults", shape::integer("Changes at most (default 500)", 1, 10'000),
            shape::kOptional}}),
      .output = shape::object(
          {{"changes", shape::list_of(shape::object(
                           {{"path", shape::text()},
                            {"change", shape::choice({"added", "removed", "modified"})},
                            {"before", one(), shape::kOptional},
                            {"after", one(), shape::kOptional},
                            {"diff", shape::text("Unified diff"), shape::kOptional}}))},
           {"truncated", shape::flag()},
           {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .run = run,
  };
}

}  // namespace cairn
