#include "exposure/cli/identity.h"

#include <memory>
#include <system_error>
#include <utility>

#include "base/os/disk_files.h"
#include "base/quote.h"
#include "exposure/login/discovery.h"
#include "exposure/login/signed_in.h"

namespace cairn::cli {
namespace {

// Whether it is what a sign-in leaves, and no token.
bool is_sign_in(const std::string& file) {
  const auto text = os::read_line(file);
  return text && text->starts_with('{');
}

Identity kept(const Options& options, login::CredentialsFile file, std::string server,
              const Clock& clock) {
  auto mine = std::make_shared<login::SignedIn>(std::move(file), std::move(server), clock,
                                                http::ClientOptions{.ca_file = options.ca_file});
  return {.token = {}, .source = [mine = std::move(mine)](std::string_view refused) {
            return mine->token(refused);
          }};
}

// A file that somebody else keeps up to date: it is read each time.
Identity in_file(const Options& options) {
  return {.token = {}, .source = [options](std::string_view) -> Result<std::string> {
            return *TRY(given_token(options));
          }};
}

}  // namespace

Result<login::CredentialsFile> credentials_file(const Options& options, const std::string& server) {
  if (!options.token.empty()) {
    return fail(Code::kInvalidArgument,
                "--token is who you are already; signing in is for doing without one");
  }
  if (const auto file = TRY(given_token_file(options))) return login::CredentialsFile(*file);
  return login::CredentialsFile(login::CredentialsFile::usual(TRY(http::Url::parse(server))));
}

Result<std::optional<Identity>> find_identity(const Options& options, const std::string& server,
                                              const Clock& clock) {
  const bool socket = server.starts_with("unix:");
  const auto file = TRY(given_token_file(options));
  if (file && !socket && is_sign_in(*file)) {
    return kept(options, login::CredentialsFile(*file), TRY(login::origin_of(server)), clock);
  }
  if (auto token = TRY(given_token(options))) {
    if (file) return in_file(options);
    return Identity{.token = *std::move(token)};
  }
  // Over a unix socket whoever runs the command is known.
  if (socket) return Identity{};
  // Behind a path there is no sign-in.
  const auto origin = login::origin_of(server);
  if (!origin) return std::nullopt;
  auto usual =
      login::CredentialsFile(login::CredentialsFile::usual(TRY(http::Url::parse(*origin))));
  std::error_code error;
  if (!std::filesystem::exists(usual.path(), error)) return std::nullopt;
  return kept(options, std::move(usual), *origin, clock);
}

Result<Identity> identity(const Options& options, const std::string& server, const Clock& clock) {
  TRY(http::Url::parse(server));
  if (auto found = TRY(find_identity(options, server, clock))) return *std::move(found);
  return fail(Code::kInvalidToken,
              "nobody is signed in to {} here; sign in with 'cairn login --server {}', or give a "
              "token with --token-file or CAIRN_TOKEN",
              shown(server), shown(server));
}

}  // namespace cairn::cli
