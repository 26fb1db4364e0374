#include "exposure/oauth/challenge.h"

#include <algorithm>

#include "data/oauth/parameters.h"
#include "data/oauth/resource.h"
#include "exposure/oauth/answers.h"
#include "exposure/oauth/metadata.h"

namespace cairn::oauth {
namespace {

constexpr std::string_view kHeader = "WWW-Authenticate";

// Where the metadata of a request's resource is; empty: there is none.
std::string metadata_of(const OriginRule& rule, const http::Request& request) {
  const auto origin = origin_of(rule, request);
  if (!origin) return {};
  return origin->at(kResourceMetadata) + resource_of(request.path);
}

std::string_view what_is_wrong(std::string_view code) {
  if (code == info(Code::kTokenExpired).name) return "the access token has expired";
  if (code == info(Code::kDelegateRevoked).name || code == info(Code::kDelegateExpired).name) {
    return "the access was ended";
  }
  return "the access token is unknown, was replaced, or is for another part of this server";
}

}  // namespace

void add_challenge(const OriginRule& rule, const http::Request& request, http::Response& response) {
  if (response.status != 401) return;
  const auto metadata = metadata_of(rule, request);
  if (metadata.empty()) return;
  std::string value = fmt::format("Bearer realm=\"cairn\", resource_metadata=\"{}\", scope=\"{}\"",
                                  metadata, kBaseline.render());
  // Who sent none was not refused, but does not know yet that one is needed.
  if (!request.header("authorization").empty()) {
    value += fmt::format(", error=\"invalid_token\", error_description=\"{}\"",
                         what_is_wrong(response.log_error));
  }
  std::erase_if(response.headers, [](const auto& header) { return header.first == kHeader; });
  response.headers.emplace_back(kHeader, std::move(value));
}

std::string step_up(const OriginRule& rule, const http::Request& request, Code code) {
  const bool write = code == Code::kUploadNotAllowed;
  const bool manage = code == Code::kDepotManageNotAllowed;
  const auto metadata = metadata_of(rule, request);
  if ((!write && !manage) || metadata.empty()) return {};
  return fmt::format(
      "Bearer realm=\"cairn\", error=\"insufficient_scope\", scope=\"{}\", "
      "resource_metadata=\"{}\", error_description=\"this program was not granted that\"",
      Scopes{.write = true, .manage = manage}.render(), metadata);
}

std::optional<http::Response> refuse_token_in_address(const http::Request& request) {
  if (!request.query.contains("access_token")) return std::nullopt;
  const auto parameters = parse_form(request.query);
  if (!parameters || !parameter(*parameters, "access_token")) return std::nullopt;
  auto out = refusal(400, "invalid_request",
                     "a token has no place in an address; send it in the header Authorization");
  out.headers.emplace_back(kHeader, "Bearer realm=\"cairn\", error=\"invalid_request\"");
  return out;
}

}  // namespace cairn::oauth
