#include "base/os/new_directory.h"
#include "data/cas/file.h"
#include "data/realm/import.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

Result<void> export_file(const NodeReader& nodes, const NodeKey& key,
                         const os::NewDirectory& target, const std::string& path,
                         Progress& progress) {
  const auto node = TRY(nodes.get(key));
  return target.add_file(path, [&](const os::NewDirectory::Sink& sink) {
    return read_file(nodes, *node, 0, node->size(), [&](ByteView portion) -> Result<void> {
      TRY(progress.go_on());
      progress.bytes += portion.size();
      return sink(portion);
    });
  });
}

}  // namespace

Result<ExportResult> export_directory(const NodeReader& nodes, const NodeKey& root,
                                      const std::filesystem::path& target, Progress& progress,
                                      const os::Kernel& kernel) {
  auto tree = TRY(view_tree(nodes, root));
  if (tree.root->kind() != Kind::kDict) {
    return fail(Code::kNotADirectory, "{} is a file, not a directory", root.render());
  }
  const auto directory = TRY(os::NewDirectory::make(target, kernel));
  SystemClock clock;
  Budget budget(clock, {});
  ExportResult result;
  auto done = walk(nodes, tree.root, budget,
                   [&](std::string_view below, const Entry& entry) -> Result<Walk> {
                     const std::string path(below);
                     TRY(progress.go_on());
                     if (entry.is_dir()) {
                       TRY(directory.add_directory(path));
                       return Walk::kContinue;
                     }
                     TRY(export_file(nodes, entry.key, directory, path, progress));
                     result.files += 1;
                     result.bytes += entry.bytes;
                     progress.files += 1;
                     return Walk::kContinue;
                   });
  if (!done) {
    directory.clear();
    return Failure(std::move(done).error());
  }
  return result;
}

}  // namespace cairn
