// SeenFiles: which version of a file each agent has seen last, so that one who writes a file is
// held against what it knew of it.
//
// Every owner has a share of its own; when it is full, what its own agents saw longest ago is
// forgotten, and never what others saw. Whoever is forgotten has seen nothing.
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
  static constexpr std::size_t kMaxOwners = 10'000;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // of one owner

  // The agent that looks, and the share in which its knowledge is kept.
  struct Agent {
    std::string owner;
    std::string name;
  };

  // The agent has seen the file as it stands below this root.
  void note(const Agent& agent, const std::string& path, const NodeKey& root);
  std::optional<NodeKey> last(const Agent& agent, const std::string& path);
  void forget(const Agent& agent, const std::string& path);
  // The path, and those below it, with what was seen.
  std::vector<std::pair<std::string, NodeKey>> below(const Agent& agent, const std::string& path);

 private:
  struct Files {
    std::map<std::string, NodeKey> files;
    std::uint64_t used = 0;
    std::size_t bytes = 0;
  };
  struct Owner {
    std::map<std::string, Files> agents;
    std::uint64_t used = 0;
    std::size_t bytes = 0;
  };
  struct All {
    std::map<std::string, Owner> owners;
    std::uint64_t clock = 0;
  };
  static Files* find(All& all, const Agent& agent);
  static void make_room(Owner& owner, const std::string& keep);

  Guarded<All> all_;
};

}  // namespace cairn
