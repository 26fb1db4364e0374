#include "data/oauth/resource.h"

#include <algorithm>

#include "base/ascii.h"
#include "data/oauth/parameters.h"
#include "data/oauth/url.h"

namespace cairn::oauth {
namespace {

constexpr std::string_view kWorkspaces = "/mcp/workspaces/";
constexpr std::string_view kDirectories = "/mcp/directories/";

bool is_one_segment(std::string_view text) {
  return !text.empty() && !text.contains('/') && text != "." && text != "..";
}

}  // namespace

bool is_resource(std::string_view path) {
  if (path.empty() || path == "/mcp" || path == "/api/mcp" || path == "/api") return true;
  for (const auto folder : {kWorkspaces, kDirectories}) {
    if (path.starts_with(folder)) return is_one_segment(path.substr(folder.size()));
  }
  return false;
}

std::string resource_of(std::string_view request_path) {
  if (is_resource(request_path)) return std::string(request_path);
  if (request_path.starts_with("/api/")) return "/api";
  return {};
}

std::optional<std::string> parse_resource(std::string_view text, const Origin& origin) {
  const auto url = Url::parse(text);
  if (!url || url->has_user || url->has_fragment) return std::nullopt;
  auto base = *url;
  base.path.clear();
  const auto place = Origin::parse(base.scheme + "://" + base.place());
  if (!place || *place != origin) return std::nullopt;
  std::string path = url->path;
  if (path.ends_with('/')) path.pop_back();
  return is_resource(path) ? std::optional(std::move(path)) : std::nullopt;
}

bool covers(std::string_view outer, std::string_view inner) {
  return outer.empty() || inner == outer ||
         (inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/');
}

std::optional<std::string> widest(std::span<const std::string> resources) {
  if (resources.empty()) return std::string();
  for (const auto& one : resources) {
    if (std::ranges::all_of(resources, [&](const auto& other) { return covers(one, other); })) {
      return one;
    }
  }
  return std::nullopt;
}

std::optional<std::string> workspace_of(std::string_view resource) {
  if (!resource.starts_with(kWorkspaces)) return std::nullopt;
  return percent_decoded(resource.substr(kWorkspaces.size()));
}

}  // namespace cairn::oauth
