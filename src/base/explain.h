// An error passed on by somebody who knows more: where it happened, what to do about it, or how it
// should be said here. No code edits a message: it is put together again, so that what the error is
// about (Subject in error.h) stays known as data. Code and details are kept.
//
// Threads  plain functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn {

// `WHERE: message`.
Error explained(Error error, std::string_view where);
// `message; ADVICE`.
Error advised(Error error, std::string_view advice);
// Another message. What it is about may be marked in it as fail() does it.
Error retold(Error error, std::string message);

}  // namespace cairn
