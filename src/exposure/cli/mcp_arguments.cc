#include "exposure/cli/mcp_arguments.h"

#include "exposure/http/uri.h"

namespace cairn::cli {

bool on_directories(const McpArguments& given) { return given.root && given.root->given(); }

std::array<Choice, 3> choices(const McpArguments& given) {
  return {{{"--toolsets", "X-Cairn-Toolsets", given.toolsets},
           {"--tools", "X-Cairn-Tools", given.tools},
           {"--exclude-tools", "X-Cairn-Exclude-Tools", given.exclude_tools}}};
}

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

Result<void> check_mcp(const McpArguments& given) {
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

}  // namespace cairn::cli
