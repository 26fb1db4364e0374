// The body of the request whose head stands at the front of the input buffer, portion by portion.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "exposure/http/chunked.h"
#include "exposure/http/head.h"
#include "exposure/http/input_buffer.h"
#include "exposure/http/server.h"
#include "exposure/http/wire.h"

namespace cairn::http {

class RequestBody final {
 public:
  enum class Next { kPortion, kEnd, kGone, kRefused };

  RequestBody(Wire& wire, InputBuffer& input, const RequestHead& head, std::size_t head_size,
              const ServerOptions& options);

  // More than this is BODY_TOO_LARGE; at once when the head says that there is more.
  void limit(std::uint64_t max_bytes) { max_bytes_ = max_bytes; }
  // Somebody has to keep all of it until it is there: it has to come in time.
  void hurry() { patience_.at_most(options_.body_timeout, options_.least_rate); }

  // The next portion, at most `portion_bytes` of it. A client that waits for `100 Continue` gets
  // it.
  Task<Next> next(std::size_t portion_bytes);
  ByteView portion() const { return portion_; }  // until the next call
  const Error& error() const { return *error_; }

  bool done() const { return done_; }
  // Uses up what has come already, as far as it belongs to the body.
  void skip_arrived();
  // Whether the rest is worth reading only to be able to go on with the connection.
  bool rest_is_small() const;
  // Reads the rest, if it is as small as hoped, and throws it away. When it is not done() then, the
  // connection is of no more use.
  Task<void> skip_rest();
  // Takes the head and the body out of the input. Only when done.
  void release();

  // Bytes as they came, with their framing.
  std::uint64_t bytes_in() const { return bytes_in_; }

 private:
  std::span<char> arrived();
  Next take(std::span<char> bytes);
  Next refuse(Error error);
  void use(std::size_t count);
  Task<Next> fill(std::size_t portion_bytes);
  Task<bool> say_continue();

  Wire& wire_;
  InputBuffer& input_;
  const ServerOptions& options_;
  const std::size_t head_size_;
  bool expects_continue_;
  bool chunked_;
  bool done_;
  std::uint64_t left_;  // when the length is known
  std::uint64_t max_bytes_ = UINT64_MAX;
  std::uint64_t total_ = 0;
  std::uint64_t bytes_in_ = 0;
  ChunkDecoder decoder_;
  std::size_t used_input_ = 0;  // behind the head
  std::vector<char> buffer_;    // what came after that
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  ByteView portion_;
  Patience patience_;
  std::optional<Error> error_;
};

}  // namespace cairn::http
