// The page where people sign in, and what they see when they have.
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/pages/frame.h"

namespace cairn::pages {

// Another door: people who are known elsewhere.
struct Provider {
  std::string name;  // as people know it
  std::string path;  // where signing in with it begins; `?request=` is added
};

// Where somebody wanted to go who has to sign in first. Never an address: a request that is kept
// here, or the page for devices.
struct Goal {
  std::string request = {};  // of OAuth, by its id
  bool device = false;
  std::string user_code = {};  // of the device

  std::string path() const;
};
// What a provider's page is given of a goal, where it is for a device: this, and the user code.
inline constexpr std::string_view kDeviceGoal = "device:";
// Whether a text can be the id of a request.
bool is_request_id(std::string_view text);

struct SignInPage {
  Goal goal = {};
  std::vector<Provider> providers = {};
  std::string name = {};  // as it was typed
  std::optional<Html> error = std::nullopt;
  bool link_failed = false;
  int status = 200;
};

http::Response sign_in_page(const Visit& visit, const SignInPage& page);
// The answer to whoever was just let in: the cookie, and on to where they wanted to go.
http::Response signed_in(const Visit& visit, const OpenedSignIn& opened, const Goal& goal);

}  // namespace cairn::pages
