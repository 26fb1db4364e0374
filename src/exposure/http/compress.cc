#include "exposure/http/compress.h"

#include <algorithm>
#include <charconv>

#include <zlib.h>
#include <zstd.h>

#include "base/ascii.h"
#include "exposure/http/head.h"

namespace cairn::http {
namespace {

// Below this the head outweighs what is saved.
constexpr std::size_t kMinBytes = 1024;
// Answers are made once and sent once: the fastest levels save most of what can be saved.
constexpr int kGzipLevel = 1;
constexpr int kZstdLevel = 1;

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// `q=0.5` → 500; a weight that is not one is 0.
int weight(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = take_until(parameters, ';');
    if (!same_name(take_until(value, '='), "q")) continue;
    double q = 0;
    const auto [at, error] = std::from_chars(value.begin(), value.end(), q);
    const bool good = error == std::errc() && at == value.end() && q >= 0 && q <= 1;
    return good ? static_cast<int>(q * 1000) : 0;
  }
  return 1000;
}

bool compressible_type(std::string_view type) {
  type = trimmed(type.substr(0, type.find(';')));
  // Events are sent one by one; a compressor would hold them back.
  if (type.starts_with("text/")) return type != "text/event-stream";
  for (const std::string_view suffix : {"+json", "+xml"}) {
    if (type.ends_with(suffix)) return true;
  }
  for (const std::string_view known :
       {"application/json", "application/javascript", "application/xml", "application/x-ndjson"}) {
    if (type == known) return true;
  }
  return false;
}

Bytes gzip(ByteView body) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  // No larger than the body: when it does not fit, it is not worth sending, and the result is
  // empty.
  Bytes out(body.size(), '\0');
  // zlib's interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(end == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

Bytes zstd(ByteView body) {
  Bytes out(body.size(), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kZstdLevel);
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

}  // namespace

std::string_view name(Encoding encoding) {
  switch (encoding) {
    case Encoding::kIdentity:
      return "identity";
    case Encoding::kGzip:
      return "gzip";
    case Encoding::kZstd:
      return "zstd";
  }
  return {};
}

Encoding preferred_encoding(std::string_view accept_encoding) {
  int gzip = -1, zstd = -1, any = -1, identity = 0;
  while (!accept_encoding.empty()) {
    std::string_view parameters = take_until(accept_encoding, ',');
    const std::string_view coding = take_until(parameters, ';');
    if (same_name(coding, "gzip")) gzip = weight(parameters);
    if (same_name(coding, "zstd")) zstd = weight(parameters);
    if (same_name(coding, "identity")) identity = weight(parameters);
    if (coding == "*") any = weight(parameters);
  }
  // `*` stands for those that are not named.
  if (gzip < 0) gzip = any;
  if (zstd < 0) zstd = any;
  if (std::max(gzip, zstd) <= 0 || identity > std::max(gzip, zstd)) return Encoding::kIdentity;
  return zstd >= gzip ? Encoding::kZstd : Encoding::kGzip;
}

bool worth_compressing(const Response& response, ByteView body) {
  // zlib counts in 32 bits.
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  const auto encoded = [](const auto& header) {
    return header.first.size() == 16 && same_name(header.first, "content-encoding");
  };
  return response.compressible && body.size() >= kMinBytes && body.size() <= kMaxBytes &&
         response.status != 206 && compressible_type(response.content_type) &&
         std::ranges::none_of(response.headers, encoded);
}

Bytes compress(Encoding encoding, ByteView body) {
  switch (encoding) {
    case Encoding::kIdentity:
      return {};
    case Encoding::kGzip:
      return gzip(body);
    case Encoding::kZstd:
      return zstd(body);
  }
  return {};
}

}  // namespace cairn::http
