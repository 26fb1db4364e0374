#include "exposure/http/tls.h"

#include <fstream>

#include <openssl/ssl.h>

#include "exposure/http/asio.h"

namespace cairn::http {
namespace {

Result<void> check_readable(const std::filesystem::path& file, std::string_view what) {
  if (std::ifstream(file).good()) return {};
  return fail(Code::kInvalidArgument, "the {} '{}' cannot be read", what, file.string());
}

}  // namespace

Result<asio::ssl::context> tls_server(const TlsFiles& files) {
  TRY(check_readable(files.certificate, "certificate"));
  TRY(check_readable(files.key, "key"));
  asio::ssl::context context(asio::ssl::context::tls_server);
  SSL_CTX* native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  error_code error;
  context.use_certificate_chain_file(files.certificate.string(), error);
  if (error) {
    return fail(Code::kInvalidArgument, "'{}' is not a PEM certificate: {}",
                files.certificate.string(), error.message());
  }
  context.use_private_key_file(files.key.string(), asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(native) != 1) {
    return fail(Code::kInvalidArgument, "'{}' is not the PEM key of the certificate '{}'",
                files.key.string(), files.certificate.string());
  }
  return context;
}

}  // namespace cairn::http
