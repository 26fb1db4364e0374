#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/stop_signals.h"
#include "exposure/agent/workspace_service.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/delegate_rows.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/local_store.h"
#include "exposure/cli/mcp_arguments.h"
#include "exposure/cli/mcp_config.h"
#include "exposure/client/remote_client.h"
#include "exposure/mcp/bridge/bridge.h"
#include "exposure/mcp/stdio.h"

namespace cairn::cli {
namespace {

constexpr int kMaxAttempts = 5;

// In the person's home, as the manual of the file tools has it.
constexpr std::string_view kDefaultRoot = ".promptx";

SelectionRequest selection_of(const McpArguments& given) {
  return {.toolsets = given.toolsets,
          .tools = given.tools,
          .exclude_tools = given.exclude_tools,
          .read_only = given.read_only};
}

// In this process, without a detour.
Result<void> serve_here(RunningServer& server, const Options& options, const McpArguments& given) {
  const auto selection = selection_of(given);
  const auto token = TRY(given_token(options));
  if (given.depot) {
    auto& executor = server.engine().executor();
    auto caller = token ? TRY(executor.authenticate(*token, "me", Entrance::kMcp))
                        : TRY(executor.trusted(server.engine().owner(), Entrance::kMcp));
    auto toolbox = TRY(server.engine().workspaces().open(caller, *given.depot, "stdio", selection));
    auto principal = std::make_shared<const agent::DepotPrincipal>(std::move(toolbox));
    return mcp::serve_stdio(server.workspace_mcp(), std::move(principal), STDIN_FILENO,
                            STDOUT_FILENO);
  }
  auto principal = token ? TRY(server.agent().admit(*token, selection))
                         : TRY(server.agent().trusted(server.engine().owner(), selection));
  return mcp::serve_stdio(server.mcp(), std::move(principal), STDIN_FILENO, STDOUT_FILENO);
}

// A key that is about to end is said where whoever set it up may see it.
void warn_of_token(const Kit& kit, const mcp::Target& target) {
  if (target.token.empty() && !target.source) return;
  const auto client = client::open_remote({.url = target.url,
                                           .token = target.token,
                                           .ca_file = kit.options.ca_file,
                                           .source = target.source});
  if (client) warn_of_own_end(**client, kit.clock().now());
}

// On the directory: the first opens it, the others go through the first.
Result<void> serve_shared(Kit& kit, const McpArguments& given, mcp::BridgeOptions bridge) {
  // As a server does: few arenas, and what is written is its owner's alone.
  ::mallopt(M_ARENA_MAX, 4);
  ::umask(0077);
  LocalStore store(kit.options, kit.world());
  const auto path = bridge.target.path;
  const auto reach = [&store, path]() -> Result<mcp::Target> {
    auto target = TRY(store.reach());
    target.path = path;
    return target;
  };
  bridge.reconnect = reach;
  // Whoever has it open may be about to end.
  for (int attempt = 1;; ++attempt) {
    bridge.target = TRY(reach());
    if (TRY(given_token(kit.options))) warn_of_token(kit, bridge.target);
    if (auto* ours = store.ours()) return serve_here(*ours, kit.options, given);
    auto knocked = mcp::knock(bridge);
    if (knocked) return mcp::bridge(bridge, STDIN_FILENO, STDOUT_FILENO);
    if (knocked.error().code != Code::kUnavailable || attempt == kMaxAttempts) return knocked;
  }
}

std::string home_directory() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home);
}

