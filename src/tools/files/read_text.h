// A file as text for an agent: whole, or a range of lines, within a budget.
#pragma once

#include "tools/files/fs.h"

namespace cairn {

shape::Field start_line_field();
shape::Field end_line_field();
shape::Field start_byte_field();

// NOT_TEXT for a binary file. Takes `startLine`, `endLine` and `startByte` from the arguments. What
// stands around the content is paid for too; BUDGET_EXCEEDED when not even that fits.
Result<FileContent> read_text(const TreeView& tree, const Path& path, const Arguments& arguments,
                              Budget& budget);
json::Object render_text(const FileContent& content, const Arguments& arguments);
json::Value text_shape();

}  // namespace cairn
