// What the operating system said, as an Error for users: the code, a sentence that says what to do,
// and the details `place` and `errno` (the symbol, `ENOENT`).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

// A path as it stands in a message: whole, unless somebody made it absurdly long.
std::string shown_path(std::string_view path);

// `place` is what was meant; `about` what the operating system spoke of, when it is another.
Failure os_failure(int error, std::string_view place, std::string_view about = {});

// Any other failure about a place.
template <typename... Args>
Failure fail_at(std::string_view place, Code code, fmt::format_string<Args...> format,
                Args&&... args) {
  return Failure(Error(code, fmt::format(format, std::forward<Args>(args)...))
                     .with("place", std::string(place)));
}

}  // namespace cairn
