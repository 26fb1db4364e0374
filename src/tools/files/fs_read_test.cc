#include <cstdio>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsReadTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view path) { return {{"nodeKey", depot_}, {"path", path}}; }

  // All of a file, part by part, as the hints of the parts say.
  std::string by_hints(std::string_view path, std::size_t& parts) {
    auto next = arguments(path);
    std::string out;
    for (parts = 1; parts < 100; ++parts) {
      const auto part = call("fs_read", next);
      out += text(part, "content");
      if (!is_true(part, "truncated")) break;
      const auto hint = text(part, "hint");
      long long line = 0;
      long long byte = 0;
      const auto at = hint.find("startLine");
      const int found =
          at == std::string::npos
              ? 0
              : std::sscanf(hint.c_str() + at, "startLine %lld and startByte %lld", &line, &byte);
      if (found < 1) return "a hint that says nothing: " + hint;
      next["startLine"] = line;
      next["startByte"] = byte;
    }
    return out;
  }
};

TEST_F(FsReadTest, ASmallFileComesWholeAndNothingIsSaidOfParts) {
  put("a.txt", "one\ntwo");
  const auto answer = call("fs_read", arguments("a.txt"));
  EXPECT_EQ(text(answer, "content"), "one\ntwo");
  EXPECT_EQ(answer.at("size"), 7);
  for (const auto* name : {"truncated", "hint", "firstLine", "lastLine"}) {
    EXPECT_FALSE(answer.contains(name)) << name;
  }
  put("empty.txt", "");
  EXPECT_EQ(text(call("fs_read", arguments("empty.txt")), "content"), "");
}

TEST_F(FsReadTest, ALongFileComesInWholeLinesThatAreAllOfItTogether) {
  std::string whole;
  for (int i = 0; i < 9000; ++i) whole += fmt::format("line {} says \"hello\"\n", i);
  put("a.txt", whole);
  const auto first = call("fs_read", arguments("a.txt"));
  EXPECT_TRUE(is_true(first, "truncated"));
  EXPECT_TRUE(text(first, "content").ends_with('\n'));
  EXPECT_EQ(first.at("size"), whole.size());
  std::size_t parts = 0;
  EXPECT_EQ(by_hints("a.txt", parts), whole);
  EXPECT_GT(parts, 3U);
}

TEST_F(FsReadTest, ALineLongerThanAnAnswerComesInPartsOfWholeCharacters) {
  std::string whole;
  while (whole.size() < 150'000) whole += "äöü😀\t";
  put("a.txt", "short\n" + whole + "\nlast\n");
  std::size_t parts = 0;
  EXPECT_EQ(by_hints("a.txt", parts), "short\n" + whole + "\nlast\n");
  EXPECT_GT(parts, 2U);
}

TEST_F(FsReadTest, WhatJsonEscapesCountsAsItIsSent) {
  put("a.txt", std::string(40'000, '\x01') + "\n");
  std::size_t parts = 0;
  EXPECT_EQ(by_hints("a.txt", parts).size(), 40'001U);
  EXPECT_GT(parts, 3U);
}

TEST_F(FsReadTest, WhoSitsBeforeTheDataHasMoreRoom) {
  const std::string whole(500'000, 'x');
  put("a.txt", whole);
  const auto answer = call(owner_.entering(Entrance::kCli), "fs_read", arguments("a.txt"));
  EXPECT_EQ(text(answer, "content"), whole);
}

TEST_F(FsReadTest, ABinaryFileIsRefusedWithItsTypeSizeAndAnotherWay) {
  put_all({{"a.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)},
           {"latin.txt", "caf\xE9"},
           {"nul.txt", std::string("a\0b", 3)}});
  const auto error = refused("fs_read", arguments("a.png"));
  EXPECT_THAT(error, Says(Code::kNotText, "image/png, 16 bytes"));
  EXPECT_THAT(error, Says(Code::kNotText, "REST"));
  EXPECT_THAT(refused("fs_read", arguments("latin.txt")), Says(Code::kNotText, "'latin.txt'"));
  EXPECT_THAT(refused("fs_read", arguments("nul.txt")), Says(Code::kNotText, "'nul.txt'"));
}

TEST_F(FsReadTest, WhatIsNotThereIsToldWithTheNearestName) {
  put("src/main.ts", "x");
  EXPECT_THAT(refused("fs_read", arguments("src/mian.ts")), Says(Code::kPathNotFound, "main.ts"));
  EXPECT_THAT(refused("fs_read", arguments("src")), Says(Code::kNotAFile, "list it instead"));
  EXPECT_THAT(refused("fs_read", arguments("src/main.ts/x")),
              Says(Code::kNotADirectory, "is a file"));
}

TEST_F(FsReadTest, ARootOfThePastIsReadAsItWas) {
  put("a.txt", "1");
  const auto then = root();
  put("a.txt", "2");
  EXPECT_EQ(content_at(then, "a.txt"), "1");
  EXPECT_EQ(content_at(then.substr(0, 16), "a.txt"), "1");
  EXPECT_THAT(refused("fs_read", {{"nodeKey", "dpt_nothing"}, {"path", "a.txt"}}).message,
              HasSubstr("dpt_nothing"));
}

TEST_F(FsReadTest, WhatADelegateMayNotSeeIsNotThere) {
  put("docs/a.txt", "1");
  put("src/b.txt", "2");
  const auto writer = writer_in("docs");
  EXPECT_EQ(text(call(writer, "fs_read", arguments("a.txt")), "content"), "1");
  for (const auto* path : {"src/b.txt", "docs/a.txt"}) {
    EXPECT_EQ(refused(writer, "fs_read", arguments(path)).code, Code::kPathNotFound) << path;
  }
  EXPECT_EQ(refused(writer, "fs_read", arguments("../src/b.txt")).code, Code::kInvalidPath);
  auto by_key = arguments("src/b.txt");
  by_key["nodeKey"] = root();
  EXPECT_THAT(refused(writer, "fs_read", by_key), Says(Code::kNodeNotAuthorized, root()));
}

}  // namespace
}  // namespace cairn
