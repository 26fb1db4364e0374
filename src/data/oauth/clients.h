// Clients: the OAuth clients that are known here.
//
// Invariants  one that registered itself has the id of its metadata, so it is the same row however
//             often it comes. There are at most kMost; one of these goes 90 days after it was last
//             used, or when there are too many, unless a grant is of it. One that an admin has
//             added, or that a grant is of, stays.
// Threads     every function may be called from any thread.
// Fails with  NOT_FOUND, TOO_MANY_ENTRIES.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "data/oauth/client.h"
#include "data/store/key_value.h"

namespace cairn::oauth {

struct NewClient {
  std::string name = {};
  std::vector<std::string> redirects = {};       // none: it asks by device codes only
  std::optional<std::string> id = std::nullopt;  // nothing: one is made; or a document's address
  bool with_secret = false;
  std::optional<Scopes> allowed = std::nullopt;  // nothing: whatever people grant
};

struct AddedClient {
  Client client;
  std::optional<std::string> secret;  // shown this once
};

struct ClientPage {
  std::vector<Client> clients;
  std::optional<std::string> next_cursor;
};

class Clients final {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kMostAdded = 1'000;

  Clients(KeyValueStore& kv, const Clock& clock, Random& random)
      : kv_(kv), clock_(clock), random_(random) {}

  // One that was added or has registered, or is known by its document; nothing: none of them.
  Result<std::optional<Client>> find(std::string_view id) const;
  // Stored when it is new; whether it was.
  Result<bool> keep(const Client& client);
  Result<AddedClient> add(const NewClient& wanted);
  Result<Client> remove(std::string_view id);
  Result<ClientPage> list(std::size_t limit, std::optional<std::string_view> cursor) const;
  // Notes the day.
  void note_use(const Client& client);
  // Removes what has not been used for long.
  Result<void> tidy();

 private:
  struct Counted {
    std::size_t added = 0;
    std::vector<Client> others;
  };
  Result<Counted> count() const;
  Result<void> make_room();

  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace cairn::oauth
