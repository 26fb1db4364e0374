#include "data/oauth/client.h"

#include <algorithm>
#include <array>

#include "base/base32.h"
#include "base/base64.h"
#include "base/quote.h"
#include "base/show.h"
#include "data/oauth/record.h"
#include "data/oauth/url.h"

namespace cairn::oauth {
namespace {

constexpr std::string_view kNoName = "an unnamed program";

std::unexpected<BadMetadata> bad(std::string_view error, std::string description) {
  return std::unexpected(BadMetadata{std::string(error), std::move(description)});
}

std::unexpected<BadMetadata> bad_metadata(std::string description) {
  return bad("invalid_client_metadata", std::move(description));
}

// A name as a page may show it.
std::string plain_name(std::string_view name) {
  auto out = shown(shown_lines(name), Client::kMaxNameBytes - 3);
  return out.empty() ? std::string(kNoName) : out;
}

// Whether it asks by device codes only, and nothing is sent to it.
bool is_device(const json::Object& metadata) {
  const auto types = texts_of(metadata, "grant_types");
  const auto has = [&](std::string_view one) {
    return std::ranges::find(types, one) != types.end();
  };
  return has("urn:ietf:params:oauth:grant-type:device_code") && !has("authorization_code");
}

std::expected<std::vector<RedirectUri>, BadMetadata> redirects_of(
    const json::Object& metadata, const std::set<std::string>& schemes) {
  const auto* given = json::find(metadata, "redirect_uris");
  if (given == nullptr && is_device(metadata)) return std::vector<RedirectUri>();
  if (given == nullptr || !given->is_array() || given->get_array().empty()) {
    return bad("invalid_redirect_uri", "redirect_uris should be a list of one address or more");
  }
  if (given->get_array().size() > Client::kMaxRedirects) {
    return bad("invalid_redirect_uri",
               fmt::format("there are {} redirect_uris; at most {} are possible",
                           given->get_array().size(), Client::kMaxRedirects));
  }
  std::vector<RedirectUri> out;
  std::string why;
  for (const auto& one : given->get_array()) {
    if (!one.is_string()) return bad("invalid_redirect_uri", "redirect_uris has more than texts");
    auto parsed = RedirectUri::parse(json::text(one), schemes);
    if (parsed) {
      out.push_back(*std::move(parsed));
    } else if (why.empty()) {
      why = parsed.error().message;
    }
  }
  if (out.empty()) return bad("invalid_redirect_uri", why);
  return out;
}

std::expected<std::string, BadMetadata> text_member(const json::Object& metadata,
                                                    std::string_view name) {
  const auto* given = json::find(metadata, name);
  if (given == nullptr || given->is_null()) return std::string();
  if (given->is_string()) return std::string(json::text(*given));
  return bad_metadata(fmt::format("{} should be a text", name));
}

// Programs for devices and for the browser are told apart by what they ask for.
json::Array grants_of(const json::Object& metadata) {
  json::Array out;
  for (const auto& one : texts_of(metadata, "grant_types")) {
    if (one == "authorization_code" || one == "refresh_token" ||
        one == "urn:ietf:params:oauth:grant-type:device_code") {
      out.emplace_back(one);
    }
  }
  if (out.empty()) out = {"authorization_code", "refresh_token"};
  return out;
}

std::string id_of(const Client& client) {
  std::vector<std::string> redirects;
  for (const auto& one : client.redirects) redirects.push_back(one.canonical());
  std::ranges::sort(redirects);
  const auto duplicates = std::ranges::unique(redirects);
  redirects.erase(duplicates.begin(), duplicates.end());
  const auto canonical =
      json::write(json::Object{{"name", client.name}, {"redirects", array_of(redirects)}});
  constexpr std::size_t kDigits = 32;
  const auto digest = sha256(canonical);
  return "clt_" + base32_encode({reinterpret_cast<const char*>(digest.data()), digest.size()})
                      .substr(0, kDigits);
}

}  // namespace

std::string Client::host() const {
  if (kind != ClientKind::kDocument) return {};
  const auto url = Url::parse(id);
  return url ? url->place() : std::string();
}

const RedirectUri* Client::redirect_for(const RedirectUri& asked) const {
  const auto found =
      std::ranges::find_if(redirects, [&](const auto& one) { return asked.fits(one); });
  return found == redirects.end() ? nullptr : &*found;
}

std::expected<Registration, BadMetadata> register_client(const json::Object& metadata,
                                                         const std::set<std::string>& schemes) {
  Registration out;
  out.client.redirects = TRY(redirects_of(metadata, schemes));
  const auto name = TRY(text_member(metadata, "client_name"));
  out.client.name = plain_name(name);
  out.client.id = id_of(out.client);
  std::vector<std::string> redirects;
  for (const auto& one : out.client.redirects) redirects.push_back(one.text());
  out.answer =
      json::Object{{"client_id", out.client.id},           {"client_name", out.client.name},
                   {"redirect_uris", array_of(redirects)}, {"token_endpoint_auth_method", "none"},
                   {"grant_types", grants_of(metadata)},   {"response_types", json::Array{"code"}}};
  if (const auto scope = TRY(text_member(metadata, "scope")); !scope.empty()) {
    const auto known = parse_scopes(scope);
    out.answer["scope"] = known.value_or(kBaseline).render();
  }
  for (const auto* member : {"application_type", "client_uri"}) {
    if (const auto text = TRY(text_member(metadata, member)); !text.empty()) {
      out.answer[member] = shown(text, 500);
    }
  }
  return out;
}

bool is_document_id(std::string_view id) {
  if (id.size() > Client::kMaxIdBytes) return false;
  const auto url = Url::parse(id);
  if (!url || url->scheme != "https" || url->host.empty() || url->has_user || url->has_fragment ||
      url->path.size() < 2) {
    return false;
  }
  std::string_view rest = url->path;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto segment = rest.substr(0, rest.find('/'));
    if (segment == "." || segment == "..") return false;
    rest.remove_prefix(segment.size());
  }
  return true;
}

