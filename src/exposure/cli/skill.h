// A skill: a folder that tells an agent which tools an endpoint has, and a script that calls them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "data/json/json.h"

namespace cairn::cli {

struct SkillSource {
  std::string name;         // of the endpoint
  std::string description;  // of the endpoint
  std::string url;          // of the server
  json::Array tools;        // as clients list them
};

// Letters, digits and hyphens: what a skill may be called.
std::string skill_name(std::string_view name);

// Files by their path in the folder. The key is in none of them: the script takes it from
// CAIRN_ENDPOINT_KEY, or from the file `.key` beside it.
std::map<std::string, std::string> make_skill(const SkillSource& source);

}  // namespace cairn::cli
