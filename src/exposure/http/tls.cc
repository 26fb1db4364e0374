#include "exposure/http/tls.h"

#include <string>

#include <openssl/ssl.h>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "exposure/http/asio.h"

namespace cairn::http {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Result<std::string> read(const std::filesystem::path& file, std::string_view what) {
  auto text = os::read_file(file, kMostBytes);
  if (text) return *std::move(text);
  return fail(Code::kInvalidArgument, "the {} '{}' cannot be read: {}", what, file.string(),
              os::description(text.error()));
}

}  // namespace

Result<asio::ssl::context> tls_server(const TlsFiles& files) {
  const auto certificate = TRY(read(files.certificate, "certificate"));
  const auto key = TRY(read(files.key, "key"));
  asio::ssl::context context(asio::ssl::context::tls_server);
  SSL_CTX* native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  error_code error;
  context.use_certificate_chain(asio::buffer(certificate), error);
  if (error) {
    return fail(Code::kInvalidArgument, "'{}' is not a PEM certificate: {}",
                files.certificate.string(), error.message());
  }
  context.use_private_key(asio::buffer(key), asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(native) != 1) {
    return fail(Code::kInvalidArgument, "'{}' is not the PEM key of the certificate '{}'",
                files.key.string(), files.certificate.string());
  }
  return context;
}

}  // namespace cairn::http
