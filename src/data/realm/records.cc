#include "data/realm/records.h"

namespace cairn::records {
namespace {

constexpr std::uint8_t kVersion = 1;
// Since depots say what they keep, and commits what they took back.
constexpr std::uint8_t kVersionOfHistory = 2;
constexpr std::size_t kIdBytes = 16;
// Of a commit.
constexpr std::uint8_t kMerged = 1;
constexpr std::uint8_t kPurged = 2;

Bytes key(char kind, ByteView realm) {
  Bytes out(1, kind);
  out.append(realm);
  return out;
}

Bytes key(char kind, ByteView realm, ByteView more) { return key(kind, realm).append(more); }

Failure damaged(std::string_view what) {
  return fail(Code::kIoError, "a {} record in the store is damaged; run cairn fsck", what);
}

// The part of a key after its kind letter and realm.
ByteView tail(ByteView key) { return key.substr(1 + kIdBytes); }

bool is_version(ByteReader& in) { return in.byte() == kVersion; }

void put_optional(Bytes& out, const std::optional<std::uint64_t>& value) {
  out.push_back(value ? 1 : 0);
  if (value) put_varint(out, *value);
}

std::optional<std::uint64_t> take_optional(ByteReader& in) {
  if (in.byte() != 1) return std::nullopt;
  return in.varint();
}

Bytes path_hash(std::string_view path) { return Bytes(NodeKey::of(path).bytes()); }

}  // namespace

Bytes depot_key(const RealmId& realm, const DepotId& depot) {
  return key('d', realm.bytes(), depot.bytes());
}

KeyRange depots(const RealmId& realm) { return KeyRange::prefix(key('d', realm.bytes())); }

Bytes history_key(const RealmId& realm, const DepotId& depot, std::uint64_t sequence) {
  auto out = key('h', realm.bytes(), depot.bytes());
  // Big-endian, so that keys sort by number and a scan backwards gives the newest commit first.
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(sequence >> shift));
  return out;
}

KeyRange history(const RealmId& realm, const DepotId& depot) {
  return KeyRange::prefix(key('h', realm.bytes(), depot.bytes()));
}

// A path may be too long for a key, so its hash stands for it.
Bytes origin_key(const RealmId& realm, const NodeKey& root, const Place& place) {
  auto out = key('o', realm.bytes(), root.bytes()).append(place.depot.bytes());
  if (!place.path.is_root()) out.append(path_hash(place.path.render()));
  return out;
}

KeyRange origins(const RealmId& realm) { return KeyRange::prefix(key('o', realm.bytes())); }

KeyRange origins(const RealmId& realm, const NodeKey& root) {
  return KeyRange::prefix(key('o', realm.bytes(), root.bytes()));
}

Bytes owned_key(const RealmId& realm, const DelegateId& owner, const NodeKey& node) {
  return key('w', realm.bytes(), owner.bytes()).append(node.bytes());
}

KeyRange owned(const RealmId& realm) { return KeyRange::prefix(key('w', realm.bytes())); }

Bytes leaf_key(const RealmId& realm, const DelegateId& author, const DepotId& depot,
               const NodeKey& root) {
  return key('l', realm.bytes(), author.bytes()).append(depot.bytes()).append(root.bytes());
}

KeyRange leaves(const RealmId& realm) { return KeyRange::prefix(key('l', realm.bytes())); }

KeyRange leaves(const RealmId& realm, const DelegateId& author, const DepotId& depot) {
  return KeyRange::prefix(key('l', realm.bytes(), author.bytes()).append(depot.bytes()));
}

Bytes freed_key(const RealmId& realm) { return key('f', realm.bytes()); }

Bytes import_key(const RealmId& realm, const Place& place, std::string_view source) {
  auto both = place.path.render() + '\0';
  return key('i', realm.bytes(), place.depot.bytes()).append(path_hash(both.append(source)));
}

KeyRange imports(const RealmId& realm, const DepotId& depot) {
  return KeyRange::prefix(key('i', realm.bytes(), depot.bytes()));
}

Bytes title_key(const RealmId& realm, std::string_view title) {
  return key('y', realm.bytes(), title);
}

Bytes deleted_key(const RealmId& realm, const DepotId& depot) {
  return key('z', realm.bytes(), depot.bytes());
}

KeyRange deleted(const RealmId& realm) { return KeyRange::prefix(key('z', realm.bytes())); }

Bytes purge_key(const RealmId& realm, const NodeKey& node) {
  return key('p', realm.bytes(), node.bytes());
}

KeyRange purges(const RealmId& realm) { return KeyRange::prefix(key('p', realm.bytes())); }

std::vector<KeyRange> all(const RealmId& realm) {
  std::vector<KeyRange> out;
  for (char kind : std::string_view("dhvowlLfiyzpb")) {
    out.push_back(KeyRange::prefix(key(kind, realm.bytes())));
  }
  return out;
}

