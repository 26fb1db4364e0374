#include "data/tree/moves.h"

#include <algorithm>
#include <map>
#include <set>

#include "data/tree/walk.h"

namespace cairn {
namespace {

// By name, level by level: a directory's files come before its longer-named neighbours.
bool in_path_order(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(
      a, b, {}, [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); },
      [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); });
}

bool is_worth_moving(const EntryValue& value) {
  return value.kind == Kind::kFile ? value.bytes > 0 : value.children > 0;
}

bool has_files_below(const std::string& path, const EntryValue& value) {
  return value.kind == Kind::kDict && value.children > 0 && !too_deep(path);
}

class Pairing final {
 public:
  Pairing(const NodeReader& nodes, Budget& budget) : nodes_(nodes), budget_(budget) {}

  Result<void> run(std::vector<Change> changes) {
    for (const auto& change : changes) {
      if (change.before && !change.after) TRY(note_gone(change.path, *change.before));
    }
    for (auto& change : changes) {
      if (change.before && change.after) {
        out.push_back(std::move(change));
      } else if (change.after) {
        TRY(add(change.path, *change.after));
      }
    }
    for (const auto& change : changes) {
      if (change.before && !change.after) TRY(remove(change.path, *change.before));
    }
    std::ranges::sort(out, [](const Change& a, const Change& b) {
      if (a.path != b.path) return in_path_order(a.path, b.path);
      return a.before.has_value() && !b.before.has_value();
    });
    return {};
  }

  std::vector<Change> out;
  bool stopped = false;

 private:
  // Calls visit(path, value) for everything directly below.
  template <typename Visit>
  Result<void> for_each_below(const std::string& path, const EntryValue& dir, Visit visit) {
    return dict_diff(nodes_, empty_dict(), TRY(dict_open(nodes_, dir.key)),
                     [&](const Entry*, const Entry* entry) -> Result<void> {
                       if (!budget_.take_entries() || !budget_.in_time()) stopped = true;
                       if (stopped) return {};
                       return visit(path + "/" + std::string(entry->name), EntryValue::of(*entry));
                     });
  }

  Result<void> note_gone(const std::string& path, const EntryValue& value) {
    if (is_worth_moving(value)) gone_.emplace(value.key, path);
    if (!has_files_below(path, value)) return {};
    return for_each_below(path, value, [&](const std::string& below, const EntryValue& inner) {
      return note_gone(below, inner);
    });
  }

  // Whether it, something above it or something below it was moved already.
  bool is_taken(const std::string& path) const {
    for (auto slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (taken_.contains(path.substr(0, slash))) return true;
    }
    if (taken_.contains(path)) return true;
    const auto below = taken_.lower_bound(path + "/");
    return below != taken_.end() && below->starts_with(path + "/");
  }

  Result<void> add(const std::string& path, const EntryValue& value) {
    const auto [first, last] = gone_.equal_range(value.key);
    for (auto from = first; from != last; ++from) {
      if (is_taken(from->second)) continue;
      taken_.insert(from->second);
      out.push_back({path, value, value, from->second});
      return {};
    }
    if (!has_files_below(path, value)) {
      out.push_back({path, std::nullopt, value, {}});
      return {};
    }
    return for_each_below(path, value, [&](const std::string& below, const EntryValue& inner) {
      return add(below, inner);
    });
  }

  Result<void> remove(const std::string& path, const EntryValue& value) {
    if (taken_.contains(path)) return {};
    if (!has_files_below(path, value)) {
      out.push_back({path, value, std::nullopt, {}});
      return {};
    }
    return for_each_below(path, value, [&](const std::string& below, const EntryValue& inner) {
      return remove(below, inner);
    });
  }

  const NodeReader& nodes_;
  Budget& budget_;
  std::multimap<NodeKey, std::string> gone_;  // all that was removed, at every level
  std::set<std::string> taken_;               // of these, what was moved
};

}  // namespace

Result<std::optional<std::vector<Change>>> diff_with_moves(const NodeReader& nodes,
                                                           const NodePtr& before,
                                                           const NodePtr& after, Budget& budget) {
  auto found = TRY(diff(nodes, before, after, Directories::kWhole, budget));
  if (found.more) return std::nullopt;
  Pairing pairing(nodes, budget);
  TRY(pairing.run(std::move(found.changes)));
  if (pairing.stopped) return std::nullopt;
  return std::move(pairing.out);
}

}  // namespace cairn
