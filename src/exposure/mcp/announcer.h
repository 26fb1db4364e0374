// Announcer: tells listeners when what they watch has changed for them.
//
// The service announces topics; for each listener under a topic the service is asked what the
// listener sees now, and the listener is told when that differs from what it saw before. So a
// change outside a listener's view is never told, and changes in quick succession may be told once.
// Threads  any; listeners are told on a thread of the announcer's own.
#pragma once

#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/guarded.h"
#include "exposure/mcp/service.h"

namespace cairn::mcp {

class Listener {
 public:
  virtual ~Listener() = default;
  virtual PrincipalPtr principal() const = 0;
  virtual void tell(const Subject& subject) = 0;
};

class Announcer final : public Changes {
 public:
  explicit Announcer(Service& service);
  ~Announcer() override;

  // While it lives, its listener is told.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };

  // So many resources one principal watches, in all its sessions, and the bytes of their addresses.
  static constexpr std::size_t kMostOfOne = 50'000;
  static constexpr std::size_t kMostBytesOfOne = std::size_t{16} << 20;
  // Fails as Service::watch() does; kInvalidParams when the principal watches too many.
  Rpc<std::unique_ptr<Subscription>> subscribe(std::weak_ptr<Listener> listener, Subject subject);

  void changed(std::string topic) override;

 private:
  struct Entry {
    std::weak_ptr<Listener> listener;
    Subject subject;
    std::string topic;
    std::string owner = {};  // whose it counts as; empty: nobody's
    Guarded<std::string> stamp;
  };
  using EntryPtr = std::shared_ptr<Entry>;
  class Handle;
  struct Watching {
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  struct State {
    std::unordered_map<std::string, std::unordered_set<EntryPtr>> entries;
    std::unordered_map<std::string, Watching> of_owner;
    std::set<std::string> pending;
    bool stopping = false;
  };

  void run();
  void look_at(const std::string& topic);
  void look_at(Entry& entry);

  Service& service_;
  Guarded<State> state_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace cairn::mcp
