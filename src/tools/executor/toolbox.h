// Toolbox: what one caller is shown and may call. Every surface that offers tools offers those of a
// toolbox, and a new way to offer tools is one more of these.
//
//   TableToolbox       the table under a selection, for agents
//
//   EndpointToolbox    an endpoint's bindings, for outsiders
//
//   DepotToolbox       the file tools on a depot
//
//   DirectoryToolbox   the file tools on directories
//
// Threads  every function may be called from any thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/fair_queue.h"
#include "tools/executor/tool.h"

namespace cairn {

class Toolbox {
 public:
  virtual ~Toolbox() = default;

  // Text that a model should know before it begins; empty: there is nothing more to say.
  virtual std::string introduction() const { return {}; }
  // The tools that the caller may use, in the order in which they are shown.
  virtual std::vector<const Tool*> offered() const = 0;
  // One that can be called, whatever the caller's rights are now: TOOL_NOT_FOUND with the nearest
  // name.
  virtual Result<const Tool*> find(std::string_view name) const = 0;
  // Whether a call is short and never waits, so that it may run where others wait for it.
  virtual bool is_quick(const Tool&, const json::Object&) const { return false; }
  // One call. Fails with what the tool fails with.
  // REQUIRES: the tool is one of this box's.
  virtual Result<Reply> run(const Tool& tool, json::Object arguments,
                            const std::stop_token& stop) const = 0;
  // Whose share of the threads a call takes.
  virtual Share share() const { return {}; }
  // The caller's turn by the rate limit, for what is asked without a tool. RATE_LIMITED.
  virtual Result<void> take_turn() const { return {}; }
  // Whether the caller would still be let in: an open stream outlives the request that opened it.
  virtual bool still_valid() const = 0;
};
using ToolboxPtr = std::shared_ptr<const Toolbox>;

}  // namespace cairn
