#include "exposure/cli/sandbox_report.h"

#include <map>
#include <string>

#include "base/os/os_testing.h"

namespace cairn::cli {
namespace {

using sandbox::SandboxChange;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using enum SandboxChange::Kind;

// A store that has files, and nothing else to say.
class FilesOnly final : public client::Client {
 public:
  Result<json::Value> call(std::string_view, const json::Object&) override {
    return fail(Code::kInternal, "nothing else is asked");
  }
  Result<json::Object> stream(std::string_view, const json::Object&, const RowSink&) override {
    return fail(Code::kInternal, "no rows here");
  }
  Result<void> read_file(std::string_view, std::string_view path, const Sink& sink) override {
    const auto found = files.find(path);
    if (found == files.end()) return fail(Code::kPathNotFound, "there is no '{}'", path);
    return sink(found->second);
  }
  Result<json::Value> write_file(std::string_view, std::string_view, const Source&) override {
    return fail(Code::kInternal, "nothing is written");
  }

  std::map<std::string, std::string, std::less<>> files;
};

struct SandboxReportTest : testing::Test {
  Result<void> print() {
    sandbox::SandboxTree tree;
    tree.directory = here.root();
    Output out;
    TRY(print_changes(out, client, tree, changes));
    return out.flush();
  }
  std::string printed() {
    testing::internal::CaptureStdout();
    const auto done = print();
    auto text = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(done) << done.error().render();
    return text;
  }
  void add(SandboxChange::Kind kind, const std::string& path, const std::string& before,
           const std::string& after) {
    if (kind != kAdded) client.files[path] = before;
    if (kind != kRemoved) here.file(path, after);
    changes.list.push_back({.kind = kind,
                            .entry = client::EntryKind::kFile,
                            .path = path,
                            .before = before.size(),
                            .after = after.size()});
  }
  void add_directory(const std::string& path) {
    changes.list.push_back({.kind = kAdded, .entry = client::EntryKind::kDirectory, .path = path});
  }

  os::TempTree here;
  FilesOnly client;
  sandbox::SandboxChanges changes;
};

TEST_F(SandboxReportTest, ListsWhatChangedAndThenItsLines) {
  add(kModified, "a.txt", "one\ntwo\n", "one\n2\n");
  add_directory("new");
  add(kAdded, "new/b.txt", "", "b\n");
  add(kRemoved, "old.txt", "o\n", "");
  EXPECT_EQ(printed(),
            "M  6 B  a.txt\n"
            "A  dir  new/\n"
            "A  2 B  new/b.txt\n"
            "D  2 B  old.txt\n"
            "--- a/a.txt\n"
            "+++ b/a.txt\n"
            "@@ -1,2 +1,2 @@\n"
            " one\n"
            "-two\n"
            "+2\n"
            "--- /dev/null\n"
            "+++ b/new/b.txt\n"
            "@@ -0,0 +1 @@\n"
            "+b\n"
            "--- a/old.txt\n"
            "+++ /dev/null\n"
            "@@ -1 +0,0 @@\n"
            "-o\n");
}

TEST_F(SandboxReportTest, ShowsNoLinesOfWhatIsNoText) {
  add(kAdded, "binary", "", std::string("\0\xff", 2));
  EXPECT_EQ(printed(), "A  2 B  binary\n");
}

TEST_F(SandboxReportTest, LeavesOutLinesAndSaysInHowManyFiles) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += fmt::format("line {}\n", i);
  add(kAdded, "a-long.txt", "", many);
  add(kAdded, "b.txt", "", "b\n");
  const auto text = printed();
  // Three lines come before those of a file.
  EXPECT_THAT(text, HasSubstr("+line 1996\n"));
  EXPECT_THAT(text, Not(HasSubstr("+line 1997\n")));
  EXPECT_THAT(text, Not(HasSubstr("+b\n")));
  EXPECT_THAT(text, EndsWith("… and more lines in 2 files\n"));
}

TEST_F(SandboxReportTest, ADirectoryHasNoLinesToLeaveOut) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += fmt::format("line {}\n", i);
  add(kAdded, "a-long.txt", "", many);
  add_directory("d");
  EXPECT_THAT(printed(), EndsWith("… and more lines in 1 file\n"));
}

TEST_F(SandboxReportTest, SaysNothingOfLinesWhenAllAreThere) {
  std::string many;
  for (int i = 0; i < 1997; ++i) many += fmt::format("line {}\n", i);
  add(kAdded, "a.txt", "", many);
  EXPECT_THAT(printed(), EndsWith("+line 1996\n"));
}

TEST_F(SandboxReportTest, ListsAThousandChangesAndCountsTheRest) {
  for (int i = 0; i < 1002; ++i) add_directory(fmt::format("d{:04}", i));
  const auto text = printed();
  EXPECT_THAT(text, HasSubstr("d0999/\n"));
  EXPECT_THAT(text, Not(HasSubstr("d1000/\n")));
  EXPECT_THAT(text, EndsWith("… and 2 more\n"));
}

TEST_F(SandboxReportTest, FailsWithWhatCannotBeRead) {
  add(kModified, "a.txt", "one\n", "two\n");
  client.files.clear();
  testing::internal::CaptureStdout();
  const auto done = print();
  testing::internal::GetCapturedStdout();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kPathNotFound);
}

}  // namespace
}  // namespace cairn::cli
