// cairn fsck.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "exposure/cli/commands.h"
#include "exposure/cli/fsck_repair.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/progress.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

constexpr int kNotClean = 6;

struct FsckArguments {
  bool repair = false;
  std::string from;
  std::string resume;
};

// How far it is: on a terminal a line that changes, elsewhere another one now and then.
class CheckLine final {
 public:
  explicit CheckLine(const Clock& clock)
      : clock_(clock), terminal_(::isatty(STDERR_FILENO) == 1), last_(clock.monotonic()) {}
  ~CheckLine() { clear(); }
  CheckLine(const CheckLine&) = delete;
  CheckLine& operator=(const CheckLine&) = delete;

  void show(std::uint64_t checked, std::uint64_t total, std::uint64_t problems) {
    if (clock_.monotonic() - last_ < (terminal_ ? kRedraw : kAnother)) return;
    last_ = clock_.monotonic();
    auto line = fmt::format("checked {} of {}", checked, counted(std::int64_t(total), "node"));
    if (problems > 0) line += fmt::format(", {}", counted(std::int64_t(problems), "problem"));
    if (!terminal_) return note(line);
    drawn_ = true;
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
  }
  void clear() {
    if (!std::exchange(drawn_, false)) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }

 private:
  static constexpr std::chrono::milliseconds kRedraw{100};
  static constexpr std::chrono::seconds kAnother{10};

  const Clock& clock_;
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::nanoseconds last_;
};

void show_problem(Output& out, const Arguments& problem) {
  out.print("{}  {}  {}\n", out.paint(Style::kRed, problem.text("kind")), problem.text("key"),
            out.safe(problem.text("message")));
  for (const auto& path : problem.texts("paths").value_or(std::vector<std::string>())) {
    out.print("  {}\n", out.safe(path));
  }
}

void show_summary(Output& out, const Arguments& report) {
  const auto problems = report.number("problemCount");
  out.print("{}: {}, {}, {}\n", problems == 0 ? "clean" : counted(problems, "problem"),
            counted(report.number("nodes"), "node"), human_size(report.number("bytes")),
            counted(report.number("roots"), "root"));
}

void note_ended(std::string_view position, std::int64_t problems) {
  if (problems > 0) {
    note(fmt::format("{} so far, which the check that goes on will list",
                     counted(problems, "problem")));
  }
  note(position.empty() ? "ended before anything was checked"
                        : fmt::format("ended; go on with: cairn fsck --resume {}", position));
}

// Rows of check_store, as they come.
class CheckReader final {
 public:
  CheckReader(Kit& kit, const Progress& progress)
      : kit_(kit), progress_(progress), line_(kit.clock()) {}

  client::More take(const json::Object& row) {
    if (const auto* at = json::find(row, "progress"); at != nullptr && at->is_object()) {
      const Arguments now(at->get_object());
      problem_count_ = now.number("problemCount");
      if (const auto position = now.maybe_text("position")) position_ = *position;
      line_.show(std::uint64_t(now.number("checked")), std::uint64_t(now.number("total")),
                 std::uint64_t(problem_count_));
    } else if (kit_.options.json) {
      problems_.emplace_back(row);
    } else {
      line_.clear();
      show_problem(kit_.out, Arguments(row));
    }
    return progress_.stop ? client::More::kNo : client::More::kYes;
  }

  // Nobody waits for its end any more.
  int interrupted() {
    line_.clear();
    note_ended(position_, problem_count_);
    return kInterrupted;
  }
  // The way to the server broke.
  Failure broken(Error error) {
    line_.clear();
    note_ended(position_, problem_count_);
    return Failure(std::move(error));
  }

  int finish(json::Object summary) {
    line_.clear();
    const Arguments report(summary);
    const int code = report.flag("clean") ? 0 : kNotClean;
    if (kit_.options.json) {
      summary["problems"] = std::move(problems_);
      kit_.out.print_json(summary);
      return code;
    }
    show_summary(kit_.out, report);
    if (!report.flag("complete")) {
      note_ended(report.text("position"), report.number("problemCount"));
    }
    return code;
  }

 private:
  Kit& kit_;
  const Progress& progress_;
  CheckLine line_;
  std::string position_;
  std::int64_t problem_count_ = 0;
  json::Array problems_;
};

Result<int> check(Kit& kit, const FsckArguments& given, const Progress& progress) {
  auto& client = *TRY(kit.client());
  json::Object arguments;
  if (!given.resume.empty()) arguments["position"] = given.resume;
  CheckReader reader(kit, progress);
  auto summary = client.stream("check_store", arguments,
                               [&](const json::Object& row) { return reader.take(row); });
  if (progress.stop) return reader.interrupted();
  if (!summary) return reader.broken(std::move(summary).error());
  return reader.finish(*std::move(summary));
}

