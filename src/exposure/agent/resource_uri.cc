#include "exposure/agent/resource_uri.h"

#include "base/id.h"
#include "base/quote.h"
#include "data/cas/node_key.h"
#include "exposure/http/uri.h"

namespace cairn::agent {
namespace {

constexpr std::string_view kDepot = "cas://depot:";
constexpr std::string_view kNode = "cas://node:";
constexpr std::string_view kNodePrefix = "nod_";

Failure not_ours(std::string_view uri) {
  return fail(
      Code::kInvalidArgument,
      "'{}' is not a resource of this server; they are cas://depot:ID, cas://depot:ID/path, "
      "cas://node:KEY and cas://node:KEY/path",
      shown(uri));
}

std::string with_prefix(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? std::string(text) : std::string(prefix).append(text);
}

// `X`, or `X/docs`.
Result<std::string> depot_address(std::string_view text) {
  auto address = with_prefix(DepotTag::kPrefix, text);
  const auto slash = address.find('/');
  TRY(DepotId::parse(std::string_view(address).substr(0, slash)));
  if (slash != std::string::npos) TRY(Path::parse(std::string_view(address).substr(slash + 1)));
  return address;
}

Result<std::string> node_key(std::string_view text) {
  auto key = with_prefix(kNodePrefix, text);
  TRY(KeyPrefix::parse(key));
  return key;
}

}  // namespace

Result<ResourceUri> ResourceUri::parse(std::string_view uri) {
  ResourceUri out;
  out.kind = uri.starts_with(kNode) ? Kind::kNode : Kind::kDepot;
  const auto scheme = out.kind == Kind::kNode ? kNode : kDepot;
  if (!uri.starts_with(scheme)) return not_ours(uri);
  const auto rest = uri.substr(scheme.size());
  const auto slash = rest.find('/');
  const auto key = TRY(http::percent_decode(rest.substr(0, slash)));
  out.key = TRY(out.kind == Kind::kDepot ? depot_address(key) : node_key(key));
  if (slash != std::string_view::npos) {
    auto path = TRY(http::percent_decode(rest.substr(slash + 1)));
    if (path.size() > 1 && path.back() == '/') path.pop_back();
    out.path = TRY(Path::parse(path));
  }
  return out;
}

std::string ResourceUri::render() const {
  std::string out(kind == Kind::kDepot ? kDepot : kNode);
  out += http::percent_encode(std::string_view(key).substr(kNodePrefix.size()));
  if (!path) return out;
  if (path->is_root()) out += '/';
  for (const auto& segment : path->segments()) out += "/" + http::percent_encode(segment);
  return out;
}

}  // namespace cairn::agent
