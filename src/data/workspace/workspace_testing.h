// A directory of its own for each test: `root`, which the workspace has, and `outside`, which it
// must never touch; and the workspace on it, on kernels that have more or less.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/workspace/client_path.h"
#include "data/workspace/directory_workspace.h"

namespace cairn {

namespace fs = std::filesystem;

class TempTree final {
 public:
  explicit TempTree(const fs::path& where = fs::temp_directory_path()) {
    auto name = (where / "cairn-workspace-XXXXXX").string();
    top_ = fs::canonical(::mkdtemp(name.data()));
    fs::create_directory(top_ / "root");
    fs::create_directory(top_ / "outside");
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }

  std::string top() const { return top_.string(); }
  std::string root() const { return (top_ / "root").string(); }
  std::string outside() const { return (top_ / "outside").string(); }
  // `a/b` is in the root, `../outside/x` is not.
  std::string at(const fs::path& path) const { return (top_ / "root" / path).lexically_normal(); }

  void directory(const fs::path& path) const { fs::create_directories(at(path)); }
  void file(const fs::path& path, std::string_view content) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }
  void link(const fs::path& target, const fs::path& path) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    fs::create_symlink(target, at(path));
  }
  std::string content(const fs::path& path) const {
    std::ifstream in(at(path), std::ios::binary);
    if (!in) return "(nothing)";
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has(const fs::path& path) const { return fs::exists(fs::symlink_status(at(path))); }
  // Every path below `from`, directories with a slash, with what files hold and links say.
  std::vector<std::string> picture(const fs::path& from) const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(at(from))) {
      auto line = fs::relative(entry.path().parent_path(), at(from)) / entry.path().filename();
      auto text = line.lexically_normal().string();
      if (entry.is_symlink()) {
        text += " -> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_directory()) {
        text += "/";
      } else if (entry.is_regular_file()) {
        text += "=" + content(entry.path());
      }
      out.push_back(std::move(text));
    }
    std::ranges::sort(out);
    return out;
  }

 private:
  fs::path top_;
};

struct KernelCase {
  const char* name;
  Kernel kernel;
};
inline const KernelCase kKernels[] = {
    {"Whole", {}},
    {"WithoutOpenat2", {.openat2 = false}},
    {"WithoutProc", {.proc = false}},
    {"WithNothing", {.openat2 = false, .proc = false, .rename_noreplace = false}}};

inline std::string kernel_name(const testing::TestParamInfo<KernelCase>& tested) {
  return tested.param.name;
}

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
