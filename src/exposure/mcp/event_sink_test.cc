#include "exposure/mcp/event_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Keeps what was pushed.
class FakeStream final : public http::EventStream {
 public:
  bool push(std::string portion) override {
    if (closed) return false;
    text += portion;
    return true;
  }
  void close() override { closed = true; }
  void on_closed(std::function<void()> /*callback*/) override {}

  std::string text;
  bool closed = false;
};

std::shared_ptr<KeptBytes> some_room() { return std::make_shared<KeptBytes>(10'000'000); }

TEST(SessionStream, ReplaysWhatCameAfterTheLastEventAClientSaw) {
  SessionStream stream(7, false, some_room());
  const auto first = std::make_shared<FakeStream>();
  stream.attach(first, 0);
  stream.send("one");
  first->closed = true;
  stream.send("two");
  stream.send("three");
  const auto second = std::make_shared<FakeStream>();
  stream.attach(second, 1);
  EXPECT_EQ(first->text, "id: 7-1\nevent: message\ndata: one\n\n");
  EXPECT_EQ(second->text,
            "id: 7-2\nevent: message\ndata: two\n\nid: 7-3\nevent: message\ndata: three\n\n");
}

TEST(SessionStream, GivesAClientThatSaysNothingWhatNobodyTook) {
  SessionStream stream(0, false, some_room());
  stream.send("waiting");
  const auto first = std::make_shared<FakeStream>();
  stream.attach(first, std::nullopt);
  stream.send("live");
  EXPECT_THAT(first->text, HasSubstr("waiting"));
  EXPECT_THAT(first->text, HasSubstr("live"));
  const auto second = std::make_shared<FakeStream>();
  stream.attach(second, std::nullopt);
  EXPECT_EQ(second->text, "");
  EXPECT_TRUE(first->closed);
}

TEST(SessionStream, EndsWithItsLastMessageAndCanStillBeReplayed) {
  SessionStream stream(1, true, some_room());
  const auto first = std::make_shared<FakeStream>();
  stream.attach(first, 0);
  EXPECT_THAT(first->text, testing::StartsWith("id: 1-0\nretry: "));
  stream.close_connection(std::chrono::milliseconds(5));
  EXPECT_TRUE(first->closed);
  EXPECT_THAT(first->text, testing::EndsWith("retry: 5\n\n"));
  stream.finish("result");
  EXPECT_FALSE(stream.send("late"));
  const auto second = std::make_shared<FakeStream>();
  stream.attach(second, 0);
  EXPECT_THAT(second->text, HasSubstr("data: result\n"));
  EXPECT_TRUE(second->closed);
}

TEST(SessionStream, KeepsTheLastEventsOnly) {
  SessionStream stream(1, false, some_room());
  for (int i = 1; i <= 1000; ++i) stream.send(std::to_string(i));
  const auto late = std::make_shared<FakeStream>();
  stream.attach(late, 0);
  EXPECT_THAT(late->text, Not(HasSubstr("data: 700\n")));
  EXPECT_THAT(late->text, HasSubstr("data: 1000\n"));
  SessionStream large(1, false, some_room());
  for (int i = 0; i < 100; ++i) large.send(std::string(100'000, 'x'));
  const auto next = std::make_shared<FakeStream>();
  large.attach(next, 0);
  EXPECT_LT(next->text.size(), 1'100'000u);
}

TEST(SessionStream, KeepsNothingThatIsTooLargeOrForWhichThereIsNoRoom) {
  const auto room = std::make_shared<KeptBytes>(1000);
  {
    SessionStream stream(1, false, room);
    stream.send(std::string(2'000'000, 'x'));
    stream.send(std::string(900, 'y'));
    stream.send(std::string(900, 'z'));
    const auto late = std::make_shared<FakeStream>();
    stream.attach(late, 0);
    EXPECT_THAT(late->text,
                AllOf(HasSubstr("id: 1-2\n"), Not(HasSubstr("x")), Not(HasSubstr("z"))));
    EXPECT_LE(room->now(), 1000u);
  }
  EXPECT_EQ(room->now(), 0u);
}

TEST(EventIds, AreReadAsTheyAreWritten) {
  const auto id = parse_event_id("12-34");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->stream, 12u);
  EXPECT_EQ(id->event, 34u);
  for (const auto* bad :
       {"", "-", "1", "1-", "-1", "a-1", "1-a", "1-1 ", "99999999999999999999-1"}) {
    EXPECT_FALSE(parse_event_id(bad)) << bad;
  }
}

}  // namespace
}  // namespace cairn::mcp
