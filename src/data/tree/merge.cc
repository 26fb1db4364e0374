#include "data/tree/merge.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/utf8.h"
#include "data/cas/file.h"
#include "data/text/json_merge.h"
#include "data/text/json_text.h"
#include "data/text/text_merge.h"
#include "data/tree/diff.h"
#include "data/tree/editor.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

using Value = std::optional<EntryValue>;

// The change of a name on one side: before and after.
struct NameChange {
  Value before;
  Value after;
};
using NameChanges = std::map<std::string, NameChange, std::less<>>;

Value value_of(const Entry* entry) {
  if (entry == nullptr) return std::nullopt;
  return EntryValue::of(*entry);
}

bool is_dir(const Value& value) { return value && value->kind == Kind::kDict; }
bool is_file(const Value& value) { return value && value->kind == Kind::kFile; }

class Merger final {
 public:
  Merger(Stage& stage, Budget& budget, Settle settle)
      : stage_(stage), budget_(budget), settle_(settle) {}

  Result<NodePtr> merge_dirs(const std::string& prefix, const NodePtr& base, const NodePtr& ours,
                             const NodePtr& theirs) {
    // Equal keys are equal trees: nothing below has to be read.
    if (base->key() == theirs->key()) return ours;
    if (ours->key() == theirs->key()) {
      TRY(note_same(prefix, base, ours));
      return ours;
    }
    auto mine = TRY(changes(base, ours));
    std::vector<DictEdit> edits;
    TRY(dict_diff(
        stage_, base, theirs, [&](const Entry* before, const Entry* after) -> Result<void> {
          TRY(spend());
          std::string name((before != nullptr ? before : after)->name);
          auto my = mine.find(name);
          if (my == mine.end()) {
            // Only they changed it. Ours is the tree being edited, so what only we changed is there
            // already.
            edits.push_back({name, value_of(after)});
            result.from_theirs.push_back(prefix + name);
            return {};
          }
          auto merged =
              TRY(merge_name(prefix + name, my->second.before, my->second.after, value_of(after)));
          if (merged != my->second.after) edits.push_back({name, std::move(merged)});
          return {};
        }));
    return dict_apply(stage_, ours, edits);
  }

  // What we moved to a place where theirs stands now would be nowhere: it stays where it was as
  // well.
  Result<NodePtr> keep_moved(const NodePtr& settled, const NodePtr& base, const NodePtr& ours,
                             const NodePtr& theirs) {
    std::set<NodeKey> lost;
    for (const auto& one : result.unfit) {
      const bool is_worth_moving = one.ours && (one.ours->bytes > 0 || one.ours->children > 0);
      if (is_worth_moving && (!one.theirs || one.theirs->key != one.ours->key)) {
        lost.insert(one.ours->key);
      }
    }
    if (lost.empty() || settle_ != Settle::kTheirs) return settled;
    TreeEditor out(stage_, settled);
    TreeEditor there(stage_, theirs);
    for (const auto directories : {Directories::kWhole, Directories::kExpanded}) {
      const auto all = TRY(diff(stage_, base, ours, directories, budget_));
      if (all.stopped_by) TRY(spend());
      for (const auto& change : all.changes) {
        if (!change.before || change.after || !lost.contains(change.before->key)) continue;
        const auto path = TRY(Path::parse(change.path));
        // What they changed or removed as well is theirs to say.
        const bool untouched = TRY(there.find(path)) == change.before;
        if (!untouched || TRY(out.find(path))) continue;
        auto kept = out.put(path, *change.before);
        // We have put a file in the way of it, which fits.
        if (!kept && kept.error().code == Code::kNotADirectory) continue;
        TRY(std::move(kept));
        result.unfit.push_back({change.path, change.before, std::nullopt, change.before});
      }
    }
    return out.finish();
  }

  MergeResult result;

 private:
  Result<void> spend() {
    if (budget_.take_entries() && budget_.in_time()) return {};
    return fail(Code::kBudgetExceeded,
                "the two sides differ in too much to be merged at once (limit: {}); commit in "
                "smaller steps",
                name(*budget_.stopped_by()));
  }

  Result<NameChanges> changes(const NodePtr& before, const NodePtr& after) {
    NameChanges found;
    TRY(dict_diff(
        stage_, before, after, [&](const Entry* old_entry, const Entry* new_entry) -> Result<void> {
          TRY(spend());
          const auto* named = old_entry != nullptr ? old_entry : new_entry;
          found.emplace(named->name, NameChange{value_of(old_entry), value_of(new_entry)});
          return {};
        }));
    return found;
  }

  // Both sides changed this name. What it becomes; on a conflict, the
  // side that settles it.
  Result<Value> merge_name(const std::string& path, const Value& base, const Value& ours,
                           const Value& theirs) {
    if (ours == theirs && !(is_dir(base) && is_dir(ours))) {
      result.same.push_back(path);
      return ours;
    }
    if (is_dir(ours) && is_dir(theirs)) {
      TRY(check_depth(path));
      // Both made a directory of the same name; they are merged as if both had begun with an empty
      // one.
      auto base_dir = is_dir(base) ? TRY(dict_open(stage_, base->key)) : empty_dict();
      auto merged = TRY(merge_dirs(path + "/", base_dir, TRY(dict_open(stage_, ours->key)),
                                   TRY(dict_open(stage_, theirs->key))));
      return EntryValue::of(entry_for("", *merged));
    }
    if (is_file(base) && is_file(ours) && is_file(theirs)) {
      return merge_files(path, *base, *ours, *theirs);
    }
    // Changed here and removed there, or a file against a directory: nobody but the author can
    // tell.
    // Goes on, so that one answer names every conflict.
    return unfit(path, base, ours, theirs);
  }

