// Shared by the tests of this folder: keys that sign, and tokens as a provider makes them, good
// and bad.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/json/json.h"
#include "exposure/oidc/jwt.h"

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

}  // namespace cairn::oidc::testing
