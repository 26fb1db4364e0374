// FaultyFiles: the file system below RocksDB in tests. One call of a kind fails, or the power does.
//
// Data that was not synced is remembered, so that it can be taken away as a loss of power would:
// all of it, all but a part of it, or pages from its middle; or, with all of it, the names of which
// their directory was not synced: files that were made are gone, those that were renamed or deleted
// are back.
//
// Threads     any.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/guarded.h"

namespace cairn {

enum class FileCall : std::uint8_t {
  kOpen,
  kWrite,
  kSync,
  kSyncNames,
  kRename,
  kDelete,
  kLink,
  kMakeDirectory
};
inline constexpr std::array kFileCalls{
    FileCall::kOpen,   FileCall::kWrite,  FileCall::kSync, FileCall::kSyncNames,
    FileCall::kRename, FileCall::kDelete, FileCall::kLink, FileCall::kMakeDirectory};

inline std::string_view name(FileCall call) {
  static constexpr std::array<std::string_view, kFileCalls.size()> kNames{
      "open", "write", "sync", "sync of a directory", "rename", "delete", "link", "make directory"};
  return kNames[static_cast<std::size_t>(call)];
}

enum class Loss { kDropped, kTorn, kHoles, kNames };

class FaultyFiles final : public rocksdb::FileSystemWrapper {
 public:
  using Status = rocksdb::IOStatus;
  using Debug = rocksdb::IODebugContext*;

  struct Fault {
    FileCall call = FileCall::kWrite;
    int at = 0;  // the so manieth, from 1; 0: none
    enum class Kind { kError, kFull, kTooMany, kPower } kind = Kind::kError;
  };

  FaultyFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  explicit FaultyFiles(const Fault& fault) : FaultyFiles() { state_.lock()->fault = fault; }
  const char* Name() const override { return "FaultyFiles"; }

  int calls(FileCall call) { return state_.lock()->calls[static_cast<std::size_t>(call)]; }
  bool happened() { return state_.lock()->happened; }
  // What a loss of power takes. REQUIRES: nobody has a file open.
  void lose(Loss loss, unsigned seed);

