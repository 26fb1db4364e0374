#include "exposure/mirror/plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cairn::mirror {
namespace {

constexpr std::array kSides = {MirrorSide::kDirectory, MirrorSide::kDepot};

template <typename T>
const T* find(const ByPath<T>& map, std::string_view path) {
  const auto at = map.find(path);
  return at == map.end() ? nullptr : &at->second;
}

// Calls `visit` with each path above this one until it says true.
template <typename Visit>
bool any_above(std::string_view path, const Visit& visit) {
  for (auto end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1)) {
    if (visit(path.substr(0, end))) return true;
  }
  return false;
}

// The entries below a directory, without itself.
template <typename Container>
auto below(const Container& container, std::string_view path) {
  // '0' is what comes after '/'.
  return std::ranges::subrange(container.lower_bound(std::string(path) + "/"),
                               container.lower_bound(std::string(path) + "0"));
}

std::string_view name_of(MirrorSide side) {
  return side == MirrorSide::kDirectory ? "directory" : "depot";
}

std::string_view name_of(EntryKind kind) { return kind == EntryKind::kFile ? "file" : "directory"; }

const std::string& key_on(const MirrorAgreed& agreed, MirrorSide side) {
  return side == MirrorSide::kDirectory ? agreed.directory_key : agreed.depot_key;
}

class Planner final {
 public:
  Planner(const MirrorBase& base, const MirrorTree& directory, const MirrorTree& depot,
          const MirrorRules& rules)
      : base_(base), directory_(directory), depot_(depot), rules_(rules) {}

  MirrorPlan run() {
    for (const auto& path : all_paths()) {
      if (!blocked(path) && !is_below(path, covered_)) look_at(path);
    }
    for (const auto side : kSides) remove_directories(side);
    order();
    return std::move(plan_);
  }

 private:
  const MirrorTree& tree(MirrorSide side) const {
    return side == MirrorSide::kDirectory ? directory_ : depot_;
  }
  const MirrorEntry* entry(MirrorSide side, std::string_view path) const {
    return find(tree(side).entries, path);
  }
  bool allowed(MirrorSide to) const { return !rules_.only_to || *rules_.only_to == to; }
  bool blocked(std::string_view path) const {
    return is_left_out(path, directory_) || is_left_out(path, depot_);
  }

  Paths all_paths() const {
    Paths out;
    for (const auto& [path, agreed] : base_) out.insert(out.end(), path);
    for (const auto side : kSides) {
      for (const auto& [path, now] : tree(side).entries) out.insert(path);
    }
    return out;
  }

  void look_at(const std::string& path) {
    const auto* here = entry(MirrorSide::kDirectory, path);
    const auto* there = entry(MirrorSide::kDepot, path);
    if (here == nullptr && there == nullptr) {
      plan_.forgotten.push_back(path);
    } else if (here != nullptr && there != nullptr) {
      here->kind == there->kind ? look_at_both(path, *here, *there) : look_at_kinds(path);
    } else {
      look_at_one(path, here != nullptr ? MirrorSide::kDirectory : MirrorSide::kDepot);
    }
  }

  // The entry that was agreed on; null when it was of another kind, which then is gone on both
  // sides.
  const MirrorAgreed* agreed(std::string_view path, EntryKind kind) const {
    const auto* then = find(base_, path);
    return then != nullptr && then->kind == kind ? then : nullptr;
  }

  void look_at_both(const std::string& path, const MirrorEntry& here, const MirrorEntry& there) {
    const auto* then = agreed(path, here.kind);
    if (here.kind == EntryKind::kDirectory) {
      if (then == nullptr) plan_.agreed.push_back(path);
      return;
    }
    const bool changed_here = then == nullptr || here.key != then->directory_key;
    const bool changed_there = then == nullptr || there.key != then->depot_key;
    if (!changed_here && !changed_there) return;
    if (here.key == there.key || rules_.same.contains(path)) {
      plan_.agreed.push_back(path);
    } else if (changed_here && changed_there) {
      clash(path, then == nullptr ? "is new in the directory and in the depot, and differs"
                                  : "changed in the directory and in the depot");
    } else {
      take(path, changed_here ? MirrorSide::kDirectory : MirrorSide::kDepot);
    }
  }

  // It is on one side only: new there, or deleted on the other.
  void look_at_one(const std::string& path, MirrorSide side) {
    const auto& now = *entry(side, path);
    const auto* then = agreed(path, now.kind);
    if (then == nullptr) {
      take(path, side);
    } else if (now.kind == EntryKind::kDirectory) {
      // When nothing is left in it; what it holds is looked at first.
      doomed_[index(side)].push_back(path);
    } else if (now.key == key_on(*then, side)) {
      take(path, other(side));
    } else {
      clash(path, fmt::format("changed in the {}, deleted in the {}", name_of(side),
                              name_of(other(side))));
    }
  }

  // A file on one side, a directory on the other: it goes with all below it.
  void look_at_kinds(const std::string& path) {
    covered_.insert(path);
    const bool changed_here = changed_at_or_below(path, MirrorSide::kDirectory);
    const bool changed_there = changed_at_or_below(path, MirrorSide::kDepot);
    if (changed_here && changed_there) {
      clash(path, fmt::format("is a {} in the directory and a {} in the depot",
                              name_of(entry(MirrorSide::kDirectory, path)->kind),
                              name_of(entry(MirrorSide::kDepot, path)->kind)));
    } else {
      take(path, changed_here ? MirrorSide::kDirectory : MirrorSide::kDepot);
    }
  }

