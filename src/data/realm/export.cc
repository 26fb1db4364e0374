#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/cas/file.h"
#include "data/realm/import.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

Failure io_error(std::string_view doing, const std::string& path) {
  return fail(Code::kIoError, "cannot {} '{}': {}", doing, path, std::strerror(errno));
}

Result<void> write_all(int fd, ByteView bytes, const std::string& path) {
  while (!bytes.empty()) {
    auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> export_file(const NodeReader& nodes, const NodeKey& key, const std::string& path) {
  auto node = TRY(nodes.get(key));
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return io_error("create", path);
  auto written = read_file(nodes, *node, 0, node->size(),
                           [&](ByteView part) { return write_all(fd, part, path); });
  if (::close(fd) != 0 && written) return io_error("write", path);
  return written;
}

Result<void> make_target(const std::filesystem::path& target) {
  std::error_code error;
  std::filesystem::create_directories(target, error);
  if (error) {
    return fail(Code::kIoError, "cannot create '{}': {}", target.string(), error.message());
  }
  if (!std::filesystem::is_empty(target, error) || error) {
    return fail(Code::kTargetExists, "'{}' is not empty; export into a new or empty directory",
                target.string());
  }
  return {};
}

}  // namespace

Result<ExportResult> export_directory(const NodeReader& nodes, const NodeKey& root,
                                      const std::filesystem::path& target, Progress& progress) {
  auto tree = TRY(view_tree(nodes, root));
  if (tree.root->kind() != Kind::kDict) {
    return fail(Code::kNotADirectory, "{} is a file, not a directory", root.render());
  }
  TRY(make_target(target));
  SystemClock clock;
  Budget budget(clock, {});
  ExportResult result;
  auto prefix = target.string() + "/";
  TRY(walk(nodes, tree.root, budget,
           [&](std::string_view below, const Entry& entry) -> Result<Walk> {
             auto path = prefix + std::string(below);
             if (entry.is_dir()) {
               if (::mkdir(path.c_str(), 0777) != 0) return io_error("create the directory", path);
               return Walk::kContinue;
             }
             TRY(export_file(nodes, entry.key, path));
             result.files += 1;
             result.bytes += entry.bytes;
             progress.files += 1;
             progress.bytes += entry.bytes;
             return Walk::kContinue;
           }));
  return result;
}

}  // namespace cairn
