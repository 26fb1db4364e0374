// One line per request on standard error: for people, or JSON. No token, no query, no content.
//
// Threads     any: a line is one write(), so that lines do not mix. One that cannot be written is
//             dropped.
#pragma once

#include <cstdio>

#include "base/clock.h"
#include "exposure/http/server.h"
#include "exposure/serve/metrics.h"
#include "exposure/serve/serve.h"

namespace cairn {

// Times as people and machines read them: 2026-11-16T01:02:03.456Z.
std::string iso_time(Millis time);

class RequestLogger final : public http::Observer {
 public:
  RequestLogger(const Clock& clock, Metrics& metrics, LogFormat format)
      : clock_(clock), metrics_(metrics), format_(format) {}

  void on_request(const http::RequestLog& request) override;
  void on_connections(int open) override { metrics_.connections(open); }

 private:
  std::string text_line(const http::RequestLog& request) const;
  std::string json_line(const http::RequestLog& request) const;

  const Clock& clock_;
  Metrics& metrics_;
  LogFormat format_;
};

}  // namespace cairn
