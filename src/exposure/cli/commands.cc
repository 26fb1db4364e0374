#include "exposure/cli/commands.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"

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

std::string hint(std::string_view name, std::span<const std::string> candidates) {
  const auto near = most_similar(name, candidates);
  return near.empty() ? std::string() : fmt::format(" did you mean '{}'?", near);
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

}  // namespace

Commands::Commands(Options& options)
    : app_("Cairn: a content-addressed, versioned store of files for AI agents", "cairn") {
  app_.formatter(std::make_shared<Formatter>());
  app_.set_version_flag("--version", "cairn " CAIRN_VERSION, "Print the version");
  app_.set_help_flag("-h,--help", "Print this help");
  app_.require_subcommand(1);
  app_.fallthrough();
  const std::string group = "Options of every command";
  add_value(&app_, "--data", options.data, "DIR",
            "The data directory [CAIRN_DATA, ~/.local/share/cairn]")
      ->group(group);
  add_value(&app_, "--server", options.server, "URL", "A server instead [CAIRN_SERVER]")
      ->group(group);
  add_value(&app_, "--token", options.token, "TOKEN", "Who you are to it [CAIRN_TOKEN]")
      ->group(group);
  add_value(&app_, "--token-file", options.token_file, "FILE", "The same, from a file")
      ->group(group);
  add_value(&app_, "--ca-file", options.ca_file, "FILE", "Certificates to trust, PEM")
      ->group(group);
  app_.add_flag("--json", options.json, "Print the answer as JSON")->group(group);
  app_.add_flag("--no-color", options.no_color, "No colours [NO_COLOR]")->group(group);
  app_.footer(std::string(kFooter));
}

CLI::App* Commands::add(CLI::App& parent, const About& about, Run run) {
  auto* command = parent.add_subcommand(about.name, about.description);
  command->group(about.group.empty() ? "Commands" : about.group);
  std::string footer = about.more.empty() ? "" : about.more + "\n\n";
  command->footer(footer + "Example:\n  " + about.example +
                  "\n\nAnd the options of every command; see cairn --help.");
  command->callback([this, run = std::move(run)] { chosen_ = run; });
  return command;
}

CLI::App* Commands::add_group(const About& about) {
  auto* command = app_.add_subcommand(about.name, about.description);
  if (!about.group.empty()) command->group(about.group);
  command->require_subcommand(1);
  command->footer("Example:\n  " + about.example);
  return command;
}

const CLI::App* Commands::deepest() const {
  const CLI::App* at = &app_;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return at;
}

Result<void> Commands::check_words(const std::vector<std::string>& words) const {
  const CLI::App* at = &app_;
  for (const auto& word : words) {
    const auto names = names_of(at);
    if (names.empty()) return {};
    if (std::ranges::find(names, word) == names.end()) {
      const auto prefix = at == &app_ ? std::string("cairn") : "cairn " + at->get_name();
      return fail(Code::kInvalidArgument, "there is no command '{} {}';{} see {} --help", prefix,
                  shown(word), hint(word, names), prefix);
    }
    at = at->get_subcommand(word);
  }
  return {};
}

Error Commands::explain(const CLI::ParseError& error) const {
  const auto* command = deepest();
  std::string path = command->get_name();
  for (const auto* at = command->get_parent(); at != nullptr; at = at->get_parent()) {
    path = at->get_name() + " " + path;
  }
  std::string what = error.what();
  for (const auto& word : app_.remaining(true)) {
    if (!word.starts_with('-') || word == "-") {
      what = fmt::format("'{}' is one argument too many;", shown(word));
      break;
    }
    std::vector<std::string> names;
    for (const auto* owner : {command, &app_}) {
      for (const auto* option : owner->get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
    const auto name = word.substr(0, word.find('='));
    what = fmt::format("there is no option '{}';{}", shown(name), hint(name, names));
    break;
  }
  if (!what.ends_with(';') && !what.ends_with('?')) what += ';';
  return Error(Code::kInvalidArgument, fmt::format("{} see {} --help", what, path));
}

Commands::Parsed Commands::parse(int argc, char** argv) {
  const auto words = bare_words(app_, argc, argv);
  if (argc < 2) {
    fmt::print(stderr, "{}", app_.help());
    return {nullptr, 2};
  }
  if (auto known = check_words(words); !known) {
    note(known.error().render());
    return {nullptr, 2};
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return {nullptr, app_.exit(asked)};
  } catch (const CLI::ParseError& error) {
    note(explain(error).render());
    return {nullptr, 2};
  }
  return {chosen_, 0};
}

void add_all(Commands& commands) {
  add_serve_command(commands);
  add_mcp_command(commands);
  add_depot_commands(commands);
  add_file_commands(commands);
  add_search_commands(commands);
  add_query_command(commands);
  add_write_commands(commands);
  add_transfer_commands(commands);
  add_mirror_command(commands);
  add_sandbox_command(commands);
  add_delegate_commands(commands);
  add_user_commands(commands);
  add_admin_commands(commands);
  add_context_tool_commands(commands);
  add_endpoint_commands(commands);
  add_call_command(commands);
}

}  // namespace cairn::cli
