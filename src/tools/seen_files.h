// SeenFiles: which version of a file each agent has seen last, so that one who writes a file is
// held against what it knew of it.
//
// An agent that is forgotten, as the one idle longest is when there are many, has seen nothing.
// Threads  every function may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "data/cas/node_key.h"

namespace cairn {

class SeenFiles final {
 public:
  static constexpr std::size_t kMaxAgents = 1000;
  static constexpr std::size_t kMaxFiles = 10'000;  // of one agent

  // The agent has seen the file as it stands below this root.
  void note(const std::string& agent, const std::string& path, const NodeKey& root);
  std::optional<NodeKey> last(const std::string& agent, const std::string& path);
  void forget(const std::string& agent, const std::string& path);
  // The path, and those below it, with what was seen.
  std::vector<std::pair<std::string, NodeKey>> below(const std::string& agent,
                                                     const std::string& path);

 private:
  struct Agent {
    std::map<std::string, NodeKey> files;
    std::uint64_t used = 0;
  };
  struct All {
    std::map<std::string, Agent> agents;
    std::uint64_t clock = 0;
  };
  Guarded<All> all_;
};

}  // namespace cairn