  bool changed_at_or_below(const std::string& path, MirrorSide side) const {
    if (changed(path, side)) return true;
    for (const auto& [held, then] : below(base_, path)) {
      if (changed(held, side)) return true;
    }
    for (const auto& [held, now] : below(tree(side).entries, path)) {
      if (changed(held, side)) return true;
    }
    return false;
  }

  bool changed(std::string_view path, MirrorSide side) const {
    const auto* then = find(base_, path);
    const auto* now = entry(side, path);
    if (then == nullptr || now == nullptr) return then != nullptr || now != nullptr;
    if (then->kind != now->kind) return true;
    return now->kind == EntryKind::kFile && now->key != key_on(*then, side);
  }

  void clash(const std::string& path, std::string what) {
    const auto winner = rules_.keep ? rules_.keep(path) : std::nullopt;
    if (winner && allowed(other(*winner))) {
      take(path, *winner);
    } else {
      plan_.conflicts.push_back({path, std::move(what)});
    }
  }

  // Makes the other side what this one is.
  void take(const std::string& path, MirrorSide from) {
    const auto to = other(from);
    if (!allowed(to)) {
      plan_.not_taken.push_back({path, from, what_happened(path, from)});
      return;
    }
    const auto* source = entry(from, path);
    const auto* target = entry(to, path);
    if (source != nullptr && target != nullptr && source->kind != target->kind) {
      replace(path, from);
    } else if (source != nullptr) {
      write(to, path, source->kind);
    } else {
      remove(to, path, target->kind);
    }
  }

  std::string what_happened(std::string_view path, MirrorSide side) const {
    if (entry(side, path) == nullptr) return "deleted";
    return find(base_, path) == nullptr ? "new" : "changed";
  }

  void replace(const std::string& path, MirrorSide from) {
    const auto to = other(from);
    if (const auto held = below(tree(to).left_out, path); !held.empty()) {
      plan_.conflicts.push_back(
          {path, fmt::format("is a file in the {}, and in the {} a directory that holds what is "
                             "left out ({})",
                             name_of(from), name_of(to), held.front().first)});
      return;
    }
    for (const auto& [held, now] : below(tree(to).entries, path)) remove(to, held, now.kind);
    remove(to, path, entry(to, path)->kind);
    write(to, path, entry(from, path)->kind);
    for (const auto& [held, now] : below(tree(from).entries, path)) {
      if (!blocked(held)) write(to, held, now.kind);
    }
    for (const auto& [held, then] : below(base_, path)) {
      const bool gone = entry(from, held) == nullptr && entry(to, held) == nullptr;
      if (gone && !blocked(held)) plan_.forgotten.push_back(held);
    }
  }

  void write(MirrorSide to, const std::string& path, EntryKind kind) {
    written_[index(to)].insert(path);
    plan_.steps.push_back({to, path, kind, false});
  }
  void remove(MirrorSide to, const std::string& path, EntryKind kind) {
    removed_[index(to)].insert(path);
    plan_.steps.push_back({to, path, kind, true});
  }

  void remove_directories(MirrorSide side) {
    auto& paths = doomed_[index(side)];
    std::ranges::sort(paths, std::greater<>());
    for (const auto& path : paths) {
      if (!allowed(side)) {
        plan_.not_taken.push_back({path, other(side), "deleted"});
      } else if (becomes_empty(side, path)) {
        remove(side, path, EntryKind::kDirectory);
      }
    }
  }

  bool becomes_empty(MirrorSide side, const std::string& path) const {
    if (!below(tree(side).left_out, path).empty()) return false;
    if (!below(written_[index(side)], path).empty()) return false;
    const auto& removed = removed_[index(side)];
    return std::ranges::all_of(below(tree(side).entries, path),
                               [&](const auto& held) { return removed.contains(held.first); });
  }

  void order() {
    std::ranges::sort(plan_.steps, [](const MirrorStep& a, const MirrorStep& b) {
      if (a.remove != b.remove) return a.remove;
      if (a.path != b.path) return a.remove ? a.path > b.path : a.path < b.path;
      return a.to < b.to;
    });
    std::ranges::sort(plan_.not_taken, {}, &MirrorLeft::path);
  }

  static std::size_t index(MirrorSide side) { return static_cast<std::size_t>(side); }

  const MirrorBase& base_;
  const MirrorTree& directory_;
  const MirrorTree& depot_;
  const MirrorRules& rules_;
  MirrorPlan plan_;
  Paths covered_;  // decided with all below them
  std::array<Paths, 2> written_;
  std::array<Paths, 2> removed_;
  std::array<std::vector<std::string>, 2> doomed_;  // directories the other side deleted
};

}  // namespace

MirrorSide other(MirrorSide side) {
  return side == MirrorSide::kDirectory ? MirrorSide::kDepot : MirrorSide::kDirectory;
}

MirrorPlan plan_mirror(const MirrorBase& base, const MirrorTree& directory, const MirrorTree& depot,
                       const MirrorRules& rules) {
  return Planner(base, directory, depot, rules).run();
}

bool is_below(std::string_view path, const Paths& above) {
  return any_above(path, [&](std::string_view directory) { return above.contains(directory); });
}

bool is_left_out(std::string_view path, const MirrorTree& tree) {
  if (tree.left_out.empty()) return false;
  const auto left_out = [&](std::string_view at) { return tree.left_out.contains(at); };
  return left_out(path) || any_above(path, left_out);
}

}  // namespace cairn::mirror
