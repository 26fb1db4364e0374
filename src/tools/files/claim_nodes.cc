#include <chrono>

#include "base/base64.h"
#include "base/pause.h"
#include "tools/files/nodes.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// Whoever cannot prove anything learns nothing, not even that the node exists.
Failure refused(const NodeKey& key) {
  return fail(Code::kNodeNotAuthorized,
              "the claim to {} is not proved: the proof does not fit, or there is no such node",
              key.render());
}

// A refusal takes as long whether the node is there or not: looking for it, reading it and a hash
// of it take a small part of that.
void wait_for_the_end(const Call& call, std::chrono::nanoseconds began) {
  constexpr std::chrono::nanoseconds kStep = std::chrono::milliseconds(20);
  const auto took = call.clock().monotonic() - began;
  const auto left = kStep - took % kStep;
  pause(std::chrono::ceil<std::chrono::milliseconds>(left), call.stopping());
}

// The caller has the node's bytes: a keyed hash of them, by the hash of its token.
Result<void> prove_possession(Call& call, const NodeKey& key, std::string_view proof) {
  if (!call.session().token) {
    return fail(Code::kInvalidArgument, "a proof of possession needs a token to be made with");
  }
  auto node = call.realm().nodes().get(key);
  if (!node && node.error().code != Code::kNodeNotFound) return Failure(std::move(node).error());
  if (!node) return refused(key);
  const auto& hash = *call.session().token;
  const auto expected =
      hmac_sha256({reinterpret_cast<const char*>(hash.data()), hash.size()}, (*node)->bytes());
  const auto text =
      base64_encode({reinterpret_cast<const char*>(expected.data()), expected.size()});
  if (!same_secret(text, proof)) return refused(key);
  return {};
}

// The node is below one the caller may use.
Result<void> prove_path(Call& call, const NodeKey& key, const Arguments& claim) {
  auto target = TRY(call.sight().target(claim.text("from")));
  auto root = TRY(call.realm().nodes().get(target.root));
  auto found = nodes::navigate(call, root, claim.text("path"));
  if (!found || (*found)->key() != key) return refused(key);
  return {};
}

Result<Reply> run_claim_nodes(Call& call, const Arguments& arguments) {
  const auto began = call.clock().monotonic();
  std::vector<NodeKey> keys;
  json::Array claimed;
  for (const auto& item : arguments.object().at("claims").get_array()) {
    Arguments claim(item.get_object());
    auto key = TRY(nodes::key_of(claim));
    if (claim.has("pop") == claim.has("from")) {
      return fail(Code::kInvalidArgument,
                  "the claim to {} should have either pop, or from and path", key.render());
    }
    const auto proved = claim.has("pop") ? prove_possession(call, key, claim.text("pop"))
                                         : prove_path(call, key, claim);
    if (!proved) {
      // Whoever sees all of the realm is told by other tools as well.
      if (!call.rights().realm_wide()) wait_for_the_end(call, began);
      return Failure(proved.error());
    }
    keys.push_back(key);
    claimed.emplace_back(key.render());
  }
  TRY(call.realm().ownership().own(call.session().owners, keys));
  json::Object out;
  out["claimed"] = std::move(claimed);
  return Reply(std::move(out));
}

}  // namespace

Tool claim_nodes() {
  return {
      .name = "claim_nodes",
      .title = "Claim nodes",
      .description =
          "Makes nodes of the realm yours to name by key: by proof that you have their bytes "
          "(pop: base64 of HMAC-SHA256 over them, keyed by the SHA-256 of your token's text), or "
          "by a path of child indices from something you may use. All are claimed or none.",
      .input = shape::object(
          {{"claims",
            shape::list_of(
                shape::object({{"key", shape::text("nod_… and all 52 characters")},
                               {"pop", shape::text("Proof of possession"), shape::kOptional},
                               {"from", shape::text("Depot id or node key"), shape::kOptional},
                               {"path", shape::text("Child indices: '~0/~1'"), shape::kOptional}}),
                "", 1000)}}),
      .output = shape::object({{"claimed", shape::list_of(shape::text())}}),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audience = Audience::kPrograms,
      .run = run_claim_nodes,
  };
}

}  // namespace cairn
