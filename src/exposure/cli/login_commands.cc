// cairn login, logout, whoami.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/delegate_rows.h"
#include "exposure/cli/identity.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/open_page.h"
#include "exposure/client/pages.h"
#include "exposure/login/sign_in.h"

namespace cairn::cli {
namespace {

struct LoginArguments {
  std::vector<std::string> scopes;
  std::string client;
  bool device = false;
  bool no_browser = false;
  bool all = false;
};

// What people write for a scope.
std::string scope_named(std::string_view name) {
  if (name == "read") return "cas:read";
  if (name == "write") return "cas:write";
  if (name == "manage") return "depot:manage";
  return std::string(name);
}

std::string scope_of(const LoginArguments& given) {
  std::string out;
  for (const auto& scope : given.scopes) out += (out.empty() ? "" : " ") + scope_named(scope);
  return out;
}

// So that the page where one allows it, and the list of what was allowed, say which it is. A server
// takes equal names for one client, and gives that one grant: whoever signs in to a file of its own
// is another.
std::string client_name(const Options& options, const login::CredentialsFile& file) {
  std::array<char, 256> host{};
  std::ignore = ::gethostname(host.data(), host.size() - 1);
  const char* user = std::getenv("USER");
  auto name = fmt::format("cairn of {} on {}", user == nullptr ? "somebody" : shown(user, 32),
                          shown(host.data(), 64));
  const auto own = given_token_file(options);
  if (own && *own) name += " in " + shown(std::filesystem::absolute(file.path()).string(), 64);
  return name;
}

Result<std::string> server_to_sign_in_to(const Options& options) {
  auto server = TRY(named_server(options));
  if (!server.empty()) return login::origin_of(server);
  return fail(Code::kInvalidArgument,
              "say which server, with --server URL or CAIRN_SERVER; a data directory of this "
              "machine needs no sign-in");
}

void show_page(const LoginArguments& given, const std::string& server, const std::string& page) {
  const bool opened = !given.no_browser && open_page(page);
  note(fmt::format(
      "{} to sign in to {}:", opened ? "a browser should have opened this page" : "open this page",
      shown(server)));
  fmt::print(stderr, "\n  {}\n\n", shown(page, 8000));
  if (!opened) note("if your browser is on another machine, use --device instead");
}

void show_code(const std::string& server, const login::DeviceRequest& request) {
  note(fmt::format("to sign in to {}, open this page in any browser and enter the code {}:",
                   shown(server), shown(request.user_code)));
  fmt::print(stderr, "\n  {}\n\n", shown(request.page, 2000));
  if (!request.full_page.empty()) {
    note("or, with the code in it: " + shown(request.full_page, 2000));
  }
}

Result<login::Credentials> sign_in(Kit& kit, const LoginArguments& given, const std::string& server,
                                   const login::CredentialsFile& file) {
  const login::Web web({.ca_file = kit.options.ca_file});
  const login::Means means{web, kit.clock(), kit.world().random};
  const auto authority = TRY(login::discover(web, server));
  const login::Asking asking{.scope = scope_of(given),
                             .client = given.client,
                             .client_name = client_name(kit.options, file)};
  if (given.device) {
    return login::sign_in_elsewhere(means, authority, asking,
                                    [&](const auto& request) { show_code(server, request); });
  }
  return login::sign_in_here(means, authority, asking,
                             [&](const std::string& page) { show_page(given, server, page); });
}

// A file with a token that somebody has put there is not overwritten.
Result<void> check_replaceable(const login::CredentialsFile& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file.path(), error);
  if (error || size == 0) return {};
  TRY(file.read());
  return {};
}

Result<int> run_login(Kit& kit, const LoginArguments& given) {
  const auto server = TRY(server_to_sign_in_to(kit.options));
  const auto file = TRY(credentials_file(kit.options, server));
  TRY(check_replaceable(file));
  const auto credentials = TRY(sign_in(kit, given, server, file));
  {
    const auto lock = TRY(file.lock());
    TRY(file.write(credentials));
  }
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"server", credentials.server},
                                    {"scope", credentials.tokens.scope},
                                    {"file", file.path().string()}});
    return 0;
  }
  kit.out.print("signed in to {}\n", kit.out.safe(credentials.server));
  kit.out.print("  scope    {}\n", kit.out.safe(credentials.tokens.scope));
  kit.out.print("  kept in  {}\n", kit.out.safe(file.path().string()));
  note(
      fmt::format("commands with --server {0} use it from now on, and so do those without when "
                  "CAIRN_SERVER={0} is set; it ends with 'cairn logout'",
                  shown(server)));
  return 0;
}

// True: the server knows that it is over.
bool end_at_server(const Kit& kit, const login::Credentials& credentials) {
  const bool possible =
      !credentials.revocation_endpoint.empty() && !credentials.tokens.refresh.empty();
  const auto ended = possible ? login::revoke(login::Web({.ca_file = kit.options.ca_file}),
                                              credentials.revocation_endpoint, credentials.client,
                                              credentials.tokens.refresh)
                              : Result<void>(fail(Code::kUnavailable, "it takes nothing back"));
  if (ended) return true;
  note(
      fmt::format("{} was not told, so what you allowed there goes on until it expires; end it on "
                  "its page, or with 'cairn delegate revoke': {}",
                  shown(credentials.server), ended.error().message));
  return false;
}

