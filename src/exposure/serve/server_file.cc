#include "exposure/serve/server_file.h"

#include <system_error>
#include <tuple>

#include <unistd.h>

#include "base/os/disk_files.h"
#include "data/json/json.h"
#include "exposure/serve/serve.h"

namespace cairn {

std::filesystem::path server_file(const std::filesystem::path& data) {
  return data / "server.json";
}

ServerFile::ServerFile(const std::filesystem::path& data, std::string_view url)
    : path_(server_file(data)) {
  const json::Object text{{"url", url}, {"pid", static_cast<int>(::getpid())}};
  // Without it others only do not find the server.
  std::ignore = os::replace_file(path_, json::write(text) + "\n", 0666);
}

ServerFile::~ServerFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Result<std::string> running_server(const std::filesystem::path& data) {
  auto value = json::parse(os::read_file(server_file(data)).value_or(""));
  const auto* url = value && value->is_object() ? json::find(value->get_object(), "url") : nullptr;
  if (url != nullptr && url->is_string()) return std::string(json::text(*url));
  return fail(Code::kUnavailable, "no server says that it has {} open", data.string());
}

}  // namespace cairn
