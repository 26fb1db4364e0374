#include "exposure/mcp/meta.h"

#include "base/quote.h"

namespace cairn::mcp {
namespace {

std::unexpected<RpcError> missing(std::string_view key) {
  return rpc_fail(rpc_code::kInvalidParams,
                  fmt::format("'_meta' has to carry '{}' in each request of this revision", key));
}

std::unexpected<RpcError> unsupported(std::string_view requested) {
  json::Array supported;
  for (const Revision revision : all_revisions()) {
    if (is_modern(revision)) supported.emplace_back(name(revision));
  }
  return rpc_fail(rpc_code::kUnsupportedRevision,
                  fmt::format("protocol version '{}' is not supported", shown(requested)),
                  json::Object{{"supported", std::move(supported)}, {"requested", requested}});
}

}  // namespace

const json::Object& meta_of(const json::Object& params) {
  static const json::Object none;
  const auto* given = json::find(params, "_meta");
  return given != nullptr && given->is_object() ? given->get_object() : none;
}

Era era_of(const Request& request) {
  const auto& given = meta_of(request.params);
  const bool modern = request.method == "server/discover" ||
                      request.method == "subscriptions/listen" || given.contains(meta::kRevision) ||
                      given.contains(meta::kCapabilities);
  return modern ? Era::kModern : Era::kLegacy;
}

Rpc<ModernMeta> read_meta(const json::Object& params) {
  const auto& given = meta_of(params);
  const auto* revision = json::find(given, meta::kRevision);
  if (revision == nullptr || !revision->is_string()) return missing(meta::kRevision);
  const auto known = parse_revision(json::text(*revision));
  if (!known || !is_modern(*known)) return unsupported(json::text(*revision));
  const auto* capabilities = json::find(given, meta::kCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) return missing(meta::kCapabilities);
  ModernMeta out{.revision = *known, .capabilities = &capabilities->get_object()};
  if (const auto* level = json::find(given, meta::kLogLevel)) {
    out.log_level = parse_log_level(json::text(*level));
    if (!out.log_level) {
      return rpc_fail(rpc_code::kInvalidParams,
                      fmt::format("'{}' is none of the log levels", meta::kLogLevel));
    }
  }
  return out;
}

}  // namespace cairn::mcp
