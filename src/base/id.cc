#include "base/id.h"

#include <algorithm>

#include "base/base32.h"
#include "base/quote.h"

namespace cairn {
namespace {

// A ULID's text is 130 bits wide: two leading zero bits, then the value. As our Base32 pads at the
// end instead, the digits are computed here.
constexpr std::size_t kDigits = 26;
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

std::string digits(const std::array<std::uint8_t, 16>& bytes) {
  std::string text(kDigits, '0');
  for (std::size_t i = 0; i < kDigits; ++i) {
    unsigned value = 0;
    for (std::size_t bit = i * 5; bit < i * 5 + 5; ++bit) {
      unsigned one = bit < 2 ? 0U : (bytes[(bit - 2) / 8] >> (7 - (bit - 2) % 8)) & 1U;
      value = (value << 1) | one;
    }
    text[i] = kAlphabet[value];
  }
  return text;
}

bool parse_digits(std::string_view text, std::array<std::uint8_t, 16>& bytes) {
  if (text.size() != kDigits) return false;
  for (std::size_t i = 0; i < kDigits; ++i) {
    auto digit = base32_digit(text[i]);
    if (!digit || (i == 0 && *digit > 7)) return false;
    for (std::size_t k = 0; k < 5; ++k) {
      std::size_t bit = i * 5 + k;
      if (bit < 2 || ((*digit >> (4 - k)) & 1U) == 0) continue;
      bytes[(bit - 2) / 8] |= static_cast<std::uint8_t>(1U << (7 - (bit - 2) % 8));
    }
  }
  return true;
}

}  // namespace

template <typename Tag>
Id<Tag> Id<Tag>::make(const Clock& clock, Random& random) {
  Id id;
  auto time = static_cast<std::uint64_t>(clock.now());
  for (std::size_t i = 0; i < 6; ++i) {
    id.bytes_[i] = static_cast<std::uint8_t>(time >> (8 * (5 - i)));
  }
  auto rest = random.bytes(10);
  std::copy(rest.begin(), rest.end(), id.bytes_.begin() + 6);
  return id;
}

template <typename Tag>
Result<Id<Tag>> Id<Tag>::parse(std::string_view text) {
  Id id;
  if (!text.starts_with(Tag::kPrefix) ||
      !parse_digits(text.substr(Tag::kPrefix.size()), id.bytes_)) {
    return fail(Code::kInvalidKey, "'{}' is not a {}; it should be {} and {} letters and digits",
                shown(text, 64), Tag::kWord, Tag::kPrefix, kDigits);
  }
  return id;
}

template <typename Tag>
Id<Tag> Id<Tag>::from_bytes(ByteView bytes) {
  Id id;
  std::copy_n(bytes.begin(), std::min(bytes.size(), id.bytes_.size()), id.bytes_.begin());
  return id;
}

template <typename Tag>
std::string Id<Tag>::render() const {
  return std::string(Tag::kPrefix) + digits(bytes_);
}

template class Id<DepotTag>;
template class Id<RealmTag>;
template class Id<DelegateTag>;

}  // namespace cairn
