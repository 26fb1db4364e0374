#include "exposure/serve/request_log.h"

#include <ctime>

#include <unistd.h>

#include "base/os/os_error.h"
#include "base/os/plain_files.h"
#include "base/quote.h"
#include "data/json/json.h"
#include "exposure/serve/ways_in.h"

namespace cairn {

std::string iso_time(Millis time) {
  const std::time_t seconds = time / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     time % 1000);
}

std::string RequestLogger::text_line(const http::RequestLog& request) const {
  auto line = fmt::format(
      "{} {} {} {} {} {}us in={} out={}", iso_time(clock_.now()), request.remote,
      http::name(request.method), shown(without_keys(request.path), 300), request.status,
      std::chrono::duration_cast<std::chrono::microseconds>(request.duration).count(),
      request.bytes_in, request.bytes_out);
  if (!request.id.empty()) line += fmt::format(" id={}", request.id);
  if (!request.tool.empty()) line += fmt::format(" tool={}", shown(request.tool));
  if (!request.who.empty()) line += fmt::format(" who={}", shown(request.who));
  if (!request.error.empty()) line += fmt::format(" error={}", request.error);
  if (!request.cause.empty()) line += fmt::format(" cause='{}'", shown(request.cause, 500));
  return line + "\n";
}

std::string RequestLogger::json_line(const http::RequestLog& request) const {
  json::Object out;
  out["time"] = iso_time(clock_.now());
  out["remote"] = request.remote;
  out["method"] = http::name(request.method);
  out["path"] = shown(without_keys(request.path), 1000);
  out["status"] = request.status;
  out["micros"] = std::chrono::duration_cast<std::chrono::microseconds>(request.duration).count();
  out["bytesIn"] = request.bytes_in;
  out["bytesOut"] = request.bytes_out;
  if (!request.id.empty()) out["requestId"] = request.id;
  if (!request.tool.empty()) out["tool"] = shown(request.tool);
  if (!request.who.empty()) out["who"] = shown(request.who);
  if (!request.error.empty()) out["error"] = request.error;
  if (!request.cause.empty()) out["cause"] = shown(request.cause, 500);
  return json::write(out) + "\n";
}

void RequestLogger::on_request(const http::RequestLog& request) {
  metrics_.requested(request);
  if (format_ == LogFormat::kNone) return;
  const auto line = format_ == LogFormat::kJson ? json_line(request) : text_line(request);
  // One write per line keeps lines of different threads whole. A log nobody reads is no reason to
  // stop serving.
  const auto file = *file_.lock();
  (void)os::write_once(file ? file->fd() : STDERR_FILENO, line);
}

Result<void> RequestLogger::open(const std::optional<std::filesystem::path>& file) {
  if (!file) return {};
  auto opened = TRY(os::checked(os::open_to_write(*file, os::Writes::kAtTheEnd, 0600),
                                "open the log file", *file));
  *file_.lock() = std::make_shared<const os::Handle>(std::move(opened));
  return {};
}

}  // namespace cairn
