#include "data/store/synced_note.h"

#include <array>

#include "base/os/disk_files.h"
#include "base/os/plain_files.h"
#include "data/store/crc32c.h"

namespace cairn {
namespace {

constexpr std::size_t kNoteBytes = 28;

void put_fixed(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

std::uint64_t get_fixed(ByteView in, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i > 0; --i) {
    value = (value << 8) | static_cast<unsigned char>(in[at + i - 1]);
  }
  return value;
}

}  // namespace

Bytes Synced::encode() const {
  Bytes out;
  put_fixed(out, sequence, 8);
  put_fixed(out, log, 8);
  put_fixed(out, log_bytes, 8);
  put_fixed(out, crc32c(out), 4);
  return out;
}

std::optional<Synced> Synced::decode(ByteView bytes) {
  if (bytes.size() != kNoteBytes) return std::nullopt;
  if (crc32c(bytes.substr(0, 24)) != get_fixed(bytes, 24, 4)) return std::nullopt;
  return Synced{get_fixed(bytes, 0, 8), get_fixed(bytes, 8, 8), get_fixed(bytes, 16, 8)};
}

SyncedNote::SyncedNote(const std::filesystem::path& store)
    : handle_(os::open_to_write(file(store), os::Writes::kInPlace, 0600).value_or(os::Handle())) {}

void SyncedNote::write(const Synced& synced) const {
  if (!handle_.valid()) return;
  const Bytes bytes = synced.encode();
  // Shorter than a sector and in its place: all of it is written, or nothing.
  (void)os::write_once_at(handle_.fd(), 0, bytes);
}

std::optional<Synced> SyncedNote::read(const std::filesystem::path& store) {
  const auto bytes = os::read_file(file(store), kNoteBytes);
  return bytes ? Synced::decode(*bytes) : std::nullopt;
}

}  // namespace cairn
