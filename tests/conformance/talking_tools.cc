#include <chrono>

#include "base/pause.h"
#include "fixture_tool.h"

namespace cairn::conformance {
namespace {

// The suite wants to see messages arrive one by one. Ends early when the request is cancelled.
void pause(const mcp::Exchange& exchange, std::chrono::milliseconds time) {
  cairn::pause(time, exchange.stopping());
}

constexpr std::chrono::milliseconds kShort{50};

mcp::Rpc<mcp::ToolOutcome> log_three(mcp::Exchange& exchange, const json::Object&) {
  exchange.log(mcp::LogLevel::kInfo, "fixture", "Tool execution started");
  pause(exchange, kShort);
  exchange.log(mcp::LogLevel::kInfo, "fixture", "Tool processing data");
  pause(exchange, kShort);
  exchange.log(mcp::LogLevel::kInfo, "fixture", "Tool execution completed");
  return says("Three messages were logged.");
}

mcp::Rpc<mcp::ToolOutcome> log_each_level(mcp::Exchange& exchange, const json::Object&) {
  using enum mcp::LogLevel;
  for (const auto level :
       {kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency}) {
    exchange.log(level, "fixture", json::Object{{"level", mcp::name(level)}});
  }
  return says("A message of every level was logged.");
}

mcp::Rpc<mcp::ToolOutcome> report_progress(mcp::Exchange& exchange, const json::Object&) {
  exchange.progress(0, 100);
  pause(exchange, kShort);
  exchange.progress(50, 100, "half of it");
  pause(exchange, kShort);
  exchange.progress(100, 100);
  return says("Progress was reported.");
}

mcp::Rpc<mcp::ToolOutcome> close_and_answer(mcp::Exchange& exchange, const json::Object&) {
  exchange.close_stream(kShort);
  pause(exchange, 2 * kShort);
  return says("The stream was closed before this result.");
}

}  // namespace

std::vector<FixtureTool> talking_tools() {
  return {
      {"test_tool_with_logging", "Logs three messages while it runs", no_arguments(), kTalks,
       log_three},
      {"test_logging_tool", "Logs a message of every level", no_arguments(), kTalks,
       log_each_level},
      {"test_tool_with_progress", "Reports progress while it runs", no_arguments(), kTalks,
       report_progress},
      {"test_reconnection", "Closes its stream, and answers when the client is back",
       no_arguments(), kTalks, close_and_answer},
  };
}

}  // namespace cairn::conformance
