// The one error type of Cairn, and the table of its codes.
//
// A code is stable and machine-readable; a message says what was wrong with which value and what
// to do instead; details carry values a caller acts on (`currentRoot`, conflicting `paths`). What a
// message is about, a path or a pointer, it carries as data too, so that a caller that sees only a
// part of the tree is told of it as seen from there.
#pragma once

#include <cstdint>
#include <functional>
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
  kStoreDamaged,
  kStoreReadOnly,
  kStorageFull,
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

// The thing an error is about. In a message it stands as fail() was given it:
//
//   fail(Code::kKeyExists, "{} exists already", Subject{Subject::Kind::kPointer, "/a", "'/a'"})
struct Subject {
  enum class Kind : char { kPath = 'f', kPointer = 'p' };

  Kind kind = Kind::kPath;
  std::string text;  // exactly
  std::string said;  // as it stands in the message

  // For strings that become a message.
  std::string marked() const;
};

// A value that goes with an error; a list of rows where one value each says too little.
struct DetailRow;
using Detail =
    std::variant<std::string, std::int64_t, std::vector<std::string>, std::vector<DetailRow>>;
struct DetailRow {
  std::map<std::string, Detail> fields;

  bool operator==(const DetailRow&) const = default;
};

struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::map<std::string, Detail> details;

  // The message may have subjects marked in it.
  Error(Code c, std::string m);

  Error&& with(std::string key, Detail value) && {
    details.insert_or_assign(std::move(key), std::move(value));
    return std::move(*this);
  }

  std::string_view name() const { return info(code).name; }

  // `PATH_NOT_FOUND: the path 'a/b' does not exist`
  std::string render() const;

  // The message with each subject as `say` has it. One without subjects is the message itself.
  std::string said(const std::function<std::string(const Subject&)>& say) const;

 private:
  std::string sentence_;  // the message with its subjects marked; empty: it has none
};

}  // namespace cairn
