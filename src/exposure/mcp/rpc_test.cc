#include "exposure/mcp/rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

using testing::HasSubstr;

std::expected<Message, BadMessage> read(std::string_view text) {
  return read_message(json::parse(text).value());
}

TEST(ReadMessage, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_TRUE(
      std::holds_alternative<Request>(*read(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")));
  EXPECT_TRUE(std::holds_alternative<Notification>(
      *read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")));
  EXPECT_TRUE(
      std::holds_alternative<Response>(*read(R"({"jsonrpc":"2.0","id":"s-1","result":{}})")));
}

TEST(ReadMessage, KeepsTheKindOfAnId) {
  const auto number = std::get<Request>(*read(R"({"jsonrpc":"2.0","id":7,"method":"ping"})"));
  const auto text = std::get<Request>(*read(R"({"jsonrpc":"2.0","id":"7","method":"ping"})"));
  EXPECT_EQ(write_result(number.id, {}), R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(write_result(text.id, {}), R"({"jsonrpc":"2.0","id":"7","result":{}})");
}

TEST(ReadMessage, RefusesWhatIsNoMessage) {
  struct Case {
    std::string_view text;
    std::string_view says;
    json::Value id = nullptr;
  };
  const Case cases[] = {
      {R"([])", "JSON object"},
      {R"("ping")", "JSON object"},
      {R"({"id":1,"method":"ping"})", "jsonrpc", 1},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "jsonrpc", 1},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "'id'"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "'id'"},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", "'id'"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", "'method'", 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", "'params'", 1},
      {R"({"jsonrpc":"2.0","id":1})", "'method', a 'result' or an 'error'", 1},
      {R"({"jsonrpc":"2.0"})", "'method' or an 'id'"},
  };
  for (const auto& [text, says, id] : cases) {
    const auto read_as = read(text);
    ASSERT_FALSE(read_as) << text;
    EXPECT_EQ(read_as.error().error.code, rpc_code::kInvalidRequest) << text;
    EXPECT_THAT(read_as.error().error.message, HasSubstr(std::string(says))) << text;
    EXPECT_EQ(read_as.error().id, id) << text;
  }
}

TEST(ReadMessage, AnIdIsNotLong) {
  const auto with_id = [](std::size_t bytes) {
    return read(R"({"jsonrpc":"2.0","id":")" + std::string(bytes, 'x') + R"(","method":"ping"})");
  };
  EXPECT_TRUE(with_id(1000));
  const auto refused = with_id(1001);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().error.message, HasSubstr("'id'"));
  EXPECT_EQ(refused.error().id, nullptr);
}

TEST(ReadMessage, TakesAClientsErrorAsTheOutcome) {
  const auto response =
      std::get<Response>(*read(R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}})"));
  ASSERT_FALSE(response.outcome);
  EXPECT_EQ(response.outcome.error().code, -1);
  EXPECT_EQ(response.outcome.error().message, "no");
}

TEST(ReadMessage, TakesAResultThatIsNoneAsAFailure) {
  // An answer is never answered; whoever waits for it learns that it is of no use.
  const auto response = std::get<Response>(*read(R"({"jsonrpc":"2.0","id":"a","result":[]})"));
  EXPECT_FALSE(response.outcome);
}

TEST(WriteError, CarriesDataOnlyWhenThereIsSome) {
  EXPECT_EQ(write_error(1, {-32601, "no"}),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})");
  EXPECT_THAT(write_error(1, {-32602, "no", json::Object{{"uri", "x"}}}),
              HasSubstr(R"("data":{"uri":"x"})"));
}

}  // namespace
}  // namespace cairn::mcp
