// Parts of mirror_directory.cc and mirror_scan.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "data/cas/file.h"
#include "exposure/cli/mirror_state.h"

namespace cairn::cli {

FileSignature signature_of(const struct stat& state);

// `.cairn-mirror-` and 26 characters: a file that is being written, or was when the program was
// killed.
bool is_temporary(std::string_view name);

// From a file's bytes to the key they have in a tree under its name.
class KeyMaker final {
 public:
  explicit KeyMaker(std::string name) : name_(std::move(name)) {}
  Result<void> append(ByteView portion);
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

}  // namespace cairn::cli
