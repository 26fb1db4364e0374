#include "exposure/cli/local_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/tree/path.h"

namespace cairn::cli {
namespace {

Failure io_error(std::string_view doing, const std::filesystem::path& path, int why) {
  return fail(Code::kIoError, "cannot {} '{}': {}", doing, shown(path.string()),
              std::strerror(why));
}

// A file's descriptor, closed with its last owner.
using Descriptor = std::shared_ptr<const int>;
Result<Descriptor> open_file(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) return io_error("open", path, errno);
  return Descriptor(new int(file), [](const int* owned) {
    ::close(*owned);
    delete owned;
  });
}

std::string reason_to_skip(const std::filesystem::directory_entry& entry, std::string_view name) {
  if (auto valid = check_name(name); !valid) return valid.error().message;
  if (child_index(name)) return "names of '~' and digits stand for child indices";
  std::error_code error;
  const auto status = entry.symlink_status(error);
  if (std::filesystem::is_symlink(status)) return "symbolic links are not followed";
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)) {
    return "neither a file nor a directory";
  }
  return {};
}

Result<void> scan_below(const std::filesystem::path& directory, const std::string& prefix,
                        LocalTree& out) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const auto name = at->path().filename().string();
    if (auto why = reason_to_skip(*at, name); !why.empty()) {
      out.skipped.push_back(at->path().string() + ": " + why);
      continue;
    }
    const auto path = prefix + name;
    const bool is_dir = std::filesystem::is_directory(at->symlink_status(error));
    out.entries.emplace(path, is_dir ? EntryKind::kDirectory : EntryKind::kFile);
    if (is_dir) TRY(scan_below(at->path(), path + "/", out));
  }
  if (error) return io_error("list the directory", directory, error.value());
  return {};
}

class NoSink final : public NodeSink {
 public:
  Result<void> add(NodePtr) override { return {}; }
};

}  // namespace

Result<LocalTree> scan(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return fail(error || !std::filesystem::exists(directory, error) ? Code::kNotFound
                                                                    : Code::kInvalidArgument,
                "'{}' is not a directory", shown(directory.string()));
  }
  LocalTree out;
  TRY(scan_below(directory, "", out));
  std::ranges::sort(out.skipped);
  return out;
}

Result<Session::Source> open_source(const std::filesystem::path& file) {
  auto handle = TRY(open_file(file, O_RDONLY | O_NONBLOCK));
  return [handle, file](std::span<char> room) -> Result<std::size_t> {
    while (true) {
      const auto got = ::read(*handle, room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return io_error("read", file, errno);
    }
  };
}

Result<std::string> key_of(const std::filesystem::path& file) {
  auto source = TRY(open_source(file));
  NoSink sink;
  FileWriter writer(sink);
  Bytes sample;
  Bytes room(256 * 1024, '\0');
  while (auto filled = TRY(source(room))) {
    const auto portion = ByteView(room).substr(0, filled);
    if (sample.size() < kContentTypeSample) {
      sample.append(portion.substr(0, kContentTypeSample - sample.size()));
    }
    TRY(writer.append(portion));
  }
  return TRY(writer.finish(content_type(file.filename().string(), sample)))->key().render();
}

Result<NewDirectory> NewDirectory::make(const std::filesystem::path& target) {
  std::error_code error;
  std::filesystem::create_directories(target, error);
  if (error) return io_error("create", target, error.value());
  if (!std::filesystem::is_empty(target, error) || error) {
    return fail(Code::kTargetExists, "'{}' is not empty; export into a new or empty directory",
                shown(target.string()));
  }
  return NewDirectory(target);
}

Result<void> NewDirectory::add_directory(const std::string& path) const {
  const auto full = target_ / path;
  if (::mkdir(full.c_str(), 0777) != 0) return io_error("create the directory", full, errno);
  return {};
}

Result<void> NewDirectory::add_file(const std::string& path, const Fill& fill) const {
  const auto full = target_ / path;
  auto handle = TRY(open_file(full, O_WRONLY | O_CREAT | O_EXCL));
  return fill([&](ByteView bytes) -> Result<void> {
    while (!bytes.empty()) {
      const auto written = ::write(*handle, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return io_error("write", full, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  });
}

}  // namespace cairn::cli
