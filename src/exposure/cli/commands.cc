#include "exposure/cli/commands.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/quote.h"
#include "base/similar.h"
#include "exposure/cli/options.h"
#include "exposure/cli/output.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kFooter =
    "A depot is named by its title, its id (dpt_…) or a node's key (nod_…); DEPOT:PATH is a place "
    "in\n"
    "it. Without --server the data directory is used itself, or the server that has it open.\n"
    "\n"
    "Exit codes: 0 done, 1 no match or a difference, 2 wrong input, 3 not found, 4 conflict,\n"
    "5 over a limit, 6 damaged or unreachable store, 7 not allowed.\n"
    "\n"
    "'cairn COMMAND --help' says more, docs/cli.md has everything.";

class Formatter final : public CLI::Formatter {
 public:
  Formatter() {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
    label("OPTIONS", "options");
    column_width(32);
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    auto text = CLI::Formatter::make_help(app, std::move(name), mode);
    return CLI::detail::find_and_replace(std::move(text), "\n\n\n", "\n\n");
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return "\n" + CLI::Formatter::make_usage(app, std::move(name));
  }
};

std::vector<std::string> names_of(const CLI::App* app) {
  std::vector<std::string> names;
  for (const auto* command : app->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The values of an option that stand behind it, from `next` on.
int values_behind(const CLI::App& at, const CLI::Option& option, std::span<char* const> next) {
  const auto names = names_of(&at);
  int taken = 0;
  for (const std::string word : next) {
    if (taken == option.get_items_expected_max()) break;
    const bool needed = taken < option.get_items_expected_min();
    const bool command = std::ranges::find(names, word) != names.end();
    if (!needed && (word.starts_with('-') || command)) break;
    ++taken;
  }
  return taken;
}

// The words that are not options of the program or the command, nor their values.
std::vector<std::string> bare_words(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words;
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with('-')) {
      words.push_back(word);
      for (const auto* command : at->get_subcommands({})) {
        if (command->get_name() == word) {
          at = command;
          break;
        }
      }
      continue;
    }
    const auto* option = app.get_option_no_throw(word);
    if (option == nullptr) option = at->get_option_no_throw(word);
    if (option == nullptr) continue;
    i += values_behind(*at, *option, std::span(argv + i + 1, argv + argc));
  }
  return words;
}

// The command that was named, as far as it was understood.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return *at;
}

Result<void> check_words(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const auto& word : words) {
    const auto names = names_of(at);
    if (names.empty()) return {};
    if (std::ranges::find(names, word) == names.end()) {
      const auto prefix = at == &app ? std::string("cairn") : "cairn " + at->get_name();
      return fail(Code::kInvalidArgument, "there is no command '{} {}'{} see {} --help", prefix,
                  shown(word), hint_for(word, names, ";"), prefix);
    }
    at = at->get_subcommand(word);
  }
  return {};
}

Error explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = deepest(app);
  std::string path = command.get_name();
  for (const auto* at = command.get_parent(); at != nullptr; at = at->get_parent()) {
    path = at->get_name() + " " + path;
  }
  std::string what = error.what();
  for (const auto& word : app.remaining(true)) {
    if (!word.starts_with('-') || word == "-") {
      what = fmt::format("'{}' is one argument too many;", shown(word));
      break;
    }
    std::vector<std::string> names;
    for (const auto* owner : {&command, &app}) {
      for (const auto* option : owner->get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
    const auto name = word.substr(0, word.find('='));
    what = fmt::format("there is no option '{}'{}", shown(name), hint_for(name, names, ";"));
    break;
  }
  if (!what.ends_with(';') && !what.ends_with('?')) what += ';';
  return Error(Code::kInvalidArgument, fmt::format("{} see {} --help", what, path));
}

// The parser's objects that the handles stand for.
CLI::App& app_of(void* command) { return *static_cast<CLI::App*>(command); }
CLI::Option& option_of(void* option) { return *static_cast<CLI::Option*>(option); }

CLI::Option* add_option(CLI::App& app, std::string_view names, const Variable& variable,
                        std::string_view description) {
  return std::visit(
      [&](auto value) {
        return app.add_option(std::string(names), value.get(), std::string(description));
      },
      variable);
}

}  // namespace

Option Option::group(std::string_view heading) const {
  option_of(option_).group(std::string(heading));
  return *this;
}

Option Option::required(bool needed) const {
  option_of(option_).required(needed);
  return *this;
}

Option Option::repeated() const {
  option_of(option_).take_all()->allow_extra_args(false);
  return *this;
}

Option Option::one_of(std::initializer_list<std::string_view> values) const {
  option_of(option_).check(CLI::IsMember(std::vector<std::string>(values.begin(), values.end())));
  return *this;
}

Option Option::range(int least, int most) const {
  option_of(option_).check(CLI::Range(least, most));
  return *this;
}

