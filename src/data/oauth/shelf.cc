#include "data/oauth/shelf.h"

#include <algorithm>
#include <vector>

#include "base/base64.h"
#include "base/sha256.h"
#include "data/oauth/pkce.h"

namespace cairn::oauth {
namespace {

constexpr std::size_t kTimeBytes = 6;
constexpr std::size_t kSecretBytes = 33;
constexpr std::size_t kIdBytes = (kTimeBytes + kSecretBytes) / 3 * 4;
constexpr std::size_t kPrefixBytes = 2;

Bytes time_bytes(Millis time) {
  Bytes out;
  for (int shift = 40; shift >= 0; shift -= 8) out.push_back(static_cast<char>(time >> shift));
  return out;
}

Bytes hashed(std::string_view id) {
  const auto digest = sha256(id);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// As base64url has it; nothing: it is none.
std::optional<Bytes> decoded(std::string_view id) {
  if (id.size() != kIdBytes || id.contains('+') || id.contains('/')) return std::nullopt;
  std::string text(id);
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  return base64_decode(text);
}

}  // namespace

Shelf::Place Shelf::place() const {
  const auto time = time_bytes(clock_.now());
  Place out;
  out.id = base64url(time + random_.bytes(kSecretBytes));
  out.key = prefix() + time + hashed(out.id);
  return out;
}

std::optional<Bytes> Shelf::key_of(std::string_view id) const {
  const auto bytes = decoded(id);
  if (!bytes) return std::nullopt;
  return prefix() + bytes->substr(0, kTimeBytes) + hashed(id);
}

Millis Shelf::time_of(ByteView key) {
  Millis out = 0;
  for (const char c : key.substr(kPrefixBytes, kTimeBytes)) {
    out = out << 8 | static_cast<unsigned char>(c);
  }
  return out;
}

Result<std::optional<Bytes>> Shelf::get(std::string_view id) const {
  const auto key = key_of(id);
  if (!key) return std::nullopt;
  return get_at(*key);
}

Result<std::optional<Bytes>> Shelf::get_at(ByteView key) const {
  const bool fits = key.size() == kPrefixBytes + kTimeBytes + sizeof(Digest);
  if (!fits || time_of(key) + rules_.lifetime.count() <= clock_.now()) return std::nullopt;
  return kv_.get(key);
}

Result<void> Shelf::make_room() {
  const auto between = std::max<std::size_t>(rules_.most / 20, 1);
  if (since_.fetch_add(1) < between) return {};
  since_ = 1;
  return sweep(rules_.most - between);
}

Result<void> Shelf::sweep(std::size_t most) {
  const auto too_old = clock_.now() - rules_.lifetime.count();
  Batch batch;
  std::vector<Bytes> kept;
  TRY(kv_.scan(KeyRange::prefix(prefix()), Direction::kForward, [&](ByteView key, ByteView) {
    (time_of(key) <= too_old ? batch.deletes : kept).emplace_back(key);
    return Scan::kContinue;
  }));
  const auto surplus = kept.size() > most ? kept.size() - most : 0;
  batch.deletes.insert(batch.deletes.end(), kept.begin(),
                       kept.begin() + static_cast<std::ptrdiff_t>(surplus));
  if (batch.deletes.empty()) return {};
  batch.durability = Durability::kBuffered;
  batch.growth = Growth::kFrees;
  return kv_.commit(std::move(batch));
}

}  // namespace cairn::oauth
