#include "data/realm/clock_memory.h"

namespace cairn {
namespace {

constexpr std::string_view kTimeKey = "m clock";

Result<std::optional<GuardedClock::Memory>> stored(Store& store) {
  const auto value = TRY(store.kv().get(kTimeKey));
  if (!value) return std::nullopt;
  ByteReader in(*value);
  const auto next = [&] { return static_cast<Millis>(in.varint()); };
  const GuardedClock::Memory out{.seen = next(), .settled = next(), .since = next()};
  // Damaged, it is as if there were none: nothing else hangs on it.
  if (in.failed() || !in.at_end()) return std::nullopt;
  return out;
}

}  // namespace

Result<void> recall_time(Store& store, GuardedClock& clock) {
  if (const auto memory = TRY(stored(store))) clock.remember(*memory);
  return {};
}

Result<void> keep_time(Store& store, const GuardedClock& clock,
                       std::chrono::milliseconds not_so_long) {
  const auto now = clock.memory();
  const auto before = TRY(stored(store));
  if (before && before->since == now.since && now.seen - before->seen < not_so_long.count()) {
    return {};
  }
  Batch batch;
  batch.durability = Durability::kBuffered;
  Bytes value;
  for (const auto time : {now.seen, now.settled, now.since}) {
    put_varint(value, static_cast<std::uint64_t>(time));
  }
  batch.puts.push_back({Bytes(kTimeKey), std::move(value)});
  return store.kv().commit(std::move(batch));
}

}  // namespace cairn
