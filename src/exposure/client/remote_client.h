// A client over a server's REST API.
#pragma once

#include <memory>
#include <string>

#include "exposure/client/client.h"
#include "exposure/http/client.h"

namespace cairn::client {

enum class Where { kThisMachine, kElsewhere };

struct RemoteOptions {
  std::string url;
  std::string token;    // empty: none is sent, as over a unix socket of the owner's
  std::string ca_file;  // empty: the system's
  Where where = Where::kElsewhere;
  // Where tools are called: with a delegate's token, or with an endpoint's key.
  std::string tools = "/api/realm/me/tools/";
  // Instead of a token that stays the same.
  http::TokenSource source = {};
};

// Sends nothing yet. INVALID_ARGUMENT for a malformed URL.
Result<std::unique_ptr<Client>> open_remote(const RemoteOptions& options);

// Whether a server answers there.
bool answers(const RemoteOptions& options);
// Its answer to a GET of a member of an object, without any token; empty when it has none.
std::string asked(const RemoteOptions& options, const std::string& target, std::string_view member);

}  // namespace cairn::client
