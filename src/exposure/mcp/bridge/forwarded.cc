#include "exposure/mcp/bridge/forwarded.h"

#include <algorithm>

#include "base/base64.h"
#include "exposure/mcp/meta.h"

namespace cairn::mcp {
namespace {

std::string_view param(const json::Object& params, std::string_view key) {
  const auto* value = json::find(params, key);
  return value == nullptr ? std::string_view() : json::text(*value);
}

// The member of the parameters that `Mcp-Name` repeats; empty: there is none.
std::string_view naming_param(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return method.starts_with("tasks/") ? "taskId" : "";
}

Headers modern_headers(const Request& request) {
  Headers out;
  if (const auto revision = param(meta_of(request.params), meta::kRevision); !revision.empty()) {
    out.emplace_back("MCP-Protocol-Version", header_value(revision));
  }
  out.emplace_back("Mcp-Method", header_value(request.method));
  const auto key = naming_param(request.method);
  if (!key.empty() && request.params.contains(key)) {
    out.emplace_back("Mcp-Name", header_value(param(request.params, key)));
  }
  return out;
}

std::optional<Forwarded::Memory> memory_of(const std::string& text, const Request& request) {
  if (request.method == "logging/setLevel") return Forwarded::Memory{request.method, text};
  const auto key = "resources/subscribe " + std::string(param(request.params, "uri"));
  if (request.method == "resources/subscribe") return Forwarded::Memory{key, text};
  if (request.method == "resources/unsubscribe") return Forwarded::Memory{key, ""};
  return std::nullopt;
}

}  // namespace

std::string header_value(std::string_view value) {
  constexpr std::string_view kBefore = "=?base64?";
  const bool plain = !value.empty() && !value.starts_with(kBefore) &&
                     std::ranges::all_of(value, [](char c) { return c > ' ' && c < 0x7F; });
  if (plain) return std::string(value);
  return fmt::format("{}{}?=", kBefore, base64_encode(value));
}

Forwarded::Forwarded(std::string text, const Request& request)
    : text_(std::move(text)), id_(request.id), method_(request.method), era_(era_of(request)) {
  if (era_ == Era::kModern) {
    modern_ = modern_headers(request);
  } else {
    memory_ = memory_of(text_, request);
  }
}

Headers Forwarded::headers(const Link& link) const {
  if (era_ == Era::kModern) return modern_;
  return is_initialize() ? Headers() : link.headers();
}

}  // namespace cairn::mcp
