// What the tests of this folder share: a directory of their own, and the file tools on it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "tools/workspace/directory_toolbox.h"

namespace cairn::work {

class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() /
            fmt::format("cairn-{}-{}-{}", test->test_suite_name(), test->name(), ::getpid());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~DirectoryTest() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << content;
  }
  std::string on_disk(const std::string& path) {
    std::ifstream in(root_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::shared_ptr<const DirectoryToolbox> box(DirectoryOptions options,
                                              const SelectionRequest& request = {}) {
    return DirectoryToolbox::open(std::move(options), request, clock_, random_).value();
  }
  std::shared_ptr<const DirectoryToolbox> box() { return box({.directories = {root_.string()}}); }

  static Result<json::Object> run(const std::shared_ptr<const DirectoryToolbox>& box,
                                  std::string_view tool, json::Object arguments) {
    return std::move(
        TRY(box->run(*TRY(box->find(tool)), std::move(arguments), {})).value.get_object());
  }
  Result<json::Object> run(std::string_view tool, json::Object arguments) {
    return run(box(), tool, std::move(arguments));
  }
  // The text of an answer, or the error.
  std::string told(std::string_view tool, const json::Object& arguments) {
    const auto answer = run(tool, arguments);
    return answer ? std::string(json::text(answer->at("content"))) : answer.error().render();
  }
  static std::string notes(const json::Object& answer) {
    const auto* list = json::find(answer, "notes");
    return list == nullptr ? "" : json::write(*list);
  }

  std::filesystem::path root_;
  ManualClock clock_;
  SeededRandom random_{1};
};

}  // namespace cairn::work
