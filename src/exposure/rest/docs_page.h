// The OpenAPI document as a page to read.
#pragma once

#include <string>

#include "data/json/json.h"

namespace cairn::rest {

std::string docs_page(const json::Value& openapi);

}  // namespace cairn::rest
