#include "exposure/cli/depot_place.h"

#include "base/quote.h"
#include "exposure/client/transfer.h"

namespace cairn::cli {
namespace {

// Titles end at the first slash, unless there is a depot whose title has one in it.
Result<client::Resolved> resolve_slash(client::Client& client, const std::string& where) {
  auto found = resolve_address(client, where);
  const auto first = where.find_first_of("/:");
  const bool by_title = first != std::string::npos && where[first] == '/';
  if (!found && found.error().code == Code::kDepotNotFound && by_title) {
    found = resolve_address(client, where.substr(0, first) + ":" + where.substr(first + 1));
  }
  return found;
}

void trim(std::string& path) {
  while (path.ends_with('/')) path.pop_back();
}

}  // namespace

Result<client::Resolved> resolve_place(client::Client& client, const std::string& where) {
  auto place = TRY(resolve_slash(client, where));
  if (place.tree.kind != client::TreeKind::kDepot) {
    return fail(Code::kInvalidArgument,
                "'{}' is a node, which cannot change; name a depot by id or title", shown(where));
  }
  trim(place.path);
  const auto slash = place.tree.key.find('/');
  if (slash == std::string::npos) return place;
  // It is an address of its own for a caller that sees several places of the depot, and for nobody
  // else.
  if (client.call("get_depot", {{"depotId", place.tree.key}})) return place;
  place.path = client::join(place.tree.key.substr(slash + 1), place.path);
  trim(place.path);
  place.tree.key.resize(slash);
  return place;
}

}  // namespace cairn::cli
