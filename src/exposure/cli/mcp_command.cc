#include <array>
#include <cstdlib>
#include <filesystem>
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
#include "exposure/cli/client_settings.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/local_store.h"
#include "exposure/mcp/bridge/bridge.h"
#include "exposure/mcp/stdio.h"

namespace cairn::cli {
namespace {

constexpr int kMaxAttempts = 5;
constexpr std::string_view kDefaultUrl = "http://127.0.0.1:8787";

// In the person's home, as the manual of the file tools has it.
constexpr std::string_view kDefaultRoot = ".promptx";

struct McpArguments {
  // A workspace instead of Cairn's own tools: of directories, or of a depot.
  std::optional<Option> root;
  std::vector<std::string> roots;
  std::optional<std::string> depot;
  std::optional<std::string> directory;  // of a server
  std::optional<std::string> answer_size;
  std::optional<std::string> toolsets;
  std::optional<std::string> tools;
  std::optional<std::string> exclude_tools;
  bool read_only = false;
  // mcp config
  std::string client;
  std::string name = "cairn";
  bool http = false;
};

// With --root, which may stand alone.
bool on_directories(const McpArguments& given) { return given.root && given.root->given(); }

// The tools to be offered: as options of `cairn mcp`, and as headers for its server.
struct Choice {
  std::string_view option;
  std::string_view header;
  const std::optional<std::string>& names;
};

std::array<Choice, 3> choices(const McpArguments& given) {
  return {{{"--toolsets", "X-Cairn-Toolsets", given.toolsets},
           {"--tools", "X-Cairn-Tools", given.tools},
           {"--exclude-tools", "X-Cairn-Exclude-Tools", given.exclude_tools}}};
}

// Where --root is, and where --directory is.
Result<void> check_machine(const Options& options, const McpArguments& given) {
  if (on_directories(given) && !options.server.empty()) {
    return fail(Code::kInvalidArgument,
                "--root is for directories of this machine, not of the server; start the server "
                "with 'cairn serve --root NAME=DIR', and give --directory NAME here");
  }
  if (on_directories(given) && (!options.token.empty() || !options.token_file.empty())) {
    return fail(Code::kInvalidArgument,
                "--root is used with the rights of this process; a token goes with a server: "
                "'cairn mcp --server URL --directory NAME'");
  }
  if (given.directory && TRY(named_server(options)).empty()) {
    return fail(Code::kInvalidArgument,
                "--directory is one that a server was started with; give --server URL, or --root "
                "DIR for a directory of this machine");
  }
  return {};
}

Result<void> check(const McpArguments& given) {
  for (const auto& choice : choices(given)) {
    if (choice.names && choice.names->empty()) {
      return fail(Code::kInvalidArgument, "{} names nothing; leave it out, or name something",
                  choice.option);
    }
  }
  const bool directories = on_directories(given);
  if (directories && given.depot) {
    return fail(Code::kInvalidArgument,
                "--root is for directories and --depot for a depot; give one of them");
  }
  if (given.directory && (directories || given.depot)) {
    return fail(Code::kInvalidArgument,
                "--directory, --root and --depot are three kinds of files; give one of them");
  }
  if ((directories || given.depot || given.directory) && given.toolsets) {
    return fail(Code::kInvalidArgument,
                "a workspace has no sets of tools; name tools with --tools or --exclude-tools");
  }
  if (given.answer_size && !directories) {
    return fail(Code::kInvalidArgument, "--answer-size goes with --root");
  }
  return {};
}

SelectionRequest selection_of(const McpArguments& given) {
  return {.toolsets = given.toolsets,
          .tools = given.tools,
          .exclude_tools = given.exclude_tools,
          .read_only = given.read_only};
}

// Where a server has what is asked for.
std::string path_of(const McpArguments& given) {
  if (given.directory) return "/mcp/directories/" + http::percent_encode(*given.directory);
  return given.depot ? "/mcp/workspaces/" + http::percent_encode(*given.depot) : "/mcp";
}

mcp::Headers headers_of(const McpArguments& given) {
  mcp::Headers out;
  for (const auto& choice : choices(given)) {
    if (choice.names) out.emplace_back(choice.header, *choice.names);
  }
  if (given.read_only) out.emplace_back("X-Cairn-Read-Only", "true");
  return out;
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
  TRY(check(given));
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
    TRY(mcp::bridge(bridge, STDIN_FILENO, STDOUT_FILENO));
  } else {
    TRY(serve_shared(kit, given, std::move(bridge)));
  }
  return 0;
}

std::string absolute_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::vector<std::string> arguments_for(const Options& options, const McpArguments& given,
                                       const std::string& server) {
  std::vector<std::string> out = {"mcp"};
  if (on_directories(given)) {
    out.emplace_back("--root");
    for (const auto& root : given.roots) {
      if (!root.empty()) out.push_back(absolute_path(root));
    }
    if (given.answer_size) out.insert(out.end(), {"--answer-size", *given.answer_size});
  } else if (server.empty()) {
    out.insert(out.end(), {"--data", absolute_path(data_directory(options))});
  } else {
    out.insert(out.end(), {"--server", server});
    if (!options.ca_file.empty()) {
      out.insert(out.end(), {"--ca-file", absolute_path(options.ca_file)});
    }
  }
  for (const auto& choice : choices(given)) {
    if (choice.names) out.insert(out.end(), {std::string(choice.option), *choice.names});
  }
  if (given.read_only) out.emplace_back("--read-only");
  if (given.depot) out.insert(out.end(), {"--depot", *given.depot});
  if (given.directory) out.insert(out.end(), {"--directory", *given.directory});
  return out;
}

// The endpoint of the server that is named, has the directory open, or would by default.
Result<std::string> endpoint(const Options& options, const std::string& server,
                             const std::string& path) {
  if (!server.empty()) return TRY(http::Url::parse(server)).render() + path;
  const auto running = running_server(data_directory(options));
  return (running ? *running : std::string(kDefaultUrl)) + path;
}

Result<int> run_config(Kit& kit, const McpArguments& given) {
  const auto& options = kit.options;
  TRY(check(given));
  TRY(check_machine(options, given));
  const auto server = TRY(named_server(options));
  const auto token = TRY(given_token(options));
  ClientSettings settings{.name = given.name};
  const bool directories = on_directories(given);
  if (directories && given.http) {
    return fail(Code::kInvalidArgument, "--root is served on standard input and output only");
  }
  settings.needs_token = !directories && (given.http || token || !server.empty());
  if (token) settings.token = *token;
  if (given.http) {
    settings.url = TRY(endpoint(options, server, path_of(given)));
    settings.headers = headers_of(given);
    const auto owner = read_owner_token(data_directory(options));
    if (!token && server.empty() && owner) settings.token = *owner;
  } else {
    settings.command = std::filesystem::read_symlink("/proc/self/exe").string();
    settings.arguments = arguments_for(options, given, server);
  }
  const auto block = TRY(settings_block(given.client, settings));
  TRY(kit.out.write(block.text));
  note("this belongs into " + block.file);
  for (const auto& more : block.notes) note(more);
  if (given.http && server.empty()) {
    note(fmt::format("'cairn serve' has to run for it; the owner's token is in {}",
                     absolute_path(data_directory(options) / "owner.token")));
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
           "options of 'cairn mcp' are taken over."},
      [given](Kit& kit) { return run_config(kit, *given); });
  config.add_value("--client", given->client, "CLIENT", "For which client").required();
  config.add_value("--name", given->name, "NAME", "What the client calls it [cairn]");
  config.add_flag("--http", given->http, "An endpoint's URL, instead of a program to start");
}

}  // namespace cairn::cli
