#include "data/tree/diff.h"

#include "base/quote.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

class Differ final {
 public:
  Differ(const NodeReader& nodes, Directories directories, Budget& budget, DiffPage page)
      : nodes_(nodes), directories_(directories), budget_(budget), page_(page) {}

  Result<void> run(const std::string& prefix, const NodePtr& before, const NodePtr& after) {
    return dict_diff(nodes_, before, after,
                     [&](const Entry* old_entry, const Entry* new_entry) -> Result<void> {
                       // Ends dict_diff(); diff() knows from stopped_ that this is no failure.
                       if (stopped_) return fail(Code::kBudgetExceeded, "the diff was cut");
                       return visit(prefix, old_entry, new_entry);
                     });
  }

  std::vector<Change>& changes() { return changes_; }
  bool stopped() const { return stopped_; }

 private:
  Result<void> visit(const std::string& prefix, const Entry* before, const Entry* after) {
    std::string path = prefix + std::string((before != nullptr ? before : after)->name);
    const bool dirs = before != nullptr && after != nullptr && before->is_dir() && after->is_dir();
    // What is too deep to be named is told by the last directory on the way.
    if (dirs && !too_deep(path)) {
      return run(path + "/", TRY(dict_open(nodes_, before->key)),
                 TRY(dict_open(nodes_, after->key)));
    }
    bool expand = directories_ == Directories::kExpanded;
    // A file became a directory or the reverse: a removal and an addition at one path.
    if (before != nullptr && (after == nullptr || before->is_dir() != after->is_dir())) {
      TRY(side(path, *before, Side::kBefore, expand));
      before = nullptr;
    }
    if (after == nullptr) return {};
    if (before == nullptr) return side(path, *after, Side::kAfter, expand);
    report({path, EntryValue::of(*before), EntryValue::of(*after), {}});
    return {};
  }

  enum class Side { kBefore, kAfter };

  // Something that is on one side only.
  Result<void> side(const std::string& path, const Entry& entry, Side which, bool expand) {
    // An empty directory has nothing below that would show it.
    if (!expand || !entry.is_dir() || entry.children == 0 || too_deep(path)) {
      report_side(path, entry, which);
      return {};
    }
    auto dict = TRY(dict_open(nodes_, entry.key));
    TRY(walk(nodes_, dict, budget_,
             [&](std::string_view below, const Entry& found) -> Result<Walk> {
               auto whole = path + "/" + std::string(below);
               const bool closed = found.is_dir() && too_deep(whole);
               if (!found.is_dir() || found.children == 0 || closed) {
                 report_side(std::move(whole), found, which);
               }
               if (stopped_) return Walk::kStop;
               return closed ? Walk::kSkip : Walk::kContinue;
             }));
    return {};
  }

  void report_side(std::string path, const Entry& entry, Side which) {
    Change change{std::move(path), std::nullopt, std::nullopt, {}};
    (which == Side::kBefore ? change.before : change.after) = EntryValue::of(entry);
    report(std::move(change));
  }

  void report(Change change) {
    if (!budget_.in_time()) {
      stopped_ = true;
      return;
    }
    if (page_.skip > 0) {
      page_.skip -= 1;
      return;
    }
    if (changes_.size() >= page_.most || !budget_.take_entries() ||
        !budget_.take_bytes(rendered_bytes(change))) {
      stopped_ = true;
      return;
    }
    changes_.push_back(std::move(change));
  }

  // About what a change costs in the rendered answer.
  static std::int64_t rendered_bytes(const Change& change) {
    auto bytes = json_bytes(change.path) + 40;
    for (const auto* side : {&change.before, &change.after}) {
      if (*side) bytes += json_bytes((*side)->type) + 90;
    }
    return static_cast<std::int64_t>(bytes);
  }

  const NodeReader& nodes_;
  Directories directories_;
  Budget& budget_;
  DiffPage page_;
  std::vector<Change> changes_;
  bool stopped_ = false;
};

}  // namespace

Result<DiffResult> diff(const NodeReader& nodes, const NodePtr& before, const NodePtr& after,
                        Directories directories, Budget& budget, DiffPage page) {
  Differ differ(nodes, directories, budget, page);
  auto done = differ.run("", before, after);
  if (!done && !differ.stopped()) return Failure(std::move(done).error());
  const auto stopped_by = budget.stopped_by();
  return DiffResult{std::move(differ.changes()), stopped_by, differ.stopped() || stopped_by};
}

}  // namespace cairn
