#include "exposure/mcp/bridge/bridge.h"

#include <array>
#include <condition_variable>
#include <map>

#include "base/workers.h"
#include "exposure/mcp/bridge/courier.h"
#include "exposure/mcp/bridge/session_watch.h"
#include "exposure/mcp/line_channel.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/stdio.h"

namespace cairn::mcp {
namespace {

class Bridge final {
 public:
  Bridge(const BridgeOptions& options, std::shared_ptr<Upstream> upstream, int out)
      : out_(out),
        links_(options, std::move(upstream), out_),
        relay_(links_, out_, ending_.get_token()),
        courier_(links_, relay_, out_) {
    watch_.emplace(links_, relay_);
  }
  // Requests that were asked are answered first, unless nobody would read it.
  ~Bridge() {
    leave();
    calls_.reset();
    ending_.request_stop();
    watch_.reset();
    links_.end();
  }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // False: nobody reads the answers.
  bool take(const LineReader::Line& line) {
    if (line.too_long) {
      return refuse(nullptr, {rpc_code::kInvalidRequest,
                              fmt::format("a message has at most {} bytes", kMaxLineBytes)});
    }
    if (line.text.find_first_not_of(" \t") == std::string::npos) return out_.open();
    auto value = json::parse(line.text);
    if (!value) return refuse(nullptr, {rpc_code::kParseError, value.error().message});
    if (value->is_array()) {
      forward(std::make_shared<Forwarded>(line.text));
      return out_.open();
    }
    const auto message = read_message(std::move(*value));
    if (!message) return refuse(message.error().id, message.error().error);
    if (const auto* request = std::get_if<Request>(&*message)) {
      take_request(line.text, *request);
    } else if (const auto* notification = std::get_if<Notification>(&*message)) {
      take_notification(line.text, *notification);
    } else {
      relay_.answered(std::get<Response>(*message).id);
      relay_.to_server(line.text);
    }
    return out_.open();
  }

 private:
  using Running = std::map<std::string, ForwardedPtr>;

  bool refuse(const RpcId& id, const RpcError& error) { return out_.send(write_error(id, error)); }

  void take_request(const std::string& text, const Request& request) {
    auto call = std::make_shared<Forwarded>(text, request);
    if (call->is_initialize()) {
      if (links_.is_open()) {
        refuse(request.id, {rpc_code::kInvalidRequest, "'initialize' came a second time"});
        return;
      }
      // Nothing else makes sense before it is answered.
      courier_.carry_out(*call);
      return;
    }
    if (call->era() == Era::kLegacy && request.method == "ping" && !links_.is_open()) {
      out_.send(write_result(request.id, {}));
      return;
    }
    if (!running_.lock()->try_emplace(json::write(request.id), call).second) {
      refuse(request.id,
             {rpc_code::kInvalidRequest, "a request with this id is still being carried out"});
      return;
    }
    forward(std::move(call));
  }

  void forward(ForwardedPtr call) {
    calls_->run([this, call = std::move(call)] {
      if (!call->cancelled()) courier_.carry_out(*call);
      if (call->is_batch()) return;
      running_.lock()->erase(json::write(call->id()));
      finished_.notify_all();
    });
  }

  void take_notification(const std::string& text, const Notification& notification) {
    if (notification.method == "notifications/cancelled") {
      if (const auto* id = json::find(notification.params, "requestId")) cancel(text, *id);
    } else {
      if (notification.method == "notifications/initialized") links_.ready();
      relay_.to_server(text);
    }
  }

  // Modern: who closes the connection has cancelled. Legacy: the server is told.
  void cancel(const std::string& text, const RpcId& id) {
    ForwardedPtr call;
    {
      auto running = running_.lock();
      if (const auto found = running->find(json::write(id)); found != running->end()) {
        call = found->second;
      }
    }
    if (!call) return relay_.to_server(text);
    call->cancel();
    if (call->era() == Era::kModern) return call->stop();
    cancels_.run([this, text, call] { tell_cancelled(text, *call); });
  }

  // It may have come before the request itself, which goes its own way: it is said again.
  void tell_cancelled(const std::string& text, Forwarded& call) {
    using std::chrono::milliseconds;
    for (const auto wait : {milliseconds(50), milliseconds(250), milliseconds(1000)}) {
      relay_.deliver(text);
      auto running = running_.lock();
      const bool over = finished_.wait_for(running.mutex(), wait, [&] {
        const auto found = running->find(json::write(call.id()));
        return found == running->end() || found->second.get() != &call;
      });
      if (over) return;
    }
    call.stop();
  }

  // The client's messages are over: nothing will end what only it could end.
  void leave() {
    relay_.client_left();
    auto running = running_.lock();
    for (const auto& [id, call] : *running) {
      if (call->is_listen()) call->cancel();
      if (!out_.open() || call->cancelled()) call->stop();
    }
  }

  LineChannel out_;
  std::stop_source ending_;
  Links links_;
  Relay relay_;
  Courier courier_;
  Guarded<Running> running_;
  std::condition_variable finished_;
  Workers cancels_{2, "mcp-cancel"};
  std::optional<Workers> calls_{std::in_place, 128u, "mcp-call"};
  std::optional<SessionWatch> watch_;
};

// The smallest request there is.
std::string discover() {
  json::Object about{{meta::kRevision, name(kFirstModern)}, {meta::kCapabilities, json::Object()}};
  return write_request(1, "server/discover", {{"_meta", std::move(about)}});
}

}  // namespace

Result<void> knock(const BridgeOptions& options) {
  const auto upstream = TRY(Upstream::open(options.target, options.headers, options.client));
  const auto sent =
      upstream->send({.body = discover(),
                      .headers = {{"MCP-Protocol-Version", std::string(name(kFirstModern))},
                                  {"Mcp-Method", "server/discover"}}},
                     [](auto) {});
  if (!sent) return Failure(sent.error().error);
  if (sent->status < 300) return {};
  return Failure(refusal(*upstream, *sent));
}

Result<void> bridge(const BridgeOptions& options, int in, int out) {
  auto upstream = TRY(Upstream::open(options.target, options.headers, options.client));
  Bridge bridge(options, std::move(upstream), out);
  LineReader lines(in, kMaxLineBytes);
  for (;;) {
    const auto line = TRY(lines.next());
    if (!line || !bridge.take(*line)) return {};
  }
}

}  // namespace cairn::mcp
