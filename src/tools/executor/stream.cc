// Executor::stream: answers as rows, admitted and audited like every other.
#include <utility>

#include "tools/executor/executor.h"

namespace cairn {

// Notes the outcome when the last row was taken, or when the rows are dropped.
class AuditedRows final : public Rows {
 public:
  AuditedRows(Executor& executor, Caller caller, const Tool& tool, json::Value arguments,
              std::stop_token stop)
      : executor_(executor),
        caller_(std::move(caller)),
        tool_(tool),
        arguments_(std::move(arguments)),
        began_(executor.services_.clock.monotonic()),
        given_(std::move(stop), Request{either_}),
        ending_(executor.ending_.get_token(), Request{either_}),
        call_(executor.services_, executor.table_, caller_, {}, either_.get_token()) {}
  ~AuditedRows() override {
    inner_.reset();
    note("ABANDONED");
  }

  Result<void> begin() {
    auto inner = guarded([&] { return tool_.rows(call_, Arguments(arguments_.get_object())); });
    if (!inner) return failed(std::move(inner).error());
    inner_ = std::move(*inner);
    return {};
  }

  Result<std::optional<json::Array>> next() override {
    // Reading on may take longer than the right to read lasts.
    auto allowed = executor_.check_again(caller_);
    if (!allowed) return failed(std::move(allowed).error());
    auto rows = guarded([&] { return inner_->next(); });
    if (!rows) return failed(std::move(rows).error());
    if (!*rows) note("ok");
    return rows;
  }

 private:
  template <typename Work>
  auto guarded(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "{} failed: {}", tool_.name, error.what());
    }
  }
  Failure failed(Error error) {
    note(error.name());
    return Failure(std::move(error));
  }
  // The first outcome counts.
  void note(std::string_view outcome) {
    if (std::exchange(noted_, true)) return;
    executor_.note(caller_, tool_, arguments_, outcome,
                   {.took = executor_.services_.clock.monotonic() - began_});
  }

  struct Request {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  Executor& executor_;
  Caller caller_;
  const Tool& tool_;
  json::Value arguments_;
  std::chrono::nanoseconds began_;
  // Whichever comes first: nobody takes the rows any more, or the process ends.
  std::stop_source either_;
  std::stop_callback<Request> given_;
  std::stop_callback<Request> ending_;
  Call call_;
  std::unique_ptr<Rows> inner_;
  bool noted_ = false;
};

Result<std::unique_ptr<Rows>> Executor::stream(const Caller& caller, const Tool& tool,
                                               const json::Value& arguments, std::stop_token stop) {
  const auto began = services_.clock.monotonic();
  auto admitted = admit(caller, tool, arguments);
  if (admitted && !tool.rows) {
    admitted = fail(Code::kBadRequest, "{} does not answer with rows; ask for JSON", tool.name);
  }
  if (!admitted) {
    note(caller, tool, arguments, admitted.error().name(),
         {.took = services_.clock.monotonic() - began});
    return Failure(std::move(admitted).error());
  }
  auto rows = std::make_unique<AuditedRows>(*this, caller, tool, arguments, std::move(stop));
  TRY(rows->begin());
  return rows;
}

}  // namespace cairn
