// cairn usage, gc, backup, restore.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <sys/stat.h>

#include "data/store/backup.h"
#include "data/store/open.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

constexpr int kNotClean = 6;

struct AdminArguments {
  std::string target;
  std::string backup;
  std::string grace;
  bool dry_run = false;
  bool link = false;
  bool verify = false;
};

Result<int> run_usage(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("get_usage", {}));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments usage(answer.as_object());
  const auto quota = usage.number("quotaLimit");
  kit.out.print("realm    {}\n", usage.text("realm"));
  kit.out.print("stored   {} in {}\n", human_size(usage.number("physicalBytes")),
                counted(usage.number("nodeCount"), "node"));
  kit.out.print("content  {} before compression\n", human_size(usage.number("logicalBytes")));
  kit.out.print("quota    {}\n", quota == 0 ? "none" : human_size(quota));
  return 0;
}

// What was not taken, and until when.
void show_spared(const Arguments& report) {
  if (const auto nodes = report.number("spared"); nodes > 0) {
    note(fmt::format("the grace time spared {}, {}, until {} at most; --grace 0 takes them",
                     counted(nodes, "node"), human_size(report.number("sparedBytes")),
                     human_time(report.number("sparedUntil"))));
  }
  if (const auto depots = report.number("restorableDepots"); depots > 0) {
    note(fmt::format("{} can be restored until {} at most", counted(depots, "deleted depot"),
                     human_time(report.number("restorableUntil"))));
  }
}

Result<int> run_gc(Kit& kit, const AdminArguments& given) {
  json::Object arguments;
  if (given.dry_run) arguments["dryRun"] = true;
  if (!given.grace.empty()) {
    arguments["grace"] = given.grace == "0" ? 0 : TRY(parse_duration(given.grace)).count();
  }
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("collect_garbage", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments report(answer.as_object());
  if (const auto thinned = report.number("thinned"); thinned > 0) {
    kit.out.print("{} {} that no depot keeps any more\n", given.dry_run ? "would drop" : "dropped",
                  counted(thinned, "old commit"));
  }
  kit.out.print("{} {}, {} {}; {} in use\n", given.dry_run ? "would remove" : "removed",
                counted(report.number("removed"), "node"), given.dry_run ? "free" : "freed",
                human_size(report.number("freedBytes")), counted(report.number("marked"), "node"));
  if (const auto depots = report.number("depots"); depots > 0) {
    kit.out.print("{} {} for good\n", counted(depots, "deleted depot"),
                  given.dry_run ? "would go" : "went");
  }
  show_spared(report);
  return 0;
}

// A backup that is there; no store is needed for it.
Result<int> run_verify(Kit& kit, const AdminArguments& given) {
  const auto files = static_cast<std::int64_t>(TRY(verify_backup(given.target)));
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"target", given.target}, {"files", files}, {"clean", true}});
  } else {
    kit.out.print("clean: {} as they were backed up\n", counted(files, "file"));
  }
  return 0;
}

Result<int> run_backup(Kit& kit, const AdminArguments& given) {
  if (given.verify) return run_verify(kit, given);
  // Whoever opens the store itself writes the copies itself.
  ::umask(0077);
  auto& client = *TRY(kit.client());
  std::filesystem::path target = given.target;
  // On another machine this directory means nothing; there the path has to be whole.
  if (client.same_machine()) target = std::filesystem::absolute(target);
  json::Object wanted{{"target", target.string()}};
  if (given.link) wanted["link"] = true;
  const auto answer = TRY(client.call("backup_store", wanted));
  Arguments made(answer.as_object());
  const auto damaged = made.number("damagedCount");
  const int code = damaged == 0 ? 0 : kNotClean;
  if (kit.options.json) {
    kit.out.print_json(answer);
    return code;
  }
  kit.out.print("{}\n", made.text("target"));
  for (const auto& item : client::rows_of(answer.as_object(), "damaged")) {
    Arguments node(item.as_object());
    note(fmt::format("damaged  {} of {}", node.text("key"), node.text("realm")));
  }
  if (damaged > 0) {
    note(
        fmt::format("{} damaged in the store, and so in its backup, which lists them in {}; "
                    "'cairn fsck' says what they are part of",
                    counted(damaged, "node is", "nodes are"), kDamagedList));
  }
  return code;
}

Result<int> run_restore(Kit& kit, const AdminArguments& given) {
  ::umask(0077);
  TRY(restore_backup(given.backup, given.target));
  if (std::error_code error;
      std::filesystem::exists(std::filesystem::path(given.backup) / kDamagedList, error)) {
    note(fmt::format("the backup was made of a damaged store; {} in it lists what", kDamagedList));
  }
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"data", given.target}});
  } else {
    kit.out.print("{}\n", given.target);
  }
  return 0;
}

}  // namespace

void add_admin_commands(Commands& commands) {
  const std::string group = "Care";
  commands.add({.name = "usage",
                .description = "What the realm stores, and its quota",
                .example = "cairn usage",
                .group = group},
               run_usage);
  auto given = std::make_shared<AdminArguments>();
  add_audit_command(commands);
  auto command = commands.add(
      {.name = "gc",
       .description = "Collect garbage: nodes that nothing holds any more",
       .example = "cairn gc --dry-run",
       .more = "What was written within the last day is spared, and depots deleted within a week. "
               "A\nserver does this once a day. To remove something for good see 'cairn purge'.",
       .group = group},
      [given](Kit& kit) { return run_gc(kit, *given); });
  command.add_value("--grace", given->grace, "TIME",
                    "Spare what was written since, such as 1h; 0: nothing that no depot holds, and "
                    "no deleted depot");
  command.add_flag("--dry-run", given->dry_run, "Only say what would go");
  add_fsck_command(commands);
  command = commands.add(
      {.name = "backup",
       .description = "Copy the whole store to a new directory, while it is used",
       .example = "cairn backup /backups/cairn-monday",
       .more = "Damage that is known, because a check or a reader met it, is listed "
               "here and in the backup;\nthe exit code is 6 then. It does not look for "
               "more: 'cairn fsck' does.",
       .group = group},
      [given](Kit& kit) { return run_backup(kit, *given); });
  command.add_argument("TARGET", given->target, "A directory that does not exist yet");
  command.add_flag("--link", given->link,
                   "Share files with the store where it is on the same disk: no room, no safety");
  command.add_flag("--verify", given->verify,
                   "Make none: check that the backup at TARGET is as it was made");
  command = commands.add({.name = "restore",
                          .description = "Make a data directory from a backup",
                          .example = "cairn restore /backups/cairn-monday /srv/cairn",
                          .group = group},
                         [given](Kit& kit) { return run_restore(kit, *given); });
  command.add_argument("BACKUP", given->backup, "What 'cairn backup' made");
  command.add_argument("DATA", given->target, "A directory that does not exist yet");
}

}  // namespace cairn::cli
