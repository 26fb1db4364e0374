#include "exposure/mcp/seal.h"

#include "base/base64.h"
#include "base/sha256.h"

namespace cairn::mcp {
namespace {

std::unexpected<RpcError> refuse(std::string_view why) {
  return rpc_fail(rpc_code::kInvalidParams,
                  fmt::format("'requestState' {}; send the request again without it", why));
}

}  // namespace

std::string Seal::sign(std::string_view payload, std::string_view bound) const {
  std::string text = fmt::format("{}:{}{}", payload.size(), payload, bound);
  const Digest digest = hmac_sha256(key_, text);
  return base64_encode(ByteView(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string Seal::close(const json::Value& state, std::string_view bound) const {
  const Millis until = clock_.now() + std::chrono::milliseconds(kLifetime).count();
  const std::string payload =
      base64_encode(json::write(json::Object{{"until", until}, {"state", state}}));
  return payload + "." + sign(payload, bound);
}

Rpc<json::Value> Seal::open(std::string_view sealed, std::string_view bound) const {
  const auto dot = sealed.find('.');
  if (dot == std::string_view::npos) return refuse("is not one this server gave");
  const auto payload = sealed.substr(0, dot);
  if (!same_secret(sign(payload, bound), sealed.substr(dot + 1))) {
    return refuse("was changed, or belongs to another request");
  }
  const auto text = base64_decode(payload);
  auto value = json::parse(text.value_or(""));
  if (!value) return refuse("is not one this server gave");
  auto& object = value->as_object();
  if (object["until"].as_int64() < clock_.now()) return refuse("is too old");
  return std::move(object["state"]);
}

}  // namespace cairn::mcp
