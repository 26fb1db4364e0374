// What only MCP has, asked by everybody of the rights matrix.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mcp_door.h"
#include "scene.h"

namespace cairn::rest_testing {

struct McpRow {
  std::string name;
  // How many there are to see, or a code.
  std::function<std::string(Scene& scene, McpDoor& door, const std::string& token)> run;
};
const std::vector<McpRow>& mcp_rows();

// `dpt_X` → `cas://depot:X`, `nod_X` → `cas://node:X`.
std::string uri_of(const std::string& key, const std::string& path = {});

}  // namespace cairn::rest_testing
