// A place in a depot that is kept in step with a directory: what is in it, and changes of it.
//
// Threads     one at a time.
// Fails with  what the tools fail with; NOT_A_DIRECTORY when the place is a file.
// Costs       list: a call for each directory that is not as it was when last listed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exposure/client/client.h"
#include "exposure/client/tree_writer.h"
#include "exposure/mirror/directory.h"
#include "exposure/mirror/plan.h"

namespace cairn::mirror {

class MirrorDepot final {
 public:
  MirrorDepot(std::string depot, std::string place, const MirrorFilter& filter)
      : depot_(std::move(depot)), place_(std::move(place)), filter_(filter) {}

  const std::string& id() const { return depot_; }
  const std::string& place() const { return place_; }

  // The whole depot as it is now.
  Result<std::string> root(Client& client) const;
  // STORAGE_FULL when the place has more files than anybody could list: a few nodes can stand for
  // any number.
  Result<void> check_count(Client& client, const std::string& root) const;
  // The place in a version of the depot; empty when it is not there.
  Result<MirrorTree> list(Client& client, const std::string& root);

  Result<void> read(Client& client, const std::string& root, const std::string& path,
                    const Client::Sink& sink) const;
  // The key of a file in a version of the depot; empty: there is none.
  Result<std::string> key_at(Client& client, const std::string& root,
                             const std::string& path) const;

  // From the depot's root.
  std::string full(const std::string& path) const;

  struct Committed {
    std::string root;
    bool merged = false;
  };
  // CONFLICT when others changed the same since `base`.
  Result<Committed> commit(Client& client, const std::string& base, const std::string& root,
                           const std::string& message) const;

 private:
  struct Listing {
    MirrorTree tree;
    ByPath<std::string> directories;  // and their keys
  };
  Result<std::string> key_of_place(Client& client, const std::string& root) const;
  Result<void> list_below(Client& client, const std::string& root, const std::string& path,
                          const std::string& key, Listing& out) const;
  bool take_known(const std::string& path, const std::string& key, Listing& out) const;

  std::string depot_;
  std::string place_;
  const MirrorFilter& filter_;
  Listing known_;
};

}  // namespace cairn::mirror
