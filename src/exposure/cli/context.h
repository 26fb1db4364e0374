// Everything a command works with.
//
// Threads     one at a time: the thread of the command.
#pragma once

#include <memory>

#include "exposure/cli/connect.h"
#include "exposure/cli/options.h"
#include "exposure/cli/output.h"
#include "exposure/client/session.h"

namespace cairn::cli {

class Context final {
 public:
  explicit Context(const World& world) : world_(world) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Options options;
  Output out;

  const World& world() const { return world_; }
  const Clock& clock() const { return world_.clock; }
  // Made when first asked for.
  Result<client::Session*> session(Create create = Create::kNo) {
    if (!session_) session_ = TRY(connect(options, create, world_));
    return session_.get();
  }

 private:
  const World& world_;
  std::unique_ptr<client::Session> session_;
};

}  // namespace cairn::cli
