#include "data/realm/keep.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/quote.h"

namespace cairn {
namespace {

constexpr Millis kDay = 86'400'000;

Failure not_understood(std::string_view text, std::string_view why) {
  return fail(Code::kInvalidArgument,
              "'{}' does not say what to keep: {}; write 'all', or e.g. '30d,daily=365d,last=100': "
              "everything of 30 days, one a day for 365, and the newest 100 in any case",
              shown(text), why);
}

// A number and what stands behind it.
std::optional<std::uint64_t> number(std::string_view text, std::string_view& rest) {
  std::uint64_t out = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  return out;
}

std::optional<std::uint64_t> days_of(std::string_view text) {
  std::string_view unit;
  const auto count = number(text, unit);
  if (!count || *count > Keep::kMaxDays) return std::nullopt;
  if (unit == "d") return count;
  if (unit == "w") return *count * 7;
  if (unit == "y") return *count * 365;
  return std::nullopt;
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  std::string_view rest;
  const auto count = number(text, rest);
  if (!count || !rest.empty()) return std::nullopt;
  return count;
}

// `daily=365d`, and what it says.
bool take(std::string_view& part, std::string_view name) {
  if (!part.starts_with(name)) return false;
  part.remove_prefix(name.size());
  return true;
}

}  // namespace

std::int64_t utc_day(Millis time) { return time / kDay - (time % kDay < 0 ? 1 : 0); }

Result<Keep> Keep::parse(std::string_view text) {
  if (text == "all") return all();
  std::optional<std::uint64_t> days;
  std::optional<std::uint64_t> daily;
  std::optional<std::uint64_t> last;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    auto part = text.substr(begin, comma - begin);
    begin = comma + 1;
    const auto whole = part;
    auto& rule = take(part, "daily=") ? daily : take(part, "last=") ? last : days;
    if (rule) return not_understood(text, fmt::format("'{}' is said twice", shown(whole)));
    rule = &rule == &last ? count_of(part) : days_of(part);
    const auto most = &rule == &last ? kMaxLast : kMaxDays;
    if (!rule || *rule > most) {
      return not_understood(text,
                            fmt::format("'{}' is none of Nd, daily=Nd and last=N", shown(whole)));
    }
  }
  Keep out{.days = days.value_or(0), .daily = daily.value_or(0), .last = last.value_or(0)};
  if (out.days + out.daily + out.last == 0) {
    return not_understood(text, "nothing would be kept; 'last=1' keeps the current version alone");
  }
  return out;
}

std::string Keep::render() const {
  if (everything) return "all";
  std::string out;
  const auto add = [&](std::string_view text) {
    out += (out.empty() ? "" : ",") + std::string(text);
  };
  if (days > 0) add(fmt::format("{}d", days));
  if (daily > 0) add(fmt::format("daily={}d", daily));
  if (last > 0) add(fmt::format("last={}", last));
  return out;
}

bool Keep::by_age(Millis time, bool last_of_its_day, Millis now) const {
  if (everything) return true;
  // From the beginning of a day, so that what is kept of it does not hang on the hour.
  const auto within = [&](std::uint64_t count) {
    return count > 0 && utc_day(time) >= utc_day(now - static_cast<Millis>(count) * kDay);
  };
  return within(days) || (last_of_its_day && within(daily));
}

}  // namespace cairn
