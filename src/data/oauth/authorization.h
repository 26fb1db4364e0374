// Authorization: what OAuth clients ask of people, from the request to the person's answer. The
// pages show it; nothing here knows of pages.
//
//   begin() ─▶ a request, kept ten minutes ─▶ asked() ─▶ allow() or deny(), once
//   a device's request is found by the code that the person types: device_request()
//
// Invariants  what a request asks for is checked when it begins and kept in the store; an answer
//             names only its id. A request has one answer. A client that is not known, or an
//             address it has not registered, is never redirected to. Whoever is let in gets a part
//             of the rights of the person who answers, in that person's realm.
// Threads     every function may be called from any thread.
// Fails with  NOT_FOUND for a request that is not there: unknown, answered, or older than ten
//             minutes (a device's: fifteen).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/access/session.h"
#include "data/oauth/origin.h"
#include "data/oauth/parameters.h"
#include "data/oauth/scopes.h"

namespace cairn::oauth {

// An OAuth error. With `redirect` the browser is sent there (the whole address, with the error in
// it); without, it is for an error page with status 400, or 429 when the error is `slow_down`.
struct Refused {
  std::string error;
  std::string description;
  std::optional<std::string> redirect = std::nullopt;
};
// The id of a request: a secret of the browser that began it, as far as one is needed; it may stand
// in an address.
struct Begun {
  std::string request;
};

// Who asks by a device code: the person should know the address and the time.
struct DeviceAsk {
  std::string user_code;  // as it is shown: WDJB-MJHT
  std::string address;
  Millis at = 0;
};

enum class ClientKind : std::uint8_t {
  kAdded = 'a',       // by an admin, who vouches for its name
  kRegistered = 'r',  // by itself: the name is only what it says
  kDocument = 'd',    // a document at its id, which is an address: the host is who it is
};

// What the consent page shows.
struct Asked {
  std::string client_id;
  std::string client_name;  // a claim, unless it was added by an admin
  std::string client_host;  // the host of a metadata document's address; empty: it has none
  ClientKind kind = ClientKind::kRegistered;
  std::string redirect_host;  // with its port, as the browser will show it; a device: empty
  std::string redirect_uri;
  // The answer goes to a program on the person's machine, which could be any.
  bool loopback_only = false;
  Scopes scopes;
  // The path of what it will be good for; empty: the whole server.
  std::string resource;
  // Of `/mcp/workspaces/{depot}`, as it stands there, decoded: an id, a title or a place. The
  // choice is fixed to it.
  std::optional<std::string> workspace;
  std::optional<DeviceAsk> device;
};

// What the person grants: a part of what was asked, but for `manage`, which may be given unasked.
struct Choice {
  bool write = false;
  bool manage = false;
  std::optional<std::vector<DepotId>> depots = std::nullopt;   // nothing: all of them
  std::optional<std::vector<ScopeRoot>> scope = std::nullopt;  // nothing: all there is
  std::optional<std::chrono::seconds> lasts = std::nullopt;    // nothing: until it is revoked
};

class Authorization {
 public:
  virtual ~Authorization() = default;

  // A request of a client, at the origin it came to. `signed_in`: the browser has a session; what
  // is asked with `prompt=none` is refused either way. `who`: the address, or the session, whose
  // part of the rate limit it takes.
  virtual std::variant<Begun, Refused> begin(const Parameters& parameters, const Origin& origin,
                                             bool signed_in, std::string_view who) = 0;

  // REQUIRES: somebody is signed in: a client's document may be fetched now. INVALID_ARGUMENT when
  // that document does not fit the request.
  virtual Result<Asked> asked(std::string_view request) = 0;

  // Where the browser goes: the whole address, with code, state and iss. Empty for a device.
  // `person` is the session of the person's root delegate, `address` where the browser is.
  // PERMISSION_EXCEEDED, INVALID_ARGUMENT for a choice that cannot be; the request can then be
  // answered again.
  virtual Result<std::string> allow(std::string_view request, const Session& person,
                                    const Choice& choice, std::string_view address) = 0;
  // The same with access_denied. `person` for the audit log.
  virtual Result<std::string> deny(std::string_view request, const Session& person) = 0;

  // The request behind a user code, in whatever case and with or without the hyphen. NOT_FOUND,
  // RATE_LIMITED. `who` tried: a sign-in's id, or another name of the browser's session.
  virtual Result<std::string> device_request(std::string_view user_code, std::string_view who) = 0;
};

class OAuthBase;
// REQUIRES: the base outlives it.
std::unique_ptr<Authorization> make_authorization(OAuthBase& base);

}  // namespace cairn::oauth
