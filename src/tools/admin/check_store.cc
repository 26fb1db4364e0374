#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "data/realm/heal.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxShown = 1000;

json::Object render(const FsckProblem& problem) {
  json::Object row;
  row["kind"] = name(problem.kind);
  row["key"] = problem.key.render();
  row["message"] = problem.message;
  json::Array paths;
  for (const auto& path : problem.paths) paths.emplace_back(path);
  row["paths"] = std::move(paths);
  return row;
}

json::Object summary_of(const FsckReport& report) {
  json::Object out;
  out["clean"] = report.clean();
  out["nodes"] = report.nodes;
  out["bytes"] = report.bytes;
  out["roots"] = report.roots;
  out["problemCount"] = report.problems.size();
  out["complete"] = !report.ended_at;
  if (report.ended_at) out["position"] = report.ended_at->render();
  return out;
}

Result<FsckOptions> options_of(const Arguments& arguments, std::stop_token stop) {
  FsckOptions options{.stop = std::move(stop)};
  if (const auto position = arguments.maybe_text("position")) {
    options.resume = TRY(FsckPosition::parse(*position));
  }
  return options;
}

// The realm as it is now: what others do meanwhile is neither looked at nor in their way.
Result<FsckReport> check(Call& call, const FsckOptions& options) {
  auto& store = call.services().realms.store();
  const auto then = TRY(store.snapshot());
  Realm realm(*then, call.session().realm, call.clock(), call.services().random);
  auto report = TRY(fsck(realm, options));
  // A store that cannot be written to can be checked all the same.
  if (!report.ended_at) (void)remember_damage(store, call.session().realm, report);
  return report;
}

Result<Reply> run_check_store(Call& call, const Arguments& arguments) {
  const auto report = TRY(check(call, TRY(options_of(arguments, call.stopping()))));
  auto out = summary_of(report);
  json::Array problems;
  for (const auto& problem : report.problems) {
    if (problems.size() == kMaxShown) break;
    problems.emplace_back(render(problem));
  }
  out["problems"] = std::move(problems);
  return Reply(std::move(out));
}

// How far it is, now and then; a row for each problem; the summary. It checks on a thread of its
// own, and ends when nobody takes the rows any more.
class CheckRows final : public Rows {
 public:
  CheckRows(Call& call, FsckOptions options)
      : call_(call),
        options_(std::move(options)),
        ending_(call.stopping(), [this] { stop_.request_stop(); }) {
    options_.stop = stop_.get_token();
    options_.tell = [this](const FsckProgress& progress) { note(progress); };
    thread_ = std::thread([this] { run(); });
  }
  ~CheckRows() override {
    stop_.request_stop();
    thread_.join();
  }
  CheckRows(const CheckRows&) = delete;
  CheckRows& operator=(const CheckRows&) = delete;

  Result<std::optional<json::Array>> next() override {
    if (ended_) return std::nullopt;
    auto state = state_.lock();
    const bool done =
        changed_.wait_for(state.mutex(), kBetween, [&] { return state->report.has_value(); });
    if (!done) return json::Array{progress_row(*state)};
    if (!*state->report) return Failure(state->report->error());
    return rest(**state->report);
  }

 private:
  static constexpr std::chrono::milliseconds kBetween{200};
  static constexpr std::size_t kPortion = 100;

  struct State {
    std::uint64_t nodes = 0;
    std::uint64_t total = 0;
    FsckPosition position;
    std::optional<Result<FsckReport>> report;
  };

  void run() {
    auto report = [&]() -> Result<FsckReport> {
      try {
        return check(call_, options_);
      } catch (const std::exception& error) {
        return fail(Code::kInternal, "the check failed: {}", error.what());
      }
    }();
    state_.lock()->report = std::move(report);
    changed_.notify_all();
  }

  void note(const FsckProgress& progress) {
    auto state = state_.lock();
    state->nodes = progress.nodes;
    state->total = progress.total;
    state->position.reached = progress.reached;
    if (state->position.bad.size() != progress.bad.size()) {
      state->position.bad.assign(progress.bad.begin(), progress.bad.end());
    }
  }

  static json::Object progress_row(const State& state) {
    json::Object row{{"checked", state.nodes},
                     {"total", state.total},
                     {"problemCount", state.position.bad.size()}};
    if (state.nodes > 0) row["position"] = state.position.render();
    return {{"progress", std::move(row)}};
  }

  json::Array rest(const FsckReport& report) {
    json::Array out;
    while (sent_ < report.problems.size() && out.size() < kPortion) {
      out.emplace_back(render(report.problems[sent_++]));
    }
    if (sent_ < report.problems.size()) return out;
    ended_ = true;
    out.emplace_back(json::Object{{"summary", summary_of(report)}});
    return out;
  }

  Call& call_;
  FsckOptions options_;
  std::stop_source stop_;
  Guarded<State> state_;
  std::condition_variable changed_;
  std::size_t sent_ = 0;
  bool ended_ = false;
  std::thread thread_;
  std::stop_callback<std::function<void()>> ending_;
};

Result<std::unique_ptr<Rows>> rows(Call& call, const Arguments& arguments) {
  return std::make_unique<CheckRows>(call, TRY(options_of(arguments, {})));
}

}  // namespace

Tool check_store() {
  return {
      .name = "check_store",
      .title = "Check what is stored",
      .description =
          "Checks every node's hash and every reference of the realm, as it is when the check "
          "begins; others may go on meanwhile. As rows it says how far it is; one that was ended "
          "goes on from its position.",
      .input = shape::object(
          {{"position", shape::text("Where an earlier check was ended"), shape::kOptional}}),
      .output = shape::object({{"clean", shape::flag()},
                               {"nodes", shape::integer()},
                               {"bytes", shape::integer()},
                               {"roots", shape::integer()},
                               {"problemCount", shape::integer()},
                               {"complete", shape::flag("False: it was ended before")},
                               {"position", shape::text("Where it was ended"), shape::kOptional},
                               {"problems", shape::list_of(shape::object(
                                                {{"kind", shape::text()},
                                                 {"key", shape::text()},
                                                 {"message", shape::text()},
                                                 {"paths", shape::list_of(shape::text())}}))}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_check_store,
      .rows = rows,
  };
}

}  // namespace cairn
