#include "data/store/synced_note.h"

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

TEST(SyncedNote, IsReadAsItWasWrittenAndNotWhenItIsDamaged) {
  const TempDir dir;
  EXPECT_FALSE(SyncedNote::read(dir / "."));
  const Synced synced{.sequence = 77, .log = 12, .log_bytes = 4096};
  SyncedNote(dir / ".").write({.sequence = 70, .log = 12, .log_bytes = 4000});
  SyncedNote(dir / ".").write(synced);
  EXPECT_EQ(SyncedNote::read(dir / "."), synced);
  const auto good = synced.encode();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(Synced::decode(bad)) << i;
    EXPECT_FALSE(Synced::decode(good.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace cairn
