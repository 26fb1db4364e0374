#include "exposure/rest/respond.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "data/cas/file.h"

namespace cairn::rest {
namespace {

// A whole file in memory is sent as it lies there; a larger one in portions of this size.
constexpr std::uint64_t kPortion = 256 * 1024;

std::string quoted(const NodeKey& key) { return "\"" + key.render() + "\""; }

// Whether a list of entity tags names this one, weakly: an answer that was compressed has the same
// content.
bool names(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto item = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" || item == tag) return true;
  }
  return false;
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Larger than any file: as good as the end.
  if (error == std::errc::result_out_of_range) return UINT64_MAX;
  if (error != std::errc()) return std::nullopt;
  return value;
}

enum class RangeKind { kWhole, kPart, kUnsatisfiable };

// One range; several, or another unit, mean the whole file, as the standard allows.
RangeKind parse_range(std::string_view header, std::uint64_t size, Range& out) {
  if (!header.starts_with("bytes=") || header.find(',') != std::string_view::npos) {
    return RangeKind::kWhole;
  }
  header.remove_prefix(6);
  const auto dash = header.find('-');
  if (dash == std::string_view::npos) return RangeKind::kWhole;
  const auto first = number(header.substr(0, dash));
  const auto last = number(header.substr(dash + 1));
  // `bytes=-` and `bytes=x-5` say nothing; the standard wants a malformed range to be ignored.
  if ((!first && dash != 0) || (!first && !last)) return RangeKind::kWhole;
  // `-500`: the last 500 bytes.
  if (!first) {
    if (*last == 0 || size == 0) return RangeKind::kUnsatisfiable;
    out = {size - std::min(size, *last), size - 1};
    return RangeKind::kPart;
  }
  if (dash + 1 != header.size() && (!last || *last < *first)) return RangeKind::kWhole;
  if (*first >= size) return RangeKind::kUnsatisfiable;
  out = {*first, std::min(last.value_or(size - 1), size - 1)};
  return RangeKind::kPart;
}

class FileSource final : public http::BodySource {
 public:
  FileSource(const NodeReader& nodes, NodePtr file, std::uint64_t offset, std::uint64_t length)
      : nodes_(nodes), file_(std::move(file)), offset_(offset), left_(length) {}

  Result<Bytes> next() override {
    Bytes portion;
    const auto length = std::min(left_, kPortion);
    if (length == 0) return portion;
    portion.reserve(length);
    TRY(read_file(nodes_, *file_, offset_, length, [&](ByteView bytes) -> Result<void> {
      portion.append(bytes);
      return {};
    }));
    offset_ += length;
    left_ -= length;
    return portion;
  }

 private:
  const NodeReader& nodes_;
  NodePtr file_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

constexpr std::string_view kRowsType = "application/x-ndjson";

class RowsSource final : public http::BodySource {
 public:
  explicit RowsSource(std::unique_ptr<Rows> rows) : rows_(std::move(rows)) {}

  Result<Bytes> next() override {
    const auto rows = TRY(rows_->next());
    Bytes portion;
    if (!rows) return portion;
    for (const auto& row : *rows) {
      json::write(portion, row);
      portion += '\n';
    }
    if (portion.empty()) portion += '\n';
    return portion;
  }

