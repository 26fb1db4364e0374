// The server's Exchange: one request of one peer, over the channel its answer will take.
//
// Threads     one at a time: the thread that carries the request out.
#pragma once

#include <map>
#include <memory>

#include "exposure/mcp/meta.h"
#include "exposure/mcp/peer.h"

namespace cairn::mcp {

class ServerExchange final : public Exchange {
 public:
  // `capabilities` and `params` outlive it.
  struct Terms {
    Revision revision = kLatestLegacy;
    const json::Object& capabilities;
    json::Object& params;
    std::optional<LogLevel> log_level;  // nothing: no messages are wanted
    json::Value state = nullptr;
  };
  ServerExchange(Peer& peer, std::shared_ptr<Channel> channel, std::stop_token stop, Terms terms);

  const PrincipalPtr& principal() const override { return principal_; }
  Revision revision() const override { return terms_.revision; }
  const json::Object& client_capabilities() const override { return terms_.capabilities; }
  const std::stop_token& stopping() const override { return stop_; }
  void progress(double done, std::optional<double> total, std::string_view message) override;
  void log(LogLevel level, std::string_view logger, json::Value data) override;
  Rpc<std::optional<std::vector<json::Object>>> ask(std::span<const Question> questions) override;
  const json::Value& state() const override { return terms_.state; }
  void keep(json::Value state) override { kept_ = std::move(state); }
  void close_stream(std::chrono::milliseconds retry) override;

  void restore(json::Value state) { terms_.state = std::move(state); }

  Peer& peer() { return peer_; }
  const std::shared_ptr<Channel>& channel() { return channel_; }
  // The arguments in them may be used up.
  json::Object& params() { return terms_.params; }
  // The questions that the client still has to be asked, by key.
  const json::Object& unanswered() const { return unanswered_; }
  const std::optional<json::Value>& kept() const { return kept_; }

 private:
  Rpc<void> check_can_be_asked(const Question& question) const;
  const json::Object* given_answer(std::string_view key) const;

  Peer& peer_;
  std::shared_ptr<Channel> channel_;
  std::stop_token stop_;
  Terms terms_;
  PrincipalPtr principal_;
  json::Value progress_token_ = nullptr;
  std::optional<double> last_progress_;
  json::Object unanswered_;
  std::optional<json::Value> kept_;
};

// A channel whose connection can be ended while its request goes on.
class ClosableChannel : public Channel {
 public:
  virtual void close_connection(std::chrono::milliseconds retry) = 0;
};

}  // namespace cairn::mcp
