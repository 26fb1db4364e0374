#include "data/store/embedded_store.h"

#include <algorithm>

#include "data/store/layout.h"
#include "data/store/scratch_backend.h"

namespace cairn {
namespace {

// Small: whoever looks at everything once has little use of what was looked at before.
constexpr std::size_t kMostOfASnapshot = 8 << 20;

Failure incompatible(std::string_view why) {
  return fail(Code::kStoreIncompatible, "the store cannot be used: {}", why);
}

Result<bool> is_empty(const Backend& backend) {
  bool empty = true;
  TRY(backend.scan(Table::kPointers, {}, Direction::kForward, [&](ByteView, ByteView) {
    empty = false;
    return Scan::kStop;
  }));
  return empty;
}

Result<void> check_format(Backend& backend) {
  auto record = TRY(backend.get(Table::kPointers, kFormatKey));
  if (!record) {
    // A database without our record is new only if it is empty: anything else belongs to somebody
    // else.
    if (!TRY(is_empty(backend))) return incompatible("it was not written by Cairn");
    Changes first;
    first[Table::kPointers].emplace(kFormatKey, encode_format(kStoreFormat));
    // Synced before anything else is written, so that no store is ever without its version.
    return backend.write(first, Durability::kSynced);
  }
  auto version = decode_format(*record);
  // The first format was 1.
  if (!version || *version == 0) return incompatible("its format record is damaged");
  if (*version > kStoreFormat) {
    return incompatible(
        fmt::format("it has format {}, this version of Cairn reads up to {}; "
                    "use a newer one",
                    *version, kStoreFormat));
  }
  return {};
}

}  // namespace

class EmbeddedStore::KeyValue final : public KeyValueStore {
 public:
  KeyValue(const Backend& backend, Writer& writer, Watchers& watchers)
      : backend_(backend), writer_(writer), watchers_(watchers) {}

  Result<std::optional<Bytes>> get(ByteView key) const override {
    if (is_reserved(key)) return std::nullopt;
    return backend_.get(Table::kPointers, key);
  }

  Result<void> scan(const KeyRange& range, Direction direction,
                    const Visitor& visit) const override {
    return backend_.scan(Table::kPointers, range, direction, [&](ByteView key, ByteView value) {
      return is_reserved(key) ? Scan::kContinue : visit(key, value);
    });
  }

  Result<void> commit(Batch batch) override { return writer_.commit(batch); }

  std::unique_ptr<Subscription> watch(KeyRange range, Watcher watcher) override {
    return watchers_.add(std::move(range), std::move(watcher));
  }

 private:
  const Backend& backend_;
  Writer& writer_;
  Watchers& watchers_;
};

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::open(std::unique_ptr<Backend> backend,
                                                           const Clock& clock,
                                                           StoreOptions options) {
  TRY(check_format(*backend));
  return std::unique_ptr<EmbeddedStore>(new EmbeddedStore(std::move(backend), clock, options));
}

EmbeddedStore::EmbeddedStore(std::unique_ptr<Backend> backend, const Clock& clock,
                             StoreOptions options)
    : clock_(clock),
      snapshot_cache_bytes_(std::min(options.dict_cache_bytes / 2, kMostOfASnapshot)),
      backend_(std::move(backend)),
      cache_({options.dict_cache_bytes, options.data_cache_bytes}),
      writer_(*backend_, cache_, watchers_, clock),
      kv_(std::make_unique<KeyValue>(*backend_, writer_, watchers_)) {}

EmbeddedStore::~EmbeddedStore() = default;

KeyValueStore& EmbeddedStore::kv() { return *kv_; }

NodeStore& EmbeddedStore::nodes(const RealmId& realm) {
  auto realms = realms_.lock();
  auto& nodes = (*realms)[realm];
  if (!nodes) nodes = std::make_unique<RealmNodes>(realm, *backend_, cache_, writer_);
  return *nodes;
}

Result<std::vector<RealmId>> EmbeddedStore::realms() const {
  std::vector<RealmId> found;
  Result<void> decoded;
  TRY(backend_->scan(Table::kPointers, KeyRange::prefix(kUsagePrefix), Direction::kForward,
                     [&](ByteView key, ByteView record) {
                       auto realm = RealmId::from_bytes(key.substr(kUsagePrefix.size()));
                       auto usage = decode_usage(Bytes(record), realm);
                       if (!usage) {
                         decoded = Failure(usage.error());
                         return Scan::kStop;
                       }
                       if (usage->node_count > 0) found.push_back(realm);
                       return Scan::kContinue;
                     }));
  TRY(std::move(decoded));
  return found;
}

// What readers met since it was opened, and is damaged still.
std::set<DamagedNode> EmbeddedStore::damage_met() {
  std::set<DamagedNode> out;
  auto realms = realms_.lock();
  for (const auto& [realm, nodes] : *realms) {
    for (const auto& key : nodes->damage_met()) {
      const auto now = nodes->get_uncached(key);
      if (!now && now.error().code != Code::kNodeNotFound) out.insert({realm, key});
    }
  }
  return out;
}

Result<std::unique_ptr<Store>> EmbeddedStore::snapshot() {
  StoreOptions options;
  options.dict_cache_bytes = options.data_cache_bytes = snapshot_cache_bytes_;
  auto scratch = std::make_unique<ScratchBackend>(TRY(backend_->snapshot()), *backend_);
  return std::unique_ptr<Store>(new EmbeddedStore(std::move(scratch), clock_, options));
}

Result<void> EmbeddedStore::backup(const std::filesystem::path& target) {
  TRY(make_backup(*backend_, target));
  const auto damaged = damage_met();
  return damaged.empty() ? Result<void>() : write_damaged(target, damaged);
}

}  // namespace cairn
