#include "tools/files/seen_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

NodeKey key(int number) { return NodeKey::of(fmt::format("{}", number)); }

TEST(SeenFiles, RemembersTheLastVersion) {
  SeenFiles seen;
  const SeenFiles::Agent ann{"owner", "ann"};
  const SeenFiles::Agent bob{"owner", "bob"};
  seen.note(ann, "a", key(1));
  seen.note(ann, "a", key(2));
  EXPECT_EQ(seen.last(ann, "a"), key(2));
  EXPECT_EQ(seen.last(bob, "a"), std::nullopt);
  seen.forget(ann, "a");
  EXPECT_EQ(seen.last(ann, "a"), std::nullopt);
}

TEST(SeenFiles, KnowsWhatIsBelow) {
  SeenFiles seen;
  const SeenFiles::Agent ann{"owner", "ann"};
  for (const auto* path : {"d", "d/a", "d/b/c", "d-e", "d.f", "e"}) seen.note(ann, path, key(1));
  std::vector<std::string> paths;
  for (const auto& [path, root] : seen.below(ann, "d")) paths.push_back(path);
  EXPECT_EQ(paths, (std::vector<std::string>{"d", "d/a", "d/b/c"}));
}

// Whatever one does, others' versions are not forgotten for it.
TEST(SeenFiles, NobodyMakesOthersForget) {
  SeenFiles seen;
  const SeenFiles::Agent ann{"ann", "a"};
  seen.note(ann, "a.txt", key(1));
  for (int i = 0; i < 20'000; ++i) {
    seen.note({"eve", fmt::format("desk {}", i)}, "x", key(i));
    seen.note({"eve", "one desk"}, fmt::format("{}/{}", std::string(100, 'x'), i), key(i));
  }
  EXPECT_EQ(seen.last(ann, "a.txt"), key(1));
}

TEST(SeenFiles, ForgetsTheOwnAgentThatWasIdleLongest) {
  SeenFiles seen;
  const std::string long_path(4000, 'p');
  for (int i = 0; i < 1000; ++i) seen.note({"o", fmt::format("{}", i)}, long_path, key(i));
  EXPECT_EQ(seen.last({"o", "0"}, long_path), std::nullopt);
  EXPECT_EQ(seen.last({"o", "999"}, long_path), key(999));
}

TEST(SeenFiles, OneAgentWithTooManyFilesBeginsAnew) {
  SeenFiles seen;
  for (int i = 0; i < 100'000; ++i) seen.note({"o", "a"}, fmt::format("file {}", i), key(i));
  EXPECT_EQ(seen.last({"o", "a"}, "file 99999"), key(99999));
  EXPECT_EQ(seen.last({"o", "a"}, "file 0"), std::nullopt);
}

// The one that has most pays, not those who have little.
TEST(SeenFiles, AllTogetherAreBounded) {
  constexpr int kOwners = 100;
  SeenFiles seen(std::size_t{1} << 20);
  const SeenFiles::Agent ann{"ann", "a"};
  seen.note(ann, "a.txt", key(1));
  for (int owner = 0; owner < kOwners; ++owner) {
    for (int i = 0; i < 200; ++i) {
      seen.note({fmt::format("o{}", owner), "a"}, fmt::format("file {}", i), key(i));
    }
  }
  int remembered = 0;
  for (int owner = 0; owner < kOwners; ++owner) {
    for (int i = 0; i < 200; ++i) {
      remembered += seen.last({fmt::format("o{}", owner), "a"}, fmt::format("file {}", i)) ? 1 : 0;
    }
  }
  EXPECT_EQ(seen.last(ann, "a.txt"), key(1));
  EXPECT_EQ(seen.last({fmt::format("o{}", kOwners - 1), "a"}, "file 199"), key(199));
  EXPECT_GT(remembered, 1000);
  EXPECT_LT(remembered, (1 << 20) / 300);
}

}  // namespace
}  // namespace cairn
