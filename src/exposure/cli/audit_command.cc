// cairn audit.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "base/pause.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

using client::collect;

struct AuditArguments {
  std::int64_t limit = 50;
  std::string tool;
  std::string outcome;
  std::string endpoint;
  std::string who;
  std::string path;
  std::string request;
  std::string since;
  std::string until;
  bool failed = false;
  bool writes = false;
  bool follow = false;
};

// `1h` ago.
Result<Millis> ago(const Kit& kit, const std::string& text) {
  const std::chrono::milliseconds span = TRY(parse_duration(text));
  return std::max<Millis>(0, kit.clock().now() - span.count());
}

Result<json::Object> query_of(const Kit& kit, const AuditArguments& given) {
  json::Object out{{"limit", std::min<std::int64_t>(given.limit, 1000)}};
  if (!given.tool.empty()) out["tool"] = given.tool;
  if (!given.outcome.empty()) out["outcome"] = given.outcome;
  if (!given.endpoint.empty()) out["endpointId"] = given.endpoint;
  if (!given.who.empty()) out["who"] = given.who;
  if (!given.path.empty()) out["path"] = given.path;
  if (!given.request.empty()) out["request"] = given.request;
  if (given.failed) out["failed"] = true;
  if (given.writes) out["writes"] = true;
  if (!given.since.empty()) out["since"] = TRY(ago(kit, given.since));
  if (!given.until.empty()) out["until"] = TRY(ago(kit, given.until));
  return out;
}

std::string time_of(const Arguments& row) {
  const Millis time = row.number("time");
  return fmt::format("{}:{:02}", human_time(time), time / 1000 % 60);
}

std::string who_of(const Arguments& row) {
  if (const auto endpoint = row.maybe_text("endpoint")) {
    return std::string(row.maybe_text("endpointName").value_or(*endpoint));
  }
  return std::string(row.maybe_text("who").value_or(row.text("delegate")));
}

std::string outcome_of(const Arguments& row) {
  const auto count = row.number("count", 1);
  if (count == 1) return std::string(row.text("outcome"));
  return fmt::format("{} ×{}", row.text("outcome"), count);
}

std::string about_of(const Arguments& row) {
  std::string out(row.maybe_text("about").value_or(row.text("context")));
  const auto message = row.maybe_text("message");
  if (!message) return out;
  return fmt::format("{}{}{}", out, out.empty() ? "" : ": ", *message);
}

Style style_of(const Arguments& row) {
  return row.text("outcome") == "ok" ? Style::kGreen : Style::kRed;
}

void print_table(Kit& kit, const json::Array& entries) {
  Table table({{"TIME"},
               {"WHO"},
               {"BY"},
               {"TOOL"},
               {"OUTCOME"},
               {"TOOK", Table::Align::kRight},
               {"ABOUT"}});
  for (const auto& item : entries) {
    const Arguments row(item.as_object());
    table.add({time_of(row),
               kit.out.safe(who_of(row)),
               std::string(row.text("entrance")),
               {std::string(row.text("tool")), Style::kCyan},
               {outcome_of(row), style_of(row)},
               fmt::format("{:.1f} ms", static_cast<double>(row.number("micros")) / 1000),
               kit.out.safe(about_of(row))});
  }
  table.print(kit.out);
}

void print_line(Kit& kit, const json::Object& entry) {
  if (kit.options.json) {
    kit.out.print_json(entry);
    return;
  }
  const Arguments row(entry);
  kit.out.print("{}  {}  {}  {}  {}  {}\n", time_of(row), kit.out.safe(who_of(row)),
                row.text("entrance"), kit.out.paint(Style::kCyan, row.text("tool")),
                kit.out.paint(style_of(row), outcome_of(row)), kit.out.safe(about_of(row)));
}

// The entries as they come, the oldest first.
class Follower final {
 public:
  Follower(Kit& kit, client::Client& client, const AuditArguments& given)
      : kit_(kit), client_(client), given_(given) {}

