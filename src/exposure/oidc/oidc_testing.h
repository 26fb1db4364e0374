// Shared by the tests of this folder: keys that sign, and tokens as a provider makes them, good
// and bad.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "data/json/json.h"
#include "data/store/store.h"
#include "exposure/oidc/fetch.h"
#include "exposure/oidc/jwt.h"
#include "exposure/oidc/people.h"

struct evp_pkey_st;

namespace cairn::oidc::testing {

class SigningKey final {
 public:
  // Made once for each kind and number: making RSA keys takes a while.
  static SigningKey rsa(int number = 0);
  static SigningKey p256(int number = 0);
  static SigningKey ed25519(int number = 0);

  // The public half.
  json::Object jwk(std::string_view id) const;
  std::string pem() const;
  Bytes sign(Algorithm algorithm, ByteView bytes) const;

 private:
  static SigningKey made(std::string_view kind, int number);

  std::string kind_;
  std::shared_ptr<evp_pkey_st> key_;
};

std::string joined(const json::Object& header, const json::Object& claims, ByteView signature);
// A token with this header, whatever it says.
std::string token(const json::Object& header, const json::Object& claims, Algorithm algorithm,
                  const SigningKey& key);
// The same with an honest header.
std::string token(std::string_view key_id, const json::Object& claims, Algorithm algorithm,
                  const SigningKey& key);
std::string key_set(std::initializer_list<json::Object> keys);

// A provider without a network. It does as it should, unless a test says otherwise.
struct FakeProvider {
  static constexpr std::string_view kIssuer = "https://idp.example/pool";

  explicit FakeProvider(const Clock& time);

  Fetch fetch();
  // What the ID token says for a sign-in with this nonce.
  json::Object claims(std::string_view nonce) const;
  std::size_t asked(std::string_view url) const;

  const Clock& clock;
  json::Object metadata;
  std::string keys;
  std::string keys_cache = "max-age=3600";
  SigningKey key = SigningKey::p256();
  std::string nonce = {};  // of the next ID token
  // Changes what is right.
  std::function<void(json::Object& claims)> bend = nullptr;
  std::function<std::string(const json::Object& claims)> sign = nullptr;
  json::Object userinfo = {};
  bool down = false;
  // Instead of any answer.
  std::function<Result<Inbound>(const Outbound&)> instead = nullptr;
  std::vector<Outbound> requests = {};
};

// A server's users, in memory.
struct Town {
  ManualClock clock;
  SeededRandom random{1};
  std::unique_ptr<Store> store;
  Users users;
  Identities identities;

  Town();
  People people(PeoplePolicy policy) { return People(std::move(policy), users, identities, clock); }
};

}  // namespace cairn::oidc::testing
