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
  std::int64_t max_count = 0;  // 0: all
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

void add_row(Table& table, const Output& out, const Arguments& entry) {
  table.add({{size_text(entry), Style::kDim},
             {std::string(entry.text("contentType")), Style::kDim},
             name_cell(out, entry, entry.text("name"))});
}

// A file stands for itself, as with other tools that list.
Result<int> list_file(Kit& kit, client::Client& client, const json::Object& arguments) {
  const auto answer = TRY(client.call("fs_stat", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"", Table::Align::kRight}, {""}, {""}});
  add_row(table, kit.out, Arguments(answer.as_object()));
  table.print(kit.out);
  return 0;
}

Result<void> list_directory(Kit& kit, client::Client& client, json::Object arguments) {
  arguments["limit"] = 1000;
  if (kit.options.json) {
    kit.out.print_json(TRY(collect(client, "fs_ls", std::move(arguments), "children")));
    return {};
  }
  // A directory may have a million entries: printed as they come.
  return for_each_page(client, "fs_ls", std::move(arguments),
                       [&](const json::Object& page) -> Result<client::More> {
                         Table table({{"", Table::Align::kRight}, {""}, {""}});
                         for (const auto& item : client::rows_of(page, "children")) {
                           add_row(table, kit.out, Arguments(item.as_object()));
                         }
                         table.print(kit.out);
                         return kit.out.shown();
                       });
}

Result<int> run_ls(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  const auto arguments = TRY(resolve_address(client, given.where)).arguments();
  auto listed = list_directory(kit, client, arguments);
  if (!listed && listed.error().code == Code::kNotADirectory) {
    // What is on the way may be the file; then there is nothing to stand for itself.
    return list_file(kit, client, arguments);
  }
  TRY(std::move(listed));
  return 0;
}

Result<int> run_tree(Kit& kit, const FileArguments& given) {
  auto& client = *TRY(kit.client());
  auto resolved = TRY(resolve_address(client, given.where));
  auto arguments = resolved.arguments();
  arguments["depth"] = given.depth;
  auto& out = kit.out;
  TreePrinter printer(out);
  TreeDocument document;
  bool begun = false;
  const auto summary = TRY(client.stream("fs_tree", arguments, [&](const json::Object& row) {
    if (kit.options.json) {
      document.add(row);
      return out.shown();
    }
    // Only now: an error comes instead of a heading.
    if (!std::exchange(begun, true)) {
      out.print("{}\n", out.paint(Style::kBlue, out.safe(given.where)));
    }
    printer.add(row);
    return out.shown();
  }));
  if (kit.options.json) out.print_json(document.take(Arguments(summary).flag("truncated")));
  if (printer.collapsed()) note("directories with … are deeper than --depth");
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
  if (given.max_count > 0) arguments["maxResults"] = given.max_count;
  if (!given.type.empty()) arguments["type"] = given.type;
  json::Array matches;
  auto summary = TRY(client.stream("fs_find", arguments, [&](const json::Object& row) {
    if (kit.options.json) {
      matches.emplace_back(row);
      return kit.out.shown();
    }
    const Arguments match(row);
    const auto cell = name_cell(kit.out, match, match.text("path"));
    kit.out.print("{}\n", kit.out.paint(cell.style, cell.text));
    return kit.out.shown();
  }));
  if (const auto deep = Arguments(summary).number("skippedDeep"); deep > 0) {
    note(fmt::format("{} nested too deep to be looked into",
                     counted(deep, "directory is", "directories are")));
  }
  if (!kit.options.json) return 0;
  summary["matches"] = std::move(matches);
  kit.out.print_json(std::move(summary));
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
      {.name = "ls",
       .description = "List a directory, or one file",
       .example = "cairn ls my-project:src"},
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
    command.add_value("--max-count", given->max_count, "N", "Stop after so many").positive();
    command.add_value("--type", given->type, "TYPE", "Only file, or only dir")
        .one_of({"file", "dir"});
  }
}

}  // namespace cairn::cli
