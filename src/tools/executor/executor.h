// The executor: the one way from outside into the data.
//
//   authenticate → resolve → authorise → validate → run → audit → meter
//
// REST routes, MCP tools and the command line are translations to it. A rule (a right, a limit, a
// quota) is written once: here, or in what it calls.
// Threads  every function may be called from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/fair_queue.h"
#include "data/json/json.h"
#include "tools/executor/call.h"
#include "tools/executor/meter.h"
#include "tools/executor/observer.h"
#include "tools/executor/rate_limit.h"
#include "tools/executor/rehearsal.h"
#include "tools/executor/sign_in_limits.h"
#include "tools/executor/table.h"

namespace cairn {

struct ExecutorOptions {
  RateLimitOptions rate;
  // Where dry runs run; nothing: they are refused.
  Rehearse rehearse = nullptr;
};

class Executor final {
 public:
  Executor(Services services, ToolTable table, Meter& meter, ExecutorOptions options = {});
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Checks a token. `realm` is `me` or the id of the caller's realm: any other does not exist for
  // it.
  Result<Caller> authenticate(std::string_view token, std::string_view realm,
                              Entrance entrance) const;
  // Whoever holds the cookie of a sign-in: the root delegate of its user, for as long as the
  // sign-in lasts. `realm` as above.
  Result<Caller> signed_in(std::string_view cookie, std::string_view realm,
                           Entrance entrance) const;
  // The machine's owner, for whoever came over the socket in the data directory. `realm` as above.
  Result<Caller> machine_owner(std::string_view realm, Entrance entrance) const;
  // A realm's root delegate, for whoever holds the data directory.
  Result<Caller> trusted(const RealmId& realm, Entrance entrance) const;
  // A delegate, for its endpoints and for front ends that are trusted.
  Result<Caller> acting_for(const RealmId& realm, const DelegateId& delegate,
                            Entrance entrance) const;
  // Whether the tool is one that the caller has the right to use: what it has not is not offered to
  // it.
  bool may_use(const Caller& caller, const Tool& tool) const {
    return authorise(caller, tool, tool.right).has_value();
  }
  // Whether the caller would be let in now: its token was good when its request began, and has to
  // be good when it is carried out. A comparison, unless a delegate, token or role changed since.
  Result<void> check_again(const Caller& caller) const;
  // The same, with the same rights: for what goes on for long.
  Result<void> check_unchanged(const Caller& caller) const;
  // The same caller with the rights it has now: they may have been changed since it came in.
  Result<Caller> as_now(const Caller& caller) const;
  // The use that a caller may make of a directory of the server's: what its user has, and its chain
  // leaves of it.
  Result<DirectoryUse> directory_use(const Caller& caller, std::string_view directory) const;
  bool still_valid(const Caller& caller) const { return check_again(caller).has_value(); }
  // A caller's turn by the rate limit, for what is done without a tool: run() takes it by itself.
  // RATE_LIMITED.
  Result<void> take_turn(const Caller& caller);
  // An endpoint's turn, as every delegate has its own.
  Result<void> take_turn(const EndpointId& endpoint);

  // Runs a tool, of the table or made from one; nothing but its outcome escapes, exceptions
  // included. Whatever walks or searches ends soon after `stop` is requested. The arguments are the
  // tool's: nothing on the way copies them.
  Result<Reply> run(const Caller& caller, const Tool& tool, json::Value arguments,
                    ByteView body = {}, std::stop_token stop = {});
  // The same for a tool of the table, by its name.
  Result<Reply> run(const Caller& caller, std::string_view tool, json::Value arguments,
                    ByteView body = {}, std::stop_token stop = {});
  // The same for a tool that takes its body in portions. The audit entry is written when the
  // intake is finished or dropped.
  Result<std::unique_ptr<Intake>> take(const Caller& caller, const Tool& tool,
                                       json::Value arguments);
  Result<std::unique_ptr<Intake>> take(const Caller& caller, std::string_view tool,
                                       json::Value arguments) {
    return take(caller, *TRY(table_.find(tool)), std::move(arguments));
  }

