#include "base/sha256.h"

#include <new>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace cairn {
namespace {

// Creating a context and looking the algorithm up cost three times the hash of a small node, so a
// thread keeps one of each.
class Hasher final {
 public:
  Hasher() {
    if (algorithm_ == nullptr || state_ == nullptr) throw std::bad_alloc();
  }
  ~Hasher() {
    EVP_MD_CTX_free(state_);
    EVP_MD_free(algorithm_);
  }
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Digest hash(ByteView bytes) {
    Digest digest;
    EVP_DigestInit_ex2(state_, algorithm_, nullptr);
    EVP_DigestUpdate(state_, bytes.data(), bytes.size());
    EVP_DigestFinal_ex(state_, digest.data(), nullptr);
    return digest;
  }

 private:
  EVP_MD* algorithm_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* state_ = EVP_MD_CTX_new();
};

}  // namespace

Digest sha256(ByteView bytes) {
  thread_local Hasher hasher;
  return hasher.hash(bytes);
}

Digest hmac_sha256(ByteView key, ByteView bytes) {
  Digest digest;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), nullptr);
  return digest;
}

bool same_secret(ByteView a, ByteView b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace cairn
