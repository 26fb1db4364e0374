#include "exposure/rest/route.h"

#include <algorithm>
#include <array>

#include "base/quote.h"
#include "data/endpoint/hidden_keys.h"

namespace cairn::rest {
namespace {

using enum http::Method;

constexpr Route kRoutes[] = {
    {kGet, "/api/realm/{realm}", "get_realm_info"},
    {kGet, "/api/realm/{realm}/usage", "get_usage"},
    {kGet, "/api/realm/{realm}/audit", "get_audit"},
    {kPost, "/api/realm/{realm}/gc", "collect_garbage"},
    {kPost, "/api/realm/{realm}/purge", "purge"},
    {kPost, "/api/realm/{realm}/fsck", "check_store"},

    {kGet, "/api/realm/{realm}/depots", "list_depots"},
    {kPost, "/api/realm/{realm}/depots", "create_depot"},
    {kGet, "/api/realm/{realm}/depots/{depotId}", "get_depot"},
    {kPatch, "/api/realm/{realm}/depots/{depotId}", "update_depot"},
    {kDelete, "/api/realm/{realm}/depots/{depotId}", "delete_depot"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/restore", "restore_depot"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/commit", "depot_commit"},
    {kGet, "/api/realm/{realm}/depots/{depotId}/history", "depot_history"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/revert", "depot_revert"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/import", "import_root"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/undo", "depot_undo"},
    {kPost, "/api/realm/{realm}/depots/{depotId}/tag", "depot_tag"},

    {kGet, "/api/realm/{realm}/delegates", "list_delegates"},
    {kPost, "/api/realm/{realm}/delegates", "create_delegate"},
    {kGet, "/api/realm/{realm}/delegates/{delegateId}", "get_delegate"},
    {kPatch, "/api/realm/{realm}/delegates/{delegateId}", "update_delegate"},
    {kPost, "/api/realm/{realm}/delegates/{delegateId}/rotate", "rotate_key"},
    {kPost, "/api/realm/{realm}/delegates/{delegateId}/revoke", "revoke_delegate"},

    {kGet, "/api/realm/{realm}/nodes/raw/{nodeKey}", "get_node"},
    {kPut, "/api/realm/{realm}/nodes/raw/{key}", "put_node"},
    {kGet, "/api/realm/{realm}/nodes/raw/{nodeKey}/{navigation...}", "get_node"},
    {kGet, "/api/realm/{realm}/nodes/metadata/{nodeKey}", "node_metadata"},
    {kGet, "/api/realm/{realm}/nodes/metadata/{nodeKey}/{navigation...}", "node_metadata"},
    {kPost, "/api/realm/{realm}/nodes/check", "check_nodes"},
    {kPost, "/api/realm/{realm}/nodes/claim", "claim_nodes"},

    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/stat", "fs_stat"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/ls", "fs_ls"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/tree", "fs_tree"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/read", "read_file"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/file", "read_file"},
    {kPut, "/api/realm/{realm}/nodes/fs/{nodeKey}/file", "write_file"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/write", "fs_write"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/find", "fs_find"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/find", "fs_find"},
    {kGet, "/api/realm/{realm}/nodes/fs/{nodeKey}/grep", "fs_grep"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/grep", "fs_grep"},
    {kGet, "/api/realm/{realm}/nodes/fs/{from}/diff", "fs_diff"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/mkdir", "fs_mkdir"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/rm", "fs_rm"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/mv", "fs_mv"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/cp", "fs_cp"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/edit", "fs_edit"},
    {kPost, "/api/realm/{realm}/nodes/fs/{nodeKey}/rewrite", "fs_rewrite"},

    {kGet, "/api/realm/{realm}/adi", "list_tools"},
    {kPost, "/api/realm/{realm}/adi", "create_tool"},
    {kGet, "/api/realm/{realm}/adi/{toolId}", "get_tool"},
    {kPatch, "/api/realm/{realm}/adi/{toolId}", "update_tool"},
    {kDelete, "/api/realm/{realm}/adi/{toolId}", "delete_tool"},
    {kGet, "/api/realm/{realm}/aei", "list_endpoints"},
    {kPost, "/api/realm/{realm}/aei", "create_endpoint"},
    {kPost, "/api/realm/{realm}/aei/preview", "preview_endpoint"},
    {kGet, "/api/realm/{realm}/aei/{endpointId}", "get_endpoint"},
    {kPatch, "/api/realm/{realm}/aei/{endpointId}", "update_endpoint"},
    {kDelete, "/api/realm/{realm}/aei/{endpointId}", "delete_endpoint"},
    {kPost, "/api/realm/{realm}/aei/{endpointId}/rotate", "rotate_endpoint_key"},
    {kPost, "/api/realm/{realm}/aei/{endpointId}/upgrade", "upgrade_endpoint"},
    {kPost, "/api/realm/{realm}/aei/{endpointId}/bindings", "bind_tools"},
    {kPatch, "/api/realm/{realm}/aei/{endpointId}/bindings/{bindingId}", "update_binding"},
    {kDelete, "/api/realm/{realm}/aei/{endpointId}/bindings/{bindingId}", "unbind_tool"},
    {kPost, "/api/realm/{realm}/mcp-instances", "create_mcp_instance"},

    {kGet, "/api/me", "get_me"},
    {kPost, "/api/me/password", "change_password"},
    {kGet, "/api/me/sign-ins", "list_sign_ins"},
    {kDelete, "/api/me/sign-ins", "end_sign_in"},
    {kDelete, "/api/me/sign-ins/{signInId}", "end_sign_in"},
    {kPost, "/api/me/sign-in-link", "create_sign_in_link"},

    {kGet, "/api/admin/users", "list_users"},
    {kPost, "/api/admin/users", "add_user"},
    {kPatch, "/api/admin/users/{userId}", "update_user"},
    {kDelete, "/api/admin/users/{userId}", "delete_user"},
    {kPost, "/api/admin/backup", "backup_store"},
};

// The facts about a pattern that are known before it is compared.
struct Shape {
  std::size_t segments = 0;
  bool open = false;      // its last parameter takes the rest
  std::string_view last;  // the last segment, when it is a literal
};

constexpr auto kShapes = [] {
  std::array<Shape, std::size(kRoutes)> shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto pattern = kRoutes[i].pattern;
    const auto last = pattern.substr(pattern.rfind('/') + 1);
    shapes[i].segments = static_cast<std::size_t>(std::ranges::count(pattern, '/'));
    shapes[i].open = pattern.ends_with("...}");
    if (!last.starts_with('{')) shapes[i].last = last;
  }
  return shapes;
}();

std::string_view next_segment(std::string_view& pattern) {
  pattern.remove_prefix(1);
  const auto end = pattern.find('/');
  auto segment = pattern.substr(0, end);
  pattern.remove_prefix(segment.size());
  return segment;
}

bool is_rest(std::string_view segment) { return segment.ends_with("...}"); }

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::optional<std::vector<std::pair<std::string_view, std::string>>> match_pattern(
    std::string_view pattern, std::span<const std::string> segments) {
  std::vector<std::pair<std::string_view, std::string>> parameters;
  std::size_t at = 0;
  while (!pattern.empty()) {
    const auto segment = next_segment(pattern);
    if (at == segments.size()) return std::nullopt;
    if (is_rest(segment)) {
      std::string rest;
      for (; at < segments.size(); ++at) rest += (rest.empty() ? "" : "/") + segments[at];
      parameters.emplace_back(segment.substr(1, segment.size() - 5), std::move(rest));
    } else if (segment.starts_with('{')) {
      if (segments[at].empty()) return std::nullopt;
      parameters.emplace_back(segment.substr(1, segment.size() - 2), segments[at]);
      at += 1;
    } else {
      if (segments[at] != segment) return std::nullopt;
      at += 1;
    }
  }
  if (at != segments.size()) return std::nullopt;
  return parameters;
}

std::string with_head(std::string methods) {
  const auto get = methods.find("GET");
  return get == std::string::npos ? methods : methods.insert(get + 3, ", HEAD");
}

Result<Match> match(http::Method method, std::span<const std::string> segments) {
  const auto wanted = method == kHead ? kGet : method;
  std::string allow;
  for (std::size_t i = 0; i < std::size(kRoutes); ++i) {
    const auto& route = kRoutes[i];
    // Most patterns differ in how many segments they have, or in the last one.
    const auto& shape = kShapes[i];
    if (shape.open ? segments.size() < shape.segments : segments.size() != shape.segments) continue;
    if (!shape.last.empty() && segments.back() != shape.last) continue;
    if (route.method != wanted && allow.contains(name(route.method))) continue;
    auto parameters = match_pattern(route.pattern, segments);
    if (!parameters) continue;
    if (route.method != wanted) {
      allow += (allow.empty() ? "" : ", ") + std::string(name(route.method));
      continue;
    }
    Match found{&route, {}, "me"};
    for (auto& parameter : *parameters) {
      if (parameter.first == "realm") {
        found.realm = std::move(parameter.second);
      } else {
        found.parameters.push_back(std::move(parameter));
      }
    }
    return found;
  }
  if (!allow.empty()) {
    return Failure(Error(Code::kMethodNotAllowed,
                         fmt::format("{} is not possible here; {} is", name(method), allow))
                       .with("allow", with_head(allow)));
  }
  std::string path;
  for (const auto& segment : segments) path += "/" + segment;
  return fail(Code::kNotFound, "there is nothing at {}; see /api/docs",
              shown(with_keys_hidden(std::move(path))));
}

}  // namespace cairn::rest
