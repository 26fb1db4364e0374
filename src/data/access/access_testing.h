// Shared by the tests of this folder: a realm with delegates in it, told as stories.
//
//   Access access;
//   auto depot = access.world.a_depot().with("docs/a.md", "1").committed();
//   auto writer = access.child(access.root(), {.scope = {{depot.id.render() + "/docs"}}});
//   EXPECT_EQ(access.sight(writer).place(depot.id.render())->path, path("docs"));
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/access/delegates.h"
#include "data/access/sight.h"
#include "data/realm/realm_testing.h"

namespace cairn::access_testing {

using realm_testing::Dice;
using realm_testing::for_seeds;
using realm_testing::key_at;
using realm_testing::must;
using realm_testing::World;
using tree_testing::path;

// The child to make, its scope as the strings that an agent would give.
struct Wish {
  std::string name = "child";
  bool can_upload = false;
  bool can_manage_depot = false;
  std::optional<std::vector<DepotId>> depots = std::nullopt;
  std::optional<std::vector<std::string>> scope = std::nullopt;
  std::optional<std::chrono::seconds> expires_in = std::nullopt;
  std::vector<DirectoryGrant> directories = {};
};

class Access final {
 public:
  explicit Access(const DelegateOptions& options = {})
      : delegates(world.store->kv(), world.clock, world.random, options) {}

  SessionPtr root() {
    return must(delegates.act_as(world.realm.id(), must(delegates.root(world.realm.id())).id));
  }
  Sight sight(const SessionPtr& session) { return Sight(world.realm, *session); }

  Result<CreatedDelegate> create(const SessionPtr& parent, const Wish& wish) {
    NewDelegate wanted;
    wanted.name = wish.name;
    wanted.can_upload = wish.can_upload;
    wanted.can_manage_depot = wish.can_manage_depot;
    wanted.depots = wish.depots;
    if (wish.scope) wanted.scope = TRY(sight(parent).narrow(*wish.scope));
    wanted.expires_in = wish.expires_in;
    wanted.directories = wish.directories;
    return delegates.create(*parent, std::move(wanted));
  }
  // As the child is when it comes with its token.
  SessionPtr child(const SessionPtr& parent, const Wish& wish = {}) {
    return must(delegates.authenticate(must(create(parent, wish)).tokens.access.text()));
  }
  Result<SessionPtr> with(const Token& token) { return delegates.authenticate(token.text()); }

  KeyValueStore& kv() { return world.store->kv(); }
  // A record as no function would write it.
  void plant(const Delegate& delegate) {
    Batch batch;
    batch.puts.push_back({access_records::delegate_key(delegate.realm, delegate.id),
                          access_records::encode(delegate)});
    must(kv().commit(std::move(batch)));
  }

  World world;
  Delegates delegates;
};

}  // namespace cairn::access_testing
