#include "data/store/scratch_backend.h"

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;

class ScratchBackendTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  static void put(Backend& to, Bytes key, std::optional<Bytes> value) {
    Changes changes;
    changes[Table::kPointers].emplace(std::move(key), std::move(value));
    ASSERT_THAT(to.write(changes, Durability::kSynced), IsOk());
  }
  static std::vector<std::string> rows(const Backend& of, const KeyRange& range,
                                       Direction direction, std::size_t most = 100) {
    std::vector<std::string> found;
    EXPECT_THAT(of.scan(Table::kPointers, range, direction,
                        [&](ByteView key, ByteView value) {
                          found.push_back(std::string(key) + "=" + std::string(value));
                          return found.size() < most ? Scan::kContinue : Scan::kStop;
                        }),
                IsOk());
    return found;
  }

  TempDir dir;
  std::unique_ptr<Backend> live = make_backend(GetParam(), dir / "db");
};
INSTANTIATE_TEST_SUITE_P(Each, ScratchBackendTest, both_backends(), backend_name);

TEST_P(ScratchBackendTest, ShowsWhatWasWrittenToItAndLeavesTheOtherAlone) {
  for (const char* key : {"b", "c", "e"}) put(*live, key, "live");
  ScratchBackend scratch(*live->snapshot(), *live);
  put(scratch, "a", "new");
  put(scratch, "c", "changed");
  put(scratch, "e", std::nullopt);
  put(scratch, "f", "new");
  put(*live, "d", "later");

  EXPECT_EQ(*scratch.get(Table::kPointers, "c"), "changed");
  EXPECT_EQ(*scratch.get(Table::kPointers, "e"), std::nullopt);
  EXPECT_EQ(*scratch.get(Table::kPointers, "d"), std::nullopt);
  EXPECT_THAT(rows(scratch, {"", ""}, Direction::kForward),
              ElementsAre("a=new", "b=live", "c=changed", "f=new"));
  EXPECT_THAT(rows(scratch, {"", ""}, Direction::kBackward),
              ElementsAre("f=new", "c=changed", "b=live", "a=new"));
  EXPECT_THAT(rows(scratch, {"b", "f"}, Direction::kForward), ElementsAre("b=live", "c=changed"));
  EXPECT_THAT(rows(scratch, {"", ""}, Direction::kForward, 1), ElementsAre("a=new"));
  EXPECT_THAT(rows(scratch, {"", ""}, Direction::kForward, 2), ElementsAre("a=new", "b=live"));
  EXPECT_THAT(rows(*live, {"", ""}, Direction::kForward),
              ElementsAre("b=live", "c=live", "d=later", "e=live"));
}

TEST_P(ScratchBackendTest, HoldsSoMuchAndNoMore) {
  ScratchBackend scratch(*live->snapshot(), *live);
  Changes large;
  large[Table::kNodeData].emplace("x", Bytes(ScratchBackend::kMostBytes, 'x'));
  EXPECT_THAT(scratch.write(large, Durability::kSynced), FailsWith(Code::kFileTooLarge));
  EXPECT_EQ(*scratch.get(Table::kNodeData, "x"), std::nullopt);
}

}  // namespace
}  // namespace cairn
