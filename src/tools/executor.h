// The executor: the one way from outside into the data.
//
//   authenticate → resolve → authorise → validate → run → audit → meter
//
// REST routes, MCP tools and the command line are translations to it. A rule (a right, a limit, a
// quota) is written once: here, or in what it calls.
// Threads  every function may be called from any thread.
#pragma once

#include "data/json/json.h"
#include "tools/call.h"
#include "tools/meter.h"
#include "tools/rate_limit.h"
#include "tools/table.h"

namespace cairn {

struct ExecutorOptions {
  RateLimitOptions rate;
};

// The way an outsider came in: an endpoint, and the binding that was called.
struct Via {
  EndpointId endpoint;
  BindingId binding;
};

// Somebody whose token was good. Copies share the session.
class Caller final {
 public:
  const Session& session() const { return *session_; }
  const SessionPtr& shared() const { return session_; }
  Entrance entrance() const { return entrance_; }
  // The same, seeing one place only; see confined() in delegates.h.
  Caller within(const Place& place, const DelegateId& stand_in) const {
    return Caller(confined(*session_, place, stand_in), entrance_, via_);
  }

 private:
  friend class Executor;
  Caller(SessionPtr session, Entrance entrance, std::optional<Via> via = std::nullopt)
      : session_(std::move(session)), entrance_(entrance), via_(via) {}
  SessionPtr session_;
  Entrance entrance_;
  std::optional<Via> via_;
};

class Executor final {
 public:
  Executor(Services services, ToolTable table, Meter& meter, ExecutorOptions options = {});
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Who calls. `realm` is `me` or the id of the caller's realm: any other does not exist for it.
  Result<Caller> authenticate(std::string_view token, std::string_view realm,
                              Entrance entrance) const;
  // A realm's root delegate, for whoever holds the data directory.
  Result<Caller> trusted(const RealmId& realm, Entrance entrance) const;
  // Somebody who acts for a delegate, through an endpoint of the delegate's or a front end that is
  // trusted.
  Result<Caller> acting_for(const RealmId& realm, const DelegateId& delegate, Entrance entrance,
                            std::optional<Via> via = std::nullopt) const;
  // An endpoint's turn, as every delegate has its own.
  Result<void> take_turn(const EndpointId& endpoint);

  // Runs a tool; nothing but its outcome escapes, exceptions included. Whatever walks or searches
  // ends soon after `stop` is requested.
  Result<Reply> run(const Caller& caller, std::string_view tool, const json::Value& arguments,
                    ByteView body = {}, std::stop_token stop = {});
  // The same for a tool that takes its body in portions. The audit entry is written when the
  // intake is finished or dropped.
  Result<std::unique_ptr<Intake>> take(const Caller& caller, std::string_view tool,
                                       const json::Value& arguments);

  // The same for work that is no tool of the table, under a name of its own.
  Result<Reply> record(const Caller& caller, std::string_view name, bool changes,
                       const json::Value& arguments, const std::function<Result<Reply>()>& work);

  // Without a token: trades a refresh token in, or a name and password.
  Result<json::Object> refresh(std::string_view refresh_token, Entrance entrance);
  Result<json::Object> sign_in(std::string_view name, std::string_view password, Entrance entrance);

  const ToolTable& table() const { return table_; }
  Services& services() { return services_; }

 private:
  friend class AuditedIntake;
  // The caller's token was good when its request began; it has to be good when it is carried out.
  Result<void> check_again(const Caller& caller) const;
  Result<const ToolTable::Row*> admit(const Caller& caller, std::string_view tool,
                                      const json::Value& arguments);
  void note(const Caller& caller, std::string_view tool, bool changes, const json::Value& arguments,
            std::string_view outcome, std::uint64_t bytes_in, std::uint64_t bytes_out,
            std::chrono::nanoseconds took);

  Services services_;
  ToolTable table_;
  Meter& meter_;
  RateLimit rate_;
  RateLimit sign_ins_;
};

}  // namespace cairn
