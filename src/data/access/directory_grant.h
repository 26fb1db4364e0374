// Grants of directories: which of those that a server was started with somebody may use, by the
// names they have there, for reading or also for writing. Where a name leads is told by whoever
// starts the server; who may go there is in the store.
//
// Threads     values.
// Fails with  INVALID_ARGUMENT from check_directory_name() and check_grants().
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

struct DirectoryGrant {
  static constexpr std::size_t kMaxNameBytes = 64;
  static constexpr std::size_t kMaxGrants = 100;

  std::string name;
  bool write = false;

  bool operator==(const DirectoryGrant&) const = default;
};

// In this order: more includes less.
enum class DirectoryUse : std::uint8_t { kNone, kRead, kWrite };

// Letters, digits and any of `._-`, so that it can stand in an address; not `.` or `..`.
Result<void> check_directory_name(std::string_view name);
// Valid names, each once, and not too many.
Result<void> check_grants(std::span<const DirectoryGrant> grants);

DirectoryUse use_in(std::span<const DirectoryGrant> grants, std::string_view name);

// How they lie in a record.
void put_grants(Bytes& out, std::span<const DirectoryGrant> grants);
std::vector<DirectoryGrant> take_grants(ByteReader& in);

}  // namespace cairn
