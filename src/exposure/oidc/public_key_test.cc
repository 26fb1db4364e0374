#include "exposure/oidc/public_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64url.h"
#include "exposure/oidc/key_set.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using oidc::testing::SigningKey;
using ::testing::HasSubstr;

json::Object object(std::string_view text) { return json::parse(text)->as_object(); }

constexpr std::string_view kPayload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
    "fQ";
// RFC 7515, A.2.
constexpr std::string_view kRsaKey =
    R"({"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qP)"
    R"(CJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LO)"
    R"(L-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5Zw)"
    R"(Kh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ)"
    R"(","e":"AQAB"})";
constexpr std::string_view kRs256Signature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
    "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
    "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QO"
    "YEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
// The same key, signed by another library.
constexpr std::string_view kPs256Signature =
    "Bqq4v-WUuqnGdJ3WEc0OeOguf4PC7fUeAxgxnIRsiMds61CJvXpaQZfq4WmdejyvW7AR75bAR700TMgNLS2vaj-RJloL"
    "Ru-SsniiQS15oBAcJRLS6itmuq7C-SdJa-ABvygcN0WRv7cTTyToy5oBI_Q21VSNrOl7ek7AF0Mr7bkWeUWN5UwA4972"
    "MQ2tMeK_Ps7FhgwhfMU5nyWRTy-EsyoTHfIg1hqtjjqdJQtaY7SiOdZVfsgou6uhvkzrf1dnYvfdIFn6Xc74pBWXxrId"
    "G2rUZyLCpVo5MLqC3m1hCNxpZ1ov8rHUqU3X37XeUN6bV-7S23UQgFFdmlPie_9yTA";
// RFC 7515, A.3.
constexpr std::string_view kP256Key =
    R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";
constexpr std::string_view kEs256Signature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
// RFC 8037, A.4.
constexpr std::string_view kEdKey =
    R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";
constexpr std::string_view kEdSignature =
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

struct Published {
  Algorithm algorithm;
  std::string_view key, header, payload, signature;
};
const Published kPublished[] = {
    {Algorithm::kRs256, kRsaKey, "eyJhbGciOiJSUzI1NiJ9", kPayload, kRs256Signature},
    {Algorithm::kPs256, kRsaKey, "eyJhbGciOiJQUzI1NiJ9", kPayload, kPs256Signature},
    {Algorithm::kEs256, kP256Key, "eyJhbGciOiJFUzI1NiJ9", kPayload, kEs256Signature},
    {Algorithm::kEdDsa, kEdKey, "eyJhbGciOiJFZERTQSJ9", "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
     kEdSignature},
};

TEST(PublicKey, ChecksWhatTheStandardsShow) {
  for (const auto& one : kPublished) {
    const auto key = PublicKey::parse(object(one.key));
    ASSERT_TRUE(key) << key.error().render();
    const auto signed_part = fmt::format("{}.{}", one.header, one.payload);
    const auto signature = *base64url_decode(one.signature);
    EXPECT_TRUE(key->verifies(one.algorithm, signed_part, signature)) << name(one.algorithm);
    for (auto other :
         {Algorithm::kRs256, Algorithm::kPs256, Algorithm::kEs256, Algorithm::kEdDsa}) {
      EXPECT_EQ(key->verifies(other, signed_part, signature), other == one.algorithm);
    }
    EXPECT_FALSE(key->verifies(one.algorithm, signed_part + "A", signature));
    EXPECT_FALSE(key->verifies(one.algorithm, signed_part, signature + '\0'));
    EXPECT_FALSE(key->verifies(one.algorithm, signed_part, signature.substr(1)));
    EXPECT_FALSE(key->verifies(one.algorithm, signed_part, ""));
    // Every bit counts.
    for (std::size_t i = 0; i < signature.size(); ++i) {
      auto bent = signature;
      bent[i] = static_cast<char>(bent[i] ^ 1);
      EXPECT_FALSE(key->verifies(one.algorithm, signed_part, bent)) << i;
    }
  }
}

