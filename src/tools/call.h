// Call: everything one run of a tool may touch. It is made by the executor for a caller whose
// rights it has checked; tools reach the data through it and through nothing else.
#pragma once

#include "base/budget.h"
#include "data/access/audit.h"
#include "data/access/delegates.h"
#include "data/access/realms.h"
#include "data/access/sight.h"
#include "data/access/users.h"
#include "data/endpoint/endpoints.h"
#include "tools/documents.h"

namespace cairn {

class ToolTable;

enum class Entrance { kRest, kMcp, kCli };
std::string_view name(Entrance entrance);

// What the executor works with; the owner of the process builds it once.
struct Services {
  Realms& realms;
  Delegates& delegates;
  Users& users;
  AuditLog& audit;
  Endpoints& endpoints;
  Documents& documents;
  const Clock& clock;
  Random& random;
};

class Call final {
 public:
  // As much as an agent's context takes well: common clients refuse more than 25,000 tokens.
  static constexpr std::int64_t kAnswerBytes = 60'000;
  static constexpr std::chrono::seconds kTime{10};

  Call(Services& services, const ToolTable& table, SessionPtr session, Entrance entrance,
       ByteView body, std::stop_token stop = {})
      : services_(services),
        table_(table),
        session_(std::move(session)),
        realm_(services.realms.get(session_->realm)),
        entrance_(entrance),
        body_(body),
        stop_(std::move(stop)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Services& services() { return services_; }
  const ToolTable& table() const { return table_; }
  Realm& realm() { return realm_; }
  const Session& session() const { return *session_; }
  const SessionPtr& shared_session() const { return session_; }
  Entrance entrance() const { return entrance_; }
  const Clock& clock() const { return services_.clock; }
  // The request's own bytes, for tools that take them.
  ByteView body() const { return body_; }
  Sight sight() { return Sight(realm_, *session_); }
  const Rights& rights() const { return session_->rights; }

  // What a walk may spend. Bytes are of the rendered answer. Whoever sits before the data itself
  // has more room and more patience than an agent, and can stop it. A call that was cancelled has
  // no time left.
  Budget::Limits limits(std::int64_t entries = 1'000'000) const {
    if (entrance_ == Entrance::kCli) {
      return {
          .entries = entries, .bytes = 64 << 20, .time = std::chrono::minutes(10), .stop = stop_};
    }
    return {.entries = entries, .bytes = kAnswerBytes, .time = kTime, .stop = stop_};
  }

  // Keys in long listings are short for agents, who pay for each character; whole otherwise.
  std::string listed(const NodeKey& key) const {
    return entrance_ == Entrance::kMcp ? key.render_short() : key.render();
  }

 private:
  Services& services_;
  const ToolTable& table_;
  SessionPtr session_;
  Realm& realm_;
  Entrance entrance_;
  ByteView body_;
  std::stop_token stop_;
};

}  // namespace cairn
