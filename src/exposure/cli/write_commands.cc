// cairn put, rm, mv, cp.
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/os/os_error.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/publish.h"
#include "exposure/client/local_tree.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

struct WriteArguments {
  std::string file;
  std::string where;
  std::vector<std::string> paths;
  std::string to;
  std::string message;
};

// A file of this machine, or standard input.
Result<client::Client::Source> open_input(const std::string& name) {
  if (name == "-") {
    return client::source_of(os::Handle(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)),
                             "standard input");
  }
  auto file = os::open_path(name, O_RDONLY);
  if (!file && file.error() == ENOENT) {
    return fail(Code::kNotFound, "cannot open '{}': {}", shown(name), os::description(ENOENT));
  }
  auto handle = TRY(os::checked(std::move(file), "open", name));
  if (const auto about = os::stat(handle.fd()); about && os::is_directory(*about)) {
    return fail(Code::kInvalidArgument, "'{}' is a directory; use 'cairn import'", shown(name));
  }
  return client::source_of(std::move(handle), name);
}

// `D:dir/` and `D:` take the name of the file that is put there.
Result<std::string> target_path(const WriteArguments& given) {
  auto path = client::Address::parse(given.where).path;
  if (!path.empty() && !path.ends_with('/')) return path;
  if (given.file == "-") {
    return fail(Code::kInvalidArgument, "'{}' names no file; write DEPOT:PATH", shown(given.where));
  }
  return path + std::filesystem::path(given.file).filename().string();
}

Result<int> run_put(Kit& kit, const WriteArguments& given) {
  auto path = TRY(target_path(given));
  const auto input = TRY(open_input(given.file));
  auto& client = *TRY(kit.client());
  auto tree = TRY(resolve(client, client::Address::parse(given.where).tree));
  auto written = TRY(client.write_file(tree.key, path, input));
  return publish(kit, client, tree, written, message_or(given.message, "put", {path}));
}

// The first names the depot; the others are of the same, with its name or without.
Result<std::string> path_in(const std::string& depot, const std::string& address) {
  auto parsed = client::Address::parse(address);
  if (address.find(':') == std::string::npos) parsed = {depot, address};
  while (parsed.path.ends_with('/')) parsed.path.pop_back();
  if (parsed.tree == depot && !parsed.path.empty()) return parsed.path;
  return fail(Code::kInvalidArgument, "'{}' should be a path in {}, as {}:PATH", shown(address),
              shown(depot), shown(depot));
}

Result<int> run_rm(Kit& kit, const WriteArguments& given) {
  auto& client = *TRY(kit.client());
  const auto depot = client::Address::parse(given.paths.front()).tree;
  const auto tree = TRY(resolve_file(client, given.paths.front())).tree;
  std::string node = tree.key;
  json::Value written;
  std::vector<std::string> removed;
  for (const auto& address : given.paths) {
    const auto path = TRY(path_in(depot, address));
    removed.push_back(path);
    written = TRY(client.call("fs_rm", {{"nodeKey", node}, {"path", path}}));
    node = Arguments(written.as_object()).text("newRoot");
  }
  return publish(kit, client, tree, written, message_or(given.message, "rm", removed));
}

Result<int> run_transfer(Kit& kit, const WriteArguments& given, std::string_view tool) {
  auto& client = *TRY(kit.client());
  auto from = TRY(resolve_file(client, given.where));
  auto to = given.to;
  // A target in the same depot may be written in full.
  const auto name = client::Address::parse(given.where).tree;
  if (to.starts_with(name + ":")) to = client::Address::parse(to).path;
  while (to.ends_with('/')) to.pop_back();
  auto written =
      TRY(client.call(tool, {{"nodeKey", from.tree.key}, {"from", from.path}, {"to", to}}));
  const auto command = tool.substr(tool.find('_') + 1);
  return publish(kit, client, from.tree, written,
                 message_or(given.message, command, {from.path + " " + to}));
}

template <typename RunWrite>
std::pair<Command, std::shared_ptr<WriteArguments>> add(Commands& commands, Commands::About about,
                                                        RunWrite run) {
  auto given = std::make_shared<WriteArguments>();
  about.group = "Files";
  if (about.more.empty()) {
    about.more =
        "A depot is committed to at once and its new root printed; of a node (nod_…) only the\n"
        "new root is printed.";
  }
  auto command = commands.add(about, [given, run](Kit& kit) { return run(kit, *given); });
  command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
  return {command, given};
}

void add_transfer(Commands& commands, const Commands::About& about, std::string_view tool) {
  auto [command, given] = add(commands, about, [tool](Kit& kit, const WriteArguments& g) {
    return run_transfer(kit, g, tool);
  });
  command.add_argument("FROM", given->where, "DEPOT:PATH");
  command.add_argument("TO", given->to, "A path in the same depot");
}

}  // namespace

void add_write_commands(Commands& commands) {
  {
    auto [command, given] =
        add(commands,
            {.name = "put",
             .description = "Write a file of any size into a depot",
             .example = "cairn put notes.md my-project:docs/notes.md -m 'Notes'"},
            run_put);
    command.add_argument("FILE", given->file, "A file, or - for standard input");
    command.add_argument("WHERE", given->where, "DEPOT:PATH; 'DEPOT:DIR/' keeps the file's name");
  }
  {
    auto [command, given] = add(commands,
                                {.name = "rm",
                                 .description = "Remove files and directories",
                                 .example = "cairn rm my-project:old.ts tmp"},
                                run_rm);
    command.add_argument("WHERE", given->paths, "DEPOT:PATH, and more paths in it");
  }
  add_transfer(commands,
               {.name = "mv",
                .description = "Move or rename a file or directory",
                .example = "cairn mv my-project:src/a.ts src/b.ts"},
               "fs_mv");
  add_transfer(commands,
               {.name = "cp",
                .description = "Copy a file or directory; costs nothing, content is shared",
                .example = "cairn cp my-project:src my-project:src-old"},
               "fs_cp");
}

}  // namespace cairn::cli
