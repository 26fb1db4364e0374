// Any bytes are a request or are refused; what is accepted has no line break or second meaning in
// it; a chunked body is the same however it arrives; an error is always valid JSON text.
//
// Input: what a client sends, its body in chunks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/utf8.h"
#include "exposure/http/chunked.h"
#include "exposure/http/compress.h"
#include "exposure/http/head.h"
#include "exposure/http/uri.h"

namespace {

using namespace cairn::http;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_refusal(const cairn::Error& error) {
  require(cairn::valid_utf8(std::get<std::string>(error_response(error).body)));
}

void check_uri(std::string_view target) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (const auto segments = split_path(target.substr(0, mark))) {
    for (const std::string& segment : *segments) {
      require(percent_decode(percent_encode(segment)) == segment);
      require(segment.find('\0') == std::string::npos);
    }
  } else {
    check_refusal(segments.error());
  }
  if (mark < target.size()) {
    if (const auto query = Query::parse(target.substr(mark + 1)); !query) {
      check_refusal(query.error());
    }
  }
}

void check_head(std::string_view bytes) {
  RequestHead head;
  if (const auto parsed = head.parse(bytes); !parsed) return check_refusal(parsed.error());
  require(!head.framing.chunked || !head.framing.length);
  require(head.minor_version == 0 || std::ranges::count_if(head.fields.all(), [](const Field& f) {
                                       return same_name(f.name, "host");
                                     }) == 1);
  for (const Field& field : head.fields.all()) {
    require(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
    require(!field.name.empty() && !field.name.ends_with(' '));
  }
  preferred_encoding(head.fields.get("accept-encoding"));
  check_uri(head.target);
}

// The body, or nothing when it is refused or not complete.
std::optional<std::string> decoded(std::string bytes, std::size_t piece) {
  ChunkDecoder decoder;
  std::string body;
  for (std::size_t at = 0; at < bytes.size() && !decoder.done();) {
    const std::span<char> part(bytes.data() + at, std::min(piece, bytes.size() - at));
    const auto step = decoder.decode(part);
    if (!step) return std::nullopt;
    require(step->made <= step->used && step->used <= part.size());
    body.append(part.data(), step->made);
    at += step->used;
  }
  return decoder.done() ? std::optional(body) : std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  HeadScanner whole;
  HeadScanner pieces;
  const auto end = whole.find(bytes);
  cairn::Result<std::size_t> in_pieces = std::size_t{0};
  for (std::size_t i = 0; i <= size && in_pieces == std::size_t{0}; ++i) {
    in_pieces = pieces.find(bytes.substr(0, i));
  }
  require(end.has_value() == in_pieces.has_value());
  if (!end || *end == 0) return 0;
  require(*end == *in_pieces);
  check_head(bytes.substr(0, *end));
  const std::string body(bytes.substr(*end));
  const auto at_once = decoded(body, body.size() + 1);
  require(at_once == decoded(body, 1));
  require(at_once == decoded(body, 7));
  return 0;
}
