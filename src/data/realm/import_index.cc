#include "data/realm/import_index.h"

#include <algorithm>

namespace cairn {
namespace {

// Raised when the layout changes: an old index is then ignored, and the next import reads every
// file.
constexpr std::uint8_t kVersion = 1;

}  // namespace

Result<std::optional<ImportIndex>> ImportIndex::load(Realm& realm, const Place& place,
                                                     std::string_view source) {
  const auto& kv = realm.store().kv();
  auto bytes = TRY(kv.get(records::import_key(realm.id(), place, source)));
  // Once there was one for each depot.
  if (!bytes && place.path.is_root()) {
    bytes = TRY(kv.get(records::imports(realm.id(), place.depot).begin));
  }
  if (!bytes) return std::nullopt;
  std::optional<ImportIndex> index(std::in_place);
  index->bytes_ = std::move(*bytes);
  // Views into bytes_, so it is parsed where it will stay.
  if (!index->parse(source) || !TRY(realm.nodes().has(index->root_))) return std::nullopt;
  return index;
}

std::optional<NodeKey> ImportIndex::root_of(ByteView bytes) {
  ByteReader in(bytes);
  if (in.byte() != kVersion) return std::nullopt;
  in.take(in.varint());
  const auto root = in.take(NodeKey::kSize);
  if (in.failed()) return std::nullopt;
  return NodeKey::from_bytes(root);
}

const ImportIndex::Directory* ImportIndex::find(std::string_view path) const {
  auto found = directories_.find(path);
  return found == directories_.end() ? nullptr : &found->second;
}

// An index that does not parse, or is of another source, is as good as none.
bool ImportIndex::parse(std::string_view source) {
  ByteReader in(bytes_);
  if (in.byte() != kVersion || in.take(in.varint()) != source) return false;
  auto root = in.take(NodeKey::kSize);
  if (in.failed()) return false;
  root_ = NodeKey::from_bytes(root);
  while (!in.at_end() && !in.failed()) {
    auto path = in.take(in.varint());
    auto key = in.take(NodeKey::kSize);
    if (in.failed()) return false;
    Directory directory;
    directory.value.kind = Kind::kDict;
    directory.value.key = NodeKey::from_bytes(key);
    directory.value.children = in.varint();
    directory.value.files = in.varint();
    directory.value.bytes = in.varint();
    auto files = in.varint();
    for (std::uint64_t i = 0; i < files && !in.failed(); ++i) {
      File file;
      file.name = in.take(in.varint());
      file.stamp.size = in.varint();
      file.stamp.modified = static_cast<std::int64_t>(in.varint());
      file.stamp.changed = static_cast<std::int64_t>(in.varint());
      file.stamp.inode = in.varint();
      auto file_key = in.take(NodeKey::kSize);
      if (in.failed()) return false;
      file.key = NodeKey::from_bytes(file_key);
      file.type = in.take(in.varint());
      directory.files.push_back(file);
    }
    auto dirs = in.varint();
    for (std::uint64_t i = 0; i < dirs && !in.failed(); ++i) {
      directory.dirs.push_back(in.take(in.varint()));
    }
    directories_.emplace(path, std::move(directory));
  }
  return !in.failed();
}

ImportIndexWriter::ImportIndexWriter(std::string_view source) : source_(source) {}

void ImportIndexWriter::add(std::string_view path, const ImportIndex::Directory& directory) {
  // Encoded outside the lock; directories may follow each other in any order.
  Bytes out;
  put_text(out, path);
  out.append(directory.value.key.bytes());
  put_varint(out, directory.value.children);
  put_varint(out, directory.value.files);
  put_varint(out, directory.value.bytes);
  put_varint(out, directory.files.size());
  for (const auto& file : directory.files) {
    put_text(out, file.name);
    put_varint(out, file.stamp.size);
    put_varint(out, static_cast<std::uint64_t>(file.stamp.modified));
    put_varint(out, static_cast<std::uint64_t>(file.stamp.changed));
    put_varint(out, file.stamp.inode);
    out.append(file.key.bytes());
    put_text(out, file.type);
  }
  put_varint(out, directory.dirs.size());
  for (auto name : directory.dirs) put_text(out, name);
  directories_.lock()->append(out);
}

Result<void> ImportIndexWriter::save(Realm& realm, const Place& place, const NodeKey& root) {
  Bytes out(1, kVersion);
  put_text(out, source_);
  out.append(root.bytes());
  out.append(*directories_.lock());
  Batch batch;
  batch.puts.push_back({records::import_key(realm.id(), place, source_), std::move(out)});
  // Without its root it would be worth nothing.
  batch.realm = realm.id();
  batch.required.push_back(root);
  batch.durability = Durability::kBuffered;
  return realm.store().kv().commit(std::move(batch));
}

}  // namespace cairn
