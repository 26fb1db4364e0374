// A client over a server's REST API.
#pragma once

#include <memory>
#include <string>

#include "exposure/client/client.h"

namespace cairn::client {

enum class Where { kThisMachine, kElsewhere };

struct RemoteOptions {
  std::string url;
  std::string token;
  std::string ca_file;  // empty: the system's
  Where where = Where::kElsewhere;
  // Where tools are called: with a delegate's token, or with an endpoint's key.
  std::string tools = "/api/realm/me/tools/";
};

// Sends nothing yet. INVALID_ARGUMENT for a malformed URL.
Result<std::unique_ptr<Client>> open_remote(const RemoteOptions& options);

// Whether a server answers there.
bool answers(const RemoteOptions& options);

}  // namespace cairn::client
