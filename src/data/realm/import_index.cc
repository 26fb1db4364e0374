#include "data/realm/import_index.h"

#include <algorithm>
#include <utility>

#include "data/cas/file.h"

namespace cairn {
namespace {

// Of a record. The first had the whole index behind the root; that is not read any more.
constexpr std::uint8_t kWithIndexInside = 1;
constexpr std::uint8_t kVersion = 2;

// A name that is an index of a child is skipped by every import (reason_to_skip), so no directory
// of the tree is in its way.
constexpr std::string_view kStamps = "~0";
constexpr std::string_view kStampsType = "application/vnd.cairn.stamps";

// Small numbers for small differences, whichever their sign.
std::uint64_t folded(std::uint64_t difference) {
  const bool negative = difference >> 63 != 0;
  return difference << 1 ^ (negative ? ~std::uint64_t{0} : 0);
}

std::uint64_t unfolded(std::uint64_t value) {
  return value >> 1 ^ ((value & 1) != 0 ? ~std::uint64_t{0} : 0);
}

// Times and inodes of neighbours are near each other. A difference reaches no further than the next
// file, so that a change of one file changes few bytes of the whole.
Bytes encode_stamps(const std::vector<IndexedFile>& files) {
  Bytes out;
  os::Stamp before;
  for (const auto& file : files) {
    const auto modified = static_cast<std::uint64_t>(file.stamp.modified);
    put_varint(out, folded(modified - static_cast<std::uint64_t>(before.modified)));
    put_varint(out, folded(static_cast<std::uint64_t>(file.stamp.changed) - modified));
    put_varint(out, folded(file.stamp.inode - before.inode));
    before = file.stamp;
  }
  return out;
}

// False when there are not as many.
bool decode_stamps(ByteView bytes, std::vector<IndexedFile>& files) {
  ByteReader in(bytes);
  os::Stamp before;
  for (auto& file : files) {
    auto& stamp = file.stamp;
    const auto modified = static_cast<std::uint64_t>(before.modified) + unfolded(in.varint());
    stamp.modified = static_cast<std::int64_t>(modified);
    stamp.changed = static_cast<std::int64_t>(modified + unfolded(in.varint()));
    stamp.inode = before.inode + unfolded(in.varint());
    before = stamp;
  }
  return in.at_end() && !in.failed();
}

// A damaged or missing node makes an index worthless, and nothing else: the directory is there to
// be read.
template <typename T>
Result<std::optional<T>> or_nothing(Result<T> found) {
  if (found) return std::optional<T>(std::move(*found));
  const auto code = found.error().code;
  if (code == Code::kNodeNotFound || code == Code::kCorruptNode) return std::nullopt;
  return Failure(std::move(found).error());
}

Result<std::vector<IndexedDirectory::Child>> directories_in(const NodeReader& nodes,
                                                            const EntryValue& index) {
  std::vector<IndexedDirectory::Child> out;
  DictCursor cursor(nodes, TRY(dict_open(nodes, index.key)));
  TRY(cursor.seek_index(0));
  while (const Entry* entry = cursor.entry()) {
    if (entry->is_dir()) out.push_back({std::string(entry->name), {{}, EntryValue::of(*entry)}});
    TRY(cursor.next());
  }
  return out;
}

Result<Bytes> stamps_in(const NodeReader& nodes, const EntryValue& index) {
  const auto found = TRY(dict_find(nodes, TRY(dict_open(nodes, index.key)), kStamps));
  if (!found) return Bytes();
  return read_file(nodes, *TRY(nodes.get(found->entry.key)));
}

// Nothing is left of it when tree and index do not fit together.
Result<IndexedDirectory> read_both(const NodeReader& nodes, const IndexedTree& both) {
  IndexedDirectory out;
  const auto mismatch = [] {
    return fail(Code::kCorruptNode, "the index of an import does not fit its tree");
  };
  out.directories = TRY(directories_in(nodes, both.index));
  auto next = out.directories.begin();
  DictCursor cursor(nodes, TRY(dict_open(nodes, both.tree.key)));
  TRY(cursor.seek_index(0));
  while (const Entry* entry = cursor.entry()) {
    if (entry->is_dir()) {
      if (next == out.directories.end() || next->name != entry->name) return mismatch();
      (next++)->both.tree = EntryValue::of(*entry);
    } else {
      IndexedFile file{std::string(entry->name), {}, entry->key, std::string(entry->type)};
      file.stamp.size = entry->bytes;
      out.files.push_back(std::move(file));
    }
    TRY(cursor.next());
  }
  const bool fits =
      next == out.directories.end() && decode_stamps(TRY(stamps_in(nodes, both.index)), out.files);
  if (!fits) return mismatch();
  return out;
}

Result<IndexedTree> open_both(const NodeReader& nodes, const ImportRecord& record) {
  const auto tree = TRY(dict_open(nodes, record.root));
  const auto index = TRY(dict_open(nodes, *record.index));
  return IndexedTree{EntryValue::of(entry_for("", *tree)), EntryValue::of(entry_for("", *index))};
}

// Once there was one for each depot.
Bytes key_of_once(Realm& realm, const Place& place) {
  return records::imports(realm.id(), place.depot).begin;
}

}  // namespace

Bytes ImportRecord::encode() const {
  Bytes out(1, kVersion);
  put_text(out, source);
  out.append(root.bytes());
  out.push_back(index ? 1 : 0);
  if (index) out.append(index->bytes());
  return out;
}

std::optional<ImportRecord> ImportRecord::decode(ByteView bytes) {
  ByteReader in(bytes);
  ImportRecord record;
  const auto version = in.byte();
  record.source = in.text();
  const auto root = in.take(NodeKey::kSize);
  if (in.failed() || (version != kVersion && version != kWithIndexInside)) return std::nullopt;
  record.root = NodeKey::from_bytes(root);
  if (version == kWithIndexInside) return record;
  if (in.byte() == 1) {
    const auto index = in.take(NodeKey::kSize);
    if (!in.failed()) record.index = NodeKey::from_bytes(index);
  }
  if (in.failed() || !in.at_end()) return std::nullopt;
  return record;
}

Result<std::optional<ImportRecord>> load_import(Realm& realm, const Place& place,
                                                std::string_view source) {
  const auto& kv = realm.store().kv();
  auto bytes = TRY(kv.get(records::import_key(realm.id(), place, source)));
  if (!bytes && place.path.is_root()) bytes = TRY(kv.get(key_of_once(realm, place)));
  if (!bytes) return std::nullopt;
  auto record = ImportRecord::decode(*bytes);
  const bool known = record && record->source == source && TRY(realm.nodes().has(record->root));
  if (!known) return std::nullopt;
  if (record->index && !TRY(realm.nodes().has(*record->index))) record->index.reset();
  return record;
}

Result<void> save_import(Realm& realm, const Place& place, const ImportRecord& record) {
  Batch batch;
  batch.puts.push_back({records::import_key(realm.id(), place, record.source), record.encode()});
  if (place.path.is_root()) {
    // The one that there was for the depot: this is in its place, if it was of this source.
    const auto once = TRY(realm.store().kv().get(key_of_once(realm, place)));
    const auto old = once ? ImportRecord::decode(*once) : std::nullopt;
    if (old && old->source == record.source) batch.deletes.push_back(key_of_once(realm, place));
  }
  // Without its root it would be worth nothing.
  batch.realm = realm.id();
  batch.required.push_back(record.root);
  if (record.index) batch.required.push_back(*record.index);
  batch.durability = Durability::kBuffered;
  return realm.store().kv().commit(std::move(batch));
}

const IndexedFile* IndexedDirectory::file(std::string_view name) const {
  const auto at = std::ranges::lower_bound(files, name, {}, &IndexedFile::name);
  return at != files.end() && at->name == name ? &*at : nullptr;
}

const IndexedTree* IndexedDirectory::directory(std::string_view name) const {
  const auto at = std::ranges::lower_bound(directories, name, {}, &Child::name);
  return at != directories.end() && at->name == name ? &at->both : nullptr;
}

Result<std::optional<IndexedTree>> indexed_root(const NodeReader& nodes,
                                                const ImportRecord& record) {
  if (!record.index) return std::nullopt;
  return or_nothing(open_both(nodes, record));
}

Result<std::optional<IndexedDirectory>> read_indexed(const NodeReader& nodes,
                                                     const IndexedTree& both) {
  return or_nothing(read_both(nodes, both));
}

Result<NodePtr> write_indexed(Stage& stage, const IndexedDirectory& directory) {
  std::vector<DictEdit> edits;
  edits.reserve(directory.directories.size() + 1);
  for (const auto& child : directory.directories) edits.push_back({child.name, child.both.index});
  if (!directory.files.empty()) {
    const auto stamps = TRY(write_file(stage, kStampsType, encode_stamps(directory.files)));
    edits.push_back({std::string(kStamps), EntryValue::of(entry_for("", *stamps))});
  }
  std::ranges::sort(edits, {}, &DictEdit::name);
  auto empty = empty_dict();
  TRY(stage.add(empty));
  return dict_apply(stage, empty, edits);
}

}  // namespace cairn