Option Option::positive() const {
  option_of(option_).check(CLI::PositiveNumber);
  return *this;
}

Option Option::non_negative() const {
  option_of(option_).check(CLI::NonNegativeNumber);
  return *this;
}

bool Option::given() const { return option_of(option_).count() > 0; }

Option Command::add_value(std::string_view names, Variable value, std::string_view kind,
                          std::string_view description) const {
  auto* option = add_option(app_of(command_), names, value, description);
  return Option(option->option_text(std::string(kind)));
}

Option Command::add_values(std::string_view names, std::vector<std::string>& values,
                           std::string_view kind, std::string_view description) const {
  auto* option = add_option(app_of(command_), names, values, description);
  option->type_name(std::string(kind));
  return Option(option->expected(0, CLI::detail::expected_max_vector_size));
}

Option Command::add_argument(std::string_view name, Variable value,
                             std::string_view description) const {
  auto* option = add_option(app_of(command_), name, value, description);
  return Option(option->option_text(" ")->required());
}

Option Command::add_flag(std::string_view names, bool& value, std::string_view description) const {
  return Option(app_of(command_).add_flag(std::string(names), value, std::string(description)));
}

struct Commands::Parser {
  CLI::App app{"Cairn: a content-addressed, versioned store of files for AI agents", "cairn"};
  Run chosen;
};

Commands::Commands(Options& options) : parser_(std::make_unique<Parser>()) {
  auto& app = parser_->app;
  app.formatter(std::make_shared<Formatter>());
  app.set_version_flag("--version", "cairn " CAIRN_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(std::string(kFooter));
  const Command cairn(&app);
  const std::string_view group = "Options of every command";
  cairn
      .add_value("--data", options.data, "DIR",
                 "The data directory [CAIRN_DATA, ~/.local/share/cairn]")
      .group(group);
  cairn.add_value("--server", options.server, "URL", "A server instead [CAIRN_SERVER]")
      .group(group);
  cairn.add_value("--token", options.token, "TOKEN", "Who you are to it [CAIRN_TOKEN]")
      .group(group);
  cairn.add_value("--token-file", options.token_file, "FILE", "The same, from a file").group(group);
  cairn.add_value("--ca-file", options.ca_file, "FILE", "Certificates to trust, PEM").group(group);
  cairn.add_flag("--json", options.json, "Print the answer as JSON").group(group);
  cairn.add_flag("--no-color", options.no_color, "No colours [NO_COLOR]").group(group);
}

Commands::~Commands() = default;

Command Commands::add(const About& about, Run run) {
  return add(Command(&parser_->app), about, std::move(run));
}

Command Commands::add(Command parent, const About& about, Run run) {
  auto* command = app_of(parent.command_).add_subcommand(about.name, about.description);
  command->group(about.group.empty() ? "Commands" : about.group);
  std::string footer = about.more.empty() ? "" : about.more + "\n\n";
  command->footer(footer + "Example:\n  " + about.example +
                  "\n\nAnd the options of every command; see cairn --help.");
  // Of `mcp config` the parser calls `config` first and then `mcp`: the first is meant.
  command->callback([this, run = std::move(run)] {
    if (!parser_->chosen) parser_->chosen = run;
  });
  return Command(command);
}

Command Commands::add_group(const About& about) {
  auto* command = parser_->app.add_subcommand(about.name, about.description);
  if (!about.group.empty()) command->group(about.group);
  command->require_subcommand(1);
  command->footer("Example:\n  " + about.example);
  return Command(command);
}

Commands::Parsed Commands::parse(int argc, char** argv) {
  auto& app = parser_->app;
  parser_->chosen = nullptr;
  const auto words = bare_words(app, argc, argv);
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return {nullptr, 2};
  }
  if (auto known = check_words(app, words); !known) {
    note(known.error().render());
    return {nullptr, 2};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return {nullptr, app.exit(asked)};
  } catch (const CLI::ParseError& error) {
    note(explain(app, error).render());
    return {nullptr, 2};
  }
  return {parser_->chosen, 0};
}

void add_all(Commands& commands) {
  add_serve_command(commands);
  add_web_command(commands);
  add_tour_command(commands);
  add_mcp_command(commands);
  add_depot_commands(commands);
  add_history_commands(commands);
  add_file_commands(commands);
  add_stat_commands(commands);
  add_search_commands(commands);
  add_query_command(commands);
  add_write_commands(commands);
  add_edit_commands(commands);
  add_transfer_commands(commands);
  add_mirror_command(commands);
  add_sandbox_command(commands);
  add_login_commands(commands);
  add_delegate_commands(commands);
  add_user_commands(commands);
  add_admin_commands(commands);
  add_purge_command(commands);
  add_context_tool_commands(commands);
  add_endpoint_commands(commands);
  add_call_command(commands);
}

}  // namespace cairn::cli
