// A walk from a root to where a client's path leads, name by name through handles, each opened
// without following a link. It takes links apart itself: relative ones go on from where the walk
// stands, absolute ones from the root they are in. So it needs nothing of the kernel but openat.
//
// A way that leaves the roots and comes back by its names alone (`../other-root/x`) is fine;
// outside, nothing is looked at.
//
// Threads     one at a time: a walk is made for one path and dropped.
// Fails with  what Workspace says. When a name is missing, the message gives the nearest one there
//             is.
// Cost        two calls into the kernel for each name; at most 40 links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/workspace/trail.h"

namespace cairn {

struct WalkOptions {
  // The last name of the client's path: what a link there leads to, or the link.
  enum class Last : std::uint8_t { kFollow, kLinkItself };
  Last last = Last::kFollow;
  // Directories of the client's path that are missing: an error but for the last name, made, or
  // taken for made, so that the walk ends where the first is missing.
  enum class Missing : std::uint8_t { kIsError, kIsMade, kIsAssumed };
  Missing missing = Missing::kIsError;
};

struct Walked {
  Trail trail;                  // to the end or, when that is missing, to its directory
  std::optional<os::Stat> end;  // what is there; nothing: missing, and may be made
  std::string missing;          // the name of what is missing; with kIsAssumed all names from there
};

class Walk final {
 public:
  Walk(const Roots& roots, const ClientPath& path, WalkOptions options);

  Result<Walked> run();

 private:
  struct Name {
    std::string text;
    bool asked = false;  // from the client, not from a link
  };

  Result<void> step(Name name);
  Result<void> step_outside(const Name& name);
  Result<void> enter(std::size_t root);
  Result<void> up();
  Result<void> down(Name name);
  Result<void> arrive(Name name, os::Handle handle);
  Result<void> follow(const os::Handle& link);
  Result<void> absent(Name name);
  Result<void> make(Name name);
  void take_back();
  Failure missing(const std::string& name);
  Failure os_fail(int error);
  void queue(std::string_view text, bool asked);

  const Roots& roots_;
  const ClientPath& path_;
  WalkOptions options_;
  std::vector<Name> pending_;  // the next one last
  std::optional<Trail> trail_;
  std::string outside_;  // where the names have led while in no root; empty: inside
  std::optional<os::Stat> end_;
  std::string missing_;
  std::size_t links_ = 0;
  std::size_t made_ = 0;
};

// Why a name that is not there is an error: with the nearest one that is.
Failure missing_failure(int directory, std::string_view directory_place, const std::string& name,
                        std::string_view asked);

}  // namespace cairn
