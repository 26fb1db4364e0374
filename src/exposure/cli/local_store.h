// LocalStore: a data directory that several programs use at once. Whoever comes first opens it and
// serves the others on this machine; when that one ends, another takes its place.
//
// Threads     reach() one at a time.
// Fails with  STORE_LOCKED when a program has it open that serves nobody, for too long.
#pragma once

#include <memory>
#include <string>

#include "exposure/cli/connect.h"
#include "exposure/mcp/bridge/upstream.h"
#include "exposure/serve/running_server.h"

namespace cairn::cli {

class LocalStore final {
 public:
  LocalStore(const Options& options, const World& world) : options_(options), world_(world) {}

  // A server of the directory: ours when nobody else has it open. Makes the directory when there is
  // none.
  Result<mcp::Target> reach();
  // Null: it is another process's.
  RunningServer* ours() { return server_.get(); }

 private:
  Result<mcp::Target> ours_at() const;
  Result<mcp::Target> target(client::RemoteOptions remote) const;

  const Options& options_;
  const World& world_;
  std::unique_ptr<RunningServer> server_;
};

}  // namespace cairn::cli
