#include "exposure/mcp/bridge/sse_reader.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace cairn::mcp {

Result<void> SseReader::push(std::string_view portion) {
  while (!portion.empty()) {
    if (std::exchange(after_cr_, false) && portion.starts_with('\n')) {
      portion.remove_prefix(1);
      continue;
    }
    const auto end = portion.find_first_of("\r\n");
    line_ += portion.substr(0, end);
    if (line_.size() + event_.data.size() > max_event_bytes_) {
      return fail(Code::kBodyTooLarge, "an event has more than {} bytes", max_event_bytes_);
    }
    if (end == std::string_view::npos) return {};
    after_cr_ = portion[end] == '\r';
    portion.remove_prefix(end + 1);
    end_line();
  }
  return {};
}

void SseReader::end_line() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view line = line_;
  if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) {
    dispatch();
  } else if (!line.starts_with(':')) {
    const auto colon = line.find(':');
    auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
  }
  line_.clear();
}

void SseReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) event_.id = value;
  } else if (name == "retry") {
    std::uint32_t millis = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), millis);
    if (error == std::errc() && end == value.data() + value.size()) {
      event_.retry = std::chrono::milliseconds(millis);
    }
  }
}

void SseReader::dispatch() {
  SseEvent event = std::exchange(event_, {});
  // One that only says how to come back is told too.
  if (std::exchange(has_data_, false) || event.id || event.retry) take_(std::move(event));
}

}  // namespace cairn::mcp
