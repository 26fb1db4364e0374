// A file as text for an agent: whole, or a range of lines, within a budget.
#pragma once

#include "tools/fs.h"

namespace cairn {

shape::Field start_line_field();
shape::Field end_line_field();

// NOT_TEXT for a binary file. Takes `startLine` and `endLine` from the arguments.
Result<FileContent> read_text(const TreeView& tree, const Path& path, const Arguments& arguments,
                              Budget& budget);
json::Object render_text(const FileContent& content, const Arguments& arguments);
json::Value text_shape();

}  // namespace cairn
