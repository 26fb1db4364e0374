#include "exposure/login/credentials.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/secret_file.h"
#include "base/os/system.h"
#include "base/pause.h"
#include "base/quote.h"

namespace cairn::login {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
// A token that is about to end may have ended when the request is read.
constexpr std::chrono::milliseconds kMargin = std::chrono::minutes(1);
// Whoever renews waits for a server, but not for ever.
constexpr std::chrono::seconds kLockPatience{60};
constexpr std::chrono::milliseconds kLockPause{20};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Millis millis_of(const json::Object& object, std::string_view name) {
  const auto* found = json::find(object, name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

}  // namespace

Result<void> make_private_folder(const fs::path& folder, const os::Kernel& kernel) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  TRY(os::make_directories(folder.parent_path(), kernel));
  const auto made = os::make_directory(AT_FDCWD, folder.string(), 0700, kernel);
  if (made || made.error() == EEXIST) return {};
  return os::io_error("make the directory", folder, made.error());
}

Millis Credentials::expires_at() const {
  return renewed_at + std::chrono::milliseconds(tokens.lasts).count();
}

bool Credentials::fresh(Millis now) const {
  const auto life = std::chrono::milliseconds(tokens.lasts);
  // A clock that was set back: what it says of the token is worth nothing.
  return now >= renewed_at - kMargin.count() &&
         now + std::min(kMargin, life / 10).count() < expires_at();
}

void Credentials::renewed(Tokens fresh, Millis now) {
  if (fresh.refresh.empty()) fresh.refresh = std::move(tokens.refresh);
  if (fresh.scope.empty()) fresh.scope = std::move(tokens.scope);
  tokens = std::move(fresh);
  renewed_at = now;
}

std::string Credentials::render() const {
  return json::write_pretty(json::Object{{"version", kVersion},
                                         {"server", server},
                                         {"issuer", issuer},
                                         {"clientId", client},
                                         {"tokenEndpoint", token_endpoint},
                                         {"revocationEndpoint", revocation_endpoint},
                                         {"scope", tokens.scope},
                                         {"accessToken", tokens.access},
                                         {"refreshToken", tokens.refresh},
                                         {"signedInAt", signed_in_at},
                                         {"renewedAt", renewed_at},
                                         {"expiresAt", expires_at()}}) +
         "\n";
}

Result<Credentials> Credentials::parse(std::string_view text) {
  const auto value = json::parse(text);
  const auto* object = value ? value->if_object() : nullptr;
  if (object == nullptr) return fail(Code::kInvalidArgument, "it is not what a sign-in leaves");
  if (millis_of(*object, "version") != kVersion) {
    return fail(Code::kInvalidArgument, "it is of another version of cairn");
  }
  Credentials out{.server = text_of(*object, "server"),
                  .issuer = text_of(*object, "issuer"),
                  .client = text_of(*object, "clientId"),
                  .token_endpoint = text_of(*object, "tokenEndpoint"),
                  .revocation_endpoint = text_of(*object, "revocationEndpoint"),
                  .tokens = {.access = text_of(*object, "accessToken"),
                             .refresh = text_of(*object, "refreshToken"),
                             .scope = text_of(*object, "scope")},
                  .signed_in_at = millis_of(*object, "signedInAt"),
                  .renewed_at = millis_of(*object, "renewedAt")};
  const auto life = millis_of(*object, "expiresAt") - out.renewed_at;
  out.tokens.lasts = std::chrono::seconds(std::max<Millis>(life, 0) / 1000);
  if (out.server.empty() || out.tokens.access.empty()) {
    return fail(Code::kInvalidArgument, "it is not whole");
  }
  return out;
}

fs::path CredentialsFile::folder() {
  auto config = fs::path(environment("XDG_CONFIG_HOME"));
  // As the standard has it: one that is not absolute counts for nothing.
  if (!config.is_absolute()) {
    const auto home = environment("HOME");
    config = fs::path(home.empty() ? "." : home) / ".config";
  }
  return config / "cairn/credentials";
}

fs::path CredentialsFile::usual(const http::Url& server) {
  const bool v6 = server.host.find(':') != std::string::npos;
  const auto host = v6 ? "[" + server.host + "]" : lowered(server.host);
  const bool plain = server.scheme == "https" && server.port == 443;
  return folder() / (plain ? host : fmt::format("{}:{}", host, server.port));
}

Result<std::optional<Credentials>> CredentialsFile::read() const {
  TRY(os::check_secret(path_));
  const auto text = os::read_file(path_, std::size_t{1} << 20, kernel_);
  if (!text && (text.error() == ENOENT || text.error() == ENOTDIR)) return std::nullopt;
  if (!text) return os::io_error("read", path_, text.error());
  auto credentials = Credentials::parse(*text);
  if (credentials) return std::optional(*std::move(credentials));
  return fail(Code::kInvalidArgument,
              "the credentials in {} cannot be used: {}; remove the file and sign in again",
              os::shown_path(path_.string()), credentials.error().message);
}

Result<os::Handle> CredentialsFile::lock() const {
  TRY(make_private_folder(path_.parent_path(), kernel_));
  // A file of its own: the other one is replaced, and a lock on it would go with it.
  const auto path = path_.string() + ".lock";
  auto lock = TRY(
      os::checked(os::open_name(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, kernel_), "open", path));
  const auto until = std::chrono::steady_clock::now() + kLockPatience;
  for (;;) {
    const auto taken = os::try_lock(lock.fd(), kernel_);
    if (taken) return lock;
    if (taken.error() != EWOULDBLOCK) return os::io_error("lock", path, taken.error());
    if (std::chrono::steady_clock::now() > until) {
      return fail(Code::kRequestTimeout,
                  "another cairn has kept {} locked for {} seconds; end it, and try again",
                  os::shown_path(path), kLockPatience.count());
    }
    pause(kLockPause, {});
  }
}

Result<void> CredentialsFile::write(const Credentials& credentials) const {
  return os::replace_file(path_, credentials.render(), 0600, kernel_);
}

Result<void> CredentialsFile::remove() const {
  const auto removed = os::remove_name(AT_FDCWD, path_.string(), 0, kernel_);
  if (removed || removed.error() == ENOENT) return {};
  return os::io_error("remove", path_, removed.error());
}

}  // namespace cairn::login
