#include "data/cas/node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/boundary.h"
#include "data/cas/chunker.h"

namespace cairn {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint8_t kVersion = 1;

Failure corrupt(std::string_view why) {
  return fail(Code::kCorruptNode, "the node's bytes are not canonical: {}", why);
}

// A content type as the encoder writes it: parse_content_type() is the way in, this is the bound.
bool plausible_type(std::string_view type) {
  if (type.empty() || type.size() > kMaxTypeBytes) return false;
  // Values of parameters may have capitals, the type itself not.
  auto bare = type.substr(0, type.find(';'));
  auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto is_printable = [](char c) { return c >= 0x20 && c <= 0x7e; };
  return std::ranges::all_of(type, is_printable) && std::ranges::none_of(bare, is_capital) &&
         bare.find('/') != std::string_view::npos;
}

// The same checks as check_name(), without a message: decoding is a hot path.
bool valid_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes || name == "." || name == "..") return false;
  bool ascii = true;
  for (char c : name) {
    if (c == '/' || c == '\0') return false;
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  }
  return ascii || valid_utf8(name);
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::kFile:
      return "file";
    case Kind::kDict:
      return "dict";
    case Kind::kSuccessor:
      return "successor";
  }
  std::unreachable();
}

void Totals::add(const Entry& entry) {
  entries += 1;
  files += entry.is_dir() ? entry.files : 1;
  bytes += entry.bytes;
}

void Totals::add(const Branch& branch) {
  entries += branch.entries;
  files += branch.files;
  bytes += branch.bytes;
}

Result<void> check_name(std::string_view name) {
  if (valid_name(name)) return {};
  if (name.empty()) return fail(Code::kInvalidPath, "a name is empty");
  if (!valid_utf8(name)) return fail(Code::kInvalidPath, "a name is not valid UTF-8");
  if (name.size() > kMaxNameBytes) {
    return fail(Code::kInvalidPath, "the name '{}' has {} bytes; the most is {}", shown(name, 40),
                name.size(), kMaxNameBytes);
  }
  if (name == "." || name == "..") {
    return fail(Code::kInvalidPath, "'{}' is not a name; paths start at the root and only go down",
                name);
  }
  if (name.find('/') != std::string_view::npos) {
    return fail(Code::kInvalidPath, "the name '{}' has a '/' in it", shown(name));
  }
  return fail(Code::kInvalidPath, "a name has a NUL byte in it");
}

Result<NodePtr> Node::decode(Bytes bytes) {
  auto key = NodeKey::of(bytes);
  return decode(std::move(bytes), key);
}

Result<NodePtr> Node::decode(Bytes bytes, const NodeKey& key) {
  if (bytes.size() > kMaxNodeBytes) {
    return fail(Code::kNodeTooLarge, "the node has {} bytes; the most is {}", bytes.size(),
                kMaxNodeBytes);
  }
  std::shared_ptr<Node> node(new Node());
  node->bytes_ = std::move(bytes);
  node->key_ = key;
  TRY(node->parse());
  return node;
}

Result<void> Node::parse() {
  ByteReader in(bytes_);
  auto version = in.byte();
  auto kind = in.byte();
  level_ = in.byte();
  if (in.failed()) return corrupt("it is shorter than its header");
  if (version != kVersion) return corrupt(fmt::format("version {} is unknown", version));
  if (level_ > kMaxLevel) return corrupt(fmt::format("level {} is too high", level_));
  switch (kind) {
    case std::to_underlying(Kind::kFile):
      kind_ = Kind::kFile;
      return parse_file(in);
    case std::to_underlying(Kind::kSuccessor):
      kind_ = Kind::kSuccessor;
      if (level_ > 0) return parse_pieces(in);
      content_ = in.rest();
      totals_.bytes = content_.size();
      if (content_.empty() || content_.size() > kMaxChunk) {
        return corrupt("a chunk has 1 to 131072 bytes");
      }
      return {};
    case std::to_underlying(Kind::kDict):
      kind_ = Kind::kDict;
      return level_ == 0 ? parse_entries(in) : parse_branches(in);
    default:
      return corrupt(fmt::format("kind {} is unknown", kind));
  }
}

Result<void> Node::parse_file(ByteReader& in) {
  type_ = in.take(in.varint());
  if (in.failed() || !plausible_type(type_)) return corrupt("the content type is not one");
  if (level_ > 0) {
    TRY(parse_pieces(in));
    if (totals_.bytes <= kMaxInline) return corrupt("a small file is in pieces");
    if (pieces_.size() < 2) return corrupt("a file is in a single piece");
    return {};
  }
  content_ = in.rest();
  totals_.bytes = content_.size();
  if (content_.size() > kMaxInline) return corrupt("a large file is not in pieces");
  return {};
}

