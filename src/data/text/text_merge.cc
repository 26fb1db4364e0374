#include "data/text/text_merge.h"

#include <git2.h>

#include "data/text/lines.h"

namespace cairn {
namespace {

git_merge_file_input input(ByteView text) {
  git_merge_file_input side{};
  side.version = GIT_MERGE_FILE_INPUT_VERSION;
  side.ptr = text.empty() ? "" : text.data();
  side.size = text.size();
  return side;
}

class MergeResult final {
 public:
  MergeResult() = default;
  MergeResult(const MergeResult&) = delete;
  MergeResult& operator=(const MergeResult&) = delete;
  ~MergeResult() { git_merge_file_result_free(&result_); }

  git_merge_file_result* get() { return &result_; }
  bool clean() const { return result_.automergeable != 0; }
  Bytes text() const { return result_.len == 0 ? Bytes() : Bytes(result_.ptr, result_.len); }

 private:
  git_merge_file_result result_{};
};

// A failure of libgit2 (it is out of memory) counts as a conflict: nothing is lost by it.
std::optional<Bytes> merge_lines(ByteView base, ByteView ours, ByteView theirs) {
  static const int initialised = git_libgit2_init();
  if (initialised < 0) return std::nullopt;
  const auto ancestor = input(base);
  const auto left = input(ours);
  const auto right = input(theirs);
  MergeResult result;
  if (git_merge_file(result.get(), &ancestor, &left, &right, nullptr) < 0) return std::nullopt;
  if (!result.clean()) return std::nullopt;
  return result.text();
}

}  // namespace

std::optional<Bytes> merge_text(ByteView base, ByteView ours, ByteView theirs) {
  if (theirs == base || ours == theirs) return Bytes(ours);
  if (ours == base) return Bytes(theirs);
  if (too_long_to_compare(base, ours) || too_long_to_compare(base, theirs)) return std::nullopt;
  return merge_lines(base, ours, theirs);
}

}  // namespace cairn
