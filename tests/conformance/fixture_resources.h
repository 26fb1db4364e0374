// The resources of the fixture server.
#pragma once

#include <optional>
#include <string_view>

#include "data/json/json.h"

namespace cairn::conformance {

inline constexpr std::string_view kWatchedResource = "test://watched-resource";

json::Array resource_list();
json::Array template_list();

// The contents of one; nothing when there is none. `version` is told by the watched one.
std::optional<json::Object> read_resource(std::string_view uri, int version);

}  // namespace cairn::conformance
