#include "exposure/http/request_body.h"

#include <algorithm>

namespace cairn::http {
namespace {

// Reading so much is cheaper than a new connection.
constexpr std::uint64_t kSmallRest = 64 * 1024;
constexpr std::size_t kSkipPortion = 4096;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

RequestBody::RequestBody(Wire& wire, InputBuffer& input, const RequestHead& head,
                         std::size_t head_size, const ServerOptions& options)
    : wire_(wire),
      input_(input),
      options_(options),
      head_size_(head_size),
      expects_continue_(head.expects_continue()),
      chunked_(head.framing.chunked),
      done_(!head.has_body()),
      left_(head.framing.length.value_or(0)),
      patience_(options.body_idle_timeout, 0) {}

Task<RequestBody::Next> RequestBody::next(std::size_t portion_bytes) {
  if (done_) co_return Next::kEnd;
  // Known from the head: refused before a byte of it is read.
  if (!chunked_ && total_ + left_ > max_bytes_) {
    co_return refuse(
        Error(Code::kBodyTooLarge, fmt::format("the body has {} bytes; at most {} are taken here",
                                               total_ + left_, max_bytes_)));
  }
  for (;;) {
    const std::span<char> bytes = arrived();
    if (bytes.empty()) {
      const Next filled = co_await fill(portion_bytes);
      if (filled != Next::kPortion) co_return filled;
      continue;
    }
    const Next taken = take(bytes);
    // A step may take bytes and make none: the line of a chunk, or a part of it.
    if (taken != Next::kPortion || !portion_.empty()) co_return taken;
    if (done_) co_return Next::kEnd;
  }
}

// Bytes that were read and not used yet: first those behind the head, then those in the buffer.
std::span<char> RequestBody::arrived() {
  const std::span<char> first = input_.after(head_size_ + used_input_);
  if (!first.empty()) return first;
  return std::span(buffer_).subspan(start_, end_ - start_);
}

void RequestBody::use(std::size_t count) {
  bytes_in_ += count;
  if (input_.after(head_size_ + used_input_).empty()) {
    start_ += count;
  } else {
    used_input_ += count;
  }
}

RequestBody::Next RequestBody::take(std::span<char> bytes) {
  std::size_t made = 0;
  if (chunked_) {
    const Result<ChunkDecoder::Step> step = decoder_.decode(bytes);
    if (!step) return refuse(step.error());
    use(step->used);
    made = step->made;
    done_ = decoder_.done();
  } else {
    made = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    use(made);
    left_ -= made;
    done_ = left_ == 0;
  }
  portion_ = {bytes.data(), made};
  total_ += made;
  if (total_ > max_bytes_) {
    return refuse(Error(Code::kBodyTooLarge,
                        fmt::format("the body has more than the {} bytes taken here", max_bytes_)));
  }
  return Next::kPortion;
}

RequestBody::Next RequestBody::refuse(Error error) {
  error_ = std::move(error);
  return Next::kRefused;
}

Task<RequestBody::Next> RequestBody::fill(std::size_t portion_bytes) {
  // Only now: a handler that refuses by the head alone never asks for the body.
  if (expects_continue_ && !co_await say_continue()) co_return Next::kGone;
  const std::uint64_t wanted =
      // Never beyond the body: what follows belongs to the next request.
      chunked_ ? portion_bytes : std::min<std::uint64_t>(left_, portion_bytes);
  buffer_.resize(std::max<std::size_t>(buffer_.size(), wanted));
  start_ = end_ = 0;
  wire_.expire_after(patience_.left(bytes_in_));
  const auto [error, count] = co_await wire_.read_some(asio::buffer(buffer_.data(), wanted));
  if (error && wire_.expired()) {
    co_return refuse(Error(Code::kRequestTimeout, "the rest of the body did not come in time"));
  }
  if (error) co_return Next::kGone;
  // While the handler works on the portion the client is not to blame.
  wire_.never_expire();
  patience_.waited();
  end_ = count;
  co_return Next::kPortion;
}

Task<bool> RequestBody::say_continue() {
  expects_continue_ = false;
  return wire_.write({asio::buffer(kContinue)}, options_.write_timeout, options_.least_rate);
}

void RequestBody::skip_arrived() {
  while (!done_ && !error_ && !arrived().empty()) take(arrived());
}

bool RequestBody::rest_is_small() const {
  // How much is left in chunks is not known; skip_rest() will see.
  return !error_ && !expects_continue_ && (chunked_ || left_ <= kSmallRest);
}

Task<void> RequestBody::skip_rest() {
  const std::uint64_t until = bytes_in_ + kSmallRest;
  Next got = Next::kPortion;
  while (got == Next::kPortion && bytes_in_ <= until) got = co_await next(kSkipPortion);
}

void RequestBody::release() {
  input_.consume(head_size_ + used_input_);
  // Chunked, the next request may have come in with the end of this one.
  if (start_ < end_) input_.append({buffer_.data() + start_, end_ - start_});
}

}  // namespace cairn::http
