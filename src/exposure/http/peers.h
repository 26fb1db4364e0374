// Peers: how many connections each address has. The addresses of an IPv6 network are one.
//
// Threads  any.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/guarded.h"
#include "base/network.h"

namespace cairn::http {

class Peers final {
 public:
  // 0: an address may have as many as there are.
  explicit Peers(std::size_t most_each) : most_each_(most_each) {}

  // False: the address has its share already, and nothing is counted.
  bool come(const std::string& address) {
    auto open = open_.lock();
    auto& count = (*open)[network_of(address)];
    if (most_each_ > 0 && count >= most_each_) return false;
    count += 1;
    return true;
  }
  void leave(const std::string& address) {
    auto open = open_.lock();
    const auto found = open->find(network_of(address));
    if (--found->second == 0) open->erase(found);
  }

 private:
  const std::size_t most_each_;
  Guarded<std::map<std::string, std::size_t>> open_;
};

}  // namespace cairn::http
