#include "data/realm/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn {
namespace {

constexpr Millis kSecond = 1000;
constexpr Millis kMinute = 60 * kSecond;
constexpr Millis kHour = 60 * kMinute;
constexpr Millis kDay = 24 * kHour;
constexpr std::size_t kMaxTagBytes = 64;

struct Unit {
  std::string_view name;
  Millis time;
};
// The largest that divides a time is the one it is written with.
constexpr std::array<Unit, 6> kUnits{{{"y", 365 * kDay},
                                      {"w", 7 * kDay},
                                      {"d", kDay},
                                      {"h", kHour},
                                      {"m", kMinute},
                                      {"s", kSecond}}};

constexpr Millis kLongest = 1000 * 365 * kDay;
constexpr std::array<std::string_view, 2> kDaysAgo{"today", "yesterday"};

Failure not_a_version(std::string_view text) {
  return fail(Code::kInvalidArgument,
              "'{}' names no version; write ~1 (one commit before), #14 (a commit's number), 2h or "
              "3d (so long ago), 2026-11-01, 2026-11-01T14:30, yesterday 14:30, or a tag",
              shown(text));
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number out = 0;
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return is_digit(c); }))
    return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<Millis> span_of_time(std::string_view text) {
  for (const auto& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto count = whole_number<std::uint32_t>(text.substr(0, text.size() - 1));
    if (!count || *count > kLongest / unit.time) return std::nullopt;
    return static_cast<Millis>(*count) * unit.time;
  }
  return std::nullopt;
}

// `2026-11-01`
std::optional<std::int64_t> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = whole_number<int>(text.substr(0, 4));
  const auto month = whole_number<unsigned>(text.substr(5, 2));
  const auto day = whole_number<unsigned>(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// `14:30` or `14:30:15`
std::optional<Millis> clock_time(std::string_view text) {
  if ((text.size() != 5 && text.size() != 8) || text[2] != ':') return std::nullopt;
  if (text.size() == 8 && text[5] != ':') return std::nullopt;
  const auto hours = whole_number<int>(text.substr(0, 2));
  const auto minutes = whole_number<int>(text.substr(3, 2));
  const auto seconds = text.size() == 8 ? whole_number<int>(text.substr(6, 2)) : std::optional(0);
  if (!hours || !minutes || !seconds) return std::nullopt;
  if (*hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  return *hours * kHour + *minutes * kMinute + *seconds * kSecond;
}

// Takes `Z` or `+01:00` off the end; how far it is ahead of UTC.
std::optional<Millis> take_zone(std::string_view& text) {
  if (text.ends_with('Z')) {
    text.remove_suffix(1);
    return 0;
  }
  if (text.size() < 11) return std::nullopt;
  const auto sign = text[text.size() - 6];
  const auto ahead = clock_time(text.substr(text.size() - 5));
  if ((sign != '+' && sign != '-') || !ahead) return std::nullopt;
  text.remove_suffix(6);
  return sign == '+' ? *ahead : -*ahead;
}

std::optional<Version::At> moment_of(std::string_view text) {
  Version::At at;
  std::string_view rest;
  if (const auto day = day_of(text.substr(0, 10))) {
    at.day = *day;
    rest = text.substr(10);
  } else {
    const auto* found = std::ranges::find_if(
        kDaysAgo, [&](std::string_view name) { return text.starts_with(name); });
    if (found == kDaysAgo.end()) return std::nullopt;
    at.ago = true;
    at.day = found - kDaysAgo.begin();
    rest = text.substr(found->size());
  }
  if (rest.empty()) return at;
  if (rest.front() != 'T' && rest.front() != ' ') return std::nullopt;
  rest.remove_prefix(1);
  const auto zone = take_zone(rest);
  const auto time = clock_time(rest);
  if (!time) return std::nullopt;
  // Which day today is hangs on the zone already.
  if (at.ago && zone) return std::nullopt;
  at.zoned = zone.has_value();
  // The day that it is in UTC then.
  const auto utc = at.day * kDay + *time - zone.value_or(0);
  at.day = utc / kDay - (utc % kDay < 0 ? 1 : 0);
  at.time = utc - at.day * kDay;
  return at;
}

std::string render_day(const Version::At& at) {
  if (at.ago) return std::string(kDaysAgo.at(static_cast<std::size_t>(at.day)));
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(at.day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string render_at(const Version::At& at) {
  auto out = render_day(at);
  if (!at.time) return out;
  out += fmt::format("T{:02}:{:02}", *at.time / kHour, *at.time % kHour / kMinute);
  if (*at.time % kMinute != 0) out += fmt::format(":{:02}", *at.time % kMinute / kSecond);
  if (at.zoned) out += 'Z';
  return out;
}

std::string render_ago(Millis time) {
  for (const auto& unit : kUnits) {
    if (time % unit.time == 0) return fmt::format("{}{}", time / unit.time, unit.name);
  }
  return fmt::format("{}s", time / kSecond);
}

bool is_tag_character(char c) {
  return is_digit(c) || is_letter(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace

Result<void> check_tag_name(std::string_view name) {
  const bool well = !name.empty() && name.size() <= kMaxTagBytes && is_letter(name.front()) &&
                    std::ranges::all_of(name, is_tag_character);
  if (!well) {
    return fail(Code::kInvalidArgument,
                "'{}' is no name for a tag; it is a letter and then up to {} letters, digits, '.', "
                "'_' and '-'",
                shown(name), kMaxTagBytes - 1);
  }
  const bool taken = std::ranges::find(kDaysAgo, name) != kDaysAgo.end() || name == "now" ||
                     name.starts_with("nod_") || name.starts_with("dpt_");
  if (!taken) return {};
  return fail(Code::kInvalidArgument,
              "'{}' is no name for a tag: it would be taken for something else", shown(name));
}

Result<Version> Version::parse(std::string_view text) {
  if (text.starts_with('~')) {
    const auto count = text == "~" ? 1 : whole_number<std::uint64_t>(text.substr(1));
    if (!count) return not_a_version(text);
    return Version{Back{*count}};
  }
  const auto number = text.starts_with('#') ? text.substr(1) : text;
  if (const auto change = whole_number<std::uint64_t>(number)) return Version{Change{*change}};
  if (text.starts_with('#')) return not_a_version(text);
  if (const auto ago = span_of_time(text)) return Version{Ago{*ago}};
  if (const auto at = moment_of(text)) return Version{*at};
  if (check_tag_name(text)) return Version{Tag{std::string(text)}};
  return not_a_version(text);
}

std::string Version::render() const {
  struct Render {
    std::string operator()(const Back& back) const { return fmt::format("~{}", back.count); }
    std::string operator()(const Change& change) const { return fmt::format("#{}", change.number); }
    std::string operator()(const Ago& ago) const { return render_ago(ago.time); }
    std::string operator()(const At& at) const { return render_at(at); }
    std::string operator()(const Tag& tag) const { return tag.name; }
  };
  return std::visit(Render{}, value);
}

std::optional<Millis> Version::moment(Millis now, Millis zone) const {
  if (const auto* ago = std::get_if<Ago>(&value)) return now - ago->time;
  const auto* at = std::get_if<At>(&value);
  if (at == nullptr) return std::nullopt;
  const auto ahead = at->zoned ? 0 : zone;
  const auto local = now + ahead;
  const auto today = local / kDay - (local % kDay < 0 ? 1 : 0);
  const auto day = at->ago ? today - at->day : at->day;
  return day * kDay + at->time.value_or(kDay - 1) - ahead;
}

}  // namespace cairn
