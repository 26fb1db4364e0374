// Resources: the caller's depots, and what can be read by URI (resource_uri.h).
//
// Whatever is read goes through the executor, so a scoped delegate's resources are its view. What
// does not exist and what may not be seen get the same answer.
// Threads  any.
#pragma once

#include <stop_token>
#include <string_view>

#include "exposure/mcp/service.h"
#include "tools/executor/executor.h"

namespace cairn::agent {

class Resources final {
 public:
  // A file over this is not read whole into a client's context.
  static constexpr std::uint64_t kMaxFileBytes = 1 << 20;
  static constexpr std::int64_t kPageSize = 100;

  explicit Resources(Executor& executor) : executor_(executor) {}

  // The depots the caller sees, oldest first; before them the frozen roots of its scope. The cursor
  // is that of list_depots.
  mcp::Rpc<mcp::Page> list(const Caller& caller, std::string_view cursor) const;

  // A depot as `{depotId, title, root, updatedAt}`, a node as node_metadata shows it, a directory
  // as fs_ls shows it (at most a thousand children and 60 KB: fs_ls goes on), a file as text with
  // its content type, or as base64 when it is not text.
  mcp::Rpc<mcp::ResourceContents> read(const Caller& caller, std::string_view uri,
                                       const std::stop_token& stop) const;

 private:
  Executor& executor_;
};

// The four templates of resource_uri.h.
const json::Array& resource_templates();

}  // namespace cairn::agent
