// cairn sandbox.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/explain.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/depot_place.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/sandbox_report.h"
#include "exposure/sandbox/changes.h"
#include "exposure/sandbox/program.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

constexpr int kDeclined = 1;
constexpr std::size_t kMostLines = 20;  // of what is against the rules, or not kept
constexpr std::size_t kMaxRulesBytes = 1 << 20;

struct SandboxArguments {
  std::string where;
  std::vector<std::string> command;
  std::vector<std::string> allow;
  std::string max_size;
  std::string memory;
  std::string time;
  std::size_t processes = sandbox::SandboxLimits().processes;
  std::string message;
  bool allow_rules = false;
  bool yes = false;
  bool no = false;
  bool keep = false;
};

// Everything between the first look at the depot and the commit.
struct Outcome {
  sandbox::SandboxTree tree;
  sandbox::SandboxChanges changes;
  std::vector<std::string> broken{};
  int exit_code = 0;
};

Result<void> check_local(const Options& options) {
  if (TRY(named_server(options)).empty()) return {};
  return fail(Code::kInvalidArgument,
              "the sandbox works on a data directory of this machine, not through --server or "
              "CAIRN_SERVER; give --data");
}

Result<std::vector<Glob>> parse_globs(const std::vector<std::string>& patterns) {
  std::vector<Glob> out;
  for (const auto& pattern : patterns) out.push_back(TRY(Glob::parse(pattern)));
  return out;
}

// Those of the depot as it was: the command cannot change its own.
Result<sandbox::SandboxRules> stored_rules(client::Client& client, const std::string& root) {
  json::Object place{{"nodeKey", root}, {"path", sandbox::kRulesFile}};
  const auto found = client.call("fs_stat", place);
  if (!found && found.error().code == Code::kPathNotFound) return sandbox::SandboxRules();
  const auto answer = TRY(found);
  Arguments stat(answer.as_object());
  if (stat.text("type") != "file" ||
      stat.number("size") > static_cast<std::int64_t>(kMaxRulesBytes)) {
    return fail(Code::kInvalidArgument,
                "{} has to be a file of at most 1 MiB with the depot's rules", sandbox::kRulesFile);
  }
  Bytes text;
  TRY(client.read_file(root, sandbox::kRulesFile, [&](ByteView portion) -> Result<void> {
    text += portion;
    return {};
  }));
  return sandbox::SandboxRules::parse(text);
}

Result<sandbox::SandboxRules> rules_of(client::Client& client, const std::string& root,
                                       const SandboxArguments& given) {
  auto rules = TRY(stored_rules(client, root));
  if (!given.allow.empty()) rules.allow.push_back(TRY(parse_globs(given.allow)));
  rules.may_change = given.allow_rules;
  if (!given.max_size.empty()) {
    rules.max_bytes =
        std::min(rules.max_bytes, static_cast<std::uint64_t>(TRY(parse_size(given.max_size))));
  }
  return rules;
}

struct Start {
  sandbox::SandboxTree tree;
  sandbox::SandboxRules rules;
};

Result<Start> begin(Kit& kit, const SandboxArguments& given,
                    const std::filesystem::path& directory) {
  const auto client = TRY(connect(kit.options, Create::kNo, kit.world()));
  const auto place = TRY(resolve_place(*client, given.where));
  sandbox::SandboxTree tree{.depot = place.tree.key,
                            .root = TRY(pin(*client, place.tree)),
                            .path = place.path,
                            .directory = directory,
                            .stored = {}};
  const client::Resolved pinned{{tree.root, client::TreeKind::kNode}, tree.path};
  const auto answer = TRY(client->call("fs_stat", pinned.arguments()));
  if (Arguments(answer.as_object()).text("type") != "dir") {
    return fail(Code::kNotADirectory, "'{}' is a file; name the directory it is in",
                shown(given.where));
  }
  auto rules = TRY(rules_of(*client, tree.root, given));
  TRY(check_out(*client, tree));
  return Start{std::move(tree), std::move(rules)};
}

Result<void> find_broken(client::Client& client, const sandbox::SandboxRules& rules,
                         Outcome& outcome) {
  outcome.broken = broken_rules(rules, outcome.changes.list, kMostLines);
  // Contents are looked at when there is not too much of them.
  if (!outcome.broken.empty() || !rules.json) return {};
  outcome.broken = TRY(find_broken_json(client, outcome.tree, outcome.changes));
  if (outcome.broken.size() > kMostLines) outcome.broken.resize(kMostLines);
  return {};
}

Result<void> show(Kit& kit, client::Client& client, const Outcome& outcome) {
  const auto& left_out = outcome.changes.not_kept;
  for (std::size_t i = 0; i < std::min(left_out.size(), kMostLines); ++i) {
    note("not taken over: " + shown(left_out[i], 1000));
  }
  if (left_out.size() > kMostLines) {
    note(fmt::format("not taken over: {} more", left_out.size() - kMostLines));
  }
  if (kit.options.json) return {};
  TRY(print_changes(kit.out, client, outcome.tree, outcome.changes));
  return kit.out.flush();
}

