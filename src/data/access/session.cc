#include "data/access/session.h"

#include <utility>

namespace cairn {

SessionPtr confined(const Session& session, const Place& place, const DelegateId& stand_in) {
  Delegate inner;
  inner.id = stand_in;
  inner.realm = session.realm;
  inner.parent = session.who().id;
  inner.depth = session.who().depth + 1;
  inner.name = session.who().name;
  inner.can_upload = true;
  inner.scope = std::vector<ScopeRoot>{place};
  auto out = std::make_shared<Session>(session);
  out->on_behalf_of = session.answers_for();
  out->stand_ins += 1;
  out->chain.insert(out->chain.begin(), std::make_shared<const Delegate>(std::move(inner)));
  out->rights = Rights::of(out->chain);
  out->owners.insert(out->owners.begin(), stand_in);
  return out;
}

}  // namespace cairn
