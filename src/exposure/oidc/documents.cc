#include "exposure/oidc/documents.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace cairn::oidc {
namespace {

constexpr std::chrono::seconds kLeast = std::chrono::minutes(5);
constexpr std::chrono::seconds kMost = std::chrono::hours(24);
constexpr std::chrono::seconds kBetweenFailures{5};
constexpr std::chrono::seconds kBetweenUnknown{60};

template <typename T>
struct Fetched {
  T value;
  std::chrono::seconds life;
};

Failure unreachable(std::string_view why) {
  return fail(Code::kUnavailable,
              "the sign-in provider cannot be reached or answers something else than it should "
              "({}); try again in a while",
              why);
}

}  // namespace

std::chrono::seconds life_of(std::string_view cache_control) {
  const auto text = lowered(cache_control);
  if (text.contains("no-store") || text.contains("no-cache")) return kLeast;
  constexpr std::string_view kName = "max-age=";
  const auto at = text.find(kName);
  if (at == std::string::npos) return kLeast;
  std::int64_t seconds = 0;
  const auto* begin = text.data() + at + kName.size();
  if (std::from_chars(begin, text.data() + text.size(), seconds).ec != std::errc()) return kLeast;
  return std::clamp(std::chrono::seconds(seconds), kLeast, kMost);
}

template <typename T, typename Get>
Result<std::shared_ptr<const T>> Documents::kept(Kept<T> State::* which, const T* but_not,
                                                 Get get) {
  {
    auto state = state_.lock();
    auto& now = (*state).*which;
    const auto time = clock_.monotonic();
    const bool unwanted = now.value && now.value.get() == but_not;
    if (now.value && time < now.good_until && !unwanted) return now.value;
    const auto& last = unwanted ? now.renewed_at : now.tried_at;
    // Somebody has just tried.
    if (last && time - *last < (unwanted ? kBetweenUnknown : kBetweenFailures)) {
      if (now.value) return now.value;
      return Failure(*now.failed);
    }
    if (unwanted) now.renewed_at = time;
  }
  auto fetched = get();
  auto state = state_.lock();
  auto& now = (*state).*which;
  now.tried_at = clock_.monotonic();
  if (fetched) {
    now.value = std::make_shared<const T>(std::move(fetched->value));
    now.good_until = *now.tried_at + fetched->life;
    now.failed.reset();
    return now.value;
  }
  now.failed = fetched.error();
  if (now.value) return now.value;
  return Failure(std::move(fetched).error());
}

Result<std::shared_ptr<const Metadata>> Documents::metadata() {
  const MutexLock lock(fetching_metadata_);
  return kept<Metadata>(&State::metadata, nullptr, [&]() -> Result<Fetched<Metadata>> {
    const auto answer = fetch_({.url = metadata_address(issuer_)});
    if (!answer) return unreachable("it does not answer");
    if (!answer->is_json()) {
      return unreachable(fmt::format("status {} for its openid-configuration", answer->status));
    }
    return Fetched<Metadata>{TRY(Metadata::parse(answer->body, issuer_)), kMost};
  });
}

Result<std::shared_ptr<const KeySet>> Documents::keys(const KeySet* but_not) {
  const auto where = TRY(metadata())->jwks_uri;
  const MutexLock lock(fetching_keys_);
  return kept<KeySet>(&State::keys, but_not, [&]() -> Result<Fetched<KeySet>> {
    const auto answer = fetch_({.url = where});
    if (!answer) return unreachable("it does not answer for its keys");
    if (!answer->is_json()) {
      return unreachable(fmt::format("status {} for its keys", answer->status));
    }
    auto read = KeySet::parse(answer->body);
    if (!read || read->size() == 0) return unreachable("it has no keys that can be used");
    return Fetched<KeySet>{*std::move(read), life_of(answer->cache_control)};
  });
}

Result<void> Documents::check_signature(const Jwt& token) {
  auto known = TRY(keys(nullptr));
  auto verdict = known->check(token);
  if (verdict == KeySet::Verdict::kUnknownKey) {
    known = TRY(keys(known.get()));
    verdict = known->check(token);
  }
  switch (verdict) {
    case KeySet::Verdict::kGood:
      return {};
    case KeySet::Verdict::kForged:
      return fail(Code::kInvalidToken,
                  "the signature of the ID token is not by the provider's key: it was changed on "
                  "the way, or is forged");
    case KeySet::Verdict::kUnknownKey:
      return fail(Code::kInvalidToken,
                  "the ID token is signed with a key that the provider does not publish; if it has "
                  "just changed its keys, sign in again in a minute");
  }
  return {};
}

}  // namespace cairn::oidc
