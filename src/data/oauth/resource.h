// Resources: the parts of this server that a token may be good for (RFC 8707), each by its path. A
// token for one is good for what lies below it too; one for the whole server, whose path is empty,
// for everything.
//
//   ""  /mcp  /api/mcp  /mcp/workspaces/{depot}  /mcp/directories/{name}  /api
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/oauth/origin.h"

namespace cairn::oauth {

// Whether a path, as it stands in an address, is one of these.
bool is_resource(std::string_view path);
// The one that a request's path belongs to, with what is below it; nothing: none but the whole.
std::string resource_of(std::string_view request_path);
// The path of what a client calls a resource. Scheme and host in whatever case, the scheme's own
// port, one slash at the end and a query make no difference. Nothing: it is not one of ours.
std::optional<std::string> parse_resource(std::string_view text, const Origin& origin);
// Whether a token for `outer` is good for `inner`.
bool covers(std::string_view outer, std::string_view inner);
// The one of several that covers the others; none: the whole server. Nothing: no one does.
std::optional<std::string> widest(std::span<const std::string> resources);
// What stands behind /mcp/workspaces/, decoded.
std::optional<std::string> workspace_of(std::string_view resource);

}  // namespace cairn::oauth
