// A root that a delegate sees though no depot has it: whatever collects or purges nodes has to know
// of it.
#pragma once

#include <string>

#include "base/id.h"
#include "data/cas/node_key.h"

namespace cairn {

struct FrozenScope {
  DelegateId delegate;
  std::string name;
  NodeKey root;
};

}  // namespace cairn
