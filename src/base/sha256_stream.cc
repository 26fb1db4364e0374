#include "base/sha256_stream.h"

#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "base/sha256.h"

namespace cairn {

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::append(ByteView portion) {
  EVP_DigestUpdate(state_->context, portion.data(), portion.size());
}

std::string Sha256Stream::finish() {
  Digest digest;
  EVP_DigestFinal_ex(state_->context, digest.data(), nullptr);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace cairn
