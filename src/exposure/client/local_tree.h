// Directories of this machine, for what brings them into a store over its tools. Links are never
// followed.
//
// Threads     plain functions; a source and a KeyMaker are for one thread.
// Fails with  NOT_FOUND, INVALID_ARGUMENT, IO_ERROR.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/os/handle.h"
#include "base/os/kernel.h"
#include "data/cas/file.h"
#include "exposure/client/client.h"

namespace cairn::client {

enum class EntryKind { kFile, kDirectory };

// The files and directories below a directory, by their path from there. Paths come before what is
// below them.
struct LocalTree {
  std::map<std::string, EntryKind> entries;
  std::vector<std::string> skipped;  // path and why, as import_directory has it
};
Result<LocalTree> scan(const std::filesystem::path& directory);

// The file's bytes, in portions, as long as the source is kept.
Result<Client::Source> open_source(const std::filesystem::path& file);
// Those of a file that is open; the path is for messages.
Client::Source source_of(os::Handle file, const std::filesystem::path& path,
                         const os::Kernel& kernel = {});

// From a file's bytes to the key they have in a tree under its name.
class KeyMaker final {
 public:
  explicit KeyMaker(std::string name) : name_(std::move(name)) {}
  Result<void> append(ByteView portion);
  Result<void> append_all(const Client::Source& source);
  Result<std::string> finish();

 private:
  class NoSink final : public NodeSink {
   public:
    Result<void> add(NodePtr) override { return {}; }
  };

  std::string name_;
  NoSink sink_;
  FileWriter writer_{sink_};
  Bytes sample_;
};
// The key the file would have in a tree.
Result<std::string> key_of(const std::filesystem::path& file);

}  // namespace cairn::client
