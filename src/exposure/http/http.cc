#include "exposure/http/http.h"

#include <array>

#include "base/quote.h"
#include "base/utf8.h"

namespace cairn::http {
namespace {

constexpr std::array<std::string_view, 8> kMethodNames{"GET",   "HEAD",   "POST",    "PUT",
                                                       "PATCH", "DELETE", "OPTIONS", "other"};

void put_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u00";
  out += kHex[c >> 4];
  out += kHex[c & 15];
}

void put_json(std::string& out, std::string_view text) {
  if (!valid_utf8(text)) return put_json(out, shown(text, text.size() * 3));
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          put_escape(out, static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void put_json(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (std::string_view separator; const std::string& text : texts) {
    out += separator;
    put_json(out, text);
    separator = ",";
  }
  out += ']';
}

void put_json(std::string& out, std::int64_t number) { out += std::to_string(number); }

void put_details(std::string& out, const std::map<std::string, Detail>& details);

void put_json(std::string& out, const std::vector<DetailRow>& rows) {
  out += '[';
  for (std::string_view separator; const auto& row : rows) {
    out += separator;
    put_details(out, row.fields);
    separator = ",";
  }
  out += ']';
}

void put_details(std::string& out, const std::map<std::string, Detail>& details) {
  out += '{';
  for (std::string_view separator; const auto& [key, detail] : details) {
    out += separator;
    put_json(out, key);
    out += ':';
    std::visit([&](const auto& value) { put_json(out, value); }, detail);
    separator = ",";
  }
  out += '}';
}

}  // namespace

std::string_view name(Method method) { return kMethodNames[static_cast<std::size_t>(method)]; }

Response error_response(const Error& error) {
  std::string text = R"({"error":)";
  put_json(text, error.name());
  text += R"(,"message":)";
  put_json(text, error.message);
  if (!error.details.empty()) {
    text += R"(,"details":)";
    put_details(text, error.details);
  }
  text += '}';
  Response response;
  response.status = info(error.code).http_status;
  response.content_type = "application/json";
  response.body = std::move(text);
  response.log_error = error.name();
  return response;
}

}  // namespace cairn::http
