// Where nodes of a damaged store may still be: files of this machine, and another server.
//
// Threads     one at a time.
// Fails with  NOT_FOUND, INVALID_ARGUMENT and IO_ERROR for a directory; what the server and the way
//             to it fail with.
#pragma once

#include <filesystem>
#include <memory>

#include "data/realm/heal.h"
#include "exposure/client/remote_client.h"

namespace cairn::client {

// The nodes that an import of the directory would make. Reads all of it each time it is asked;
// holds what is wanted of it. Files that cannot be read are passed over.
std::unique_ptr<NodeSource> nodes_in_directory(std::filesystem::path directory);

// The nodes of the realm that the token is for.
Result<std::unique_ptr<NodeSource>> nodes_at_server(const RemoteOptions& options);

}  // namespace cairn::client