json::Object render(const Outcome& outcome) {
  json::Array changes;
  for (const auto& change : outcome.changes.list) {
    json::Object row{{"change", name(change.kind)}, {"path", change.path}};
    row["type"] = change.entry == client::EntryKind::kDirectory ? "dir" : "file";
    if (change.entry == client::EntryKind::kFile) row["size"] = change.after;
    changes.emplace_back(std::move(row));
  }
  const auto texts = [](const std::vector<std::string>& lines) {
    json::Array out;
    for (const auto& line : lines) out.emplace_back(shown(line, 1000));
    return out;
  };
  return {{"depotId", outcome.tree.depot},
          {"from", outcome.tree.root},
          {"exitCode", outcome.exit_code},
          {"changes", std::move(changes)},
          {"notKept", texts(outcome.changes.not_kept)},
          {"broken", texts(outcome.broken)}};
}

Failure rules_broken(const Outcome& outcome) {
  std::string lines;
  for (const auto& line : outcome.broken) lines += "\n  " + line;
  return Failure(
      Error(Code::kRuleBroken,
            fmt::format("nothing was committed, it is against the depot's rules:{}", lines))
          .with("broken", outcome.broken));
}

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool consent(const SandboxArguments& given, int exit_code) {
  if (given.no) return false;
  if (given.yes && exit_code != 0) {
    note("not committed: the command failed, and --yes is for what went well");
    return false;
  }
  if (given.yes) return true;
  if (!can_ask()) {
    note("not committed: there is nobody to ask; give --yes to commit");
    return false;
  }
  fmt::print(stderr, "Commit these changes to '{}'? [y/N] ", shown(given.where));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::string message_of(const SandboxArguments& given) {
  if (!given.message.empty()) return given.message;
  std::string words;
  for (const auto& word : given.command) words += (words.empty() ? "" : " ") + word;
  return "sandbox: " + (words.empty() ? "a shell" : shown(words, 500));
}

Result<json::Value> commit(client::Client& client, const SandboxArguments& given,
                           const Outcome& outcome, std::string& root) {
  root = TRY(apply_changes(client, outcome.tree, outcome.changes));
  return client.call("depot_commit", {{"depotId", outcome.tree.depot},
                                      {"root", root},
                                      {"expectedRoot", outcome.tree.root},
                                      {"message", message_of(given)}});
}

// The work is not lost with the commit.
Failure kept(Error error, sandbox::SandboxDirectory& directory, const Outcome& outcome,
             const std::string& root) {
  directory.keep();
  auto advice = fmt::format(
      "nothing was committed, and the files are kept in {}: put them in with 'cairn put'",
      directory.work().string());
  if (!root.empty()) {
    advice += fmt::format(", or look at both with 'cairn diff {} {}'", outcome.tree.depot, root);
  }
  return Failure(advised(std::move(error), advice).with("kept", directory.work().string()));
}

int decline(Kit& kit, sandbox::SandboxDirectory& directory, const SandboxArguments& given,
            json::Object answer) {
  if (given.keep) {
    directory.keep();
    answer["kept"] = directory.work().string();
    note(fmt::format("the files are kept in {}", directory.work().string()));
  }
  answer["committed"] = false;
  if (kit.options.json) kit.out.print_json(answer);
  return kDeclined;
}

int report(Kit& kit, json::Object answer, const json::Value& commit) {
  Arguments done(commit.as_object());
  answer["committed"] = true;
  answer["root"] = done.text("root");
  answer["merged"] = done.flag("merged");
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    if (done.flag("merged")) note("others had committed; their changes were merged in");
    kit.out.print("{}\n", done.text("root"));
  }
  return 0;
}

// After the command: look, check, ask, commit.
Result<int> conclude(Kit& kit, sandbox::SandboxDirectory& directory, const SandboxArguments& given,
                     const sandbox::SandboxRules& rules, Outcome& outcome) {
  sandbox::make_reachable(directory.work());
  auto client = TRY(connect(kit.options, Create::kNo, kit.world()));
  outcome.changes = TRY(find_changes(*client, outcome.tree));
  TRY(find_broken(*client, rules, outcome));
  TRY(show(kit, *client, outcome));
  if (outcome.changes.list.empty()) {
    note("nothing changed");
    if (kit.options.json) kit.out.print_json(render(outcome));
    return 0;
  }
  if (!outcome.broken.empty()) {
    static_cast<void>(decline(kit, directory, given, render(outcome)));
    return rules_broken(outcome);
  }
  // Others can work with the store while somebody thinks.
  client.reset();
  if (!consent(given, outcome.exit_code)) return decline(kit, directory, given, render(outcome));
  client = TRY(connect(kit.options, Create::kNo, kit.world()));
  std::string root;
  const auto done = commit(*client, given, outcome, root);
  if (!done) return kept(done.error(), directory, outcome, root);
  return report(kit, render(outcome), *done);
}

