// A workspace on a directory of its own for each test, on kernels that have more or less.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/os_testing.h"
#include "base/random.h"
#include "data/workspace/client_path.h"
#include "data/workspace/directory_workspace.h"

namespace cairn {

namespace fs = std::filesystem;

using os::kernel_name;
using os::KernelCase;
using os::kKernels;
using os::TempTree;

inline std::shared_ptr<DirectoryWorkspace> open_workspace(
    const std::vector<std::string>& directories, DirectoryWorkspace::Options options = {}) {
  static SystemRandom random;
  auto workspace = DirectoryWorkspace::open(directories, random, std::move(options));
  EXPECT_TRUE(workspace) << workspace.error().render();
  return workspace ? *std::move(workspace) : nullptr;
}

class WorkspaceTest : public testing::TestWithParam<KernelCase> {
 protected:
  std::string read(std::string_view path) const {
    auto file = workspace->open_file(path);
    if (!file) return std::string(file.error().name());
    std::string text((*file)->info().size + 100, '\0');
    const auto count = (*file)->read(0, text);
    if (!count) return std::string(count.error().name());
    text.resize(*count);
    return text;
  }
  // `file dir/ link@ other?`
  std::string list(std::string_view path) const {
    auto directory = workspace->open_directory(path);
    return directory ? list(**directory) : std::string(directory.error().name());
  }
  static std::string list(const WorkDirectory& directory) {
    const auto entries = directory.entries();
    if (!entries) return std::string(entries.error().name());
    std::string out;
    for (const auto& entry : *entries) {
      out += (out.empty() ? "" : " ") + entry.name;
      if (entry.kind == WorkKind::kDirectory) out += '/';
      if (entry.kind == WorkKind::kLink) out += '@';
      if (entry.kind == WorkKind::kOther) out += '?';
    }
    return out;
  }

  TempTree tree;
  std::shared_ptr<DirectoryWorkspace> workspace =
      open_workspace({tree.root()}, {.kernel = GetParam().kernel});
};

inline std::string detail_of(const Error& error, const std::string& key) {
  const auto found = error.details.find(key);
  if (found == error.details.end()) return "(none)";
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? "(no text)" : *text;
}

// The name of the code a result failed with, or `ok`.
template <typename T>
std::string outcome(const Result<T>& result) {
  return result ? "ok" : std::string(result.error().name());
}

}  // namespace cairn