Bytes encode(const Depot& depot) {
  Bytes out(1, kVersionOfHistory);
  put_text(out, depot.title);
  out.append(depot.root.bytes());
  put_varint(out, depot.max_history);
  put_varint(out, depot.sequence);
  put_varint(out, static_cast<std::uint64_t>(depot.created_at));
  put_varint(out, static_cast<std::uint64_t>(depot.updated_at));
  out.push_back(depot.keep.everything ? 1 : 0);
  put_varint(out, depot.keep.days);
  put_varint(out, depot.keep.daily);
  put_varint(out, depot.keep.last);
  put_optional(out, depot.dropped);
  return out;
}

Result<Depot> decode_depot(ByteView key, ByteView value) {
  ByteReader in(value);
  Depot depot;
  const auto version = in.byte();
  const bool known = version == kVersion || version == kVersionOfHistory;
  if (key.size() != 1 + 2 * kIdBytes || !known) return damaged("depot");
  depot.id = DepotId::from_bytes(tail(key));
  depot.title = in.take(in.varint());
  auto root = in.take(NodeKey::kSize);
  depot.max_history = in.varint();
  depot.sequence = in.varint();
  depot.created_at = static_cast<Millis>(in.varint());
  depot.updated_at = static_cast<Millis>(in.varint());
  depot.dropped = std::nullopt;
  if (version == kVersionOfHistory) {
    depot.keep.everything = in.byte() == 1;
    depot.keep.days = in.varint();
    depot.keep.daily = in.varint();
    depot.keep.last = in.varint();
    depot.dropped = take_optional(in);
  }
  // Trailing bytes are damage as well: a newer layout has another version.
  if (in.failed() || !in.at_end()) return damaged("depot");
  depot.root = NodeKey::from_bytes(root);
  return depot;
}

Bytes encode(const HistoryEntry& entry) {
  Bytes out(1, kVersionOfHistory);
  out.append(entry.root.bytes());
  out.push_back(entry.author ? 1 : 0);
  if (entry.author) out.append(entry.author->bytes());
  put_varint(out, static_cast<std::uint64_t>(entry.time));
  put_text(out, entry.message);
  out.push_back(static_cast<char>((entry.merged ? kMerged : 0) | (entry.purged ? kPurged : 0)));
  out.push_back(entry.undid ? 1 : 0);
  if (entry.undid) {
    put_varint(out, entry.undid->from);
    put_varint(out, entry.undid->to);
  }
  return out;
}

Result<HistoryEntry> decode_history(ByteView key, ByteView value) {
  ByteReader in(value);
  HistoryEntry entry;
  const auto version = in.byte();
  const bool known = version == kVersion || version == kVersionOfHistory;
  if (key.size() != 1 + 2 * kIdBytes + 8 || !known) return damaged("history");
  for (char c : key.substr(1 + 2 * kIdBytes)) {
    entry.sequence = entry.sequence << 8 | static_cast<unsigned char>(c);
  }
  auto root = in.take(NodeKey::kSize);
  if (in.byte() == 1) entry.author = DelegateId::from_bytes(in.take(kIdBytes));
  entry.time = static_cast<Millis>(in.varint());
  entry.message = in.take(in.varint());
  const auto flags = in.byte();
  entry.merged = (flags & kMerged) != 0;
  entry.purged = (flags & kPurged) != 0;
  if (version == kVersionOfHistory && in.byte() == 1) {
    entry.undid.emplace();
    entry.undid->from = in.varint();
    entry.undid->to = in.varint();
  }
  if (in.failed() || !in.at_end()) return damaged("history");
  entry.root = NodeKey::from_bytes(root);
  return entry;
}

Bytes tags_key(const RealmId& realm, const DepotId& depot) {
  return key('v', realm.bytes(), depot.bytes());
}

Bytes encode(const std::vector<Tag>& tags) {
  Bytes out(1, kVersion);
  for (const auto& tag : tags) {
    put_text(out, tag.name);
    put_varint(out, tag.sequence);
    put_varint(out, static_cast<std::uint64_t>(tag.time));
  }
  return out;
}

Result<std::vector<Tag>> decode_tags(ByteView value) {
  ByteReader in(value);
  std::vector<Tag> tags;
  if (!is_version(in)) return damaged("tags");
  while (!in.failed() && !in.at_end()) {
    Tag tag;
    tag.name = in.take(in.varint());
    tag.sequence = in.varint();
    tag.time = static_cast<Millis>(in.varint());
    tags.push_back(std::move(tag));
  }
  if (in.failed()) return damaged("tags");
  return tags;
}

Bytes encode(const Origin& origin) {
  Bytes out(1, kVersion);
  out.append(origin.base.bytes());
  put_varint(out, static_cast<std::uint64_t>(origin.time));
  if (!origin.place.path.is_root()) put_text(out, origin.place.path.render());
  for (const auto& other : origin.others) out.append(other.bytes());
  return out;
}