  Value unfit(const std::string& path, const Value& base, const Value& ours, const Value& theirs) {
    result.conflicts.push_back(path);
    result.unfit.push_back({path, base, ours, theirs});
    return settle_ == Settle::kTheirs ? theirs : ours;
  }

  Result<Value> merge_files(const std::string& path, const EntryValue& base, const EntryValue& ours,
                            const EntryValue& theirs) {
    bool small = std::max({base.bytes, ours.bytes, theirs.bytes}) <= kMaxMergeBytes;
    // The types differ from each other and from the base only when both sides chose one.
    bool types_fit = ours.type == theirs.type || ours.type == base.type || theirs.type == base.type;
    if (small && types_fit) {
      auto base_text = TRY(content(base));
      auto our_text = TRY(content(ours));
      auto their_text = TRY(content(theirs));
      if (auto merged = merge_contents(base.type, base_text, our_text, their_text)) {
        const auto& type = ours.type == base.type ? theirs.type : ours.type;
        auto file = TRY(write_file(stage_, type, *merged));
        result.from_theirs.push_back(path);
        if (made_twice(base_text, our_text, their_text, base.type, *merged)) {
          result.same.push_back(path);
        }
        return EntryValue::of(entry_for("", *file));
      }
      unfit(path, base, ours, theirs);
      return settle_ == Settle::kTheirs ? settled_file(theirs, base_text, our_text, their_text)
                                        : settled_file(ours, base_text, their_text, our_text);
    }
    return unfit(path, base, ours, theirs);
  }

  // One side, with all that fits of the other.
  Result<Value> settled_file(const EntryValue& one, ByteView base_text, ByteView other_text,
                             ByteView one_text) {
    if (!looks_like_text(base_text) || !looks_like_text(other_text) || !looks_like_text(one_text)) {
      return one;
    }
    const auto settled = settle_contents(one.type, base_text, other_text, one_text);
    return EntryValue::of(entry_for("", *TRY(write_file(stage_, one.type, settled.merged))));
  }

  // Both sides have made the same of a directory: names what that is.
  Result<void> note_same(const std::string& prefix, const NodePtr& base, const NodePtr& both) {
    for (const auto& [name, change] : TRY(changes(base, both))) {
      const auto path = prefix + name;
      if (!is_dir(change.before) || !is_dir(change.after)) {
        result.same.push_back(path);
        continue;
      }
      TRY(check_depth(path));
      TRY(note_same(path + "/", TRY(dict_open(stage_, change.before->key)),
                    TRY(dict_open(stage_, change.after->key))));
    }
    return {};
  }

  // Whether a part of the change is the same on both sides. Where it is not, taking ours back from
  // what was merged leaves theirs.
  static bool made_twice(ByteView base, ByteView ours, ByteView theirs, std::string_view type,
                         ByteView merged) {
    if (ours == base || theirs == base) return false;
    const auto without_ours = merge_contents(type, ours, merged, base);
    if (!without_ours) return true;
    if (*without_ours == theirs) return false;
    // JSON may be laid out otherwise.
    const auto left = JsonText::parse(*without_ours);
    const auto right = JsonText::parse(theirs);
    if (!left || !right) return true;
    JsonValues values;
    return values.number(*left).front() != values.number(*right).front();
  }

  Result<Bytes> content(const EntryValue& value) {
    auto node = TRY(stage_.get(value.key));
    return read_file(stage_, *node);
  }

  Stage& stage_;
  Budget& budget_;
  Settle settle_;
};

}  // namespace

std::optional<Bytes> merge_contents(std::string_view type, ByteView base, ByteView ours,
                                    ByteView theirs) {
  // The type alone may have changed on one side.
  if (ours == theirs || theirs == base) return Bytes(ours);
  if (ours == base) return Bytes(theirs);
  if (!looks_like_text(base) || !looks_like_text(ours) || !looks_like_text(theirs)) {
    return std::nullopt;
  }
  const bool json = is_json_type(type);
  if (json) {
    if (auto merged = merge_json(base, ours, theirs)) return merged;
  }
  // By line where keys do not help (two elements of one array), as long as JSON stays JSON.
  auto merged = merge_text(base, ours, theirs);
  if (merged && json && JsonText::parse(ours) && JsonText::parse(theirs) &&
      !JsonText::parse(*merged)) {
    return std::nullopt;
  }
  return merged;
}

TextConflict settle_contents(std::string_view type, ByteView base, ByteView ours, ByteView theirs) {
  auto out = text_conflict(base, ours, theirs);
  if (!is_json_type(type) || !JsonText::parse(theirs) || JsonText::parse(out.merged)) return out;
  out.merged = theirs;
  for (auto& hunk : out.hunks) hunk.merged = hunk.theirs;
  return out;
}

Result<MergeResult> merge(Stage& stage, const NodePtr& base, const NodePtr& ours,
                          const NodePtr& theirs, Budget& budget, Settle settle) {
  Merger merger(stage, budget, settle);
  auto root = TRY(merger.merge_dirs("", base, ours, theirs));
  if (merger.result.conflicts.empty()) {
    merger.result.root = root;
  } else {
    root = TRY(merger.keep_moved(root, base, ours, theirs));
  }
  merger.result.settled = std::move(root);
  return std::move(merger.result);
}

}  // namespace cairn
