// Grants: what people have granted to OAuth clients. A grant is a delegate of the person's root
// delegate, which has the rights, and a record of whom it was given to.
//
// Invariants  a person has one grant for a client and a resource: asked again, it is changed. The
//             record and a new delegate are stored in one step.
// Threads     every function may be called from any thread.
// Fails with  NOT_FOUND for a delegate that is no grant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/access/delegates.h"
#include "data/oauth/scopes.h"
#include "data/store/key_value.h"

namespace cairn::oauth {

struct Grant {
  RealmId realm;
  DelegateId delegate;
  std::string client_id;
  std::string client_name;
  std::string client_host;     // of a metadata document; empty: it has none
  std::string redirect_place;  // where its answers go; of a device: empty
  std::string resource;        // a path; empty: the whole server
  Scopes scopes;               // as they were granted; the delegate may have been changed since
  Millis created_at = 0;
  Millis granted_at = 0;                         // the last time that a person said yes
  std::optional<Millis> used_at = std::nullopt;  // when tokens were last given out
  std::string address = {};                      // to where that was
  // A token was brought again long after it was used: all are void, and the client has to ask anew.
  std::optional<Millis> replayed_at = std::nullopt;

  bool operator==(const Grant&) const = default;
};

struct GrantPage {
  std::vector<Grant> grants;  // oldest first
  std::optional<std::string> next_cursor;
};

class Grants final {
 public:
  static constexpr std::size_t kMostEach = 1'000;  // of one realm

  Grants(KeyValueStore& kv, Delegates& delegates) : kv_(kv), delegates_(delegates) {}

  // The one of a client for a resource, if its delegate can still act.
  Result<std::optional<Grant>> find(const RealmId& realm, std::string_view client,
                                    std::string_view resource) const;
  Result<std::optional<Grant>> of_delegate(const RealmId& realm, const DelegateId& delegate) const;
  Result<GrantPage> list(const RealmId& realm, std::size_t limit,
                         std::optional<std::string_view> cursor) const;
  // Ends the delegate, with all below it. `caller` is above it.
  Result<Grant> revoke(const Session& caller, const DelegateId& delegate);

  // As a part of a batch that the caller commits, with the condition that nobody else was faster.
  Result<void> put(Batch& batch, const Grant& grant) const;
  // Notes that it was used, or misused; where that is not possible, not.
  void note_use(const Grant& grant, Millis now, std::string_view address) const;
  void note_replay(const Grant& grant, Millis now) const;

  // Every grant of a realm.
  Result<void> remove_all(const RealmId& realm);
  // Those whose delegates are revoked or expired, a month after the last use.
  Result<void> tidy(Millis now);

 private:
  KeyValueStore& kv_;
  Delegates& delegates_;
};

}  // namespace cairn::oauth
