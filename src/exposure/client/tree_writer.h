// A stored tree in the making: changes of one, each giving a new root. No depot changes with it.
//
// Threads     one at a time.
// Fails with  what the tools fail with.
// Costs       one call for a hundred removals or new directories, one for each file.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "exposure/client/client.h"

namespace cairn::client {

class TreeWriter final {
 public:
  TreeWriter(Client& client, std::string root) : client_(client), root_(std::move(root)) {}

  // A directory goes with all that is in it; what is below one that went need not be named.
  // REQUIRES: what holds comes before what is held.
  Result<void> remove(const std::string& path, bool is_directory);
  // With those above it.
  Result<void> make_directory(const std::string& path);
  // Gives the key of the file that was written. Nothing of it stays when it is not kept.
  struct Written {
    std::string root;
    std::string key;
  };
  Result<Written> write(const std::string& path, const Client::Source& source);
  void keep(const Written& written) { root_ = written.root; }
  // The tree with all of it.
  Result<std::string> finish();

 private:
  Result<void> flush();
  Result<void> rewrite(json::Object change);

  Client& client_;
  std::string root_;
  json::Array removals_;
  json::Object directories_;
  std::set<std::string, std::less<>> gone_;
};

}  // namespace cairn::client
