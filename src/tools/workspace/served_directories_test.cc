// Directories of the server's machine: who may use which, and that nobody else learns of them.
#include "tools/workspace/served_directories.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tools/tools_testing.h"

namespace cairn::work {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using tools_testing::Says;

class ServedDirectoriesTest : public tools_testing::ToolTest {
 protected:
  ServedDirectoriesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    base_ = fs::temp_directory_path() / fmt::format("cairn-{}-{}", test->name(), ::getpid());
    fs::remove_all(base_);
    for (const auto* name : {"notes", "logs"}) {
      fs::create_directories(base_ / name);
      std::ofstream(base_ / name / "a.txt") << "in " << name << "\n";
    }
    served_ = ServedDirectories::open(executor(),
                                      {{"notes", (base_ / "notes").string()},
                                       {"logs", (base_ / "logs").string(), true}},
                                      random_)
                  .value();
  }
  ~ServedDirectoriesTest() override { fs::remove_all(base_); }

  Caller with(const json::Array& directories) { return delegate({{"directories", directories}}); }
  static json::Object grant(std::string_view name, bool write = false) {
    return {{"name", name}, {"write", write}};
  }
  Error no_box(const Caller& caller, std::string_view name) {
    auto open = served_->open(caller, name, {});
    EXPECT_FALSE(open) << name;
    return open ? Error(Code::kInternal, "") : std::move(open).error();
  }
  // The text of an answer, or the error.
  std::string told(const Caller& caller, std::string_view directory, std::string_view tool,
                   const json::Object& arguments) {
    const auto run = [&]() -> Result<std::string> {
      const auto box = TRY(served_->open(caller, directory, {}));
      auto reply = TRY(box->run(*TRY(box->find(tool)), arguments, {}));
      return std::string(json::text(reply.value.at("content")));
    };
    const auto done = run();
    return done ? *done : done.error().render();
  }
  // The one tool, on all that the caller may use.
  std::string one(const Caller& caller, const json::Object& arguments) {
    const auto box = served_->filesystem(caller, false);
    if (!box) return box.error().render();
    auto reply = (*box)->run(*(*box)->find("filesystem").value(), arguments, {});
    return reply ? json::write(reply->value) : reply.error().render();
  }
  std::string on_disk(const std::string& path) {
    std::ifstream in(base_ / path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<std::string> names(const std::vector<const Tool*>& tools) {
    std::vector<std::string> out;
    for (const auto* tool : tools) out.push_back(tool->name);
    return out;
  }

  fs::path base_;
  std::unique_ptr<ServedDirectories> served_;
};

TEST_F(ServedDirectoriesTest, TheOwnerUsesAllAndOthersWhatTheyWereGiven) {
  EXPECT_EQ(told(owner_, "notes", "read_text_file", {{"path", "a.txt"}}), "in notes\n");
  const auto reader = with({grant("notes")});
  EXPECT_EQ(told(reader, "notes", "read_text_file", {{"path", "a.txt"}}), "in notes\n");
  EXPECT_THAT(told(reader, "notes", "write_file", {{"path", "b"}, {"content", "x"}}),
              HasSubstr("FORBIDDEN"));
  const auto writer = with({grant("notes", true)});
  EXPECT_THAT(told(writer, "notes", "write_file", {{"path", "b"}, {"content", "x"}}),
              HasSubstr("Successfully wrote"));
  EXPECT_EQ(on_disk("notes/b"), "x");
  // Uploading to depots is another right.
  EXPECT_THAT(told(delegate({{"canUpload", true}}), "notes", "read_text_file", {{"path", "a.txt"}}),
              HasSubstr("NOT_FOUND"));
}

TEST_F(ServedDirectoriesTest, WhatMayNotBeUsedIsNotThere) {
  const auto reader = with({grant("notes")});
  const auto hidden = no_box(reader, "logs");
  EXPECT_EQ(hidden.code, Code::kNotFound);
  auto nothing = no_box(reader, "lags").message;
  nothing.replace(nothing.find("lags"), 4, "logs");
  EXPECT_EQ(hidden.message, nothing);
  EXPECT_EQ(no_box(another_user("carol"), "notes").code, Code::kNotFound);
  EXPECT_EQ(no_box(owner_, "../notes").code, Code::kNotFound);
  EXPECT_EQ(no_box(owner_, "").code, Code::kNotFound);
}

TEST_F(ServedDirectoriesTest, AUserIsGivenADirectoryByAnAdminAndPassesItOn) {
  const auto carol = another_user("carol");
  EXPECT_THAT(refused(carol, "create_delegate", {{"directories", json::Array{grant("notes")}}}),
              Says(Code::kPermissionExceeded, "'notes'"));
  call("update_user", {{"userId", "carol"}, {"directories", json::Array{grant("notes")}}});
  EXPECT_EQ(told(carol, "notes", "read_text_file", {{"path", "a.txt"}}), "in notes\n");
  const auto child = delegate(carol, {{"directories", json::Array{grant("notes")}}});
  EXPECT_EQ(told(child, "notes", "read_text_file", {{"path", "a.txt"}}), "in notes\n");
  EXPECT_EQ(
      refused(carol, "create_delegate", {{"directories", json::Array{grant("notes", true)}}}).code,
      Code::kPermissionExceeded);
  call("update_user", {{"userId", "carol"}, {"directories", json::Array{}}});
  EXPECT_THAT(told(child, "notes", "read_text_file", {{"path", "a.txt"}}), HasSubstr("NOT_FOUND"));
}

TEST_F(ServedDirectoriesTest, ARightThatIsTakenAwayEndsAnOpenBox) {
  const auto carol = another_user("carol");
  call("update_user", {{"userId", "carol"}, {"directories", json::Array{grant("notes", true)}}});
  const auto box = served_->open(carol, "notes", {}).value();
  EXPECT_TRUE(box->still_valid());
  call("update_user", {{"userId", "carol"}, {"directories", json::Array{}}});
  EXPECT_FALSE(box->still_valid());
  EXPECT_EQ(box->run(*box->find("list_directory").value(), {{"path", "."}}, {}).error().code,
            Code::kNotFound);
}

TEST_F(ServedDirectoriesTest, NobodyWritesWhereTheServerOnlyReads) {
  EXPECT_THAT(told(owner_, "logs", "delete_file", {{"path", "a.txt"}}), HasSubstr("FORBIDDEN"));
  EXPECT_EQ(on_disk("logs/a.txt"), "in logs\n");
  EXPECT_THAT(names(served_->open(owner_, "logs", {}).value()->offered()),
              Not(Contains("delete_file")));
  EXPECT_THAT(names(served_->open(owner_, "notes", {}).value()->offered()),
              Contains("delete_file"));
  EXPECT_THAT(names(served_->open(with({grant("notes")}), "notes", {}).value()->offered()),
              Not(Contains("delete_file")));
}

TEST_F(ServedDirectoriesTest, WhoReadsMayTryAChangeOut) {
  EXPECT_THAT(
      told(with({grant("notes")}), "notes", "delete_file", {{"path", "a.txt"}, {"dryRun", true}}),
      HasSubstr("Would have deleted a.txt"));
  EXPECT_EQ(on_disk("notes/a.txt"), "in notes\n");
}

TEST_F(ServedDirectoriesTest, EveryCallIsInTheAuditLogWithItsDirectory) {
  told(owner_, "notes", "write_file", {{"path", "b.txt"}, {"content", "a secret"}});
  const auto log = json::write(call("get_audit", {{"tool", "write_file"}}));
  EXPECT_THAT(log, HasSubstr("notes: b.txt"));
  EXPECT_THAT(log, Not(HasSubstr("a secret")));
}

TEST_F(ServedDirectoriesTest, NothingOutsideIsReached) {
  for (const auto* path : {"../logs/a.txt", "/etc/passwd", "~/x"}) {
    EXPECT_THAT(told(owner_, "notes", "read_text_file", {{"path", path}}),
                Not(HasSubstr("in logs")));
  }
  fs::create_symlink("../logs/a.txt", base_ / "notes/link");
  EXPECT_THAT(told(owner_, "notes", "read_text_file", {{"path", "link"}}),
              HasSubstr("PATH_OUTSIDE"));
}

TEST_F(ServedDirectoriesTest, TheOneToolIsOnAllThatTheCallerMayUse) {
  EXPECT_THAT(one(owner_, {{"method", "list_allowed_directories"}}),
              testing::AllOf(HasSubstr((base_ / "notes").string()),
                             HasSubstr((base_ / "logs").string()), HasSubstr("directory notes")));
  EXPECT_THAT(one(owner_, {{"method", "read_text_file"}, {"path", "a.txt"}}),
              HasSubstr("name one of logs, notes"));
  EXPECT_EQ(one(owner_, {{"method", "read_text_file"}, {"path", "a.txt"}, {"directory", "logs"}}),
            R"({"result":"in logs\n"})");
  // With one alone it is as its manual has it.
  const auto writer = with({grant("notes", true)});
  EXPECT_EQ(one(writer, {{"method", "write_file"}, {"path", "x/y.md"}, {"content", "12"}}),
            R"({"bytesWritten":2,"path":"x/y.md"})");
  EXPECT_EQ(on_disk("notes/x/y.md"), "12");
  EXPECT_THAT(one(writer, {{"method", "read_text_file"}, {"path", "a.txt"}, {"directory", "logs"}}),
              HasSubstr("NOT_FOUND"));
  EXPECT_THAT(one(delegate({}), {{"method", "list_allowed_directories"}}),
              HasSubstr("cairn serve --root NAME=DIR"));
}

TEST_F(ServedDirectoriesTest, ANameIsTakenOnceAndADirectoryIsThere) {
  const auto path = (base_ / "notes").string();
  EXPECT_EQ(ServedDirectories::open(executor(), {{"a", path}, {"a", path}}, random_).error().code,
            Code::kInvalidArgument);
  EXPECT_EQ(ServedDirectories::open(executor(), {{"a", path + "/none"}}, random_).error().code,
            Code::kPathNotFound);
  for (const std::string_view bad : {"notes", "=x", "a/b=x", "a="}) {
    EXPECT_FALSE(ServedDirectory::parse(bad)) << bad;
  }
  EXPECT_EQ(ServedDirectory::parse("a=b=c").value().path, "b=c");
}

}  // namespace
}  // namespace cairn::work
