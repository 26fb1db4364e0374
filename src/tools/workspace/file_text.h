// Texts as the file tools show them.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "data/workspace/workspace.h"

namespace cairn::work {

// No more of a file is read at once.
inline constexpr std::uint64_t kMaxReadBytes = 64 << 20;

// Valid UTF-8: what is not becomes U+FFFD, a character for each piece of one.
std::string as_text(ByteView bytes);
// The whole of a file. FILE_TOO_LARGE when that is more than `most` bytes.
Result<Bytes> read_all(const WorkFile& file, std::uint64_t most = kMaxReadBytes);
// NOT_TEXT, with the type of what it is and the tool to use, unless the bytes are text. `start` is
// the file's beginning.
Result<void> check_text(const WorkFile& file, ByteView start);
Result<void> check_text(const std::string& place, std::uint64_t size, ByteView start);

// The last name on a place.
std::string_view name_of(std::string_view place);

// `1.50 KB`
std::string file_size(std::uint64_t bytes);
// `Mon Nov 16 2026 11:22:59 GMT+0000 (Coordinated Universal Time)`
std::string long_time(Millis time);
// `2026-11-16T11:22:59.000Z`
std::string iso_time(Millis time);
// `file:///a%20b`
std::string file_uri(std::string_view place);
// The names' order for people: by these keys, without regard to case, signs before digits before
// letters; of equal ones, the lower case first.
std::string reading_key(std::string_view name);
bool lower_before(std::string_view a, std::string_view b);
// How many UTF-16 units a text has: what others pad by.
std::size_t utf16_units(std::string_view text);

}  // namespace cairn::work
