// The desk of a delegate at a depot, or at the place of one that it may see.
#pragma once

#include "exposure/workspace/desk.h"
#include "tools/executor.h"

namespace cairn::workspaces {

class DepotDesk final : public Desk {
 public:
  // `depot` is an id, or a title that one of the delegate's depots has alone. `desk` tells apart
  // who shares a token. DEPOT_NOT_FOUND with the nearest title; INVALID_ARGUMENT when several have
  // the title.
  // REQUIRES: the executor outlives it.
  static Result<mcp::PrincipalPtr> make(Choice choice, Executor& executor, Caller caller,
                                        std::string_view depot, std::string_view desk);

  std::string_view id() const override { return id_; }
  bool has_history() const override { return true; }
  std::string introduction() const override;
  Result<json::Object> run(const work::FileTools::Row& row, work::Style style,
                           const json::Value& arguments,
                           const std::stop_token& stop) const override;
  bool still_valid() const override;

 private:
  DepotDesk(Choice choice, Executor& executor, Caller caller, std::string depot, std::string title,
            std::string desk);

  Executor& executor_;
  Caller caller_;
  std::string depot_;
  std::string title_;
  std::string desk_;
  std::string id_;
};

}  // namespace cairn::workspaces
