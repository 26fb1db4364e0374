// Forwarded: one request of the bridge's client while the server carries it out.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "exposure/mcp/bridge/link.h"
#include "exposure/mcp/revision.h"
#include "exposure/mcp/rpc.h"

namespace cairn::mcp {

class Forwarded final {
 public:
  // The text is what is sent; a batch has no request.
  Forwarded(std::string text, const Request& request);
  explicit Forwarded(std::string batch) : text_(std::move(batch)) {}

  const std::string& text() const { return text_; }
  const RpcId& id() const { return id_; }
  const std::string& method() const { return method_; }
  Era era() const { return era_; }
  bool is_batch() const { return method_.empty(); }
  bool is_initialize() const { return era_ == Era::kLegacy && method_ == "initialize"; }
  bool is_listen() const { return method_ == "subscriptions/listen"; }
  // The headers that go with it over this link.
  Headers headers(const Link& link) const;

  // Whether it may be sent again when the server may have carried it out already.
  bool is_harmless() const { return !is_batch() && method_ != "tools/call"; }

  // The part of a session's state that its success makes or ends.
  struct Memory {
    std::string key;
    std::string request;  // empty: forgotten
  };
  const std::optional<Memory>& memory() const { return memory_; }

  // Nothing more is to be said about it.
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }
  // Its connection is closed.
  void stop() { stop_.request_stop(); }
  std::stop_token stopping() const { return stop_.get_token(); }

  // Only for the thread that carries it out.
  bool answered = false;
  bool acknowledged = false;               // a listen
  std::optional<std::string> last_word{};  // of a listen: its result, which ends it

 private:
  std::string text_;
  RpcId id_ = nullptr;
  std::string method_;
  Era era_ = Era::kLegacy;
  Headers modern_;
  std::optional<Memory> memory_;
  std::atomic<bool> cancelled_ = false;
  std::stop_source stop_;
};
using ForwardedPtr = std::shared_ptr<Forwarded>;

// The value as a header carries it: `=?base64?…?=` unless it is plain visible ASCII.
std::string header_value(std::string_view value);

}  // namespace cairn::mcp
