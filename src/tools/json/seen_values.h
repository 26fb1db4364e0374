// Seen values: a change of a JSON value is held against what its author has read of it, as the
// writing of a file is (files/known.h). Who has read the document, and asks to replace or remove a
// value that others have changed since, is told so; what they did elsewhere in it is in nobody's
// way. Whoever has read nothing is held against nothing.
//
// Of a document that is read in parts, a caller has seen the values it was shown: they are
// remembered by their fingerprints, whichever version they are of. A value is known by its place
// where that is known; in the result of a query by its name there, and one without a name by
// itself: whoever was shown a bare 2 counts as having seen every 2 of the document.
//
// Threads  every function may be called from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/files/known.h"
#include "tools/json/documents.h"
#include "tools/json/json_context.h"

namespace cairn::json_context {

// Of a value at a place and those in it, the outermost first, as many as are remembered.
std::vector<std::uint64_t> fingerprints_at(const json::Pointer& place, const json::Value& value);
// Of one that came from somewhere in a document.
std::vector<std::uint64_t> fingerprints(const json::Value& value);

// CONFLICT with `paths` and `pointers`.
Result<void> check_seen(Call& call, const fs::Known& known, const OpenDocument& now,
                        const json::Pointer& pointer, const Touched& touched);

// The caller knows what it wrote below the pointer, {key: value} or [{index, value}], though not
// what else there is. Of a document that it has never read nothing is kept.
Result<void> note_written(const fs::Known& known, const Path& path, const json::Pointer& pointer,
                          const json::Value& written);

}  // namespace cairn::json_context
