// The records that an authorization is made of: the request that waits for a person, the code that
// the answer is, and what a device asks for.
//
// Threads  values and plain functions of their arguments.
#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "data/oauth/scopes.h"
#include "data/store/key_value.h"

namespace cairn::oauth {

struct StoredRequest {
  std::string client_id;
  std::string issuer;
  std::string redirect;  // as it was asked for; empty: a device's
  std::optional<std::string> state;
  std::string challenge;
  std::string resource;
  Scopes scopes;
  std::string device = {};  // where that lies, as base64
  bool with_iss = true;

  bool operator==(const StoredRequest&) const = default;
};

struct StoredCode {
  std::string client_id;
  std::string issuer;
  std::string redirect;
  std::string challenge;
  std::string resource;
  RealmId realm;
  DelegateId delegate;
  std::optional<std::int64_t> used_at = std::nullopt;

  bool operator==(const StoredCode&) const = default;
};

struct StoredDevice {
  enum class State : char { kWaiting = 'w', kAllowed = 'a', kDenied = 'd' };

  std::string client_id;
  std::string issuer;
  std::string resource;
  Scopes scopes;
  std::string user_code = {};  // without the hyphen
  std::string address = {};
  State state = State::kWaiting;
  std::optional<RealmId> realm = std::nullopt;
  std::optional<DelegateId> delegate = std::nullopt;
  std::int64_t polled_at = 0;
  std::int64_t interval = 5;  // seconds
  bool used = false;

  bool operator==(const StoredDevice&) const = default;
};

Bytes encode(const StoredRequest& request);
Bytes encode(const StoredCode& code);
Bytes encode(const StoredDevice& device);
Result<StoredRequest> decode_request(ByteView value);
Result<StoredCode> decode_code(ByteView value);
Result<StoredDevice> decode_device(ByteView value);

}  // namespace cairn::oauth
