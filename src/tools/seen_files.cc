#include "tools/seen_files.h"

#include <algorithm>

namespace cairn {

void SeenFiles::note(const std::string& agent, const std::string& path, const NodeKey& root) {
  auto all = all_.lock();
  if (all->agents.size() >= kMaxAgents && !all->agents.contains(agent)) {
    all->agents.erase(
        std::ranges::min_element(all->agents, {}, [](const auto& one) { return one.second.used; }));
  }
  auto& known = all->agents[agent];
  known.used = ++all->clock;
  if (known.files.size() >= kMaxFiles) known.files.clear();
  known.files.insert_or_assign(path, root);
}

std::optional<NodeKey> SeenFiles::last(const std::string& agent, const std::string& path) {
  auto all = all_.lock();
  const auto found = all->agents.find(agent);
  if (found == all->agents.end()) return std::nullopt;
  found->second.used = ++all->clock;
  const auto file = found->second.files.find(path);
  if (file == found->second.files.end()) return std::nullopt;
  return file->second;
}

void SeenFiles::forget(const std::string& agent, const std::string& path) {
  auto all = all_.lock();
  const auto found = all->agents.find(agent);
  if (found != all->agents.end()) found->second.files.erase(path);
}

std::vector<std::pair<std::string, NodeKey>> SeenFiles::below(const std::string& agent,
                                                              const std::string& path) {
  std::vector<std::pair<std::string, NodeKey>> out;
  auto all = all_.lock();
  const auto found = all->agents.find(agent);
  if (found == all->agents.end()) return out;
  for (const auto& [file, root] : found->second.files) {
    if (file == path || file.starts_with(path + "/")) out.emplace_back(file, root);
  }
  return out;
}

}  // namespace cairn
