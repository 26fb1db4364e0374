// cairn ls, tree, cat, find: looking at trees. Searching in files and comparing are in
// search_commands.cc.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "base/utf8.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/print_tree.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

struct FileArguments {
  std::string where;
  std::string pattern;
  std::string type;
  std::int64_t depth = 3;
  bool force = false;
};

constexpr std::string_view kAddress = "DEPOT, or DEPOT:PATH";

Table::Cell name_cell(const Output& out, const Arguments& entry, std::string_view name) {
  if (entry.text("type") == "dir") return {out.safe(name) + "/", Style::kBlue};
  return out.safe(name);
}

std::string size_text(const Arguments& entry) {
  if (entry.text("type") != "dir") return human_size(entry.number("size"));
  return counted(entry.number("childCount"), "entry", "entries");
}

Result<int> run_ls(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  auto arguments = TRY(resolve_address(client, given.where)).arguments();
  arguments["limit"] = 1000;
  if (kit.options.json) {
    kit.out.print_json(TRY(collect(client, "fs_ls", std::move(arguments), "children")));
    return 0;
  }
  // A directory may have a million entries: printed as they come.
  TRY(for_each_page(client, "fs_ls", std::move(arguments),
                    [&](const json::Object& page) -> Result<client::More> {
                      Table table({{"", Table::Align::kRight}, {""}, {""}});
                      for (const auto& item : client::rows_of(page, "children")) {
                        Arguments child(item.as_object());
                        table.add({{size_text(child), Style::kDim},
                                   {std::string(child.text("contentType")), Style::kDim},
                                   name_cell(kit.out, child, child.text("name"))});
                      }
                      table.print(kit.out);
                      return client::More::kYes;
                    }));
  return 0;
}

Result<int> run_tree(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  auto resolved = TRY(resolve_address(client, given.where));
  auto arguments = resolved.arguments();
  arguments["depth"] = given.depth;
  arguments["maxEntries"] = 100'000;
  const auto answer = TRY(client.call("fs_tree", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  auto& out = kit.out;
  out.print("{}\n", out.paint(Style::kBlue, out.safe(given.where)));
  const bool collapsed = print_tree(out, answer.as_object());
  if (Arguments(answer.as_object()).flag("truncated")) {
    note("not all of it fitted; name a directory to see what is in it");
  } else if (collapsed) {
    note("directories with … are deeper than --depth");
  }
  return 0;
}

bool looks_binary(ByteView portion) {
  if (portion.find('\0') != ByteView::npos) return true;
  // A character may be cut at the portion's end.
  for (int i = 0; i < 4 && !portion.empty(); ++i, portion.remove_suffix(1)) {
    if (valid_utf8(portion)) return false;
  }
  return !portion.empty();
}

Result<int> run_cat(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  auto file = TRY(resolve_address(client, given.where));
  if (kit.options.json) {
    return fail(Code::kInvalidArgument,
                "cat prints a file as it is; 'cairn call fs_read' gives it as JSON");
  }
  bool first = true;
  TRY(client.read_file(file.tree.key, file.path, [&](ByteView portion) -> Result<void> {
    if (first && kit.out.is_terminal() && !given.force && looks_binary(portion)) {
      return fail(Code::kNotText,
                  "'{}' is not text and would upset the terminal; write it to a file, or use "
                  "--force",
                  shown(given.where));
    }
    first = false;
    return kit.out.write(portion);
  }));
  return 0;
}

Result<int> run_find(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  auto arguments = TRY(resolve_address(client, given.where)).arguments();
  arguments["pattern"] = given.pattern;
  arguments["maxResults"] = 10'000;
  if (!given.type.empty()) arguments["type"] = given.type;
  const auto answer = TRY(client.call("fs_find", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  for (const auto& item : client::rows_of(answer.as_object(), "matches")) {
    Arguments match(item.as_object());
    auto cell = name_cell(kit.out, match, match.text("path"));
    kit.out.print("{}\n", kit.out.paint(cell.style, cell.text));
  }
  Arguments found(answer.as_object());
  if (found.flag("truncated")) note(fmt::format("there are more: {}", found.text("hint")));
  return 0;
}

using RunFiles = Result<int> (*)(Kit&, const FileArguments&);

std::pair<Command, std::shared_ptr<FileArguments>> add(Commands& commands, Commands::About about,
                                                       RunFiles run) {
  auto given = std::make_shared<FileArguments>();
  about.group = "Files";
  auto command = commands.add(about, [given, run](Kit& kit) { return run(kit, *given); });
  command.add_argument("WHERE", given->where, kAddress);
  return {command, given};
}

}  // namespace

void add_file_commands(Commands& commands) {
  add(commands,
      {.name = "ls", .description = "List a directory", .example = "cairn ls my-project:src"},
      run_ls);
  {
    auto [command, given] = add(commands,
                                {.name = "tree",
                                 .description = "Show a directory with everything below it",
                                 .example = "cairn tree my-project:src --depth 2"},
                                run_tree);
    command.add_value("--depth", given->depth, "N", "Levels to show, -1 for all [3]");
  }
  {
    auto [command, given] = add(commands,
                                {.name = "cat",
                                 .description = "Print a file as it is, of any size",
                                 .example = "cairn cat my-project:README.md"},
                                run_cat);
    command.add_flag("--force", given->force, "Also binary files to a terminal");
  }
  {
    auto [command, given] =
        add(commands,
            {.name = "find",
             .description = "Find files and directories by name",
             .example = "cairn find my-project '*.ts'",
             .more = "'*.ts' matches names at any depth; with a '/' the whole path is matched:\n"
                     "'src/**/*.test.ts'."},
            run_find);
    command.add_argument("PATTERN", given->pattern, "Glob: * ? [a-z] {a,b} **");
    command.add_value("--type", given->type, "TYPE", "Only file, or only dir")
        .one_of({"file", "dir"});
  }
}

}  // namespace cairn::cli
