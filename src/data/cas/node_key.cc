#include "data/cas/node_key.h"

#include <algorithm>

#include "base/base32.h"
#include "base/id_kind.h"
#include "base/quote.h"

namespace cairn {
namespace {

constexpr std::string_view kPrefix = "nod_";
constexpr std::string_view kWanted = "a node key (nod_…)";

Failure not_a_key(std::string_view text, std::string_view why) {
  return fail(Code::kInvalidKey, "'{}' is not a node key: {}", shown(text, 80), why);
}

}  // namespace

NodeKey NodeKey::from_bytes(ByteView bytes) {
  NodeKey key;
  std::memcpy(key.digest_.data(), bytes.data(), kSize);
  return key;
}

Result<NodeKey> NodeKey::parse(std::string_view text) {
  if (!text.starts_with(kPrefix)) return wrong_id(text, kWanted);
  auto bytes = base32_decode(text.substr(kPrefix.size()), kSize);
  if (!bytes) {
    return not_a_key(text, fmt::format("nod_ should be followed by {} letters and digits of "
                                       "Crockford's Base32",
                                       kDigits));
  }
  return from_bytes(*bytes);
}

std::string NodeKey::render() const { return std::string(kPrefix) + base32_encode(bytes()); }

std::string NodeKey::render_short() const {
  return std::string(kPrefix) + base32_encode(bytes().substr(0, kShortDigits * 5 / 8));
}

Result<KeyPrefix> KeyPrefix::parse(std::string_view text) {
  if (!text.starts_with(kPrefix)) return wrong_id(text, kWanted);
  auto digits = base32_normalise(text.substr(kPrefix.size()));
  if (!digits) return not_a_key(text, "only digits and letters without U may follow nod_");
  if (digits->size() < kMinDigits || digits->size() > NodeKey::kDigits) {
    return not_a_key(text, fmt::format("{} characters follow nod_, there should be {} to {}",
                                       digits->size(), kMinDigits, NodeKey::kDigits));
  }
  // 52 digits hold 260 bits: the last digit ends in four zero bits.
  std::string low = *digits;
  std::string high = *digits;
  if (digits->size() < NodeKey::kDigits) {
    low.resize(NodeKey::kDigits, '0');
    high.resize(NodeKey::kDigits - 1, 'Z');
    high.push_back('G');
  }
  auto low_bytes = base32_decode(low, NodeKey::kSize);
  auto high_bytes = base32_decode(high, NodeKey::kSize);
  if (!low_bytes || !high_bytes) return not_a_key(text, "its last character is impossible");
  KeyPrefix prefix;
  prefix.low_ = NodeKey::from_bytes(*low_bytes);
  prefix.high_ = NodeKey::from_bytes(*high_bytes);
  return prefix;
}

std::string KeyPrefix::render() const {
  auto low = low_.render();
  const auto high = high_.render();
  low.erase(std::ranges::mismatch(low, high).in1, low.end());
  return low;
}

}  // namespace cairn
