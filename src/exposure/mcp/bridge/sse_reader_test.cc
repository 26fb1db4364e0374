#include "exposure/mcp/bridge/sse_reader.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

using ::testing::ElementsAreArray;

std::string shown_event(const SseEvent& event) {
  auto out = event.type + "|" + event.data;
  if (event.id) out += "|id=" + *event.id;
  if (event.retry) out += "|retry=" + std::to_string(event.retry->count());
  return out;
}

std::vector<std::string> read(std::string_view text, std::size_t portion) {
  std::vector<std::string> out;
  SseReader reader(1000, [&](const SseEvent& event) { out.push_back(shown_event(event)); });
  for (std::size_t at = 0; at < text.size(); at += portion) {
    EXPECT_TRUE(reader.push(text.substr(at, portion)));
  }
  return out;
}

TEST(SseReader, ReadsEventsHoweverTheyAreCut) {
  struct Case {
    std::string_view text;
    std::vector<std::string> events;
  };
  for (const Case& c : {
           Case{"data: a\n\n", {"|a"}},
           Case{"event: message\ndata: {\"a\":1}\n\n", {"message|{\"a\":1}"}},
           Case{"id: 7-3\r\ndata:a\r\ndata: b\r\n\r\n", {"|a\nb|id=7-3"}},
           Case{"data: a\r\rdata:  b\r\r", {"|a", "| b"}},
           Case{": still here\n\ndata: a\n\n", {"|a"}},
           Case{"id: 1-0\nretry: 500\ndata: \n\n", {"||id=1-0|retry=500"}},
           Case{"retry: 250\n\nretry: x\n\nretry: -1\n\n", {"||retry=250"}},
           Case{"data\ndata\n\n", {"|\n"}},
           Case{"unknown: x\nevent: y\n\ndata: a\n\n", {"|a"}},
           Case{"\xEF\xBB\xBF"
                "data: a\n\ndata: not ended\n",
                {"|a"}},
           Case{"", {}},
       }) {
    for (std::size_t portion = 1; portion <= c.text.size() + 1; ++portion) {
      EXPECT_THAT(read(c.text, portion), ElementsAreArray(c.events)) << c.text << portion;
    }
  }
}

TEST(SseReader, RefusesAnEventWithoutEnd) {
  int events = 0;
  SseReader reader(100, [&](const SseEvent&) { ++events; });
  const std::string line = "data: " + std::string(60, 'x') + "\n";
  EXPECT_TRUE(reader.push(line + "\n" + line));
  const auto too_much = reader.push(line);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, Code::kBodyTooLarge);
  EXPECT_EQ(events, 1);
}

}  // namespace
}  // namespace cairn::mcp
