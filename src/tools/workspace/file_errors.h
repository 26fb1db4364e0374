// Errors as clients of the file tools know them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::work {

// The first line is what the reference server says, where it says something:
// `ENOENT: no such file or directory, open '/a/b'`; what to do follows. `operation` is what failed;
// the details `from` and `to` are the ends of a move, `operation` says it better than the argument.
// It has the detail `told`: the message is all there is to say.
Error told_error(Error error, std::string_view operation);

// `文件不存在: …`: the manual's kind of it, and the message.
std::string manual_error(const Error& error);

}  // namespace cairn::work
