// Errors of the operating system, as an Error.
//
// Threads     plain functions of their arguments.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/os/system.h"
#include "base/result.h"

namespace cairn::os {

// `No space left on device`.
std::string description(int error);

// A path as it stands in a message: whole, unless somebody made it absurdly long.
std::string shown_path(std::string_view path);

// IO_ERROR `cannot write '/tmp/x': No space left on device`: what the program could not do with a
// file. `doing` is a verb, with its object where the path is not one: `create the directory`.
Failure io_error(std::string_view doing, const std::filesystem::path& path, int error);

// The outcome, or that failure.
template <typename T>
Result<T> checked(Outcome<T> outcome, std::string_view doing, const std::filesystem::path& path) {
  if (!outcome) return io_error(doing, path, outcome.error());
  if constexpr (!std::is_void_v<T>) {
    return *std::move(outcome);
  } else {
    return {};
  }
}

// For a path that a client named: the code that fits, a sentence that says what to do, and the
// details `place` and `errno` (the symbol, `ENOENT`). `place` is what was meant; `about` what the
// operating system spoke of, when it is another.
Failure path_failure(int error, std::string_view place, std::string_view about = {});

// Any other failure about a place.
template <typename... Args>
Failure fail_at(std::string_view place, Code code, fmt::format_string<Args...> format,
                Args&&... args) {
  return Failure(Error(code, fmt::format(format, std::forward<Args>(args)...))
                     .with("place", std::string(place)));
}

}  // namespace cairn::os
