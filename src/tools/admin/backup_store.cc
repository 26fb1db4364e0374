#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/quote.h"
#include "data/realm/heal.h"
#include "data/store/backup.h"
#include "data/store/open.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxShown = 1000;

json::Object answer(const std::filesystem::path& target, const std::set<DamagedNode>& damaged) {
  json::Object out;
  out["target"] = target.string();
  out["damagedCount"] = damaged.size();
  json::Array rows;
  for (const auto& [realm, key] : damaged) {
    if (rows.size() == kMaxShown) break;
    rows.emplace_back(json::Object{{"realm", realm.render()}, {"key", key.render()}});
  }
  out["damaged"] = std::move(rows);
  return out;
}

// Of the target it can only say whether it is free.
Result<Reply> would_back_up(Call& call, const std::filesystem::path& target) {
  TRY(check_backup_target(target));
  auto out = answer(target, TRY(remembered_damage(call.services().realms.store())));
  out["dryRun"] = true;
  return Reply(std::move(out));
}

Result<Reply> run_backup_store(Call& call, const Arguments& arguments) {
  const std::filesystem::path target(arguments.text("target"));
  if (!target.is_absolute()) {
    return fail(Code::kInvalidArgument,
                "the target '{}' should be an absolute path on the server's machine",
                shown(arguments.text("target")));
  }
  if (arguments.flag("dryRun")) return would_back_up(call, target);
  TRY(call.services().audit.flush());
  auto& store = call.services().realms.store();
  TRY(store.backup(target));
  const auto files = arguments.flag("link") ? BackupFiles::kLinked : BackupFiles::kCopied;
  if (auto sealed = seal_backup(target, files); !sealed) {
    std::error_code ignored;
    std::filesystem::remove_all(target, ignored);
    return Failure(std::move(sealed).error());
  }
  // Beside what readers have met, what the last checks found.
  auto damaged = read_damaged(target);
  const auto met = damaged.size();
  damaged.merge(TRY(remembered_damage(store)));
  if (damaged.size() > met) TRY(write_damaged(target, damaged));
  return Reply(answer(target, damaged));
}

}  // namespace

Tool backup_store() {
  return {
      .name = "backup_store",
      .title = "Back everything up",
      .description =
          "A consistent copy of the whole store, of all users, into a new directory on the "
          "server's machine, while it is used. For admins.",
      .input = shape::object(
          {{"target", shape::text("Absolute path that does not exist yet")},
           {"link",
            shape::flag("Share files that never change with the store, as links on its "
                        "disk: no room, and no help when the disk goes"),
            shape::kOptional},
           {"dryRun", shape::flag("Only say what would happen"), shape::kOptional}}),
      .output = shape::object(
          {{"target", shape::text()},
           {"damagedCount", shape::integer("Nodes that are known to be damaged, here and there")},
           {"damaged",
            shape::list_of(shape::object({{"realm", shape::text()}, {"key", shape::text()}}))},
           {"dryRun", shape::flag("Nothing was changed"), shape::kOptional}}),
      .annotations = {},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"target"},
      .run = run_backup_store,
  };
}

}  // namespace cairn
