// How commands of this machine find the server that has a data directory open, and know that it is
// the one:
//
//   DIR/cairn.sock    its unix socket: whoever can open it is the machine's owner
//   DIR/server.json   its URL, its process, and a secret by which it proves itself (mode 0600)
//
// A server that was killed leaves both, and anybody may listen at its port then. So a token goes
// only to a server that answers a challenge with an HMAC under the secret.
//
// Threads     one at a time; it belongs to the running server.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

std::filesystem::path server_file(const std::filesystem::path& data);
std::filesystem::path server_socket(const std::filesystem::path& data);
// Of a server that is no more. REQUIRES: no server has the directory open.
void remove_stale_server(const std::filesystem::path& data);

struct ServedAt {
  std::string url;
  std::string secret;  // empty: it was written by a version that had none
};
// What the file says, true or not. UNAVAILABLE when there is none.
Result<ServedAt> served_at(const std::filesystem::path& data);

// Where a server is asked for its proof, with `?challenge=`.
inline constexpr std::string_view kProofPath = "/proof";
std::string proof_of(std::string_view secret, std::string_view challenge);

// Says where the server of a data directory is, as long as it runs.
class ServerFile final {
 public:
  ServerFile(const std::filesystem::path& data, const ServedAt& at);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace cairn