Result<int> log_out(Kit& kit, const login::CredentialsFile& file) {
  const auto lock = TRY(file.lock());
  const auto credentials = file.read();
  // What cannot be read is gone all the same.
  TRY(file.remove());
  if (!credentials) return Failure(credentials.error());
  if (!*credentials) return 0;
  const bool ended = end_at_server(kit, **credentials);
  kit.out.print("signed out of {}\n", kit.out.safe((*credentials)->server));
  return ended ? 0 : info(Code::kUnavailable).exit_code;
}

bool is_there(const login::CredentialsFile& file) {
  std::error_code error;
  return std::filesystem::exists(file.path(), error);
}

Result<int> log_out_everywhere(Kit& kit) {
  int worst = 0;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(login::CredentialsFile::folder(), error)) {
    if (entry.path().extension() == ".lock" || entry.path().extension() == ".new") continue;
    const auto done = log_out(kit, login::CredentialsFile(entry.path()));
    if (!done) note(done.error().render());
    worst = std::max(worst, done ? *done : info(done.error().code).exit_code);
  }
  return worst;
}

Result<int> run_logout(Kit& kit, const LoginArguments& given) {
  if (given.all) return log_out_everywhere(kit);
  const auto server = TRY(server_to_sign_in_to(kit.options));
  const auto file = TRY(credentials_file(kit.options, server));
  if (is_there(file)) {
    if (TRY(given_token_file(kit.options))) TRY(check_replaceable(file));
    return log_out(kit, file);
  }
  note(fmt::format("nobody was signed in to {} here", shown(server)));
  return 0;
}

// What is kept of a sign-in at the server; nothing when something else says who one is.
Result<std::optional<login::Credentials>> kept(const Kit& kit, const std::string& server) {
  if (server.empty()) return std::nullopt;
  const auto who = TRY(find_identity(kit.options, server, kit.clock()));
  if (!who || !who->source || !kit.options.token.empty()) return std::nullopt;
  const auto file = credentials_file(kit.options, server);
  auto found = file ? file->read() : Result<std::optional<login::Credentials>>(std::nullopt);
  return found ? *std::move(found) : std::nullopt;
}

Result<int> run_whoami(Kit& kit) {
  const auto server = TRY(named_server(kit.options));
  auto& client = *TRY(kit.client());
  const auto delegate = TRY(client.call("get_delegate", {}));
  const auto mine = TRY(kept(kit, server));
  const Arguments about(delegate.as_object());
  warn_of_end(about, kit.clock().now());
  const auto store = server.empty() ? data_directory(kit.options).string() : server;
  if (kit.options.json) {
    json::Object out{{"store", store}, {"delegate", delegate}};
    if (mine) {
      out["signIn"] = json::Object{{"scope", mine->tokens.scope},
                                   {"signedInAt", mine->signed_in_at},
                                   {"renewedAt", mine->renewed_at},
                                   {"expiresAt", mine->expires_at()}};
    }
    kit.out.print_json(out);
    return 0;
  }
  show_delegate(kit.out, about);
  kit.out.print("  realm    {}\n", about.text("realm"));
  kit.out.print("  store    {}\n", kit.out.safe(store));
  if (mine) {
    kit.out.print("  sign-in  {}, since {}, renews itself\n", kit.out.safe(mine->tokens.scope),
                  human_time(mine->signed_in_at));
  }
  return 0;
}

}  // namespace

void add_login_commands(Commands& commands) {
  auto given = std::make_shared<LoginArguments>();
  auto command = commands.add(
      {.name = "login",
       .description = "Sign in to a server, and stay signed in",
       .example = "cairn login --server https://cairn.example",
       .more =
           "Opens a page of the server in a browser, where you say what this machine may see and\n"
           "for how long. Over ssh, or wherever there is no browser, --device shows a code for "
           "one\n"
           "on any other device. What comes of it is kept for you only, in\n"
           "$XDG_CONFIG_HOME/cairn/credentials or the file in CAIRN_TOKEN_FILE, and renewed by\n"
           "whatever command needs it. SCOPE is read, write or manage (of depots).",
       .group = "Access"},
      [given](Kit& kit) { return run_login(kit, *given); });
  command.add_flag("--device", given->device, "With a code, in a browser anywhere");
  command
      .add_value("--scope", given->scopes, "SCOPE",
                 "What to ask for; may be repeated [read and write]")
      .repeated();
  command.add_flag("--no-browser", given->no_browser, "Print the page, and open nothing");
  command.add_value("--client-id", given->client, "ID",
                    "As a client that was added to the server [registers itself]");

  command = commands.add({.name = "logout",
                          .description = "End a sign-in, here and at the server",
                          .example = "cairn logout --server https://cairn.example",
                          .group = "Access"},
                         [given](Kit& kit) { return run_logout(kit, *given); });
  command.add_flag("--all", given->all, "At every server");

  commands.add({.name = "whoami",
                .description = "Who you are to a store, what you may do and see, and until when",
                .example = "cairn whoami --server https://cairn.example",
                .group = "Access"},
               run_whoami);
}

}  // namespace cairn::cli
