#include "exposure/oidc/oidc_testing.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/base64url.h"
#include "base/guarded.h"
#include "data/store/open.h"

namespace cairn::oidc::testing {
namespace {

void require(bool condition) {
  if (!condition) throw std::runtime_error("OpenSSL failed");
}

Bytes number_of(EVP_PKEY* key, const char* name, int length = 0) {
  BIGNUM* number = nullptr;
  require(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  Bytes out(static_cast<std::size_t>(length == 0 ? BN_num_bytes(number) : length), '\0');
  require(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(out.data()),
                       static_cast<int>(out.size())) >= 0);
  BN_free(number);
  return out;
}

Bytes raw_of(ByteView der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* both = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  require(both != nullptr);
  Bytes out(64, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  require(BN_bn2binpad(ECDSA_SIG_get0_r(both), bytes, 32) == 32);
  require(BN_bn2binpad(ECDSA_SIG_get0_s(both), bytes + 32, 32) == 32);
  ECDSA_SIG_free(both);
  return out;
}

}  // namespace

SigningKey SigningKey::made(std::string_view kind, int number) {
  static Guarded<std::map<std::pair<std::string, int>, std::shared_ptr<EVP_PKEY>>> known;
  auto all = known.lock();
  auto& key = (*all)[{std::string(kind), number}];
  if (!key) {
    std::string curve = "P-256";  // EVP_EC_gen() would cast a const away
    EVP_PKEY* made = kind == "RSA"  ? EVP_RSA_gen(2048)
                     : kind == "EC" ? EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve.data())
                                    : EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    require(made != nullptr);
    key.reset(made, EVP_PKEY_free);
  }
  SigningKey out;
  out.kind_ = kind;
  out.key_ = key;
  return out;
}

SigningKey SigningKey::rsa(int number) { return made("RSA", number); }
SigningKey SigningKey::p256(int number) { return made("EC", number); }
SigningKey SigningKey::ed25519(int number) { return made("OKP", number); }

json::Object SigningKey::jwk(std::string_view id) const {
  json::Object out{{"kty", kind_}, {"kid", id}, {"use", "sig"}};
  if (kind_ == "RSA") {
    out["n"] = base64url_encode(number_of(key_.get(), OSSL_PKEY_PARAM_RSA_N));
    out["e"] = base64url_encode(number_of(key_.get(), OSSL_PKEY_PARAM_RSA_E));
  } else if (kind_ == "EC") {
    out["crv"] = "P-256";
    out["x"] = base64url_encode(number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32));
    out["y"] = base64url_encode(number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32));
  } else {
    Bytes x(32, '\0');
    std::size_t size = x.size();
    require(EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(x.data()),
                                        &size) == 1);
    out["crv"] = "Ed25519";
    out["x"] = base64url_encode(x);
  }
  return out;
}

std::string SigningKey::pem() const {
  BIO* out = BIO_new(BIO_s_mem());
  require(PEM_write_bio_PUBKEY(out, key_.get()) == 1);
  char* at = nullptr;
  const long size = BIO_get_mem_data(out, &at);
  std::string text(at, static_cast<std::size_t>(size));
  BIO_free(out);
  return text;
}

Bytes SigningKey::sign(Algorithm algorithm, ByteView bytes) const {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = nullptr;
  const EVP_MD* digest = algorithm == Algorithm::kEdDsa ? nullptr : EVP_sha256();
  require(EVP_DigestSignInit(context, &settings, digest, nullptr, key_.get()) == 1);
  if (algorithm == Algorithm::kPs256) {
    require(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    require(EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  std::size_t size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  require(EVP_DigestSign(context, nullptr, &size, data, bytes.size()) == 1);
  Bytes out(size, '\0');
  require(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, data,
                         bytes.size()) == 1);
  out.resize(size);
  EVP_MD_CTX_free(context);
  return algorithm == Algorithm::kEs256 ? raw_of(out) : out;
}

std::string joined(const json::Object& header, const json::Object& claims, ByteView signature) {
  return base64url_encode(json::write(header)) + "." + base64url_encode(json::write(claims)) + "." +
         base64url_encode(signature);
}

std::string token(const json::Object& header, const json::Object& claims, Algorithm algorithm,
                  const SigningKey& key) {
  const auto unsigned_part =
      base64url_encode(json::write(header)) + "." + base64url_encode(json::write(claims));
  return joined(header, claims, key.sign(algorithm, unsigned_part));
}

std::string token(std::string_view key_id, const json::Object& claims, Algorithm algorithm,
                  const SigningKey& key) {
  return token(json::Object{{"alg", name(algorithm)}, {"kid", key_id}}, claims, algorithm, key);
}

FakeProvider::FakeProvider(const Clock& time) : clock(time) {
  const std::string at(kIssuer);
  metadata = {{"issuer", at},
              {"authorization_endpoint", at + "/authorize?tenant=1"},
              {"token_endpoint", "https://tokens.example/token"},
              {"jwks_uri", at + "/keys"},
              {"userinfo_endpoint", at + "/me"},
              {"response_types_supported", json::Array{"code"}},
              {"id_token_signing_alg_values_supported", json::Array{"ES256", "HS256"}}};
  keys = key_set({key.jwk("k1")});
}

json::Object FakeProvider::claims(std::string_view with_nonce) const {
  const auto now = clock.now() / 1000;
  return {{"iss", kIssuer},
          {"aud", "cairn"},
          {"sub", "s1"},
          {"exp", now + 300},
          {"iat", now},
          {"nonce", with_nonce},
          {"email", "ada@example.com"},
          {"email_verified", true}};
}

std::size_t FakeProvider::asked(std::string_view url) const {
  return static_cast<std::size_t>(std::ranges::count(requests, url, &Outbound::url));
}

Fetch FakeProvider::fetch() {
  return [this](const Outbound& asked) -> Result<Inbound> {
    requests.push_back(asked);
    if (down) return fail(Code::kUnavailable, "nobody is there");
    if (instead) return instead(asked);
    const auto answer = [](const json::Object& body) {
      return Inbound{.status = 200,
                     .content_type = "application/json; charset=utf-8",
                     .body = json::write(body)};
    };
    const std::string at(kIssuer);
    if (asked.url == at + "/.well-known/openid-configuration") return answer(metadata);
    if (asked.url == at + "/keys") {
      return Inbound{.status = 200,
                     .content_type = "application/jwk-set+json",
                     .cache_control = keys_cache,
                     .body = keys};
    }
    if (asked.url == at + "/me") return answer(userinfo);
    if (asked.url == "https://tokens.example/token") {
      auto says = claims(nonce);
      if (bend) bend(says);
      return answer({{"access_token", "provider-access"},
                     {"token_type", "Bearer"},
                     {"id_token", sign ? sign(says) : token("k1", says, Algorithm::kEs256, key)}});
    }
    return Inbound{.status = 404};
  };
}

Town::Town()
    : store(make_memory_store(clock)),
      users(store->kv(), clock, random, 64),
      identities(store->kv(), clock, random) {}

std::string key_set(std::initializer_list<json::Object> keys) {
  json::Array all;
  for (const auto& key : keys) all.emplace_back(key);
  return json::write(json::Object{{"keys", std::move(all)}});
}

}  // namespace cairn::oidc::testing
