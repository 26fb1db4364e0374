#include "exposure/agent/workspace_service.h"

#include <filesystem>

#include "exposure/http/uri.h"
#include "exposure/mcp/exchange.h"

namespace cairn::agent {
namespace {

constexpr std::string_view kFile = "file://";
constexpr std::string_view kLocalHost = "localhost/";

std::optional<std::string> directory_of(std::string_view uri) {
  if (uri.starts_with('/')) return std::string(uri);
  if (!uri.starts_with(kFile)) return std::nullopt;
  auto path = uri.substr(kFile.size());
  if (path.starts_with(kLocalHost)) path.remove_prefix(kLocalHost.size() - 1);
  if (!path.starts_with('/')) return std::nullopt;
  auto decoded = http::percent_decode(path);
  if (!decoded) return std::nullopt;
  return std::move(*decoded);
}

}  // namespace

std::unique_ptr<ToolService> workspace_service(std::string version) {
  return std::make_unique<ToolService>(
      tools_offer("cairn-workspace", "Cairn workspace", std::move(version)));
}

std::vector<std::string> root_directories(const json::Object& answer) {
  std::vector<std::string> out;
  const auto* roots = json::find(answer, "roots");
  if (roots == nullptr || !roots->is_array()) return out;
  for (const auto& root : roots->get_array()) {
    if (!root.is_object()) continue;
    const auto* uri = json::find(root.get_object(), "uri");
    if (uri == nullptr || !uri->is_string()) continue;
    auto directory = directory_of(json::text(*uri));
    std::error_code error;
    if (directory && std::filesystem::is_directory(*directory, error)) {
      out.push_back(std::move(*directory));
    }
  }
  return out;
}

mcp::Rpc<bool> DirectoryPrincipal::ready(mcp::Exchange& exchange) const {
  const auto asked = toolbox_->wants_roots();
  if (!asked) return true;
  std::vector<std::string> directories;
  if (exchange.client_capabilities().contains("roots")) {
    const mcp::Question question{.key = "roots", .method = "roots/list"};
    const auto answers = exchange.ask(std::span(&question, 1));
    // A client that cannot say what its roots are has none.
    if (answers && !*answers) return false;
    if (answers && !(*answers)->empty()) directories = root_directories((*answers)->front());
    if (directories.empty()) {
      fmt::print(stderr, "cairn: the client has no roots that are directories here; using {}\n",
                 toolbox_->fallback());
    }
  }
  const auto used = toolbox_->use_roots(directories, *asked);
  if (!used) return mcp::rpc_fail(mcp::rpc_code::kInternal, used.error().message);
  return true;
}

}  // namespace cairn::agent
