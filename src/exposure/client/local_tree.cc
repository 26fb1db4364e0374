#include "exposure/client/local_tree.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include <dirent.h>

#include "base/os/names.h"
#include "base/os/os_error.h"
#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/realm/import.h"

namespace cairn::client {
namespace {

class Scanner final {
 public:
  Result<LocalTree> run(const std::filesystem::path& directory) {
    TRY(below(directory, ""));
    std::ranges::sort(out_.skipped);
    return std::move(out_);
  }

 private:
  Result<void> below(const std::filesystem::path& directory, const std::string& prefix) {
    for (const auto& name : TRY(list(directory, prefix))) {
      TRY(below(directory / name, prefix + name + "/"));
    }
    return {};
  }

  // Notes what is in it, and gives the names of the directories.
  Result<std::vector<std::string>> list(const std::filesystem::path& directory,
                                        const std::string& prefix) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY;
    constexpr std::string_view kDoing = "list the directory";
    // The directory that was named may be a link.
    auto opened = prefix.empty() ? os::open_path(directory, kFlags)
                                 : os::open_name(AT_FDCWD, directory, kFlags);
    os::NameReader names(TRY(os::checked(std::move(opened), kDoing, directory)));
    std::vector<std::string> directories;
    while (const auto entry = TRY(os::checked(names.next(), kDoing, directory))) {
      const std::string name(entry->name);
      const auto type = os::type_of(names.fd(), *entry);
      if (!take(directory / name, name, type)) continue;
      const bool is_dir = type == DT_DIR;
      out_.entries.emplace(prefix + name, is_dir ? EntryKind::kDirectory : EntryKind::kFile);
      if (is_dir) directories.push_back(name);
    }
    return directories;
  }

  // False: it is skipped, and that is noted.
  bool take(const std::string& path, const std::string& name, unsigned char type) {
    auto why = reason_to_skip(name, type);
    if (why.empty() && path.size() >= PATH_MAX) why = "its path is too long";
    if (!why.empty()) out_.skipped.push_back(fmt::format("{}: {}", path, why));
    return why.empty();
  }

  LocalTree out_;
};

}  // namespace

Result<LocalTree> scan(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return fail(error || !std::filesystem::exists(directory, error) ? Code::kNotFound
                                                                    : Code::kInvalidArgument,
                "'{}' is not a directory", shown(directory.string()));
  }
  return Scanner().run(directory);
}

Result<Client::Source> open_source(const std::filesystem::path& file) {
  auto handle = os::open_name(AT_FDCWD, file, O_RDONLY | O_NONBLOCK);
  return source_of(TRY(os::checked(std::move(handle), "open", file)), file);
}

Client::Source source_of(os::Handle file, const std::filesystem::path& path,
                         const os::Kernel& kernel) {
  const auto shared = std::make_shared<const os::Handle>(std::move(file));
  return [shared, path, kernel](std::span<char> room) {
    return os::checked(os::read(shared->fd(), room, kernel), "read", path);
  };
}

Result<void> KeyMaker::append(ByteView portion) {
  if (sample_.size() < kContentTypeSample) {
    sample_.append(portion.substr(0, kContentTypeSample - sample_.size()));
  }
  return writer_.append(portion);
}

Result<void> KeyMaker::append_all(const Client::Source& source) {
  Bytes room(std::size_t{256} * 1024, '\0');
  while (const auto filled = TRY(source(room))) TRY(append(ByteView(room).substr(0, filled)));
  return {};
}

Result<std::string> KeyMaker::finish() {
  return TRY(writer_.finish(content_type(name_, sample_)))->key().render();
}

Result<std::string> key_of(const std::filesystem::path& file) {
  KeyMaker key(file.filename().string());
  TRY(key.append_all(TRY(open_source(file))));
  return key.finish();
}

}  // namespace cairn::client
