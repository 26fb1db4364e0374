// Signing in to a server, from discovery to tokens: in a browser on this machine, or on any other
// device.
//
// Threads     plain functions of their arguments; they return when the person is done.
// Fails with  as the parts they are made of.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/pause.h"
#include "base/random.h"
#include "exposure/login/credentials.h"
#include "exposure/login/discovery.h"

namespace cairn::login {

struct Asking {
  std::string scope = {};   // empty: what the server suggests
  std::string client = {};  // empty: one is registered
  std::string client_name = "cairn";
  std::chrono::milliseconds patience = std::chrono::minutes(10);
};

struct Means {
  const Web& web;
  const Clock& clock;
  Random& random;
  // Between two questions whether the person is done.
  std::function<void(std::chrono::seconds)> wait = [](std::chrono::seconds time) {
    pause(time, {});
  };
};

// The person is to open this page.
using OpenPage = std::function<void(const std::string& page)>;
Result<Credentials> sign_in_here(const Means& means, const Authority& authority,
                                 const Asking& asking, const OpenPage& open);

// The person is to open this page, on whatever device, and enter the code there.
using ShowCode = std::function<void(const DeviceRequest& request)>;
Result<Credentials> sign_in_elsewhere(const Means& means, const Authority& authority,
                                      const Asking& asking, const ShowCode& show);

}  // namespace cairn::login
