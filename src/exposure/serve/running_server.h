// RunningServer: a data directory that is open in this process and served over HTTP, REST and MCP.
//
// While it runs, other commands of this machine find it by server_file.h.
// Threads     start and stop it on one thread; its parts have rules of their own.
// Fails with  STORE_LOCKED when another process has the directory open.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exposure/agent/agent_service.h"
#include "exposure/mcp/server.h"
#include "exposure/serve/serve.h"
#include "tools/engine/engine.h"

namespace cairn {

class RunningServer {
 public:
  static Result<std::unique_ptr<RunningServer>> start(const ServeOptions& options,
                                                      const Clock& clock, Random& random);
  // Stops it.
  virtual ~RunningServer() = default;

  virtual Engine& engine() = 0;
  virtual agent::AgentService& agent() = 0;
  virtual mcp::Server& mcp() = 0;
  virtual mcp::Server& workspace_mcp() = 0;
  virtual const std::string& url() const = 0;
  // `unix:DIR/cairn.sock`, where this machine's owner needs no token; nothing: there can be no
  // socket.
  virtual const std::optional<std::string>& local_url() const = 0;
  virtual const std::optional<std::string>& internal_url() const = 0;

  // Reads the TLS files again and opens the log file anew; with what is of no use there, goes on as
  // before and says so.
  virtual Result<void> reload() = 0;

  // Returns when what was running has finished. A second call does nothing.
  virtual void stop() = 0;
};

}  // namespace cairn
