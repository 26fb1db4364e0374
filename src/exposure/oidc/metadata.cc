#include "exposure/oidc/metadata.h"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "data/json/json.h"
#include "data/oauth/record.h"
#include "exposure/oidc/fetch.h"

namespace cairn::oidc {
namespace {

constexpr json::ParseLimits kLimits{.max_depth = 20, .max_values = 20'000};

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::ranges::find(list, one) != list.end();
}

// Not said: what the standard says then.
std::vector<std::string> list_of(const json::Object& document, std::string_view name,
                                 std::vector<std::string> otherwise) {
  return document.contains(name) ? oauth::texts_of(document, name) : std::move(otherwise);
}

}  // namespace

Result<Metadata> Metadata::parse(std::string_view text, std::string_view issuer) {
  const auto parsed = json::parse(text, kLimits);
  if (!parsed || !parsed->is_object()) {
    return fail(Code::kInvalidArgument, "what {} answers is not a JSON object",
                metadata_address(issuer));
  }
  const auto& document = parsed->get_object();
  Metadata out;
  out.issuer = oauth::text_of(document, "issuer");
  if (out.issuer != issuer) {
    return fail(Code::kInvalidArgument,
                "the provider calls itself '{}'; --oidc-issuer should be exactly that, and is '{}'",
                shown(out.issuer), issuer);
  }
  struct Place {
    std::string_view name;
    std::string& to;
    bool needed = true;
  };
  for (const auto& [name, to, needed] :
       {Place{"authorization_endpoint", out.authorization_endpoint},
        Place{"token_endpoint", out.token_endpoint}, Place{"jwks_uri", out.jwks_uri},
        Place{"userinfo_endpoint", out.userinfo_endpoint, false}}) {
    to = oauth::text_of(document, name);
    if (to.empty() && !needed) continue;
    TRY(check_address(to, issuer, fmt::format("the provider's {}", name)));
  }
  if (!has(list_of(document, "response_types_supported", {"code"}), "code")) {
    return fail(Code::kInvalidArgument, "the provider does not offer the response type 'code'");
  }
  const auto algorithms = list_of(document, "id_token_signing_alg_values_supported", {"RS256"});
  const bool fits = std::ranges::any_of(algorithms, [](const std::string& one) {
    return one == "RS256" || one == "PS256" || one == "ES256" || one == "EdDSA";
  });
  if (!fits) {
    return fail(Code::kInvalidArgument,
                "the provider signs ID tokens with {} only; RS256, PS256, ES256 or EdDSA is needed",
                shown(fmt::format("{}", fmt::join(algorithms, ", "))));
  }
  const auto methods =
      list_of(document, "token_endpoint_auth_methods_supported", {"client_secret_basic"});
  out.basic = has(methods, "client_secret_basic") || !has(methods, "client_secret_post");
  out.says_issuer_back = oauth::flag_of(document, "authorization_response_iss_parameter_supported");
  return out;
}

std::string metadata_address(std::string_view issuer) {
  return fmt::format("{}{}.well-known/openid-configuration", issuer,
                     issuer.ends_with('/') ? "" : "/");
}

}  // namespace cairn::oidc
