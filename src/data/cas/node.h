// One immutable node: a file, a directory, or a piece of either.
//
// Invariants  the bytes are the canonical encoding (docs/node-format.md): decode() accepts exactly
//             what the encoders write. Views in entries point into the node's own bytes.
// Threads     immutable after decode(); share freely.
// Fails with  CORRUPT_NODE when bytes are not canonical, NODE_TOO_LARGE over 4 MiB.
// Cost        one pass over the bytes; file content is not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/cas/node_key.h"

namespace cairn {

enum class Kind : std::uint8_t { kFile = 'f', kDict = 'd', kSuccessor = 's' };
std::string_view name(Kind kind);

inline constexpr std::size_t kMaxNodeBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kMaxNameBytes = 255;
inline constexpr std::size_t kMaxTypeBytes = 127;
inline constexpr unsigned kMaxLevel = 15;
// No count or sum in a node is larger, so that sums never overflow.
inline constexpr std::uint64_t kMaxTotal = std::uint64_t{1} << 50;

// One child of a directory, as a listing shows it.
struct Entry {
  Kind kind = Kind::kFile;  // kFile or kDict
  std::string_view name;
  NodeKey key;
  std::uint64_t bytes = 0;     // file: its size; directory: all files below it
  std::string_view type;       // file only: content type
  std::uint64_t children = 0;  // directory only: direct children
  std::uint64_t files = 0;     // directory only: files below it

  bool is_dir() const { return kind == Kind::kDict; }
  bool operator==(const Entry&) const = default;
};

// One child node of an inner node of a large directory.
struct Branch {
  std::string_view last;  // the last name below
  NodeKey key;
  std::uint64_t entries = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// One child node of a large file or of a successor that is an inner node.
struct Piece {
  std::uint64_t length = 0;
  NodeKey key;
};

// The sums over a directory that its entry in the parent repeats.
struct Totals {
  std::uint64_t entries = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

  void add(const Entry& entry);
  void add(const Branch& branch);
  bool plausible() const {
    return entries <= kMaxTotal && files <= kMaxTotal && bytes <= kMaxTotal;
  }
  bool operator==(const Totals&) const = default;
};

class Node;
using NodePtr = std::shared_ptr<const Node>;

class Node final {
 public:
  // Takes the bytes; hashes them.
  static Result<NodePtr> decode(Bytes bytes);
  // The same, when the caller has just computed or verified the key.
  static Result<NodePtr> decode(Bytes bytes, const NodeKey& key);

  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const NodeKey& key() const { return key_; }
  ByteView bytes() const { return bytes_; }
  Kind kind() const { return kind_; }
  // 0: holds content or entries; above: holds pieces or branches of that height.
  unsigned level() const { return level_; }

  // File: its content type, and its size whether inline or in pieces.
  std::string_view type() const { return type_; }
  // File and successor: bytes of content in or below it.
  std::uint64_t size() const { return totals_.bytes; }
  // File and successor of level 0.
  ByteView content() const { return content_; }
  // File and successor above level 0.
  std::span<const Piece> pieces() const { return pieces_; }

  // Directory of level 0, sorted by name.
  std::span<const Entry> entries() const { return entries_; }
  // Directory above level 0.
  std::span<const Branch> branches() const { return branches_; }
  // Directory: sums over everything in it.
  const Totals& totals() const { return totals_; }

  // A whole file or directory, not a piece of one: what a tree can begin with.
  bool is_root() const {
    return kind_ != Kind::kSuccessor &&
           (kind_ == Kind::kFile || level_ == 0 || branches_.size() > 1);
  }

  // Keys of all child nodes, in order.
  std::vector<NodeKey> children() const;

  // The bytes it takes in memory.
  std::size_t memory() const;

 private:
  Node() = default;
  Result<void> parse();
  Result<void> parse_file(class ByteReader& in);
  Result<void> parse_pieces(class ByteReader& in);
  Result<void> parse_entries(class ByteReader& in);
  Result<void> parse_branches(class ByteReader& in);

  Bytes bytes_;
  NodeKey key_;
  Kind kind_ = Kind::kFile;
  unsigned level_ = 0;
  std::string_view type_;
  ByteView content_;
  std::vector<Piece> pieces_;
  std::vector<Entry> entries_;
  std::vector<Branch> branches_;
  Totals totals_;
};

// Encoders. REQUIRES: what the decoder checks (sorted unique valid names, limits).
NodePtr make_file(std::string_view type, ByteView content);
NodePtr make_file(std::string_view type, unsigned level, std::span<const Piece> pieces);
NodePtr make_chunk(ByteView content);
NodePtr make_successor(unsigned level, std::span<const Piece> pieces);
NodePtr make_dict(std::span<const Entry> entries);
NodePtr make_dict(unsigned level, std::span<const Branch> branches);
NodePtr empty_dict();

// The entry that stands for `node` (a file or the root node of a directory) in its parent.
Entry entry_for(std::string_view name, const Node& node);

// A name may stand in a directory: 1 to 255 bytes of valid UTF-8 without '/' or NUL, not '.' or
// '..'. Says what is wrong otherwise (INVALID_PATH).
Result<void> check_name(std::string_view name);

}  // namespace cairn