  // The answer of a tool that can give it as rows. The audit entry is written when the last was
  // taken, or when they are dropped. Ends soon after `stop` is requested, and when the caller would
  // not be let in any more.
  Result<std::unique_ptr<Rows>> stream(const Caller& caller, const Tool& tool,
                                       json::Value arguments, std::stop_token stop = {});

  // Without a token: trades a refresh token in, or a name and password.
  // `request` is what the log calls it.
  Result<json::Object> refresh(std::string_view refresh_token, Entrance entrance,
                               std::string_view request = {});
  // `address` is where it comes from.
  Result<json::Object> sign_in(std::string_view name, std::string_view password,
                               std::string_view address, Entrance entrance,
                               std::string_view request = {});

  // A sign-in for a browser: for a name and password, for a link, and for a user whom somebody else
  // vouches for.
  Result<OpenedSignIn> open_sign_in(std::string_view name, std::string_view password,
                                    const BrowserSeen& from);
  Result<OpenedSignIn> open_sign_in(std::string_view ticket, const BrowserSeen& from);
  Result<OpenedSignIn> open_sign_in_of(const RealmId& user, const BrowserSeen& from);

  // The user whose realm the caller is in.
  Result<User> user_of(const Caller& caller) const {
    return services_.users.get(caller.session().realm);
  }
  // Whether the caller may do what only admins may, such as reading the metrics.
  Result<bool> is_admin(const Caller& caller) const;
  // Whether the store answers.
  Result<void> check_store() const;

  // Ends whatever walks, searches or checks, now and from now on: the process is about to end.
  void end() { ending_.request_stop(); }

  const ToolTable& table() const { return table_; }
  Observer& observer() { return observer_; }

 private:
  friend class Course;
  // The one place that says who may use a tool.
  Result<void> authorise(const Caller& caller, const Tool& tool, Right right) const;
  Result<void> admit(const Caller& caller, const Tool& tool, const json::Value& arguments);
  struct Spent {
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::chrono::nanoseconds took{};
  };
  // What the audit log shows of the arguments.
  struct Shown {
    std::string context;   // ids and paths, never content
    bool changes = false;  // something, if the call succeeds
  };
  static Shown shown_of(const Tool& tool, const json::Value& arguments);
  struct Ended {
    std::string_view outcome;
    std::string_view message = {};
  };
  // The one place that writes the audit log and counts calls.
  void note(const Caller& caller, const Tool& tool, Shown shown, const Ended& ended,
            const Spent& spent);
  // The same for what is done without a token. A failure is noted where it was tried: in the realm
  // of `whose` root delegate, if there is one.
  struct Issuing {
    std::string_view operation;
    Entrance entrance;
    std::chrono::nanoseconds began;
    std::string request = {};
    std::string context = {};
    std::optional<RealmId> realm = std::nullopt;
    std::optional<DelegateId> delegate = std::nullopt;
  };
  void note_opened(const Issuing& about, const Error* error);
  Result<json::Object> note_issued(Issuing about, Result<CreatedDelegate> issued);
  Result<OpenedSignIn> note_sign_in(Issuing about, Result<OpenedSignIn> opened);
  // The user of a name and password, as often as they may be tried from there.
  Result<User> known_user(std::string_view name, std::string_view password,
                          std::string_view address, Issuing& about);

  Services services_;
  ToolTable table_;
  Meter& meter_;
  RateLimit rate_;
  Rehearse rehearse_;
  Observer observer_;
  std::stop_source ending_;
};

// Whether a call may run where others wait for it, on a connection's own thread: the one rule, for
// every surface. It is short and never waits for the disk to sync; and its caller sees all of the
// realm, since one that sees a part may make even a small call look through histories. Without
// arguments: whatever they will be.
bool runs_here(const Caller& caller, const Tool& tool, const json::Object* arguments = nullptr);
// Whose share of threads and of the rate limit a caller takes: that of the child of the root
// delegate that it descends from, so that making children makes nobody faster. The group is the
// realm.
const DelegateId& shares_with(const Caller& caller);
Share share_of(const Caller& caller);

}  // namespace cairn
