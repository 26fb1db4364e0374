#include "tools/json/documents.h"

#include <atomic>
#include <optional>
#include <thread>

#include <malloc.h>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;

// Of memory, what a document of a few bytes takes and a little more.
constexpr std::size_t kSmallest = 1100;

class DocumentsTest : public tools_testing::ToolTest {
 protected:
  Result<OpenDocument> open(Documents& documents, std::string_view path) {
    const auto tree = TRY(view_tree(realm().nodes(), NodeKey::parse(root()).value()));
    return documents.open(tree, Path::parse(path).value());
  }
  Error refuses(std::string_view path) {
    Documents documents;
    auto opened = open(documents, path);
    EXPECT_FALSE(opened) << path;
    return opened ? Error(Code::kInternal, "") : opened.error();
  }
};

TEST_F(DocumentsTest, AFileIsParsedOnceWhereverItLies) {
  put_all({{"a.json", "[1]"}, {"d/b.json", "[1]"}, {"c.json", "[2]"}});
  Documents documents;
  const auto first = open(documents, "a.json").value();
  const auto again = open(documents, "d/b.json").value();
  EXPECT_EQ(first.value, again.value);
  EXPECT_EQ(documents.parsed(), 1U);
  EXPECT_EQ(json::write(*open(documents, "c.json").value().value), "[2]");
  EXPECT_EQ(documents.parsed(), 2U);
}

TEST_F(DocumentsTest, WhatWasUsedLastIsKeptWhenThereIsNoRoomForAll) {
  put_all({{"a.json", "[1]"}, {"b.json", "[2]"}, {"c.json", "[3]"}});
  Documents documents(2 * kSmallest);
  for (const auto* path : {"a.json", "b.json", "a.json", "c.json"}) {
    ASSERT_TRUE(open(documents, path));
  }
  EXPECT_EQ(documents.parsed(), 3U);
  ASSERT_TRUE(open(documents, "a.json"));
  EXPECT_EQ(documents.parsed(), 3U);
  ASSERT_TRUE(open(documents, "b.json"));
  EXPECT_EQ(documents.parsed(), 4U);
}

TEST_F(DocumentsTest, WhoHoldsAValueKeepsItThoughItIsForgotten) {
  put_all({{"a.json", "[\"text\"]"}, {"b.json", "[2]"}});
  Documents documents(kSmallest);
  const auto held = open(documents, "a.json").value();
  ASSERT_TRUE(open(documents, "b.json"));
  EXPECT_LE(documents.memory(), kSmallest);
  EXPECT_EQ(json::write(*held.value), "[\"text\"]");
}

TEST_F(DocumentsTest, ADocumentTooLargeToKeepIsStillRead) {
  put("a.json", "[1]");
  Documents documents(10);
  ASSERT_TRUE(open(documents, "a.json"));
  ASSERT_TRUE(open(documents, "a.json"));
  EXPECT_EQ(documents.parsed(), 2U);
}

TEST_F(DocumentsTest, ThoseWhoUseALargeDocumentAtOnceShareIt) {
  put("a.json", "[1]");
  Documents documents(10);
  {
    const auto one = open(documents, "a.json").value();
    EXPECT_EQ(open(documents, "a.json").value().value, one.value);
    EXPECT_EQ(documents.parsed(), 1U);
  }
  ASSERT_TRUE(open(documents, "a.json"));
  EXPECT_EQ(documents.parsed(), 2U);
  EXPECT_EQ(documents.memory(), 0U);
}

// A little over a mebibyte, each another.
std::string large_document(int number) {
  return fmt::format("[{},\"{}\"]", number, std::string(1'100'000, 'x'));
}

TEST_F(DocumentsTest, DifferentLargeOnesTakeNoMoreTogetherThanThereIsRoomFor) {
  put_all({{"a.json", large_document(1)}, {"b.json", large_document(2)}, {"small.json", "[1]"}});
  Documents documents(10, 100, std::chrono::milliseconds(0));
  {
    const auto one = open(documents, "a.json");
    ASSERT_TRUE(one) << "one alone has room";
    EXPECT_GT(documents.room().taken(), 1'000'000U);
    const auto refused = open(documents, "b.json");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRateLimited);
    EXPECT_TRUE(open(documents, "a.json")) << "the same one is shared";
    EXPECT_TRUE(open(documents, "small.json"));
  }
  EXPECT_EQ(documents.room().taken(), 0U);
  EXPECT_TRUE(open(documents, "b.json"));
}

