// The head of an HTTP/1 message: its first line and its fields, read strictly.
//
// Anything that different readers understand differently is refused, so that nothing can be
// smuggled past a proxy: lines that end in a bare LF, folded fields, white space before the colon,
// two lengths, a length together with a transfer coding, any coding but `chunked`, a missing or
// second Host.
//
// Everything points into the bytes that were parsed and holds as long as they do.
// Threads     one at a time: a connection's own.
// Fails with  BAD_REQUEST; HEADERS_TOO_LARGE for too many fields.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "exposure/http/http.h"

namespace cairn::http {

struct Field {
  std::string_view name;  // as it was sent
  std::string_view value;
};

// Equal but for the case of letters. `lower` has none in upper case.
bool same_name(std::string_view text, std::string_view lower);

class Fields final {
 public:
  // The first one's value; empty when there is none. `lower_name` is in lower case.
  std::string_view get(std::string_view lower_name) const;
  const std::vector<Field>& all() const { return fields_; }

  // `lines` is what follows the first line, each line with its CRLF, without the blank one.
  Result<void> parse(std::string_view lines);
  void clear() { fields_.clear(); }

 private:
  std::vector<Field> fields_;
};

// How a message says where its body ends and what becomes of the connection.
struct Framing {
  bool chunked = false;
  std::optional<std::uint64_t> length;
  bool close = false;       // Connection: close
  bool keep_alive = false;  // Connection: keep-alive

  static Result<Framing> of(const Fields& fields);
};

struct RequestHead {
  Method method = Method::kOther;
  std::string_view target;
  int minor_version = 1;  // of HTTP/1
  Fields fields;
  Framing framing;

  // Uses the room of the last head again. After a failure it holds what could be read, for the log.
  Result<void> parse(ByteView head);
  void clear();

  bool keep_alive() const;
  bool has_body() const { return framing.chunked || framing.length.value_or(0) > 0; }
  bool expects_continue() const;
};

struct ResponseHead {
  int status = 0;
  int minor_version = 1;
  Fields fields;
  Framing framing;

  Result<void> parse(ByteView head);
};

// Finds the end of a head in bytes that are still arriving, looking at each byte once.
class HeadScanner final {
 public:
  // The head's size with its blank line, or 0 while that has not come. `bytes` begins where it
  // began in the last call. Fails with BAD_REQUEST at a line that ends in a bare LF.
  Result<std::size_t> find(ByteView bytes);
  // Whether the first line is complete.
  bool has_line() const { return line_start_ > 0; }

 private:
  std::size_t seen_ = 0;
  std::size_t line_start_ = 0;
};

}  // namespace cairn::http