  Result<int> run() {
    auto query = TRY(query_of(kit_, given_));
    query["limit"] = 1000;
    since_ = query.contains("since") ? query["since"].as_int64() : TRY(newest()) + 1;
    do {
      query["since"] = since_;
      auto answer = TRY(collect(client_, "get_audit", query, "entries"));
      show(answer.as_object()["entries"].as_array());
      TRY(kit_.out.flush());
    } while (pause(kEvery, std::stop_token()));
    return 0;
  }

 private:
  static constexpr std::chrono::seconds kEvery{2};
  // Looked at anew each time, because an entry is in the log a little after its time.
  static constexpr Millis kOverlap = 5000;

  // By the server's clock, which need not be that of this machine.
  Result<Millis> newest() {
    auto answer = TRY(client_.call("get_audit", {{"limit", 1}}));
    const auto& entries = answer.as_object()["entries"].as_array();
    return entries.empty() ? 0 : entries.front().at("time").to_number<Millis>();
  }

  void show(const json::Array& entries) {
    std::set<std::string> seen;
    for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
      const auto& entry = at->as_object();
      since_ = std::max(since_, Millis{Arguments(entry).number("time")} - kOverlap);
      // These questions themselves.
      const bool own = Arguments(entry).text("tool") == "get_audit" && given_.tool != "get_audit";
      auto text = json::write(*at);
      const bool is_new = !seen_.contains(text);
      seen.insert(std::move(text));
      if (is_new && !own) print_line(kit_, entry);
    }
    seen_ = std::move(seen);
  }

  Kit& kit_;
  client::Client& client_;
  const AuditArguments& given_;
  Millis since_ = 0;
  std::set<std::string> seen_;
};

Result<int> run_audit(Kit& kit, const AuditArguments& given) {
  auto& client = *TRY(kit.client());
  if (given.follow) {
    if (client.engine() != nullptr) {
      return fail(Code::kInvalidArgument,
                  "no server has the store open, so that nothing happens in it while this does; "
                  "start one with 'cairn serve', or leave out --follow");
    }
    return Follower(kit, client, given).run();
  }
  const auto most = static_cast<std::size_t>(given.limit);
  auto answer = TRY(collect(client, "get_audit", TRY(query_of(kit, given)), "entries", most));
  auto& entries = answer.as_object()["entries"].as_array();
  if (entries.size() > most) entries.resize(most);
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  print_table(kit, entries);
  return 0;
}

}  // namespace

void add_audit_command(Commands& commands) {
  auto given = std::make_shared<AuditArguments>();
  auto command = commands.add({.name = "audit",
                               .description = "Who did what in the realm, newest first",
                               .example = "cairn audit --since 1h --who doc-writer --writes",
                               .more = "With --follow what comes is shown as it comes, the oldest "
                                       "first: from now on, or since --since.",
                               .group = "Care"},
                              [given](Kit& kit) { return run_audit(kit, *given); });
  command.add_value("-n,--limit", given->limit, "N", "At most so many [50]").positive();
  command.add_value("--tool", given->tool, "TOOL", "Only of this tool");
  command.add_value("--outcome", given->outcome, "CODE", "ok, or a code such as CONFLICT");
  command.add_value("--endpoint", given->endpoint, "ID", "Only through this endpoint (aei_…)");
  command.add_value("--who", given->who, "NAME", "Only of delegates with this name, or id");
  command.add_value("--path", given->path, "PATH", "Only about this path, or below it");
  command.add_value("--request", given->request, "ID", "Only of this request (X-Request-Id)");
  command.add_flag("--failed", given->failed, "Only what was refused or failed");
  command.add_flag("--writes", given->writes, "Only tools that change something");
  command.add_value("--since", given->since, "TIME", "Only the last 1h, 7d");
  command.add_value("--until", given->until, "TIME", "Only what is older than 1h, 7d");
  command.add_flag("-f,--follow", given->follow, "Go on, and show what comes");
}

}  // namespace cairn::cli
