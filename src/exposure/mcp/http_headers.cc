#include "exposure/mcp/http_headers.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/quote.h"
#include "exposure/mcp/meta.h"

namespace cairn::mcp {
namespace {

// `[::1]:80` → `[::1]`, `Localhost:80` → `localhost`.
std::string host_of(std::string_view authority) {
  const auto bracket = authority.find(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return lowered(authority.substr(0, colon));
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.ends_with(".localhost") ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

std::unexpected<RpcError> mismatch(std::string message) {
  return rpc_fail(rpc_code::kHeaderMismatch, std::move(message));
}

// A value that is not plain ASCII comes as `=?base64?…?=`. Nullopt: it is not base64 in there.
std::optional<std::string> decoded(std::string_view value) {
  constexpr std::string_view kBefore = "=?base64?";
  constexpr std::string_view kAfter = "?=";
  if (!value.starts_with(kBefore) || !value.ends_with(kAfter) ||
      value.size() < kBefore.size() + kAfter.size()) {
    return std::string(value);
  }
  return base64_decode(value.substr(kBefore.size(), value.size() - kBefore.size() - kAfter.size()));
}

Rpc<void> check_one(std::string_view header, std::string_view given, std::string_view expected) {
  if (given.empty()) return mismatch(fmt::format("the header {} is missing", header));
  const auto value = decoded(given);
  if (value && *value == expected) return {};
  return mismatch(fmt::format("the header {} says '{}' where the body has '{}'", header,
                              shown(given), shown(expected)));
}

const json::Value* value_at(const json::Object& arguments, std::span<const std::string> path) {
  const json::Object* at = &arguments;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto* value = json::find(*at, path[i]);
    if (value == nullptr || value->is_null()) return nullptr;
    if (i + 1 == path.size()) return value;
    if (!value->is_object()) return nullptr;
    at = &value->get_object();
  }
  return nullptr;
}

template <typename Number>
bool same_number(std::string_view text, Number value) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number == value;
}

// `3`, and `3.0` as well.
bool same_integer(std::string_view text, std::int64_t value) {
  const auto point = text.find('.');
  const auto zeros = point == std::string_view::npos ? "" : text.substr(point + 1);
  return zeros.find_first_not_of('0') == std::string_view::npos &&
         same_number(text.substr(0, point), value);
}

bool same_value(std::string_view text, const json::Value& value) {
  if (value.is_string()) return json::text(value) == text;
  if (value.is_bool()) return text == (value.get_bool() ? "true" : "false");
  if (value.is_int64()) return same_integer(text, value.get_int64());
  if (value.is_double()) return same_number(text, value.get_double());
  return text == json::write(value);
}

Rpc<void> check_param(const http::Request& request, const json::Object& arguments,
                      const ParamHeader& param) {
  const auto given = request.header(lowered("mcp-param-" + param.header));
  const auto* value = value_at(arguments, param.path);
  const auto about = [&](std::string_view what) {
    return mismatch(fmt::format("the header Mcp-Param-{} {}", param.header, what));
  };
  if (value == nullptr) {
    return given.empty() ? Rpc<void>() : about("is given, but its argument is not");
  }
  if (given.empty() && !(value->is_string() && json::text(*value).empty())) {
    return about("is missing");
  }
  const auto text = decoded(given);
  if (!text) return about("is not base64");
  if (!same_value(*text, *value)) return about("is not what the argument is");
  return {};
}

// The parameter that `Mcp-Name` repeats; null for methods that have none.
const json::Value* named(const Request& body) {
  if (body.method == "tools/call" || body.method == "prompts/get") {
    return json::find(body.params, "name");
  }
  return body.method == "resources/read" ? json::find(body.params, "uri") : nullptr;
}

}  // namespace

bool is_json(const http::Request& request) {
  const auto whole = request.header("content-type");
  auto type = whole.substr(0, whole.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return lowered(type) == "application/json";
}

Accepts accepts(const http::Request& request) {
  const auto text = lowered(request.header("accept"));
  if (text.empty()) return {};
  const bool all = text.contains("*/*");
  return {.json = all || text.contains("application/json") || text.contains("application/*"),
          .events = text.contains("text/event-stream") || text.contains("text/*")};
}

Result<void> check_host(const http::Request& request, HostRule rule) {
  const auto host = host_of(request.header("host"));
  if (rule == HostRule::kAny || is_this_machine(host)) return {};
  return fail(Code::kForbidden,
              "this server is for this machine, but was called '{}'; call it localhost or "
              "127.0.0.1",
              shown(host));
}

Result<void> check_origin(const http::Request& request, HostRule rule) {
  TRY(check_host(request, rule));
  const auto host = host_of(request.header("host"));
  const auto origin = request.header("origin");
  if (origin.empty()) return {};
  const auto scheme = origin.find("://");
  if (scheme != std::string_view::npos) {
    const auto from = host_of(origin.substr(scheme + 3));
    if (from == host || (is_this_machine(from) && is_this_machine(host))) return {};
  }
  return fail(Code::kForbidden, "pages of '{}' have nothing to do here", shown(origin));
}

Rpc<void> check_headers(const http::Request& request, const Request& body,
                        std::span<const ParamHeader> params) {
  const auto& given = meta_of(body.params);
  const auto* revision = json::find(given, meta::kRevision);
  TRY(check_one("MCP-Protocol-Version", request.header("mcp-protocol-version"),
                revision == nullptr ? "" : json::text(*revision)));
  TRY(check_one("Mcp-Method", request.header("mcp-method"), body.method));
  if (const auto* name = named(body)) {
    TRY(check_one("Mcp-Name", request.header("mcp-name"), json::text(*name)));
  }
  if (params.empty()) return {};
  const auto* arguments = json::find(body.params, "arguments");
  const json::Object none;
  for (const ParamHeader& param : params) {
    TRY(check_param(request,
                    arguments != nullptr && arguments->is_object() ? arguments->get_object() : none,
                    param));
  }
  return {};
}

}  // namespace cairn::mcp
