#include "base/id.h"

#include <algorithm>

#include "base/base32.h"
#include "base/id_kind.h"
#include "base/quote.h"

namespace cairn {
namespace {

// A ULID's text is 130 bits wide: two leading zero bits, then the value. As our Base32 pads at the
// end instead, the digits are computed here.
constexpr std::size_t kDigits = 26;
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

// 128 bits as two numbers.
struct Halves {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

Halves halves(const std::array<std::uint8_t, 16>& bytes) {
  Halves value;
  for (std::size_t i = 0; i < 8; ++i) {
    value.high = value.high << 8 | bytes[i];
    value.low = value.low << 8 | bytes[i + 8];
  }
  return value;
}

std::string digits(const std::array<std::uint8_t, 16>& bytes) {
  std::string text(kDigits, '0');
  auto value = halves(bytes);
  for (std::size_t i = kDigits; i-- > 0;) {
    text[i] = kAlphabet[value.low & 31];
    value.low = value.low >> 5 | value.high << 59;
    value.high >>= 5;
  }
  return text;
}

bool parse_digits(std::string_view text, std::array<std::uint8_t, 16>& bytes) {
  if (text.size() != kDigits) return false;
  Halves value;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const auto digit = base32_digit(text[i]);
    if (!digit || (i == 0 && *digit > 7)) return false;
    value.high = value.high << 5 | value.low >> 59;
    value.low = value.low << 5 | *digit;
  }
  for (std::size_t i = 8; i-- > 0;) {
    bytes[i] = static_cast<std::uint8_t>(value.high);
    bytes[i + 8] = static_cast<std::uint8_t>(value.low);
    value.high >>= 8;
    value.low >>= 8;
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
  if (!text.starts_with(Tag::kPrefix) && !kind_of_id(text).empty()) {
    return wrong_id(text, fmt::format("a{} {} ({}…)", Tag::kWord.front() == 'e' ? "n" : "",
                                      Tag::kWord, Tag::kPrefix));
  }
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
template class Id<ToolTag>;
template class Id<EndpointTag>;
template class Id<BindingTag>;

}  // namespace cairn
