#include "data/oauth/clients.h"

#include <algorithm>

#include "base/base32.h"
#include "base/quote.h"
#include "data/oauth/pkce.h"
#include "data/oauth/record.h"
#include "data/realm/records.h"
#include "data/store/update.h"
#include "data/tree/path.h"

namespace cairn::oauth {
namespace {

constexpr Millis kDay = Millis{24} * 3600 * 1000;
constexpr Millis kKept = 90 * kDay;
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kSecretBytes = 33;

Bytes client_key(std::string_view id) { return "Oc" + Bytes(id); }

// The clients that a grant is of, without decoding more of it than that.
Result<std::set<std::string>> granted(const KeyValueStore& kv) {
  std::set<std::string> out;
  TRY(scan_records(kv, KeyRange::prefix("Og"), [&](ByteView, ByteView value) -> Result<void> {
    if (const auto record = read_record(value, "a grant")) out.insert(text_of(*record, "client"));
    return {};
  }));
  return out;
}

}  // namespace

Result<std::optional<Client>> Clients::find(std::string_view id) const {
  if (id.empty() || id.size() > Client::kMaxIdBytes) return std::nullopt;
  const auto stored = TRY(kv_.get(client_key(id)));
  if (stored) return TRY(decode_client(*stored));
  return known_client(id);
}

Result<bool> Clients::keep(const Client& client) {
  const auto key = client_key(client.id);
  if (TRY(kv_.get(key))) return false;
  TRY(make_room());
  return update(kv_, key, "the client", [&](const auto& stored, Batch& batch) -> Result<bool> {
    if (stored) return false;
    auto fresh = client;
    fresh.created_at = fresh.used_at = clock_.now();
    batch.puts.push_back({key, encode(fresh)});
    return true;
  });
}

Result<Clients::Counted> Clients::count() const {
  Counted out;
  TRY(scan_records(kv_, KeyRange::prefix("Oc"), [&](ByteView, ByteView value) -> Result<void> {
    auto client = decode_client(value);
    if (!client) return {};
    if (client->kind == ClientKind::kAdded) {
      ++out.added;
    } else {
      out.others.push_back(*std::move(client));
    }
    return {};
  }));
  return out;
}

Result<void> Clients::make_room() {
  std::size_t number = 0;
  TRY(kv_.scan(KeyRange::prefix("Oc"), Direction::kForward, [&](ByteView, ByteView) {
    ++number;
    return Scan::kContinue;
  }));
  if (number < kMost) return {};
  auto others = TRY(count()).others;
  const auto kept = TRY(granted(kv_));
  std::erase_if(others, [&](const Client& one) { return kept.contains(one.id); });
  if (others.empty()) {
    return fail(Code::kTooManyEntries, "{} programs are registered; no more are possible", number);
  }
  std::ranges::sort(others, {}, &Client::used_at);
  // Some at once, so that the next ones find room.
  others.resize(std::min<std::size_t>(others.size(), number - kMost + kMost / 50));
  Batch batch;
  for (const auto& one : others) batch.deletes.push_back(client_key(one.id));
  return kv_.commit(std::move(batch));
}

Result<AddedClient> Clients::add(const NewClient& wanted) {
  if (TRY(count()).added >= kMostAdded) {
    return fail(Code::kTooManyEntries, "{} programs were added; remove some first", kMostAdded);
  }
  AddedClient out;
  auto& client = out.client;
  client.kind = ClientKind::kAdded;
  client.name = shown(wanted.name, Client::kMaxNameBytes - 3);
  if (client.name.empty()) return fail(Code::kInvalidArgument, "the name should not be empty");
  if (wanted.redirects.size() > Client::kMaxRedirects) {
    return fail(Code::kInvalidArgument, "there are {} redirect URIs; at most {} are possible",
                wanted.redirects.size(), Client::kMaxRedirects);
  }
  for (const auto& text : wanted.redirects) {
    // An admin may allow any program's scheme by naming it.
    const auto scheme = text.substr(0, std::min(text.find(':'), text.size()));
    client.redirects.push_back(TRY(RedirectUri::parse(text, {scheme})));
  }
  if (wanted.id && !is_document_id(*wanted.id)) {
    return fail(Code::kInvalidArgument,
                "'{}' should be the https address of the client's metadata document; leave it out "
                "and an id is made",
                shown(*wanted.id));
  }
  client.id = wanted.id.value_or("clt_" + base32_encode(random_.bytes(kIdBytes)));
  client.allowed = wanted.allowed;
  client.created_at = client.used_at = clock_.now();
  if (wanted.with_secret) {
    out.secret = base64url(random_.bytes(kSecretBytes));
    client.secret = sha256(*out.secret);
  }
  Batch batch;
  const auto key = client_key(client.id);
  batch.conditions.push_back({key, std::nullopt});
  batch.puts.push_back({key, encode(client)});
  auto done = kv_.commit(std::move(batch));
  if (!done && done.error().code == Code::kConflict) {
    return fail(Code::kNameTaken, "there is a client {} already; remove it first", client.id);
  }
  TRY(std::move(done));
  return out;
}

Result<Client> Clients::remove(std::string_view id) {
  const auto stored = id.size() > Client::kMaxIdBytes ? std::nullopt : TRY(kv_.get(client_key(id)));
  if (!stored) {
    return fail(Code::kNotFound, "there is no client '{}'; list the clients to see their ids",
                shown(id));
  }
  auto client = TRY(decode_client(*stored));
  Batch batch;
  batch.deletes.push_back(client_key(id));
  TRY(kv_.commit(std::move(batch)));
  return client;
}

Result<ClientPage> Clients::list(std::size_t limit, std::optional<std::string_view> cursor) const {
  auto range = KeyRange::prefix("Oc");
  if (cursor) range.begin = client_key(TRY(parse_cursor(*cursor))) + '\0';
  ClientPage page;
  std::optional<Error> error;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView, ByteView value) {
    if (page.clients.size() == limit) {
      page.next_cursor = render_cursor(page.clients.back().id);
      return Scan::kStop;
    }
    auto client = decode_client(value);
    if (!client) {
      error = std::move(client).error();
      return Scan::kStop;
    }
    page.clients.push_back(*std::move(client));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return page;
}

void Clients::note_use(const Client& client) {
  const auto now = clock_.now();
  if (client.created_at == 0 || now - client.used_at < kDay) return;
  const auto key = client_key(client.id);
  (void)update(kv_, key, "the client", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return {};
    auto fresh = TRY(decode_client(*stored));
    fresh.used_at = now;
    batch.puts.push_back({key, encode(fresh)});
    batch.durability = Durability::kBuffered;
    return {};
  });
}

Result<void> Clients::tidy() {
  const auto now = clock_.now();
  auto others = TRY(count()).others;
  std::erase_if(others, [&](const Client& one) { return one.used_at + kKept > now; });
  if (others.empty()) return {};
  const auto kept = TRY(granted(kv_));
  Batch batch;
  for (const auto& one : others) {
    if (!kept.contains(one.id)) batch.deletes.push_back(client_key(one.id));
  }
  if (batch.deletes.empty()) return {};
  return kv_.commit(std::move(batch));
}

}  // namespace cairn::oauth
