#include "exposure/serve/serve.h"

#include <charconv>

#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/guarded.h"
#include "base/os/descriptors.h"
#include "base/os/signal_thread.h"
#include "base/os/stop_signals.h"
#include "base/quote.h"
#include "exposure/serve/running_server.h"

namespace cairn {
namespace {

// Of a link for the machine's owner.
Result<std::string> sign_in_ticket(Engine& engine) {
  auto& executor = engine.executor();
  const auto owner = TRY(executor.trusted(engine.owner(), Entrance::kCli));
  const auto made = TRY(executor.run(owner, "create_sign_in_link", json::Object()));
  return std::string(json::text(made.value.as_object().at("ticket")));
}

void greet(const ServeOptions& options, RunningServer& server) {
  const auto& url = server.url();
  // Once, within ten minutes: whoever sees it later has nothing of it.
  const auto ticket = sign_in_ticket(server.engine());
  const auto sign_in =
      ticket ? fmt::format(
                   "  sign in      {}/sign-in#{}  (once, within ten minutes; later: cairn "
                   "web)\n",
                   url, *ticket)
             : std::string();
  const auto token_file = (std::filesystem::absolute(options.data) / "owner.token").string();
  const auto internal = server.internal_url()
                            ? fmt::format("  internal     {}/internal\n", *server.internal_url())
                            : std::string();
  const auto socket =
      server.local_url() ? fmt::format("  socket       {}\n", *server.local_url()) : std::string();
  std::string directories;
  for (const auto& one : options.directories) {
    directories += fmt::format("  directory    {}/mcp/directories/{}  {}{}\n", url, one.name,
                               one.path, one.read_only ? ", to read" : "");
  }
  fmt::print(
      "cairn {} serves {}\n"
      "  address      {}\n"
      "{}"
      "  realm        {}\n"
      "  owner token  {}\n"
      "  memory       {} MB\n"
      "  API          {}/api/docs\n"
      "  MCP          {}/mcp\n"
      "{}{}{}"
      "\n"
      "Try it:\n"
      "  export CAIRN_SERVER={} CAIRN_TOKEN=$(cat {})\n"
      "  cairn depot create my-project\n"
      "  curl -H \"Authorization: Bearer $CAIRN_TOKEN\" {}/api/realm/me/depots\n"
      "  cairn mcp config --client claude-code   # or claude-desktop, cursor, vscode, zed, ...\n"
      "\n",
      options.version, std::filesystem::absolute(options.data).string(), url, sign_in,
      server.engine().owner().render(), token_file, options.memory.total / 1'000'000, url, url,
      socket, directories, internal, url, token_file, url);
  std::fflush(stdout);
}

void reload(Guarded<RunningServer*>& running) {
  auto server = running.lock();
  if (*server == nullptr) return;
  if (auto done = (*server)->reload(); !done) {
    fmt::print(stderr, "cairn: reloading failed, so it goes on as before: {}\n",
               done.error().render());
    return;
  }
  fmt::print(stderr, "cairn: reloaded\n");
}

}  // namespace

Result<void> parse_listen(std::string_view text, std::string& address, std::uint16_t& port_out) {
  auto bad = [&] {
    return fail(Code::kInvalidArgument, "'{}' should be ADDRESS:PORT, such as 127.0.0.1:8765",
                shown(text));
  };
  const auto colon = text.rfind(':');
  auto host = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  const auto port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return bad();
    host = host.substr(1, host.size() - 2);
  } else if (host.contains(':')) {
    return bad();
  }
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), port_out);
  if (error != std::errc() || end != port.data() + port.size()) return bad();
  if (host == "localhost") host = "127.0.0.1";
  if (!host.empty()) address = host;
  return {};
}

Result<void> serve(const ServeOptions& options, const Clock& clock, Random& random) {
  // Many threads with an arena each would hold memory that nobody uses.
  ::mallopt(M_ARENA_MAX, 4);
  // Files that the server writes, backups too, are its owner's alone.
  ::umask(0077);
  os::raise_descriptor_limit();
  // Before any thread is started: one that has it not blocked would be ended by it.
  sigset_t hung_up{};
  sigemptyset(&hung_up);
  sigaddset(&hung_up, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &hung_up, nullptr);
  const os::StopSignal stop;
  Guarded<RunningServer*> running;
  const os::SignalThread hang_up({SIGHUP}, [&running](int) { reload(running); });
  ::signal(SIGPIPE, SIG_IGN);
  auto server = TRY(RunningServer::start(options, clock, random));
  *running.lock() = server.get();
  greet(options, *server);
  stop.wait();
  *running.lock() = nullptr;
  fmt::print(stderr, "cairn: stopping\n");
  server->stop();
  return {};
}

}  // namespace cairn
