// Rehearsal: where a tool runs with `dryRun`. It sees the store as it is, runs to its end with the
// conditions, quotas and errors of the real call, and nothing of it lasts.
//
// So a dry run is no tool's own business: whatever changes something has one. Tools that can say
// more of what would happen have their own, and are left alone.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

struct Reply;
struct Services;
struct Session;
struct Tool;

inline constexpr std::string_view kDryRun = "dryRun";

// Threads  one at a time; it must not outlive the engine that it was made of.
class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  virtual Services& services() = 0;
  // The random bytes that ids and secrets were made of.
  virtual std::vector<Bytes> made_up() const = 0;
};
// For one call of this caller.
using Rehearse = std::function<Result<std::unique_ptr<Rehearsal>>(const Session& caller)>;

// A tool that changes something and has no dryRun takes one from now on.
void offer_rehearsal(Tool& tool);
// The reply of such a run: with `dryRun`, and with `(dryRun)` in place of ids and secrets that
// exist nowhere, and of what is made from them.
Reply rehearsed(Reply reply, const Rehearsal& rehearsal);

}  // namespace cairn
