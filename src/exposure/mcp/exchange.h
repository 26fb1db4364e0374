// Exchange: one request while it is carried out, as a service sees it: who asks, what its client
// can do, and the ways to talk to it before the result.
//
// Threads     one at a time: the thread that carries the request out.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/mcp/revision.h"
#include "exposure/mcp/service.h"

namespace cairn::mcp {

// In the order of their weight.
enum class LogLevel { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
std::string_view name(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

// Something to ask the client: `elicitation/create`, `sampling/createMessage` or `roots/list`.
struct Question {
  std::string key;  // names it among those of one round
  std::string method;
  json::Object params = {};
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const PrincipalPtr& principal() const = 0;
  virtual Revision revision() const = 0;
  // The capabilities that the client declared: `sampling`, `elicitation`, `roots`, …
  virtual const json::Object& client_capabilities() const = 0;
  // Stopped when the client has cancelled the request, or has left.
  virtual const std::stop_token& stopping() const = 0;

  // Sent when the request asked for progress. `done` has to rise.
  virtual void progress(double done, std::optional<double> total = std::nullopt,
                        std::string_view message = {}) = 0;
  // Sent when the client wants messages of this weight.
  virtual void log(LogLevel level, std::string_view logger, json::Value data) = 0;

  // Puts questions to the client. Legacy: they are sent, and their answers waited for. Modern: the
  // answers come with the request; nothing when one is missing: return at once, with any result,
  // and the client will be asked and send the request again.
  // kMissingCapability (legacy: kInvalidRequest) when the client did not declare that it can be
  // asked this.
  virtual Rpc<std::optional<std::vector<json::Object>>> ask(
      std::span<const Question> questions) = 0;

  // Modern: what was kept in the round before (null in the first), and what to keep for the next.
  // The client carries it, sealed.
  virtual const json::Value& state() const = 0;
  virtual void keep(json::Value state) = 0;

  // Legacy HTTP from 2025-11-25: ends the connection, not the call; the client comes back for the
  // rest after `retry`.
  virtual void close_stream(std::chrono::milliseconds retry) = 0;
};

}  // namespace cairn::mcp
