#include "exposure/serve/server_file.h"

#include <system_error>
#include <tuple>

#include <unistd.h>

#include "base/base64.h"
#include "base/os/disk_files.h"
#include "base/sha256.h"
#include "data/json/json.h"
#include "exposure/serve/serve.h"

namespace cairn {
namespace {

std::string text_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value != nullptr && value->is_string() ? std::string(json::text(*value)) : std::string();
}

}  // namespace

std::filesystem::path server_file(const std::filesystem::path& data) {
  return data / "server.json";
}

std::filesystem::path server_socket(const std::filesystem::path& data) {
  return data / "cairn.sock";
}

void remove_stale_server(const std::filesystem::path& data) {
  std::error_code ignored;
  std::filesystem::remove(server_file(data), ignored);
  std::filesystem::remove(server_socket(data), ignored);
}

ServerFile::ServerFile(const std::filesystem::path& data, const ServedAt& at)
    : path_(server_file(data)) {
  const json::Object text{
      {"url", at.url}, {"pid", static_cast<int>(::getpid())}, {"secret", at.secret}};
  // Without it others only do not find the server.
  std::ignore = os::replace_file(path_, json::write(text) + "\n", 0600);
}

ServerFile::~ServerFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Result<ServedAt> served_at(const std::filesystem::path& data) {
  auto value = json::parse(os::read_file(server_file(data)).value_or(""));
  if (value && value->is_object()) {
    const auto& object = value->get_object();
    ServedAt at{text_of(object, "url"), text_of(object, "secret")};
    if (!at.url.empty()) return at;
  }
  return fail(Code::kUnavailable, "no server says that it has {} open", data.string());
}

Result<std::string> running_server(const std::filesystem::path& data) {
  return TRY(served_at(data)).url;
}

std::string proof_of(std::string_view secret, std::string_view challenge) {
  const auto digest = hmac_sha256(secret, fmt::format("cairn server proof\n{}", challenge));
  return base64_encode(ByteView(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace cairn
