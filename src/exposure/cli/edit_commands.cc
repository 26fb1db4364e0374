// cairn write, edit, mkdir: small changes, without a file of this machine.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

struct EditArguments {
  std::string where;
  std::optional<std::string> text;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  std::string old_file;
  std::string new_file;
  std::string message;
  bool all = false;
  bool dry_run = false;
};

client::Client::Source standard_input() {
  return client::source_of(os::Handle(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)), "standard input");
}

client::Client::Source source_of_text(std::string text) {
  return [text = std::move(text),
          at = std::size_t{0}](std::span<char> room) mutable -> Result<std::size_t> {
    const auto count = text.copy(room.data(), room.size(), at);
    at += count;
    return count;
  };
}

Result<int> run_write(Kit& kit, const EditArguments& given) {
  auto& client = *TRY(kit.client());
  const auto file = TRY(resolve_file(client, given.where));
  if (client::Address::parse(given.where).path.ends_with('/')) {
    return fail(Code::kInvalidArgument, "'{}' names a directory; 'cairn mkdir' makes one",
                shown(given.where));
  }
  const auto written = TRY(client.write_file(
      file.tree.key, file.path, given.text ? source_of_text(*given.text) : standard_input()));
  return publish(kit, client, file.tree, written, message_or(given.message, "write", {file.path}));
}

Result<int> run_mkdir(Kit& kit, const EditArguments& given) {
  auto& client = *TRY(kit.client());
  const auto where = TRY(resolve_file(client, given.where));
  const auto made = TRY(client.call("fs_mkdir", where.arguments()));
  if (!Arguments(made.as_object()).flag("created")) note("it was there already");
  return publish(kit, client, where.tree, made, message_or(given.message, "mkdir", {where.path}));
}

// A text that was given itself, or as the file it is in.
Result<std::string> text_of(const std::optional<std::string>& text, const std::string& file,
                            std::string_view which) {
  if (text && !file.empty()) {
    return fail(Code::kInvalidArgument, "--{} and --{}-file are both given; choose one", which,
                which);
  }
  if (text) return *text;
  if (file.empty()) {
    return fail(Code::kInvalidArgument, "give the text with --{}, or --{}-file", which, which);
  }
  auto source = file == "-" ? standard_input() : TRY(client::open_source(file));
  std::string out;
  std::string room(std::size_t{64} << 10, '\0');
  while (const auto filled = TRY(source(room))) out.append(room, 0, filled);
  return out;
}

Result<int> run_edit(Kit& kit, const EditArguments& given) {
  const auto before = TRY(text_of(given.old_text, given.old_file, "old"));
  const auto after = TRY(text_of(given.new_text, given.new_file, "new"));
  auto& client = *TRY(kit.client());
  const auto file = TRY(resolve_file(client, given.where));
  json::Object edit{{"oldText", before}, {"newText", after}};
  if (given.all) edit["replaceAll"] = true;
  auto arguments = file.arguments();
  arguments["edits"] = json::Array{std::move(edit)};
  if (given.dry_run) arguments["dryRun"] = true;
  auto edited = client.call("fs_edit", arguments);
  if (!edited && edited.error().code == Code::kEditAmbiguous) {
    return Failure(advised(std::move(edited).error(), "here that is --all"));
  }
  const auto answer = TRY(std::move(edited));
  const Arguments done(answer.as_object());
  if (given.dry_run && kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  if (!kit.options.json) print_unified(kit.out, done.text("diff"));
  if (given.dry_run) return 0;
  return publish(kit, client, file.tree, answer, message_or(given.message, "edit", {file.path}));
}

constexpr std::string_view kCommits =
    "A depot is committed to at once and its new root printed; of a node (nod_…) only the\n"
    "new root is printed.";

Command add(Commands& commands, Commands::About about, const std::shared_ptr<EditArguments>& given,
            Result<int> (*run)(Kit&, const EditArguments&)) {
  about.group = "Files";
  about.more += (about.more.empty() ? "" : "\n") + std::string(kCommits);
  auto command = commands.add(about, [given, run](Kit& kit) { return run(kit, *given); });
  command.add_argument("WHERE", given->where, "DEPOT:PATH");
  command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
  return command;
}

}  // namespace

void add_edit_commands(Commands& commands) {
  auto given = std::make_shared<EditArguments>();
  auto command = add(commands,
                     {.name = "write",
                      .description = "Write a text, or what comes on standard input, into a file",
                      .example = "cairn write my-project:notes/today.md 'Buy milk'"},
                     given, run_write);
  command.add_argument("TEXT", given->text, "The whole content; without it standard input")
      .required(false);

  given = std::make_shared<EditArguments>();
  command = add(commands,
                {.name = "edit",
                 .description = "Replace exact text in a file, and show the difference",
                 .example = "cairn edit my-project:README.md --old 'colour' --new 'color' --all",
                 .more = "The old text has to occur exactly once, or use --all."},
                given, run_edit);
  command.add_value("--old", given->old_text, "TEXT", "What is replaced, with its line ends");
  command.add_value("--new", given->new_text, "TEXT", "What comes in its place");
  command.add_value("--old-file", given->old_file, "FILE", "The same from a file, or - for input");
  command.add_value("--new-file", given->new_file, "FILE", "The same from a file, or - for input");
  command.add_flag("--all", given->all, "Every occurrence");
  command.add_flag("--dry-run", given->dry_run, "Only show the difference");

  given = std::make_shared<EditArguments>();
  add(commands,
      {.name = "mkdir",
       .description = "Make a directory, and those on the way",
       .example = "cairn mkdir my-project:src/utils"},
      given, run_mkdir);
}

}  // namespace cairn::cli
