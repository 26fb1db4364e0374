#include "exposure/agent/prompts.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::FakeExchange;
using agent_testing::need;
using agent_testing::text_of;
using agent_testing::World;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Call {
  std::string tool, arguments;
};

// The lines that are calls: a name, a space, an object.
std::vector<Call> calls_in(const std::string& text) {
  static const std::regex kCall("^([a-z]+_[a-z_]+) (\\{.*)$");
  std::vector<Call> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kCall)) out.push_back({match[1], match[2]});
  }
  return out;
}

std::vector<std::string> quoted_in(const std::string& text) {
  static const std::regex kQuoted("`([^`]+)`");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kQuoted), end; it != end; ++it) {
    out.push_back((*it)[1]);
  }
  return out;
}

struct PromptsTest : testing::Test {
  World world;
  std::string depot = world.depot("my-project", {{"a", "a"}});

  mcp::Rpc<json::Object> get(std::string_view name, const json::Object& arguments,
                             const mcp::PrincipalPtr& who = nullptr) {
    FakeExchange exchange(who ? who : world.owner);
    return world.service().get_prompt(exchange, name, arguments);
  }
  std::string page(std::string_view name) {
    const auto got = need(get(name, {{"depotId", depot}}));
    const auto& messages = got.at("messages").get_array();
    EXPECT_EQ(messages.size(), 1U);
    EXPECT_EQ(text_of(messages[0].get_object(), "role"), "user");
    const auto& content = messages[0].get_object().at("content").get_object();
    EXPECT_EQ(text_of(content, "type"), "text");
    return text_of(content, "text");
  }
};

TEST_F(PromptsTest, AreListedWithTheirArguments) {
  FakeExchange exchange(world.owner);
  const auto listed = need(world.service().list_prompts(exchange, ""));
  std::vector<std::string> names;
  for (const auto& row : listed.items) {
    const auto& prompt = row.get_object();
    names.push_back(text_of(prompt, "name"));
    EXPECT_FALSE(text_of(prompt, "description").empty());
    const bool guide = names.back() == "casfa-guide";
    EXPECT_EQ(prompt.contains("arguments"), !guide);
    if (guide) continue;
    const auto& argument = prompt.at("arguments").get_array().at(0).get_object();
    EXPECT_EQ(text_of(argument, "name"), "depotId");
    EXPECT_TRUE(argument.at("required").get_bool());
  }
  EXPECT_THAT(names, ElementsAre("casfa-guide", "edit-files", "explore-project", "refactor"));
  EXPECT_TRUE(listed.caching.for_all);
}

TEST_F(PromptsTest, EveryCallTheyShowIsOneThatTheToolTakes) {
  for (const auto& prompt : prompts()) {
    const auto calls = calls_in(page(prompt.name));
    EXPECT_GE(calls.size(), 5U) << prompt.name;
    for (const auto& call : calls) {
      SCOPED_TRACE(call.tool + " " + call.arguments);
      const auto row = world.executor().table().find(call.tool);
      ASSERT_TRUE(row);
      EXPECT_EQ((*row)->audience, Audience::kAgents);
      const auto arguments = json::parse(call.arguments);
      ASSERT_TRUE(arguments) << arguments.error().message;
      const auto fits = (*row)->check(*arguments);
      EXPECT_TRUE(fits) << fits.error().message;
    }
  }
}

// No line looks like a call and is not read as one, such as one that goes on in the next line.
TEST_F(PromptsTest, EveryLineThatBeginsWithAToolIsACall) {
  for (const auto& prompt : prompts()) {
    const auto text = page(prompt.name);
    std::size_t begun = 0;
    for (const auto& row : world.executor().table().tools()) {
      const auto begin = "\n" + std::string(row.name) + " ";
      for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) ++begun;
    }
    EXPECT_EQ(begun, calls_in(text).size()) << prompt.name;
  }
}

TEST_F(PromptsTest, EveryToolTheyNameExists) {
  static const std::regex kLikeATool("[a-z]+(_[a-z]+)+");
  for (const auto& prompt : prompts()) {
    for (const auto& word : quoted_in(page(prompt.name))) {
      if (!std::regex_match(word, kLikeATool)) continue;
      EXPECT_TRUE(world.executor().table().find(word)) << prompt.name << ": " << word;
    }
  }
}

TEST_F(PromptsTest, EveryCodeTheyNameExists) {
  static const std::regex kCode("\\b[A-Z]{3,}(_[A-Z]+)+\\b|\\bCONFLICT\\b");
  for (const auto& prompt : prompts()) {
    const auto text = page(prompt.name);
    for (std::sregex_iterator it(text.begin(), text.end(), kCode), end; it != end; ++it) {
      const auto code = it->str();
      EXPECT_TRUE(
          std::ranges::any_of(all_codes(), [&](const CodeInfo& row) { return row.name == code; }))
          << prompt.name << ": " << code;
    }
  }
}

TEST_F(PromptsTest, AreShortAndNameTheDepot) {
  for (const auto& prompt : prompts()) {
    const auto text = page(prompt.name);
    EXPECT_LT(text.size(), 6'000U) << prompt.name;
    EXPECT_THAT(text, Not(HasSubstr("{depotId}"))) << prompt.name;
    EXPECT_EQ(text.contains(depot), prompt.takes_depot) << prompt.name;
  }
}

TEST_F(PromptsTest, RefuseWhatIsMissingUnknownOrNotToBeSeen) {
  struct Case {
    std::string_view name;
    json::Object arguments;
    std::string_view message;
  };
  const std::string none = "dpt_01H5K6Z9X3ABCDEF0123456789";
  const Case cases[] = {
      {"edit-file", {{"depotId", depot}}, "did you mean 'edit-files'"},
      {"nothing-like-it", {}, "there are: casfa-guide"},
      {"edit-files", {}, "'depotId' is missing"},
      {"edit-files", {{"depotId", ""}}, "'depotId' is missing"},
      {"edit-files", {{"depotId", 7}}, "'depotId' is missing"},
      {"edit-files", {{"depotId", none}}, "there is no depot"},
      {"edit-files", {{"depotId", "nonsense"}}, "nonsense"},
  };
  for (const auto& c : cases) {
    const auto refused = get(c.name, c.arguments);
    ASSERT_FALSE(refused) << c.name;
    EXPECT_EQ(refused.error().code, mcp::rpc_code::kInvalidParams);
    EXPECT_THAT(refused.error().message, HasSubstr(std::string(c.message)));
  }
  const auto other = world.depot("other", {});
  const auto reader = world.as(world.delegate({{"delegatedDepots", json::Array{other}}}));
  EXPECT_EQ(get("refactor", {{"depotId", depot}}, reader).error().code,
            mcp::rpc_code::kInvalidParams);
}

}  // namespace
}  // namespace cairn::agent
