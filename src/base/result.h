// Result<T>: a value or an Error. No exception crosses a layer's border.
#pragma once

#include <expected>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace cairn {

template <typename T>
using Result = std::expected<T, Error>;

using Failure = std::unexpected<Error>;

// A subject stands in a message marked; see error.h.
}  // namespace cairn

template <>
struct fmt::formatter<cairn::Subject> : fmt::formatter<std::string_view> {
  auto format(const cairn::Subject& subject, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(subject.marked(), context);
  }
};

namespace cairn {

// fail(Code::kInvalidPath, "'{}' has an empty segment", path)
template <typename... Args>
Failure fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return Failure(Error(code, fmt::format(format, std::forward<Args>(args)...)));
}

namespace detail {
template <typename T, typename E>
T take(std::expected<T, E>& result) {
  return std::move(*result);
}
template <typename E>
void take(std::expected<void, E>&) {}
}  // namespace detail

}  // namespace cairn

// TRY(expr): the value of a Result, or of any other std::expected; or return its error from the
// enclosing function.
#define TRY(...) CAIRN_TRY_(CAIRN_TRY_NAME_(__COUNTER__), __VA_ARGS__)
#define CAIRN_TRY_NAME_(counter) CAIRN_TRY_JOIN_(try_result_, counter)
#define CAIRN_TRY_JOIN_(a, b) a##b
#define CAIRN_TRY_(result, ...) CAIRN_TRY_AS_(result, __VA_ARGS__)
#define CAIRN_TRY_AS_(result, ...)                         \
  __extension__({                                          \
    auto result = (__VA_ARGS__);                           \
    if (!result) [[unlikely]]                              \
      return ::std::unexpected(std::move(result).error()); \
    ::cairn::detail::take(result);                         \
  })
