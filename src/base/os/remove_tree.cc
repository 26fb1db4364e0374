#include "base/os/remove_tree.h"

#include <cerrno>

#include <dirent.h>

#include "base/os/names.h"

namespace cairn::os {
namespace {

// Directories deeper than this are carried up to the top first, and removed from there.
constexpr int kDeepest = 48;
// Somebody may go on adding files; the removal gives up some time.
constexpr int kPasses = 100'000;

// Gone, by whoever.
Outcome<void> unlink(int directory, const std::string& name, int flags, const Kernel& kernel) {
  auto removed = remove_name(directory, name, flags, kernel);
  if (!removed && removed.error() == ENOENT) return {};
  return removed;
}

class Removal final {
 public:
  Removal(int top, TemporaryNames& names, const Kernel& kernel)
      : top_(top), names_(names), kernel_(kernel) {}

  // Everything in the directory; it may have to be called again when directories were carried up.
  Outcome<void> empty(int directory, int depth) {
    auto reader = NameReader::open(directory, kernel_);
    if (!reader) return std::unexpected(reader.error());
    while (true) {
      const auto entry = reader->next();
      if (!entry) return std::unexpected(entry.error());
      if (!*entry) return {};
      const std::string name((*entry)->name);
      auto removed = remove(directory, name, (*entry)->type == DT_DIR, depth);
      if (!removed) return removed;
    }
  }

 private:
  Outcome<void> remove(int directory, const std::string& name, bool is_directory, int depth) {
    if (!is_directory) {
      auto removed = unlink(directory, name, 0, kernel_);
      if (removed || removed.error() != EISDIR) return removed;
    }
    // Most of the deepest directories are empty by now or were so from the start.
    auto removed = unlink(directory, name, AT_REMOVEDIR, kernel_);
    if (removed || removed.error() != ENOTEMPTY) return removed;
    if (depth == kDeepest) return rename_over(directory, name, top_, names_.next(), kernel_);
    const auto inner = open_name(directory, name, O_PATH | O_DIRECTORY, 0, kernel_);
    if (!inner) return std::unexpected(inner.error());
    auto emptied = empty(inner->fd(), depth + 1);
    if (!emptied) return emptied;
    removed = unlink(directory, name, AT_REMOVEDIR, kernel_);
    // Not empty: somebody added a file, or the listing missed one. The next pass finds it.
    if (!removed && removed.error() == ENOTEMPTY) return {};
    return removed;
  }

  int top_;
  TemporaryNames& names_;
  const Kernel& kernel_;
};

}  // namespace

Outcome<void> remove_tree(int directory, const std::string& name, TemporaryNames& names,
                          const Kernel& kernel) {
  auto removed = unlink(directory, name, 0, kernel);
  if (removed || removed.error() != EISDIR) return removed;
  removed = unlink(directory, name, AT_REMOVEDIR, kernel);
  if (removed || removed.error() != ENOTEMPTY) return removed;
  const auto top = open_name(directory, name, O_PATH | O_DIRECTORY, 0, kernel);
  if (!top) return std::unexpected(top.error());
  Removal removal(top->fd(), names, kernel);
  for (int pass = 0; pass < kPasses; ++pass) {
    if (auto emptied = removal.empty(top->fd(), 0); !emptied) return emptied;
    removed = unlink(directory, name, AT_REMOVEDIR, kernel);
    if (removed || removed.error() != ENOTEMPTY) return removed;
  }
  return std::unexpected(ENOTEMPTY);
}

}  // namespace cairn::os