  Status NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                         std::unique_ptr<rocksdb::FSWritableFile>* result, Debug debug) override {
    if (auto bad = before(FileCall::kOpen); !bad.ok()) return bad;
    std::error_code error;
    const bool known = std::filesystem::exists(file, error);
    auto opened = FileSystemWrapper::NewWritableFile(file, options, result, debug);
    if (opened.ok() && !known) note({.made = file});
    return wrapped(file, std::move(opened), 0, result);
  }
  Status ReopenWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                            std::unique_ptr<rocksdb::FSWritableFile>* result,
                            Debug debug) override {
    if (auto bad = before(FileCall::kOpen); !bad.ok()) return bad;
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return wrapped(file, FileSystemWrapper::ReopenWritableFile(file, options, result, debug),
                   error ? 0 : size, result);
  }
  Status NewRandomAccessFile(const std::string& file, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                             Debug debug) override {
    if (auto bad = before(FileCall::kOpen); !bad.ok()) return bad;
    return FileSystemWrapper::NewRandomAccessFile(file, options, result, debug);
  }
  Status NewSequentialFile(const std::string& file, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSSequentialFile>* result,
                           Debug debug) override {
    if (auto bad = before(FileCall::kOpen); !bad.ok()) return bad;
    return FileSystemWrapper::NewSequentialFile(file, options, result, debug);
  }
  Status RenameFile(const std::string& from, const std::string& to,
                    const rocksdb::IOOptions& options, Debug debug) override {
    if (auto bad = before(FileCall::kRename); !bad.ok()) return bad;
    note({.made = to, .from = from, .kept = keep(to)});
    auto done = FileSystemWrapper::RenameFile(from, to, options, debug);
    auto state = state_.lock();
    if (auto known = state->files.extract(from); done.ok() && !known.empty()) {
      state->files[to] = known.mapped();
    }
    return done;
  }
  Status DeleteFile(const std::string& file, const rocksdb::IOOptions& options,
                    Debug debug) override {
    if (auto bad = before(FileCall::kDelete); !bad.ok()) return bad;
    note({.made = file, .kept = keep(file)});
    auto done = FileSystemWrapper::DeleteFile(file, options, debug);
    if (done.ok()) state_.lock()->files.erase(file);
    return done;
  }
  Status LinkFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                  Debug debug) override {
    if (auto bad = before(FileCall::kLink); !bad.ok()) return bad;
    auto done = FileSystemWrapper::LinkFile(from, to, options, debug);
    if (done.ok()) note({.made = to});
    return done;
  }
  Status CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                   Debug debug) override {
    if (auto bad = before(FileCall::kMakeDirectory); !bad.ok()) return bad;
    return FileSystemWrapper::CreateDir(path, options, debug);
  }
  Status CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                            Debug debug) override {
    if (auto bad = before(FileCall::kMakeDirectory); !bad.ok()) return bad;
    return FileSystemWrapper::CreateDirIfMissing(path, options, debug);
  }
  Status NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                      std::unique_ptr<rocksdb::FSDirectory>* result, Debug debug) override {
    if (auto bad = before(FileCall::kOpen); !bad.ok()) return bad;
    auto opened = FileSystemWrapper::NewDirectory(path, options, result, debug);
    if (opened.ok()) *result = std::make_unique<Directory>(std::move(*result), path, *this);
    return opened;
  }

 private:
  struct Extent {
    std::uint64_t written = 0;
    std::uint64_t synced = 0;
  };
  // A change of a directory that is not synced: `made` came to be, from `from` if that is not
  // empty; what was there before is kept. Without either it was made anew.
  struct NameChange {
    std::string made;
    std::string from = {};
    std::string kept = {};
  };
  struct State {
    Fault fault;
    std::array<int, kFileCalls.size()> calls{};
    bool happened = false;
    std::map<std::string, Extent> files;
    std::vector<NameChange> names;  // in the order in which they changed
    int kept = 0;
  };

  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path, FaultyFiles& owner)
        : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), owner_(owner) {}

    using FSWritableFileOwnerWrapper::Append;
    Status Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                  Debug debug) override {
      const auto bad = owner_.before(FileCall::kWrite);
      // A write that fails may have written some of it.
      const std::size_t size = bad.ok() ? data.size() : owner_.off() ? 0 : data.size() / 2;
      auto done = FSWritableFileOwnerWrapper::Append({data.data(), size}, options, debug);
      if (done.ok()) owner_.state_.lock()->files[path_].written += size;
      return bad.ok() ? done : bad;
    }
    Status Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                  const rocksdb::DataVerificationInfo&, Debug debug) override {
      return Append(data, options, debug);
    }
    // The machine keeps running, so nothing has to reach its disk.
    Status Sync(const rocksdb::IOOptions&, Debug) override { return sync(); }
    Status Fsync(const rocksdb::IOOptions&, Debug) override { return sync(); }
    Status RangeSync(std::uint64_t, std::uint64_t, const rocksdb::IOOptions&, Debug) override {
      return Status::OK();
    }

   private:
    Status sync() {
      if (auto bad = owner_.before(FileCall::kSync); !bad.ok()) return bad;
      auto state = owner_.state_.lock();
      auto& extent = state->files[path_];
      extent.synced = extent.written;
      return Status::OK();
    }
    std::string path_;
    FaultyFiles& owner_;
  };

  class Directory final : public rocksdb::FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<rocksdb::FSDirectory> directory, std::filesystem::path path,
              FaultyFiles& owner)
        : FSDirectoryWrapper(std::move(directory)), path_(std::move(path)), owner_(owner) {}

    Status Fsync(const rocksdb::IOOptions&, Debug) override { return sync(); }
    Status FsyncWithDirOptions(const rocksdb::IOOptions&, Debug,
                               const rocksdb::DirFsyncOptions&) override {
      return sync();
    }

   private:
    Status sync() {
      if (auto bad = owner_.before(FileCall::kSyncNames); !bad.ok()) return bad;
      std::erase_if(owner_.state_.lock()->names, [this](const NameChange& name) {
        std::error_code error;
        return std::filesystem::equivalent(std::filesystem::path(name.made).parent_path(), path_,
                                           error);
      });
      return Status::OK();
    }
    std::filesystem::path path_;
    FaultyFiles& owner_;
  };

  void note(NameChange name) {
    auto state = state_.lock();
    if (state->fault.kind == Fault::Kind::kPower) state->names.push_back(std::move(name));
  }
  // Beside its directory, for when it comes back; empty when there is nothing.
  std::string keep(const std::filesystem::path& path) {
    auto state = state_.lock();
    std::error_code error;
    if (state->fault.kind != Fault::Kind::kPower || !std::filesystem::exists(path, error))
      return {};
    const auto beside = path.parent_path().parent_path() / "kept";
    std::filesystem::create_directories(beside, error);
    auto kept = beside / std::to_string(++state->kept);
    std::filesystem::create_hard_link(path, kept, error);
    return error ? std::string() : kept.string();
  }
  static void undo(const NameChange& name) {
    std::error_code error;
    if (!name.from.empty()) {
      std::filesystem::rename(name.made, name.from, error);
    } else if (name.kept.empty()) {
      std::filesystem::remove(name.made, error);
    }
    if (!name.kept.empty()) std::filesystem::rename(name.kept, name.made, error);
  }

  bool off() {
    auto state = state_.lock();
    return state->happened && state->fault.kind == Fault::Kind::kPower;
  }

  Status before(FileCall call) {
    auto state = state_.lock();
    const bool power = state->fault.kind == Fault::Kind::kPower;
    if (power && state->happened) return Status::IOError("the power is off");
    const int count = ++state->calls[static_cast<std::size_t>(call)];
    if (state->fault.at == 0 || call != state->fault.call || count != state->fault.at) {
      return Status::OK();
    }
    state->happened = true;
    switch (state->fault.kind) {
      case Fault::Kind::kFull:
        return Status::NoSpace("No space left on device");
      case Fault::Kind::kTooMany:
        return Status::IOError("Too many open files");
      case Fault::Kind::kError:
      case Fault::Kind::kPower:
        break;
    }
    return Status::IOError(power ? "the power is off" : "Input/output error");
  }

  Status wrapped(const std::string& path, Status opened, std::uint64_t size,
                 std::unique_ptr<rocksdb::FSWritableFile>* result) {
    if (!opened.ok()) return opened;
    {
      auto state = state_.lock();
      // What was there before is taken for synced only when it is known to be.
      auto [extent, added] = state->files.try_emplace(path, Extent{size, size});
      if (!added && size == 0) extent->second = {};
    }
    *result = std::make_unique<File>(std::move(*result), path, *this);
    return opened;
  }

  Guarded<State> state_;
};

inline void FaultyFiles::lose(Loss loss, unsigned seed) {
  std::mt19937 random(seed);
  auto state = state_.lock();
  for (const auto& [path, extent] : state->files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size <= extent.synced) continue;
    const std::uint64_t loose = size - extent.synced;
    switch (loss) {
      case Loss::kDropped:
      case Loss::kNames:
        std::filesystem::resize_file(path, extent.synced, error);
        break;
      case Loss::kTorn:
        std::filesystem::resize_file(path, extent.synced + random() % loose, error);
        break;
      case Loss::kHoles: {
        // Cut and made long again: zeros in the place of what was not synced, but for its end.
        std::FILE* file = std::fopen(path.c_str(), "r+b");
        if (file == nullptr) break;
        const std::string zeros(static_cast<std::size_t>(loose - loose / 3), '\0');
        std::fseek(file, static_cast<long>(extent.synced), SEEK_SET);
        std::fwrite(zeros.data(), 1, zeros.size(), file);
        std::fclose(file);
        break;
      }
    }
  }
  if (loss != Loss::kNames) return;
  for (; !state->names.empty(); state->names.pop_back()) undo(state->names.back());
}

}  // namespace cairn
