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
    const auto length = path_.size();
    for (const auto& entry : node->entries()) {
      if (!budget_.take_entries()) return false;
      if (length > 0) path_ += '/';
      path_ += entry.name;
      auto next = TRY(visit_(path_, entry));
      if (next == Walk::kStop) return false;
      if (next == Walk::kContinue && entry.is_dir()) {
        TRY(check_depth(path_));
        auto below = TRY(dict_open(nodes_, entry.key));
        if (!TRY(run(below))) return false;
      }
      path_.resize(length);
    }
    return true;
  }

 private:
  const NodeReader& nodes_;
  Budget& budget_;
  const WalkVisitor& visit_;
  std::string path_;
};

}  // namespace

Result<void> check_depth(std::string_view path) {
  auto depth = static_cast<std::size_t>(std::ranges::count(path, '/')) + 1;
  if (depth <= Path::kMaxSegments) return {};
  return fail(Code::kInvalidPath,
              "directories are nested more than {} deep at '{}'; remove or move one on the way",
              Path::kMaxSegments, shown(path, 200));
}

Result<void> walk(const NodeReader& nodes, const NodePtr& dir, Budget& budget,
                  const WalkVisitor& visit) {
  TRY(Walker(nodes, budget, visit).run(dir));
  return {};
}

}  // namespace cairn
