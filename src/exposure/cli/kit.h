// Everything a command works with.
//
// Threads     one at a time: the thread of the command.
#pragma once

#include <memory>

#include "exposure/cli/connect.h"
#include "exposure/cli/options.h"
#include "exposure/cli/output.h"
#include "exposure/client/client.h"

namespace cairn::cli {

class Kit final {
 public:
  explicit Kit(const World& world) : world_(world) {}
  Kit(const Kit&) = delete;
  Kit& operator=(const Kit&) = delete;

  Options options;
  Output out;

  const World& world() const { return world_; }
  const Clock& clock() const { return world_.clock; }
  // Made when first asked for.
  Result<client::Client*> client(Create create = Create::kNo) {
    if (!client_) client_ = TRY(connect(options, create, world_));
    return client_.get();
  }

 private:
  const World& world_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace cairn::cli
