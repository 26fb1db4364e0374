// The settings that make an MCP client use Cairn, each in the format of its own file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::cli {

struct ClientSettings {
  std::string name = "cairn";  // what the client calls it
  // A program to start…
  std::string command = {};
  std::vector<std::string> arguments = {};
  // …or, unless this is empty, the URL of an endpoint.
  std::string url = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Of the endpoint: whether a token is needed, which the client takes from CAIRN_TOKEN where it
  // can, and for that it is in a file. Where it cannot, it stands in the settings.
  bool needs_token = false;
  std::string token = {};
  std::string token_file = {};
};

struct SettingsBlock {
  std::string text;                // the block, and nothing else
  std::string file;                // where it belongs
  std::vector<std::string> notes;  // what else to know
};

// INVALID_ARGUMENT for a client nobody knows, with those that are known, for a name that would not
// do, and for an endpoint where a client takes only programs.
Result<void> check_settings(std::string_view client, const ClientSettings& settings);
// The same, and INVALID_TOKEN when a token has to stand in the settings and there is none.
Result<SettingsBlock> settings_block(std::string_view client, const ClientSettings& settings);

}  // namespace cairn::cli
