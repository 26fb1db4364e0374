#include "exposure/mcp/http_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/base32.h"

namespace cairn::mcp {

HttpSession::HttpSession(std::string id, const PrincipalPtr& principal,
                         std::shared_ptr<KeptBytes> kept)
    : id_(std::move(id)),
      owner_(principal->id()),
      kept_(std::move(kept)),
      standalone_(std::make_shared<SessionStream>(0, false, kept_)),
      peer_(std::make_shared<Peer>(principal, standalone_)) {}

bool HttpSession::primed() const {
  // Clients of earlier revisions do not expect an event without data.
  const auto handshake = peer_->handshake();
  return handshake && handshake->revision >= Revision::k2025_11_25;
}

std::shared_ptr<SessionStream> HttpSession::open_stream() {
  const bool knows_priming = primed();
  auto streams = streams_.lock();
  std::size_t ended = 0;
  // From the newest: the last few that ended are kept for clients that come back for the rest.
  for (auto at = streams->all.end(); at != streams->all.begin();) {
    --at;
    if (at->second->done() && ++ended >= kMaxEnded) at = streams->all.erase(at);
  }
  auto stream = std::make_shared<SessionStream>(streams->next++, knows_priming, kept_);
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
  auto session =
      std::make_shared<HttpSession>(base32_encode(random_.bytes(kIdBytes)), principal, kept_);
  session->last_used = clock_.now();
  std::vector<HttpSessionPtr> ended;
  {
    auto state = state_.lock();
    ended = make_room(*state, session->owner());
    state->all.emplace(session->id(), session);
    ++state->of_owner[session->owner()];
  }
  // Outside the lock: ending a session wakes whoever waits in it.
  for (const auto& old : ended) old->end();
  return session;
}

HttpSessionPtr HttpSessions::find(std::string_view id, const PrincipalPtr& principal) {
  HttpSessionPtr session;
  {
    auto state = state_.lock();
    const auto found = state->all.find(std::string(id));
    if (found != state->all.end()) session = found->second;
  }
  // Somebody else's session does not exist: an id alone opens nothing.
  if (!session || session->owner() != principal->id()) return nullptr;
  touch(*session);
  // The token may have been renewed since; what runs from now on goes by the new one.
  session->peer()->renew(principal);
  return session;
}

void HttpSessions::end(const HttpSession& session) {
  const HttpSessionPtr ended = take(*state_.lock(), session.id());
  if (ended) ended->end();
}

void HttpSessions::sweep() {
  constexpr Millis kKeepEnded = 60'000;
  const Millis now = clock_.now();
  std::vector<HttpSessionPtr> ended;
  std::vector<HttpSessionPtr> quiet;
  {
    auto state = state_.lock();
    for (const auto& [id, session] : state->all) {
      if (session->last_used < now - kKeepEnded) quiet.push_back(session);
      const bool idle = session->last_used < now - limits_.idle.count();
      if (idle && session->connections == 0) ended.push_back(session);
    }
    for (const auto& session : ended) take(*state, session->id());
  }
  for (const auto& session : quiet) session->forget_ended_streams();
  for (const auto& session : ended) session->end();
}

void HttpSessions::end_all() {
  const State state = std::exchange(*state_.lock(), {});
  for (const auto& [id, session] : state.all) session->end();
}

HttpSessionPtr HttpSessions::take(State& state, const std::string& id) {
  auto taken = state.all.extract(id);
  if (taken.empty()) return nullptr;
  const auto count = state.of_owner.find(taken.mapped()->owner());
  if (--count->second == 0) state.of_owner.erase(count);
  return std::move(taken.mapped());
}

std::vector<HttpSessionPtr> HttpSessions::make_room(State& state, const std::string& owner) const {
  const auto own = state.of_owner.find(owner);
  if (own != state.of_owner.end() && own->second >= limits_.most_each) {
    return take_idlest(state, owner);
  }
  // The one who has most gives way: nobody can push out others by opening many.
  if (state.all.size() < limits_.most) return {};
  const auto greatest =
      std::ranges::max_element(state.of_owner, {}, [](const auto& entry) { return entry.second; });
  return take_idlest(state, std::string(greatest->first));
}

// A twentieth of an owner's; those that nobody uses just now first.
std::vector<HttpSessionPtr> HttpSessions::take_idlest(State& state, const std::string& owner) {
  struct Candidate {
    bool used;
    Millis last;
    HttpSessionPtr session;
  };
  std::vector<Candidate> candidates;
  for (const auto& [id, session] : state.all) {
    if (session->owner() != owner) continue;
    candidates.push_back({session->connections > 0, session->last_used, session});
  }
  // Several at once, so that the next requests do not have to look through all of them again.
  const auto count = std::max<std::size_t>(1, candidates.size() / 20);
  std::ranges::nth_element(
      candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count) - 1, {},
      [](const Candidate& candidate) { return std::pair(candidate.used, candidate.last); });
  std::vector<HttpSessionPtr> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(take(state, candidates[i].session->id()));
  return out;
}

}  // namespace cairn::mcp