// Files of this machine, without any store.
Result<void> serve_directories(Kit& kit, const McpArguments& given) {
  // Answers are large at times: their memory is used again, not given back and faulted in anew.
  ::mallopt(M_ARENA_MAX, 4);
  ::mallopt(M_MMAP_THRESHOLD, 16 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  // --root alone is a list of one empty name.
  auto directories = given.roots;
  std::erase(directories, "");
  work::DirectoryOptions options{.directories = std::move(directories),
                                 .fallback = {},
                                 .home = home_directory(),
                                 .read_only = given.read_only};
  if (given.answer_size) options.answer_bytes = TRY(parse_size(*given.answer_size));
  if (options.home.empty() && options.directories.empty()) {
    return fail(Code::kInvalidArgument, "HOME is not set; name a directory with --root");
  }
  options.fallback = fmt::format("{}/{}", options.home, kDefaultRoot);
  const auto& world = kit.world();
  auto toolbox = TRY(work::DirectoryToolbox::open(std::move(options), selection_of(given),
                                                  world.clock, world.random));
  const auto service = agent::workspace_service(CAIRN_VERSION);
  mcp::Server server(*service, world.clock, world.random);
  auto principal = std::make_shared<const agent::DirectoryPrincipal>(std::move(toolbox));
  return mcp::serve_stdio(server, std::move(principal), STDIN_FILENO, STDOUT_FILENO);
}

Result<int> run_mcp(Kit& kit, const McpArguments& given) {
  TRY(check_mcp(given));
  TRY(check_machine(kit.options, given));
  if (on_directories(given)) {
    const os::InputEndsOnSignal signals;
    TRY(serve_directories(kit, given));
    return 0;
  }
  mcp::BridgeOptions bridge;
  bridge.headers = headers_of(given);
  bridge.target.path = path_of(given);
  if (given.depot) {
    // Each is held against what it has seen itself, also when several share a token.
    bridge.headers.emplace_back("X-Cairn-Desk",
                                DelegateId::make(kit.clock(), kit.world().random).render());
  }
  bridge.client.ca_file = kit.options.ca_file;
  const auto server = TRY(proved_choice(kit.options, kit.world()));
  const os::InputEndsOnSignal signals;
  if (server) {
    bridge.target.url = server->url;
    bridge.target.token = server->who.token;
    bridge.target.source = server->who.source;
    TRY(mcp::knock(bridge));
    warn_of_token(kit, bridge.target);
    TRY(mcp::bridge(bridge, STDIN_FILENO, STDOUT_FILENO));
  } else {
    TRY(serve_shared(kit, given, std::move(bridge)));
  }
  return 0;
}

}  // namespace

void add_mcp_command(Commands& commands) {
  auto given = std::make_shared<McpArguments>();
  auto command = commands.add(
      {.name = "mcp",
       .description = "Serve MCP on standard input and output, for an MCP client that starts it",
       .example = "cairn mcp --data ~/cairn --toolsets read,search",
       .more =
           "Makes the data directory when there is none. Several may run on one directory at\n"
           "once: the first opens it, and the others go through it. With --server it is a bridge\n"
           "to that server. With a token it acts with that token's rights, else as the owner.\n"
           "\n"
           "With --root or --depot it offers the file tools of the reference MCP server for\n"
           "files instead. --root alone takes the roots of the client, or ~/.promptx. The tool\n"
           "'filesystem', all of them in one, is offered with --tools filesystem.",
       .group = "Server"},
      [given](Kit& kit) { return run_mcp(kit, *given); });
  command.add_value("--toolsets", given->toolsets, "NAMES",
                    "Sets of tools to offer, comma separated [default]");
  command.add_value("--tools", given->tools, "NAMES", "Tools to offer, or to add to the sets");
  command.add_value("--exclude-tools", given->exclude_tools, "NAMES", "Tools not to offer");
  given->root =
      command.add_values("--root", given->roots, "DIR",
                         "File tools on these directories of this machine, without a store");
  command.add_value("--depot", given->depot, "NAME", "File tools on this depot, each change kept");
  command.add_value("--directory", given->directory, "NAME",
                    "With --server: file tools on a directory that it was started with");
  command.add_value("--answer-size", given->answer_size, "SIZE",
                    "With --root: how large listings may get [1M]");
  command.add_flag("--read-only", given->read_only, "No tools that change anything");

  auto config = commands.add(
      command,
      {.name = "config",
       .description = "Print the settings that make an MCP client use Cairn",
       .example = "cairn mcp config --client claude-code --data ~/cairn",
       .more =
           "CLIENT is claude-desktop, claude-code, cursor, vscode, zed, codex or windsurf. The\n"
           "block goes to standard output; where it belongs is said on standard error. The\n"
           "options of 'cairn mcp' are taken over.\n"
           "\n"
           "The client gets a delegate of its own, with a key that lasts, in a file for you only;\n"
           "'cairn delegate revoke' ends it. It reads and writes, unless --read-only is given,\n"
           "what you see, or --scope or --depot only. With --http it gets the server's URL and\n"
           "signs in by itself, unless --key is given."},
      [given](Kit& kit) { return run_mcp_config(kit, *given); });
  config.add_value("--client", given->client, "CLIENT", "For which client").required();
  config.add_value("--name", given->name, "NAME", "What the client calls it [cairn]");
  config.add_flag("--http", given->http, "An endpoint's URL, instead of a program to start");
  config
      .add_value("--scope", given->scope, "SCOPE",
                 "Only what is there: DEPOT:PATH, or nod_…; may be repeated")
      .repeated();
  config.add_value("--expires-in", given->expires, "TIME", "How long the key is good [90d]");
  config.add_flag("--can-manage-depot", given->can_manage, "May create, rename and delete depots");
  config.add_flag("--key", given->key, "With --http: a key, for a client that cannot sign in");
  config.add_flag("--as-owner", given->as_owner,
                  "No delegate: on a data directory the client may do all that you may");
}

}  // namespace cairn::cli
