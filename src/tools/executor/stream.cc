// Executor::take and Executor::stream: bodies and answers in portions, admitted and audited like
// every other call.
#include "tools/executor/course.h"

namespace cairn {
namespace {

// Its entry in the log is written when it is finished, or dropped.
class AuditedIntake final : public Intake {
 public:
  AuditedIntake(Executor& executor, const Caller& caller, const Tool& tool, json::Value arguments)
      : course_(executor, caller, tool, std::move(arguments), {}, {}), tool_(tool) {}

  Result<void> begin() {
    TRY(course_.admit());
    inner_ = TRY(course_.step([&](Call& call, Arguments& given) -> Result<std::unique_ptr<Intake>> {
      if (tool_.take) return tool_.take(call, given);
      return fail(Code::kBadRequest, "{} takes no streamed body", tool_.name);
    }));
    return {};
  }

  Result<void> append(ByteView portion) override {
    course_.takes(portion.size());
    return course_.step([&](Call&, Arguments&) { return inner_->append(portion); });
  }

  Result<Reply> finish() override {
    TRY(course_.check_again());
    auto reply = TRY(course_.step([&](Call&, Arguments&) { return inner_->finish(); }));
    course_.done();
    return course_.told(std::move(reply));
  }

 private:
  Course course_;
  const Tool& tool_;
  std::unique_ptr<Intake> inner_;
};

// Its entry in the log is written when the last row was taken, or when the rows are dropped.
class AuditedRows final : public Rows {
 public:
  AuditedRows(Executor& executor, const Caller& caller, const Tool& tool, json::Value arguments,
              std::stop_token stop)
      : course_(executor, caller, tool, std::move(arguments), {}, std::move(stop)), tool_(tool) {}

  Result<void> begin() {
    TRY(course_.admit());
    inner_ = TRY(course_.step([&](Call& call, Arguments& given) -> Result<std::unique_ptr<Rows>> {
      if (tool_.rows) return tool_.rows(call, given);
      return fail(Code::kBadRequest, "{} does not answer with rows; ask for JSON", tool_.name);
    }));
    return {};
  }

  Result<std::optional<json::Array>> next() override {
    TRY(course_.check_again());
    auto rows = TRY(course_.step([&](Call&, Arguments&) { return inner_->next(); }));
    if (!rows) course_.done();
    return rows;
  }

 private:
  Course course_;
  const Tool& tool_;
  std::unique_ptr<Rows> inner_;
};

}  // namespace

Result<std::unique_ptr<Intake>> Executor::take(const Caller& caller, const Tool& tool,
                                               json::Value arguments) {
  auto intake = std::make_unique<AuditedIntake>(*this, caller, tool, std::move(arguments));
  TRY(intake->begin());
  return intake;
}

Result<std::unique_ptr<Rows>> Executor::stream(const Caller& caller, const Tool& tool,
                                               json::Value arguments, std::stop_token stop) {
  auto rows =
      std::make_unique<AuditedRows>(*this, caller, tool, std::move(arguments), std::move(stop));
  TRY(rows->begin());
  return rows;
}

}  // namespace cairn
