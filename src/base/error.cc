#include "base/error.h"

#include <algorithm>
#include <array>

namespace cairn {
namespace {

// Exit codes: 2 wrong input, 3 not found, 4 in conflict with what is there, 5 over a limit,
// 6 damaged or unusable store, 7 not allowed.
constexpr std::array kCodes{
    CodeInfo{Code::kInvalidArgument, "INVALID_ARGUMENT", 400, 2},
    CodeInfo{Code::kInvalidPath, "INVALID_PATH", 400, 2},
    CodeInfo{Code::kInvalidKey, "INVALID_KEY", 400, 2},
    CodeInfo{Code::kAmbiguousKey, "AMBIGUOUS_KEY", 400, 2},
    CodeInfo{Code::kInvalidPattern, "INVALID_PATTERN", 400, 2},
    CodeInfo{Code::kInvalidCursor, "INVALID_CURSOR", 400, 2},
    CodeInfo{Code::kPathOutside, "PATH_OUTSIDE", 403, 7},
    CodeInfo{Code::kPathNotFound, "PATH_NOT_FOUND", 404, 3},
    CodeInfo{Code::kNotADirectory, "NOT_A_DIRECTORY", 400, 2},
    CodeInfo{Code::kNotAFile, "NOT_A_FILE", 400, 2},
    CodeInfo{Code::kTargetExists, "TARGET_EXISTS", 409, 4},
    CodeInfo{Code::kExistsAsFile, "EXISTS_AS_FILE", 409, 4},
    CodeInfo{Code::kMoveIntoSelf, "MOVE_INTO_SELF", 400, 2},
    CodeInfo{Code::kEmptyRewrite, "EMPTY_REWRITE", 400, 2},
    CodeInfo{Code::kTooManyEntries, "TOO_MANY_ENTRIES", 400, 5},
    CodeInfo{Code::kEditNoMatch, "EDIT_NO_MATCH", 409, 4},
    CodeInfo{Code::kEditAmbiguous, "EDIT_AMBIGUOUS", 409, 4},
    CodeInfo{Code::kNotText, "NOT_TEXT", 400, 2},
    CodeInfo{Code::kFileTooLarge, "FILE_TOO_LARGE", 413, 5},
    CodeInfo{Code::kNodeNotFound, "NODE_NOT_FOUND", 404, 3},
    CodeInfo{Code::kNodeTooLarge, "NODE_TOO_LARGE", 413, 5},
    CodeInfo{Code::kCorruptNode, "CORRUPT_NODE", 500, 6},
    CodeInfo{Code::kDepotNotFound, "DEPOT_NOT_FOUND", 404, 3},
    CodeInfo{Code::kHistoryNotFound, "HISTORY_NOT_FOUND", 404, 3},
    CodeInfo{Code::kRealmNotFound, "REALM_NOT_FOUND", 404, 3},
    CodeInfo{Code::kConflict, "CONFLICT", 409, 4},
    CodeInfo{Code::kQuotaExceeded, "QUOTA_EXCEEDED", 413, 5},
    CodeInfo{Code::kBudgetExceeded, "BUDGET_EXCEEDED", 413, 5},
    CodeInfo{Code::kInvalidJson, "INVALID_JSON", 400, 2},
    CodeInfo{Code::kInvalidQuery, "INVALID_QUERY", 400, 2},
    CodeInfo{Code::kJsonPathNotFound, "JSON_PATH_NOT_FOUND", 404, 3},
    CodeInfo{Code::kKeyNotFound, "KEY_NOT_FOUND", 404, 3},
    CodeInfo{Code::kKeyExists, "KEY_EXISTS", 409, 4},
    CodeInfo{Code::kWrongJsonType, "WRONG_JSON_TYPE", 400, 2},
    CodeInfo{Code::kInvalidScope, "INVALID_SCOPE", 400, 2},
    CodeInfo{Code::kInvalidToken, "INVALID_TOKEN", 401, 7},
    CodeInfo{Code::kTokenExpired, "TOKEN_EXPIRED", 401, 7},
    CodeInfo{Code::kTokenReplayed, "TOKEN_REPLAYED", 401, 7},
    CodeInfo{Code::kDelegateRevoked, "DELEGATE_REVOKED", 401, 7},
    CodeInfo{Code::kDelegateExpired, "DELEGATE_EXPIRED", 401, 7},
    CodeInfo{Code::kForbidden, "FORBIDDEN", 403, 7},
    CodeInfo{Code::kUploadNotAllowed, "UPLOAD_NOT_ALLOWED", 403, 7},
    CodeInfo{Code::kDepotManageNotAllowed, "DEPOT_MANAGE_NOT_ALLOWED", 403, 7},
    CodeInfo{Code::kNodeNotAuthorized, "NODE_NOT_AUTHORIZED", 403, 7},
    CodeInfo{Code::kPermissionExceeded, "PERMISSION_EXCEEDED", 403, 7},
    CodeInfo{Code::kMaxDepthExceeded, "MAX_DEPTH_EXCEEDED", 403, 7},
    CodeInfo{Code::kDelegateNotFound, "DELEGATE_NOT_FOUND", 404, 3},
    CodeInfo{Code::kUserNotFound, "USER_NOT_FOUND", 404, 3},
    CodeInfo{Code::kToolNotFound, "TOOL_NOT_FOUND", 404, 3},
    CodeInfo{Code::kEndpointNotFound, "ENDPOINT_NOT_FOUND", 404, 3},
    CodeInfo{Code::kBindingNotFound, "BINDING_NOT_FOUND", 404, 3},
    CodeInfo{Code::kNotFound, "NOT_FOUND", 404, 3},
    CodeInfo{Code::kUserExists, "USER_EXISTS", 409, 4},
    CodeInfo{Code::kNameTaken, "NAME_TAKEN", 409, 4},
    CodeInfo{Code::kToolInUse, "TOOL_IN_USE", 409, 4},
    CodeInfo{Code::kSchemaTooWide, "SCHEMA_TOO_WIDE", 400, 2},
    CodeInfo{Code::kScriptError, "SCRIPT_ERROR", 422, 2},
    CodeInfo{Code::kScriptLimit, "SCRIPT_LIMIT", 422, 5},
    CodeInfo{Code::kRuleBroken, "RULE_BROKEN", 409, 4},
    CodeInfo{Code::kHashMismatch, "HASH_MISMATCH", 400, 2},
    CodeInfo{Code::kInvalidNode, "INVALID_NODE", 400, 2},
    CodeInfo{Code::kPreconditionFailed, "PRECONDITION_FAILED", 412, 4},
    CodeInfo{Code::kRateLimited, "RATE_LIMITED", 429, 5},
    CodeInfo{Code::kBadRequest, "BAD_REQUEST", 400, 2},
    CodeInfo{Code::kMethodNotAllowed, "METHOD_NOT_ALLOWED", 405, 2},
    CodeInfo{Code::kRequestTimeout, "REQUEST_TIMEOUT", 408, 5},
    CodeInfo{Code::kBodyTooLarge, "BODY_TOO_LARGE", 413, 5},
    CodeInfo{Code::kUriTooLong, "URI_TOO_LONG", 414, 2},
    CodeInfo{Code::kUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", 415, 2},
    CodeInfo{Code::kRangeNotSatisfiable, "RANGE_NOT_SATISFIABLE", 416, 2},
    CodeInfo{Code::kHeadersTooLarge, "HEADERS_TOO_LARGE", 431, 5},
    CodeInfo{Code::kUnavailable, "UNAVAILABLE", 503, 6},
    CodeInfo{Code::kStoreLocked, "STORE_LOCKED", 503, 6},
    CodeInfo{Code::kStoreIncompatible, "STORE_INCOMPATIBLE", 500, 6},
    CodeInfo{Code::kStoreDamaged, "STORE_DAMAGED", 500, 6},
    CodeInfo{Code::kStoreReadOnly, "STORE_READ_ONLY", 503, 6},
    CodeInfo{Code::kStorageFull, "STORAGE_FULL", 507, 5},
    CodeInfo{Code::kIoError, "IO_ERROR", 500, 6},
    CodeInfo{Code::kInternal, "INTERNAL", 500, 6},
};

}  // namespace

const CodeInfo& info(Code code) {
  // The table is in the order of the enumeration; error_test asserts it.
  return kCodes[static_cast<std::size_t>(code)];
}

std::span<const CodeInfo> all_codes() { return kCodes; }

namespace {

// A subject in a sentence: kMark, its kind, its text, kSaid, how it stands there, kMark. A text may
// have these bytes in it and is guarded; what is said has none, as control characters are escaped.
constexpr char kMark = '\x1f';
constexpr char kSaid = '\x1e';
constexpr char kGuard = '\x1d';

std::string guarded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == kMark || c == kSaid || c == kGuard) {
      out += kGuard;
      out += static_cast<char>(c + 0x40);
    } else {
      out += c;
    }
  }
  return out;
}

