// Operations that the operating system does not let a workspace do.
#include <sys/stat.h>
#include <sys/syscall.h>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;

constexpr uid_t kNobody = 65534;

// This thread alone is nobody for a while: the call itself, as the library's is for all threads.
class AsNobody final {
 public:
  AsNobody() { ::syscall(SYS_setresuid, -1, kNobody, -1); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { ::syscall(SYS_setresuid, -1, 0, -1); }
};

class Permissions : public WorkspaceTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  }
  void give(const char* path, mode_t mode) const {
    ASSERT_EQ(::chown(tree.at(path).c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chmod(tree.at(path).c_str(), mode), 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Permissions, testing::ValuesIn(kKernels), kernel_name);

TEST_P(Permissions, AreTheOperatingSystems) {
  tree.file("file", "x");
  tree.file("closed/file", "x");
  fs::permissions(tree.at("file"), fs::perms(0600));
  fs::permissions(tree.at("closed"), fs::perms(0700));
  const auto before = tree.picture(".");
  {
    const AsNobody nobody;
    const auto file = workspace->open_file("file");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, Code::kForbidden);
    EXPECT_EQ(detail_of(file.error(), "errno"), "EACCES");
    EXPECT_EQ(detail_of(file.error(), "place"), tree.at("file"));
    EXPECT_EQ(outcome(workspace->info("closed/file")), "FORBIDDEN");
    EXPECT_EQ(list("closed"), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->write("file", "y")), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->write("new", "y")), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->make_directory("a/b")), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->move("file", "to")), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->copy("file", "to")), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->remove("file", false)), "FORBIDDEN");
  }
  EXPECT_EQ(tree.picture("."), before);
}

TEST_P(Permissions, BringBackWhatCouldNotBeRemoved) {
  tree.file("mine/theirs/file", "x");
  give(".", 0755);
  give("mine", 0755);
  {
    const AsNobody nobody;
    EXPECT_EQ(outcome(workspace->remove("mine", true)), "FORBIDDEN");
  }
  EXPECT_THAT(tree.picture("."), ElementsAre("mine/", "mine/theirs/", "mine/theirs/file=x"));
}

TEST_P(Permissions, LeaveNothingOfACopyThatFailed) {
  tree.file("from/a", "x");
  tree.file("from/b", "x");
  fs::permissions(tree.at("from/b"), fs::perms(0600));
  give(".", 0755);
  const auto before = tree.picture(".");
  {
    const AsNobody nobody;
    EXPECT_EQ(outcome(workspace->copy("from", "to")), "FORBIDDEN");
  }
  EXPECT_EQ(tree.picture("."), before);
}

TEST_P(Permissions, AreNotThoseOfAnotherOwnerAfterAWrite) {
  tree.file("program", "x");
  fs::permissions(tree.at("program"), fs::perms(06755));
  give(".", 0755);
  {
    const AsNobody nobody;
    EXPECT_TRUE(workspace->write("program", "y"));
  }
  struct stat stat = {};
  ASSERT_EQ(::stat(tree.at("program").c_str(), &stat), 0);
  EXPECT_EQ(stat.st_uid, kNobody);
  EXPECT_EQ(stat.st_mode & 07777, 0755U);
}

}  // namespace
}  // namespace cairn
