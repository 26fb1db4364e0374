#include "data/store/update.h"

#include "data/store/open.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

class UpdateTest : public ::testing::Test {
 protected:
  void put(Bytes value) {
    Batch batch;
    batch.puts.push_back({"k", std::move(value)});
    EXPECT_THAT(kv.commit(std::move(batch)), IsOk());
  }
  // One "x" more.
  Result<Bytes> grow(const std::function<void()>& meanwhile = [] {}) {
    return update(kv, "k", "the key",
                  [&](const std::optional<Bytes>& stored, Batch& batch) -> Result<Bytes> {
                    meanwhile();
                    auto value = stored.value_or("") + "x";
                    batch.puts.push_back({"k", value});
                    return value;
                  });
  }

  ManualClock clock;
  std::unique_ptr<Store> store = make_memory_store(clock);
  KeyValueStore& kv = store->kv();
};

TEST_F(UpdateTest, ChangesWhatIsThereOrMakesIt) {
  EXPECT_EQ(grow().value(), "x");
  EXPECT_EQ(grow().value(), "xx");
  EXPECT_EQ(kv.get("k").value(), "xx");
}

TEST_F(UpdateTest, BeginsAnewWhenSomebodyWasFaster) {
  int others = 3;
  EXPECT_EQ(grow([&] {
              if (others-- > 0) put(fmt::format("{}", others));
            }).value(),
            "0x");
}

TEST_F(UpdateTest, GivesUpWhenSomebodyIsAlwaysFaster) {
  int calls = 0;
  const auto done = grow([&] { put(fmt::format("{}", ++calls)); });
  ASSERT_THAT(done, FailsWith(Code::kConflict));
  EXPECT_EQ(done.error().message, "the key is changing too fast; try again");
  EXPECT_EQ(calls, kMaxUpdates);
}

TEST_F(UpdateTest, EveryThreadsChangeIsMadeOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) EXPECT_THAT(grow(), IsOk());
    });
  }
  threads.clear();
  EXPECT_EQ(kv.get("k").value()->size(), std::size_t{kThreads} * kEach);
}

TEST_F(UpdateTest, WritesNothingIfTheChangeFailsOrPutsNothing) {
  const auto refused = update(kv, "k", "the key", [](const auto&, Batch& batch) -> Result<int> {
    batch.puts.push_back({"k", "v"});
    return fail(Code::kForbidden, "no");
  });
  EXPECT_THAT(refused, FailsWith(Code::kForbidden));
  const auto nothing =
      update(kv, "k", "the key", [](const auto&, Batch&) -> Result<int> { return 7; });
  EXPECT_EQ(nothing.value(), 7);
  EXPECT_EQ(kv.get("k").value(), std::nullopt);
}

}  // namespace
}  // namespace cairn
