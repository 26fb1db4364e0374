#include "tools/files/known.h"

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "data/tree/conflict.h"
#include "tools/files/looks.h"

namespace cairn::fs {
namespace {

// Files looked at when a root is committed.
constexpr std::size_t kMostMade = 200;
// Values of one JSON file that are remembered.
constexpr std::size_t kMostShown = 2000;

// Outsiders of an endpoint share its key, and may be many.
bool is_remembered(const Call& call) {
  return call.entrance() == Entrance::kMcp && !call.caller().via();
}

std::string_view desk_of(const Call& call) {
  return call.caller().desk() ? std::string_view(call.caller().desk()->name) : "";
}

std::optional<EntryValue> value_of(const std::optional<Located>& found) {
  if (!found) return std::nullopt;
  return EntryValue::of(found->entry);
}

bool reaches_end(const FileContent& content) {
  return !content.truncated && !content.cut_at && content.total_lines &&
         content.last_line >= *content.total_lines;
}

}  // namespace

namespace {

// The caller at its desk, and wherever it sits.
std::vector<SeenFiles::Agent> agents_of(const Call& call, const Place& place) {
  const auto desk = desk_of(call);
  std::vector<SeenFiles::Agent> out{agent_of(call.session(), place, desk)};
  if (!desk.empty()) out.push_back(agent_of(call.session(), place, ""));
  return out;
}

}  // namespace

std::string seen_owner(const Session& session) {
  const auto& chain = session.chain;
  return chain[chain.size() > 1 ? chain.size() - 2 : 0]->id.render();
}

SeenFiles::Agent agent_of(const Session& session, const Place& place, std::string_view desk) {
  return {.owner = seen_owner(session),
          .name = fmt::format("{} {} {}", session.who().id.render(), place.render(), desk)};
}

Result<Known> Known::of(Call& call, const Opened& opened) {
  Known out(call, opened);
  if (!is_remembered(call)) return out;
  const auto add = [&](const Place& place, bool older, std::optional<NodeKey> base) {
    bool fallback = false;
    for (auto& agent : agents_of(call, place)) {
      out.places_.push_back({std::move(agent), place, base, older, std::exchange(fallback, true)});
    }
  };
  const auto& target = opened.target;
  if (target.place) {
    add(*target.place, false, std::nullopt);
    return out;
  }
  auto origins = TRY(call.realm().origins_of(target.root));
  for (auto& place : TRY(stood_at(call, target, origins))) {
    origins.push_back(Origin{std::move(place), target.root});
  }
  for (const auto& origin : origins) {
    const auto now = call.realm().root_at(origin.place);
    const bool stood = origin.grew_from(target.root);
    std::optional<NodeKey> base;
    if (!stood) {
      const auto leaf =
          TRY(call.realm().leaves().find(call.session().answers_for(), origin.place, target.root));
      base = leaf ? leaf->base : origin.base;
    }
    add(origin.place, stood && (!now || *now != target.root), base);
  }
  return out;
}

std::optional<std::optional<EntryValue>> Known::at(const NodeKey& root, const Path& path) const {
  const auto tree = root == opened_.target.root ? Result<TreeView>(opened_.tree)
                                                : view_tree(call_.realm().nodes(), root);
  if (!tree) return std::nullopt;
  const auto found = find(*tree, path);
  if (!found) return std::nullopt;
  return value_of(*found);
}

SeenFiles::Seen Known::seen_here(const Where& where, const Path& path) const {
  SeenFiles::Seen out{.root = opened_.target.root};
  if (where.base && at(*where.base, path) != at(out.root, path)) out.made_on = where.base;
  return out;
}

void Known::note_read(const Where& where, const FileContent& content) const {
  auto& memory = call_.services().seen;
  const auto path = content.path.render();
  auto seen = memory.find(where.agent, path);
  const bool goes_on = content.first_line <= 1 || (seen && seen->part_of == content.key &&
                                                   content.first_line <= seen->lines + 1);
  if (goes_on && reaches_end(content)) {
    if (!where.older || !seen) {
      memory.note(where.agent, path, seen_here(where, content.path));
    } else {
      seen->also = opened_.target.root;
      memory.note(where.agent, path, *seen);
    }
    return;
  }
  // Whoever has seen a part of a file knows no more than that version; one that knew all of
  // another still knows that one.
  if (!seen) {
    seen = seen_here(where, content.path);
    seen->whole = false;
  }
  auto row = *seen;
  if (goes_on) {
    row.part_of = content.key;
    row.lines = content.cut_at ? content.last_line - 1 : content.last_line;
  }
  memory.note(where.agent, path, row);
}

void Known::read(const FileContent& content) const {
  for (const auto& where : places_) note_read(where, content);
}

void Known::read_whole(const Path& path) const {
  FileContent all;
  all.path = path;
  all.first_line = 1;
  all.total_lines = 0;
  read(all);
}

void Known::missing(const Path& path) const {
  for (const auto& where : places_) {
    if (where.older) continue;
    call_.services().seen.note(where.agent, path.render(), seen_here(where, path));
  }
}

void Known::listed(const Path& directory) const {
  for (const auto& where : places_) {
    if (where.older) continue;
    SeenFiles::Seen seen{.root = opened_.target.root, .made_on = where.base};
    call_.services().seen.note_look(where.agent, directory.render(), seen);
  }
}

void Known::shown(const Path& path, const std::vector<std::uint64_t>& values) const {
  auto& memory = call_.services().seen;
  for (const auto& where : places_) {
    auto seen = memory.find(where.agent, path.render());
    if (seen && (where.older || (seen->whole && seen->root == opened_.target.root))) continue;
    if (!seen) {
      seen = seen_here(where, path);
      seen->whole = false;
    }
    auto row = *seen;
    auto& all = row.shown;
    if (all.size() + values.size() > kMostShown) all.clear();
    all.insert(all.end(), values.begin(), values.end());
    if (all.size() > kMostShown) all.resize(kMostShown);
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    memory.note(where.agent, path.render(), row);
  }
}

bool Known::was_shown(const Path& path, std::uint64_t value) const {
  return std::ranges::any_of(remembered(path), [&](const auto& seen) {
    return seen && std::ranges::binary_search(seen->shown, value);
  });
}

std::optional<Known::Standing> Known::standing_of(const SeenFiles::Seen& seen, const Path& path,
                                                  const std::optional<EntryValue>& now) const {
  const auto there = seen.moved_from.empty() ? Result<Path>(path) : Path::parse(seen.moved_from);
  if (!there) return std::nullopt;
  const auto last = at(seen.root, *there);
  const auto under = seen.made_on ? at(*seen.made_on, path) : std::nullopt;
  const auto also = seen.also ? at(*seen.also, path) : std::nullopt;
  // Spelled out: that a tree is gone is not the same as that nothing stands there.
  const auto is_now = [&](const std::optional<std::optional<EntryValue>>& known) {
    return known.has_value() && *known == now;
  };
  if (is_now(last) || is_now(under) || is_now(also)) {
    return Standing{State::kSeen, now, {}, !seen.whole && !is_now(also)};
  }
  // What it made is not in the depot, as far as is known: it changed what it had found there.
  const auto& known = seen.made_on && seen.moved_from.empty() ? under : last;
  if (!known.has_value()) return std::nullopt;
  return Standing{State::kStale, now, *known, false, seen.taken_back};
}

std::vector<std::optional<SeenFiles::Seen>> Known::remembered(const Path& path) const {
  auto& memory = call_.services().seen;
  const auto text = path.render();
  std::vector<std::optional<SeenFiles::Seen>> out;
  for (const auto& where : places_) {
    if (!where.fallback) {
      out.push_back(memory.find(where.agent, text));
    } else if (!out.back()) {
      out.back() = memory.find(where.agent, text);
    }
  }
  return out;
}

// Depots of the same content share roots, so a root may have grown from several places: it is stale
// only if all of them say so.
Result<Known::Standing> Known::standing(const Path& path) const {
  Standing out;
  if (places_.empty()) return out;
  out.now = value_of(TRY(find(opened_.tree, path)));
  std::optional<Standing> stale;
  bool unseen = false;
  for (const auto& seen : remembered(path)) {
    auto found = seen ? standing_of(*seen, path, out.now) : std::nullopt;
    if (found && found->state == State::kSeen) return *found;
    unseen = unseen || !found;
    if (found) stale = std::move(found);
  }
  if (stale && !unseen) return *stale;
  return out;
}

Result<bool> Known::is_seen(const Path& path) const {
  const auto rows = remembered(path);
  const bool same_tree = std::ranges::any_of(rows, [&](const auto& seen) {
    return seen && seen->root == opened_.target.root && seen->moved_from.empty();
  });
  if (same_tree) return true;
  return TRY(standing(path)).state == State::kSeen;
}

Result<void> Known::check(const Path& path) const {
  for (const auto& where : places_) {
    for (const auto& [file, root] : call_.services().seen.below(where.agent, path.render())) {
      const auto below = TRY(Path::parse(file));
      const auto found = TRY(standing(below));
      // What is gone already is in nobody's way.
      if (found.state != State::kStale || !found.now) continue;
      return Failure(changed_since_read(below, found));
    }
  }
  bool looked = false;  // at its own desk
  for (const auto& where : places_) {
    if (where.fallback && looked) continue;
    looked = !call_.services().seen.looks(where.agent, path.render()).empty();
    const auto is_known = [&](const Path& file) -> Result<bool> {
      // What a draft has otherwise than the depot had is its author's own.
      if (where.base && at(*where.base, file) != at(opened_.target.root, file)) return true;
      return TRY(standing(file)).state == State::kSeen;
    };
    const LookedFrom from{where.agent, call_.session().answers_for(), where.place, is_known};
    auto files = TRY(unseen_below(call_.realm(), call_.services().seen, from, opened_.tree, path));
    if (!files.empty()) return Failure(not_seen(path, std::move(files)));
  }
  return {};
}

void Known::made(const Path& path, const NodeKey& root, Wrote wrote) const {
  auto& memory = call_.services().seen;
  for (const auto& where : places_) {
    const auto before = memory.find(where.agent, path.render());
    SeenFiles::Seen now{.root = root, .made_on = where.base.value_or(opened_.target.root)};
    // Made on what it had made itself, all of it still not committed.
    if (before && before->made_on && before->moved_from.empty() &&
        at(before->root, path) == at(opened_.target.root, path)) {
      now.made_on = before->made_on;
    }
    if (wrote == Wrote::kSome && before) now.whole = before->whole;
    memory.note(where.agent, path.render(), now);
  }
}

void Known::committed(const Path& path, const NodeKey& root) const {
  auto& memory = call_.services().seen;
  for (const auto& where : places_) {
    const auto before = memory.find(where.agent, path.render());
    // Who goes on from a draft has that in mind.
    if (before && before->made_on) continue;
    SeenFiles::Seen now{.root = root};
    now.whole = !before || before->whole;
    if (before) now.before = before->root;
    memory.note(where.agent, path.render(), now);
  }
}

// What it did not know before, it does not know for having removed it.
void Known::removed(const Path& path, const NodeKey& root) const {
  for (const auto& where : places_) {
    for (const auto& [file, seen] : call_.services().seen.below(where.agent, path.render())) {
      if (const auto below = Path::parse(file)) made(*below, root);
    }
  }
}

void Known::copied_one(const Where& where, const Path& from, const Path& to,
                       const NodeKey& root) const {
  auto& memory = call_.services().seen;
  const auto known = standing(from);
  const auto seen = memory.find(where.agent, from.render());
  if (!known || !seen || known->state == State::kUnseen) {
    memory.forget(where.agent, to.render());
    return;
  }
  SeenFiles::Seen now{.root = root, .made_on = opened_.target.root};
  now.whole = seen->whole;
  if (known->state == State::kStale) {
    // It still knows what it knew, and that at another path.
    const bool by_base = seen->made_on && seen->moved_from.empty();
    now.root = by_base ? *seen->made_on : seen->root;
    now.moved_from = seen->moved_from.empty() ? from.render() : seen->moved_from;
  }
  memory.note(where.agent, to.render(), now);
}

void Known::forgotten(const Path& path) const {
  auto& memory = call_.services().seen;
  for (const auto& where : places_) {
    for (const auto& [file, seen] : memory.below(where.agent, path.render())) {
      memory.forget(where.agent, file);
    }
  }
}

void Known::copied(const Path& from, const Path& to, const NodeKey& root) const {
  auto& memory = call_.services().seen;
  forgotten(to);
  for (const auto& where : places_) {
    for (const auto& [file, seen] : memory.below(where.agent, from.render())) {
      const auto old = Path::parse(file);
      const auto now = Path::parse(to.render() + file.substr(from.render().size()));
      if (old && now) copied_one(where, *old, *now, root);
    }
  }
}

void Known::moved(const Path& from, const Path& to, const NodeKey& root) const {
  copied(from, to, root);
  auto& memory = call_.services().seen;
  for (const auto& where : places_) {
    for (const auto& [file, last] : memory.below(where.agent, from.render())) {
      const auto old = Path::parse(file);
      const auto seen = memory.find(where.agent, file);
      if (!old || !seen) continue;
      const auto known = standing(*old);
      if (known && known->state == State::kStale) {
        // The old path is empty in the new root; of the depot it knows what it knew.
        const auto before = seen->made_on.value_or(seen->root);
        memory.note(where.agent, file, SeenFiles::Seen{.root = root, .made_on = before});
      } else {
        made(*old, root);
      }
    }
  }
}

void note_committed(Call& call, const Place& place, const NodeKey& root) {
  if (!is_remembered(call)) return;
  auto& memory = call.services().seen;
  const auto& nodes = call.realm().nodes();
  const auto tree = view_tree(nodes, root);
  if (!tree) return;
  for (const auto& agent : agents_of(call, place)) {
    for (const auto& [file, seen] : memory.made(agent, kMostMade)) {
      const auto path = Path::parse(file);
      const auto made = view_tree(nodes, seen.root);
      if (!path || !made) continue;
      const auto in_commit = find(*tree, *path);
      const auto in_made = find(*made, *path);
      if (in_commit && in_made && value_of(*in_commit) == value_of(*in_made)) {
        memory.note(agent, file,
                    SeenFiles::Seen{.root = root, .whole = seen.whole, .before = seen.made_on});
      }
    }
  }
}

namespace {

// What stands at a path in a tree that may be gone.
std::optional<EntryValue> value_in(const NodeReader& nodes, const std::optional<NodeKey>& root,
                                   const Path& path) {
  if (!root) return std::nullopt;
  const auto tree = view_tree(nodes, *root);
  if (!tree) return std::nullopt;
  const auto found = find(*tree, path);
  return found ? value_of(*found) : std::nullopt;
}

void note_taken_back(SeenFiles& memory, const SeenFiles::Agent& agent, const TreeView& now,
                     const std::string& file) {
  auto seen = memory.find(agent, file);
  const auto path = Path::parse(file);
  if (!seen || !path) return;
  const auto found = find(now, *path);
  if (!found) return;
  const auto there = value_of(*found);
  // Where nothing stands there is nothing to be lost.
  if (!there || value_in(now.nodes, seen->before, *path) == there) {
    memory.note(agent, file, now.root->key());
  } else {
    seen->taken_back = true;
    memory.note(agent, file, *seen);
  }
}

}  // namespace

void note_taken_back(SeenFiles& memory, const SeenFiles::Agent& agent, const TreeView& now,
                     const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    for (const auto& [file, root] : memory.below(agent, path)) {
      note_taken_back(memory, agent, now, file);
    }
  }
}

