// SseReader: a stream of server-sent events, as its portions come.
//
// Lines end in LF, CRLF or CR; comments and unknown fields are skipped. An event that no empty line
// ends is dropped.
// Threads     one at a time.
// Fails with  BODY_TOO_LARGE for an event that is.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::mcp {

struct SseEvent {
  std::string type;  // empty: `message`
  std::string data;  // its lines, with line feeds between them
  std::optional<std::string> id = std::nullopt;
  std::optional<std::chrono::milliseconds> retry = std::nullopt;
};

class SseReader final {
 public:
  using Take = std::function<void(SseEvent event)>;
  SseReader(std::size_t max_event_bytes, Take take)
      : max_event_bytes_(max_event_bytes), take_(std::move(take)) {}

  Result<void> push(std::string_view portion);

 private:
  void end_line();
  void take_field(std::string_view name, std::string_view value);
  void dispatch();

  const std::size_t max_event_bytes_;
  const Take take_;
  std::string line_;
  bool after_cr_ = false;
  bool first_line_ = true;
  bool has_data_ = false;
  SseEvent event_;
};

}  // namespace cairn::mcp
