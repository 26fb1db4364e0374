#include "data/tree/new_depth.h"

#include <map>

#include "data/tree/path.h"

namespace cairn {
namespace {

constexpr std::size_t kMostDirectories = 200'000;

class DepthCheck final {
 public:
  explicit DepthCheck(const NodeReader& nodes) : nodes_(nodes) {}

  // Directories that both have.
  Result<void> compare(const NodePtr& before, const NodePtr& after, std::size_t depth) {
    TRY(enter(depth));
    return dict_diff(nodes_, before, after,
                     [&](const Entry* old_entry, const Entry* new_entry) -> Result<void> {
                       if (new_entry == nullptr || !new_entry->is_dir()) return {};
                       if (old_entry == nullptr || !old_entry->is_dir()) {
                         return measure(new_entry->key, depth + 1);
                       }
                       return compare(TRY(dict_open(nodes_, old_entry->key)),
                                      TRY(dict_open(nodes_, new_entry->key)), depth + 1);
                     });
  }

 private:
  // A directory that is new at its place.
  Result<void> measure(const NodeKey& key, std::size_t depth) {
    TRY(enter(depth));
    auto& deepest = measured_[key];
    // Trees that share their parts may have more paths than anybody can walk.
    if (deepest >= depth || opened_ >= kMostDirectories) return {};
    deepest = depth;
    opened_ += 1;
    DictCursor cursor(nodes_, TRY(dict_open(nodes_, key)));
    TRY(cursor.seek_index(0));
    while (const auto* entry = cursor.entry()) {
      if (entry->is_dir() && entry->children > 0) TRY(measure(entry->key, depth + 1));
      TRY(cursor.next());
    }
    return {};
  }

  static Result<void> enter(std::size_t depth) {
    if (depth <= Path::kMaxSegments) return {};
    return fail(Code::kInvalidPath,
                "this would nest directories more than {} deep in the depot, where nobody could "
                "open them; put them higher up",
                Path::kMaxSegments);
  }

  const NodeReader& nodes_;
  std::map<NodeKey, std::size_t> measured_;
  std::size_t opened_ = 0;
};

}  // namespace

Result<void> check_new_depth(const NodeReader& nodes, const NodePtr& before, const NodePtr& after) {
  return DepthCheck(nodes).compare(before, after, 0);
}

}  // namespace cairn
