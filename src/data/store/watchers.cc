#include "data/store/watchers.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "base/mutex.h"

namespace cairn {

class Watchers::Entry final {
 public:
  Entry(KeyRange range, KeyValueStore::Watcher watcher)
      : range_(std::move(range)), watcher_(std::move(watcher)) {}

  void tell(const std::vector<Bytes>& keys) {
    std::vector<Bytes> mine;
    std::ranges::copy_if(keys, std::back_inserter(mine),
                         [this](const Bytes& key) { return contains(key); });
    if (mine.empty()) return;
    const MutexLock lock(mutex_);
    // Ended after the list was taken.
    if (ended_) return;
    running_ = true;
    try {
      watcher_(mine);
    } catch (const std::exception&) {
      // A defect of one who listens. The commit is made, and the others have to hear of it.
    }
    running_ = false;
    // Ended by the watcher itself, which could not be destroyed while it ran.
    if (ended_) watcher_ = nullptr;
  }

  void end() {
    const MutexLock lock(mutex_);
    ended_ = true;
    if (!running_) watcher_ = nullptr;
  }

 private:
  bool contains(const Bytes& key) const {
    return key >= range_.begin && (range_.end.empty() || key < range_.end);
  }

  const KeyRange range_;
  // Held during a call, which may end the subscription: hence recursive.
  RecursiveMutex mutex_;
  KeyValueStore::Watcher watcher_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
};

class Watchers::Handle final : public Subscription {
 public:
  explicit Handle(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() override { entry_->end(); }

 private:
  std::shared_ptr<Entry> entry_;
};

std::unique_ptr<Subscription> Watchers::add(KeyRange range, KeyValueStore::Watcher watcher) {
  auto entry = std::make_shared<Entry>(std::move(range), std::move(watcher));
  entries_.lock()->push_back(entry);
  return std::make_unique<Handle>(std::move(entry));
}

std::vector<std::shared_ptr<Watchers::Entry>> Watchers::living() {
  std::vector<std::shared_ptr<Entry>> found;
  auto entries = entries_.lock();
  std::erase_if(*entries, [&](const std::weak_ptr<Entry>& weak) {
    auto entry = weak.lock();
    if (!entry) return true;
    found.push_back(std::move(entry));
    return false;
  });
  return found;
}

void Watchers::tell(const std::vector<Bytes>& keys) {
  if (keys.empty()) return;
  // Without the lock of the list, so that a watcher may add or end subscriptions.
  for (const auto& entry : living()) entry->tell(keys);
}

}  // namespace cairn
