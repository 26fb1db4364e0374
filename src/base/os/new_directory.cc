#include "base/os/new_directory.h"

#include <system_error>
#include <utility>

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
  auto file = TRY(checked(open_name(AT_FDCWD, full, O_WRONLY | O_CREAT | O_EXCL, 0666, kernel_),
                          "create", full));
  TRY(fill([&](ByteView portion) {
    return checked(write_all(file.fd(), portion, kernel_), "write", full);
  }));
  return checked(close(std::move(file), kernel_), "write", full);
}

}  // namespace cairn::os