 private:
  std::unique_ptr<Rows> rows_;
};

http::Response file_response(const http::Request& request, const FileBody& body,
                             std::string_view tag) {
  http::Response out;
  Range range{0, body.size == 0 ? 0 : body.size - 1};
  auto kind = RangeKind::kWhole;
  const auto if_range = request.header("if-range");
  // The client goes on with a file that it has a part of: if it has changed since, it gets the
  // whole.
  if (if_range.empty() || if_range == tag) {
    kind = parse_range(request.header("range"), body.size, range);
  }
  if (kind == RangeKind::kUnsatisfiable) {
    out =
        respond(Error(Code::kRangeNotSatisfiable,
                      fmt::format("the file has {} bytes; the range lies behind them", body.size)));
    out.headers.emplace_back("Content-Range", fmt::format("bytes */{}", body.size));
    return out;
  }
  auto file = body.nodes->get(body.key);
  if (!file) return respond(file.error());
  const auto length = body.size == 0 ? 0 : range.last - range.first + 1;
  out.content_type = body.type;
  out.headers.emplace_back("Accept-Ranges", "bytes");
  // A page stored by somebody must not run with the rights of whoever looks at it.
  out.headers.emplace_back("Content-Security-Policy", "sandbox; default-src 'none'");
  if (kind == RangeKind::kPart) {
    out.status = 206;
    // A range is of the bytes as they are stored.
    out.compressible = false;
    out.headers.emplace_back("Content-Range",
                             fmt::format("bytes {}-{}/{}", range.first, range.last, body.size));
  }
  // One node holds all of it: sent from the cache without a copy.
  if ((*file)->pieces().empty()) {
    out.body = http::SharedBody{*file, (*file)->content().substr(range.first, length)};
  } else {
    out.body = http::StreamedBody{
        std::make_unique<FileSource>(*body.nodes, std::move(*file), range.first, length), length};
  }
  return out;
}

http::Response content(const http::Request& request, Reply& reply, std::string_view tag) {
  if (reply.file) return file_response(request, *reply.file, tag);
  if (!reply.node) return json_response(reply.value);
  http::Response out;
  out.content_type = "application/octet-stream";
  const auto bytes = reply.node->bytes();
  out.body = http::SharedBody{std::move(reply.node), bytes};
  return out;
}

}  // namespace

bool wants_rows(const http::Request& request) {
  return lowered(request.header("accept")).contains(kRowsType);
}

http::Response rows_response(std::unique_ptr<Rows> rows) {
  http::Response out;
  out.content_type = kRowsType;
  out.headers.emplace_back("Cache-Control", "no-store");
  out.body = http::StreamedBody{std::make_unique<RowsSource>(std::move(rows))};
  return out;
}

http::Response json_response(const json::Value& value) {
  http::Response out;
  out.content_type = "application/json";
  std::string text;
  text.reserve(256);
  json::write(text, value);
  out.body = std::move(text);
  return out;
}

http::Response respond(const Error& error) {
  auto out = http::error_response(error);
  out.log_error = error.name();
  auto add_text = [&](std::string_view header, std::string_view detail) {
    auto found = error.details.find(std::string(detail));
    if (found == error.details.end()) return;
    if (const auto* text = std::get_if<std::string>(&found->second)) {
      out.headers.emplace_back(header, *text);
    }
  };
  if (out.status == 401) out.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"cairn\"");
  if (out.status == 405) add_text("Allow", "allow");
  if (out.status == 429) {
    auto found = error.details.find("retryAfterMs");
    const auto* wait =
        found == error.details.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    out.headers.emplace_back("Retry-After",
                             fmt::format("{}", wait == nullptr ? 1 : (*wait + 999) / 1000));
  }
  return out;
}

http::Response respond(const http::Request& request, Reply reply) {
  const bool reading =
      request.method == http::Method::kGet || request.method == http::Method::kHead;
  const auto tag = reply.about ? quoted(*reply.about) : std::string();
  http::Response out;
  if (reading && reply.about && reply.cacheable && names(request.header("if-none-match"), tag)) {
    out.status = 304;
  } else {
    out = content(request, reply, tag);
  }
  // An error is not the content: no tag, and no caching.
  if (out.status >= 400) return out;
  if (reply.about) out.headers.emplace_back("ETag", tag);
  if (reading) {
    out.headers.emplace_back("Cache-Control", reply.immutable && reply.cacheable
                                                  ? "private, max-age=31536000, immutable"
                                                  : "private, no-cache");
  } else {
    out.headers.emplace_back("Cache-Control", "no-store");
  }
  return out;
}

}  // namespace cairn::rest
