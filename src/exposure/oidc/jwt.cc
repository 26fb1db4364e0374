#include "exposure/oidc/jwt.h"

#include <optional>

#include "base/ascii.h"
#include "base/base64url.h"
#include "base/quote.h"

namespace cairn::oidc {
namespace {

constexpr json::ParseLimits kLimits{.max_depth = 20, .max_values = 10'000};
constexpr std::size_t kMaxKeyId = 500;

Failure not_a_token() {
  return fail(Code::kInvalidToken,
              "the provider's ID token is not a JSON Web Token of three parts in base64url");
}

Result<Algorithm> parse_algorithm(std::string_view text) {
  for (auto one : {Algorithm::kRs256, Algorithm::kPs256, Algorithm::kEs256, Algorithm::kEdDsa}) {
    if (name(one) == text) return one;
  }
  // Any spelling of it: what is refused here for another reason is refused all the same.
  if (lowered(text) == "none") {
    return fail(Code::kInvalidToken, "the provider's ID token is not signed (alg none)");
  }
  if (text.starts_with("HS")) {
    return fail(Code::kInvalidToken,
                "the provider's ID token is signed with a shared secret ({}), which anybody who "
                "knows a public key could do; only RS256, PS256, ES256 and EdDSA are accepted",
                shown(text, 20));
  }
  return fail(Code::kInvalidToken,
              "the provider's ID token is signed with '{}'; only RS256, PS256, ES256 and EdDSA are "
              "accepted",
              shown(text, 20));
}

// A member that is a text, or is not there.
Result<std::string_view> text_of(const json::Object& header, std::string_view name) {
  const auto* value = json::find(header, name);
  if (value == nullptr) return std::string_view();
  if (value->is_string()) return json::text(*value);
  return fail(Code::kInvalidToken, "'{}' in the header of the provider's ID token is not a text",
              name);
}

}  // namespace

std::string_view name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRs256:
      return "RS256";
    case Algorithm::kPs256:
      return "PS256";
    case Algorithm::kEs256:
      return "ES256";
    case Algorithm::kEdDsa:
      return "EdDSA";
  }
  return "";
}

Result<Jwt> Jwt::parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return fail(Code::kInvalidToken, "the provider's ID token has {} bytes; {} are the most",
                text.size(), kMaxBytes);
  }
  const auto first = text.find('.');
  const auto second = first == text.npos ? text.npos : text.find('.', first + 1);
  if (second == text.npos || text.find('.', second + 1) != text.npos) return not_a_token();
  const auto head = base64url_decode(text.substr(0, first));
  auto payload = base64url_decode(text.substr(first + 1, second - first - 1));
  auto signature = base64url_decode(text.substr(second + 1));
  if (!head || !payload || !signature) return not_a_token();
  const auto parsed = json::parse(*head, kLimits);
  if (!parsed || !parsed->is_object()) return not_a_token();
  const auto& header = parsed->get_object();
  const auto algorithm = TRY(text_of(header, "alg"));
  if (algorithm.empty()) {
    return fail(Code::kInvalidToken, "the provider's ID token does not say how it is signed");
  }
  Jwt out;
  out.algorithm = TRY(parse_algorithm(algorithm));
  // Whatever is marked critical must be understood, and nothing is.
  if (header.contains("crit")) {
    return fail(Code::kInvalidToken,
                "the provider's ID token wants extensions ('crit') that are not known here");
  }
  // Tokens made for something else, such as access or logout, say so here.
  const auto type = lowered(TRY(text_of(header, "typ")));
  if (!type.empty() && type != "jwt" && type != "application/jwt") {
    return fail(Code::kInvalidToken, "the provider sent a token of type '{}' for an ID token",
                shown(type, 40));
  }
  out.key_id = TRY(text_of(header, "kid"));
  if (out.key_id.size() > kMaxKeyId) {
    return fail(Code::kInvalidToken, "the id of the key of the provider's ID token is too long");
  }
  out.payload = std::move(*payload);
  out.signed_part = text.substr(0, second);
  out.signature = std::move(*signature);
  return out;
}

Result<json::Object> Jwt::claims() const {
  auto parsed = json::parse(payload, kLimits);
  if (parsed && parsed->is_object()) return std::move(parsed->get_object());
  return fail(Code::kInvalidToken, "the claims in the provider's ID token are not a JSON object");
}

}  // namespace cairn::oidc
