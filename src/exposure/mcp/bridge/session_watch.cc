#include "exposure/mcp/bridge/session_watch.h"

#include <algorithm>

namespace cairn::mcp {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5000};

}  // namespace

void SessionWatch::run(const std::stop_token& stop) {
  LinkPtr link;
  while ((link = links_.wait_for_session(link, stop))) follow(link, stop);
}

void SessionWatch::follow(const LinkPtr& link, const std::stop_token& stop) {
  std::string last_event;
  auto wait = kFirstPause;
  while (!stop.stop_requested() && links_.current() == link) {
    auto headers = link->headers();
    if (!last_event.empty()) headers.emplace_back("Last-Event-ID", last_event);
    const auto outcome = link->upstream->send(
        {.method = http::Method::kGet, .headers = std::move(headers), .stop = stop},
        [this](std::string_view text) { take(text); });
    if (stop.stop_requested()) return;
    if (outcome && outcome->status < 300) {
      if (!outcome->last_event_id.empty()) last_event = outcome->last_event_id;
      wait = kFirstPause;
      links_.wait_with(link, outcome->retry, stop);
      continue;
    }
    if (outcome && outcome->status == 405) return;
    const bool gone = outcome && outcome->status == 404;
    if (gone && !last_event.empty()) {
      last_event.clear();
      continue;
    }
    if (gone || !outcome) {
      const auto trouble = gone ? Links::Trouble::kSessionGone : Links::Trouble::kUnreachable;
      if (links_.repair(link, trouble, stop)) return;
    }
    links_.wait_with(link, wait, stop);
    wait = std::min(wait * 2, kLongestPause);
  }
}

void SessionWatch::take(std::string_view text) {
  const auto message = json::parse(text, {.max_depth = 1000});
  if (!message || !message->is_object()) return;
  // Answers come with their requests.
  if (message->get_object().contains("method")) relay_.to_client(text, message->get_object());
}

}  // namespace cairn::mcp