void note_taken_back(Call& call, const Place& place, const NodeKey& root,
                     const std::vector<std::string>& paths) {
  if (!is_remembered(call)) return;
  const auto now = view_tree(call.realm().nodes(), root);
  if (!now) return;
  for (const auto& agent : agents_of(call, place)) {
    note_taken_back(call.services().seen, agent, *now, paths);
  }
}

Error changed_since_read(const Path& path, const Known::Standing& standing,
                         std::vector<DetailRow> rows) {
  const auto text = path.render();
  auto message = fmt::format(
      "{} {} '{}' since you read it{}; nothing was written: read it again with fs_read, then write "
      "what should be there\n{}",
      standing.taken_back ? "what you took back has" : "others have",
      !standing.now     ? "removed"
      : !standing.known ? "made"
                        : "changed",
      shown(text, 300), rows.empty() ? "" : ", and the two do not fit", told(rows));
  while (message.ends_with('\n')) message.pop_back();
  Error out(Code::kConflict, std::move(message));
  if (standing.now) {
    out.details.insert_or_assign("currentKey", Detail(standing.now->key.render()));
  }
  if (!rows.empty()) out.details.insert_or_assign("conflicts", Detail(std::move(rows)));
  return std::move(out).with("paths", std::vector<std::string>{text});
}

}  // namespace cairn::fs
