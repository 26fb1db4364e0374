// Path: where something stands below a root, as a list of segments. The one path parser.
//
// Invariants  every segment is a valid name (check_name), or `~` and digits: a child index, which
//             names a child that exists and never makes one.
// Threads     a value; immutable but for assignment.
// Fails with  INVALID_PATH: a leading '/', empty, '.' or '..' segments, NUL, invalid UTF-8, a
//             segment over 255 bytes, a path over 4,096 bytes or 512 segments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn {

class Path final {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr std::size_t kMaxSegments = 512;

  Path() = default;  // the root

  // The empty text is the root.
  static Result<Path> parse(std::string_view text);

  bool is_root() const { return segments_.empty(); }
  const std::vector<std::string>& segments() const { return segments_; }
  // REQUIRES: !is_root()
  const std::string& name() const { return segments_.back(); }
  // REQUIRES: !is_root()
  Path parent() const;
  // REQUIRES: `name` is a valid segment.
  Path child(std::string_view name) const;
  // This path, or one above it.
  bool is_within(const Path& ancestor) const;
  std::string render() const;

  auto operator<=>(const Path&) const = default;

 private:
  std::vector<std::string> segments_;
};

// The number in a segment `~N`; one over 64 bits is the largest, which names nothing either.
std::optional<std::uint64_t> child_index(std::string_view segment);

// A cursor over long listings: an opaque text that holds the last name given.
std::string render_cursor(std::string_view last);
Result<std::string> parse_cursor(std::string_view cursor);

}  // namespace cairn
