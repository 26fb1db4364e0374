#include "exposure/http/local_socket.h"

#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/os/os_error.h"
#include "base/quote.h"

namespace cairn::http {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;

Failure no_socket(const std::filesystem::path& path, std::string_view why) {
  return fail(Code::kUnavailable, "there can be no socket at '{}': {}", shown(path.string()), why);
}

}  // namespace

Result<LocalAddress> LocalAddress::of(const std::filesystem::path& path) {
  const auto text = path.string();
  if (text.size() <= kMaxPath) return LocalAddress{{}, Local::endpoint(text)};
  auto directory = os::open_path(path.parent_path().string(), O_PATH | O_DIRECTORY);
  if (!directory) return no_socket(path, os::description(directory.error()));
  const auto name = fmt::format("/proc/self/fd/{}/{}", directory->fd(), path.filename().string());
  if (name.size() > kMaxPath) return no_socket(path, "its name is too long");
  return LocalAddress{*std::move(directory), Local::endpoint(name)};
}

Result<LocalAcceptor> listen_locally(asio::io_context& io, const std::filesystem::path& path) {
  const auto at = TRY(LocalAddress::of(path));
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  LocalAcceptor acceptor(io.get_executor());
  error_code error;
  acceptor.open(Local(), error);
  // Before it has a name: at no time may others connect.
  if (!error) ::fchmod(acceptor.native_handle(), 0600);
  if (!error) acceptor.bind(at.endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (error) return no_socket(path, error.message());
  return acceptor;
}

bool is_own_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace cairn::http
