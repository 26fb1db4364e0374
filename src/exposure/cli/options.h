// The options that every command takes: which store, as whom, and how to print.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_budget.h"
#include "base/result.h"

namespace cairn::cli {

// As given; empty when not.
struct Options {
  std::string data;
  std::string server;
  std::string token;
  std::string token_file;
  std::string ca_file;
  bool json = false;
  bool no_color = false;
};

// --data, CAIRN_DATA, $XDG_DATA_HOME/cairn or ~/.local/share/cairn.
std::filesystem::path data_directory(const Options& options);

// --token, --token-file, CAIRN_TOKEN or the file in CAIRN_TOKEN_FILE.
// INVALID_ARGUMENT for CAIRN_REFRESH_TOKEN, which is good for one use, and when both are set.
Result<std::optional<std::string>> given_token(const Options& options);
// The file of those, when it is one that a token stands in, or what a sign-in has left.
Result<std::optional<std::string>> given_token_file(const Options& options);

// --server; or CAIRN_SERVER, when no --data is given. Empty: none.
Result<std::string> named_server(const Options& options);
// `90`, `90s`, `15m`, `1h`, `7d`, `2w`.
Result<std::chrono::seconds> parse_duration(std::string_view text);
// `1000`, `500MB`, `1.5G`, `64KiB`.
Result<std::int64_t> parse_size(std::string_view text);

// How much memory is used, of so much that there is (base/os/memory.h): as `given`, or as
// CAIRN_MEMORY says, or what is usual for a server or for a command.
// INVALID_ARGUMENT: it is no size, too little to run in, or more than there is.
enum class MemoryFor { kServer, kCommand };
Result<MemoryBudget> memory_budget(std::string_view given, MemoryFor what, std::size_t available);

}  // namespace cairn::cli
