#include "exposure/http/head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn::http {
namespace {

// Far more than clients send. Fields are found by looking through all of them, so this bounds the
// time, too.
constexpr std::size_t kMaxFields = 128;

constexpr std::array<bool, 256> make_table(bool (*member)(unsigned char)) {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) table[c] = member(static_cast<unsigned char>(c));
  return table;
}

// The `token` of RFC 9110: no spaces, so white space before a colon is not a field.
constexpr auto kToken = make_table([](unsigned char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return is_alphanumeric(c) ||
         (c != 0 && kMarks.find(static_cast<char>(c)) != std::string_view::npos);
});

// Bytes above 0x7f have no meaning in the protocol and are let through. Control characters are not,
// since a value may end up in a log or in another head.
constexpr auto kValue =
    make_table([](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\t'; });

constexpr auto kTarget = make_table([](unsigned char c) { return c > 0x20 && c != 0x7f; });

// Without the characters that would make a Host something else than a host and a port.
constexpr auto kHost = make_table([](unsigned char c) {
  constexpr std::string_view kNot = "/?#@,\\\"<>";
  return c > 0x20 && c < 0x7f && kNot.find(static_cast<char>(c)) == std::string_view::npos;
});

bool all_of(std::string_view text, const std::array<bool, 256>& table) {
  for (const char c : text) {
    if (!table[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

Method method_of(std::string_view text) {
  for (int i = 0; i < static_cast<int>(Method::kOther); ++i) {
    if (name(static_cast<Method>(i)) == text) return static_cast<Method>(i);
  }
  return Method::kOther;
}

// `HTTP/1.1` → 1, `HTTP/1.0` → 0.
Result<int> minor_version(std::string_view text) {
  if (text == "HTTP/1.1") return 1;
  if (text == "HTTP/1.0") return 0;
  return fail(Code::kBadRequest, "'{}' is not spoken here; use HTTP/1.1", shown(text, 40));
}

// Cuts the first line, without its CRLF, off a head; what is left has the fields' lines only.
std::string_view take_first_line(ByteView& head) {
  const std::size_t end = head.find("\r\n");
  const std::string_view line = head.substr(0, end);
  head.remove_prefix(end + 2);
  head.remove_suffix(2);
  return line;
}

Result<Field> parse_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  // Once legal, and read differently by every proxy: some join the lines, some see a field of its
  // own.
  if (line.front() == ' ' || line.front() == '\t') {
    return fail(Code::kBadRequest, "a header field is folded over two lines; send it on one");
  }
  if (colon == std::string_view::npos || colon == 0 || !all_of(line.substr(0, colon), kToken)) {
    return fail(Code::kBadRequest, "'{}' is not a header field", shown(line, 60));
  }
  const Field field{line.substr(0, colon), trimmed(line.substr(colon + 1))};
  if (!all_of(field.value, kValue)) {
    return fail(Code::kBadRequest, "the header field '{}' has a control character",
                shown(field.name, 60));
  }
  return field;
}

Result<std::uint64_t> parse_length(std::string_view text) {
  std::uint64_t length = 0;
  const char* end = text.data() + text.size();
  // Digits only: from_chars takes no sign, no space and no `0x`, and refuses what does not fit 64
  // bits.
  const auto [at, error] = std::from_chars(text.data(), end, length);
  if (error != std::errc() || at != end) {
    return fail(Code::kBadRequest, "the Content-Length '{}' is not a length", shown(text, 40));
  }
  return length;
}

void read_connection(std::string_view list, Framing& framing) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view token = trimmed(list.substr(0, comma));
    if (same_name(token, "close")) framing.close = true;
    if (same_name(token, "keep-alive")) framing.keep_alive = true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

Result<void> check_host(const Fields& fields, int minor_version) {
  const auto is_host = [](const Field& field) { return same_name(field.name, "host"); };
  const auto count = std::ranges::count_if(fields.all(), is_host);
  // A proxy and the server might each go by another one.
  if (count > 1) return fail(Code::kBadRequest, "the request has more than one Host");
  if (count == 0 && minor_version == 1) return fail(Code::kBadRequest, "the request has no Host");
  if (!all_of(fields.get("host"), kHost)) {
    return fail(Code::kBadRequest, "'{}' is not a host", shown(fields.get("host"), 60));
  }
  return {};
}

}  // namespace

// Of ASCII letters only, as the protocol has it: a locale must not decide what a field means.
bool same_name(std::string_view text, std::string_view lower_text) {
  if (text.size() != lower_text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_text[i]) return false;
  }
  return true;
}

std::string_view Fields::get(std::string_view lower_name) const {
  for (const Field& field : fields_) {
    if (same_name(field.name, lower_name)) return field.value;
  }
  return {};
}

Result<void> Fields::parse(std::string_view lines) {
  fields_.clear();
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    if (end == std::string_view::npos || end == 0) {
      return fail(Code::kBadRequest, "the header section is malformed");
    }
    if (fields_.size() == kMaxFields) {
      return fail(Code::kHeadersTooLarge, "there are more than {} header fields", kMaxFields);
    }
    fields_.push_back(TRY(parse_field(lines.substr(0, end))));
    lines.remove_prefix(end + 2);
  }
  return {};
}

Result<Framing> Framing::of(const Fields& fields) {
  Framing framing;
  for (const Field& field : fields.all()) {
    if (same_name(field.name, "content-length")) {
      if (framing.length) return fail(Code::kBadRequest, "there is more than one Content-Length");
      framing.length = TRY(parse_length(field.value));
    } else if (same_name(field.name, "transfer-encoding")) {
      // Twice `chunked`, or a list of codings, is what smuggling is made of.
      if (framing.chunked || !same_name(field.value, "chunked")) {
        return fail(Code::kBadRequest, "the only Transfer-Encoding understood is one 'chunked'");
      }
      framing.chunked = true;
    } else if (same_name(field.name, "connection")) {
      read_connection(field.value, framing);
    }
  }
  // The standard lets the coding win. Refusing is safer: who sends both is mistaken, or means harm.
  if (framing.chunked && framing.length) {
    return fail(Code::kBadRequest, "there are both Content-Length and Transfer-Encoding");
  }
  return framing;
}

void RequestHead::clear() {
  method = Method::kOther;
  target = {};
  minor_version = 1;
  fields.clear();
  framing = {};
}

Result<void> RequestHead::parse(ByteView head) {
  clear();
  const std::string_view line = take_first_line(head);
  const std::size_t first = line.find(' ');
  // From both ends: a target with a space in it is then refused as a target.
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || first == last ||
      !all_of(line.substr(0, first), kToken)) {
    return fail(Code::kBadRequest, "'{}' is not a request line", shown(line, 80));
  }
  method = method_of(line.substr(0, first));
  target = line.substr(first + 1, last - first - 1);
  minor_version = TRY(http::minor_version(line.substr(last + 1)));
  if (target.empty() || !all_of(target, kTarget)) {
    return fail(Code::kBadRequest, "'{}' is not a request target", shown(target, 80));
  }
  TRY(fields.parse(head));
  TRY(check_host(fields, minor_version));
  framing = TRY(Framing::of(fields));
  // A server of HTTP/1.0 in between would pass the coding on without understanding it.
  if (framing.chunked && minor_version == 0) {
    return fail(Code::kBadRequest, "HTTP/1.0 has no Transfer-Encoding");
  }
  return {};
}

bool RequestHead::keep_alive() const {
  // The default differs: 1.1 stays open unless told otherwise, 1.0 closes.
  return !framing.close && (minor_version == 1 || framing.keep_alive);
}

bool RequestHead::expects_continue() const {
  return minor_version == 1 && has_body() && same_name(fields.get("expect"), "100-continue");
}

Result<void> ResponseHead::parse(ByteView head) {
  const std::string_view line = take_first_line(head);
  minor_version = TRY(http::minor_version(line.substr(0, 8)));
  const std::string_view digits = line.size() >= 12 ? line.substr(9, 3) : "";
  const auto [at, error] = std::from_chars(digits.begin(), digits.end(), status);
  if (error != std::errc() || at != digits.end() || line[8] != ' ' || status < 100) {
    return fail(Code::kBadRequest, "'{}' is not a status line", shown(line, 80));
  }
  TRY(fields.parse(head));
  framing = TRY(Framing::of(fields));
  return {};
}

Result<std::size_t> HeadScanner::find(ByteView bytes) {
  for (;;) {
    const std::size_t at = bytes.find('\n', seen_);
    if (at == ByteView::npos) {
      seen_ = bytes.size();
      return std::size_t{0};
    }
    // Some readers end a line at a bare LF and some do not, so a head could mean two things.
    if (at == 0 || bytes[at - 1] != '\r') {
      return fail(Code::kBadRequest, "a line ends in LF without CR");
    }
    seen_ = at + 1;
    // The first line may not be empty, so a blank line at the very start is no end.
    if (at - 1 == line_start_ && line_start_ > 0) return seen_;
    line_start_ = seen_;
  }
}

}  // namespace cairn::http
