// Prompts: pages that a person hands to a model for one kind of work with Cairn's tools.
//
//   casfa-guide       what there is and how it fits together
//   edit-files        changing files and committing        depotId
//   explore-project   finding one's way in a project       depotId
//   refactor          moving many files at once            depotId
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "exposure/mcp/service.h"
#include "tools/executor/executor.h"

namespace cairn::agent {

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  bool takes_depot = false;  // its one argument, which is required
  // Markdown; `{depotId}` stands for the argument. A line `tool {…}` is a call with its arguments.
  std::string_view text;
};

std::span<const Prompt> prompts();
// nullptr when there is none of this name.
const Prompt* find_prompt(std::string_view name);
bool prompt_takes(std::string_view name, std::string_view argument);

// As prompts/list shows them.
const json::Array& prompt_list();

// `{description, messages}`. kInvalidParams for a prompt that does not exist, an argument that is
// missing, and a depot that the caller does not see.
mcp::Rpc<json::Object> get_prompt(Executor& executor, const Caller& caller, std::string_view name,
                                  const json::Object& arguments);

}  // namespace cairn::agent
