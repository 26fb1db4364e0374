// The tools for people about themselves: who they are here, where they are signed in, their
// password.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool get_me();
Tool list_sign_ins();
Tool end_sign_in();
Tool change_password();
Tool create_sign_in_link();

}  // namespace cairn
