// SeenFiles: which version of a file each agent has seen last, so that one who writes a file is
// held against what it knew of it.
//
// Every owner has a share of its own; when it is full, what its own agents saw longest ago is
// forgotten, and never what others saw. When all together are too much, the owner that has most is
// forgotten. Whoever is forgotten has seen nothing.
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

  // `most`: how many bytes all owners have together, at most.
  explicit SeenFiles(std::size_t most = std::size_t{64} << 20) : most_(most) {}

  // The same that another has of one owner, to go on with apart from it.
  void take_over(const SeenFiles& other, const std::string& owner);

  // The agent that looks, and the share in which its knowledge is kept.
  struct Agent {
    std::string owner;
    std::string name;
  };

  // What an agent knows of one file: trees in which it stands as the agent knows it.
  struct Seen {
    NodeKey root;  // the last one that it read the file in, or made it in
    // The tree on which it made it, as long as that was not committed.
    std::optional<NodeKey> made_on = std::nullopt;
    // An older or other tree that it has read the file in since.
    std::optional<NodeKey> also = std::nullopt;
    bool whole = true;  // false: of the file it has seen a part only
    // Of a file that is read in parts: which, and the lines of it from the first on.
    std::optional<NodeKey> part_of = std::nullopt;
    std::uint64_t lines = 0;
    // Where it stood in `root`, when the agent has moved it as others had made it since.
    std::string moved_from = {};
    // Of JSON: fingerprints of values that the agent was shown or wrote, whatever the version.
    std::vector<std::uint64_t> shown = {};
    // A tree in which the agent knew the file before it changed it last: what comes back when it
    // takes that change back.
    std::optional<NodeKey> before = std::nullopt;
    // The agent itself has taken changes of it back since, to something that it has not read.
    bool taken_back = false;

    bool operator==(const Seen&) const = default;
  };

  // The agent has seen the file as it stands below this root.
  void note(const Agent& agent, const std::string& path, const NodeKey& root);
  void note(const Agent& agent, const std::string& path, const Seen& seen);
  std::optional<NodeKey> last(const Agent& agent, const std::string& path);
  std::optional<Seen> find(const Agent& agent, const std::string& path);
  void forget(const Agent& agent, const std::string& path);
  // What it has made and not committed, a number of files at most.
  std::vector<std::pair<std::string, Seen>> made(const Agent& agent, std::size_t most);
  // The agent has listed the directory as it stands there.
  void note_look(const Agent& agent, const std::string& directory, const Seen& seen);
  // What it has listed: the directory itself, those above it and those below.
  std::vector<std::pair<std::string, Seen>> looks(const Agent& agent, const std::string& path);
  // The path, and files below it, with what was seen.
  std::vector<std::pair<std::string, NodeKey>> below(const Agent& agent, const std::string& path);

 private:
  struct Files {
    std::map<std::string, Seen> files;
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
    std::size_t bytes = 0;
  };
  static Files* find(All& all, const Agent& agent);
  static void make_room(Owner& owner, std::size_t most, const std::string& keep);
  void make_room(All& all, const std::string& owner) const;
  static void forget(All& all, std::map<std::string, Owner>::iterator owner);
  std::size_t most_of_one() const;

  const std::size_t most_;
  mutable Guarded<All> all_;
};

}  // namespace cairn
