// ToolShelf: the definitions of every tool for agents, made once, and the lists put together from
// them.
//
// Threads  immutable.
#pragma once

#include <unordered_map>

#include "exposure/agent/toolset.h"

namespace cairn::agent {

class ToolShelf final {
 public:
  // REQUIRES: the table outlives the shelf.
  explicit ToolShelf(const ToolTable& table);

  // The definitions of what is selected and the caller may use, in the order of the table.
  json::Array offered(const Selection& selection, const Session& session) const;

 private:
  std::unordered_map<const Tool*, json::Object> definitions_;
};

}  // namespace cairn::agent
