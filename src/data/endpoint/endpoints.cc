#include "data/endpoint/endpoints.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/quote.h"
#include "data/store/update.h"
#include "data/tree/path.h"

namespace cairn {
namespace {

using namespace endpoint_records;

// x realm tool: a tool; X tool: its realm; e realm endpoint: an endpoint; k hash: the realm and
// endpoint that a key opens.
constexpr std::size_t kIdBytes = 16;

Bytes tool_key(const RealmId& realm, const ToolId& id) {
  return "x" + Bytes(realm.bytes()) + Bytes(id.bytes());
}
Bytes tool_realm_key(const ToolId& id) { return "X" + Bytes(id.bytes()); }
Bytes endpoint_key(const RealmId& realm, const EndpointId& id) {
  return "e" + Bytes(realm.bytes()) + Bytes(id.bytes());
}
Bytes opener_key(const Digest& hash) {
  return "k" + Bytes(reinterpret_cast<const char*>(hash.data()), hash.size());
}
KeyRange tools_of(const RealmId& realm) { return KeyRange::prefix("x" + Bytes(realm.bytes())); }
KeyRange endpoints_of(const RealmId& realm) { return KeyRange::prefix("e" + Bytes(realm.bytes())); }

void put_tool(Batch& batch, const ContextTool& tool) {
  batch.puts.push_back({tool_key(tool.realm, tool.id), encode(tool)});
  batch.puts.push_back({tool_realm_key(tool.id), Bytes(tool.realm.bytes())});
}

Failure no_tool(const ToolId& id) {
  return fail(Code::kToolNotFound, "there is no tool {}; list the tools to see their ids",
              id.render());
}
Failure no_endpoint(const EndpointId& id) {
  return fail(Code::kEndpointNotFound,
              "there is no endpoint {}; list the endpoints to see their ids", id.render());
}
// One answer for all reasons: whoever tries out keys must not learn which of them ever existed.
Failure not_open() {
  return fail(Code::kEndpointNotFound,
              "no endpoint has this key: it is wrong, was replaced, has expired, or its endpoint "
              "was disabled; ask whoever gave it out for another");
}

// One page of a realm's records.
template <typename T, typename Decode, typename Sees>
Result<EndpointPage<T>> page(const KeyValueStore& kv, KeyRange range, std::size_t limit,
                             std::optional<std::string_view> cursor, Decode decode,
                             const Sees& sees) {
  const auto prefix = range.begin;
  if (cursor) {
    auto last = TRY(parse_cursor(*cursor));
    if (last.size() != kIdBytes) {
      return fail(Code::kInvalidCursor, "'{}' is not a cursor", shown(*cursor));
    }
    // The smallest key after the last one shown.
    range.begin = prefix + last + '\0';
  }
  EndpointPage<T> out;
  std::optional<Error> error;
  TRY(kv.scan(range, Direction::kForward, [&](ByteView, ByteView value) {
    // Decoded before the limit is looked at: only an item that the caller sees makes another page.
    auto item = decode(value);
    auto seen = item ? sees(*item) : Result<bool>(Failure(item.error()));
    if (!seen) {
      error = std::move(seen).error();
      return Scan::kStop;
    }
    if (!*seen) return Scan::kContinue;
    if (out.items.size() == limit) {
      out.next_cursor = render_cursor(out.items.back().id.bytes());
      return Scan::kStop;
    }
    out.items.push_back(std::move(*item));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return out;
}

// Whose a record is, without reading all of it: its owner stands before whatever callers say, and
// in a text of theirs quotes are escaped.
bool is_of(ByteView record, const DelegateId& owner) {
  constexpr std::string_view kOwner = "\"owner\":\"";
  const auto at = record.find(kOwner);
  if (at == ByteView::npos) return false;
  return record.substr(at + kOwner.size()).starts_with(owner.render() + '"');
}

}  // namespace

Result<void> check_names(const Endpoint& endpoint) {
  if (endpoint.bindings.size() > Endpoint::kMaxBindings) {
    return fail(Code::kTooManyEntries, "an endpoint takes up to {} bindings; make a second one",
                Endpoint::kMaxBindings);
  }
  std::set<std::string_view> names;
  for (const auto& binding : endpoint.bindings) {
    if (!names.insert(binding.name).second) {
      return fail(Code::kNameTaken,
                  "the endpoint has two tools named '{}'; give one of them another toolName",
                  shown(binding.name));
    }
  }
  return {};
}

std::size_t Endpoints::DigestHash::operator()(const Digest& digest) const noexcept {
  std::size_t out = 0;
  // The digest is uniformly distributed already.
  std::memcpy(&out, digest.data(), sizeof out);
  return out;
}

Endpoints::Endpoints(KeyValueStore& kv, const Clock& clock, Random& random)
    : kv_(kv), clock_(clock), random_(random) {
  // One number for all realms: changes are rare, and a stale entry costs two reads.
  for (std::string_view prefix : {"x", "e", "k"}) {
    watching_.push_back(kv_.watch(KeyRange::prefix(prefix),
                                  [this](const std::vector<Bytes>&) { generation_.fetch_add(1); }));
  }
}

Endpoints::~Endpoints() = default;

ContextTool Endpoints::draft_tool(const RealmId& realm, const DelegateId& owner) const {
  ContextTool out;
  out.id = ToolId::make(clock_, random_);
  out.realm = realm;
  out.owner = owner;
  out.created_at = out.updated_at = clock_.now();
  return out;
}

Endpoint Endpoints::draft_endpoint(const RealmId& realm, const DelegateId& owner) const {
  Endpoint out;
  out.id = EndpointId::make(clock_, random_);
  out.realm = realm;
  out.owner = owner;
  out.created_at = out.updated_at = out.key_made_at = clock_.now();
  return out;
}

BindingId Endpoints::draft_binding() const { return BindingId::make(clock_, random_); }

Result<std::uint64_t> Endpoints::bytes(const RealmId& realm) const {
  std::uint64_t bytes = 0;
  for (const auto& range : {tools_of(realm), endpoints_of(realm)}) {
    TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
      bytes += key.size() + value.size();
      return Scan::kContinue;
    }));
  }
  return bytes;
}

Endpoints::Room Endpoints::room_for_tools(const RealmId& realm) {
  return {tools_of(realm), kMaxTools, kMaxToolsEach, "tools"};
}

Endpoints::Room Endpoints::room_for_endpoints(const RealmId& realm) {
  return {endpoints_of(realm), kMaxEndpoints, kMaxEndpointsEach, "endpoints"};
}

// Counted, not kept: adding is rare. Two threads may pass at the same moment and exceed the limit
// by one; it protects the store from runaway callers, and no more.
Result<void> Endpoints::check_room(const Room& room, const RealmId& realm, const DelegateId& owner,
                                   std::size_t more) const {
  const auto root = DelegateId::from_bytes(realm.bytes());
  std::size_t all = 0;
  std::size_t of_delegates = 0;
  std::size_t own = 0;
  std::size_t own_bytes = 0;
  TRY(kv_.scan(room.range, Direction::kForward, [&](ByteView, ByteView value) {
    ++all;
    if (!is_of(value, root)) ++of_delegates;
    if (is_of(value, owner)) {
      ++own;
      own_bytes += value.size();
    }
    return Scan::kContinue;
  }));
  if (all + more > room.most) {
    return fail(Code::kTooManyEntries, "the realm has {} {}; {} are possible: delete some first",
                all, room.what, room.most);
  }
  if (owner == root) return {};
  if (own + more > room.most_each || own_bytes >= kMaxBytesEach) {
    return fail(Code::kTooManyEntries,
                "you have made {} {} of {} bytes; one delegate makes up to {} of {} bytes: delete "
                "some first",
                own, room.what, own_bytes, room.most_each, kMaxBytesEach);
  }
  if (of_delegates + more > room.most / 2) {
    return fail(Code::kTooManyEntries,
                "the realm's delegates have made {} {}; {} are possible, the rest is for its "
                "owner: delete some first",
                of_delegates, room.what, room.most / 2);
  }
  return {};
}

Result<void> Endpoints::check_tools(const Endpoint& endpoint,
                                    const std::vector<ContextTool>& new_tools) const {
  for (const auto& binding : endpoint.bindings) {
    // Those are stored in the same batch.
    if (std::ranges::find(new_tools, binding.tool, &ContextTool::id) != new_tools.end()) continue;
    TRY(tool(endpoint.realm, binding.tool));
  }
  return {};
}

Result<void> Endpoints::add(const ContextTool& tool) {
  TRY(check_room(room_for_tools(tool.realm), tool.realm, tool.owner, 1));
  Batch batch;
  put_tool(batch, tool);
  return kv_.commit(std::move(batch));
}

Result<ContextTool> Endpoints::tool(const RealmId& realm, const ToolId& id) const {
  auto stored = TRY(kv_.get(tool_key(realm, id)));
  if (!stored) return no_tool(id);
  return decode_tool(*stored);
}

Result<ContextTool> Endpoints::tool(const ToolId& id) const {
  auto realm = TRY(kv_.get(tool_realm_key(id)));
  if (!realm || realm->size() != kIdBytes) return no_tool(id);
  return tool(RealmId::from_bytes(*realm), id);
}

Result<ContextTool> Endpoints::change(const RealmId& realm, const ToolId& id,
                                      const std::function<Result<void>(ContextTool&)>& change) {
  const auto key = tool_key(realm, id);
  return update(kv_, key, "the tool " + id.render(),
                [&](const auto& stored, Batch& batch) -> Result<ContextTool> {
                  if (!stored) return no_tool(id);
                  auto tool = TRY(decode_tool(*stored));
                  TRY(change(tool));
                  tool.updated_at = clock_.now();
                  batch.puts.push_back({key, encode(tool)});
                  return tool;
                });
}

Result<std::vector<std::string>> Endpoints::users_of(const RealmId& realm, const ToolId& id) const {
  std::vector<std::string> out;
  std::optional<Error> error;
  TRY(kv_.scan(endpoints_of(realm), Direction::kForward, [&](ByteView, ByteView value) {
    auto endpoint = decode_endpoint(value);
    if (!endpoint) {
      error = std::move(endpoint).error();
      return Scan::kStop;
    }
    for (const auto& binding : endpoint->bindings) {
      if (binding.tool != id) continue;
      out.push_back(endpoint->id.render());
      break;
    }
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return out;
}

Result<void> Endpoints::remove(const RealmId& realm, const ToolId& id) {
  // Held from the question to the commit: nobody binds the tool in between.
  const MutexLock lock(binding_);
  TRY(tool(realm, id));
  auto users = TRY(users_of(realm, id));
  if (!users.empty()) {
    auto message =
        fmt::format("{} is bound in {} endpoint{}, the first is {}; unbind it first", id.render(),
                    users.size(), users.size() == 1 ? "" : "s", users.front());
    return Failure(Error(Code::kToolInUse, std::move(message)).with("endpoints", std::move(users)));
  }
  Batch batch;
  batch.deletes.push_back(tool_key(realm, id));
  batch.deletes.push_back(tool_realm_key(id));
  return kv_.commit(std::move(batch));
}

Result<EndpointPage<ContextTool>> Endpoints::tools(const RealmId& realm, std::size_t limit,
                                                   std::optional<std::string_view> cursor,
                                                   const SeesTool& sees) const {
  return page<ContextTool>(kv_, tools_of(realm), limit, cursor, decode_tool, sees);
}

Result<MadeEndpoint> Endpoints::add(Endpoint endpoint, const std::vector<ContextTool>& new_tools) {
  const MutexLock lock(binding_);
  TRY(check_names(endpoint));
  TRY(check_tools(endpoint, new_tools));
  TRY(check_room(room_for_endpoints(endpoint.realm), endpoint.realm, endpoint.owner, 1));
  if (!new_tools.empty()) {
    TRY(check_room(room_for_tools(endpoint.realm), endpoint.realm, endpoint.owner,
                   new_tools.size()));
  }
  auto key = EndpointKey::make(random_);
  endpoint.key_hash = EndpointKey::hash(key.text());
  Batch batch;
  for (const auto& tool : new_tools) put_tool(batch, tool);
  batch.puts.push_back({endpoint_key(endpoint.realm, endpoint.id), encode(endpoint)});
  // The record is found by the key's hash; the key itself is stored nowhere.
  batch.puts.push_back(
      {opener_key(endpoint.key_hash), Bytes(endpoint.realm.bytes()) + Bytes(endpoint.id.bytes())});
  TRY(kv_.commit(std::move(batch)));
  return MadeEndpoint{std::move(endpoint), std::move(key)};
}

Result<Endpoint> Endpoints::endpoint(const RealmId& realm, const EndpointId& id) const {
  auto stored = TRY(kv_.get(endpoint_key(realm, id)));
  if (!stored) return no_endpoint(id);
  return decode_endpoint(*stored);
}

Result<Endpoint> Endpoints::replace(const RealmId& realm, const EndpointId& id,
                                    const std::function<Result<void>(Endpoint&, Batch&)>& change) {
  const MutexLock lock(binding_);
  const auto key = endpoint_key(realm, id);
  return update(kv_, key, "the endpoint " + id.render(),
                [&](const auto& stored, Batch& batch) -> Result<Endpoint> {
                  if (!stored) return no_endpoint(id);
                  auto endpoint = TRY(decode_endpoint(*stored));
                  TRY(change(endpoint, batch));
                  TRY(check_names(endpoint));
                  endpoint.updated_at = clock_.now();
                  batch.puts.push_back({key, encode(endpoint)});
                  return endpoint;
                });
}

Result<Endpoint> Endpoints::change(const RealmId& realm, const EndpointId& id,
                                   const std::function<Result<void>(Endpoint&)>& change,
                                   const std::vector<ContextTool>& new_tools) {
  const auto make = [&](Endpoint& endpoint, Batch& batch) REQUIRES(binding_) -> Result<void> {
    if (!new_tools.empty()) {
      TRY(check_room(room_for_tools(realm), realm, new_tools.front().owner, new_tools.size()));
    }
    for (const auto& tool : new_tools) put_tool(batch, tool);
    TRY(change(endpoint));
    return check_tools(endpoint, new_tools);
  };
  return replace(realm, id, make);
}

Result<MadeEndpoint> Endpoints::rotate(const RealmId& realm, const EndpointId& id) {
  auto key = EndpointKey::make(random_);
  auto endpoint = TRY(replace(realm, id, [&](Endpoint& changed, Batch& batch) -> Result<void> {
    if (changed.status == EndpointStatus::kRevoked) {
      return fail(Code::kInvalidArgument, "the endpoint {} is revoked for good; make a new one",
                  id.render());
    }
    if (changed.expires_at && *changed.expires_at <= clock_.now()) {
      return fail(Code::kInvalidArgument,
                  "the endpoint {} has expired, and so would a new key; change its expiry first",
                  id.render());
    }
    // In the batch that puts the new one: there is no moment with two keys, nor with none.
    batch.deletes.push_back(opener_key(changed.key_hash));
    changed.key_hash = EndpointKey::hash(key.text());
    changed.key_made_at = clock_.now();
    batch.puts.push_back({opener_key(changed.key_hash), Bytes(realm.bytes()) + Bytes(id.bytes())});
    return {};
  }));
  return MadeEndpoint{std::move(endpoint), std::move(key)};
}

Result<void> Endpoints::remove(const RealmId& realm, const EndpointId& id) {
  // A rotation in between would leave an opener behind that nobody deletes.
  const MutexLock lock(binding_);
  auto known = TRY(endpoint(realm, id));
  Batch batch;
  batch.deletes.push_back(endpoint_key(realm, id));
  batch.deletes.push_back(opener_key(known.key_hash));
  return kv_.commit(std::move(batch));
}

Result<EndpointPage<Endpoint>> Endpoints::endpoints(const RealmId& realm, std::size_t limit,
                                                    std::optional<std::string_view> cursor,
                                                    const SeesEndpoint& sees) const {
  return page<Endpoint>(kv_, endpoints_of(realm), limit, cursor, decode_endpoint, sees);
}

Result<EndpointPtr> Endpoints::by_hash(const Digest& hash) const {
  // Before anything is read: should it change while it is read, what is cached is stale at once.
  const auto generation = generation_.load();
  {
    auto open = open_.lock();
    auto found = open->find(hash);
    if (found != open->end() && found->second.generation == generation) {
      return found->second.endpoint;
    }
  }
  auto named = TRY(kv_.get(opener_key(hash)));
  if (!named || named->size() != 2 * kIdBytes) return not_open();
  auto stored = endpoint(RealmId::from_bytes(ByteView(*named).substr(0, kIdBytes)),
                         EndpointId::from_bytes(ByteView(*named).substr(kIdBytes)));
  // Deleted between the two reads.
  if (!stored && stored.error().code == Code::kEndpointNotFound) return not_open();
  auto known = std::make_shared<const Endpoint>(TRY(std::move(stored)));
  auto open = open_.lock();
  if (open->size() >= kMaxCached) open->clear();
  open->insert_or_assign(hash, Cached{known, generation});
  return known;
}

Result<EndpointPtr> Endpoints::open(std::string_view key) const {
  if (!EndpointKey::is_one(key)) return not_open();
  auto known = TRY(by_hash(EndpointKey::hash(key)));
  // Not part of what is cached: an endpoint expires without being changed.
  if (!known->is_open(clock_.now())) return not_open();
  return known;
}

std::unique_ptr<Subscription> Endpoints::watch(Watcher watcher) {
  // The keys of tools and endpoints both begin with a letter and the realm, so one function reads
  // both. The other two tables change only together with these.
  class Both final : public Subscription {
   public:
    std::vector<std::unique_ptr<Subscription>> parts;
  };
  auto both = std::make_unique<Both>();
  auto told = [watcher = std::move(watcher)](const std::vector<Bytes>& keys) {
    std::set<RealmId> realms;
    for (const auto& key : keys) {
      if (key.size() < 1 + kIdBytes) continue;
      realms.insert(RealmId::from_bytes(ByteView(key).substr(1, kIdBytes)));
    }
    for (const auto& realm : realms) watcher(realm);
  };
  both->parts.push_back(kv_.watch(KeyRange::prefix("x"), told));
  both->parts.push_back(kv_.watch(KeyRange::prefix("e"), told));
  return both;
}

Result<void> Endpoints::remove_all(const RealmId& realm) {
  const MutexLock alone(binding_);
  Batch batch;
  auto add = [&](ByteView key, ByteView) {
    batch.deletes.emplace_back(key);
    return Scan::kContinue;
  };
  TRY(kv_.scan(endpoints_of(realm), Direction::kForward, add));
  TRY(kv_.scan(tools_of(realm), Direction::kForward, [&](ByteView key, ByteView value) {
    const auto id = ToolId::from_bytes(key.substr(key.size() - kIdBytes));
    batch.deletes.push_back(tool_realm_key(id));
    return add(key, value);
  }));
  TRY(kv_.scan(KeyRange::prefix("k"), Direction::kForward, [&](ByteView key, ByteView value) {
    return value.starts_with(realm.bytes()) ? add(key, value) : Scan::kContinue;
  }));
  if (batch.deletes.empty()) return {};
  return kv_.commit(std::move(batch));
}

}  // namespace cairn
