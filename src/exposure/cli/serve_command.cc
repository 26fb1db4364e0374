#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/os/memory.h"
#include "data/oauth/redirect_uri.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/serve/serve.h"

namespace cairn::cli {
namespace {

struct ServeArguments {
  std::string listen = "127.0.0.1:8765";
  std::string certificate;
  std::string key;
  std::string internal;
  std::string secret;
  std::vector<std::string> roots;
  std::vector<std::string> read_only_roots;
  std::string log = "text";
  std::string log_file;
  std::string memory;
  std::string public_url;
  std::vector<std::string> schemes;
  std::int64_t window = 60;
  bool no_iss = false;
  ServeOptions options;
  oidc::Settings provider;
  std::string provider_secret;
  std::string new_users = "refuse";
  int provider_max_age = 0;
};

LogFormat log_format(std::string_view name) {
  if (name == "json") return LogFormat::kJson;
  return name == "none" ? LogFormat::kNone : LogFormat::kText;
}

// What was said of a provider; nothing: nothing was.
Result<std::optional<oidc::Settings>> provider_of(const ServeArguments& given) {
  auto out = given.provider;
  if (out.issuer.empty()) {
    const bool said = !out.client_id.empty() || !given.provider_secret.empty() ||
                      !out.people.domains.empty() || !out.people.groups.empty() ||
                      out.people.link_by_email || given.new_users != "refuse";
    if (!said) return std::nullopt;
    return fail(Code::kInvalidArgument,
                "options of a sign-in provider are given, and --oidc-issuer, which says whose, is "
                "not");
  }
  if (!given.provider_secret.empty()) out.secret_file = given.provider_secret;
  if (given.provider_max_age > 0) out.max_age = std::chrono::seconds(given.provider_max_age);
  out.people.new_people = TRY(oidc::parse_new_people(given.new_users));
  TRY(oidc::check(out));
  return out;
}

Result<int> run_serve(Kit& kit, ServeArguments& given) {
  auto& options = given.options;
  if (!kit.options.server.empty()) {
    return fail(Code::kInvalidArgument, "serve opens a data directory; it takes no --server");
  }
  TRY(parse_listen(given.listen, options.address, options.port));
  if (given.internal.empty() != given.secret.empty()) {
    return fail(Code::kInvalidArgument, "--internal-listen and --internal-secret go together");
  }
  if (!given.internal.empty()) {
    InternalListener internal{.address = "127.0.0.1", .port = 0, .secret_file = given.secret};
    TRY(parse_listen(given.internal, internal.address, internal.port));
    options.internal = std::move(internal);
  }
  for (const auto& root : given.roots) {
    options.directories.push_back(TRY(work::ServedDirectory::parse(root)));
  }
  for (const auto& root : given.read_only_roots) {
    options.directories.push_back(TRY(work::ServedDirectory::parse(root)));
    options.directories.back().read_only = true;
  }
  if (!given.public_url.empty()) {
    const auto origin = TRY(oauth::Origin::parse(given.public_url));
    if (!origin.is_https() && !origin.is_loopback()) {
      return fail(Code::kInvalidArgument,
                  "--public-url is {}, and tokens would cross the network in the clear; it should "
                  "begin with https",
                  origin.text());
    }
    options.public_url = origin.text();
  }
  for (const auto& scheme : given.schemes) {
    TRY(oauth::check_program_scheme(scheme));
    options.oauth.redirect_schemes.insert(lowered(scheme));
  }
  constexpr std::int64_t kLongestWindow = 300;
  if (given.window < 0 || given.window > kLongestWindow) {
    return fail(Code::kInvalidArgument,
                "--oauth-refresh-window is {}; it should be 0 to {} seconds", given.window,
                kLongestWindow);
  }
  options.oauth.window = std::chrono::seconds(given.window);
  options.oauth.with_iss = !given.no_iss;
  options.provider = TRY(provider_of(given));
  options.data = data_directory(kit.options);
  if (!given.certificate.empty()) options.tls_certificate = given.certificate;
  if (!given.key.empty()) options.tls_key = given.key;
  options.log = log_format(given.log);
  if (!given.log_file.empty()) options.log_file = given.log_file;
  options.memory = TRY(memory_budget(given.memory, MemoryFor::kServer, os::available_memory()));
  options.version = CAIRN_VERSION;
  TRY(serve(options, kit.clock(), kit.world().random));
  return 0;
}

void add_provider_options(const Command& command, ServeArguments& given) {
  auto& provider = given.provider;
  command.add_value("--oidc-issuer", provider.issuer, "URL",
                    "People may sign in with this provider of OpenID Connect");
  command.add_value("--oidc-client-id", provider.client_id, "ID",
                    "What the provider knows this server by");
  command.add_value("--oidc-client-secret-file", given.provider_secret, "FILE",
                    "Its first line is the secret that goes with the id");
  command.add_value("--oidc-name", provider.name, "NAME",
                    "What people call the provider [its host]");
  command
      .add_value("--oidc-new-users", given.new_users, "WHAT",
                 "Of people nobody knows here yet: refuse, unauthorized or authorized [refuse]")
      .one_of({"refuse", "unauthorized", "authorized"});
  command
      .add_value("--oidc-domain", provider.people.domains, "DOMAIN",
                 "Only people with a verified address of mail there; may be repeated")
      .repeated();
  command
      .add_value("--oidc-group", provider.people.groups, "GROUP",
                 "Only people in this group at the provider, or another that is named")
      .repeated();
  command.add_value("--oidc-groups-claim", provider.groups_claim, "CLAIM",
                    "Where the provider names groups; Cognito: cognito:groups [groups]");
  command.add_flag("--oidc-link-email", provider.people.link_by_email,
                   "A verified address of mail that is a user's name is that user; never an admin");
  command.add_value("--oidc-scope", provider.scope, "SCOPES",
                    "What to ask the provider for [openid email profile]");
  command
      .add_value("--oidc-max-age", given.provider_max_age, "SECONDS",
                 "How long ago people may have given the provider their password [any time]")
      .non_negative();
}

}  // namespace

void add_serve_command(Commands& commands) {
  auto given = std::make_shared<ServeArguments>();
  auto command = commands.add(
      {.name = "serve",
       .description = "Serve a data directory: REST API, and the store for other commands",
       .example = "cairn serve --data /srv/cairn --listen 127.0.0.1:8765",
       .more =
           "Makes the data directory when there is none, with the owner's token in owner.token.\n"
           "SIGTERM and SIGINT end it when what was running has finished, but for searches and\n"
           "checks. SIGHUP reads the TLS files again and opens the log file anew.",
       .group = "Server"},
      [given](Kit& kit) { return run_serve(kit, *given); });
  command.add_value("--listen", given->listen, "ADDRESS:PORT", "Where [127.0.0.1:8765]");
  command.add_flag("--behind-proxy", given->options.behind_proxy,
                   "Plain HTTP on any address: a proxy ends TLS");
  command.add_value("--public-url", given->public_url, "URL",
                    "Where browsers and clients find it, e.g. https://cairn.example; needed for "
                    "programs that sign in by OAuth, but on loopback");
  command
      .add_value("--oauth-redirect-scheme", given->schemes, "SCHEME",
                 "Also send answers to programs by SCHEME://…; may be repeated")
      .repeated();
  command.add_value("--oauth-refresh-window", given->window, "SECONDS",
                    "For so long after its first use a program's refresh token is good again [60]");
  command.add_flag("--no-oauth-iss", given->no_iss,
                   "Leave out who an answer is from, for clients that fail on it");
  add_provider_options(command, *given);
  command.add_value("--tls-cert", given->certificate, "FILE", "Certificate chain, PEM");
  command.add_value("--tls-key", given->key, "FILE", "Its key, PEM");
  command.add_value("--internal-listen", given->internal, "ADDRESS:PORT",
                    "Also for front ends of your own: /internal/aei and /internal/adi");
  command.add_value("--internal-secret", given->secret, "FILE",
                    "Its first line is the secret they send as bearer token");
  command
      .add_value("--root", given->roots, "NAME=DIR",
                 "Also file tools on a directory of this machine, at /mcp/directories/NAME; may be "
                 "repeated")
      .repeated();
  command
      .add_value("--read-only-root", given->read_only_roots, "NAME=DIR",
                 "The same, and nobody writes there")
      .repeated();
  command.add_value("--log-format", given->log, "FORMAT", "text, json or none [text]")
      .one_of({"text", "json", "none"});
  command.add_value("--log-file", given->log_file, "FILE",
                    "Append the lines of requests to a file instead of standard error");
  command.add_value("--memory", given->memory, "SIZE",
                    "Memory to use, caches and all [CAIRN_MEMORY, a quarter of the machine's]");
  command
      .add_value("--rate", given->options.rate, "N",
                 "Calls a second for each delegate but the owners; 0: no limit [1000]")
      .non_negative();
}

}  // namespace cairn::cli
