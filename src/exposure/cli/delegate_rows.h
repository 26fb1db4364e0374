// A delegate as people give and see it.
//
// Threads     plain functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "exposure/cli/output.h"
#include "exposure/client/client.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {

// `my-project:docs` becomes `dpt_…/docs`; `.` and `0:1:2` stay as they are.
Result<std::string> scope_root(client::Client& client, const std::string& text);

// Of one that a tool has answered with.
std::string rights_of(const Arguments& delegate);
std::string sees(const Arguments& delegate);
std::string ends(const Arguments& delegate);
std::string used(const Arguments& delegate);
std::string_view kind_of(const Arguments& delegate);
void show_delegate(Output& out, const Arguments& delegate);

// A note when less than a tenth of its life is left.
void warn_of_end(const Arguments& delegate, Millis now);
// The same of whoever the client is, for what runs long. What cannot be asked is left alone.
void warn_of_own_end(client::Client& client, Millis now);

}  // namespace cairn::cli