json::Object row_of(const MovedBack& moved) {
  json::Object row{{"realm", moved.realm.render()},
                   {"depot", moved.depot.render()},
                   {"title", moved.title},
                   {"lostCommits", moved.commits},
                   {"certain", moved.certain}};
  if (moved.now) row["now"] = *moved.now;
  if (moved.was > 0) row["was"] = moved.was;
  if (moved.root) row["lostRoot"] = moved.root->render();
  return row;
}

json::Object render(const std::optional<RepairedLog>& repaired) {
  if (!repaired) return {{"repaired", false}};
  json::Array rows;
  for (const auto& depot : repaired->moved) rows.emplace_back(row_of(depot));
  return {{"repaired", true},
          {"damage", repaired->log.damage},
          {"saved", repaired->log.saved.string()},
          {"movedBack", std::move(rows)},
          {"unreadableChanges", repaired->log.unreadable}};
}

void show_log(Output& out, const std::optional<RepairedLog>& repaired) {
  if (!repaired) return out.print("the log is not damaged\n");
  const auto& [log, moved] = *repaired;
  out.print("{}\nthe logs as they were are in {}\n", log.damage, log.saved.string());
  for (const auto& depot : moved) {
    const auto where = depot.now
                           ? fmt::format("is at #{} now and was at #{}", *depot.now, depot.was)
                           : std::string("is gone: it was made behind the damage");
    out.print("{} ({}) {}; {} lost{}\n", out.safe(depot.title), depot.depot.render(), where,
              counted(static_cast<std::int64_t>(depot.commits), "commit"),
              depot.certain ? "" : ", as far as damaged bytes can be read");
  }
  if (moved.empty()) out.print("no depot is known to have lost a commit\n");
  if (log.unreadable > 0) {
    out.print("{} more cannot be read: depots that are not named here may have lost commits too\n",
              counted(static_cast<std::int64_t>(log.unreadable), "change"));
  }
}

json::Object render(const std::optional<RepairedTables>& repaired) {
  if (!repaired) return {{"repaired", false}};
  json::Array lost;
  for (const auto& rows : repaired->tables.lost_records()) {
    lost.emplace_back(json::Object{{"after", record_in_words(rows.after)},
                                   {"before", record_in_words(rows.before)}});
  }
  json::Array found;
  for (const auto& depot : repaired->found_again) {
    found.emplace_back(json::Object{
        {"depot", depot.id.render()}, {"title", depot.title}, {"now", depot.sequence}});
  }
  return {{"repaired", true},
          {"saved", repaired->tables.saved.string()},
          {"rows", repaired->tables.rows},
          {"lostRecords", std::move(lost)},
          {"foundAgain", std::move(found)}};
}

void show_tables(Output& out, const std::optional<RepairedTables>& repaired) {
  if (!repaired) return;
  out.print(
      "the tables had blocks that cannot be read; {} were written anew without those\n"
      "the tables as they were are in {}: delete them when all is well\n",
      counted(static_cast<std::int64_t>(repaired->tables.rows), "row"),
      repaired->tables.saved.string());
  for (const auto& rows : repaired->tables.lost_records()) {
    const auto end = [](const Bytes& key, std::string_view none) {
      return key.empty() ? std::string(none) : record_in_words(key);
    };
    out.print("{}  records between {} and {}; a backup may have them\n",
              out.paint(Style::kRed, "lost"), out.safe(end(rows.after, "the first one")),
              out.safe(end(rows.before, "the last one")));
  }
  for (const auto& depot : repaired->found_again) {
    out.print("{} ({}) was found again by its history: it is at #{}\n", out.safe(depot.title),
              depot.id.render(), depot.sequence);
  }
}

json::Object row_of(const RealmId& realm, const FsckProblem& problem) {
  json::Array paths;
  for (const auto& path : problem.paths) paths.emplace_back(path);
  return {{"realm", realm.render()},
          {"kind", name(problem.kind)},
          {"key", problem.key.render()},
          {"message", problem.message},
          {"paths", std::move(paths)}};
}

