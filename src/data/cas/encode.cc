// The encoders of node.h. What they write, Node::decode accepts, and nothing else.

#include <utility>

#include "base/bytes.h"
#include "data/cas/node.h"

namespace cairn {
namespace {

Bytes header(Kind kind, unsigned level, std::size_t reserve) {
  Bytes out;
  out.reserve(reserve + 16);
  out.push_back(1);
  out.push_back(static_cast<char>(std::to_underlying(kind)));
  out.push_back(static_cast<char>(level));
  return out;
}

void put_pieces(Bytes& out, std::span<const Piece> pieces) {
  put_varint(out, pieces.size());
  for (const auto& piece : pieces) {
    put_varint(out, piece.length);
    out.append(piece.key.bytes());
  }
}

// An encoder's output always decodes; value() throws if a caller broke a REQUIRES.
NodePtr finish(Bytes bytes) { return Node::decode(std::move(bytes)).value(); }

}  // namespace

NodePtr make_file(std::string_view type, ByteView content) {
  auto out = header(Kind::kFile, 0, content.size() + type.size());
  put_text(out, type);
  out.append(content);
  return finish(std::move(out));
}

NodePtr make_file(std::string_view type, unsigned level, std::span<const Piece> pieces) {
  auto out = header(Kind::kFile, level, pieces.size() * 40 + type.size());
  put_text(out, type);
  put_pieces(out, pieces);
  return finish(std::move(out));
}

NodePtr make_chunk(ByteView content) {
  auto out = header(Kind::kSuccessor, 0, content.size());
  out.append(content);
  return finish(std::move(out));
}

NodePtr make_successor(unsigned level, std::span<const Piece> pieces) {
  auto out = header(Kind::kSuccessor, level, pieces.size() * 40);
  put_pieces(out, pieces);
  return finish(std::move(out));
}

NodePtr make_dict(std::span<const Entry> entries) {
  auto out = header(Kind::kDict, 0, entries.size() * 72);
  put_varint(out, entries.size());
  for (const auto& entry : entries) {
    out.push_back(static_cast<char>(std::to_underlying(entry.kind)));
    put_text(out, entry.name);
    out.append(entry.key.bytes());
    put_varint(out, entry.bytes);
    if (entry.is_dir()) {
      put_varint(out, entry.children);
      put_varint(out, entry.files);
    } else {
      put_text(out, entry.type);
    }
  }
  return finish(std::move(out));
}

NodePtr make_dict(unsigned level, std::span<const Branch> branches) {
  auto out = header(Kind::kDict, level, branches.size() * 72);
  put_varint(out, branches.size());
  for (const auto& branch : branches) {
    put_text(out, branch.last);
    out.append(branch.key.bytes());
    put_varint(out, branch.entries);
    put_varint(out, branch.files);
    put_varint(out, branch.bytes);
  }
  return finish(std::move(out));
}

NodePtr empty_dict() { return make_dict(std::span<const Entry>{}); }

}  // namespace cairn
