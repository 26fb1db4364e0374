// DepotToolbox: the file tools on a depot, or on the place of one that a delegate may see. Every
// call runs through the executor: rights, limits and audit are those of every surface.
#pragma once

#include "tools/executor/executor.h"
#include "tools/workspace/file_toolbox.h"

namespace cairn::work {

// Threads  immutable.
class DepotToolbox final : public FileToolbox {
 public:
  // `depot` is the id of a depot that the caller sees, with or without a path in it, or a title
  // that one of the caller's depots has alone. `desk` tells apart those who share a token: each is
  // held against what it has seen itself. DEPOT_NOT_FOUND with the nearest title; INVALID_ARGUMENT
  // when several have the title. REQUIRES: executor and realms outlive it.
  static Result<std::shared_ptr<const DepotToolbox>> open(FileToolsPtr tools, Selection selection,
                                                          Executor& executor, Realms& realms,
                                                          const Caller& caller,
                                                          std::string_view depot,
                                                          std::string_view desk);

  // The same id: the same delegate at the same depot.
  const std::string& id() const { return id_; }
  std::string introduction() const override;
  // Without what the caller has no right to.
  std::vector<const Tool*> offered() const override;
  Share share() const override { return share_of(caller_); }
  Result<void> take_turn() const override { return executor_.take_turn(caller_); }
  bool still_valid() const override { return executor_.still_valid(caller_); }

 protected:
  Result<json::Object> work(const FileTool& file, Style style, json::Value arguments,
                            const std::stop_token& stop) const override;

 private:
  DepotToolbox(FileToolsPtr tools, Selection selection, Executor& executor, Caller caller,
               Desk desk, std::string title, std::string_view below);

  Executor& executor_;
  Caller caller_;
  Desk desk_;
  std::string title_;
  std::string id_;
};

// The workspaces of a data directory.
//
// Threads  every function may be called from any thread.
class DepotWorkspaces final {
 public:
  // REQUIRES: both outlive it.
  DepotWorkspaces(Executor& executor, Realms& realms)
      : executor_(executor), realms_(realms), tools_(FileTools::make()) {}

  // As DepotToolbox::open(); INVALID_ARGUMENT for a selection that names what there is not.
  Result<std::shared_ptr<const DepotToolbox>> open(const Caller& caller, std::string_view depot,
                                                   std::string_view desk,
                                                   const SelectionRequest& request) const;

 private:
  Executor& executor_;
  Realms& realms_;
  FileToolsPtr tools_;
};

}  // namespace cairn::work
