// The desk of whoever started the program on directories of this machine.
#pragma once

#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/random.h"
#include "data/workspace/directory_workspace.h"
#include "exposure/workspace/desk.h"

namespace cairn::workspaces {

struct DirectoryOptions {
  // Empty: the client's own roots, or else `fallback`, which is made when it is not there.
  std::vector<std::string> directories;
  std::string fallback;
  std::string home;
  std::int64_t answer_bytes = work::Work::kAnswerBytes;
  bool read_only = false;
};

class DirectoryDesk final : public Desk {
 public:
  // Fails as DirectoryWorkspace::open does for directories that were named.
  // REQUIRES: clock and random outlive it.
  static Result<std::shared_ptr<const DirectoryDesk>> make(Choice choice, DirectoryOptions options,
                                                           const Clock& clock, Random& random);

  std::string_view id() const override { return "directories"; }
  bool has_history() const override { return false; }
  std::string introduction() const override;
  mcp::Rpc<bool> ready(mcp::Exchange& exchange) const override;
  Result<json::Object> run(const work::FileTools::Row& row, work::Style style,
                           const json::Value& arguments,
                           const std::stop_token& stop) const override;
  void roots_changed() const override;

 private:
  DirectoryDesk(Choice choice, DirectoryOptions options, const Clock& clock, Random& random)
      : Desk(std::move(choice)), options_(std::move(options)), clock_(clock), random_(random) {}

  using Files = std::shared_ptr<DirectoryWorkspace>;
  Result<Files> open(const std::vector<std::string>& directories) const;
  Result<Files> open_fallback() const;

  DirectoryOptions options_;
  const Clock& clock_;
  Random& random_;
  // The roots' generation goes up when the client has others: what was asked for before that is not
  // taken.
  struct Known {
    Files files;  // nothing: not known yet
    std::uint64_t generation = 0;
  };
  mutable Guarded<Known> known_;
};

// The directories among a client's roots that can be opened.
std::vector<std::string> root_directories(const json::Object& roots);

}  // namespace cairn::workspaces
