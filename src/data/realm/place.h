// A place: a path inside a depot, seen as if it were the whole of it. A depot is the place at its
// own root.
//
// Messages about a place never name its path, nor anything outside it: a caller that was given a
// place may not know of anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "data/realm/version.h"
#include "data/tree/view.h"

namespace cairn {

struct Place {
  Place() = default;
  Place(const DepotId& whole, Path below = {}) : depot(whole), path(std::move(below)) {}

  // `dpt_…`, or `dpt_…/docs`.
  std::string render() const;

  bool operator==(const Place&) const = default;

  DepotId depot;
  Path path;  // of names only
};

// How a caller names a place: by its depot, and when it may see several of that, by which one; and
// a version of it.
struct DepotAddress {
  // `dpt_…`, `dpt_…/docs`, `dpt_…@~1` or `dpt_…@~1/docs`. Fails as DepotId::parse(),
  // Version::parse() and Path::parse() do.
  static Result<DepotAddress> parse(std::string_view text);
  std::string render() const;

  bool operator==(const DepotAddress&) const = default;

  DepotId depot;
  std::optional<Path> place = std::nullopt;
  std::optional<Version> version = std::nullopt;
};

// INVALID_PATH when the path has a child index in it: what that names changes with every commit.
Result<void> check_place(const Path& path);

// The entry at a place in a depot with this root; nullopt when there is none, or a file stands on
// the way.
Result<std::optional<EntryValue>> find_place(const NodeReader& nodes, const NodeKey& depot_root,
                                             const Path& path);

// The depot's root with a directory put at the path, and the directories on the way made when they
// are not there; a file at the path itself is replaced. NOT_A_DIRECTORY when one is on the way.
Result<NodePtr> graft(Stage& stage, const NodeKey& depot_root, const Path& path,
                      const NodePtr& directory);

}  // namespace cairn
