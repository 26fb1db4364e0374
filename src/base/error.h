// The one error type of Cairn, and the table of its codes.
//
// A code is stable and machine-readable; a message says what was wrong with which value and what
// to do instead; details carry values a caller acts on (`currentRoot`, conflicting `paths`).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cairn {

enum class Code {
  kInvalidArgument,
  kInvalidPath,
  kInvalidKey,
  kAmbiguousKey,
  kInvalidPattern,
  kInvalidCursor,
  kPathOutside,
  kPathNotFound,
  kNotADirectory,
  kNotAFile,
  kTargetExists,
  kExistsAsFile,
  kMoveIntoSelf,
  kEmptyRewrite,
  kTooManyEntries,
  kEditNoMatch,
  kEditAmbiguous,
  kNotText,
  kFileTooLarge,
  kNodeNotFound,
  kNodeTooLarge,
  kCorruptNode,
  kDepotNotFound,
  kHistoryNotFound,
  kRealmNotFound,
  kConflict,
  kQuotaExceeded,
  kBudgetExceeded,
  kInvalidJson,
  kInvalidQuery,
  kJsonPathNotFound,
  kKeyNotFound,
  kKeyExists,
  kWrongJsonType,
  kInvalidScope,
  kInvalidToken,
  kTokenExpired,
  kTokenReplayed,
  kDelegateRevoked,
  kDelegateExpired,
  kForbidden,
  kUploadNotAllowed,
  kDepotManageNotAllowed,
  kNodeNotAuthorized,
  kPermissionExceeded,
  kMaxDepthExceeded,
  kDelegateNotFound,
  kUserNotFound,
  kToolNotFound,
  kEndpointNotFound,
  kBindingNotFound,
  kNotFound,
  kUserExists,
  kNameTaken,
  kToolInUse,
  kSchemaTooWide,
  kScriptError,
  kScriptLimit,
  kRuleBroken,
  kHashMismatch,
  kInvalidNode,
  kPreconditionFailed,
  kRateLimited,
  kBadRequest,
  kMethodNotAllowed,
  kRequestTimeout,
  kBodyTooLarge,
  kUriTooLong,
  kUnsupportedMediaType,
  kRangeNotSatisfiable,
  kHeadersTooLarge,
  kUnavailable,
  kStoreLocked,
  kStoreIncompatible,
  kIoError,
  kInternal,
};

// One row per code: its name on every surface, its HTTP status, the exit code of the command line.
struct CodeInfo {
  Code code;
  std::string_view name;
  int http_status;
  int exit_code;
};

const CodeInfo& info(Code code);
std::span<const CodeInfo> all_codes();

using Detail = std::variant<std::string, std::int64_t, std::vector<std::string>>;

struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::map<std::string, Detail> details;

  Error(Code c, std::string m) : code(c), message(std::move(m)) {}

  Error&& with(std::string key, Detail value) && {
    details.insert_or_assign(std::move(key), std::move(value));
    return std::move(*this);
  }

  std::string_view name() const { return info(code).name; }

  // `PATH_NOT_FOUND: the path 'a/b' does not exist`
  std::string render() const;
};

}  // namespace cairn
