// For tests with files: a directory of its own for each, kernels that have more or less, and calls
// that fail.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/os/kernel.h"

namespace cairn::os {

// `root`, which is for what is tested, and `outside`, which that must never touch.
class TempTree final {
 public:
  explicit TempTree(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
    auto name = (where / "cairn-files-XXXXXX").string();
    top_ = std::filesystem::canonical(::mkdtemp(name.data()));
    std::filesystem::create_directory(top_ / "root");
    std::filesystem::create_directory(top_ / "outside");
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(top_, ignored);
  }

  std::string top() const { return top_.string(); }
  std::string root() const { return (top_ / "root").string(); }
  std::string outside() const { return (top_ / "outside").string(); }
  // `a/b` is in the root, `../outside/x` is not.
  std::string at(const std::filesystem::path& path) const {
    return (top_ / "root" / path).lexically_normal();
  }

  void directory(const std::filesystem::path& path) const {
    std::filesystem::create_directories(at(path));
  }
  void file(const std::filesystem::path& path, std::string_view content) const {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }
  void link(const std::filesystem::path& target, const std::filesystem::path& path) const {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::filesystem::create_symlink(target, at(path));
  }
  std::string content(const std::filesystem::path& path) const {
    std::ifstream in(at(path), std::ios::binary);
    if (!in) return "(nothing)";
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has(const std::filesystem::path& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(path)));
  }
  // Every path below `from`, directories with a slash, with what files hold and links say.
  std::vector<std::string> picture(const std::filesystem::path& from) const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(at(from))) {
      auto line =
          std::filesystem::relative(entry.path().parent_path(), at(from)) / entry.path().filename();
      auto text = line.lexically_normal().string();
      if (entry.is_symlink()) {
        text += " -> " + std::filesystem::read_symlink(entry.path()).string();
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
  std::filesystem::path top_;
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

// Lets one call fail, or all from one on. For one thread.
class Failing final : public Faults {
 public:
  // The nth call, of one kind or of any, beginning with 1.
  struct Which {
    std::optional<Call> call = {};
    int nth = 1;
    // As if the machine went down: nothing works any more.
    bool all_after = false;
  };
  Failing(int error, const Which& which) : error_(error), which_(which) {}
  // Fails nothing, and lets no call read or write more than so many bytes.
  explicit Failing(std::size_t portion) : portion_(portion) {}

  int before(Call call) override {
    made_[call] += 1;
    all_made_ += 1;
    if (which_.call && *which_.call != call) return 0;
    seen_ += 1;
    const bool fails = which_.all_after ? seen_ >= which_.nth : seen_ == which_.nth;
    if (error_ == 0 || !fails) return 0;
    failed_ = true;
    return error_;
  }
  std::size_t portion(Call, std::size_t size) override { return std::min(size, portion_); }

  Kernel kernel() { return {.faults = this}; }
  // Whether it came to that.
  bool failed() const { return failed_; }
  int made() const { return all_made_; }
  int made(Call call) const {
    const auto found = made_.find(call);
    return found == made_.end() ? 0 : found->second;
  }

 private:
  int error_ = 0;
  Which which_;
  std::size_t portion_ = static_cast<std::size_t>(-1);
  int seen_ = 0;
  bool failed_ = false;
  int all_made_ = 0;
  std::map<Call, int> made_;
};

}  // namespace cairn::os