TEST_F(DocumentsTest, ALargeOneWaitsForRoom) {
  put_all({{"a.json", large_document(1)}, {"b.json", large_document(2)}});
  Documents documents(10, 100, std::chrono::minutes(5));
  auto one = std::make_optional(open(documents, "a.json").value());
  std::atomic<bool> there = false;
  std::jthread other([&] {
    EXPECT_TRUE(open(documents, "b.json"));
    there = true;
  });
  while (documents.room().waiting() == 0) std::this_thread::yield();
  EXPECT_FALSE(there);
  EXPECT_EQ(documents.parsed(), 1U);
  one.reset();
  other.join();
  EXPECT_EQ(documents.parsed(), 2U);
}

TEST_F(DocumentsTest, LargeOnesThatAreKeptTakeNoneOfTheRoom) {
  put_all({{"a.json", large_document(1)},
           {"b.json", large_document(2)},
           {"bad.json", large_document(3) + "]"}});
  Documents documents(64 << 20, 100, std::chrono::milliseconds(0));
  const auto one = open(documents, "a.json");
  ASSERT_TRUE(one);
  EXPECT_EQ(documents.room().taken(), 0U);
  EXPECT_TRUE(open(documents, "b.json"));
  EXPECT_FALSE(open(documents, "bad.json"));
  EXPECT_EQ(documents.room().taken(), 0U);
}

// About 14 KB: as a long-running server has them, version after version.
std::string document_of_records(int first) {
  std::string text = "{";
  for (int i = 0; i < 220; ++i) {
    text += fmt::format(R"({}"k{}":{{"name":"item {}","count":{},"tags":["a","b"]}})",
                        i == 0 ? "" : ",", i, i, first + i);
  }
  return text + "}";
}

TEST_F(DocumentsTest, WhatIsKeptIsWhatItTakes) {
  put_all({{"first.json", document_of_records(1000)}, {"second.json", document_of_records(2000)}});
  Documents documents;
  // What is made once is made now.
  ASSERT_TRUE(open(documents, "first.json"));
  const auto kept_before = documents.memory();
  const auto before = ::mallinfo2().uordblks;
  ASSERT_TRUE(open(documents, "second.json"));
  const auto taken = ::mallinfo2().uordblks - before;
  const auto kept = documents.memory() - kept_before;
  if (taken < kept / 10) GTEST_SKIP() << "this allocator does not say what is taken";
  EXPECT_GT(kept * 10, taken * 7) << taken;
  EXPECT_LT(kept * 10, taken * 13) << taken;
}

TEST_F(DocumentsTest, WhatIsNoJsonIsNamedWithThePlace) {
  put_all({{"bad.json", "{\n  \"a\": 1,\n}"}, {"twice.json", R"({"a": 1, "a": 2})"}, {"d/x", ""}});
  const auto error = refuses("bad.json");
  EXPECT_THAT(error, Says(Code::kInvalidJson, "'bad.json' is not JSON"));
  EXPECT_EQ(std::get<std::int64_t>(error.details.at("line")), 3);
  EXPECT_EQ(refuses("twice.json").code, Code::kInvalidJson);
  EXPECT_THAT(refuses("d"), Says(Code::kNotAFile, "'d' is a directory"));
  EXPECT_EQ(refuses("no.json").code, Code::kPathNotFound);
}

TEST_F(DocumentsTest, AFileOverTheLimitIsRefusedWithItsSize) {
  put_all({{"a.json", std::string(Documents::kMaxBytes + 1, ' ')}});
  EXPECT_THAT(refuses("a.json"),
              Says(Code::kFileTooLarge, fmt::format("{} bytes", Documents::kMaxBytes + 1)));
}

}  // namespace
}  // namespace cairn
