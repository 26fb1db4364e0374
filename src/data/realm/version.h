// Version: how people and programs name a version of a depot, behind an `@`.
//
//   ~1                  one commit before the current one; ~0 is the current one
//   #14, 14             after the commit of this number
//   30m 2h 3d 2w 1y     as it was so long ago
//   2026-11-01          at the end of that day
//   2026-11-01T14:30    at that minute; also with seconds, Z or +01:00
//   yesterday 14:30     also today, and without a time
//   v1                  a tag: a letter, then letters, digits, '.', '_' and '-'
//
// Times are of UTC where nothing else is said. It names; Realm::version_at() finds.
//
// Threads     a value.
// Fails with  INVALID_ARGUMENT for what is none of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"

namespace cairn {

struct Version {
  struct Back {
    std::uint64_t count = 0;
    bool operator==(const Back&) const = default;
  };
  struct Change {
    std::uint64_t number = 0;
    bool operator==(const Change&) const = default;
  };
  struct Ago {
    Millis time = 0;
    bool operator==(const Ago&) const = default;
  };
  struct At {
    std::int64_t day = 0;             // since 1970, or how many days ago
    bool ago = false;                 // `day` is how many days ago
    std::optional<Millis> time = {};  // within the day; nothing: its end
    bool zoned = false;               // the zone was said
    bool operator==(const At&) const = default;
  };
  struct Tag {
    std::string name;
    bool operator==(const Tag&) const = default;
  };

  static Result<Version> parse(std::string_view text);
  // The inverse.
  std::string render() const;

  // The moment it names, if it names one. `zone` is what local time is ahead of UTC by, for a time
  // whose zone was not said.
  std::optional<Millis> moment(Millis now, Millis zone = 0) const;

  bool operator==(const Version&) const = default;

  std::variant<Back, Change, Ago, At, Tag> value;
};

// INVALID_ARGUMENT when it is no name of a tag, or could be mistaken for something else.
Result<void> check_tag_name(std::string_view name);

}  // namespace cairn
