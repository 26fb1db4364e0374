// Answers of every tool are bounded: a fixture that measures them and follows their cursors.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent_testing {

// About what common clients take of an answer, with a little for what is estimated.
inline constexpr std::size_t kMost = 62'000;

struct BoundsTest : testing::Test {
  World world;
  std::string depot = world.depot("d", {{"seed", "x"}});

  // An answer, which has to be of bounded size.
  json::Object get(std::string_view tool, const json::Object& arguments) {
    const auto answer = world.must(tool, arguments);
    const auto size = json::write(answer).size();
    EXPECT_LE(size, kMost) << tool;
    largest = std::max(largest, size);
    return answer;
  }

  // A tree with so many copies of one file, and a long name for each.
  std::string many(int count, const std::string& folder, const std::string& tail) {
    auto at = depot;
    for (int i = 0; i < count; i += 99) {
      json::Object entries;
      for (int k = i; k < std::min(count, i + 99); ++k) {
        entries[name(folder, k, tail)] = {{"from", "seed"}};
      }
      at = text_of(world.must("fs_rewrite", {{"nodeKey", at}, {"entries", entries}}), "newRoot");
    }
    return at;
  }
  static std::string name(const std::string& folder, int k, const std::string& tail) {
    return folder + "/" + std::to_string(100'000 + k) + tail;
  }

  // Every page of a listing, by its cursor; what each row is called.
  std::vector<std::string> pages(std::string_view tool, json::Object arguments,
                                 std::string_view rows, std::string_view called) {
    std::vector<std::string> out;
    for (int i = 0; i < 1000; ++i) {
      const auto page = get(tool, arguments);
      for (const auto& row : page.at(rows).get_array()) {
        out.push_back(text_of(row.get_object(), called));
      }
      const auto& next = page.at("nextCursor");
      if (!next.is_string()) return out;
      arguments["cursor"] = next;
    }
    ADD_FAILURE() << "there is no end to " << tool;
    return out;
  }

  std::size_t largest = 0;
};

inline std::set<std::string> as_set(const std::vector<std::string>& all) {
  return {all.begin(), all.end()};
}

}  // namespace cairn::agent_testing
