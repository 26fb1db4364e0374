#include "exposure/http/reply.h"

#include "exposure/http/chunked.h"
#include "exposure/http/compress.h"
#include "exposure/http/on_worker.h"

namespace cairn::http {
namespace {

// A larger body is compressed on a worker, so that other connections do not wait for it.
constexpr std::size_t kCompressHere = 64 * 1024;
constexpr std::size_t kOneTlsRecord = 16 * 1024;
constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

ByteView whole_body(const Response& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return *text;
  return std::get<SharedBody>(response.body).bytes;
}

bool head_only(const Response& response, const RequestHead& request) {
  return request.method == Method::kHead || bodiless(response.status);
}

}  // namespace

Task<Reply::Outcome> Reply::send(Response& response, const RequestHead& request,
                                 std::string_view date, bool& keep_alive, InFlight::Hold& held) {
  HeadChoices choices{.date = date, .minor_version = request.minor_version};
  out_.clear();
  if (auto* streamed = std::get_if<StreamedBody>(&response.body)) {
    choices.length = streamed->length;
    // Without a length and without chunks the end of the connection is the end of the body.
    choices.chunked = !streamed->length && request.minor_version == 1;
    if (!choices.length && !choices.chunked) keep_alive = false;
    choices.keep_alive = keep_alive;
    return send_streamed(response, request, choices);
  }
  if (std::holds_alternative<EventBody>(response.body)) {
    choices.chunked = request.minor_version == 1;
    // Events end when the client leaves or the server does; there is no next request.
    choices.keep_alive = keep_alive = false;
    return send_events(response, request, choices, held);
  }
  choices.keep_alive = keep_alive;
  return send_whole(response, request, choices);
}

Task<Reply::Outcome> Reply::send_whole(Response& response, const RequestHead& request,
                                       HeadChoices choices) {
  if (worth_compressing(response, whole_body(response))) {
    choices.vary = true;
    co_await encode(response, request, choices);
  }
  const ByteView body = whole_body(response);
  if (!bodiless(response.status)) choices.length = body.size();
  put_head(out_, response, choices);
  co_return co_await write(head_only(response, request) ? ByteView() : body);
}

Task<void> Reply::encode(Response& response, const RequestHead& request, HeadChoices& choices) {
  const Encoding encoding = preferred_encoding(request.fields.get("accept-encoding"));
  if (encoding == Encoding::kIdentity) co_return;
  const ByteView body = whole_body(response);
  Bytes smaller;
  if (body.size() < kCompressHere) {
    smaller = compress(encoding, body);
  } else {
    // The response outlives the work: the coroutine waits for it.
    const auto work = [encoding, body] { return compress(encoding, body); };
    smaller = co_await on_worker(shared_.workers, wire_.executor(), work);
  }
  // It did not get smaller.
  if (smaller.empty()) co_return;
  response.body = std::move(smaller);
  choices.encoding = encoding;
}

// The first portion is made before the head is sent: when it fails, the client gets to know why.
Task<Reply::Outcome> Reply::send_streamed(Response& response, const RequestHead& request,
                                          HeadChoices choices) {
  StreamedBody body = std::move(std::get<StreamedBody>(response.body));
  const bool only_head = head_only(response, request);
  if (bodiless(response.status)) choices.length = {}, choices.chunked = false;
  Result<Bytes> first = Bytes();
  if (!only_head && choices.length != 0) first = co_await next_portion(body);
  if (!first) {
    drop(std::move(body.source));
    response = error_response(first.error());
    co_return co_await send_whole(response, request,
                                  {.date = choices.date,
                                   .minor_version = choices.minor_version,
                                   .keep_alive = choices.keep_alive});
  }
  put_head(out_, response, choices);
  Outcome outcome = Outcome::kSent;
  if (only_head) {
    outcome = co_await write({});
  } else {
    outcome = co_await send_portions(body, std::move(*first), choices.chunked);
  }
  drop(std::move(body.source));
  co_return outcome;
}

Task<Reply::Outcome> Reply::send_portions(StreamedBody& body, Bytes portion, bool chunked) {
  std::uint64_t sent = 0;
  while (!portion.empty()) {
    sent += portion.size();
    // Broken off rather than sent: the client was promised another length, and must not take a
    // wrong body for the right one.
    if (body.length && sent > *body.length) co_return Outcome::kBroken;
    if (co_await write_portion(portion, chunked) == Outcome::kBroken) co_return Outcome::kBroken;
    if (sent == body.length) co_return Outcome::kSent;
    Result<Bytes> next = co_await next_portion(body);
    if (!next) co_return Outcome::kBroken;
    portion = std::move(*next);
  }
  if (sent < body.length.value_or(0)) co_return Outcome::kBroken;
  if (chunked) out_ += kLastChunk;
  co_return co_await write({});
}

// Writes `out_`, then the body.
Task<Reply::Outcome> Reply::write(ByteView body) {
  // Head and body in one TLS record instead of two.
  if (wire_.is_tls() && body.size() <= kOneTlsRecord) {
    out_ += body;
    body = {};
  }
  Wire::Buffers buffers{asio::buffer(out_), asio::buffer(body)};
  // Usually the kernel takes all of it at once, and the coroutine need not be suspended.
  std::optional<bool> sent = wire_.write_now(buffers);
  if (!sent)
    sent = co_await wire_.write(buffers, shared_.options.write_timeout, shared_.options.least_rate);
  out_.clear();
  co_return *sent ? Outcome::kSent : Outcome::kBroken;
}

Task<Reply::Outcome> Reply::write_portion(ByteView portion, bool chunked) {
  if (!chunked) co_return co_await write(portion);
  out_ += chunk_line(portion.size());
  const Wire::Buffers buffers{asio::buffer(out_), asio::buffer(portion), asio::buffer(kCrlf)};
  const bool sent =
      co_await wire_.write(buffers, shared_.options.write_timeout, shared_.options.least_rate);
  out_.clear();
  co_return sent ? Outcome::kSent : Outcome::kBroken;
}

Task<Result<Bytes>> Reply::next_portion(StreamedBody& body) {
  wire_.never_expire();
  const auto work = [&source = *body.source]() -> Result<Bytes> {
    try {
      return source.next();
    } catch (...) {
      return fail(Code::kInternal, "the answer could not be made");
    }
  };
  return on_worker(shared_.workers, wire_.executor(), work, &body.share);
}

// Destroying a source may close files, so it is done on a worker.
void Reply::drop(std::unique_ptr<BodySource> source) {
  shared_.workers.run([gone = std::move(source)] {});
}

}  // namespace cairn::http
