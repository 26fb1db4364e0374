// The `_meta` of a request, by which it describes itself: in the modern era, all that the legacy
// handshake settled.
#pragma once

#include <optional>
#include <string_view>

#include "exposure/mcp/exchange.h"

namespace cairn::mcp {

namespace meta {
inline constexpr std::string_view kRevision = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta

// `params._meta`; an empty one when there is none.
const json::Object& meta_of(const json::Object& params);

// Modern when it names its revision or capabilities in `_meta`, or is of a method that only that
// era has.
Era era_of(const Request& request);

struct ModernMeta {
  Revision revision = kFirstModern;
  const json::Object* capabilities = nullptr;
  std::optional<LogLevel> log_level = std::nullopt;
};
// kInvalidParams for what is missing, kUnsupportedRevision with `supported` and `requested`.
Rpc<ModernMeta> read_meta(const json::Object& params);

}  // namespace cairn::mcp
