#include "exposure/mcp/announcer.h"

#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::mcp {

class Announcer::Handle final : public Announcer::Subscription {
 public:
  Handle(Announcer& announcer, EntryPtr entry) : announcer_(announcer), entry_(std::move(entry)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() override {
    auto state = announcer_.state_.lock();
    if (const auto all = state->of_owner.find(entry_->owner); all != state->of_owner.end()) {
      all->second.bytes -= std::get<std::string>(entry_->subject).size();
      if (--all->second.count == 0) state->of_owner.erase(all);
    }
    const auto found = state->entries.find(entry_->topic);
    if (found == state->entries.end()) return;
    found->second.erase(entry_);
    if (found->second.empty()) state->entries.erase(found);
  }

 private:
  Announcer& announcer_;
  EntryPtr entry_;
};

Announcer::Announcer(Service& service) : service_(service) {
  thread_ = std::thread([this] { run(); });
  // Last: announcements may come at once.
  service_.announce_to(this);
}

Announcer::~Announcer() {
  service_.announce_to(nullptr);
  state_.lock()->stopping = true;
  wake_.notify_all();
  thread_.join();
}

Rpc<std::unique_ptr<Announcer::Subscription>> Announcer::subscribe(std::weak_ptr<Listener> listener,
                                                                   Subject subject) {
  const auto asked = listener.lock();
  if (!asked) return rpc_fail(rpc_code::kInternal, "nobody listens any more");
  const auto principal = asked->principal();
  auto watched = TRY(service_.watch(*principal, subject));
  auto entry = std::make_shared<Entry>();
  entry->listener = std::move(listener);
  entry->subject = std::move(subject);
  entry->topic = std::move(watched.topic);
  *entry->stamp.lock() = std::move(watched.stamp);
  {
    auto state = state_.lock();
    // Lists are few, and every session has them.
    if (std::holds_alternative<std::string>(entry->subject)) {
      const std::string owner(principal->id());
      const auto bytes = std::get<std::string>(entry->subject).size();
      auto& all = state->of_owner[owner];
      if (all.count >= kMostOfOne || all.bytes + bytes > kMostBytesOfOne) {
        return rpc_fail(rpc_code::kInvalidParams,
                        fmt::format("you have {} subscriptions in all your sessions; end some, or "
                                    "subscribe to a depot instead of its files",
                                    all.count));
      }
      all.count += 1;
      all.bytes += bytes;
      entry->owner = owner;
    }
    state->entries[entry->topic].insert(entry);
  }
  auto handle = std::make_unique<Handle>(*this, entry);
  // Changes before the entry was there have been announced to nobody: the stamp may be older.
  look_at(*entry);
  return handle;
}

void Announcer::changed(std::string topic) {
  {
    auto state = state_.lock();
    // Nobody listens, which is the usual case; the thread is not woken for it.
    if (!state->entries.contains(topic)) return;
    state->pending.insert(std::move(topic));
  }
  wake_.notify_one();
}

void Announcer::run() {
  for (;;) {
    std::set<std::string> topics;
    {
      auto state = state_.lock();
      wake_.wait(state.mutex(), [&] { return state->stopping || !state->pending.empty(); });
      if (state->stopping) return;
      // All at once: a topic that changed several times meanwhile is looked at once.
      topics = std::exchange(state->pending, {});
    }
    for (const auto& topic : topics) look_at(topic);
  }
}

void Announcer::look_at(const std::string& topic) {
  std::vector<EntryPtr> entries;
  {
    auto state = state_.lock();
    const auto found = state->entries.find(topic);
    if (found != state->entries.end()) entries.assign(found->second.begin(), found->second.end());
  }
  for (const auto& entry : entries) look_at(*entry);
}

void Announcer::look_at(Entry& entry) {
  const auto listener = entry.listener.lock();
  if (!listener) return;
  const auto principal = listener->principal();
  {
    // Held while it is looked at: a look that began earlier must not end later.
    auto stamp = entry.stamp.lock();
    const auto watched = service_.watch(*principal, entry.subject);
    // A resource that can no longer be seen has changed too, once.
    std::string now = watched ? watched->stamp : std::string();
    if (std::exchange(*stamp, now) == now) return;
  }
  listener->tell(entry.subject);
}

}  // namespace cairn::mcp
