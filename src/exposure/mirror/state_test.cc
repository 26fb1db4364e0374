#include "exposure/mirror/state.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/os_testing.h"

namespace cairn::mirror {
namespace {

using testing::HasSubstr;

const std::string kKey = "nod_" + std::string(52, '0');
const std::string kOther = "nod_" + std::string(51, '0') + "G";
const MirrorIdentity kIdentity{"/home/ada/notes", "/srv/cairn", "dpt_X", "docs"};

MirrorState a_state() {
  MirrorState state{.root = kKey, .agreed = {}, .seen = {}};
  state.agreed["docs"] = {.kind = EntryKind::kDirectory};
  state.agreed["docs/a.md"] = {EntryKind::kFile, kKey, kKey};
  state.agreed["ünï \"quoted\""] = {EntryKind::kFile, kKey, kOther};
  state.seen["docs/a.md"] = {
      kKey, {.size = 7, .modified = 1'700'000'000'123'456'789, .changed = -1, .inode = 1LL << 62}};
  return state;
}

class StateFile : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "cairn-state-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST(MirrorState, ReadsWhatItWrites) {
  const auto state = a_state();
  const auto read = MirrorState::parse(state.render(kIdentity), kIdentity);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, state);
}

TEST(MirrorState, IsOfOneMirror) {
  const auto text = a_state().render(kIdentity);
  for (auto identity : {MirrorIdentity{"/elsewhere", "/srv/cairn", "dpt_X", "docs"},
                        MirrorIdentity{"/home/ada/notes", "https://x", "dpt_X", "docs"},
                        MirrorIdentity{"/home/ada/notes", "/srv/cairn", "dpt_Y", "docs"},
                        MirrorIdentity{"/home/ada/notes", "/srv/cairn", "dpt_X", ""}}) {
    const auto read = MirrorState::parse(text, identity);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kInvalidArgument);
    EXPECT_THAT(read.error().message, HasSubstr("/home/ada/notes"));
    EXPECT_NE(identity.state_file(), kIdentity.state_file());
  }
  EXPECT_NE((MirrorIdentity{"/a", "b", "", ""}.state_file()),
            (MirrorIdentity{"/", "ab", "", ""}.state_file()));
}

TEST(MirrorState, RefusesWhatIsNone) {
  const auto good = a_state().render(kIdentity);
  const auto with = [&](std::string_view from, std::string_view to) {
    auto text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  for (const auto& text : {
           std::string(),
           std::string("[]"),
           std::string("{}"),
           good.substr(0, good.size() / 2),
           with("\"version\":1", "\"version\":2"),
           with("\"version\":1", "\"version\":\"1\""),
           with("\"docs/a.md\"", "\"../a.md\""),
           with("\"docs/a.md\"", "\"/etc/passwd\""),
           with("\"docs\":\"dir\"", "\"\":\"dir\""),
           with("\"docs\":\"dir\"", "\"docs\":7"),
           with("\"docs\":\"dir\"", "\"docs\":[]"),
           with("\"docs\":\"dir\"", "\"docs\":\"nod_1\""),
           with(",7,", ",7.5,"),
           with(",7,", ","),
           with("\"agreed\"", "\"other\""),
           with("\"seen\"", "\"other\""),
       }) {
    const auto read = MirrorState::parse(text, kIdentity);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::kInvalidArgument) << text;
  }
}

TEST_F(StateFile, SavesForItsOwnerAlone) {
  const auto path = directory_ / "deep/er/x.json";
  {
    auto file = MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->load());
    EXPECT_FALSE(file->load()->has_value());
    // One that was killed while it wrote leaves this.
    std::ofstream(path.string() + ".new") << "half";
    ASSERT_TRUE(file->save(a_state()));
    EXPECT_EQ(file->load()->value(), a_state());
  }
  struct stat state{};
  ASSERT_EQ(::stat(path.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0600U);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
  auto again = MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->load()->value(), a_state());
}

TEST_F(StateFile, KeepsTheLastStateWhenTheDiskFails) {
  const auto path = directory_ / "x.json";
  auto changed = a_state();
  changed.agreed.clear();
  for (const auto call : {os::Call::kOpen, os::Call::kWrite, os::Call::kSync, os::Call::kRename}) {
    ASSERT_TRUE(
        MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite)->save(a_state()));
    // The first that is opened is the lock.
    os::Failing failing(ENOSPC, {.call = call, .nth = call == os::Call::kOpen ? 2 : 1});
    auto file =
        MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite, failing.kernel());
    ASSERT_TRUE(file);
    const auto saved = file->save(changed);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Code::kIoError);
    EXPECT_THAT(saved.error().message, HasSubstr("No space left"));
    EXPECT_EQ(file->load()->value(), a_state());
    EXPECT_TRUE(file->save(changed));
    EXPECT_EQ(file->load()->value(), changed);
  }
}

TEST_F(StateFile, IsUsedByOneAtATime) {
  const auto path = directory_ / "x.json";
  {
    auto first = MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite);
    ASSERT_TRUE(first);
    auto second = MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::kStoreLocked);
  }
  EXPECT_TRUE(MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite));
}

TEST_F(StateFile, SaysWhichFileIsDamaged) {
  const auto path = directory_ / "x.json";
  std::ofstream(path) << "not json";
  auto file = MirrorStateFile::open(path, kIdentity, MirrorStateFile::Use::kWrite);
  ASSERT_TRUE(file);
  const auto loaded = file->load();
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr(path.string()));
}

}  // namespace
}  // namespace cairn::mirror
