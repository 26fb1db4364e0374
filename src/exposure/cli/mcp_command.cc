#include <array>
#include <optional>

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exposure/cli/client_settings.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/local_store.h"
#include "exposure/cli/stop_signals.h"
#include "exposure/mcp/bridge.h"
#include "exposure/mcp/stdio.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultUrl = "http://127.0.0.1:8787";

struct McpArguments {
  std::optional<std::string> toolsets;
  std::optional<std::string> tools;
  std::optional<std::string> exclude_tools;
  bool read_only = false;
  // mcp config
  const CLI::App* config = nullptr;
  std::string client;
  std::string name = "cairn";
  bool http = false;
};

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

Result<void> check(const McpArguments& given) {
  for (const auto& choice : choices(given)) {
    if (choice.names && choice.names->empty()) {
      return fail(Code::kInvalidArgument, "{} names nothing; leave it out, or name something",
                  choice.option);
    }
  }
  return {};
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
  const agent::SelectionRequest selection{.toolsets = given.toolsets,
                                          .tools = given.tools,
                                          .exclude_tools = given.exclude_tools,
                                          .read_only = given.read_only};
  const auto token = TRY(given_token(options));
  auto principal = token ? TRY(server.agent().admit(*token, selection))
                         : TRY(server.agent().trusted(server.engine().owner(), selection));
  return mcp::serve_stdio(server.mcp(), std::move(principal), STDIN_FILENO, STDOUT_FILENO);
}

Result<void> serve_through(mcp::BridgeOptions bridge) {
  TRY(mcp::knock(bridge));
  return mcp::bridge(bridge, STDIN_FILENO, STDOUT_FILENO);
}

Result<int> run_mcp(Context& context, const McpArguments& given) {
  const auto& options = context.options;
  TRY(check(given));
  mcp::BridgeOptions bridge;
  bridge.headers = headers_of(given);
  bridge.client.ca_file = options.ca_file;
  const auto server = TRY(server_choice(options));
  const InputEndsOnSignal signals;
  if (server) {
    bridge.target = {.url = server->url, .token = server->token};
    TRY(serve_through(std::move(bridge)));
    return 0;
  }
  // As a server does: few arenas, and what is written is its owner's alone.
  ::mallopt(M_ARENA_MAX, 4);
  ::umask(0077);
  LocalStore store(options, context.world());
  bridge.target = TRY(store.reach());
  if (auto* ours = store.ours()) {
    TRY(serve_here(*ours, options, given));
    return 0;
  }
  bridge.reconnect = [&store] { return store.reach(); };
  TRY(serve_through(std::move(bridge)));
  return 0;
}

std::string absolute_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::vector<std::string> arguments_for(const Options& options, const McpArguments& given,
                                       const std::string& server) {
  std::vector<std::string> out = {"mcp"};
  if (server.empty()) {
    out.insert(out.end(), {"--data", absolute_path(data_directory(options))});
  } else {
    out.insert(out.end(), {"--server", server});
    if (!options.ca_file.empty())
      out.insert(out.end(), {"--ca-file", absolute_path(options.ca_file)});
  }
  for (const auto& choice : choices(given)) {
    if (choice.names) out.insert(out.end(), {std::string(choice.option), *choice.names});
  }
  if (given.read_only) out.emplace_back("--read-only");
  return out;
}

// The endpoint of the server that is named, has the directory open, or would by default.
Result<std::string> endpoint(const Options& options, const std::string& server) {
  if (!server.empty()) return TRY(http::Url::parse(server)).render() + "/mcp";
  const auto running = running_server(data_directory(options));
  return (running ? *running : std::string(kDefaultUrl)) + "/mcp";
}

Result<int> run_config(Context& context, const McpArguments& given) {
  const auto& options = context.options;
  TRY(check(given));
  const auto server = TRY(named_server(options));
  const auto token = TRY(given_token(options));
  ClientSettings settings{.name = given.name};
  settings.needs_token = given.http || token || !server.empty();
  if (token) settings.token = *token;
  if (given.http) {
    settings.url = TRY(endpoint(options, server));
    settings.headers = headers_of(given);
    const auto owner = read_owner_token(data_directory(options));
    if (!token && server.empty() && owner) settings.token = *owner;
  } else {
    settings.command = std::filesystem::read_symlink("/proc/self/exe").string();
    settings.arguments = arguments_for(options, given, server);
  }
  const auto block = TRY(settings_block(given.client, settings));
  TRY(context.out.write(block.text));
  note("this belongs into " + block.file);
  for (const auto& more : block.notes) note(more);
  if (given.http && server.empty()) note("'cairn serve' has to run for it");
  return 0;
}

}  // namespace

void add_mcp_command(Commands& commands) {
  auto given = std::make_shared<McpArguments>();
  auto* command = commands.add(
      {.name = "mcp",
       .description = "Serve MCP on standard input and output, for an MCP client that starts it",
       .example = "cairn mcp --data ~/cairn --toolsets read,search",
       .more =
           "Makes the data directory when there is none. Several may run on one directory at\n"
           "once: the first opens it, and the others go through it. With --server it is a bridge\n"
           "to that server. With a token it acts with that token's rights, else as the owner.",
       .group = "Server"},
      [given](Context& context) {
        return given->config->parsed() ? run_config(context, *given) : run_mcp(context, *given);
      });
  add_value(command, "--toolsets", given->toolsets, "NAMES",
            "Sets of tools to offer, comma separated [default]");
  add_value(command, "--tools", given->tools, "NAMES", "Tools to offer, or to add to the sets");
  add_value(command, "--exclude-tools", given->exclude_tools, "NAMES", "Tools not to offer");
  command->add_flag("--read-only", given->read_only, "No tools that change anything");

  // The command above runs it: its function is the last that is chosen.
  auto* config = commands.add(
      *command,
      {.name = "config",
       .description = "Print the settings that make an MCP client use Cairn",
       .example = "cairn mcp config --client claude-code --data ~/cairn",
       .more =
           "CLIENT is claude-desktop, claude-code, cursor, vscode, zed, codex or windsurf. The\n"
           "block goes to standard output; where it belongs is said on standard error. The\n"
           "options of 'cairn mcp' are taken over."},
      [given](Context& context) { return run_config(context, *given); });
  given->config = config;
  add_value(config, "--client", given->client, "CLIENT", "For which client")->required();
  add_value(config, "--name", given->name, "NAME", "What the client calls it [cairn]");
  config->add_flag("--http", given->http, "An endpoint's URL, instead of a program to start");
}

}  // namespace cairn::cli
