// NodeKey: the name of a node, the SHA-256 of its bytes.
//
// In text it is `nod_` and 52 characters of Crockford Base32. Where a key is read from a person or
// an agent it may be abbreviated to 12 or more of these characters: that is a KeyPrefix, which a
// node store resolves.
//
// Threads     values; share them freely.
// Fails with  INVALID_KEY from parse().
#pragma once

#include <compare>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

namespace cairn {

class NodeKey final {
 public:
  static constexpr std::size_t kSize = 32;
  static constexpr std::size_t kDigits = 52;
  static constexpr std::size_t kShortDigits = 16;

  NodeKey() = default;
  explicit NodeKey(const Digest& digest) : digest_(digest) {}

  // The key of a node with these bytes.
  static NodeKey of(ByteView node) { return NodeKey(sha256(node)); }
  // REQUIRES: bytes.size() == kSize
  static NodeKey from_bytes(ByteView bytes);
  // Whole keys only.
  static Result<NodeKey> parse(std::string_view text);

  ByteView bytes() const { return {reinterpret_cast<const char*>(digest_.data()), kSize}; }
  std::string render() const;
  // The first 16 characters, for long listings.
  std::string render_short() const;
  // Eight bytes of the hash as a number; uniformly distributed.
  std::uint64_t word() const {
    std::uint64_t value;
    std::memcpy(&value, digest_.data(), sizeof value);
    return value;
  }

  auto operator<=>(const NodeKey&) const = default;

 private:
  Digest digest_{};
};

// A whole or abbreviated key: the range of keys that begin with it.
class KeyPrefix final {
 public:
  static constexpr std::size_t kMinDigits = 12;

  static Result<KeyPrefix> parse(std::string_view text);

  const NodeKey& low() const { return low_; }
  const NodeKey& high() const { return high_; }
  bool whole() const { return low_ == high_; }
  bool contains(const NodeKey& key) const { return low_ <= key && key <= high_; }
  // The characters that all its keys begin with.
  std::string render() const;

 private:
  NodeKey low_;
  NodeKey high_;
};

}  // namespace cairn

template <>
struct std::hash<cairn::NodeKey> {
  std::size_t operator()(const cairn::NodeKey& key) const noexcept { return key.word(); }
};
