#include "exposure/client/human.h"

#include <ctime>

#include <fmt/format.h>

namespace cairn::client {

std::string human_size(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::string_view unit;
  for (std::string_view next : {"kB", "MB", "GB", "TB", "PB"}) {
    value /= 1000;
    unit = next;
    if (value < 999.95) break;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::string human_time(Millis time) {
  const std::time_t seconds = time / 1000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return std::string(text, length);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace cairn::client
