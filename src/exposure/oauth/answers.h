// Answers as OAuth has them: JSON that any page may read, and that nobody keeps.
//
// Threads  plain functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include "data/json/json.h"
#include "data/oauth/tokens.h"
#include "exposure/http/http.h"

namespace cairn::oauth {

http::Response answer(int status, const json::Object& body);
// {"error": …, "error_description": …}
http::Response refusal(const Denied& denied);
http::Response refusal(int status, std::string_view error, std::string_view description);
// What a browser asks before it lets a page call.
http::Response preflight();
http::Response wrong_method(std::string_view allowed);
// No cookie counts here, so any page may call.
void allow_pages(http::Response& response);

}  // namespace cairn::oauth
