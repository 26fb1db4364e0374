// Sign-ins: what stands behind the cookie of a person's browser. (A Session is somebody who was let
// in, by whatever means.)
//
// Invariants  a sign-in is good until it was not used for a week, for thirty days at most, and only
//             while its user has the password and the role that it was opened under. It shares
//             nothing with the tokens of the user's root delegate. Of a cookie's secret and of a
//             link only hashes are stored. A link opens one sign-in, within ten minutes. A user has
//             100 sign-ins at most: those go that were used longest ago.
// Threads     every function may be called from any thread.
// Fails with  INVALID_TOKEN, TOKEN_EXPIRED for cookies and links; NOT_FOUND for a sign-in that the
//             user does not have.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/id.h"
#include "base/random.h"
#include "base/result.h"
#include "base/sha256.h"
#include "data/access/users.h"
#include "data/store/key_value.h"

namespace cairn {

// `sgn_` and 26 characters. It is no secret.
class SignInId final {
 public:
  static constexpr std::size_t kBytes = 16;
  static SignInId make(Random& random) { return SignInId(random.bytes(kBytes)); }
  static SignInId from_bytes(ByteView bytes) { return SignInId(Bytes(bytes)); }
  // INVALID_KEY.
  static Result<SignInId> parse(std::string_view text);
  std::string render() const;
  ByteView bytes() const { return bytes_; }
  auto operator<=>(const SignInId&) const = default;

 private:
  explicit SignInId(Bytes bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes_;
};

enum class SignInBy : std::uint8_t { kPassword = 'p', kLink = 'l', kProvider = 'o' };
std::string_view name(SignInBy by);

// Where a browser is, for people to recognise it by.
struct BrowserSeen {
  std::string address;
  std::string agent;  // what it calls itself
};

struct SignIn {
  SignInId id;
  RealmId realm;
  SignInBy by = SignInBy::kPassword;
  BrowserSeen from;
  Millis opened_at = 0;
  Millis used_at = 0;  // to within ten minutes
  Millis ends_at = 0;  // if it is not used before
  // Belongs into every form and into the header of every changing request that its browser sends.
  // Empty in lists: it is made from the secret in the cookie.
  std::string csrf = {};
};
using SignInPtr = std::shared_ptr<const SignIn>;

struct OpenedSignIn {
  SignIn sign_in;
  std::string cookie;  // its value; shown this once
};

struct SignInLink {
  std::string ticket;  // letters and digits; shown this once
  Millis ends_at = 0;
};

class SignIns final {
 public:
  static constexpr std::chrono::hours kIdle{24 * 7};
  static constexpr std::chrono::hours kLife{24 * 30};
  static constexpr std::chrono::minutes kLinkLife{10};
  static constexpr std::size_t kMaxEach = 100;
  static constexpr std::size_t kMaxAgentBytes = 200;

  SignIns(KeyValueStore& kv, const Users& users, const Clock& clock, Random& random)
      : kv_(kv), users_(users), clock_(clock), random_(random) {}
  SignIns(const SignIns&) = delete;
  SignIns& operator=(const SignIns&) = delete;

  // REQUIRES: somebody has just proved to be this user, as it is here.
  Result<OpenedSignIn> open(const User& user, SignInBy by, BrowserSeen from);
  Result<SignInPtr> verify(std::string_view cookie);
  // Whether it would still be let in.
  Result<void> check_again(const SignIn& sign_in) const;

  // Newest use first.
  Result<std::vector<SignIn>> list(const RealmId& realm) const;
  Result<void> end(const RealmId& realm, const SignInId& id);
  // All but this one; how many.
  Result<std::uint64_t> end_others(const RealmId& realm, const std::optional<SignInId>& kept);
  // Goes on under the user's new password or role: whoever changed it sits there.
  Result<void> keep(const SignIn& sign_in);

  Result<SignInLink> make_link(const RealmId& realm);
  // Once.
  Result<OpenedSignIn> redeem(std::string_view ticket, BrowserSeen from);

  // Stores what is only known here of when sign-ins were used.
  Result<void> write_uses();
  // Removes what is over; how many records.
  Result<std::uint64_t> forget_expired();

 private:
  struct Record {
    SignIn sign_in;
    Digest secret{};
    Bytes under;  // what the user's password and role were
  };
  struct Link {
    RealmId realm;
    Millis ends_at = 0;
    Bytes under;
  };
  static Bytes encode(const Record& record);
  static Result<Record> decode(ByteView key, ByteView value);
  static Bytes encode(const Link& link);
  static Result<Link> decode_link(ByteView value);

  Result<Record> load(const RealmId& realm, const SignInId& id) const;
  Result<void> check(const Record& record) const;
  Millis last_used(ByteView key, const SignIn& sign_in) const;
  Millis end_of(const SignIn& sign_in, Millis used_at) const;
  OpenedSignIn add(Batch& batch, const User& user, SignInBy by, BrowserSeen from);
  Result<void> make_room(const RealmId& realm, Batch& batch) const;

  KeyValueStore& kv_;
  const Users& users_;
  const Clock& clock_;
  Random& random_;
  // By the keys of their records. Written by write_uses().
  mutable Guarded<std::map<Bytes, Millis, std::less<>>> uses_;
};

}  // namespace cairn
