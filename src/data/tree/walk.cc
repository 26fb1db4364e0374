#include "data/tree/walk.h"

#include <algorithm>

#include "base/quote.h"

namespace cairn {
namespace {

class Walker final {
 public:
  Walker(const NodeReader& nodes, Budget& budget, const WalkVisitor& visit)
      : nodes_(nodes), budget_(budget), visit_(visit) {}

  // False when the walk is over.
  Result<bool> run(const NodePtr& node) {
    if (node->level() > 0) {
      for (const auto& branch : node->branches()) {
        auto below = TRY(dict_child(nodes_, *node, branch));
        if (!TRY(run(below))) return false;
      }
      return true;
    }
    if (!budget_.in_time()) return false;
    for (const auto& entry : node->entries()) {
      if (!TRY(step(entry))) return false;
    }
    return true;
  }

  // The same behind a path, which begins here.
  Result<bool> run_after(const NodePtr& dir, std::string_view after) {
    if (after.empty()) return run(dir);
    const auto slash = after.find('/');
    const auto name = after.substr(0, slash);
    after.remove_prefix(slash == std::string_view::npos ? after.size() : slash + 1);
    DictCursor cursor(nodes_, dir);
    TRY(cursor.seek_name(name));
    const auto* first = cursor.entry();
    if (first != nullptr && first->name == name) {
      if (first->is_dir()) {
        auto go_on =
            TRY(enter(*first, [&](const NodePtr& found) { return run_after(found, after); }));
        if (!go_on) return false;
      }
      TRY(cursor.next());
    }
    while (const auto* entry = cursor.entry()) {
      if (!budget_.in_time() || !TRY(step(*entry))) return false;
      TRY(cursor.next());
    }
    return true;
  }

  std::uint64_t unentered() const { return unentered_; }

 private:
  Result<bool> step(const Entry& entry) {
    if (!budget_.take_entries()) return false;
    const auto length = path_.size();
    if (length > 0) path_ += '/';
    path_ += entry.name;
    auto next = TRY(visit_(path_, entry));
    path_.resize(length);
    if (next == Walk::kStop) return false;
    if (next == Walk::kSkip || !entry.is_dir()) return true;
    return enter(entry, [&](const NodePtr& found) { return run(found); });
  }

  // Goes into a directory of the one it is in, and comes back.
  template <typename Work>
  Result<bool> enter(const Entry& entry, Work work) {
    const auto length = path_.size();
    if (length > 0) path_ += '/';
    path_ += entry.name;
    // Counted from where the walk began, as its paths are.
    if (too_deep(path_)) {
      if (entry.children > 0) ++unentered_;
      path_.resize(length);
      return true;
    }
    auto go_on = TRY(work(TRY(dict_open(nodes_, entry.key))));
    path_.resize(length);
    return go_on;
  }

  const NodeReader& nodes_;
  Budget& budget_;
  const WalkVisitor& visit_;
  std::string path_;
  std::uint64_t unentered_ = 0;
};

}  // namespace

bool too_deep(std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/')) + 1 > Path::kMaxSegments;
}

Result<void> check_depth(std::string_view path) {
  if (!too_deep(path)) return {};
  return fail(Code::kInvalidPath,
              "directories are nested more than {} deep at '{}'; remove or move one on the way",
              Path::kMaxSegments, shown(path, 200));
}

Result<std::uint64_t> walk(const NodeReader& nodes, const NodePtr& dir, Budget& budget,
                           const WalkVisitor& visit, std::string_view after) {
  Walker walker(nodes, budget, visit);
  TRY(walker.run_after(dir, after));
  return walker.unentered();
}

// Names are UTF-8, so that none comes behind this one.
std::string behind_all_of(std::string_view directory) { return std::string(directory) + "/\xff"; }

}  // namespace cairn
