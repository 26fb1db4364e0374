#include "exposure/http/connection.h"

#include <algorithm>

#include <malloc.h>

#include "base/ascii.h"
#include "base/network.h"
#include "exposure/http/contained.h"
#include "exposure/http/on_worker.h"

namespace cairn::http {
namespace {

// A portion is handed to a worker: large enough that changing threads does not count.
constexpr std::size_t kPortion = 256 * 1024;
constexpr std::size_t kWholePortion = 64 * 1024;
constexpr std::size_t kRequestLineRest = 64;  // the method and the version

// CR, because an empty line may come before a request.
bool begins_like_a_method(char c) { return is_letter(c) || c == '\r'; }

std::string_view path_of(std::string_view target) {
  return target.starts_with('/') ? target.substr(0, target.find('?')) : std::string_view();
}

// `http://host/path` → `/path`: the form that a proxy is sent, which every server has to accept.
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_name(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t path = target.find('/', scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target;
}

Share share_of(const Plan& plan) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.share; }) return one.share;
        return Share();
      },
      plan);
}

// Of an answer that is there as a whole, if it is worth counting.
std::size_t held_bytes(const Response& response) {
  constexpr std::size_t kWorthCounting = 64 * 1024;
  std::size_t bytes = 0;
  if (const auto* text = std::get_if<std::string>(&response.body)) bytes = text->size();
  if (const auto* shared = std::get_if<SharedBody>(&response.body)) bytes = shared->bytes.size();
  return bytes < kWorthCounting ? 0 : bytes;
}

// In the head of every answer, and in the details of an error, which may be all that somebody kept.
void name_request(Response& response, const std::string& id) {
  response.headers.emplace_back("X-Request-Id", id);
  auto* body = std::get_if<std::string>(&response.body);
  // As error_response() makes it: details come last, and are not empty.
  if (body == nullptr || response.status < 400 || !body->starts_with(R"({"error":")")) return;
  if (body->ends_with("}}")) {
    body->insert(body->size() - 2, fmt::format(R"(,"requestId":"{}")", id));
  } else if (body->ends_with(R"("})")) {
    body->insert(body->size() - 1, fmt::format(R"(,"details":{{"requestId":"{}"}})", id));
  }
}

}  // namespace

Connection::Connection(Socket socket, std::string remote, Peer peer, ConnectionHost& host,
                       Shared& shared)
    : host_(host),
      shared_(shared),
      wire_(std::move(socket), *shared.tls.lock()),
      reply_(wire_, shared),
      remote_(std::move(remote)),
      began_(SteadyClock::now()) {
  request_.head = &head_;
  request_.remote = remote_;
  request_.peer = peer;
  request_.tls = wire_.is_tls();
}

template <typename Work>
auto Connection::on_worker(Work work, const Share* share) {
  // A worker takes as long as it takes; only waiting for the client has a limit.
  wire_.never_expire();
  return http::on_worker(shared_.workers, wire_.executor(), std::move(work), share);
}

Task<void> Connection::run() {
  wire_.expire_after(shared_.options.header_timeout);
  idle_ = true;
  bool ready = !shared_.stopping;
  if (ready) ready = co_await wire_.handshake();
  bool more = ready;
  while (more) more = co_await serve_one();
  if (ready) co_await wire_.finish(unread_input_);
  wire_.close();
}

void Connection::stop() {
  if (idle_) wire_.expire();
  reply_.end_events();
}

void Connection::abort() {
  wire_.close();
  reply_.end_events();
  // It may never answer, and its connection is gone: it is told, and its coroutine ends when it
  // answers.
  if (deferral_) deferral_->leave();
}

void Connection::tick(SteadyClock::time_point now) {
  wire_.check(now);
  if (deferral_) deferral_->look_for(wire_);
}

Task<bool> Connection::serve_one() {
  switch (co_await read_head()) {
    case Arrival::kGone:
      co_return false;
    case Arrival::kRefused:
      co_await answer_refusal();
      co_return false;
    case Arrival::kHead:
      break;
  }
  began_ = SteadyClock::now();
  sent_before_ = wire_.bytes_out();
  view_request();
  RequestBody body(wire_, input_, head_, head_size_, shared_.options);
  Plan plan = ask();
  Answer answer;
  if (auto* response = std::get_if<Response>(&plan)) {
    answer = std::move(*response);
  } else {
    share_ = share_of(plan);
    // Whoever does not read its answers gets no more of them.
    const Result<void> room = shared_.in_flight.check_room(whose(share_));
    if (room) {
      answer = co_await carry_out(plan, body);
    } else {
      answer = error_response(room.error());
    }
  }
  if (!answer) {
    Response none;
    // Shows in the log as a request without an answer.
    none.status = 0;
    log(none, head_size_ + body.bytes_in());
    co_return false;
  }
  co_return co_await finish_request(*answer, body);
}

