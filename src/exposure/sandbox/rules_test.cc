#include "exposure/sandbox/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SandboxRules rules(std::string_view text) {
  auto parsed = SandboxRules::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : SandboxRules();
}

SandboxChange changed(std::string path, std::uint64_t after = 1) {
  return {
      .kind = SandboxChange::Kind::kModified, .path = std::move(path), .before = 1, .after = after};
}

std::vector<std::string> broken(const SandboxRules& rules, std::vector<SandboxChange> changes) {
  return broken_rules(rules, changes, 10);
}

TEST(SandboxRules, AllowEverythingButThemselvesWhenThereAreNone) {
  EXPECT_THAT(broken(rules("{}"), {changed("a"), changed("b/.cairn/x"), changed(".cairnx")}),
              IsEmpty());
  EXPECT_THAT(broken(rules("{}"), {changed(".cairn/rules.json"), changed(".cairn")}),
              ElementsAre(HasSubstr("--allow-rules"), HasSubstr("--allow-rules")));
  auto open = rules(R"({"allow":["**"]})");
  EXPECT_THAT(broken(open, {changed(".cairn/rules.json")}),
              ElementsAre(HasSubstr("--allow-rules")));
  open.may_change = true;
  EXPECT_THAT(broken(open, {changed(".cairn/rules.json")}), IsEmpty());
}

TEST(SandboxRules, LimitPaths) {
  auto some = rules(R"({"allow":["docs/**","*.md"],"deny":["docs/secret/**","*.key"]})");
  EXPECT_THAT(broken(some, {changed("docs/a"), changed("x/y.md")}), IsEmpty());
  EXPECT_THAT(broken(some, {changed("src/a"), changed("docs/secret/a"), changed("docs/a.key")}),
              ElementsAre("'src/a' is not among the paths that may change",
                          "'docs/secret/a' may not change", "'docs/a.key' may not change"));
  // Rules of the command line do not widen them.
  some.allow.push_back({*Glob::parse("src/**"), *Glob::parse("docs/*.md")});
  EXPECT_THAT(broken(some, {changed("docs/a.md")}), IsEmpty());
  EXPECT_EQ(broken(some, {changed("src/a"), changed("docs/a")}).size(), 2);
  EXPECT_EQ(broken(rules(R"({"allow":[]})"), {changed("a")}).size(), 1);
}

TEST(SandboxRules, LimitSizes) {
  const auto some = rules(R"({"maxBytes":100,"maxFileBytes":60})");
  EXPECT_THAT(broken(some, {changed("a", 60), changed("b", 40)}), IsEmpty());
  EXPECT_THAT(broken(some, {changed("a", 60), changed("b", 41)}),
              ElementsAre("the changed files have 101 B in all; they may have 100 B"));
  EXPECT_THAT(broken(some, {changed("a", 61)}), ElementsAre("'a' has 61 B; a file may have 60 B"));
  EXPECT_EQ(broken(rules("{}"), {changed("a", (1ULL << 30) + 1)}).size(), 1);
  EXPECT_EQ(broken(rules("{}"), {changed("a", 1ULL << 63), changed("b", 1ULL << 63)}).size(), 1);
}

TEST(SandboxRules, SayNoMoreThanAsked) {
  std::vector<SandboxChange> many(50, changed("x"));
  EXPECT_EQ(broken_rules(rules(R"({"allow":["y"]})"), many, 10).size(), 10);
}

TEST(SandboxRules, ThatAreBrokenSayWhere) {
  const struct {
    std::string_view text;
    std::string_view part;
  } cases[] = {
      {"{\n \"allow\": [,]}", "line 2"},
      {"[]", "an object"},
      {R"({"alow":[]})", "did you mean 'allow'"},
      {R"({"allow":"docs"})", "'allow' is \"docs\""},
      {R"({"deny":["[a"]})", "'[a' in 'deny'"},
      {R"({"maxBytes":-1})", "at least 0"},
      {R"({"maxBytes":1e30})", "at most"},
      {R"({"json":1})", "true or false"},
      {"", "rules.json"},
      {"\xff", "rules.json"},
  };
  for (const auto& c : cases) {
    const auto parsed = SandboxRules::parse(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, HasSubstr(c.part)) << c.text;
    EXPECT_THAT(parsed.error().message, HasSubstr(".cairn/rules.json"));
  }
  EXPECT_EQ(rules(R"({"maxBytes":1e6})").max_bytes, 1'000'000);
}

TEST(SandboxRules, KeepJsonJson) {
  EXPECT_TRUE(is_json_name("a/b.json"));
  EXPECT_FALSE(is_json_name("a/b.jsonl"));
  EXPECT_FALSE(broken_json("a.json", "{}", "[1]"));
  EXPECT_FALSE(broken_json("a.json", std::nullopt, "{}"));
  EXPECT_FALSE(broken_json("a.json", "// no JSON before", "{,}"));
  EXPECT_THAT(broken_json("a.json", "{}", "{,}").value_or(""), HasSubstr("is not JSON any more"));
  EXPECT_THAT(broken_json("a.json", std::nullopt, "").value_or(""),
              HasSubstr("'a.json' is not JSON:"));
}

}  // namespace
}  // namespace cairn::sandbox
