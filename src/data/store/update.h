// Reading, changing and writing until nobody was faster.
//
// Threads     from any thread, as often at once as one likes: each does its change once.
// Fails with  CONFLICT after kMaxUpdates, which takes a crowd; what `make` or `change` and the
//             store fail with.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "data/store/key_value.h"

namespace cairn {

inline constexpr int kMaxUpdates = 1000;

// `make(batch)` reads and fills a batch, with conditions on what it has read, and gives the result
// to return once the batch is committed. It is called again when a condition did not hold. A batch
// that changes nothing is not committed. `what` is "the depot dpt_…", for the message.
template <typename Make>
std::invoke_result_t<Make&, Batch&> until_committed(KeyValueStore& kv, const std::string& what,
                                                    Make make) {
  for (int attempt = 0; attempt < kMaxUpdates; ++attempt) {
    Batch batch;
    auto result = make(batch);
    const bool changes = !batch.puts.empty() || !batch.deletes.empty() || !batch.nodes.empty();
    if (!result || !changes) return result;
    auto done = kv.commit(std::move(batch));
    if (done) return result;
    if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  }
  return fail(Code::kConflict, "{} is changing too fast; try again", what);
}

// The same for a change that rests on one value: `change(stored, batch)` gets what the key has, or
// nothing, and adds what it puts.
template <typename Change>
std::invoke_result_t<Change&, const std::optional<Bytes>&, Batch&> update(KeyValueStore& kv,
                                                                          const Bytes& key,
                                                                          const std::string& what,
                                                                          Change change) {
  using Outcome = std::invoke_result_t<Change&, const std::optional<Bytes>&, Batch&>;
  return until_committed(kv, what, [&](Batch& batch) -> Outcome {
    const auto stored = TRY(kv.get(key));
    batch.conditions.push_back({key, stored});
    return change(stored, batch);
  });
}

}  // namespace cairn
