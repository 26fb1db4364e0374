// Errors as clients of the file tools know them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::work {

// The text of an error as the reference server has it. The first line is what that says, where it
// says something: `ENOENT: no such file or directory, open '/a/b'`; what to do follows. The detail
// `operation` is what failed (`open`), `place` is where, `from` and `to` are the ends of a move.
std::string reference_error(const Error& error);

// `文件不存在: …`: the manual's kind of it, and the same text.
std::string manual_error(const Error& error);

}  // namespace cairn::work
