#include "tools/delegates/wanted.h"

#include "base/quote.h"
#include "tools/executor/render.h"

namespace cairn::wanted {

Result<std::vector<DepotId>> depots(Call& call, const std::vector<std::string>& texts) {
  std::vector<DepotId> out;
  for (const auto& text : texts) {
    auto id = TRY(DepotId::parse(text));
    if (call.rights().places(id).empty()) {
      return fail(Code::kDepotNotFound, "there is no depot {}; list the depots to see their ids",
                  id.render());
    }
    TRY(call.realm().get_depot(id));
    out.push_back(id);
  }
  return out;
}

Result<std::vector<DirectoryGrant>> directories(Call& call, const json::Value& list) {
  auto grants = grants_of(list);
  for (const auto& grant : grants) {
    const auto use = TRY(call.services().users.directory_use(call.session().realm, grant.name));
    if (use >= (grant.write ? DirectoryUse::kWrite : DirectoryUse::kRead)) continue;
    return fail(Code::kPermissionExceeded,
                "you cannot give {} the directory '{}', because you do not have it; leave it out",
                grant.write ? "writing in" : "reading in", shown(grant.name));
  }
  return grants;
}

}  // namespace cairn::wanted
