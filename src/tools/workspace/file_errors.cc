#include "tools/workspace/file_errors.h"

#include <array>

#include <fmt/format.h>

namespace cairn::work {
namespace {

struct SystemError {
  Code code;
  std::string_view symbol;
  std::string_view text;
};

constexpr std::array<SystemError, 10> kSystemErrors = {{
    {Code::kPathNotFound, "ENOENT", "no such file or directory"},
    {Code::kNotADirectory, "ENOTDIR", "not a directory"},
    {Code::kNotAFile, "EISDIR", "illegal operation on a directory"},
    {Code::kForbidden, "EACCES", "permission denied"},
    {Code::kForbidden, "EPERM", "operation not permitted"},
    {Code::kForbidden, "EROFS", "read-only file system"},
    {Code::kInvalidPath, "ENAMETOOLONG", "name too long"},
    {Code::kInvalidPath, "ELOOP", "too many symbolic links encountered"},
    {Code::kTargetExists, "EEXIST", "file already exists"},
    {Code::kMoveIntoSelf, "EINVAL", "invalid argument"},
}};

std::string detail(const Error& error, const std::string& key) {
  const auto found = error.details.find(key);
  if (found == error.details.end()) return {};
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

// The operating system's own symbol, if it gave one; else the first that means the same.
const SystemError* system_error(const Error& error) {
  const auto symbol = detail(error, "errno");
  for (const auto& row : kSystemErrors) {
    const bool same = row.code == error.code && error.code != Code::kInvalidPath;
    if (symbol.empty() ? same : row.symbol == symbol) return &row;
  }
  return nullptr;
}

}  // namespace

std::string reference_error(const Error& error) {
  const auto* system = system_error(error);
  const auto place = detail(error, "place");
  if (system == nullptr || place.empty()) {
    // Messages that are complete already, or that clients of the reference server do not know.
    const bool known = error.code == Code::kPathOutside || error.message.starts_with("Cannot ") ||
                       error.message.starts_with("Could not ") ||
                       error.message.starts_with("Ambiguous ");
    return known ? error.message : error.render();
  }
  const auto operation = detail(error, "operation");
  const auto to = detail(error, "to");
  std::string first;
  if (operation == "rename" && error.code == Code::kTargetExists) {
    first = fmt::format("Destination already exists: {}", place);
  } else if (system->symbol == "EISDIR" && operation == "open") {
    first = fmt::format("{}: {}, read", system->symbol, system->text);
  } else if (!to.empty() && operation != "realpath") {
    first = fmt::format("{}: {}, {} '{}' -> '{}'", system->symbol, system->text, operation,
                        detail(error, "from"), to);
  } else {
    first = fmt::format("{}: {}, {} '{}'", system->symbol, system->text, operation, place);
  }
  return first + "\n" + error.message;
}

std::string manual_error(const Error& error) {
  std::string_view kind;
  switch (error.code) {
    case Code::kPathOutside:
      kind = "路径越权";
      break;
    case Code::kPathNotFound:
      kind = "文件不存在";
      break;
    case Code::kForbidden:
    case Code::kUploadNotAllowed:
    case Code::kDepotManageNotAllowed:
      kind = "权限不足";
      break;
    case Code::kToolNotFound:
      kind = "不支持的方法";
      break;
    case Code::kInvalidArgument:
    case Code::kInvalidPath:
    case Code::kInvalidPattern:
    case Code::kInvalidCursor:
    case Code::kNotADirectory:
    case Code::kNotAFile:
    case Code::kNotText:
    case Code::kTargetExists:
    case Code::kExistsAsFile:
    case Code::kMoveIntoSelf:
    case Code::kEditNoMatch:
    case Code::kEditAmbiguous:
    case Code::kFileTooLarge:
      kind = "参数错误";
      break;
    default:
      return reference_error(error);
  }
  return fmt::format("{}: {}", kind, reference_error(error));
}

}  // namespace cairn::work
