#include "exposure/cli/fsck_repair.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/quote.h"
#include "data/store/backup.h"
#include "data/store/open.h"
#include "data/store/recount.h"
#include "exposure/client/node_sources.h"

namespace cairn::cli {
namespace {

// Where nodes are looked for, and what has to live as long.
struct Sources {
  std::unique_ptr<Store> other;
  std::vector<std::unique_ptr<NodeSource>> all;
};

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

Result<std::unique_ptr<NodeSource>> server_source(const Kit& kit, const std::string& url) {
  auto who = TRY(find_identity(kit.options, url, kit.clock()));
  if (!who) {
    return fail(Code::kInvalidToken,
                "to heal from {} its owner's token is needed: give it with --token, --token-file "
                "or CAIRN_TOKEN",
                shown(url));
  }
  // What a sign-in may not see is not healed either.
  if (who->source) who->token = TRY(who->source({}));
  return client::nodes_at_server({.url = url, .token = who->token, .ca_file = kit.options.ca_file});
}

Result<void> add_source(Kit& kit, const std::string& from, Sources& out) {
  if (from.empty()) return {};
  if (is_url(from)) {
    out.all.push_back(TRY(server_source(kit, from)));
    return {};
  }
  const std::filesystem::path path(from);
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return fail(is_there(path) ? Code::kInvalidArgument : Code::kNotFound,
                "'{}' is no directory: --from takes a backup, a directory of files, or the URL of "
                "a server",
                shown(from));
  }
  if (is_there(path / "cairn-backup")) {
    out.other = TRY(open_backup(path, kit.clock()));
  } else if (is_there(path / "store" / "CURRENT")) {
    out.other = TRY(open_rocks_store(path, kit.clock(), {.create = false}));
  }
  out.all.push_back(out.other ? nodes_of(*out.other) : client::nodes_in_directory(path));
  return {};
}

// As it is now.
Result<FsckReport> check(Kit& kit, Store& store, const RealmId& id, const FsckOptions& options) {
  const auto then = TRY(store.snapshot());
  Realm realm(*then, id, kit.clock(), kit.world().random);
  auto report = TRY(fsck(realm, options));
  if (!report.ended_at) TRY(remember_damage(store, id, report));
  return report;
}

bool counts_are_off(const FsckReport& report) {
  return std::ranges::any_of(report.problems, [](const FsckProblem& problem) {
    return problem.kind == FsckProblem::Kind::kUsage;
  });
}

}  // namespace

Result<std::optional<RepairedLog>> repair_log(Kit& kit) {
  if (!TRY(named_server(kit.options)).empty()) {
    return fail(Code::kInvalidArgument,
                "--repair works on a data directory; stop the server, and name it with --data");
  }
  const auto data = data_directory(kit.options);
  auto done = TRY(cairn::repair_log(data / "store", kit.clock(), {.is_commit = is_commit_record}));
  if (!done) return std::nullopt;
  auto store = TRY(open_rocks_store(data, kit.clock(), {.create = false}));
  auto moved = TRY(moved_back(store->kv(), done->lost));
  return RepairedLog{std::move(*done), std::move(moved)};
}

Result<std::optional<RepairedTables>> repair_tables(Kit& kit) {
  const auto data = data_directory(kit.options);
  auto done = TRY(cairn::repair_tables(data / "store", kit.clock()));
  if (!done) return std::nullopt;
  RepairedTables out{.tables = std::move(*done), .found_again = {}};
  if (out.tables.lost_records().empty()) return out;
  auto store = TRY(open_rocks_store(data, kit.clock(), {.create = false}));
  for (const auto& realm : TRY(store->realms())) {
    auto found = TRY(find_depots_again(*store, realm));
    std::ranges::move(found, std::back_inserter(out.found_again));
  }
  return out;
}

Result<std::vector<CheckedRealm>> heal_all(Kit& kit, const std::string& from,
                                           const FsckOptions& options) {
  Sources sources;
  TRY(add_source(kit, from, sources));
  const auto opened = TRY(open_rocks_store(data_directory(kit.options), kit.clock(),
                                           {.create = false, .is_commit = is_commit_record}));
  auto& store = *opened;
  sources.all.push_back(nodes_of(store));
  std::vector<CheckedRealm> out;
  for (const auto& realm : TRY(store.realms())) {
    CheckedRealm checked{.realm = realm, .report = TRY(check(kit, store, realm, options))};
    if (!checked.report.clean() && !checked.report.ended_at) {
      checked.healed = TRY(heal(store, realm, checked.report, sources.all));
      if (!checked.healed.empty()) checked.report = TRY(check(kit, store, realm, options));
      // What is counted is what is stored now, so last.
      if (counts_are_off(checked.report)) {
        TRY(recount(store.nodes(realm)));
        checked.recounted = true;
        checked.report = TRY(check(kit, store, realm, options));
      }
    }
    out.push_back(std::move(checked));
    if (out.back().report.ended_at) break;
  }
  return out;
}

}  // namespace cairn::cli
