// A tree in a directory of this machine, and what was made of it there.
//
// Threads     one at a time.
// Fails with  IO_ERROR; what the tools fail with.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/client/transfer.h"
#include "exposure/sandbox/rules.h"

namespace cairn::sandbox {

using client::Client;

// A place in one version of a depot, written into a directory.
struct SandboxTree {
  std::string depot;  // its id
  std::string root;   // the whole depot as it was
  std::string path;   // the place; empty: all of it
  std::filesystem::path directory;
  std::map<std::string, client::StoredEntry> stored;  // by the path from the place

  // From the depot's root.
  std::string full(const std::string& below) const { return client::join(path, below); }
};

// Fills tree.directory, which is empty, and tree.stored.
Result<void> check_out(Client& client, SandboxTree& tree);

struct SandboxChanges {
  std::vector<SandboxChange> list;    // by path; what is below a new or removed directory too
  std::vector<std::string> not_kept;  // path and why: links, devices, names, modes
};
// Reads no file that is larger than it was.
Result<SandboxChanges> find_changes(Client& client, const SandboxTree& tree);

// Files that have to be JSON and no longer are, a line each.
Result<std::vector<std::string>> find_broken_json(Client& client, const SandboxTree& tree,
                                                  const SandboxChanges& changes);

// A change's lines, before and after; nullopt when a side is not text, or too long.
Result<std::optional<std::string>> unified(Client& client, const SandboxTree& tree,
                                           const SandboxChange& change);

// The whole depot with the changes; no commit.
Result<std::string> apply_changes(Client& client, const SandboxTree& tree,
                                  const SandboxChanges& changes);

std::string_view name(SandboxChange::Kind kind);

}  // namespace cairn::sandbox
