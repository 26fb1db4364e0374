#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/file.h"
#include "data/text/unified_diff.h"
#include "data/tree/diff.h"
#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

constexpr std::uint64_t kMaxCompared = 1 << 20;

json::Object side(const Call& call, const EntryValue& value) {
  json::Object out;
  add_entry(out, value, call.listed(value.key));
  return out;
}

// The text of one side, or nullopt when it is not text or too long to compare.
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

json::Object render(const Call& call, const Change& change) {
  json::Object row;
  row["path"] = change.path;
  row["change"] = !change.before ? "added" : !change.after ? "removed" : "modified";
  if (change.before) row["before"] = side(call, *change.before);
  if (change.after) row["after"] = side(call, *change.after);
  return row;
}

// Adds the changed lines of a text file. False when the answer has no room for them; the first one
// is cut rather than left out, or it could never be seen, and fills the answer.
Result<bool> add_unified(const NodeReader& nodes, const Change& change, bool first, Budget& budget,
                         json::Object& row) {
  auto text = TRY(unified(nodes, change));
  if (!text) return true;
  if (!budget.take_bytes(fs::cost(*text))) {
    if (!first) return false;
    const auto shown = json_prefix(*text, static_cast<std::size_t>(budget.bytes_left()));
    text->resize(shown.rfind('\n') + 1);
    budget.take_bytes(budget.bytes_left());
    row["cut"] = true;
    row["hint"] = "the diff goes on; fs_read shows the file itself";
  }
  row["diff"] = std::move(*text);
  return true;
}

// A cursor is the number of changes before the page.
Result<DiffPage> page_of(const Arguments& arguments) {
  DiffPage page;
  page.most = static_cast<std::size_t>(arguments.number("maxResults", 500));
  if (const auto cursor = arguments.maybe_text("cursor")) {
    const auto skip = child_index("~" + TRY(parse_cursor(*cursor)));
    if (!skip) return fail(Code::kInvalidCursor, "'{}' is not a cursor", shown(*cursor));
    page.skip = *skip;
  }
  return page;
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto before = TRY(fs::open(call, arguments.text("from")));
  auto after = TRY(fs::open(call, arguments.text("to")));
  auto path = TRY(fs::path_of(arguments));
  const auto& nodes = call.realm().nodes();
  const auto page = TRY(page_of(arguments));
  Budget budget(call.clock(), call.limits());
  // The diffs of lines come first: how much of the answer they leave is not known before.
  Budget lines(call.clock(), call.limits());
  auto found = TRY(diff(nodes, TRY(directory(before, path)), TRY(directory(after, path)),
                        Directories::kExpanded, budget, page));
  json::Array changes;
  bool more = found.more;
  for (const auto& change : found.changes) {
    auto row = render(call, change);
    const bool first = changes.empty();
    more = !lines.take_bytes(static_cast<std::int64_t>(json::write(row).size())) && !first;
    if (!more && arguments.flag("unified")) {
      more = !TRY(add_unified(nodes, change, first, lines, row));
    }
    if (more) break;
    changes.emplace_back(std::move(row));
    more = found.more;
  }
  const auto next = page.skip + changes.size();
  json::Object out;
  out["changes"] = std::move(changes);
  out["truncated"] = more;
  out["nextCursor"] = more ? json::Value(render_cursor(std::to_string(next))) : nullptr;
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
            shape::kOptional},
           {"cursor", shape::text("nextCursor of the page before"), shape::kOptional}}),
      .output = shape::object(
          {{"changes", shape::list_of(shape::object(
                           {{"path", shape::text()},
                            {"change", shape::choice({"added", "removed", "modified"})},
                            {"before", one(), shape::kOptional},
                            {"after", one(), shape::kOptional},
                            {"diff", shape::text("Unified diff"), shape::kOptional},
                            {"cut", shape::flag("The diff is longer"), shape::kOptional},
                            {"hint", shape::text(), shape::kOptional}}))},
           {"truncated", shape::flag("There are more changes: call again with nextCursor")},
           {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"path", "from", "to"},
      .run = run,
  };
}

}  // namespace cairn
