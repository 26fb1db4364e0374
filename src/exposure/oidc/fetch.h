// Requests that this server makes itself: to the provider, and to nobody else.
//
// Threads     a Fetch may be called from any thread.
// Fails with  UNAVAILABLE when there is no answer. An answer with an error status is an answer; one
//             that points elsewhere (3xx) is not followed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn::oidc {

struct Outbound {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Fields of a form, which is posted; none: the address is got.
  std::vector<std::pair<std::string, std::string>> form = {};
};

struct Inbound {
  int status = 0;
  std::string content_type = {};
  std::string cache_control = {};
  Bytes body = {};

  // 200, and JSON by its own word.
  bool is_json() const;
};

using Fetch = std::function<Result<Inbound>(const Outbound&)>;

// Over the network: ten seconds and 256 KiB at most. `ca_file` as in http::ClientOptions.
Fetch over_network(std::filesystem::path ca_file = {});

// Where an address of a provider may lead: https, or http on this machine if the issuer is there.
Result<void> check_address(std::string_view url, std::string_view issuer, std::string_view what);

std::string form_encoded(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace cairn::oidc