Task<Connection::Arrival> Connection::read_head() {
  // A request that came together with the last one is in input_ already.
  scanner_ = {};
  head_.clear();
  head_size_ = 0;
  bool started = false;
  for (;;) {
    if (const auto arrival = look_for_head()) co_return *arrival;
    idle_ = input_.bytes().empty();
    // A request that has begun to arrive is still answered.
    if (idle_ && shared_.stopping) co_return Arrival::kGone;
    if (!started) {
      // Between requests a client may stay for long; once one has begun, its head has to come in
      // time. On a new connection the time runs from the start, so that an open socket alone is not
      // enough to stay.
      const bool waits = idle_ && !first_;
      wire_.expire_after(waits ? shared_.options.idle_timeout : shared_.options.header_timeout);
      started = !waits;
    }
    const std::span<char> room = input_.room(shared_.options.max_header_bytes);
    const auto [error, count] = co_await wire_.read_some(asio::buffer(room.data(), room.size()));
    idle_ = false;
    if (error && wire_.expired() && !input_.bytes().empty()) {
      co_return refuse(Error(Code::kRequestTimeout, "the request's head did not come in time"));
    }
    if (error) co_return Arrival::kGone;
    input_.commit(count);
  }
}

// Nullopt: more has to come.
std::optional<Connection::Arrival> Connection::look_for_head() {
  // Some old clients send an empty line before a request.
  if (!scanner_.has_line() && input_.bytes().starts_with("\r\n")) input_.consume(2);
  const ByteView bytes = input_.bytes();
  if (bytes.empty()) return std::nullopt;
  // Before a head is complete: whoever speaks another protocol might never send one.
  if (!begins_like_a_method(bytes.front())) {
    return refuse(Error(Code::kBadRequest, bytes.front() == '\x16'
                                               ? "this is TLS; HTTP without TLS is spoken here"
                                               : "this is not an HTTP request"));
  }
  const Result<std::size_t> size = scanner_.find(bytes);
  if (!size) return refuse(size.error());
  const ServerOptions& options = shared_.options;
  if (*size > 0 && *size <= options.max_header_bytes) return parse_head(*size);
  // Found out early, so that the code says what is too long: the target, or the fields.
  if (!scanner_.has_line() && bytes.size() > options.max_target_bytes + kRequestLineRest) {
    return refuse(Error(Code::kUriTooLong,
                        fmt::format("the target is over {} bytes long", options.max_target_bytes)));
  }
  if (bytes.size() >= options.max_header_bytes) {
    return refuse(Error(Code::kHeadersTooLarge,
                        fmt::format("the head is over {} bytes long", options.max_header_bytes)));
  }
  return std::nullopt;
}

std::optional<Connection::Arrival> Connection::parse_head(std::size_t size) {
  head_size_ = size;
  if (const auto parsed = head_.parse(input_.bytes().substr(0, size)); !parsed) {
    return refuse(parsed.error());
  }
  if (head_.target.size() > shared_.options.max_target_bytes) {
    return refuse(Error(Code::kUriTooLong, fmt::format("the target is over {} bytes long",
                                                       shared_.options.max_target_bytes)));
  }
  head_.target = without_authority(head_.target);
  if (!head_.target.starts_with('/') && (head_.target != "*" || head_.method != Method::kOptions)) {
    return refuse(Error(Code::kBadRequest, "the target does not begin with '/'"));
  }
  first_ = false;
  return Arrival::kHead;
}

Connection::Arrival Connection::refuse(Error error) {
  refusal_ = std::move(error);
  return Arrival::kRefused;
}

// The framing of what follows cannot be trusted, so nothing of it is read.
Task<void> Connection::answer_refusal() {
  InFlight::Hold held(shared_.in_flight, whose({}));
  began_ = SteadyClock::now();
  sent_before_ = wire_.bytes_out();
  request_.path = path_of(head_.target);
  // Closing while bytes are unread would make the kernel reset the connection, and the client might
  // lose the answer.
  unread_input_ = true;
  bool keep_alive = false;
  request_.id = shared_.ids.of({});
  Response response = error_response(*refusal_);
  name_request(response, request_.id);
  co_await reply_.send(response, head_, host_.date(), keep_alive, held);
  log(response, input_.bytes().size());
}

void Connection::view_request() {
  share_ = {};
  request_.id = shared_.ids.of(head_.fields.get("x-request-id"));
  request_.method = head_.method;
  request_.target = head_.target;
  const std::size_t mark = head_.target.find('?');
  request_.path = head_.target.substr(0, mark);
  request_.query =
      mark == std::string_view::npos ? std::string_view() : head_.target.substr(mark + 1);
  request_.content_length = head_.framing.length;
  request_.has_body = head_.has_body();
}

Plan Connection::ask() {
  // A handler's exception becomes an answer and does not end the thread.
  return contained([&] { return shared_.handler.begin(request_); });
}

Share Connection::whose(const Share& share) const {
  if (!share.none()) return share;
  const auto network = network_of(remote_);
  return {.group = network, .who = network};
}

Task<Connection::Answer> Connection::carry_out(Plan& plan, RequestBody& body) {
  if (auto* later = std::get_if<Later>(&plan)) return run_later(*later);
  if (auto* deferred = std::get_if<Deferred>(&plan)) return wait_for(*deferred);
  if (auto* want = std::get_if<WantBody>(&plan)) return take_whole(*want, body);
  return take_stream(std::get<WantStream>(plan), body);
}

