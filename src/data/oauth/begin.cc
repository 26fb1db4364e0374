#include "data/oauth/begin.h"

#include <algorithm>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/oauth/pkce.h"
#include "data/oauth/resource.h"
#include "data/oauth/url.h"

namespace cairn::oauth {
namespace {

constexpr std::size_t kMaxState = 2048;

Refused page(std::string_view error, std::string description) {
  return {std::string(error), std::move(description)};
}

Refused to_client(const StoredRequest& request, std::string_view error, std::string description) {
  auto url =
      answer_to(request, {{"error", std::string(error)}, {"error_description", description}});
  return {std::string(error), std::move(description), std::move(url)};
}

Scopes both(const Scopes& a, const Scopes& b) {
  return {.write = a.write && b.write, .manage = a.manage && b.manage};
}

// Who asks, and where the answer goes: whatever is wrong here is for a page.
std::expected<StoredRequest, Refused> for_whom(OAuthBase& base, const Parameters& parameters,
                                               const Origin& origin, bool signed_in,
                                               std::optional<Scopes>& allowed) {
  const auto refuse = [](std::string_view error, std::string description) {
    return std::unexpected(page(error, std::move(description)));
  };
  for (const auto* name : {"client_id", "redirect_uri"}) {
    if (std::ranges::count(parameters, name, &Parameters::value_type::first) > 1) {
      return refuse("invalid_request", fmt::format("{} was sent twice", name));
    }
  }
  const auto id = parameter(parameters, "client_id");
  if (!id) return refuse("invalid_request", "client_id is missing");
  auto client = base.client(*id, signed_in);
  if (!client) {
    const bool document = client.error().code == Code::kInvalidArgument;
    return document ? refuse("invalid_client", client.error().message)
                    : refuse("server_error", "the store does not answer; try again in a moment");
  }
  StoredRequest out{.client_id = std::string(*id),
                    .issuer = origin.text(),
                    .redirect = "",
                    .state = std::nullopt,
                    .challenge = "",
                    .resource = "",
                    .scopes = {},
                    .with_iss = base.options.with_iss};
  const auto asked = parameter(parameters, "redirect_uri");
  const bool unread = !*client && base.options.fetch && is_document_id(*id);
  if (!*client && !unread) {
    return refuse("invalid_client",
                  "this program is not known here; have it register again, or ask the server's "
                  "admin to add it");
  }
  if (unread && !asked) return refuse("invalid_request", "redirect_uri is missing");
  if (!asked) {
    if ((*client)->redirects.size() != 1) {
      return refuse("invalid_request",
                    "redirect_uri is missing, and the program has more than one, or none");
    }
    out.redirect = (*client)->redirects.front().text();
  } else {
    const auto redirect = RedirectUri::parse(*asked, base.options.redirect_schemes);
    if (!redirect) return refuse("invalid_request", redirect.error().message);
    if (*client && (*client)->redirect_for(*redirect) == nullptr) {
      return refuse("invalid_request",
                    fmt::format("the program wants its answer sent to {}, which is none of the "
                                "addresses that it has registered",
                                shown(redirect->text(), 200)));
    }
    out.redirect = redirect->text();
  }
  if (*client) {
    allowed = (*client)->allowed;
    base.clients.note_use(**client);
  }
  return out;
}

}  // namespace

// Where the browser goes with an answer.
std::string answer_to(const StoredRequest& request, Parameters answer) {
  if (request.redirect.empty()) return {};
  if (request.state) answer.emplace_back("state", *request.state);
  if (request.with_iss) answer.emplace_back("iss", request.issuer);
  return with_query(request.redirect, write_form(answer));
}

std::expected<StoredRequest, Refused> begin_request(OAuthBase& base, const Parameters& parameters,
                                                    const Origin& origin, bool signed_in) {
  std::optional<Scopes> allowed;
  auto request = TRY(for_whom(base, parameters, origin, signed_in, allowed));
  // Until the document was read, nobody knows that the address is the program's.
  const bool trusted = TRY([&]() -> std::expected<bool, Refused> {
    const auto client = base.client(request.client_id, false);
    return client && *client;
  }());
  const auto refuse = [&](std::string_view error, std::string description) {
    return std::unexpected(trusted ? to_client(request, error, std::move(description))
                                   : page(error, std::move(description)));
  };
  if (const auto state = parameter(parameters, "state")) {
    if (state->size() > kMaxState) {
      return refuse("invalid_request", fmt::format("state has {} bytes; at most {} are possible",
                                                   state->size(), kMaxState));
    }
    if (!valid_utf8(*state)) return refuse("invalid_request", "state is not UTF-8");
    request.state = *state;
  }
  if (const auto twice = repeated(parameters, "resource")) {
    return refuse("invalid_request", fmt::format("{} was sent twice", shown(*twice)));
  }
  const auto type = parameter(parameters, "response_type");
  if (!type) return refuse("invalid_request", "response_type is missing; it should be code");
  if (*type != "code") {
    return refuse("unsupported_response_type", "response_type should be code");
  }
  if (parameter(parameters, "response_mode").value_or("query") != "query") {
    return refuse("invalid_request", "response_mode should be query");
  }
  const auto challenge = parameter(parameters, "code_challenge");
  if (!challenge || !is_challenge(*challenge) ||
      parameter(parameters, "code_challenge_method").value_or("plain") != "S256") {
    return refuse("invalid_request",
                  "code_challenge should be 43 characters of base64url, with "
                  "code_challenge_method S256");
  }
  request.challenge = *challenge;
  const auto scopes = parse_scopes(parameter(parameters, "scope").value_or(""));
  if (!scopes) {
    return refuse("invalid_scope", "scope should be of cas:read, cas:write and depot:manage");
  }
  request.scopes = allowed ? both(*scopes, *allowed) : *scopes;
  std::vector<std::string> resources;
  for (const auto text : every_parameter(parameters, "resource")) {
    auto resource = parse_resource(text, origin);
    if (!resource) {
      return refuse("invalid_target",
                    fmt::format("the resource {} is not served here", shown(text, 200)));
    }
    resources.push_back(*std::move(resource));
  }
  auto resource = widest(resources);
  if (!resource) {
    return refuse("invalid_target", "the resources are apart; ask for one of them at a time");
  }
  request.resource = *std::move(resource);
  if (parameter(parameters, "prompt") == "none") {
    return refuse(signed_in ? "consent_required" : "login_required",
                  "a person is asked every time; leave out prompt=none");
  }
  return request;
}

}  // namespace cairn::oauth
