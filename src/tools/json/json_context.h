// Shared by the JSON tools: the context they work on, answers that fit, and changes that commit.
//
// A context is a JSON file in a depot and a pointer into it. Changes splice the file's text and
// commit at once; when somebody else committed meanwhile they are made again on what is there now,
// so that nobody's update is lost and every answer is about what was committed.
#pragma once

#include <functional>

#include "data/json/document/change.h"
#include "data/json/pointer.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"
#include "tools/files/fs.h"
#include "tools/json/documents.h"

namespace cairn::json_context {

// `depotId`, `path` and `jsonPath`, and the tool's own.
json::Value input(std::vector<shape::Field> own);
// The same with `dryRun`, for what changes.
json::Value change_input(std::vector<shape::Field> own);
shape::Field max_bytes();

struct Opened {
  OpenDocument document;
  const json::Value* value = nullptr;  // at the pointer; lives as long as the document
  json::Pointer pointer;
  std::optional<fs::Opened> named;  // the tree, when the caller has named it itself
};
Result<Opened> open(Call& call, const Arguments& arguments);
// The caller is given this of the document: its value at the pointer, or something from it.
enum class Shown { kValue, kSome };
Result<void> note_shown(Call& call, const Opened& opened, const json::Value& value, Shown shown);

// The value under that name, cut to what the answer has room for, with `truncated`, and when it is
// true `leftOut` and `hint`.
void add_cut(const Call& call, const Arguments& arguments, json::Object& answer,
             std::string_view name, const json::Value& value);
// The shape of such an answer.
json::Value cut_shape(std::vector<shape::Field> fields);

// Makes a change of one document, or of two files of one depot, and commits it. `about` goes into
// the commit's message.
using Change = std::function<Result<document::Changed>(const document::Document& document,
                                                       const json::Pointer& pointer)>;
// The places of values that a change overwrites or removes, below the one it works on.
using Touched = std::function<std::vector<json::Pointer>(const json::Value& now)>;
// CONFLICT when others have changed one of those since the caller read it. What the caller writes
// is known to it.
Result<Reply> change(Call& call, const Arguments& arguments, std::string_view about,
                     const Change& change, const Touched& touched, const json::Value* written);
// From the context to a pointer in `toPath`, another file of the depot.
Result<Reply> transfer(Call& call, const Arguments& arguments, bool move);

// Told to an outsider when the context of its tool cannot be reached: nothing of what is there
// instead.
Failure no_data();

// `{…, total?, root}`: what was done, and the depot's root now.
json::Value changed_shape(std::vector<shape::Field> fields);

}  // namespace cairn::json_context