Result<RootOrigin> decode_origin(ByteView key, ByteView value) {
  constexpr auto kWholeDepot = 1 + 2 * kIdBytes + NodeKey::kSize;
  ByteReader in(value);
  RootOrigin found;
  const bool whole = key.size() == kWholeDepot;
  if ((!whole && key.size() != kWholeDepot + NodeKey::kSize) || !is_version(in)) {
    return damaged("origin");
  }
  found.root = NodeKey::from_bytes(tail(key));
  found.origin.place.depot = DepotId::from_bytes(tail(key).substr(NodeKey::kSize, kIdBytes));
  auto base = in.take(NodeKey::kSize);
  found.origin.time = static_cast<Millis>(in.varint());
  auto path = whole ? ByteView() : in.take(in.varint());
  while (!in.failed() && !in.at_end()) {
    const auto other = in.take(NodeKey::kSize);
    if (!in.failed()) found.origin.others.push_back(NodeKey::from_bytes(other));
  }
  if (in.failed() || found.origin.others.size() > Origin::kMaxOthers) return damaged("origin");
  if (!whole) {
    auto parsed = Path::parse(path);
    // The key holds only a hash of the path: the two must belong together.
    const bool fits = parsed && !parsed->is_root() && key.substr(kWholeDepot) == path_hash(path);
    if (!fits) return damaged("origin");
    found.origin.place.path = std::move(*parsed);
  }
  found.origin.base = NodeKey::from_bytes(base);
  return found;
}

Bytes encode(const Owned& owned) {
  Bytes out(1, kVersion);
  put_varint(out, static_cast<std::uint64_t>(owned.time));
  return out;
}

Result<Owned> decode_owned(ByteView key, ByteView value) {
  ByteReader in(value);
  Owned owned;
  if (key.size() != 1 + 2 * kIdBytes + NodeKey::kSize || !is_version(in)) return damaged("owner");
  owned.owner = DelegateId::from_bytes(tail(key).substr(0, kIdBytes));
  owned.node = NodeKey::from_bytes(tail(key).substr(kIdBytes));
  owned.time = static_cast<Millis>(in.varint());
  if (in.failed() || !in.at_end()) return damaged("owner");
  return owned;
}

Bytes encode(const Leaf& leaf) {
  Bytes out(1, kVersion);
  out.append(leaf.base.bytes());
  put_varint(out, static_cast<std::uint64_t>(leaf.time));
  put_text(out, leaf.place.path.render());
  return out;
}

Result<Leaf> decode_leaf(ByteView key, ByteView value) {
  ByteReader in(value);
  Leaf leaf;
  if (key.size() != 1 + 3 * kIdBytes + NodeKey::kSize || !is_version(in)) return damaged("leaf");
  leaf.author = DelegateId::from_bytes(tail(key).substr(0, kIdBytes));
  leaf.place.depot = DepotId::from_bytes(tail(key).substr(kIdBytes, kIdBytes));
  leaf.root = NodeKey::from_bytes(tail(key).substr(2 * kIdBytes));
  const auto base = in.take(NodeKey::kSize);
  leaf.time = static_cast<Millis>(in.varint());
  auto path = Path::parse(in.take(in.varint()));
  if (in.failed() || !in.at_end() || !path) return damaged("leaf");
  leaf.base = NodeKey::from_bytes(base);
  leaf.place.path = std::move(*path);
  return leaf;
}

Bytes encode(const DeletedDepot& deleted) {
  Bytes out(1, kVersion);
  put_varint(out, static_cast<std::uint64_t>(deleted.deleted_at));
  // As it was, so that it comes back as it was.
  put_text(out, encode(deleted.depot));
  return out;
}

Result<DeletedDepot> decode_deleted(ByteView key, ByteView value) {
  ByteReader in(value);
  DeletedDepot deleted;
  if (key.size() != 1 + 2 * kIdBytes || !is_version(in)) return damaged("deleted depot");
  deleted.deleted_at = static_cast<Millis>(in.varint());
  const auto depot = in.take(in.varint());
  if (in.failed() || !in.at_end()) return damaged("deleted depot");
  deleted.depot = TRY(decode_depot(key, depot));
  return deleted;
}

Bytes encode_title(std::span<const DepotId> depots) {
  Bytes out(1, kVersion);
  for (const auto& depot : depots) out.append(depot.bytes());
  return out;
}

Result<std::vector<DepotId>> decode_title(ByteView value) {
  ByteReader in(value);
  if (!is_version(in) || (value.size() - 1) % kIdBytes != 0) return damaged("title");
  std::vector<DepotId> out;
  while (!in.at_end()) out.push_back(DepotId::from_bytes(in.take(kIdBytes)));
  return out;
}

Result<NodeKey> decode_purge(ByteView key) {
  if (key.size() != 1 + kIdBytes + NodeKey::kSize) return damaged("purge");
  return NodeKey::from_bytes(tail(key));
}

}  // namespace cairn::records

namespace cairn {

std::string ChangeRange::render() const {
  if (from == to) return fmt::format("#{}", from);
  return fmt::format("#{}..#{}", from, to);
}

Result<void> scan_records(const KeyValueStore& kv, const KeyRange& range,
                          const records::RecordVisitor& visit) {
  std::optional<Error> error;
  TRY(kv.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    auto visited = visit(key, value);
    if (visited) return Scan::kContinue;
    error = std::move(visited).error();
    return Scan::kStop;
  }));
  if (error) return Failure(std::move(*error));
  return {};
}

}  // namespace cairn
