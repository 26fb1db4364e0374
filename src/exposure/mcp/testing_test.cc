#include "exposure/mcp/testing.h"

#include <gtest/gtest.h>

#include "exposure/mcp/server.h"

namespace cairn::mcp::testing {
namespace {

TEST(TestService, AnswersAServer) {
  TestService service;
  ManualClock clock;
  SeededRandom random(1);
  Server server(service, clock, random);
  auto channel = std::make_shared<NoChannel>();
  auto peer = std::make_shared<Peer>(a_principal(), channel);
  server.answer(peer, {1, "initialize", {{"protocolVersion", "2025-11-25"}}}, Era::kLegacy,
                channel);
  const auto answer = server.answer(
      peer, {2, "tools/call", {{"name", "echo"}, {"arguments", json::Object{{"text", "hello"}}}}},
      Era::kLegacy, channel);
  EXPECT_NE(answer.text.find("hello"), std::string::npos) << answer.text;
}

}  // namespace
}  // namespace cairn::mcp::testing
