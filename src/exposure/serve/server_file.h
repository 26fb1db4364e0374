// DIR/server.json: where the server is that has a data directory open.
//
// Threads     one at a time; it belongs to the running server.
#pragma once

#include <filesystem>
#include <string_view>

namespace cairn {

std::filesystem::path server_file(const std::filesystem::path& data);

// Says where the server of a data directory is, as long as it runs.
class ServerFile final {
 public:
  ServerFile(const std::filesystem::path& data, std::string_view url);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace cairn
