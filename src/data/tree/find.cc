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

}  // namespace

Result<FindResult> find_entries(const TreeView& tree, const Path& path, const Glob& glob,
                                const FindOptions& options, Budget& budget) {
  auto at = TRY(locate(tree, path));
  auto dict = TRY(open_dir(tree, at));
  auto prefix = at.path.is_root() ? std::string() : at.path.render() + "/";
  FindResult result;
  TRY(walk(tree.nodes, dict, budget,
           [&](std::string_view below, const Entry& entry) -> Result<Walk> {
             result.visited += 1;
             if (passes(entry, options) && glob.matches(below)) {
               if (result.matches.size() >= options.max_results) {
                 result.stopped_by = "results";
                 return Walk::kStop;
               }
               auto size = json_bytes(prefix) + json_bytes(below) + json_bytes(entry.type) + 95;
               if (!budget.take_bytes(static_cast<std::int64_t>(size))) return Walk::kStop;
               result.matches.push_back({prefix + std::string(below), EntryValue::of(entry)});
             }
             bool enter = entry.is_dir() && glob.may_match_below(below);
             return enter ? Walk::kContinue : Walk::kSkip;
           }));
  if (!result.stopped_by && budget.stopped_by()) result.stopped_by = name(*budget.stopped_by());
  return result;
}

}  // namespace cairn
