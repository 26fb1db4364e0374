#include "base/os/os_error.h"

#include <cerrno>
#include <cstring>

#include "base/quote.h"

namespace cairn::os {
namespace {

Code code_of(int error) {
  switch (error) {
    case ENOENT:
      return Code::kPathNotFound;
    case ENOTDIR:
      return Code::kNotADirectory;
    case EISDIR:
      return Code::kNotAFile;
    case EEXIST:
      return Code::kTargetExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kForbidden;
    case ENAMETOOLONG:
    case ELOOP:
      return Code::kInvalidPath;
    case ENOSPC:
    case EDQUOT:
      return Code::kQuotaExceeded;
    default:
      return Code::kIoError;
  }
}

std::string symbol_of(int error) {
  const char* const symbol = ::strerrorname_np(error);
  return symbol == nullptr ? fmt::format("errno {}", error) : symbol;
}

std::string message_of(int error, const std::string& path) {
  switch (error) {
    case ENOENT:
      return fmt::format("'{}' does not exist", path);
    case ENOTDIR:
      return fmt::format("'{}' is not a directory", path);
    case EISDIR:
      return fmt::format("'{}' is a directory, not a file", path);
    case EEXIST:
      return fmt::format("'{}' exists already; choose another name or remove it first", path);
    case EACCES:
    case EPERM:
      return fmt::format(
          "the operating system does not let the server at '{}'; change its permissions or take "
          "another path",
          path);
    case EROFS:
      return fmt::format("'{}' is on a file system that cannot be written to", path);
    case ENAMETOOLONG:
      return fmt::format("'{}' is too long for the file system; shorten it", path);
    case ELOOP:
      return fmt::format("the links of '{}' lead in a circle, or are more than 40; mend them",
                         path);
    case ENOSPC:
    case EDQUOT:
      return fmt::format("there is no room left for '{}'; remove something first", path);
    default:
      return fmt::format("'{}' could not be used: {}", path, description(error));
  }
}

}  // namespace

std::string description(int error) {
  const char* const text = ::strerrordesc_np(error);
  return text == nullptr ? symbol_of(error) : text;
}

std::string shown_path(std::string_view path) { return shown(path, std::size_t{3} * 4096); }

Failure io_error(std::string_view doing, const std::filesystem::path& path, int error) {
  return fail(Code::kIoError, "cannot {} '{}': {}", doing, shown_path(path.string()),
              description(error));
}

Failure path_failure(int error, std::string_view place, std::string_view about) {
  return Failure(Error(code_of(error), message_of(error, shown_path(about.empty() ? place : about)))
                     .with("place", std::string(place))
                     .with("errno", symbol_of(error)));
}

}  // namespace cairn::os
