#include "exposure/oidc/public_key.h"

#include <algorithm>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "base/base64url.h"

namespace cairn::oidc {
namespace {

constexpr std::size_t kMinModulus = 2048 / 8;
constexpr std::size_t kMaxModulus = 8192 / 8;
// A large exponent makes each check slow and no key stronger.
constexpr std::size_t kMaxExponent = 4;
constexpr std::size_t kCoordinate = 32;

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using KeyPtr = std::shared_ptr<EVP_PKEY>;

// OpenSSL leaves its errors to the thread; nobody else's are to be found there later.
struct ErrorsForgotten {
  ErrorsForgotten() { ERR_set_mark(); }
  ~ErrorsForgotten() { ERR_pop_to_mark(); }
  ErrorsForgotten(const ErrorsForgotten&) = delete;
  ErrorsForgotten& operator=(const ErrorsForgotten&) = delete;
};

const unsigned char* data(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Number number(ByteView bytes) {
  return Number(BN_bin2bn(data(bytes), static_cast<int>(bytes.size()), nullptr));
}

KeyPtr make_key(const char* type, OSSL_PARAM_BLD* builder) {
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return nullptr;
  }
  KeyPtr out(key, EVP_PKEY_free);
  // For a point: that it is on the curve.
  const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  if (!check || EVP_PKEY_public_check_quick(check.get()) != 1) return nullptr;
  return out;
}

KeyPtr rsa_key(ByteView modulus, ByteView exponent) {
  const auto n = number(modulus);
  const auto e = number(exponent);
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || BN_is_odd(n.get()) == 0 || BN_is_odd(e.get()) == 0 ||
      BN_is_one(e.get()) != 0 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  return make_key("RSA", builder.get());
}

KeyPtr p256_key(ByteView x, ByteView y) {
  const auto point = "\x04" + Bytes(x) + Bytes(y);  // not compressed
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) !=
          1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return nullptr;
  }
  return make_key("EC", builder.get());
}

KeyPtr ed25519_key(ByteView x) {
  return KeyPtr(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, data(x), x.size()),
                EVP_PKEY_free);
}

// RFC 7518 has both numbers one behind the other; OpenSSL wants them in DER.
std::optional<Bytes> der_of(ByteView signature) {
  if (signature.size() != 2 * kCoordinate) return std::nullopt;
  auto r = number(signature.substr(0, kCoordinate));
  auto s = number(signature.substr(kCoordinate));
  const EcSignature both(ECDSA_SIG_new());
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return std::nullopt;
  (void)r.release();
  (void)s.release();
  unsigned char* der = nullptr;
  const int length = i2d_ECDSA_SIG(both.get(), &der);
  if (length <= 0) return std::nullopt;
  Bytes out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return out;
}

bool set_pss(EVP_PKEY_CTX* context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1;
}

Failure unusable(std::string_view why) {
  return fail(Code::kInvalidToken, "a key of the provider cannot be used: {}", why);
}

// Bytes in base64url.
std::optional<Bytes> bytes_of(const json::Object& jwk, std::string_view name) {
  const auto* value = json::find(jwk, name);
  return value == nullptr ? std::nullopt : base64url_decode(json::text(*value));
}

std::string_view text_of(const json::Object& jwk, std::string_view name) {
  const auto* value = json::find(jwk, name);
  return value == nullptr ? std::string_view() : json::text(*value);
}

bool is_for_signatures(const json::Object& jwk) {
  if (const auto* use = json::find(jwk, "use"); use != nullptr && json::text(*use) != "sig") {
    return false;
  }
  const auto* operations = json::find(jwk, "key_ops");
  if (operations == nullptr) return true;
  return operations->is_array() &&
         std::ranges::any_of(operations->get_array(),
                             [](const json::Value& one) { return json::text(one) == "verify"; });
}

}  // namespace

Result<PublicKey> PublicKey::parse(const json::Object& jwk) {
  const ErrorsForgotten forgotten;
  if (!is_for_signatures(jwk)) return unusable("it is not for signatures");
  PublicKey out;
  out.id_ = text_of(jwk, "kid");
  const auto type = text_of(jwk, "kty");
  const auto curve = text_of(jwk, "crv");
  const auto x = bytes_of(jwk, "x");
  if (type == "RSA") {
    out.kind_ = Kind::kRsa;
    auto n = bytes_of(jwk, "n");
    const auto e = bytes_of(jwk, "e");
    if (!n || !e) return unusable("its numbers are not in base64url");
    n->erase(0, std::min(n->find_first_not_of('\0'), n->size()));
    if (n->size() < kMinModulus || n->size() > kMaxModulus) {
      return unusable("an RSA key should have 2048 to 8192 bits");
    }
    if (e->size() > kMaxExponent) return unusable("its exponent is too large");
    out.key_ = rsa_key(*n, *e);
  } else if (type == "EC" && curve == "P-256") {
    out.kind_ = Kind::kP256;
    const auto y = bytes_of(jwk, "y");
    if (!x || !y || x->size() != kCoordinate || y->size() != kCoordinate) {
      return unusable("its point is not two numbers of 32 bytes");
    }
    out.key_ = p256_key(*x, *y);
  } else if (type == "OKP" && curve == "Ed25519") {
    out.kind_ = Kind::kEd25519;
    if (!x || x->size() != kCoordinate) return unusable("its point is not 32 bytes");
    out.key_ = ed25519_key(*x);
  } else {
    return unusable("its kind is not RSA, P-256 or Ed25519");
  }
  if (!out.key_) return unusable("its numbers are not those of a key");
  if (const auto algorithm = text_of(jwk, "alg"); !algorithm.empty()) {
    for (auto one : {Algorithm::kRs256, Algorithm::kPs256, Algorithm::kEs256, Algorithm::kEdDsa}) {
      if (name(one) == algorithm && out.is_for(one)) out.only_ = one;
    }
    if (!out.only_) return unusable("it is for an algorithm that is not known here");
  }
  return out;
}

bool PublicKey::is_for(Algorithm algorithm) const {
  if (only_ && *only_ != algorithm) return false;
  switch (algorithm) {
    case Algorithm::kRs256:
    case Algorithm::kPs256:
      return kind_ == Kind::kRsa;
    case Algorithm::kEs256:
      return kind_ == Kind::kP256;
    case Algorithm::kEdDsa:
      return kind_ == Kind::kEd25519;
  }
  return false;
}

bool PublicKey::verifies(Algorithm algorithm, ByteView bytes, ByteView signature) const {
  if (!is_for(algorithm)) return false;
  const ErrorsForgotten forgotten;
  std::optional<Bytes> der;
  if (algorithm == Algorithm::kEs256) {
    der = der_of(signature);
    if (!der) return false;
    signature = *der;
  }
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* settings = nullptr;  // the context's own
  const EVP_MD* digest = algorithm == Algorithm::kEdDsa ? nullptr : EVP_sha256();
  if (!context ||
      EVP_DigestVerifyInit(context.get(), &settings, digest, nullptr, key_.get()) != 1) {
    return false;
  }
  if (algorithm == Algorithm::kPs256 && !set_pss(settings)) return false;
  return EVP_DigestVerify(context.get(), data(signature), signature.size(), data(bytes),
                          bytes.size()) == 1;
}

}  // namespace cairn::oidc
