#include "tools/files/seen_files.h"

#include <algorithm>

namespace cairn {
namespace {

// About the bytes that a row takes.
std::size_t cost(const std::string& path, const SeenFiles::Seen& seen) {
  constexpr std::size_t kOfTheTree = 64;
  return kOfTheTree + sizeof(std::string) + sizeof(seen) + path.size() + seen.moved_from.size() +
         seen.shown.size() * sizeof(std::uint64_t);
}

// Directories have names that no file has: with a slash at the end.
bool is_look(const std::string& name) { return name.ends_with('/'); }

const auto kUsed = [](const auto& row) { return row.second.used; };

}  // namespace

// The agents idle longest go first, and of the last one all it has seen.
void SeenFiles::make_room(Owner& owner, std::size_t most, const std::string& keep) {
  while (owner.bytes > most && owner.agents.size() > 1) {
    const auto oldest = std::ranges::min_element(owner.agents, {}, kUsed);
    owner.bytes -= oldest->second.bytes;
    owner.agents.erase(oldest);
  }
  auto& last = owner.agents[keep];
  if (owner.bytes <= most) return;
  last.files.clear();
  last.bytes = 0;
  owner.bytes = 0;
}

// Little enough for some owners to have their share.
std::size_t SeenFiles::most_of_one() const { return std::min(kMaxBytes, most_ / 8); }

void SeenFiles::forget(All& all, std::map<std::string, Owner>::iterator owner) {
  all.bytes -= owner->second.bytes;
  all.owners.erase(owner);
}

// For one more row of this owner.
void SeenFiles::make_room(All& all, const std::string& owner) const {
  if (all.owners.size() >= kMaxOwners && !all.owners.contains(owner)) {
    forget(all, std::ranges::min_element(all.owners, {}, kUsed));
  }
  while (all.bytes > most_) {
    forget(all, std::ranges::max_element(all.owners, {},
                                         [](const auto& row) { return row.second.bytes; }));
  }
}

void SeenFiles::take_over(const SeenFiles& other, const std::string& owner) {
  Owner copy;
  {
    auto theirs = other.all_.lock();
    const auto found = theirs->owners.find(owner);
    if (found == theirs->owners.end()) return;
    copy = found->second;
  }
  auto all = all_.lock();
  all->clock = std::max(all->clock, copy.used);
  all->bytes += copy.bytes;
  all->owners[owner] = std::move(copy);
}

SeenFiles::Files* SeenFiles::find(All& all, const Agent& agent) {
  const auto owner = all.owners.find(agent.owner);
  if (owner == all.owners.end()) return nullptr;
  const auto found = owner->second.agents.find(agent.name);
  return found == owner->second.agents.end() ? nullptr : &found->second;
}

void SeenFiles::note(const Agent& agent, const std::string& path, const NodeKey& root) {
  note(agent, path, Seen{.root = root});
}

void SeenFiles::note(const Agent& agent, const std::string& path, const Seen& seen) {
  auto all = all_.lock();
  make_room(*all, agent.owner);
  auto& owner = all->owners[agent.owner];
  all->bytes -= owner.bytes;
  auto* known = &owner.agents[agent.name];
  known->used = owner.used = ++all->clock;
  if (const auto before = known->files.find(path); before != known->files.end()) {
    owner.bytes -= cost(path, before->second);
    known->bytes -= cost(path, before->second);
    known->files.erase(before);
  }
  owner.bytes += cost(path, seen);
  known->bytes += cost(path, seen);
  make_room(owner, most_of_one(), agent.name);
  known = &owner.agents[agent.name];
  if (known->bytes == 0) {  // its own were dropped
    owner.bytes += cost(path, seen);
    known->bytes += cost(path, seen);
  }
  known->files.insert_or_assign(path, seen);
  all->bytes += owner.bytes;
}

std::optional<NodeKey> SeenFiles::last(const Agent& agent, const std::string& path) {
  const auto seen = find(agent, path);
  if (!seen) return std::nullopt;
  return seen->root;
}

std::vector<std::pair<std::string, SeenFiles::Seen>> SeenFiles::made(const Agent& agent,
                                                                     std::size_t most) {
  std::vector<std::pair<std::string, Seen>> out;
  auto all = all_.lock();
  const auto* known = find(*all, agent);
  if (known == nullptr) return out;
  for (const auto& [path, seen] : known->files) {
    if (out.size() == most) break;
    if (seen.made_on && !is_look(path)) out.emplace_back(path, seen);
  }
  return out;
}

std::optional<SeenFiles::Seen> SeenFiles::find(const Agent& agent, const std::string& path) {
  auto all = all_.lock();
  auto* known = find(*all, agent);
  if (known == nullptr) return std::nullopt;
  known->used = ++all->clock;
  const auto file = known->files.find(path);
  if (file == known->files.end()) return std::nullopt;
  return file->second;
}

void SeenFiles::forget(const Agent& agent, const std::string& path) {
  auto all = all_.lock();
  auto* known = find(*all, agent);
  if (known == nullptr) return;
  const auto found = known->files.find(path);
  if (found == known->files.end()) return;
  const auto bytes = cost(path, found->second);
  known->bytes -= bytes;
  all->owners[agent.owner].bytes -= bytes;
  all->bytes -= bytes;
  known->files.erase(found);
}

void SeenFiles::note_look(const Agent& agent, const std::string& directory, const Seen& seen) {
  note(agent, directory + "/", seen);
}

std::vector<std::pair<std::string, SeenFiles::Seen>> SeenFiles::looks(const Agent& agent,
                                                                      const std::string& path) {
  std::vector<std::pair<std::string, Seen>> out;
  auto all = all_.lock();
  const auto* known = find(*all, agent);
  if (known == nullptr) return out;
  const auto inside = path + "/";
  for (const auto& [name, seen] : known->files) {
    if (!is_look(name)) continue;
    const bool related = name == "/" || inside.starts_with(name) || name.starts_with(inside);
    if (related) out.emplace_back(name.substr(0, name.size() - 1), seen);
  }
  return out;
}

std::vector<std::pair<std::string, NodeKey>> SeenFiles::below(const Agent& agent,
                                                              const std::string& path) {
  std::vector<std::pair<std::string, NodeKey>> out;
  auto all = all_.lock();
  const auto* known = find(*all, agent);
  if (known == nullptr) return out;
  const auto itself = known->files.find(path);
  if (itself != known->files.end() && !path.empty()) {
    out.emplace_back(itself->first, itself->second.root);
  }
  const auto inside = path.empty() ? "" : path + "/";
  for (auto at = known->files.lower_bound(inside);
       at != known->files.end() && at->first.starts_with(inside); ++at) {
    if (is_look(at->first)) continue;
    out.emplace_back(at->first, at->second.root);
  }
  return out;
}

}  // namespace cairn