// All realms together, as a check of one is reported.
json::Object render(const std::vector<CheckedRealm>& realms) {
  json::Array problems;
  json::Array healed;
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t roots = 0;
  json::Array recounted;
  for (const auto& [realm, report, again, counts] : realms) {
    if (counts) recounted.emplace_back(realm.render());
    nodes += report.nodes;
    bytes += report.bytes;
    roots += report.roots;
    for (const auto& problem : report.problems) problems.emplace_back(row_of(realm, problem));
    for (const auto& key : again) {
      healed.emplace_back(json::Object{{"realm", realm.render()}, {"key", key.render()}});
    }
  }
  return {{"clean", problems.empty()},
          {"nodes", nodes},
          {"bytes", bytes},
          {"roots", roots},
          {"problemCount", problems.size()},
          {"problems", std::move(problems)},
          {"recounted", std::move(recounted)},
          {"healedCount", healed.size()},
          {"healed", std::move(healed)}};
}

// What is left, and what helps.
void show_healed(Output& out, const json::Object& report, bool had_source) {
  for (const auto& item : client::rows_of(report, "healed")) {
    out.print("{}  {}\n", out.paint(Style::kGreen, "healed"),
              Arguments(item.as_object()).text("key"));
  }
  for (const auto& item : client::rows_of(report, "problems")) {
    show_problem(out, Arguments(item.as_object()));
  }
  for (const auto& realm : client::rows_of(report, "recounted")) {
    out.print("{}  the usage counts of {} were off, and are right again\n",
              out.paint(Style::kGreen, "healed"), realm.as_string());
  }
  const Arguments all(report);
  if (const auto healed = all.number("healedCount"); healed > 0) {
    out.print("{} healed\n", counted(healed, "node was", "nodes were"));
  }
  show_summary(out, all);
  if (all.number("problemCount") == 0) return;
  note(had_source ? "what is left is not in what --from names; it heals from another backup, from "
                    "files that were imported, or when the same content is written again"
                  : "--from BACKUP, DIR or SERVER heals what is found there");
}

Result<int> repair(Kit& kit, const FsckArguments& given, Progress& progress) {
  const auto log = TRY(repair_log(kit));
  if (!kit.options.json) show_log(kit.out, log);
  const auto tables = TRY(repair_tables(kit));
  if (!kit.options.json) show_tables(kit.out, tables);
  std::stop_source stop;
  FsckOptions options{.stop = stop.get_token()};
  auto checked = [&] {
    CheckLine line(kit.clock());
    options.tell = [&](const FsckProgress& now) {
      if (progress.stop) stop.request_stop();
      line.show(now.nodes, now.total, now.bad.size());
    };
    return heal_all(kit, given.from, options);
  }();
  const auto realms = TRY(std::move(checked));
  auto report = render(realms);
  if (tables && !tables->tables.lost_records().empty()) report["clean"] = false;
  if (kit.options.json) {
    report["log"] = render(log);
    report["tables"] = render(tables);
    kit.out.print_json(report);
  } else {
    show_healed(kit.out, report, !given.from.empty());
  }
  if (!realms.empty() && realms.back().report.ended_at) {
    note("interrupted; what was healed stays");
    return kInterrupted;
  }
  return Arguments(report).flag("clean") ? 0 : kNotClean;
}

Result<int> run_fsck(Kit& kit, const FsckArguments& given) {
  if (given.repair && !given.resume.empty()) {
    return fail(Code::kInvalidArgument, "--resume goes on with a check, and --repair begins one");
  }
  if (!given.repair && !given.from.empty()) {
    return fail(Code::kInvalidArgument, "--from says what --repair heals from; give both");
  }
  // Before anything that has threads of its own.
  Progress progress;
  const EndsOnInterrupt interrupt(progress);
  return given.repair ? repair(kit, given, progress) : check(kit, given, progress);
}

}  // namespace

void add_fsck_command(Commands& commands) {
  auto given = std::make_shared<FsckArguments>();
  auto command = commands.add(
      {.name = "fsck",
       .description = "Check every node and every reference",
       .example = "cairn fsck --repair --from /backups/cairn-monday",
       .more =
           "Exits with 6 when something is damaged, and says which depots and paths need it. "
           "Others\nmay go on meanwhile. Interrupted, it says how to go on from there. A store "
           "whose write-ahead\nlog is damaged is not opened; --repair opens it as it was before "
           "the damage.",
       .group = "Care"},
      [given](Kit& kit) { return run_fsck(kit, *given); });
  command.add_flag("--repair", given->repair,
                   "Cut a damaged log off, save it in store/damaged-TIME, and say which depots "
                   "went back; write damaged tables anew; heal damaged nodes");
  command.add_value("--from", given->from, "SOURCE",
                    "With --repair: a backup, a directory of files that were imported, or the URL "
                    "of a server (with --token) that has the content");
  command.add_value("--resume", given->resume, "POSITION",
                    "Go on where an earlier check was ended");
}

}  // namespace cairn::cli