std::expected<Client, BadMetadata> client_of_document(std::string_view id,
                                                      const json::Object& document,
                                                      const std::set<std::string>& schemes) {
  if (text_of(document, "client_id") != id) {
    return bad_metadata("client_id in the document is not the address it was read from");
  }
  for (const auto& member : document) {
    if (std::string_view(member.key()).starts_with("client_secret")) {
      return bad_metadata("the document has a secret in it");
    }
  }
  const auto method = TRY(text_member(document, "token_endpoint_auth_method"));
  if (!method.empty() && method != "none") {
    return bad_metadata(
        fmt::format("token_endpoint_auth_method is {}; only none is possible here", shown(method)));
  }
  Client out;
  out.id = id;
  out.kind = ClientKind::kDocument;
  const auto name = TRY(text_member(document, "client_name"));
  if (name.empty()) return bad_metadata("client_name is missing");
  out.name = plain_name(name);
  out.redirects = TRY(redirects_of(document, schemes));
  return out;
}

namespace {

struct Known {
  std::string_view id;
  std::string_view name;
  std::array<std::string_view, 2> redirects;
};

constexpr std::array<Known, 6> kKnownDocuments = {{
    {"https://claude.ai/oauth/claude-code-client-metadata",
     "Claude Code",
     {"http://localhost/callback", "http://127.0.0.1/callback"}},
    {"https://claude.ai/oauth/mcp-oauth-client-metadata",
     "Claude",
     {"https://claude.ai/api/mcp/auth_callback"}},
    {"https://vscode.dev/oauth/client-metadata.json",
     "Visual Studio Code",
     {"http://127.0.0.1:33418/", "https://vscode.dev/redirect"}},
    {"https://chatgpt.com/oauth/codex/client.json",
     "Codex",
     {"http://127.0.0.1/callback", "http://localhost/callback"}},
    {"https://zed.dev/oauth/client-metadata.json", "Zed", {"http://127.0.0.1/callback"}},
    {"https://opencode.ai/oauth/opencode/client.json",
     "opencode",
     {"http://127.0.0.1/callback", "http://localhost/callback"}},
}};

}  // namespace

std::optional<Client> known_client(std::string_view id) {
  const auto* found = std::ranges::find(kKnownDocuments, id, &Known::id);
  if (found == kKnownDocuments.end()) return std::nullopt;
  Client out;
  out.id = id;
  out.kind = ClientKind::kDocument;
  out.name = found->name;
  for (const auto redirect : found->redirects) {
    if (auto parsed = RedirectUri::parse(redirect)) out.redirects.push_back(*std::move(parsed));
  }
  return out;
}

std::vector<std::string_view> known_client_ids() {
  std::vector<std::string_view> out;
  for (const auto& one : kKnownDocuments) out.push_back(one.id);
  return out;
}

Bytes encode(const Client& client) {
  std::vector<std::string> redirects;
  for (const auto& one : client.redirects) redirects.push_back(one.text());
  json::Object out{{"id", client.id},
                   {"kind", std::string(1, static_cast<char>(client.kind))},
                   {"name", client.name},
                   {"redirects", array_of(redirects)},
                   {"createdAt", client.created_at},
                   {"usedAt", client.used_at}};
  if (client.secret) {
    out["secret"] = base64_encode(
        {reinterpret_cast<const char*>(client.secret->data()), client.secret->size()});
  }
  if (client.allowed) out["allowed"] = client.allowed->render();
  return write_record(out);
}

Result<Client> decode_client(ByteView value) {
  const auto record = TRY(read_record(value, "an OAuth client"));
  Client out;
  out.id = text_of(record, "id");
  const auto kind = text_of(record, "kind");
  out.kind = kind == "a"   ? ClientKind::kAdded
             : kind == "d" ? ClientKind::kDocument
                           : ClientKind::kRegistered;
  out.name = text_of(record, "name");
  out.created_at = number_of(record, "createdAt");
  out.used_at = number_of(record, "usedAt");
  for (const auto& text : texts_of(record, "redirects")) {
    // One of a scheme that the admin allows no longer is refused when it is asked for; what is
    // allowed now is not known here.
    const auto scheme = text.substr(0, text.find(':'));
    if (auto parsed = RedirectUri::parse(text, {scheme})) out.redirects.push_back(*parsed);
  }
  if (const auto secret = text_of(record, "secret"); !secret.empty()) {
    const auto bytes = base64_decode(secret);
    if (!bytes || bytes->size() != sizeof(Digest)) {
      return fail(Code::kIoError, "the record of an OAuth client in the store is damaged");
    }
    out.secret.emplace();
    std::ranges::copy(*bytes, out.secret->begin());
  }
  if (json::find(record, "allowed") != nullptr) {
    out.allowed = parse_scopes(text_of(record, "allowed"));
  }
  return out;
}

}  // namespace cairn::oauth
