// Call: everything one run of a tool may touch. It is made by the executor for a caller whose
// rights it has checked; tools reach the data through it and through nothing else.
//
// Threads  one at a time; it lives as long as the run of its tool.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "data/access/audit.h"
#include "data/access/delegates.h"
#include "data/access/realms.h"
#include "data/access/sight.h"
#include "data/access/sign_ins.h"
#include "data/access/users.h"
#include "data/endpoint/endpoints.h"
#include "data/tree/rendered.h"

namespace cairn {

class Documents;
class SeenFiles;
class SignInLimits;
class ToolTable;

enum class Entrance { kRest, kMcp, kCli };
std::string_view name(Entrance entrance);

// The parts that the executor works with; the owner of the process builds it once.
struct Services {
  Realms& realms;
  Delegates& delegates;
  Users& users;
  AuditLog& audit;
  Endpoints& endpoints;
  Documents& documents;
  SeenFiles& seen;
  const Clock& clock;
  Random& random;
  SignIns& sign_ins;
  // Of passwords, wherever they are tried.
  SignInLimits& password_limits;
};

// Where a caller of the file tools sits: the depot, or the place of one, or the directory of the
// server's machine, that is all of its files.
struct Desk {
  std::string depot = {};
  std::string directory = {};  // by its name; empty: it is a depot
  std::string name = {};       // tells apart those who share a token
  bool manual = false;         // answers as the manual of the tool `filesystem` has them
};
using DeskPtr = std::shared_ptr<const Desk>;

// The way an outsider came in: an endpoint, and the binding that was called.
struct Via {
  EndpointId endpoint;
  BindingId binding;
};

// Somebody whose token was good. Copies share the session.
//
// Threads  immutable.
class Caller final {
 public:
  const Session& session() const { return *session_; }
  Entrance entrance() const { return entrance_; }
  const DeskPtr& desk() const { return desk_; }
  const std::optional<Via>& via() const { return via_; }
  // The sign-in of whoever came with a browser's cookie; null for all others.
  const SignInPtr& sign_in() const { return sign_in_; }
  // What its request is called, for the log; empty: it came without.
  const std::string& request() const { return request_; }

  // The same, seeing one place only; see confined() in session.h.
  Caller within(const Place& place, const DelegateId& stand_in) const {
    return as(confined(*session_, place, stand_in));
  }
  // The same at a desk, for the file tools.
  Caller at(Desk desk) const {
    auto out = *this;
    out.desk_ = std::make_shared<const Desk>(std::move(desk));
    return out;
  }
  // The same, by another way in.
  Caller entering(Entrance entrance) const {
    auto out = *this;
    out.entrance_ = entrance;
    return out;
  }
  // The same with a request.
  Caller asking(std::string_view request) const {
    auto out = *this;
    out.request_ = request;
    return out;
  }
  // The same through one binding of an endpoint.
  Caller through(const Via& via) const {
    auto out = *this;
    out.via_ = via;
    return out;
  }

 private:
  friend class Executor;
  friend class Call;
  Caller as(SessionPtr session) const {
    auto out = *this;
    out.session_ = std::move(session);
    return out;
  }
  Caller(SessionPtr session, Entrance entrance)
      : session_(std::move(session)), entrance_(entrance) {}
  SessionPtr session_;
  Entrance entrance_;
  std::optional<Via> via_;
  DeskPtr desk_;
  SignInPtr sign_in_;
  std::string request_;
};

// Everything one run of a tool may touch.
class Call final {
 public:
  // As much as an agent's context takes well: common clients refuse more than 25,000 tokens.
  static constexpr std::int64_t kAnswerBytes = 60'000;
  static constexpr std::chrono::seconds kTime{10};
  // Programs get what they ask for; this only protects the server, which has it in memory.
  static constexpr std::int64_t kProgramBytes = 32 << 20;
  static constexpr std::chrono::seconds kProgramTime{30};

  // REQUIRES: services and table outlive it, and the body.
  Call(Services& services, const ToolTable& table, Caller caller, ByteView body,
       std::stop_token stop = {})
      : services_(services),
        table_(table),
        caller_(std::move(caller)),
        realm_(services.realms.get(session().realm)),
        body_(body),
        stop_(std::move(stop)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The same on one context: tools for JSON work there, whatever their arguments say.
  // REQUIRES: the context outlives it.
  Call on(const Context& context) const { return {*this, caller_, &context}; }
  // The same by somebody else.
  Call as(Caller caller) const { return {*this, std::move(caller), nullptr}; }
  Call as(SessionPtr session) const { return as(caller_.as(std::move(session))); }

  Services& services() { return services_; }
  const ToolTable& table() const { return table_; }
  Realm& realm() { return realm_; }
  const Caller& caller() const { return caller_; }
  const Session& session() const { return caller_.session(); }
  Entrance entrance() const { return caller_.entrance(); }
  // Nothing unless the tool was bound to one.
  const Context* context() const { return context_; }
  const Clock& clock() const { return services_.clock; }
  // The request's own bytes, for tools that take them.
  ByteView body() const { return body_; }
  const std::stop_token& stopping() const { return stop_; }
  Sight sight() { return Sight(realm_, session()); }
  const Rights& rights() const { return session().rights; }

  // The limits of a walk. Bytes are of the rendered answer. A program has more room than an agent,
  // and a person before the data itself more patience, and can stop it. A call that was cancelled
  // has no time left.
  Budget::Limits limits(std::int64_t entries = 1'000'000) const {
    switch (entrance()) {
      case Entrance::kMcp:
        return {.entries = entries, .bytes = kAnswerBytes, .time = kTime, .stop = stop_};
      case Entrance::kRest:
        return {.entries = entries, .bytes = kProgramBytes, .time = kProgramTime, .stop = stop_};
      case Entrance::kCli:
        return {.entries = entries,
                .bytes = kProgramBytes,
                .time = std::chrono::minutes(10),
                .stop = stop_};
    }
    return {};
  }
  // The same for rows that are sent as they are found: nothing is held but the next of them.
  Budget::Limits open_limits() const { return {.stop = stop_}; }

  // Keys in long listings are short for agents, who pay for each character; whole otherwise.
  std::string listed(const NodeKey& key) const {
    return entrance() == Entrance::kMcp ? key.render_short() : key.render();
  }
  Rendering listing() const {
    if (entrance() != Entrance::kMcp) return {};
    return {.key_bytes = 4 + NodeKey::kShortDigits};
  }

 private:
  Call(const Call& other, Caller caller, const Context* context)
      : Call(other.services_, other.table_, std::move(caller), other.body_, other.stop_) {
    context_ = context;
  }

  Services& services_;
  const ToolTable& table_;
  Caller caller_;
  Realm& realm_;
  ByteView body_;
  std::stop_token stop_;
  const Context* context_ = nullptr;
};

}  // namespace cairn
