#include "exposure/http/chunked.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"

namespace cairn::http {
namespace {

// So that a size always fits 64 bits; larger ones no body has.
constexpr std::size_t kMaxDigits = 15;
// Nothing in extensions and trailers is used. The limits keep a client from sending them for ever.
constexpr std::size_t kMaxLine = 256;
constexpr std::size_t kMaxTrailers = 8192;

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

Failure malformed() { return fail(Code::kBadRequest, "the chunked body is malformed"); }

}  // namespace

Result<ChunkDecoder::Step> ChunkDecoder::decode(std::span<char> bytes) {
  Step step;
  while (step.used < bytes.size() && !done()) {
    if (state_ != State::kData) {
      TRY(take(bytes[step.used++]));
      continue;
    }
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - step.used));
    // Towards the front, over the lines of the chunks: the body needs no second buffer.
    std::memmove(bytes.data() + step.made, bytes.data() + step.used, count);
    step.used += count;
    step.made += count;
    left_ -= count;
    if (left_ == 0) state_ = State::kDataCr;
  }
  return step;
}

// Everything but the data, a byte at a time.
Result<void> ChunkDecoder::take(char c) {
  const auto expect = [&](char wanted, State next) -> Result<void> {
    if (c != wanted) return malformed();
    state_ = next;
    return {};
  };
  switch (state_) {
    case State::kSize:
      return take_size(c);
    case State::kExtension:
      if (c == '\r') {
        state_ = State::kSizeLf;
      } else if (is_control(c) || ++overhead_ > kMaxLine) {
        return malformed();
      }
      return {};
    case State::kSizeLf:
      overhead_ = 0;
      digits_ = 0;
      // A chunk of size zero ends the body.
      return expect('\n', left_ == 0 ? State::kTrailerStart : State::kData);
    case State::kDataCr:
      return expect('\r', State::kDataLf);
    case State::kDataLf:
      return expect('\n', State::kSize);
    case State::kTrailerStart:
      if (c == '\r') {
        state_ = State::kEndLf;
        return {};
      }
      state_ = State::kTrailer;
      [[fallthrough]];
    case State::kTrailer:
      if (c == '\r') {
        state_ = State::kTrailerLf;
      } else if (is_control(c) || ++overhead_ > kMaxTrailers) {
        return malformed();
      }
      return {};
    case State::kTrailerLf:
      return expect('\n', State::kTrailerStart);
    case State::kEndLf:
      return expect('\n', State::kDone);
    case State::kData:
    case State::kDone:
      break;
  }
  return malformed();
}

Result<void> ChunkDecoder::take_size(char c) {
  if (const int digit = hex_value(c); digit >= 0) {
    if (++digits_ > kMaxDigits) return malformed();
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return {};
  }
  if (digits_ == 0) return malformed();
  if (c == '\r') {
    state_ = State::kSizeLf;
    // White space before an extension is tolerated, as the standard asks.
  } else if (c == ';' || c == ' ' || c == '\t') {
    state_ = State::kExtension;
  } else {
    return malformed();
  }
  return {};
}

std::string chunk_line(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace cairn::http
