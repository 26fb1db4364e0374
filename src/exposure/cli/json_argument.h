// JSON on the command line: as it is, or from a file.
#pragma once

#include <string>
#include <string_view>

#include "data/json/json.h"

namespace cairn::cli {

// All of a file; `-` is standard input.
Result<std::string> read_whole(const std::string& file);

// `{"a": 1}`, `@FILE`, or `-` for standard input. Errors name the option.
Result<json::Value> json_argument(const std::string& text, std::string_view option);

}  // namespace cairn::cli
