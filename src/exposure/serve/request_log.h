// One line per request on standard error or in a file: for people, or JSON. No token, no query, no
// content.
//
// Threads     any: a line is one write(), so that lines do not mix. One that cannot be written is
//             dropped.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/os/handle.h"
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

  // Lines go to the end of this file from now on, which is made when it is not there; nothing: to
  // standard error. IO_ERROR: they go where they went.
  Result<void> open(const std::optional<std::filesystem::path>& file);

  void on_request(const http::RequestLog& request) override;
  void on_connections(int open) override { metrics_.connections(open); }

 private:
  std::string text_line(const http::RequestLog& request) const;
  std::string json_line(const http::RequestLog& request) const;

  const Clock& clock_;
  Metrics& metrics_;
  LogFormat format_;
  Guarded<std::shared_ptr<const os::Handle>> file_;  // null: standard error
};

}  // namespace cairn