Result<void> Node::parse_pieces(ByteReader& in) {
  auto count = in.varint();
  if (in.failed() || count == 0 || count > PieceBoundary::kMax) {
    return corrupt("the number of pieces is impossible");
  }
  pieces_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Piece piece;
    piece.length = in.varint();
    auto key = in.take(NodeKey::kSize);
    if (in.failed()) return corrupt("a piece is cut short");
    piece.key = NodeKey::from_bytes(key);
    if (piece.length == 0 || piece.length > kMaxTotal) {
      return corrupt("a piece has an impossible length");
    }
    if (level_ == 1 && piece.length > kMaxChunk) return corrupt("a chunk is too long");
    if (i + 1 < count && PieceBoundary::ends(level_, i + 1, piece.key)) {
      return corrupt("a list of pieces goes on past its cut");
    }
    totals_.bytes += piece.length;
    if (!totals_.plausible()) return corrupt("the totals are impossible");
    pieces_.push_back(piece);
  }
  if (!in.at_end()) return corrupt("bytes follow the last piece");
  return {};
}

Result<void> Node::parse_entries(ByteReader& in) {
  auto count = in.varint();
  if (in.failed() || count > DictBoundary::kMax) return corrupt("too many entries");
  entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry;
    auto kind = in.byte();
    entry.name = in.take(in.varint());
    auto key = in.take(NodeKey::kSize);
    entry.bytes = in.varint();
    if (kind == std::to_underlying(Kind::kFile)) {
      entry.type = in.take(in.varint());
      if (!plausible_type(entry.type)) return corrupt("an entry's content type is not one");
    } else if (kind == std::to_underlying(Kind::kDict)) {
      entry.kind = Kind::kDict;
      entry.children = in.varint();
      entry.files = in.varint();
    } else {
      return corrupt("an entry is neither file nor directory");
    }
    if (in.failed()) return corrupt("an entry is cut short");
    entry.key = NodeKey::from_bytes(key);
    if (!valid_name(entry.name)) return corrupt("an entry's name is not valid");
    if (i > 0 && entries_.back().name >= entry.name) return corrupt("names are not in order");
    if (i + 1 < count && DictBoundary::ends(0, i + 1, entry.name)) {
      return corrupt("a directory goes on past its cut");
    }
    if (entry.children > kMaxTotal || entry.files > kMaxTotal || entry.bytes > kMaxTotal) {
      return corrupt("an entry's totals are impossible");
    }
    totals_.add(entry);
    if (!totals_.plausible()) return corrupt("the totals are impossible");
    entries_.push_back(entry);
  }
  if (!in.at_end()) return corrupt("bytes follow the last entry");
  return {};
}

Result<void> Node::parse_branches(ByteReader& in) {
  auto count = in.varint();
  if (in.failed() || count == 0 || count > DictBoundary::kMax) {
    return corrupt("the number of branches is impossible");
  }
  branches_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Branch branch;
    branch.last = in.take(in.varint());
    auto key = in.take(NodeKey::kSize);
    branch.entries = in.varint();
    branch.files = in.varint();
    branch.bytes = in.varint();
    if (in.failed()) return corrupt("a branch is cut short");
    branch.key = NodeKey::from_bytes(key);
    if (!valid_name(branch.last)) return corrupt("a branch's name is not valid");
    if (branch.entries == 0) return corrupt("a branch is empty");
    if (i > 0 && branches_.back().last >= branch.last) return corrupt("names are not in order");
    if (i + 1 < count && DictBoundary::ends(level_, i + 1, branch.last)) {
      return corrupt("a directory goes on past its cut");
    }
    if (!Totals{branch.entries, branch.files, branch.bytes}.plausible()) {
      return corrupt("a branch's totals are impossible");
    }
    totals_.add(branch);
    if (!totals_.plausible()) return corrupt("the totals are impossible");
    branches_.push_back(branch);
  }
  if (!in.at_end()) return corrupt("bytes follow the last branch");
  return {};
}

std::vector<NodeKey> Node::children() const {
  std::vector<NodeKey> keys;
  keys.reserve(pieces_.size() + entries_.size() + branches_.size());
  for (const auto& piece : pieces_) keys.push_back(piece.key);
  for (const auto& entry : entries_) keys.push_back(entry.key);
  for (const auto& branch : branches_) keys.push_back(branch.key);
  return keys;
}

std::size_t Node::memory() const {
  return sizeof(Node) + bytes_.capacity() + pieces_.capacity() * sizeof(Piece) +
         entries_.capacity() * sizeof(Entry) + branches_.capacity() * sizeof(Branch);
}

Entry entry_for(std::string_view name, const Node& node) {
  Entry entry;
  entry.kind = node.kind();
  entry.name = name;
  entry.key = node.key();
  entry.bytes = node.totals().bytes;
  if (node.kind() == Kind::kFile) {
    entry.type = node.type();
  } else {
    entry.children = node.totals().entries;
    entry.files = node.totals().files;
  }
  return entry;
}

}  // namespace cairn
