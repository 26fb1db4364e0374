#include "exposure/mcp/pending_answer.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

using Said = std::vector<std::string>;

class Recorder final : public EventSink {
 public:
  bool send(std::string message) override { return said.emplace_back(std::move(message)), true; }
  void finish(std::string message) override { said.push_back("last " + message); }
  void close_connection(std::chrono::milliseconds) override { said.emplace_back("closed"); }
  Said said;
};

class Call final : public PendingAnswer {
 public:
  explicit Call(std::shared_ptr<Recorder> sink) : sink_(std::move(sink)) {}
  int opened = 0;

 private:
  Stream open() override {
    ++opened;
    return {http::Response{.content_type = "stream"}, sink_};
  }
  http::Response whole(Answer answer) override {
    return {.status = answer.http_status, .content_type = "whole", .body = std::move(answer.text)};
  }

  std::shared_ptr<Recorder> sink_;
};

class Taker final : public http::Responder {
 public:
  explicit Taker(std::vector<http::Response>& taken) : taken_(taken) {}
  void answer(http::Response response) override { taken_.push_back(std::move(response)); }

 private:
  std::vector<http::Response>& taken_;
};

struct PendingAnswerTest : ::testing::Test {
  PendingAnswerTest() { call.begin(std::make_unique<Taker>(taken)); }

  std::vector<http::Response> taken;
  std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
  Call call{sink};
};

TEST_F(PendingAnswerTest, IsWholeWhenItComesAlone) {
  call.finish({"answer", 404});
  call.late();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].content_type, "whole");
  EXPECT_EQ(taken[0].status, 404);
  EXPECT_EQ(std::get<std::string>(taken[0].body), "answer");
  EXPECT_EQ(call.opened, 0);
  EXPECT_FALSE(call.send("late"));
}

TEST_F(PendingAnswerTest, IsAStreamWhenThereIsSomethingToSayBeforeIt) {
  EXPECT_TRUE(call.send("one"));
  EXPECT_EQ(taken.size(), 1u) << "at once";
  EXPECT_TRUE(call.send("two"));
  call.late();
  call.finish({"answer"});
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].content_type, "stream");
  EXPECT_EQ(sink->said, (Said{"one", "two", "last answer"}));
  EXPECT_EQ(call.opened, 1);
}

TEST_F(PendingAnswerTest, IsAStreamWhenItIsLate) {
  call.late();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].content_type, "stream");
  call.finish({"answer"});
  EXPECT_EQ(sink->said, (Said{"last answer"}));
}

TEST_F(PendingAnswerTest, IsAStreamWhenItsConnectionEndsBeforeIt) {
  call.close_connection(std::chrono::milliseconds(1));
  call.finish({"answer"});
  EXPECT_EQ(taken.size(), 1u);
  EXPECT_EQ(sink->said, (Said{"closed", "last answer"}));
}

TEST(PendingAnswer, IsNeverAStreamForWhoTakesNone) {
  std::vector<http::Response> taken;
  Call call(nullptr);
  call.begin(std::make_unique<Taker>(taken));
  EXPECT_FALSE(call.send("one"));
  call.late();
  call.close_connection(std::chrono::milliseconds(1));
  EXPECT_TRUE(taken.empty());
  call.finish({"answer"});
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].content_type, "whole");
}

}  // namespace
}  // namespace cairn::mcp