Task<Connection::Answer> Connection::take_whole(WantBody& want, RequestBody& body) {
  body.limit(want.max_bytes);
  body.hurry();
  InFlight::Hold held(shared_.in_flight, whose(want.share));
  Bytes whole;
  // Most bodies are small: they are not copied as they grow.
  whole.reserve(std::min<std::uint64_t>(request_.content_length.value_or(0), kPortion));
  for (;;) {
    const RequestBody::Next next = co_await body.next(kWholePortion);
    if (next == RequestBody::Next::kGone) co_return std::nullopt;
    if (next == RequestBody::Next::kRefused) co_return error_response(body.error());
    if (next == RequestBody::Next::kEnd) break;
    if (auto room = held.grow(body.portion().size()); !room) {
      co_return error_response(room.error());
    }
    whole += body.portion();
  }
  const auto work = [&want, &whole]() -> http::Answer {
    return contained([&] { return want.answer(std::move(whole)); });
  };
  http::Answer answer;
  if (want.where == Where::kHere) {
    answer = work();
  } else {
    // By reference: the coroutine waits here, so `want` and `whole` outlive the work.
    answer = co_await on_worker(work, &want.share);
  }
  if (auto* later = std::get_if<Later>(&answer)) {
    if (later->share.none()) later->share = want.share;
    co_return co_await run_later(*later);
  }
  if (auto* deferred = std::get_if<Deferred>(&answer)) co_return co_await wait_for(*deferred);
  co_return std::move(std::get<Response>(answer));
}

Task<Connection::Answer> Connection::run_later(Later& later) {
  const auto work = [&later]() -> Answer { return contained(later.answer); };
  return on_worker(work, &later.share);
}

Task<Connection::Answer> Connection::wait_for(Deferred& deferred) {
  wire_.never_expire();
  deferral_ = std::make_shared<Deferral>(wire_.executor(), deferred.patience);
  Answer answer = co_await deferral_->run(std::move(deferred.pending));
  deferral_ = nullptr;
  co_return answer;
}

Task<Connection::Answer> Connection::take_stream(WantStream& want, RequestBody& body) {
  body.limit(want.max_bytes);
  Answer answer = co_await feed(*want.sink, body);
  // Destroying a sink may remove files, so it is done on a worker.
  shared_.workers.run([gone = std::move(want.sink)] {});
  co_return answer;
}

Task<Connection::Answer> Connection::feed(BodySink& sink, RequestBody& body) {
  for (;;) {
    const RequestBody::Next next = co_await body.next(kPortion);
    if (next == RequestBody::Next::kGone) co_return std::nullopt;
    if (next == RequestBody::Next::kRefused) co_return error_response(body.error());
    if (next == RequestBody::Next::kEnd) break;
    const auto append = [&sink, &body]() -> Answer {
      return contained([&] { return sink.append(body.portion()); });
    };
    Answer early = co_await on_worker(append);
    if (early) co_return early;
  }
  const auto finish = [&sink]() -> Answer { return contained([&] { return sink.finish(); }); };
  co_return co_await on_worker(finish);
}

// Sends the answer and makes the connection ready for the next request. False: it is over.
Task<bool> Connection::finish_request(Response& response, RequestBody& body) {
  name_request(response, request_.id);
  body.skip_arrived();
  bool keep_alive = head_.keep_alive() && !shared_.stopping;
  // A client that is still sending a large body is not worth reading to the end of it: the
  // connection closes instead, and the client notices.
  if (!body.done() && !body.rest_is_small()) keep_alive = false;
  if (!response.log_who.empty()) stranger_ = false;
  InFlight::Hold held(shared_.in_flight, whose(share_));
  held.count(held_bytes(response));
  const Reply::Outcome outcome =
      co_await reply_.send(response, head_, host_.date(), keep_alive, held);
  held.give_back();
  log(response, head_size_ + body.bytes_in());
  if (shared_.in_flight.burst_is_over()) shared_.workers.run([] { ::malloc_trim(0); });
  if (outcome == Reply::Outcome::kBroken) {
    wire_.close();
    co_return false;
  }
  if (!body.done() && keep_alive) co_await body.skip_rest();
  // Wire::finish() then reads and drops what still comes.
  unread_input_ = !body.done();
  if (!body.done()) co_return false;
  body.release();
  unread_input_ = !input_.bytes().empty();
  co_return keep_alive;
}

void Connection::log(const Response& response, std::uint64_t bytes_in) {
  shared_.observer.on_request({.method = head_.method,
                               .path = request_.path,
                               .status = response.status,
                               .bytes_in = bytes_in,
                               .bytes_out = wire_.bytes_out() - sent_before_,
                               .duration = SteadyClock::now() - began_,
                               .remote = remote_,
                               .id = request_.id,
                               .tool = response.log_tool,
                               .who = response.log_who,
                               .error = response.log_error,
                               .cause = response.log_cause});
}

}  // namespace cairn::http
