// Files: one node when small, a tree of content-defined pieces when large.
//
// Invariants  the key of a file depends on its content and type only, however it was written.
// Cost        a read touches the pieces in its range and the nodes above them; a change of a few
//             bytes makes one or two new chunks and the nodes above them.
// Threads     FileWriter: one at a time. Reading is a function of its arguments, from any thread.
// Fails with  CORRUPT_NODE when a piece does not fit what its parent says; what the sink or reader
//             fails with.
#pragma once

#include <functional>

#include "data/cas/node_io.h"

namespace cairn {

// Cuts bytes that arrive in any portions into a file. Memory: two chunks.
class FileWriter final {
 public:
  explicit FileWriter(NodeSink& sink) : sink_(sink) {}
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  Result<void> append(ByteView bytes);
  // The file's node, which went to the sink like its pieces. Call once, last.
  Result<NodePtr> finish(std::string_view type);

 private:
  Result<void> cut(bool all);

  NodeSink& sink_;
  Bytes pending_;
  bool chunked_ = false;
  std::vector<Piece> pieces_;
};

// The same in one call.
Result<NodePtr> write_file(NodeSink& sink, std::string_view type, ByteView content);

// Hands the bytes [offset, offset + length), cut to the file, to `out` in order.
using ByteVisitor = std::function<Result<void>(ByteView)>;
Result<void> read_file(const NodeReader& nodes, const Node& file, std::uint64_t offset,
                       std::uint64_t length, const ByteVisitor& out);
Result<Bytes> read_file(const NodeReader& nodes, const Node& file);

}  // namespace cairn