TEST(PublicKey, TakesWhatWasJustSigned) {
  const auto rsa = SigningKey::rsa();
  const auto p256 = SigningKey::p256();
  const auto ed = SigningKey::ed25519();
  struct Case {
    const SigningKey* key;
    Algorithm algorithm;
  };
  for (const auto& [key, algorithm] :
       {Case{&rsa, Algorithm::kRs256}, Case{&rsa, Algorithm::kPs256},
        Case{&p256, Algorithm::kEs256}, Case{&ed, Algorithm::kEdDsa}}) {
    const auto read = PublicKey::parse(key->jwk("k"));
    ASSERT_TRUE(read) << read.error().render();
    EXPECT_EQ(read->id(), "k");
    EXPECT_TRUE(read->verifies(algorithm, "text", key->sign(algorithm, "text")));
  }
}

TEST(PublicKey, ASignatureOfZerosIsNone) {
  const auto key = PublicKey::parse(object(kP256Key));
  EXPECT_FALSE(key->verifies(Algorithm::kEs256, "text", Bytes(64, '\0')));
  const auto ed = PublicKey::parse(object(kEdKey));
  EXPECT_FALSE(ed->verifies(Algorithm::kEdDsa, "text", Bytes(64, '\0')));
}

TEST(PublicKey, RefusesWhatIsNoKeyForSignatures) {
  struct Case {
    std::string_view jwk, why;
  };
  const std::string short_rsa =
      fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQAB"}})", base64url_encode(Bytes(128, '\xff')));
  const std::string padded_rsa =
      fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQAB"}})",
                  base64url_encode(Bytes(200, '\0') + Bytes(128, '\xff')));
  const std::string huge_rsa =
      fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQAB"}})", base64url_encode(Bytes(1025, '\xff')));
  const std::string slow_rsa =
      fmt::format(R"({{"kty":"RSA","n":"{}","e":"{}"}})", base64url_encode(Bytes(256, '\xff')),
                  base64url_encode(Bytes(255, '\xff')));
  const std::string exponent_one =
      fmt::format(R"({{"kty":"RSA","n":"{}","e":"AQ"}})", base64url_encode(Bytes(256, '\xff')));
  for (const auto& [jwk, why] : {
           Case{R"({"kty":"oct","k":"c2VjcmV0"})", "kind"},
           Case{R"({})", "kind"},
           Case{R"({"kty":7})", "kind"},
           Case{R"({"kty":"EC","crv":"P-384","x":"AA","y":"AA"})", "kind"},
           Case{R"({"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"})", "kind"},
           Case{R"({"kty":"OKP","crv":"X25519","x":"AA"})", "kind"},
           Case{R"({"kty":"RSA"})", "base64url"},
           Case{R"({"kty":"RSA","n":"a+b/","e":"AQAB"})", "base64url"},
           Case{R"({"kty":"RSA","n":[1],"e":"AQAB"})", "2048"},
           Case{short_rsa, "2048 to 8192"},
           Case{padded_rsa, "2048 to 8192"},
           Case{huge_rsa, "2048 to 8192"},
           Case{slow_rsa, "exponent"},
           Case{exponent_one, "not those of a key"},
           // Not on the curve.
           Case{R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4"})",
                "not those of a key"},
           Case{R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})", "32 bytes"},
           Case{R"({"kty":"OKP","crv":"Ed25519","x":"AA"})", "32 bytes"},
       }) {
    const auto key = PublicKey::parse(object(jwk));
    ASSERT_FALSE(key) << jwk;
    EXPECT_THAT(key.error().message, HasSubstr(why)) << jwk;
  }
}

TEST(PublicKey, KeepsToWhatIsSaidOfIt) {
  auto jwk = object(kRsaKey);
  jwk["use"] = "enc";
  EXPECT_FALSE(PublicKey::parse(jwk));
  jwk["use"] = "sig";
  jwk["key_ops"] = json::Array{"encrypt"};
  EXPECT_FALSE(PublicKey::parse(jwk));
  jwk["key_ops"] = json::Array{"verify"};
  for (const auto* algorithm : {"HS256", "RS384", "ES256", "none"}) {
    jwk["alg"] = algorithm;
    EXPECT_FALSE(PublicKey::parse(jwk)) << algorithm;
  }
  jwk["alg"] = "PS256";
  const auto key = PublicKey::parse(jwk);
  ASSERT_TRUE(key);
  EXPECT_TRUE(key->is_for(Algorithm::kPs256));
  EXPECT_FALSE(key->is_for(Algorithm::kRs256));
}

}  // namespace
}  // namespace cairn::oidc
