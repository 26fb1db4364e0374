#include "exposure/mcp/lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <unistd.h>

namespace cairn::mcp {

Result<std::optional<LineReader::Line>> LineReader::next() {
  constexpr std::size_t kPortion = 64 * 1024;
  for (;;) {
    const auto end = buffer_.find('\n', std::max(from_, scanned_));
    if (end != std::string::npos || (ended_ && from_ < buffer_.size())) {
      const auto stop = std::min(end, buffer_.size());
      Line line{buffer_.substr(from_, stop - from_)};
      from_ = end == std::string::npos ? buffer_.size() : end + 1;
      if (skipping_ || line.text.size() > max_bytes_) line = {.text = {}, .too_long = true};
      skipping_ = false;
      if (line.text.ends_with('\r')) line.text.pop_back();
      return line;
    }
    if (ended_) return std::nullopt;
    buffer_.erase(0, from_);
    from_ = 0;
    if (buffer_.size() > max_bytes_) {
      skipping_ = true;
      buffer_.clear();
    }
    scanned_ = buffer_.size();
    buffer_.resize(scanned_ + kPortion);
    const ssize_t got = ::read(file_, buffer_.data() + scanned_, kPortion);
    buffer_.resize(scanned_ + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) ended_ = true;
    if (got == 0 && skipping_) {
      skipping_ = false;
      buffer_.clear();
      return Line{.text = {}, .too_long = true};
    }
    if (got < 0 && errno == EAGAIN) {
      pollfd waits{.fd = file_, .events = POLLIN, .revents = 0};
      ::poll(&waits, 1, -1);
    } else if (got < 0 && errno != EINTR) {
      return fail(Code::kIoError, "reading messages failed: {}", std::strerror(errno));
    }
  }
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd waits{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&waits, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace cairn::mcp
