#include "data/json/jmespath/text.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace cairn::jmespath {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

// Whether one of eight bytes is below a space, a quote or a backslash.
bool has_escape(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const auto quote = bytes ^ (kOnes * '"');
  const auto backslash = bytes ^ (kOnes * '\\');
  const auto found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                     ((bytes - kOnes * ' ') & ~bytes);
  return (found & (kOnes * 0x80)) != 0;
}

bool copy_word(char* to, const char* from) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, kWord);
  std::memcpy(to, &bytes, kWord);
  return !has_escape(bytes);
}

// False when a byte needs an escape; what was copied until then is of no use.
bool copy_plain(char* to, std::string_view text) {
  const auto* const from = text.data();
  const auto size = text.size();
  if (size < kWord) {
    bool plain = true;
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = from[i];
      plain &= static_cast<unsigned char>(from[i]) >= ' ' && from[i] != '"' && from[i] != '\\';
    }
    return plain;
  }
  for (std::size_t i = 0; i + kWord < size; i += kWord) {
    if (!copy_word(to + i, from + i)) return false;
  }
  // The last eight, some of them again.
  return copy_word(to + size - kWord, from + size - kWord);
}

}  // namespace

void Text::put(std::string_view plain) {
  std::memcpy(room(plain.size()), plain.data(), plain.size());
  used_ += plain.size();
}

void Text::put_string(std::string_view text) {
  put('"');
  for (; text.size() > kSlice; text.remove_prefix(kSlice)) put_inside(text.substr(0, kSlice));
  put_inside(text);
  put('"');
}

// Characters may be cut: everything that is escaped is a single byte.
void Text::put_inside(std::string_view slice) {
  if (copy_plain(room(slice.size()), slice)) [[likely]] {
    used_ += slice.size();
    return;
  }
  const auto quoted = json::write(json::Value(slice));
  put(std::string_view(quoted).substr(1, quoted.size() - 2));
}

void Text::put_double(double number) { put(json::write(json::Value(number))); }

void Text::flush() {
  if (meter_.take(used_)) out_.append(piece_, used_);
  used_ = 0;
}

std::string Text::finish() {
  flush();
  return std::move(out_);
}

}  // namespace cairn::jmespath
