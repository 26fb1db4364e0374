// HTTP requests and answers as the rest of Cairn sees them. Nothing of the library that speaks the
// protocol shows here.
//
// A Handler looks at a request's head and answers at once, asks for the whole body, or takes the
// body in portions. Work that may block (reading the store is quick; waiting for the disk is not)
// says Where::kWorker and runs on a pool of threads, so that no connection waits for another's
// disk. A handler with threads of its own defers the answer, and decides meanwhile what it will be.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fair_queue.h"
#include "base/result.h"

namespace cairn::http {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

std::string_view name(Method method);

// How a request came in.
enum class Peer {
  kNetwork,  // from anybody
  kOwner,    // over the server's unix socket, from a process of its own user, or root's
};

struct Request {
  Method method = Method::kGet;
  std::string_view target;  // as it was sent: path and query, percent-encoded
  std::string_view path;    // the target before '?', still percent-encoded
  std::string_view query;   // after '?', still percent-encoded
  std::string_view remote;  // the client's address, without port
  Peer peer = Peer::kNetwork;
  bool tls = false;
  std::optional<std::uint64_t> content_length;  // nothing: chunked, or no body
  bool has_body = false;

  // A header's value by its name in lower case; empty, and without data, when it is absent.
  virtual std::string_view header(std::string_view lower_name) const = 0;

 protected:
  ~Request() = default;
};

// A body that is made while it is sent. next() is called on a worker, never twice at once; an empty
// portion ends the body. An error breaks the connection off, so that nobody takes a part for all.
class BodySource {
 public:
  virtual ~BodySource() = default;
  virtual Result<Bytes> next() = 0;
};

// A body whose portions come from other threads, when there is something to say. Made by the
// server's owner, handed to it in a Response, pushed to by anybody.
class EventStream {
 public:
  static std::shared_ptr<EventStream> make(std::size_t max_pending_bytes);
  virtual ~EventStream() = default;
  // False when the client is gone or so far behind that the stream was closed.
  virtual bool push(std::string portion) = 0;
  // Ends the body after what was pushed.
  virtual void close() = 0;
  // Called once, from any thread, when no more can be pushed: the client left, or close().
  // Called at once when that is so already.
  virtual void on_closed(std::function<void()> callback) = 0;
};

// Bytes somebody else keeps alive: a body that is not copied.
struct SharedBody {
  std::shared_ptr<const void> owner;
  ByteView bytes;
};

struct StreamedBody {
  std::unique_ptr<BodySource> source;
  std::optional<std::uint64_t> length = {};  // nothing: chunked
  Share share = {};                          // of the workers, that making it takes
};

struct EventBody {
  std::shared_ptr<EventStream> stream;
};

struct Response {
  int status = 200;
  std::string content_type = {};  // empty: no body, or not said
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::variant<std::string, SharedBody, StreamedBody, EventBody> body = {};
  bool compressible = true;  // may be sent as gzip or zstd to whoever asks for it

  // For the request's log line; never sent.
  std::string log_tool = {};
  std::string log_who = {};
  std::string log_error = {};  // a code
  std::string log_cause = {};  // more than the client is told
};

// {"error": CODE, "message": …, "details": …} with the code's HTTP status.
Response error_response(const Error& error);

enum class Where { kHere, kWorker };
// A larger body is never read and parsed where others wait.
inline constexpr std::uint64_t kMaxBytesHere = 64 << 10;
inline bool fits_here(const Request& request) {
  return request.content_length && *request.content_length <= kMaxBytesHere;
}

// Takes a body of any size in portions, each on a worker, never two at once. Dropped without
// finish() when the client goes away.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // An answer: it is sent, and the rest of the body is not read.
  virtual std::optional<Response> append(ByteView portion) = 0;
  virtual Response finish() = 0;
};

// The answer on a worker.
struct Later {
  std::function<Response()> answer;
  Share share = {};  // whose turn it takes
};

// How a deferred answer is given, whole or as the beginning of a stream of events. Only the first
// one counts. A responder that is destroyed without one answers INTERNAL.
//
// Threads  any, one at a time. Never blocks.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void answer(Response response) = 0;
};

// A request whose answer comes when it is there, from any thread; no thread waits for it.
//
// Threads  the server calls all functions on the connection's own thread, so they must not block.
class Pending {
 public:
  virtual ~Pending() = default;
  // Called once, before the others. From then on the server does not keep this object alive:
  // whoever is going to answer does.
  virtual void begin(std::unique_ptr<Responder> responder) = 0;
  // Called once, when there is no answer after Deferred::patience: it may be time for a stream.
  // Another thread may be answering just now.
  virtual void late() {}
  // Called once, some time after the client has left a request that is late, or when the server
  // will not wait any longer. An answer has to be given all the same.
  virtual void left() {}
};

struct Deferred {
  std::shared_ptr<Pending> pending;
  std::chrono::milliseconds patience{250};
  Share share = {};  // whose bytes the answer is
};

using Answer = std::variant<Response, Later, Deferred>;

// The answer, once the whole body is there; it may turn out only then that it takes time.
struct WantBody {
  std::size_t max_bytes = 0;  // a longer one is BODY_TOO_LARGE
  Where where = Where::kHere;
  std::function<Answer(Bytes body)> answer = {};
  Share share = {};  // whose turn it takes on a worker, and whose bytes the body is
};

struct WantStream {
  std::unique_ptr<BodySink> sink;
  std::uint64_t max_bytes = UINT64_MAX;
};

using Plan = std::variant<Response, Later, Deferred, WantBody, WantStream>;

class Handler {
 public:
  virtual ~Handler() = default;
  // Any thread. The request holds until the returned functions have run, or until a deferred answer
  // is given.
  virtual Plan begin(const Request& request) = 0;
};

}  // namespace cairn::http
