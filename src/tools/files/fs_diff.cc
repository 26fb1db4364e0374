#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/file.h"
#include "data/text/unified_diff.h"
#include "data/tree/moves.h"
#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

constexpr std::uint64_t kMaxCompared = 1 << 20;
// With more changes than these, moves are not looked for.
constexpr std::int64_t kMaxPaired = 20'000;

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
  if (!change.from.empty()) return std::nullopt;
  auto before = TRY(text_of(nodes, change.before));
  auto after = TRY(text_of(nodes, change.after));
  if (!before || !after) return std::nullopt;
  return unified_diff(*before, *after,
                      {.old_name = change.before ? "a/" + change.path : "/dev/null",
                       .new_name = change.after ? "b/" + change.path : "/dev/null"});
}

std::optional<EntryValue> value_of(const std::optional<Located>& found) {
  if (!found) return std::nullopt;
  return EntryValue::of(found->entry);
}

// The changes of one file, or of something that is on one side only; nullopt for directories.
Result<std::optional<Change>> change_of_one(const fs::Opened& before, const fs::Opened& after,
                                            const Path& path) {
  const auto old_value = value_of(TRY(find(before.tree, path)));
  const auto new_value = value_of(TRY(find(after.tree, path)));
  // Said as every tool says it, with the nearest name.
  if (!old_value && !new_value) TRY(locate(after.tree, path));
  const auto is_file = [](const auto& value) { return value && value->kind == Kind::kFile; };
  if (!is_file(old_value) && !is_file(new_value)) return std::nullopt;
  return Change{path.render(), old_value, new_value, {}};
}

// A directory; an empty one where there is nothing.
Result<NodePtr> directory(const fs::Opened& opened, const Path& path) {
  const auto found = TRY(find(opened.tree, path));
  if (!found) return empty_dict();
  return open_dir(opened.tree, *found);
}

struct Trees {
  const fs::Opened& before;
  const fs::Opened& after;
  Path path;
};

// One page of the changes. Moves are known when all changes are.
Result<DiffResult> page_of_changes(Call& call, const Trees& trees, const DiffPage& page) {
  const auto& nodes = call.realm().nodes();
  DiffResult out;
  std::optional<std::vector<Change>> all;
  if (auto one = TRY(change_of_one(trees.before, trees.after, trees.path))) {
    all.emplace();
    if (one->before != one->after) all->push_back(std::move(*one));
  } else {
    const auto before = TRY(directory(trees.before, trees.path));
    const auto after = TRY(directory(trees.after, trees.path));
    auto limits = call.limits(kMaxPaired);
    limits.bytes = INT64_MAX;
    Budget pairing(call.clock(), limits);
    all = TRY(diff_with_moves(nodes, before, after, pairing));
    if (!all) {
      Budget budget(call.clock(), call.limits());
      return diff(nodes, before, after, Directories::kExpanded, budget, page);
    }
  }
  for (auto i = page.skip; i < all->size(); ++i) {
    out.more = out.changes.size() >= page.most;
    if (out.more) break;
    out.changes.push_back(std::move((*all)[i]));
  }
  return out;
}

std::string_view kind_of(const Change& change) {
  if (!change.from.empty()) return "moved";
  return !change.before ? "added" : !change.after ? "removed" : "modified";
}

// As git has it: A, D, M, and R for what was moved.
std::string named(const Change& change) {
  if (!change.from.empty()) return fmt::format("R {} -> {}", change.from, change.path);
  return fmt::format("{} {}", !change.before ? "A" : !change.after ? "D" : "M", change.path);
}

json::Object render(const Call& call, const Change& change) {
  json::Object row;
  row["path"] = change.path;
  row["change"] = kind_of(change);
  if (!change.from.empty()) {
    row["from"] = change.from;
    row["after"] = side(call, *change.after);
    return row;
  }
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
  const std::int64_t usual = arguments.flag("namesOnly") ? 5000 : 500;
  page.most = static_cast<std::size_t>(arguments.number("maxResults", usual));
  if (const auto cursor = arguments.maybe_text("cursor")) {
    const auto skip = child_index("~" + TRY(parse_cursor(*cursor)));
    if (!skip) return fail(Code::kInvalidCursor, "'{}' is not a cursor", shown(*cursor));
    page.skip = *skip;
  }
  return page;
}

Result<Reply> run_fs_diff(Call& call, const Arguments& arguments) {
  auto before = TRY(fs::open(call, arguments.text("from")));
  auto after = TRY(fs::open(call, arguments.text("to")));
  const auto& nodes = call.realm().nodes();
  const auto page = TRY(page_of(arguments));
  const bool names_only = arguments.flag("namesOnly");
  // The diffs of lines come first: how much of the answer they leave is not known before.
  Budget lines(call.clock(), call.limits());
  const auto found = TRY(page_of_changes(call, {before, after, TRY(fs::path_of(arguments))}, page));
  json::Array changes;
  bool more = found.more;
  for (const auto& change : found.changes) {
    const bool first = changes.empty();
    json::Value row = names_only ? json::Value(named(change)) : json::Value(render(call, change));
    more = !lines.take_bytes(static_cast<std::int64_t>(json::write(row).size()) + 1) && !first;
    if (!more && !names_only && arguments.flag("unified")) {
      more = !TRY(add_unified(nodes, change, first, lines, row.get_object()));
    }
    if (more) break;
    changes.emplace_back(std::move(row));
    more = found.more;
  }
  const auto next = page.skip + changes.size();
  json::Object out;
  out[names_only ? "names" : "changes"] = std::move(changes);
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
          "What changed from one tree to another: added, removed, modified, moved; of one file "
          "too. Typical: from = a root of depot_history, to = the depot; or from = the depot, "
          "to = your newRoot before you commit it.",
      .input = shape::object(
          {{"from", shape::text("Older: depot or node", 5000)},
           {"to", shape::text("Newer: depot or node", 5000)},
           fs::path("Only this, or below it", shape::kOptional),
           {"unified", shape::flag("Also the changed lines"), shape::kOptional},
           {"namesOnly", shape::flag("Only lines 'A path', 'M path', 'D path', 'R old -> new'"),
            shape::kOptional},
           {"maxResults", shape::integer("Default 500, names 5000", 1, 10'000), shape::kOptional},
           {"cursor", shape::text("From nextCursor"), shape::kOptional}}),
      .output = shape::object(
          {{"changes",
            shape::list_of(
                shape::object({{"path", shape::text()},
                               {"change", shape::choice({"added", "removed", "modified", "moved"})},
                               {"from", shape::text("Where it was"), shape::kOptional},
                               {"before", one(), shape::kOptional},
                               {"after", one(), shape::kOptional},
                               {"diff", shape::text("Unified diff"), shape::kOptional},
                               {"cut", shape::flag("The diff is longer"), shape::kOptional},
                               {"hint", shape::text(), shape::kOptional}})),
            shape::kOptional},
           {"names", shape::list_of(shape::text()), shape::kOptional},
           {"truncated", shape::flag("There are more changes: call again with nextCursor")},
           {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"path", "from", "to"},
      .run = run_fs_diff,
  };
}

}  // namespace cairn
