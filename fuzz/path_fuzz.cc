// Any text parses as a path or is refused with a message that can be shown; an accepted path
// renders back to the same text and is put together again from its parts. The same for cursors.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "data/tree/path.h"

namespace {

using cairn::Path;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_parts(const Path& path) {
  Path again;
  for (const auto& segment : path.segments()) {
    require(!segment.empty() && segment != "." && segment != "..");
    require(segment.find('/') == segment.npos && segment.find('\0') == segment.npos);
    require(segment.size() <= 255 && cairn::valid_utf8(segment));
    cairn::child_index(segment);
    again = again.child(segment);
    require(path.is_within(again));
    require(again.name() == segment);
  }
  require(again == path);
  if (path.is_root()) return;
  require(path.parent().child(path.name()) == path);
  require(!path.parent().is_within(path));
}

void check_path(std::string_view text) {
  auto path = Path::parse(text);
  if (!path) {
    require(cairn::valid_utf8(path.error().message));
    return;
  }
  require(path->render() == text);
  require(path->is_root() == text.empty());
  require(path->segments().size() <= Path::kMaxSegments);
  check_parts(*path);
}

void check_cursor(std::string_view text) {
  auto last = cairn::parse_cursor(text);
  if (!last) require(cairn::valid_utf8(last.error().message));
  if (text.size() > Path::kMaxBytes) return;
  auto again = cairn::parse_cursor(cairn::render_cursor(text));
  require(again && *again == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_path(text);
  check_cursor(text);
  return 0;
}
