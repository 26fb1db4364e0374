#include "exposure/mcp/stdio.h"

#include <atomic>

#include "base/workers.h"
#include "exposure/mcp/line_channel.h"
#include "exposure/mcp/meta.h"

namespace cairn::mcp {
namespace {

class StdioSession final {
 public:
  StdioSession(Server& server, PrincipalPtr principal, int out)
      : server_(server),
        channel_(std::make_shared<LineChannel>(out)),
        peer_(std::make_shared<Peer>(std::move(principal), channel_)) {}

  ~StdioSession() {
    // Whoever waits for the client's answer waits in vain.
    peer_->cancel_questions();
    workers_.reset();
    peer_->end_listening();
  }
  StdioSession(const StdioSession&) = delete;
  StdioSession& operator=(const StdioSession&) = delete;

  // False: nobody reads the answers.
  bool take(const LineReader::Line& line) {
    if (line.too_long) {
      return send(
          write_error(nullptr, {rpc_code::kInvalidRequest,
                                fmt::format("a message has at most {} bytes", kMaxLineBytes)}));
    }
    if (line.text.find_first_not_of(" \t") == std::string::npos) return true;
    auto value = json::parse(line.text, json::kFromClients);
    if (!value) {
      return send(write_error(nullptr, {rpc_code::kParseError, value.error().message}));
    }
    if (value->is_array()) return take_batch(std::move(value->get_array()));
    auto message = read_message(std::move(*value));
    if (!message) return send(write_error(message.error().id, message.error().error));
    if (auto* request = std::get_if<Request>(&*message)) return take_request(std::move(*request));
    if (const auto* notification = std::get_if<Notification>(&*message)) {
      if (notification->method == "notifications/initialized" && peer_->handshake()) {
        server_.announce_lists(*peer_);
      }
      server_.take(*peer_, *notification);
    } else {
      server_.take(*peer_, std::get<Response>(*message));
    }
    return true;
  }

 private:
  bool send(std::string message) { return message.empty() || channel_->send(std::move(message)); }

  bool take_batch(json::Array batch) {
    workers_->run([this, batch = std::move(batch)]() mutable {
      send(server_.answer_batch(peer_, std::move(batch), channel_).text);
    });
    return true;
  }

  bool take_request(Request request) {
    const Era era = era_of(request);
    if (auto refused = server_.expect(*peer_, request, era)) return send(std::move(refused->text));
    if (const Manner manner = server_.manner(*peer_, request); manner.quick && !manner.talks) {
      return send(server_.answer(peer_, std::move(request), era, channel_).text);
    }
    workers_->run([this, era, request = std::move(request)]() mutable {
      send(server_.answer(peer_, std::move(request), era, channel_).text);
    });
    return true;
  }

  Server& server_;
  std::shared_ptr<LineChannel> channel_;
  std::shared_ptr<Peer> peer_;
  std::optional<Workers> workers_{std::in_place, 16u, "mcp-worker"};
};

}  // namespace

Result<void> serve_stdio(Server& server, PrincipalPtr principal, int in, int out) {
  StdioSession session(server, std::move(principal), out);
  LineReader lines(in, kMaxLineBytes);
  for (;;) {
    const auto line = TRY(lines.next());
    if (!line || !session.take(*line)) return {};
  }
}

}  // namespace cairn::mcp
