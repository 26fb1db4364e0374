// Client: a program that asks people for access through OAuth, and what it has said of itself.
//
// A registration (RFC 7591) is its canonical metadata: what it may mean to us, without the ports of
// loopback addresses. Equal metadata is the same client, with the same id, whenever it comes.
//
// Threads     values and plain functions of their arguments.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"
#include "data/json/json.h"
#include "data/oauth/authorization.h"
#include "data/oauth/redirect_uri.h"

namespace cairn::oauth {

struct Client {
  static constexpr std::size_t kMaxNameBytes = 200;
  static constexpr std::size_t kMaxRedirects = 20;
  static constexpr std::size_t kMaxIdBytes = 500;

  std::string id;
  ClientKind kind = ClientKind::kRegistered;
  std::string name;
  std::vector<RedirectUri> redirects;
  std::optional<Digest> secret = std::nullopt;   // its hash; only of one that was added
  std::optional<Scopes> allowed = std::nullopt;  // nothing: whatever people grant
  Millis created_at = 0;
  Millis used_at = 0;  // to the day

  // The host of a metadata document; empty: it has none.
  std::string host() const;
  // The registered one that an address fits; nullptr: none.
  const RedirectUri* redirect_for(const RedirectUri& asked) const;

  bool operator==(const Client&) const = default;
};

// What is wrong with a registration, as RFC 7591 says it.
struct BadMetadata {
  std::string error;  // invalid_redirect_uri, invalid_client_metadata
  std::string description;
};

struct Registration {
  Client client;
  json::Object answer;  // what was registered (RFC 7591 section 3.2.1), without the time
};

// From the metadata that a client sends. Addresses that are not allowed are left out, as long as
// one is left; members that are not known are passed over.
std::expected<Registration, BadMetadata> register_client(const json::Object& metadata,
                                                         const std::set<std::string>& schemes);

// From the document at its id (draft-ietf-oauth-client-id-metadata-document).
std::expected<Client, BadMetadata> client_of_document(std::string_view id,
                                                      const json::Object& document,
                                                      const std::set<std::string>& schemes);
// Whether an id is the address of a document: https, with a path, without user, fragment or dots.
bool is_document_id(std::string_view id);

// Of the documents of well-known programs, as this version was shipped with them; nothing: it is
// none of them.
std::optional<Client> known_client(std::string_view id);
std::vector<std::string_view> known_client_ids();

Bytes encode(const Client& client);
Result<Client> decode_client(ByteView value);

}  // namespace cairn::oauth
