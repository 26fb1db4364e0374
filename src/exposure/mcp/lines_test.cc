#include "exposure/mcp/lines.h"

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cairn::mcp {
namespace {

// The lines that a reader finds in bytes that come in portions.
std::vector<std::string> lines_of(const std::vector<std::string>& portions, std::size_t most) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (const auto& portion : portions) EXPECT_TRUE(write_all(ends[1], portion));
    ::close(ends[1]);
  });
  LineReader reader(ends[0], most);
  std::vector<std::string> out;
  while (const auto line = reader.next().value()) {
    out.push_back(line->too_long ? "<too long>" : line->text);
  }
  writer.join();
  ::close(ends[0]);
  return out;
}

using Lines = std::vector<std::string>;

TEST(LineReader, CutsAtLineEndsWhateverThePortions) {
  EXPECT_EQ(lines_of({"a\nbc\n"}, 100), (Lines{"a", "bc"}));
  EXPECT_EQ(lines_of({"a", "\n", "b", "c\nd", "\n"}, 100), (Lines{"a", "bc", "d"}));
  EXPECT_EQ(lines_of({"a\r\nb\n"}, 100), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of({"\n\na\n"}, 100), (Lines{"", "", "a"}));
}

TEST(LineReader, TakesALastLineWithoutItsEnd) {
  EXPECT_EQ(lines_of({"a\nlast"}, 100), (Lines{"a", "last"}));
  EXPECT_EQ(lines_of({}, 100), Lines{});
}

TEST(LineReader, SaysWhenALineIsTooLongAndGoesOn) {
  const std::string exact(100, 'x');
  EXPECT_EQ(lines_of({exact + "\nb\n"}, 100), (Lines{exact, "b"}));
  EXPECT_EQ(lines_of({exact + "y\nb\n"}, 100), (Lines{"<too long>", "b"}));
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(lines_of({huge, huge, "\nb\n"}, 1000), (Lines{"<too long>", "b"}));
  EXPECT_EQ(lines_of({huge}, 1000), (Lines{"<too long>"}));
}

TEST(WriteAll, SaysWhenNobodyReads) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(write_all(ends[1], "x"));
  ::close(ends[1]);
}

}  // namespace
}  // namespace cairn::mcp