std::string unguarded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == kGuard && i + 1 < text.size();
    out += escaped ? static_cast<char>(text[++i] - 0x40) : text[i];
  }
  return out;
}

// The subject from just after its mark up to the next one.
Subject read_subject(std::string_view part) {
  Subject out;
  if (part.empty()) return out;
  out.kind = static_cast<Subject::Kind>(part.front());
  const auto said = part.find(kSaid);
  out.text = unguarded(part.substr(1, said == std::string_view::npos ? said : said - 1));
  if (said != std::string_view::npos) out.said = part.substr(said + 1);
  return out;
}

std::string expanded(std::string_view sentence,
                     const std::function<std::string(const Subject&)>& say) {
  std::string out;
  while (true) {
    const auto begin = sentence.find(kMark);
    const auto end = begin == std::string_view::npos ? begin : sentence.find(kMark, begin + 1);
    if (end == std::string_view::npos) return out.append(sentence);
    out += sentence.substr(0, begin);
    out += say(read_subject(sentence.substr(begin + 1, end - begin - 1)));
    sentence.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Subject::marked() const {
  std::string out(1, kMark);
  out += static_cast<char>(kind);
  out += guarded(text);
  out += kSaid;
  out += said;
  out += kMark;
  return out;
}

Error::Error(Code c, std::string m) : code(c), message(std::move(m)) {
  if (message.find(kMark) == std::string::npos) return;
  sentence_ = std::move(message);
  message = expanded(sentence_, [](const Subject& subject) { return subject.said; });
}

std::string Error::said(const std::function<std::string(const Subject&)>& say) const {
  return sentence_.empty() ? message : expanded(sentence_, say);
}

std::string Error::render() const {
  std::string text(name());
  text += ": ";
  text += message;
  return text;
}

}  // namespace cairn
