#include "exposure/cli/commands.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "exposure/cli/kit.h"
#include "tools/executor/meter.h"

namespace cairn::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `cairn probe NAME` with an option of every kind, `cairn outer` and `cairn outer inner`.
class CommandsTest : public ::testing::Test {
 protected:
  static constexpr int kProbe = 40;
  static constexpr int kOuter = 41;
  static constexpr int kInner = 42;

  CommandsTest() {
    auto command = commands_.add({.name = "probe", .description = "", .example = ""},
                                 [](Kit&) { return kProbe; });
    command.add_argument("NAME", name_, "Its name").required(false);
    command.add_value("-s,--side", side_, "SIDE", "Which side").one_of({"left", "right"});
    command.add_value("--count", count_, "N", "How many").positive();
    command.add_value("--rate", rate_, "N", "How often").non_negative();
    command.add_value("--lines", lines_, "N", "How far").range(0, 20);
    command.add_value("--note", note_, "TEXT", "What for");
    command.add_value("--only", only_, "GLOB", "Which; may be repeated").repeated();
    command.add_flag("--force", force_, "Do it");
    root_ = command.add_values("--root", roots_, "DIR", "Where");

    auto outer = commands_.add({.name = "outer", .description = "", .example = ""},
                               [](Kit&) { return kOuter; });
    auto inner = commands_.add(outer, {.name = "inner", .description = "", .example = ""},
                               [](Kit&) { return kInner; });
    inner.add_value("--client", client_, "CLIENT", "For whom").required();
  }

  // The exit code when the command that was chosen does nothing but say which it is.
  int run(std::initializer_list<std::string_view> words) {
    std::vector<std::string> copies{"cairn"};
    copies.insert(copies.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (auto& word : copies) argv.push_back(word.data());
    const auto parsed = commands_.parse(static_cast<int>(argv.size()), argv.data());
    return parsed.run ? parsed.run(kit_).value() : parsed.exit_code;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  World world_{clock_, random_, meter_};
  Kit kit_{world_};
  Commands commands_{kit_.options};

  std::string name_;
  std::string side_ = "left";
  std::int64_t count_ = 50;
  double rate_ = 1;
  int lines_ = 3;
  std::optional<std::string> note_;
  std::vector<std::string> only_;
  std::vector<std::string> roots_;
  std::optional<Option> root_;
  std::string client_;
  bool force_ = false;
};

TEST_F(CommandsTest, ValuesGoToTheVariablesTheyWereAddedWith) {
  EXPECT_EQ(run({"probe", "it", "-s", "right", "--count=9", "--rate", "0.5", "--lines", "20",
                 "--note", "", "--force", "--json"}),
            kProbe);
  EXPECT_EQ(name_, "it");
  EXPECT_EQ(side_, "right");
  EXPECT_EQ(count_, 9);
  EXPECT_EQ(rate_, 0.5);
  EXPECT_EQ(lines_, 20);
  EXPECT_EQ(note_, "");
  EXPECT_TRUE(force_);
  EXPECT_TRUE(kit_.options.json);
}

TEST_F(CommandsTest, VariablesStayAsTheyAreWhenNothingIsGiven) {
  EXPECT_EQ(run({"probe"}), kProbe);
  EXPECT_EQ(side_, "left");
  EXPECT_EQ(count_, 50);
  EXPECT_EQ(note_, std::nullopt);
  EXPECT_FALSE(root_->given());
}

TEST_F(CommandsTest, ARepeatedOptionTakesOneValueEachTime) {
  EXPECT_EQ(run({"probe", "--only", "a", "it", "--only", "b"}), kProbe);
  EXPECT_THAT(only_, ElementsAre("a", "b"));
  EXPECT_EQ(name_, "it");
}

TEST_F(CommandsTest, AnOptionWithValuesMayStandAlone) {
  EXPECT_EQ(run({"probe", "--root"}), kProbe);
  EXPECT_TRUE(root_->given());
  EXPECT_THAT(roots_, ElementsAre(IsEmpty()));
}

TEST_F(CommandsTest, AnOptionWithValuesTakesAllBehindIt) {
  EXPECT_EQ(run({"probe", "--root", "a", "b", "--force"}), kProbe);
  EXPECT_THAT(roots_, ElementsAre("a", "b"));
}

TEST_F(CommandsTest, TheCommandThatIsNamedLastRuns) {
  EXPECT_EQ(run({"outer", "inner", "--client", "me"}), kInner);
  EXPECT_EQ(client_, "me");
  EXPECT_EQ(run({"outer"}), kOuter);
}

TEST_F(CommandsTest, WhatIsWrongIsSaidInOneLine) {
  const struct {
    std::initializer_list<std::string_view> words;
    std::string_view said;
  } kCases[] = {
      {{"prob"}, "there is no command 'cairn prob'; did you mean 'probe'? see cairn --help\n"},
      {{"probe", "--forse"},
       "no option '--forse'; did you mean '--force'? see cairn probe --help\n"},
      {{"probe", "a", "b"}, "'b' is one argument too many; see cairn probe --help\n"},
      {{"probe", "--side", "up"}, "--side: up not in {left,right}; see cairn probe --help\n"},
      {{"probe", "--count", "0"}, "--count: "},
      {{"probe", "--rate", "-1"}, "--rate: "},
      {{"probe", "--lines", "21"},
       "--lines: Value 21 not in range 0 to 20; see cairn probe --help\n"},
      {{"probe", "--note"}, "--note: 1 required"},
      {{"outer", "inner"}, "--client is required; see cairn outer inner --help\n"},
  };
  for (const auto& c : kCases) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(c.words), 2) << c.said;
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(c.said));
  }
}

}  // namespace
}  // namespace cairn::cli
