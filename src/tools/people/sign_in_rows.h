// How a sign-in looks in an answer.
#pragma once

#include "data/access/sign_ins.h"
#include "data/json/json.h"

namespace cairn {

json::Object render_sign_in(const SignIn& sign_in);
json::Value sign_in_shape();

}  // namespace cairn
