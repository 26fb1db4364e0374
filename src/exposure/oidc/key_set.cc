#include "exposure/oidc/key_set.h"

namespace cairn::oidc {
namespace {

constexpr json::ParseLimits kLimits{.max_depth = 10, .max_values = 20'000};

Failure no_key_set() {
  return fail(Code::kInvalidToken, "what the provider gave for its keys is no JSON Web Key Set");
}

}  // namespace

Result<KeySet> KeySet::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return no_key_set();
  const auto parsed = json::parse(text, kLimits);
  if (!parsed || !parsed->is_object()) return no_key_set();
  const auto* keys = json::find(parsed->get_object(), "keys");
  if (keys == nullptr || !keys->is_array()) return no_key_set();
  KeySet out;
  for (const auto& one : keys->get_array()) {
    if (out.keys_.size() == kMaxKeys) break;
    if (!one.is_object()) continue;
    if (auto key = PublicKey::parse(one.get_object())) out.keys_.push_back(*std::move(key));
  }
  return out;
}

KeySet::Verdict KeySet::check(const Jwt& token) const {
  std::vector<const PublicKey*> fitting;
  for (const auto& key : keys_) {
    if (!key.is_for(token.algorithm)) continue;
    if (token.key_id.empty() || key.id() == token.key_id) fitting.push_back(&key);
  }
  // Without a name it must be clear which key is meant.
  if (fitting.empty() || (token.key_id.empty() && fitting.size() > 1)) return Verdict::kUnknownKey;
  // A provider may have two keys of one name, of which one is about to go.
  for (const auto* key : fitting) {
    if (key->verifies(token.algorithm, token.signed_part, token.signature)) return Verdict::kGood;
  }
  return Verdict::kForged;
}

}  // namespace cairn::oidc
