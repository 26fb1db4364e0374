// A tool as tools/list shows it.
//
// Definitions are read by a model before every conversation, so those for agents say each thing
// once: schemas without what the executor checks anyway, hints only where they differ from what
// clients take for granted. Outsiders get all of the schemas; for the file tools they are as
// clients of the reference server know them.
#pragma once

#include "data/json/json.h"
#include "tools/executor/tool.h"

namespace cairn {

// `{name, title, description, inputSchema, outputSchema, annotations}`.
json::Object definition(const Tool& tool);

// The schema of a tool's arguments without least values and limits on lengths: it accepts a little
// more than the tool does, which says what is wrong with the rest.
json::Value compact_input(const json::Value& schema);

// The schema of an answer: the members that are always there and their types, one level deep.
// Whatever fits the schema it was made from fits this one.
json::Value compact_output(const json::Value& schema);

}  // namespace cairn
