// Reading a pipe by lines of bounded length.
//
// Threads     one at a time.
// Fails with  IO_ERROR when the pipe cannot be read.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace cairn::mcp {

class LineReader final {
 public:
  LineReader(int file, std::size_t max_bytes) : file_(file), max_bytes_(max_bytes) {}

  struct Line {
    std::string text;       // without its end
    bool too_long = false;  // and empty for that
  };
  // Nullopt at the end. The last line may lack its line end.
  Result<std::optional<Line>> next();

 private:
  int file_;
  std::size_t max_bytes_;
  std::string buffer_;
  std::size_t from_ = 0;     // what was given out already
  std::size_t scanned_ = 0;  // where no end was found
  bool skipping_ = false;
  bool ended_ = false;
};

// Writes all of it, however long that takes. False: nobody reads the pipe now.
bool write_all(int file, std::string_view bytes);

}  // namespace cairn::mcp
