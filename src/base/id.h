// ULIDs: 128 bits, the first 48 a time in milliseconds, so that ids sort by creation.
//
// Threads     values; share them freely.
// Fails with  INVALID_KEY from parse().
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace cairn {

// A kind of id: 26 characters of Crockford Base32 behind a prefix such as `dpt_`.
template <typename Tag>
class Id final {
 public:
  Id() = default;

  static Id make(const Clock& clock, Random& random);
  static Result<Id> parse(std::string_view text);
  // From and to the 16 bytes a store key holds.
  static Id from_bytes(ByteView bytes);
  ByteView bytes() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  std::string render() const;

  auto operator<=>(const Id&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

struct DepotTag {
  static constexpr std::string_view kPrefix = "dpt_";
  static constexpr std::string_view kWord = "depot id";
};
struct RealmTag {
  static constexpr std::string_view kPrefix = "usr_";
  static constexpr std::string_view kWord = "realm id";
};
struct DelegateTag {
  static constexpr std::string_view kPrefix = "dlt_";
  static constexpr std::string_view kWord = "delegate id";
};
struct ToolTag {
  static constexpr std::string_view kPrefix = "adi_";
  static constexpr std::string_view kWord = "tool id";
};
struct EndpointTag {
  static constexpr std::string_view kPrefix = "aei_";
  static constexpr std::string_view kWord = "endpoint id";
};
struct BindingTag {
  static constexpr std::string_view kPrefix = "bnd_";
  static constexpr std::string_view kWord = "binding id";
};

using DepotId = Id<DepotTag>;
using RealmId = Id<RealmTag>;
using DelegateId = Id<DelegateTag>;
using ToolId = Id<ToolTag>;
using EndpointId = Id<EndpointTag>;
using BindingId = Id<BindingTag>;

}  // namespace cairn
