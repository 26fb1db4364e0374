#include "base/quote.h"
#include "data/tree/search.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

bool passes(const Entry& entry, const FindOptions& options) {
  bool sized = options.min_size || options.max_size;
  if (entry.is_dir()) return options.kind != KindFilter::kFiles && !sized;
  return options.kind != KindFilter::kDirectories && entry.bytes >= options.min_size.value_or(0) &&
         entry.bytes <= options.max_size.value_or(UINT64_MAX);
}

constexpr std::size_t kPathLabel = std::string_view(R"("path":"",)").size();

}  // namespace

Result<FindResult> find_entries(const TreeView& tree, const Path& path, const Glob& glob,
                                const FindOptions& options, Budget& budget) {
  auto at = TRY(locate(tree, path));
  auto dict = TRY(open_dir(tree, at));
  auto prefix = at.path.is_root() ? std::string() : at.path.render() + "/";
  FindResult result;
  result.reached = options.after;
  auto look_at = [&](std::string_view below, const Entry& entry) -> Result<Walk> {
    if (passes(entry, options) && glob.matches(below)) {
      if (result.matches.size() >= options.max_results) {
        result.stopped_by = "results";
        return Walk::kStop;
      }
      const auto label = kPathLabel + json_bytes(prefix) + json_bytes(below);
      if (!budget.take_bytes(row_bytes(label, entry, options.rendering))) return Walk::kStop;
      result.matches.push_back({prefix + std::string(below), EntryValue::of(entry)});
    }
    result.visited += 1;
    const bool skip = entry.is_dir() && !glob.may_match_below(below);
    result.reached = skip ? behind_all_of(below) : std::string(below);
    return skip ? Walk::kSkip : Walk::kContinue;
  };
  result.skipped_deep = TRY(walk(tree.nodes, dict, budget, look_at, options.after));
  if (!result.stopped_by && budget.stopped_by()) result.stopped_by = name(*budget.stopped_by());
  return result;
}

}  // namespace cairn
