// TLS as a server offers it: 1.2 and later, forward secrecy, authenticated ciphers.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "exposure/http/server.h"

namespace cairn::http {

// Fails with INVALID_ARGUMENT naming the file that is missing, unreadable or does not fit.
Result<boost::asio::ssl::context> tls_server(const TlsFiles& files);

}  // namespace cairn::http
