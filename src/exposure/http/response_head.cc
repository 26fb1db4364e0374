#include "exposure/http/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include <fmt/format.h>

#include "exposure/http/head.h"

namespace cairn::http {
namespace {

struct Reason {
  int status;
  std::string_view text;
};

// Sorted: it is searched by halves.
constexpr std::array kReasons{
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{206, "Partial Content"},
    Reason{301, "Moved Permanently"},
    Reason{302, "Found"},
    Reason{303, "See Other"},
    Reason{304, "Not Modified"},
    Reason{307, "Temporary Redirect"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{406, "Not Acceptable"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{410, "Gone"},
    Reason{411, "Length Required"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{414, "URI Too Long"},
    Reason{415, "Unsupported Media Type"},
    Reason{416, "Range Not Satisfiable"},
    Reason{422, "Unprocessable Content"},
    Reason{428, "Precondition Required"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
    Reason{507, "Insufficient Storage"},
};

void put_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

// A line break in a value would let whoever chose it add fields of their own.
void put_text(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  out += text;
  const auto bad = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), bad, ' ');
}

void put_field(std::string& out, std::string_view name, std::string_view value) {
  put_text(out, name);
  out += ": ";
  put_text(out, value);
  out += "\r\n";
}

// The server decides these; two of one kind would make a message that readers understand
// differently.
bool is_framing(std::string_view name) {
  for (const std::string_view framing :
       {"content-length", "transfer-encoding", "connection", "date", "server"}) {
    if (same_name(name, framing)) return true;
  }
  return false;
}

void put_fields(std::string& out, const Response& response, const HeadChoices& choices) {
  for (const auto& [name, value] : response.headers) {
    if (is_framing(name)) continue;
    // Other bytes than those the tag was made for: still the same thing, no longer the same bytes.
    const bool weaken = choices.encoding != Encoding::kIdentity && value.starts_with('"') &&
                        same_name(name, "etag");
    if (weaken) {
      put_field(out, name, "W/" + value);
    } else {
      put_field(out, name, value);
    }
  }
}

void put_status_line(std::string& out, int status) {
  out += "HTTP/1.1 ";
  put_number(out, static_cast<std::uint64_t>(status));
  out += ' ';
  out += reason(status);
  out += "\r\n";
}

}  // namespace

void put_head(std::string& out, const Response& response, const HeadChoices& choices) {
  put_status_line(out, response.status);
  out += "Server: cairn\r\nDate: ";
  out += choices.date;
  // Stored files keep the type they were given; a browser must not guess another.
  out += "\r\nX-Content-Type-Options: nosniff\r\n";
  if (!response.content_type.empty()) put_field(out, "Content-Type", response.content_type);
  if (choices.encoding != Encoding::kIdentity) {
    put_field(out, "Content-Encoding", name(choices.encoding));
  }
  // Also when this answer is not compressed: a cache must not give it to clients that asked
  // otherwise.
  if (choices.vary) out += "Vary: Accept-Encoding\r\n";
  put_fields(out, response, choices);
  if (choices.chunked) out += "Transfer-Encoding: chunked\r\n";
  if (choices.length) {
    out += "Content-Length: ";
    put_number(out, *choices.length);
    out += "\r\n";
  }
  if (!choices.keep_alive) {
    out += "Connection: close\r\n";
  } else if (choices.minor_version == 0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

bool bodiless(int status) { return status < 200 || status == 204 || status == 304; }

std::string_view reason(int status) {
  const auto found = std::ranges::lower_bound(kReasons, status, {}, &Reason::status);
  return found != kReasons.end() && found->status == status ? found->text : "Answer";
}

std::string http_date(std::int64_t unix_seconds) {
  // Not strftime(), which goes by the locale.
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = unix_seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

}  // namespace cairn::http
