// The tools, endpoints and bindings of every realm.
//
// Invariants  a name stands once in an endpoint. Only hashes of keys are stored; a key opens one
//             endpoint. An endpoint and the tools made with it come into being together, or not.
// Threads     every function may be called from any thread.
// Fails with  TOOL_NOT_FOUND, ENDPOINT_NOT_FOUND, BINDING_NOT_FOUND, NAME_TAKEN, TOOL_IN_USE.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/guarded.h"
#include "base/mutex.h"
#include "data/endpoint/endpoint.h"
#include "data/store/key_value.h"

namespace cairn {

// Names that stand once, and not too many of them.
Result<void> check_names(const Endpoint& endpoint);

using EndpointPtr = std::shared_ptr<const Endpoint>;

template <typename T>
struct EndpointPage {
  std::vector<T> items;  // oldest first
  std::optional<std::string> next_cursor;
};

struct MadeEndpoint {
  Endpoint endpoint;
  EndpointKey key;
};

class Endpoints final {
 public:
  static constexpr std::size_t kMaxTools = 10'000;
  static constexpr std::size_t kMaxEndpoints = 2'000;
  // Of what one delegate makes that is not the realm's root; all of those together have half of the
  // realm's, so that its owner always has room.
  static constexpr std::size_t kMaxToolsEach = 1'000;
  static constexpr std::size_t kMaxEndpointsEach = 200;
  static constexpr std::size_t kMaxBytesEach = std::size_t{16} << 20;

  Endpoints(KeyValueStore& kv, const Clock& clock, Random& random);
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  // A new one with an id of its own; nothing is stored yet.
  ContextTool draft_tool(const RealmId& realm, const DelegateId& owner) const;
  Endpoint draft_endpoint(const RealmId& realm, const DelegateId& owner) const;
  BindingId draft_binding() const;

  Result<void> add(const ContextTool& tool);
  Result<ContextTool> tool(const RealmId& realm, const ToolId& id) const;
  // Of whatever realm: for front ends that are trusted.
  Result<ContextTool> tool(const ToolId& id) const;
  // Repeated when somebody else changed it meanwhile.
  Result<ContextTool> change(const RealmId& realm, const ToolId& id,
                             const std::function<Result<void>(ContextTool&)>& change);
  // TOOL_IN_USE, with the `endpoints` that bind it.
  Result<void> remove(const RealmId& realm, const ToolId& id);
  using SeesTool = std::function<Result<bool>(const ContextTool&)>;
  Result<EndpointPage<ContextTool>> tools(const RealmId& realm, std::size_t limit,
                                          std::optional<std::string_view> cursor,
                                          const SeesTool& sees) const;

  // With a key, which is not kept; the tools are stored with it.
  Result<MadeEndpoint> add(Endpoint endpoint, const std::vector<ContextTool>& new_tools = {});
  Result<Endpoint> endpoint(const RealmId& realm, const EndpointId& id) const;
  Result<Endpoint> change(const RealmId& realm, const EndpointId& id,
                          const std::function<Result<void>(Endpoint&)>& change,
                          const std::vector<ContextTool>& new_tools = {});
  // The old key is void at once.
  Result<MadeEndpoint> rotate(const RealmId& realm, const EndpointId& id);
  Result<void> remove(const RealmId& realm, const EndpointId& id);
  using SeesEndpoint = std::function<Result<bool>(const Endpoint&)>;
  Result<EndpointPage<Endpoint>> endpoints(const RealmId& realm, std::size_t limit,
                                           std::optional<std::string_view> cursor,
                                           const SeesEndpoint& sees) const;

  // What a realm's tools and endpoints take.
  Result<std::uint64_t> bytes(const RealmId& realm) const;
  // Every tool and endpoint of a realm, with the keys.
  Result<void> remove_all(const RealmId& realm);

  // The endpoint that a key opens now. ENDPOINT_NOT_FOUND, the same whether there is none, or it
  // is disabled, revoked or expired.
  Result<EndpointPtr> open(std::string_view key) const;

  // Raised with every change of any tool or endpoint: what was put together before is stale.
  std::uint64_t generation() const { return generation_.load(); }
  // Called after a change, with the realm it was in; see KeyValueStore::Watcher.
  using Watcher = std::function<void(const RealmId& realm)>;
  std::unique_ptr<Subscription> watch(Watcher watcher);

 private:
  struct Cached {
    EndpointPtr endpoint;
    std::uint64_t generation = 0;
  };
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const noexcept;
  };
  static constexpr std::size_t kMaxCached = 10'000;

  Result<EndpointPtr> by_hash(const Digest& hash) const;
  Result<std::vector<std::string>> users_of(const RealmId& realm, const ToolId& id) const;
  // That every tool it binds is there.
  Result<void> check_tools(const Endpoint& endpoint,
                           const std::vector<ContextTool>& new_tools) const REQUIRES(binding_);
  // TOO_MANY_ENTRIES.
  struct Room {
    KeyRange range;
    std::size_t most = 0;
    std::size_t most_each = 0;
    std::string_view what;
  };
  static Room room_for_tools(const RealmId& realm);
  static Room room_for_endpoints(const RealmId& realm);
  Result<void> check_room(const Room& room, const RealmId& realm, const DelegateId& owner,
                          std::size_t more) const;
  // The change is made with binding_ held.
  Result<Endpoint> replace(const RealmId& realm, const EndpointId& id,
                           const std::function<Result<void>(Endpoint&, Batch&)>& change)
      EXCLUDES(binding_);

  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
  std::atomic<std::uint64_t> generation_ = 0;
  mutable Guarded<std::unordered_map<Digest, Cached, DigestHash>> open_;
  // One thread at a time binds tools or removes what is bound: no tool goes while an endpoint comes
  // to use it.
  Mutex binding_;
  std::vector<std::unique_ptr<Subscription>> watching_;
};

}  // namespace cairn
