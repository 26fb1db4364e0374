// `cairn serve`: opens the data directory and serves it until it is told to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/random.h"
#include "base/result.h"
#include "data/oauth/oauth.h"
#include "exposure/oidc/foreign_sign_in.h"
#include "tools/workspace/served_directories.h"

namespace cairn {

enum class LogFormat { kText, kJson, kNone };

// The listener of front ends that are trusted: who has the secret may run every tool of a context.
struct InternalListener {
  std::string address;
  std::uint16_t port = 0;
  std::filesystem::path secret_file;
};

struct ServeOptions {
  std::filesystem::path data;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8765;
  // Plain HTTP on an address others reach: somebody else ends TLS.
  bool behind_proxy = false;
  oauth::OAuthOptions oauth;
  std::optional<std::filesystem::path> tls_certificate;
  std::optional<std::filesystem::path> tls_key;
  // Where browsers and programs find it, such as https://cairn.example; empty: on loopback as their
  // Host says, and elsewhere no program signs in by OAuth.
  std::string public_url;
  std::optional<InternalListener> internal;
  // Of people who are known elsewhere.
  std::optional<oidc::Settings> provider;
  // Directories of this machine for the file tools, by name.
  std::vector<work::ServedDirectory> directories;
  LogFormat log = LogFormat::kText;
  // Where the lines of requests go; nothing: standard error.
  std::optional<std::filesystem::path> log_file;
  double rate = 1000;  // calls a second for each delegate but the root ones; 0: no limit
  std::chrono::minutes collect_every{24 * 60};  // 0: never
  MemoryBudget memory = MemoryBudget::usual(std::size_t{4} << 30);
  std::string version;
};

// `127.0.0.1:8765`, `[::1]:8765`, `:8765` or `8765`; what is not said stays.
Result<void> parse_listen(std::string_view text, std::string& address, std::uint16_t& port);

// Returns after SIGTERM or SIGINT, when what was running has finished and all is on disk. Prints
// where it listens and how to connect to standard output, a line per request to standard error.
Result<void> serve(const ServeOptions& options, const Clock& clock, Random& random);

// The URL, from DIR/server.json, of the server that has the directory open.
Result<std::string> running_server(const std::filesystem::path& data);

}  // namespace cairn
