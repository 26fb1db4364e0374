// TableToolbox: the tools of the table that one caller asked for and may use.
#pragma once

#include "tools/executor/executor.h"
#include "tools/executor/selection.h"
#include "tools/executor/toolbox.h"

namespace cairn {

// Threads  immutable.
class TableToolbox final : public Toolbox {
 public:
  // REQUIRES: the executor outlives it.
  TableToolbox(Executor& executor, Caller caller, Selection selection)
      : executor_(executor), caller_(std::move(caller)), selection_(std::move(selection)) {}

  const Caller& caller() const { return caller_; }

  std::vector<const Tool*> offered() const override;
  Result<const Tool*> find(std::string_view name) const override;
  bool is_quick(const Tool& tool, const json::Object& arguments) const override;
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override;
  Share share() const override { return share_of(caller_); }
  Result<void> take_turn() const override { return executor_.take_turn(caller_); }
  bool still_valid() const override { return executor_.still_valid(caller_); }

 private:
  Executor& executor_;
  Caller caller_;
  Selection selection_;
};

}  // namespace cairn
