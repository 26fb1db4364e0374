#include "base/os/new_directory.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>

#include "base/os/names.h"
#include "base/os/os_error.h"

namespace cairn::os {

Result<NewDirectory> NewDirectory::make(const std::filesystem::path& target, const Kernel& kernel) {
  std::error_code error;
  std::filesystem::create_directories(target, error);
  if (error) return io_error("create", target, error.value());
  NameReader names(
      TRY(checked(open_path(target, O_RDONLY | O_DIRECTORY, kernel), "list the directory", target)),
      kernel);
  if (!TRY(checked(names.next(), "list the directory", target)))
    return NewDirectory(target, kernel);
  return fail(Code::kTargetExists, "'{}' is not empty; export into a new or empty directory",
              shown_path(target.string()));
}

Result<void> NewDirectory::add_directory(const std::string& path) const {
  const auto full = target_ / path;
  return checked(make_directory(AT_FDCWD, full, 0777, kernel_), "create the directory", full);
}

Result<void> NewDirectory::add_file(const std::string& path, const Fill& fill) const {
  const auto full = target_ / path;
  std::filesystem::path part;
  auto file = TRY(make_part(full, part));
  auto filled = fill([&](ByteView portion) {
    return checked(write_all(file.fd(), portion, kernel_), "write", full);
  });
  if (filled) filled = checked(close(std::move(file), kernel_), "write", full);
  if (filled) filled = checked(rename_new(AT_FDCWD, part, AT_FDCWD, full, kernel_), "create", full);
  if (filled) return {};
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return filled;
}

void NewDirectory::clear() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(target_, ignored)) {
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

// A file beside the one that it will be. A tree may have any name, also those of such files: a name
// that is taken is passed over, and so is the one that the file will have.
Result<Handle> NewDirectory::make_part(const std::filesystem::path& full,
                                       std::filesystem::path& part) const {
  for (int number = 0;; ++number) {
    part = full.parent_path() / (kPart + std::to_string(number));
    if (part == full) continue;
    auto file = open_name(AT_FDCWD, part, O_WRONLY | O_CREAT | O_EXCL, 0666, kernel_);
    if (file || file.error() != EEXIST) return checked(std::move(file), "create", full);
  }
}

}  // namespace cairn::os
