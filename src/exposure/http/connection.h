// One client: its requests are read, asked and answered one after the other, in their order.
//
// Threads     its io thread only. What runs on workers, or elsewhere, is waited for without holding
//             the thread up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exposure/http/deferral.h"
#include "exposure/http/head.h"
#include "exposure/http/input_buffer.h"
#include "exposure/http/reply.h"
#include "exposure/http/request_body.h"
#include "exposure/http/shared.h"
#include "exposure/http/wire.h"

namespace cairn::http {

// The services that a connection needs of the thread it lives on.
class ConnectionHost {
 public:
  virtual std::string_view date() = 0;

 protected:
  ~ConnectionHost() = default;
};

class Connection final {
 public:
  Connection(Socket socket, std::string remote, Peer peer, ConnectionHost& host, Shared& shared);

  // Until the connection is over.
  Task<void> run();

  void tick(SteadyClock::time_point now);
  // Ends it when it waits for a request or sends events; else after the running request.
  void stop();
  // Ends it as soon as no handler's function runs for it.
  void abort();
  // Whether it waits for a request, and nobody has proved on it who they are: it may have to give
  // way to others. Since when.
  bool is_stranger() const { return idle_ && stranger_; }
  SteadyClock::time_point since() const { return began_; }
  const std::string& remote() const { return remote_; }

 private:
  struct View final : Request {
    const RequestHead* head = nullptr;
    std::string id;  // which the handler is told as the client's header
    std::string_view header(std::string_view lower_name) const override {
      if (lower_name == "x-request-id") return id;
      return head->fields.get(lower_name);
    }
  };
  enum class Arrival { kHead, kGone, kRefused };
  using Answer = std::optional<Response>;  // nothing: the client is gone

  Task<bool> serve_one();
  Task<Arrival> read_head();
  std::optional<Arrival> look_for_head();
  std::optional<Arrival> parse_head(std::size_t size);
  Arrival refuse(Error error);
  Task<void> answer_refusal();
  void view_request();
  Plan ask();

  Task<Answer> carry_out(Plan& plan, RequestBody& body);
  // Whose bytes those of this request are: its caller's, or its address's while nobody knows it.
  Share whose(const Share& share) const;
  Task<Answer> run_later(Later& later);
  Task<Answer> wait_for(Deferred& deferred);
  Task<Answer> take_whole(WantBody& want, RequestBody& body);
  Task<Answer> take_stream(WantStream& want, RequestBody& body);
  Task<Answer> feed(BodySink& sink, RequestBody& body);
  Task<bool> finish_request(Response& response, RequestBody& body);
  void log(const Response& response, std::uint64_t bytes_in);

  template <typename Work>
  auto on_worker(Work work, const Share* share = nullptr);

  ConnectionHost& host_;
  Shared& shared_;
  Wire wire_;
  InputBuffer input_;
  Reply reply_;
  std::shared_ptr<Deferral> deferral_;  // while a deferred answer is waited for
  const std::string remote_;
  RequestHead head_;
  HeadScanner scanner_;
  std::size_t head_size_ = 0;
  View request_;
  std::optional<Error> refusal_;
  Share share_;  // of the request
  SteadyClock::time_point began_;
  std::uint64_t sent_before_ = 0;
  bool stranger_ = true;
  bool first_ = true;
  bool idle_ = false;
  bool unread_input_ = false;
};

}  // namespace cairn::http
