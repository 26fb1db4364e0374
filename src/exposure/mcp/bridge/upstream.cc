#include "exposure/mcp/bridge/upstream.h"

#include <algorithm>
#include <optional>

#include "base/quote.h"
#include "exposure/mcp/bridge/sse_reader.h"

namespace cairn::mcp {
namespace {

constexpr std::size_t kMaxMessageBytes = std::size_t{256} << 20;
// Well before the server ends a connection that nobody uses.
constexpr std::chrono::seconds kMaxIdle{30};

// The reader of an answer's body, chosen once its head is there.
class Reading final {
 public:
  Reading(Upstream::Outcome& outcome, const Upstream::Take& take)
      : outcome_(outcome), take_(take) {}

  Result<void> begin(const http::ClientResponse& head) {
    outcome_.status = head.status;
    outcome_.session = head.header("mcp-session-id");
    if (head.header("content-type").starts_with("text/event-stream")) {
      events_.emplace(kMaxMessageBytes, [this](const SseEvent& event) { on_event(event); });
    }
    return {};
  }
  Result<void> append(ByteView portion) {
    if (events_) return events_->push(portion);
    if (json_.size() + portion.size() > kMaxMessageBytes) {
      return fail(Code::kBodyTooLarge, "the answer has more than {} bytes", kMaxMessageBytes);
    }
    json_ += portion;
    return {};
  }
  void end() {
    if (!events_ && !json_.empty()) take_(json_);
  }

 private:
  void on_event(const SseEvent& event) {
    if (event.id) outcome_.last_event_id = *event.id;
    if (event.retry) outcome_.retry = *event.retry;
    const bool message = event.type.empty() || event.type == "message";
    if (message && !event.data.empty()) take_(event.data);
  }

  Upstream::Outcome& outcome_;
  const Upstream::Take& take_;
  std::optional<SseReader> events_;
  std::string json_;
};

bool can_be_sent(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return c >= ' ' && c != 0x7F; });
}

}  // namespace

Result<std::shared_ptr<Upstream>> Upstream::open(const Target& target, Headers headers,
                                                 http::ClientOptions options) {
  headers.emplace_back("Accept", "application/json, text/event-stream");
  for (const auto& [name, value] : headers) {
    if (can_be_sent(value)) continue;
    return fail(Code::kInvalidArgument, "'{}' cannot be sent as the header {}", shown(value), name);
  }
  if (!can_be_sent(target.token)) {
    return fail(Code::kInvalidArgument, "'{}' cannot be sent as a token", shown(target.token));
  }
  auto url = TRY(http::Url::parse(target.url));
  return std::shared_ptr<Upstream>(
      new Upstream(std::move(url), target, std::move(headers), std::move(options)));
}

std::expected<Upstream::Outcome, Upstream::Failed> Upstream::send(const Asked& asked,
                                                                  const Take& take) {
  if (!source_) return send_with(token_, asked, take);
  const auto token = source_({});
  if (!token) return std::unexpected(Failed{.error = token.error()});
  auto outcome = send_with(*token, asked, take);
  if (!outcome || outcome->status != 401) return outcome;
  // It may have ended since, or been given up elsewhere.
  const auto other = source_(*token);
  if (!other) return std::unexpected(Failed{.error = other.error()});
  return *other == *token ? outcome : send_with(*other, asked, take);
}

std::expected<Upstream::Outcome, Upstream::Failed> Upstream::send_with(const std::string& token,
                                                                       const Asked& asked,
                                                                       const Take& take) {
  auto client = borrow();
  if (auto reached = client->connect(asked.stop); !reached) {
    return std::unexpected(Failed{.error = std::move(reached).error()});
  }
  Outcome outcome;
  Reading reading(outcome, take);
  http::ClientRequest request{
      .method = asked.method,
      .target = path_,
      .headers = headers_,
      .body = Bytes(asked.body),
      .sink = [&](ByteView portion) { return reading.append(portion); },
      .head = [&](const http::ClientResponse& head) { return reading.begin(head); },
      .stop = asked.stop};
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  std::ranges::copy(asked.headers, std::back_inserter(request.headers));
  if (asked.method == http::Method::kPost) {
    request.headers.emplace_back("Content-Type", "application/json");
  }
  auto response = client->send(request);
  if (!response) {
    // An answer that broke off has still said where to come back to.
    if (!outcome.last_event_id.empty() && !asked.stop.stop_requested()) return outcome;
    return std::unexpected(Failed{.error = std::move(response).error(), .sent = true});
  }
  reading.end();
  outcome.body = std::move(response->body);
  give_back(std::move(client));
  return outcome;
}

Result<void> Upstream::reach(const std::stop_token& stop) {
  auto client = borrow();
  TRY(client->connect(stop));
  give_back(std::move(client));
  return {};
}

std::unique_ptr<http::Client> Upstream::borrow() {
  const auto now = std::chrono::steady_clock::now();
  auto idle = idle_.lock();
  std::erase_if(*idle, [&](const Idle& one) { return now - one.since > kMaxIdle; });
  if (idle->empty()) return std::make_unique<http::Client>(url_, options_);
  auto client = std::move(idle->back().client);
  idle->pop_back();
  return client;
}

void Upstream::give_back(std::unique_ptr<http::Client> client) {
  idle_.lock()->push_back({std::move(client), std::chrono::steady_clock::now()});
}

}  // namespace cairn::mcp
