// How the module speaks of what is wrong with a query; private to its own sources.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "base/budget.h"
#include "base/error.h"
#include "data/json/jmespath/jmespath.h"

namespace cairn::jmespath {

// `syntax error at offset 4, at 'b]': WHAT`
Error problem(Kind kind, std::string_view text, std::size_t offset, std::string_view what);

// Of a search that the budget stopped.
Error over_budget(const Budget& budget);

}  // namespace cairn::jmespath
