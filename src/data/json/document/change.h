// Changes to a JSON document that leave the rest of its text as it was.
//
// Every byte outside of the changed elements stays (numbers such as 1.50 included); what is new
// follows the layout around it: lines and indentation, spaces after commas and colons, \r\n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/json/json.h"
#include "data/json/pointer.h"

namespace cairn::document {

// REQUIRES: value is parse(text).
struct Document {
  const json::Value& value;
  std::string_view text;
};

struct Changed {
  std::string text;
  json::Object summary;
};

inline constexpr std::size_t kMaxBatch = 1000;

// create(), update() and remove() do all that they are asked or nothing, work on the children of
// the value at `context`, and take indices as they were before the call. Summaries list keys, or
// indices from 0. Arguments hold UTF-8.
//
// Fail with  JSON_PATH_NOT_FOUND (the context), WRONG_JSON_TYPE (it is neither an object nor an
//            array, or the arguments are for the other one), INVALID_ARGUMENT (an item of the wrong
//            shape, twice the same key, more than kMaxBatch items or none, too deep a document);
//            the detail `argument` names the item: `items[3]`, `items.name`.
// Cost       a scan of the text up to the end of the container, and a copy of it.

// For an object {key: value, ...} or [{key, value}, ...] with new keys, put at its end; for an
// array [value, ...], put before `index` (0 to the length), or at the end. {created: [key or index,
// ...], total}. Fails with KEY_EXISTS; KEY_NOT_FOUND (the index).
Result<Changed> create(const Document& document, const json::Pointer& context,
                       const json::Value& items, std::optional<std::int64_t> index = {});

enum class Update { kReplace, kMerge };

// For an object {key: value, ...} or [{key, value}, ...] with keys that exist; for an array
// [{index, value}, ...] or {"3": value, ...}, where -1 is the last. Merging (RFC 7396) touches only
// the members that change; a null in the patch deletes a member, a patch that is null is the value.
// {updated: [key or index, ...], total}. Fails with KEY_NOT_FOUND (detail `nearest`).
Result<Changed> update(const Document& document, const json::Pointer& context,
                       const json::Value& items, Update how = Update::kReplace);

// Keys of an object, or indices of an array, where -1 is the last: [key or index, ...].
// {deleted: [key or index, ...], total}. Fails with KEY_NOT_FOUND (detail `nearest`).
Result<Changed> remove(const Document& document, const json::Pointer& context,
                       const json::Value& keys);

// One value from a pointer to another (RFC 6902): the target's parent exists; in an object the key
// is new, in an array the value is put before the index, or at the end (`-` or the length). The
// spelling is kept. A target's indices are those without the value that was moved away.
// {from, to}: both as pointers, `-` replaced.
//
// Fail with  JSON_PATH_NOT_FOUND, KEY_EXISTS, WRONG_JSON_TYPE (the parent is not a container),
//            KEY_NOT_FOUND (an index beyond the end), MOVE_INTO_SELF (the target is the value or in
//            it; also when it is copied), INVALID_ARGUMENT (the whole document as target, too
//            deep).
Result<Changed> move(const Document& document, const json::Pointer& from, const json::Pointer& to);
Result<Changed> copy(const Document& document, const json::Pointer& from, const json::Pointer& to);

// From one document to another: the target's text.
Result<Changed> copy_between(const Document& source, const json::Pointer& from,
                             const Document& target, const json::Pointer& to);

struct MovedBetween {
  std::string source;
  std::string target;
  json::Object summary;
};

// The whole source cannot be moved away: MOVE_INTO_SELF does not apply, INVALID_ARGUMENT does.
Result<MovedBetween> move_between(const Document& source, const json::Pointer& from,
                                  const Document& target, const json::Pointer& to);

}  // namespace cairn::document
