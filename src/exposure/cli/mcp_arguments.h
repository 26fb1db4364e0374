// What `cairn mcp` and `cairn mcp config` are told.
//
// Threads     values, and plain functions of their arguments.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/agent/selection_request.h"
#include "exposure/cli/command.h"
#include "exposure/cli/options.h"
#include "exposure/mcp/bridge/upstream.h"

namespace cairn::cli {

struct McpArguments {
  // A workspace instead of Cairn's own tools: of directories, or of a depot.
  std::optional<Option> root;
  std::vector<std::string> roots;
  std::optional<std::string> depot;
  std::optional<std::string> directory;  // of a server
  std::optional<std::string> answer_size;
  std::optional<std::string> toolsets;
  std::optional<std::string> tools;
  std::optional<std::string> exclude_tools;
  bool read_only = false;
  // mcp config
  std::string client;
  std::string name = "cairn";
  bool http = false;
  bool key = false;
  bool as_owner = false;
  bool can_manage = false;
  std::vector<std::string> scope;
  std::string expires;
};

// The tools to be offered: as options of `cairn mcp`, and as headers for its server.
struct Choice {
  std::string_view option;
  std::string_view header;
  const std::optional<std::string>& names;
};

std::array<Choice, 3> choices(const McpArguments& given);

// With --root, which may stand alone.
bool on_directories(const McpArguments& given);
// Whether they fit together.
Result<void> check_mcp(const McpArguments& given);
// Where --root is, and where --directory is.
Result<void> check_machine(const Options& options, const McpArguments& given);

// Where a server has what is asked for.
std::string path_of(const McpArguments& given);
mcp::Headers headers_of(const McpArguments& given);

}  // namespace cairn::cli
