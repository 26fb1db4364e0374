// Addresses: how people name a tree and a path in it, `D[@VERSION][:PATH]`.
//
// VERSION is one of a depot (data/realm/version.h); its times are of this machine's zone. A title
// with an '@' in it is taken for what it is, when a depot has it.
//
// D is a depot's id (`dpt_…`, or `dpt_…/docs` for a caller that sees only a part of it), a node's
// key (`nod_…`), or a depot's title. It ends at the first ':', which no title has; one from before
// that was so can only be named by its id.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exposure/client/client.h"

namespace cairn::client {

struct Address {
  std::string tree;  // D as it was given
  std::string path;  // empty: the root

  static Address parse(std::string_view text);
};

enum class TreeKind { kDepot, kNode };

// The tree that D stands for.
struct Tree {
  std::string key;  // what tools take as nodeKey, and as depotId when it is a depot
  TreeKind kind = TreeKind::kDepot;
};

// The version as the server understands it: a time without a zone is of this machine's.
std::string version_here(std::string_view version);

// DEPOT_NOT_FOUND, AMBIGUOUS_KEY with the ids when several depots have the title.
Result<Tree> resolve(Client& client, std::string_view tree);
// The same; nullopt when no depot has the title.
Result<std::optional<Tree>> find_tree(Client& client, std::string_view tree);
// INVALID_ARGUMENT for a node.
Result<std::string> resolve_depot(Client& client, std::string_view depot);

// A tree and a path in it, for the tools.
struct Resolved {
  Tree tree;
  std::string path;

  json::Object arguments() const;
};
Result<Resolved> resolve_address(Client& client, std::string_view address);
// INVALID_ARGUMENT when there is no path.
Result<Resolved> resolve_file(Client& client, std::string_view address);

}  // namespace cairn::client
