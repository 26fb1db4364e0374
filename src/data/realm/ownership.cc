#include "data/realm/ownership.h"

#include <fmt/ranges.h>

namespace cairn {
namespace {

Result<NodeKey> the_one(const KeyPrefix& prefix, std::span<const NodeKey> found) {
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return fail(Code::kNodeNotFound, "no node you wrote has a key that begins with {}",
                prefix.render());
  }
  std::vector<std::string> candidates;
  for (const auto& key : found) candidates.push_back(key.render());
  auto message = fmt::format(
      "several nodes you wrote have a key that begins with {}: {}; give more characters",
      prefix.render(), fmt::join(candidates, ", "));
  return Failure(
      Error(Code::kAmbiguousKey, std::move(message)).with("candidates", std::move(candidates)));
}

}  // namespace

Result<bool> Ownership::owns(const DelegateId& owner, const NodeKey& node) const {
  return TRY(kv_.get(records::owned_key(realm_, owner, node))).has_value();
}

Result<void> Ownership::own(std::span<const DelegateId> owners, std::span<const NodeKey> nodes) {
  if (owners.empty() || nodes.empty()) return {};
  Batch batch;
  batch.realm = realm_;
  batch.required.assign(nodes.begin(), nodes.end());
  batch.durability = Durability::kBuffered;
  add_to(batch, owners, nodes);
  return kv_.commit(std::move(batch));
}

void Ownership::add_to(Batch& batch, std::span<const DelegateId> owners,
                       std::span<const NodeKey> nodes) const {
  const auto now = clock_.now();
  for (const auto& owner : owners) {
    for (const auto& node : nodes) {
      batch.puts.push_back(
          {records::owned_key(realm_, owner, node), records::encode(Owned{owner, node, now})});
    }
  }
}

Result<NodeKey> Ownership::resolve(const DelegateId& owner, std::string_view key_or_prefix,
                                   std::optional<Millis> after) const {
  constexpr std::size_t kShown = 8;
  const auto prefix = TRY(KeyPrefix::parse(key_or_prefix));
  KeyRange range{records::owned_key(realm_, owner, prefix.low()),
                 records::owned_key(realm_, owner, prefix.high()) + '\0'};
  std::vector<NodeKey> found;
  std::optional<Error> error;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    auto owned = records::decode_owned(key, value);
    if (!owned) {
      error = std::move(owned).error();
      return Scan::kStop;
    }
    if (!after || owned->time > *after) found.push_back(owned->node);
    return found.size() < kShown ? Scan::kContinue : Scan::kStop;
  }));
  if (error) return Failure(std::move(*error));
  return the_one(prefix, found);
}

}  // namespace cairn
