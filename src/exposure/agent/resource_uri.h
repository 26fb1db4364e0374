// ResourceUri: what a `cas://` URI names.
//
//   cas://depot:{depotId}            a depot: its title and current root
//   cas://depot:{depotId}/{+path}    a file or directory in it, as it is now
//   cas://node:{nodeKey}             a node as it is stored
//   cas://node:{nodeKey}/{+path}     a file or directory below it, for ever the same
//
// Ids and keys stand without `dpt_` and `nod_`, and are read with them too. A path that is empty
// (`cas://depot:X/`) is the root directory; one may end in a slash, as completion ends directories.
// A delegate that sees several places of one depot
// addresses each as `dpt_X/docs`: in a URI the slash of the address is escaped,
// `cas://depot:X%2Fdocs/a.md`.
// Fails with  INVALID_ARGUMENT for any other string, INVALID_KEY and INVALID_PATH for parts of
//             it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/tree/path.h"

namespace cairn::agent {

struct ResourceUri {
  enum class Kind { kDepot, kNode };

  static Result<ResourceUri> parse(std::string_view uri);
  std::string render() const;

  bool operator==(const ResourceUri&) const = default;

  Kind kind = Kind::kDepot;
  std::string key;           // what tools take as nodeKey: `dpt_…`, `dpt_…/docs`, `nod_…`
  std::optional<Path> path;  // nothing: the depot or node itself
};

}  // namespace cairn::agent