Result<sandbox::SandboxLimits> limits_of(const SandboxArguments& given) {
  sandbox::SandboxLimits limits{.processes = given.processes};
  if (!given.memory.empty()) {
    limits.memory = static_cast<std::uint64_t>(TRY(parse_size(given.memory)));
    limits.all_memory = limits.memory;
  } else {
    // Programs that build things are many, and each may be large.
    const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    const auto machine = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    limits.all_memory = std::max(limits.memory, machine / 2);
  }
  if (!given.time.empty()) limits.time = TRY(parse_duration(given.time));
  return limits;
}

std::string reason(sandbox::Watchdog::Why why, const SandboxArguments& given,
                   const sandbox::SandboxLimits& limits) {
  using Why = sandbox::Watchdog::Why;
  switch (why) {
    case Why::kNothing:
      return "";
    case Why::kTime:
      return fmt::format("--time {} is over", shown(given.time));
    case Why::kProcesses:
      return fmt::format("it had more than {} processes; --processes allows more",
                         limits.processes);
    case Why::kMemory:
      return fmt::format("all of it together took more than {} of memory; --memory allows more",
                         human_size(static_cast<std::int64_t>(limits.all_memory)));
  }
  return "";
}

Result<int> run_sandbox(Kit& kit, const SandboxArguments& given) {
  TRY(check_local(kit.options));
  if (given.yes && given.no) return fail(Code::kInvalidArgument, "give --yes or --no, not both");
  const auto directory = TRY(sandbox::SandboxDirectory::make());
  const sandbox::SandboxProgram program{.command = given.command,
                                        .hidden = data_directory(kit.options),
                                        .output_is_ours = kit.options.json,
                                        .limits = TRY(limits_of(given))};
  TRY(check_bubblewrap(*directory, program));
  auto start = TRY(begin(kit, given, directory->work()));
  const auto ended = TRY(run_sandboxed(*directory, program));
  const auto code = ended.code;
  if (ended.why != sandbox::Watchdog::Why::kNothing) {
    note(fmt::format("the command was ended: {}", reason(ended.why, given, program.limits)));
  } else if (code != 0) {
    note(fmt::format("the command ended with {}", code));
  }
  Outcome outcome{.tree = std::move(start.tree), .changes = {}, .exit_code = code};
  auto result = conclude(kit, *directory, given, start.rules, outcome);
  const bool lost = !result && result.error().code != Code::kRuleBroken &&
                    !result.error().details.contains("kept");
  if (lost) return kept(result.error(), *directory, outcome, "");
  return result;
}

}  // namespace

void add_sandbox_command(Commands& commands) {
  auto given = std::make_shared<SandboxArguments>();
  auto command = commands.add(
      {.name = "sandbox",
       .description = "Run a command on a depot's files, apart from all else; look; commit",
       .example = "cairn sandbox my-project -- sed -i 's/teh/the/' README.md",
       .more = "The tree is written into a private directory, which the command sees as /work: "
               "with the\n"
               "system's programs, without network, home, other files or other processes "
               "(bubblewrap).\n"
               "Then the changes are shown, checked against the depot's .cairn/rules.json and the\n"
               "options here, and committed if you say so. Without COMMAND a shell is run. On a "
               "terminal\n"
               "the command has one of its own. Exits with 1 when the changes are not committed.",
       .group = "Files"},
      [given](Kit& kit) { return run_sandbox(kit, *given); });
  command.add_argument("WHERE", given->where, "DEPOT, or DEPOT/PATH");
  command.add_argument("COMMAND", given->command, "What to run, after --; else a shell")
      .required(false);
  command.add_value("--allow", given->allow, "GLOB", "Paths that may change; may be repeated")
      .repeated();
  command.add_value("--max-size", given->max_size, "SIZE",
                    "Of all changed files together [1GiB, or the depot's rules]");
  command.add_value("--memory", given->memory, "SIZE",
                    "What the command may write to, and /tmp may hold [4GiB for each process]");
  command.add_value("--processes", given->processes, "N", "How many there may be at once [1024]")
      .positive();
  command.add_value("--time", given->time, "TIME", "End it after so long, such as 10m [never]");
  command.add_flag("--allow-rules", given->allow_rules, "The rules in .cairn may change");
  command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
  command.add_flag("-y,--yes", given->yes, "Commit without asking, if the command ended with 0");
  command.add_flag("-n,--no", given->no, "Show the changes and leave");
  command.add_flag("--keep", given->keep, "Keep the files when they are not committed");
}

}  // namespace cairn::cli
