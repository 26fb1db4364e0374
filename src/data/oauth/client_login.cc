#include "data/oauth/client_login.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/quote.h"

namespace cairn::oauth {
namespace {

struct Said {
  std::string id;
  std::optional<std::string> secret = std::nullopt;
  bool basic = false;
};

bool is_basic(std::string_view header) {
  constexpr std::string_view kScheme = "basic ";
  return lowered(header.substr(0, kScheme.size())) == kScheme;
}

std::expected<Said, Denied> said(const ClientCall& call, bool decode) {
  const auto refuse = [](std::string description) {
    return std::unexpected(
        Denied{.error = "invalid_request", .description = std::move(description)});
  };
  const auto id = parameter(call.form, "client_id");
  const auto secret = parameter(call.form, "client_secret");
  if (!is_basic(call.authorization)) {
    if (!id) return refuse("client_id is missing");
    return Said{.id = std::string(*id),
                .secret = secret ? std::optional<std::string>(*secret) : std::nullopt};
  }
  if (secret) return refuse("the client says who it is in two ways; one is enough");
  const auto decoded = base64_decode(trimmed(call.authorization.substr(6)));
  const auto colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos) return refuse("the header Authorization is not as Basic has it");
  Said out{.id = decoded->substr(0, colon), .secret = decoded->substr(colon + 1), .basic = true};
  // RFC 6749 has both encoded like a form, and clients do not do it.
  if (decode) {
    const auto form = parse_form(fmt::format("{}={}", out.id, *out.secret));
    if (form && form->size() == 1) {
      out.id = form->front().first;
      out.secret = form->front().second;
    }
  }
  if (id && *id != out.id) return refuse("client_id is another in the header than in the body");
  if (out.secret->empty()) out.secret.reset();
  return out;
}

std::expected<Client, Denied> checked(OAuthBase& base, const Said& said) {
  const auto refuse = [&](std::string description) {
    return std::unexpected(Denied{.status = 401,
                                  .error = "invalid_client",
                                  .description = std::move(description),
                                  .retry_after = std::nullopt,
                                  .challenge = said.basic});
  };
  auto client = base.client(said.id, true);
  if (!client) {
    if (client.error().code == Code::kInvalidArgument) return refuse(client.error().message);
    return std::unexpected(denied(client.error()));
  }
  if (!*client) return refuse("this client is not known here; register again");
  if ((*client)->secret) {
    if (!said.secret) return refuse("this client has a secret, which was not sent");
    const auto digest = sha256(*said.secret);
    const auto bytes = [](const Digest& one) {
      return ByteView(reinterpret_cast<const char*>(one.data()), one.size());
    };
    if (!same_secret(bytes(digest), bytes(*(*client)->secret))) {
      return refuse("the client's secret is wrong");
    }
  } else if (said.secret) {
    return refuse("this client has no secret; send its client_id only");
  }
  return **std::move(client);
}

}  // namespace

std::expected<Client, Denied> calling_client(OAuthBase& base, const ClientCall& call) {
  auto known = checked(base, TRY(said(call, true)));
  if (known || !is_basic(call.authorization)) return known;
  auto plain = said(call, false);
  if (!plain) return known;
  auto again = checked(base, *plain);
  return again ? again : known;
}

Denied denied(const Error& error) {
  switch (error.code) {
    case Code::kInvalidToken:
    case Code::kTokenExpired:
    case Code::kTokenReplayed:
    case Code::kDelegateRevoked:
    case Code::kDelegateExpired:
    case Code::kDelegateNotFound:
    case Code::kForbidden:
    case Code::kNotFound:
      return {.error = "invalid_grant", .description = error.message};
    case Code::kRateLimited: {
      const auto found = error.details.find("retryAfterMs");
      const auto* wait =
          found == error.details.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
      return {.status = 429,
              .error = "slow_down",
              .description = error.message,
              .retry_after = std::chrono::seconds(wait == nullptr ? 1 : (*wait + 999) / 1000)};
    }
    default:
      // Clients throw their tokens away at anything that sounds like the token's own fault.
      return {.status = 503,
              .error = "temporarily_unavailable",
              .description = "the server cannot do this now; try again in a moment",
              .retry_after = std::chrono::seconds(5)};
  }
}

}  // namespace cairn::oauth
