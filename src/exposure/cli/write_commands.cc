// cairn put, rm, mv, cp.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/explain.h"
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

Result<client::Tree> transfer_tree(client::Client& client, const std::string& name,
                                   const WriteArguments& given) {
  auto tree = resolve(client, name);
  if (tree || tree.error().code != Code::kDepotNotFound) return tree;
  const auto source = client::Address::parse(given.where).tree;
  return Failure(
      advised(std::move(tree).error(), fmt::format("a file with a ':' in its name is written {}:{}",
                                                   shown(source), shown(given.to))));
}

// `dpt_…@#3/docs` is `dpt_…/docs` as it was.
client::Tree without_version(client::Tree tree) {
  const auto at = tree.key.find('@');
  if (tree.kind != client::TreeKind::kDepot || at == std::string::npos) return tree;
  tree.key.erase(at, std::min(tree.key.find('/', at), tree.key.size()) - at);
  return tree;
}

// Where a copy or move goes: a path, of the source's tree or of another. What has a ':' is an
// address and never a file's name: a mistyped depot must not make a file.
struct Target {
  client::Tree tree;
  std::string path;
};

Result<Target> transfer_target(client::Client& client, const client::Resolved& from,
                               const WriteArguments& given) {
  // From a version into the depot as it is now.
  Target target{without_version(from.tree), given.to};
  if (given.to.find(':') != std::string::npos) {
    auto address = client::Address::parse(given.to);
    target.path = std::move(address.path);
    const auto source = client::Address::parse(given.where).tree;
    if (address.tree != source) target.tree = TRY(transfer_tree(client, address.tree, given));
  }
  // `notes/` and `other:` are directories to put it into, by its own name.
  const bool into = target.path.empty() || target.path.ends_with('/');
  while (target.path.ends_with('/')) target.path.pop_back();
  const auto name = from.path.substr(from.path.rfind('/') + 1);
  if (into && !name.empty()) target.path += (target.path.empty() ? "" : "/") + name;
  return target;
}

Result<int> run_transfer(Kit& kit, const WriteArguments& given, bool moves) {
  auto& client = *TRY(kit.client());
  const auto from = TRY(resolve_address(client, given.where));
  const auto to = TRY(transfer_target(client, from, given));
  const bool within = to.tree.key == from.tree.key;
  if (moves && from.tree.key != without_version(from.tree).key) {
    return fail(Code::kInvalidArgument, "'{}' is in a version, which cannot change; use 'cairn cp'",
                shown(given.where));
  }
  // Within a tree a source without a path is a mistake; the whole of it can go into another.
  if (from.path.empty() && (within || moves)) TRY(resolve_file(client, given.where));
  json::Object arguments{{"nodeKey", from.tree.key}, {"from", from.path}, {"to", to.path}};
  if (!within) arguments["toNodeKey"] = to.tree.key;
  const auto written = TRY(client.call(moves ? "fs_mv" : "fs_cp", arguments));
  const auto message = message_or(given.message, moves ? "mv" : "cp", {from.path + " " + to.path});
  if (within || !moves) return publish(kit, client, to.tree, written, message);
  return publish_move(kit, client, {.source = from.tree, .target = to.tree}, written, message);
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

void add_transfer(Commands& commands, const Commands::About& about, bool moves) {
  auto [command, given] = add(commands, about, [moves](Kit& kit, const WriteArguments& g) {
    return run_transfer(kit, g, moves);
  });
  command.add_argument("FROM", given->where, "DEPOT:PATH");
  command.add_argument(
      "TO", given->to,
      "A path in the same depot, or DEPOT:PATH of another; with a '/' at its end a "
      "directory");
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
                .description = "Move or rename a file or directory, also to another depot",
                .example = "cairn mv my-project:src/a.ts src/b.ts",
                .more = "A depot is committed to at once and its new root printed. Between two "
                        "depots it is two\n"
                        "commits, the target's first: should the second not come about, it is in "
                        "both."},
               true);
  add_transfer(commands,
               {.name = "cp",
                .description = "Copy a file or directory, also to another depot; content is shared",
                .example = "cairn cp my-project:src archive:src-2024"},
               false);
}

}  // namespace cairn::cli
