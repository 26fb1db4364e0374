#include "data/tree/path.h"

#include <algorithm>
#include <charconv>

#include "base/base32.h"
#include "base/quote.h"
#include "data/cas/node.h"

namespace cairn {
namespace {

Failure invalid(std::string_view path, const std::string& why) {
  return fail(Code::kInvalidPath, "the path '{}' is not valid: {}", shown(path, 200), why);
}

std::string describe_empty_segment(std::string_view text) {
  if (text.starts_with('/')) return "it starts with '/'; paths are relative to the root";
  if (text.ends_with('/')) return "it ends with '/'; leave that out";
  return "it has an empty segment ('//')";
}

}  // namespace

Result<Path> Path::parse(std::string_view text) {
  Path path;
  if (text.empty()) return path;
  if (text.size() > kMaxBytes) {
    return invalid(text, fmt::format("it has {} bytes; the most is {}", text.size(), kMaxBytes));
  }
  std::size_t begin = 0;
  while (begin <= text.size()) {
    auto end = std::min(text.find('/', begin), text.size());
    auto segment = text.substr(begin, end - begin);
    if (segment.empty()) return invalid(text, describe_empty_segment(text));
    if (auto checked = check_name(segment); !checked) return invalid(text, checked.error().message);
    path.segments_.emplace_back(segment);
    begin = end + 1;
  }
  if (path.segments_.size() > kMaxSegments) {
    return invalid(text, fmt::format("it has {} segments; the most is {}", path.segments_.size(),
                                     kMaxSegments));
  }
  return path;
}

Path Path::parent() const {
  Path up = *this;
  up.segments_.pop_back();
  return up;
}

Path Path::child(std::string_view name) const {
  Path down = *this;
  down.segments_.emplace_back(name);
  return down;
}

bool Path::is_within(const Path& ancestor) const {
  return segments_.size() >= ancestor.segments_.size() &&
         std::equal(ancestor.segments_.begin(), ancestor.segments_.end(), segments_.begin());
}

std::string Path::render() const {
  std::string text;
  for (const auto& segment : segments_) {
    if (!text.empty()) text += '/';
    text += segment;
  }
  return text;
}

std::optional<std::uint64_t> child_index(std::string_view segment) {
  if (segment.size() < 2 || segment[0] != '~') return std::nullopt;
  std::uint64_t index = 0;
  auto [end, error] = std::from_chars(segment.data() + 1, segment.data() + segment.size(), index);
  if (end != segment.data() + segment.size()) return std::nullopt;
  return error == std::errc::result_out_of_range ? UINT64_MAX : index;
}

std::string render_cursor(std::string_view last) { return "c" + base32_encode(last); }

Result<std::string> parse_cursor(std::string_view cursor) {
  if (cursor.starts_with('c') && cursor.size() <= 1 + (Path::kMaxBytes * 8 + 4) / 5) {
    auto digits = cursor.substr(1);
    if (auto last = base32_decode(digits, digits.size() * 5 / 8)) return *last;
  }
  return fail(
      Code::kInvalidCursor,
      "'{}' is not a cursor; pass nextCursor of the previous page as it is, or leave it out "
      "to start again",
      shown(cursor, 80));
}

}  // namespace cairn
