#include "data/store/node_codec.h"

#include <memory>

#include <zstd.h>

#include "data/cas/node.h"

namespace cairn {
namespace {

constexpr char kRaw = 0;
constexpr char kZstd = 1;
// Below this, the frame's header eats what is gained.
constexpr std::size_t kMinCompressed = 64;
constexpr int kLevel = 1;
// Directories are mostly keys, which do not shrink: what can be gained, the fastest level gains in
// half the time.
constexpr int kDictLevel = -1;

int level_for(ByteView node) {
  const bool dict = node.size() > 1 && node[1] == static_cast<char>(Kind::kDict);
  return dict ? kDictLevel : kLevel;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Contexts cost more to make than a small node costs to compress: each thread keeps its own.
ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

Bytes pack_raw(ByteView node) {
  Bytes value;
  value.reserve(1 + node.size());
  value += kRaw;
  value += node;
  return value;
}

std::optional<Bytes> decompress(ByteView frame) {
  // Read from the frame and bounded before memory is taken: the bytes may be damaged.
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  // Unknown and damaged sizes are the two largest numbers.
  if (size > kMaxNodeBytes) return std::nullopt;
  Bytes node;
  std::size_t got = 0;
  node.resize_and_overwrite(size, [&](char* out, std::size_t room) {
    got = ZSTD_decompressDCtx(decompressor(), out, room, frame.data(), frame.size());
    return ZSTD_isError(got) != 0U ? 0 : got;
  });
  if (ZSTD_isError(got) != 0U || got != size) return std::nullopt;
  return node;
}

}  // namespace

Bytes pack_node(ByteView node) {
  if (node.size() < kMinCompressed) return pack_raw(node);
  Bytes value;
  value.resize_and_overwrite(1 + ZSTD_compressBound(node.size()), [&](char* out, std::size_t room) {
    out[0] = kZstd;
    const auto size = ZSTD_compressCCtx(compressor(), out + 1, room - 1, node.data(), node.size(),
                                        level_for(node));
    return ZSTD_isError(size) != 0U ? 0 : 1 + size;
  });
  // Compressed only when it is smaller.
  if (value.empty() || value.size() > node.size()) return pack_raw(node);
  value.shrink_to_fit();
  return value;
}

std::optional<Bytes> unpack_node(ByteView value) {
  if (value.empty()) return std::nullopt;
  const char codec = value.front();
  value.remove_prefix(1);
  if (codec == kZstd) return decompress(value);
  if (codec != kRaw || value.size() > kMaxNodeBytes) return std::nullopt;
  return Bytes(value);
}

}  // namespace cairn
