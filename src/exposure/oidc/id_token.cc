#include "exposure/oidc/id_token.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/quote.h"
#include "base/sha256.h"

namespace cairn::oidc {
namespace {

constexpr std::size_t kMaxSubject = 255;

std::string_view text_of(const json::Object& claims, std::string_view name) {
  const auto* value = json::find(claims, name);
  return value == nullptr ? std::string_view() : json::text(*value);
}

// Seconds since 1970; a fraction of one is allowed.
Result<std::optional<double>> seconds_of(const json::Object& claims, std::string_view name) {
  const auto* value = json::find(claims, name);
  if (value == nullptr) return std::optional<double>();
  std::optional<double> out;
  if (value->is_int64()) out = static_cast<double>(value->get_int64());
  if (value->is_uint64()) out = static_cast<double>(value->get_uint64());
  if (value->is_double()) out = value->get_double();
  constexpr double kLast = 1e11;  // the year 5138
  if (out && std::isfinite(*out) && *out >= 0 && *out < kLast) return out;
  return fail(Code::kInvalidToken, "'{}' in the provider's ID token is not a time", name);
}

Result<double> needed_seconds(const json::Object& claims, std::string_view name) {
  if (const auto given = TRY(seconds_of(claims, name))) return *given;
  return fail(Code::kInvalidToken, "the provider's ID token has no '{}'", name);
}

Result<void> check_audience(const json::Object& claims, const std::string& client) {
  const auto* audience = json::find(claims, "aud");
  std::vector<std::string_view> all;
  if (audience != nullptr && audience->is_string()) all.push_back(json::text(*audience));
  if (audience != nullptr && audience->is_array()) {
    for (const auto& one : audience->get_array()) all.push_back(json::text(one));
  }
  if (std::ranges::find(all, client) == all.end()) {
    return fail(Code::kInvalidToken,
                "the provider's ID token was made for another program (aud); it should be for '{}'",
                shown(client));
  }
  const bool has_party = claims.contains("azp");
  if ((all.size() > 1 || has_party) && text_of(claims, "azp") != client) {
    return fail(Code::kInvalidToken,
                "the provider's ID token was handed to another program (azp); it should be '{}'",
                shown(client));
  }
  return {};
}

Result<void> check_times(const json::Object& claims, const Expected& expected, double now) {
  const auto skew = static_cast<double>(kSkew.count());
  if (now >= TRY(needed_seconds(claims, "exp")) + skew) {
    return fail(Code::kInvalidToken, "the provider's ID token has expired; sign in again");
  }
  if (TRY(needed_seconds(claims, "iat")) > now + skew) {
    return fail(Code::kInvalidToken,
                "the provider's ID token was issued in the future; compare the clocks of both "
                "machines");
  }
  const auto from = TRY(seconds_of(claims, "nbf"));
  if (from && *from > now + skew) {
    return fail(Code::kInvalidToken,
                "the provider's ID token is not valid yet; compare the clocks of both machines");
  }
  if (!expected.max_age) return {};
  const auto oldest = static_cast<double>(expected.max_age->count());
  if (TRY(needed_seconds(claims, "auth_time")) + oldest + skew < now) {
    return fail(Code::kInvalidToken,
                "the provider asked for the password longer ago than is allowed here (auth_time); "
                "sign out there and sign in again");
  }
  return {};
}

}  // namespace

Result<std::string> check_claims(const json::Object& claims, const Expected& expected, Millis now) {
  if (text_of(claims, "iss") != expected.issuer) {
    return fail(Code::kInvalidToken,
                "the ID token is of another provider (iss '{}'); it should be of '{}'",
                shown(text_of(claims, "iss")), expected.issuer);
  }
  TRY(check_audience(claims, expected.client_id));
  TRY(check_times(claims, expected, static_cast<double>(now) / 1000));
  if (!same_secret(text_of(claims, "nonce"), expected.nonce) || expected.nonce.empty()) {
    return fail(Code::kInvalidToken,
                "the provider's ID token is the answer to another sign-in (nonce); sign in again");
  }
  const auto subject = text_of(claims, "sub");
  if (subject.empty() || subject.size() > kMaxSubject) {
    return fail(Code::kInvalidToken,
                "the provider's ID token does not say who signed in (sub of 1 to {} bytes)",
                kMaxSubject);
  }
  return std::string(subject);
}

}  // namespace cairn::oidc
