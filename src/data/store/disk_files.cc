#include "data/store/disk_files.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace cairn {
namespace {

namespace fs = std::filesystem;

Failure failed(std::string_view action, const fs::path& path, const std::error_code& error) {
  return fail(Code::kIoError, "cannot {} '{}': {}", action, path.string(), error.message());
}

}  // namespace

Result<void> sync_path(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const std::error_code error(errno, std::generic_category());
  if (file >= 0) ::close(file);
  if (!synced) return failed("sync", path, error);
  return {};
}

Result<void> make_directory(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  if (error) return failed("find", path, error);
  if (fs::is_directory(whole, error)) return {};
  if (whole.has_relative_path()) TRY(make_directory(whole.parent_path()));
  fs::create_directory(whole, error);
  if (error) return failed("make the directory", whole, error);
  return sync_path(whole.parent_path());
}

Result<void> copy_files(const fs::path& from, const fs::path& to) {
  TRY(make_directory(to));
  std::error_code error;
  fs::directory_iterator entry(from, error);
  while (!error && entry != fs::directory_iterator()) {
    if (entry->is_regular_file(error)) {
      const fs::path copy = to / entry->path().filename();
      fs::copy_file(entry->path(), copy, error);
      if (error) return failed("copy", entry->path(), error);
      TRY(sync_path(copy));
    }
    if (!error) entry.increment(error);
  }
  if (error) return failed("read", from, error);
  return sync_path(to);
}

}  // namespace cairn
