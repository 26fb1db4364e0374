#include "base/os/new_directory.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>

#include "base/os/names.h"
#include "base/os/os_error.h"

namespace cairn::os {
namespace {

// A file beside the one that it will be. A tree may have any name, also those of such files: a name
// that is taken is passed over, and so is the one that the file will have.
Result<Handle> make_part(int directory, const std::string& name, const std::filesystem::path& shown,
                         std::string& part, const Kernel& kernel) {
  for (int number = 0;; ++number) {
    part = NewDirectory::kPart + std::to_string(number);
    if (part == name) continue;
    auto file = open_name(directory, part, O_WRONLY | O_CREAT | O_EXCL, 0666, kernel);
    if (file || file.error() != EEXIST) return checked(std::move(file), "create", shown);
  }
}

Result<void> fill_file(int directory, const std::string& name, const std::filesystem::path& shown,
                       const NewDirectory::Fill& fill, const Kernel& kernel) {
  std::string part;
  auto file = TRY(make_part(directory, name, shown, part, kernel));
  auto filled = fill([&](ByteView portion) {
    return checked(write_all(file.fd(), portion, kernel), "write", shown);
  });
  if (filled) filled = checked(close(std::move(file), kernel), "write", shown);
  if (filled) {
    filled = checked(rename_new(directory, part, directory, name, kernel), "create", shown);
  }
  if (!filled) (void)remove_name(directory, part);
  return filled;
}

}  // namespace

Result<NewDirectory> NewDirectory::make(const std::filesystem::path& target, const Kernel& kernel) {
  std::error_code error;
  std::filesystem::create_directories(target, error);
  if (error) return io_error("create", target, error.value());
  NameReader names(
      TRY(checked(open_path(target, O_RDONLY | O_DIRECTORY, kernel), "list the directory", target)),
      kernel);
  if (!TRY(checked(names.next(), "list the directory", target))) {
    return NewDirectory(
        TRY(checked(open_name(names.fd(), ".", O_PATH | O_DIRECTORY, 0, kernel), "open", target)),
        target, kernel);
  }
  return fail(Code::kTargetExists, "'{}' is not empty; export into a new or empty directory",
              shown_path(target.string()));
}

Result<void> NewDirectory::add_directory(const std::string& path) const {
  const std::filesystem::path wanted(path);
  TRY(TRY(above(wanted)).add_directory(wanted.filename().string()));
  return {};
}

Result<void> NewDirectory::add_file(const std::string& path, const Fill& fill) const {
  const std::filesystem::path wanted(path);
  return TRY(above(wanted)).add_file(wanted.filename().string(), fill);
}

Result<NewDirectory::Folder> NewDirectory::above(const std::filesystem::path& path) const {
  auto folder = TRY(open());
  for (const auto& name : path.parent_path()) folder = TRY(folder.open(name.string()));
  return folder;
}

Result<NewDirectory::Folder> NewDirectory::open() const {
  auto again = open_name(handle_.fd(), ".", O_PATH | O_DIRECTORY, 0, kernel_);
  return Folder(TRY(checked(std::move(again), "open", target_)), target_, kernel_);
}

Result<NewDirectory::Folder> NewDirectory::Folder::open(const std::string& name) const {
  auto full = path_ / name;
  auto found = open_name(handle_.fd(), name, O_PATH | O_DIRECTORY, 0, kernel_);
  return Folder(TRY(checked(std::move(found), "open", full)), std::move(full), kernel_);
}

Result<NewDirectory::Folder> NewDirectory::Folder::add_directory(const std::string& name) const {
  auto full = path_ / name;
  constexpr std::string_view kDoing = "create the directory";
  TRY(checked(make_directory(handle_.fd(), name, 0777, kernel_), kDoing, full));
  auto made =
      TRY(checked(open_name(handle_.fd(), name, O_PATH | O_DIRECTORY, 0, kernel_), kDoing, full));
  return Folder(std::move(made), std::move(full), kernel_);
}

Result<void> NewDirectory::Folder::add_file(const std::string& name, const Fill& fill) const {
  return fill_file(handle_.fd(), name, path_ / name, fill, kernel_);
}

Result<void> NewDirectory::Folder::add_file(const std::string& name, ByteView content) const {
  auto file = open_name(handle_.fd(), name, O_WRONLY | O_CREAT | O_EXCL, 0666, kernel_);
  // The path is put together for a message only: for small files it would take as long as they do.
  if (!file) return io_error("create", path_ / name, file.error());
  auto written = content.empty() ? Outcome<void>() : write_all(file->fd(), content, kernel_);
  if (written) written = close(std::move(*file), kernel_);
  if (written) return {};
  (void)remove_name(handle_.fd(), name);
  return io_error("write", path_ / name, written.error());
}

void NewDirectory::clear() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(target_, ignored)) {
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace cairn::os
