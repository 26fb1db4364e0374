#include "data/cas/file.h"

#include <algorithm>

#include "data/cas/boundary.h"
#include "data/cas/chunker.h"

namespace cairn {

Result<void> FileWriter::append(ByteView bytes) {
  while (!bytes.empty()) {
    // Enough for the chunker to decide, and no more than twice that at a time.
    auto portion = bytes.substr(0, 2 * kMaxChunk);
    pending_.append(portion);
    bytes.remove_prefix(portion.size());
    if (pending_.size() > kMaxInline) chunked_ = true;
    if (chunked_) TRY(cut(false));
  }
  return {};
}

Result<void> FileWriter::cut(bool all) {
  ByteView rest = pending_;
  while (rest.size() >= kMaxChunk || (all && !rest.empty())) {
    auto length = next_chunk(rest);
    auto chunk = make_chunk(rest.substr(0, length));
    pieces_.push_back({length, chunk->key()});
    TRY(sink_.add(std::move(chunk)));
    rest.remove_prefix(length);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return {};
}

namespace {

// Cuts a list of pieces into successors: the pieces of the level above.
Result<std::vector<Piece>> cut_pieces(NodeSink& sink, unsigned level,
                                      const std::vector<Piece>& pieces) {
  std::vector<Piece> above;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    bool ends = PieceBoundary::ends(level, i + 1 - begin, pieces[i].key);
    if (!ends && i + 1 < pieces.size()) continue;
    auto node = make_successor(level, std::span(pieces).subspan(begin, i + 1 - begin));
    above.push_back({node->size(), node->key()});
    TRY(sink.add(std::move(node)));
    begin = i + 1;
  }
  return above;
}

// True when the pieces fit one node of this level: no cut before the last.
bool fits_one_node(unsigned level, const std::vector<Piece>& pieces) {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (PieceBoundary::ends(level, i + 1, pieces[i].key)) return false;
  }
  return true;
}

}  // namespace

Result<NodePtr> FileWriter::finish(std::string_view type) {
  NodePtr file;
  if (!chunked_) {
    file = make_file(type, pending_);
  } else {
    TRY(cut(true));
    unsigned level = 1;
    while (!fits_one_node(level, pieces_)) {
      pieces_ = TRY(cut_pieces(sink_, level, pieces_));
      level += 1;
    }
    file = make_file(type, level, pieces_);
  }
  TRY(sink_.add(file));
  return file;
}

Result<NodePtr> write_file(NodeSink& sink, std::string_view type, ByteView content) {
  if (content.size() <= kMaxInline) {
    auto file = make_file(type, content);
    TRY(sink.add(file));
    return file;
  }
  FileWriter writer(sink);
  TRY(writer.append(content));
  return writer.finish(type);
}

Result<void> read_file(const NodeReader& nodes, const Node& file, std::uint64_t offset,
                       std::uint64_t length, const ByteVisitor& out) {
  if (offset >= file.size() || length == 0) return {};
  length = std::min(length, file.size() - offset);
  if (file.level() == 0) return out(file.content().substr(offset, length));
  std::uint64_t begin = 0;
  for (const auto& piece : file.pieces()) {
    auto end = begin + piece.length;
    if (begin >= offset + length) break;
    if (end > offset) {
      auto node = TRY(nodes.get(piece.key));
      if (node->kind() != Kind::kSuccessor || node->level() + 1 != file.level() ||
          node->size() != piece.length) {
        return fail(Code::kCorruptNode, "{} is not the piece of a file that {} says it is",
                    piece.key.render(), file.key().render());
      }
      auto from = std::max(begin, offset);
      auto to = std::min(end, offset + length);
      TRY(read_file(nodes, *node, from - begin, to - from, out));
    }
    begin = end;
  }
  return {};
}

Result<Bytes> read_file(const NodeReader& nodes, const Node& file) {
  Bytes bytes;
  // A file of up to this size shows its chunks itself; above, its size is only a promise.
  bytes.reserve(std::min<std::uint64_t>(file.size(), PieceBoundary::kMax * kMaxChunk));
  TRY(read_file(nodes, file, 0, file.size(), [&](ByteView part) -> Result<void> {
    bytes.append(part);
    return {};
  }));
  return bytes;
}

}  // namespace cairn
