#include "exposure/serve/request_log.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/json/json.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

http::RequestLog a_request() {
  return {.method = http::Method::kPost,
          .path = "/api/realm/me/depots",
          .status = 201,
          .bytes_in = 12,
          .bytes_out = 345,
          .duration = std::chrono::microseconds(678),
          .remote = "192.0.2.7",
          .id = "q7",
          .tool = "create_depot",
          .who = "dlt_1",
          .error = {},
          .cause = {}};
}

std::string logged(LogFormat format, const http::RequestLog& request) {
  const ManualClock clock(1'700'000'000'123);
  Metrics metrics;
  RequestLogger logger(clock, metrics, format);
  testing::internal::CaptureStderr();
  logger.on_request(request);
  return testing::internal::GetCapturedStderr();
}

TEST(IsoTime, IsReadByPeopleAndMachines) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_time(1'700'000'000'123), "2023-11-14T22:13:20.123Z");
}

TEST(RequestLogger, WritesALineForPeople) {
  EXPECT_EQ(logged(LogFormat::kText, a_request()),
            "2023-11-14T22:13:20.123Z 192.0.2.7 POST /api/realm/me/depots 201 678us in=12 out=345 "
            "id=q7 tool=create_depot who=dlt_1\n");
}

TEST(RequestLogger, WritesALineOfJson) {
  EXPECT_EQ(logged(LogFormat::kJson, a_request()),
            R"({"time":"2023-11-14T22:13:20.123Z","remote":"192.0.2.7","method":"POST",)"
            R"("path":"/api/realm/me/depots","status":201,"micros":678,"bytesIn":12,)"
            R"("bytesOut":345,"requestId":"q7","tool":"create_depot","who":"dlt_1"})"
            "\n");
}

TEST(RequestLogger, WritesNothingWhereNothingIsWanted) {
  EXPECT_EQ(logged(LogFormat::kNone, a_request()), "");
}

TEST(RequestLogger, SaysWhatWentWrong) {
  auto request = a_request();
  request.error = "INTERNAL";
  request.cause = "it broke";
  EXPECT_THAT(logged(LogFormat::kText, request), HasSubstr(" error=INTERNAL cause='it broke'\n"));
  const auto line = *json::parse(logged(LogFormat::kJson, request));
  EXPECT_EQ(json::text(line.at("error")), "INTERNAL");
  EXPECT_EQ(json::text(line.at("cause")), "it broke");
}

// What a client chooses: the path, and over MCP the name of the tool or method.
TEST(RequestLogger, NoClientWritesALineOfItsOwn) {
  const std::string forged = "x\n2026-01-01T00:00:00.000Z 127.0.0.1 GET /forged 200 \x1b[2J";
  for (const auto format : {LogFormat::kText, LogFormat::kJson}) {
    for (const auto part :
         {&http::RequestLog::path, &http::RequestLog::tool, &http::RequestLog::cause}) {
      auto request = a_request();
      request.*part = forged;
      const auto line = logged(format, request);
      EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
      EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    }
  }
}

TEST(RequestLogger, NoClientWritesALongLine) {
  const std::string long_text(100'000, 'x');
  for (const auto format : {LogFormat::kText, LogFormat::kJson}) {
    auto request = a_request();
    request.path = request.tool = request.cause = long_text;
    EXPECT_LT(logged(format, request).size(), 3000U);
  }
}

TEST(RequestLogger, NoKeyIsInALine) {
  auto request = a_request();
  request.path = "/api/v2/rest/cek_0123456789/query";
  for (const auto format : {LogFormat::kText, LogFormat::kJson}) {
    const auto line = logged(format, request);
    EXPECT_THAT(line, HasSubstr("/api/v2/rest/(key)/query"));
    EXPECT_THAT(line, Not(HasSubstr("0123456789")));
  }
}

TEST(RequestLogger, CountsWhatItLogsAndWhatIsOpen) {
  const ManualClock clock;
  Metrics metrics;
  RequestLogger logger(clock, metrics, LogFormat::kNone);
  auto request = a_request();
  for (const int status : {200, 201, 404, 500, 0, 999}) {
    request.status = status;
    logger.on_request(request);
  }
  logger.on_connections(7);
  const auto text = metrics.render();
  for (const auto* line :
       {"cairn_http_requests_total{status=\"2xx\"} 2\n",
        "cairn_http_requests_total{status=\"3xx\"} 0\n",
        "cairn_http_requests_total{status=\"4xx\"} 1\n",
        "cairn_http_requests_total{status=\"5xx\"} 1\n",
        "cairn_http_requests_total{status=\"none\"} 2\n", "cairn_http_connections 7\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, CountsCallsByToolAndOutcome) {
  Metrics metrics;
  metrics.called("fs_ls", "ok", std::chrono::milliseconds(2));
  metrics.called("fs_ls", "ok", std::chrono::milliseconds(20));
  metrics.called("fs_ls", "PATH_NOT_FOUND", std::chrono::milliseconds(2));
  metrics.called("fs_rm", "ok", std::chrono::seconds(20));
  metrics.budget(MemoryBudget::of(std::size_t{88} << 20).value());
  const auto text = metrics.render();
  for (const auto* line : {"cairn_calls_total{outcome=\"ok\",tool=\"fs_ls\"} 2\n",
                           "cairn_calls_total{outcome=\"PATH_NOT_FOUND\",tool=\"fs_ls\"} 1\n",
                           "cairn_calls_total{outcome=\"ok\",tool=\"fs_rm\"} 1\n",
                           "cairn_call_seconds_count{tool=\"fs_ls\"} 3\n",
                           "cairn_call_seconds_bucket{tool=\"fs_ls\",le=\"0.005\"} 2\n",
                           "cairn_call_seconds_bucket{tool=\"fs_ls\",le=\"0.05\"} 3\n",
                           "cairn_call_seconds_bucket{tool=\"fs_rm\",le=\"10\"} 0\n",
                           "cairn_call_seconds_bucket{tool=\"fs_rm\",le=\"+Inf\"} 1\n",
                           "cairn_memory_budget_bytes{share=\"in_flight\"} 16777216\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

}  // namespace
}  // namespace cairn
