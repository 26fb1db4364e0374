#include "exposure/mcp/http_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/base32.h"

namespace cairn::mcp {

HttpSession::HttpSession(std::string id, const PrincipalPtr& principal)
    : id_(std::move(id)),
      owner_(principal->id()),
      standalone_(std::make_shared<SessionStream>(0, false)),
      peer_(std::make_shared<Peer>(principal, standalone_)) {}

bool HttpSession::primed() const {
  const auto handshake = peer_->handshake();
  return handshake && handshake->revision >= Revision::k2025_11_25;
}

std::shared_ptr<SessionStream> HttpSession::open_stream() {
  const bool knows_priming = primed();
  auto streams = streams_.lock();
  std::size_t ended = 0;
  for (auto at = streams->all.end(); at != streams->all.begin();) {
    --at;
    if (at->second->done() && ++ended >= kMaxEnded) at = streams->all.erase(at);
  }
  auto stream = std::make_shared<SessionStream>(streams->next++, knows_priming);
  streams->all.emplace(stream->number(), stream);
  return stream;
}

std::shared_ptr<SessionStream> HttpSession::find_stream(std::uint64_t number) {
  if (number == 0) return standalone_;
  auto streams = streams_.lock();
  const auto found = streams->all.find(number);
  return found == streams->all.end() ? nullptr : found->second;
}

void HttpSession::forget_ended_streams() {
  auto streams = streams_.lock();
  std::erase_if(streams->all, [](const auto& entry) { return entry.second->done(); });
}

void HttpSession::end() {
  peer_->cancel_all();
  peer_->cancel_questions();
  peer_->unsubscribe_all();
  standalone_->close();
  auto streams = std::exchange(streams_.lock()->all, {});
  for (const auto& [number, stream] : streams) stream->close();
}

HttpSessions::~HttpSessions() { end_all(); }

HttpSessionPtr HttpSessions::open(const PrincipalPtr& principal) {
  constexpr std::size_t kIdBytes = 20;
  auto session = std::make_shared<HttpSession>(base32_encode(random_.bytes(kIdBytes)), principal);
  session->last_used = clock_.now();
  std::vector<HttpSessionPtr> ended;
  {
    auto sessions = sessions_.lock();
    if (sessions->size() >= limits_.most) {
      ended = take_idlest(*sessions, std::max<std::size_t>(1, limits_.most / 20));
    }
    sessions->emplace(session->id(), session);
  }
  for (const auto& old : ended) old->end();
  return session;
}

HttpSessionPtr HttpSessions::find(std::string_view id, const PrincipalPtr& principal) {
  HttpSessionPtr session;
  {
    auto sessions = sessions_.lock();
    const auto found = sessions->find(std::string(id));
    if (found != sessions->end()) session = found->second;
  }
  if (!session || session->owner() != principal->id()) return nullptr;
  session->last_used = clock_.now();
  session->peer()->renew(principal);
  return session;
}

void HttpSessions::end(const HttpSession& session) {
  HttpSessionPtr ended;
  {
    auto sessions = sessions_.lock();
    const auto found = sessions->find(session.id());
    if (found == sessions->end()) return;
    ended = std::move(found->second);
    sessions->erase(found);
  }
  ended->end();
}

void HttpSessions::sweep() {
  const Millis before = clock_.now() - limits_.idle.count();
  constexpr Millis kKeepEnded = 60'000;
  const Millis quiet = clock_.now() - kKeepEnded;
  std::vector<HttpSessionPtr> ended;
  std::vector<HttpSessionPtr> idle;
  {
    auto sessions = sessions_.lock();
    for (auto at = sessions->begin(); at != sessions->end();) {
      const auto& session = at->second;
      if (session->last_used < quiet) idle.push_back(session);
      if (session->last_used < before && session->connections == 0) {
        ended.push_back(session);
        at = sessions->erase(at);
      } else {
        ++at;
      }
    }
  }
  for (const auto& session : idle) session->forget_ended_streams();
  for (const auto& session : ended) session->end();
}

void HttpSessions::end_all() {
  Map all = std::exchange(*sessions_.lock(), {});
  for (const auto& [id, session] : all) session->end();
}

// Those without a connection first.
std::vector<HttpSessionPtr> HttpSessions::take_idlest(Map& sessions, std::size_t count) {
  std::vector<HttpSessionPtr> all;
  for (const auto& [id, session] : sessions) all.push_back(session);
  count = std::min(count, all.size());
  const auto order = [](const HttpSessionPtr& session) {
    return std::pair(session->connections > 0, session->last_used.load());
  };
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(count) - 1, {}, order);
  all.resize(count);
  for (const auto& session : all) sessions.erase(session->id());
  return all;
}

}  // namespace cairn::mcp
