#include "tools/executor/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/engine/all_tools.h"
#include "tools/executor/selection.h"

namespace cairn {
namespace {

class DefinitionTest : public testing::Test {
 protected:
  std::size_t size_of(const std::string& toolset) {
    json::Array tools;
    const auto selection = Selection::parse({.toolsets = toolset}, table).value();
    for (const auto* tool : selection.tools()) {
      tools.emplace_back(definition(*tool));
    }
    return json::write(json::Object{{"tools", std::move(tools)}}).size();
  }
  const Tool& tool(std::string_view name) { return *table.find(name).value(); }
  ToolTable table = all_tools();
};

// A token is about four characters; bytes are counted, which are at least as many.
TEST_F(DefinitionTest, TheDefaultCostsLessThanSixThousandTokens) {
  EXPECT_LT(size_of("default"), 24'000U);
  RecordProperty("default", static_cast<int>(size_of("default")));
}
TEST_F(DefinitionTest, TheMinimumCostsLessThanFifteenHundredTokens) {
  EXPECT_LT(size_of("minimal"), 6'000U);
  RecordProperty("minimal", static_cast<int>(size_of("minimal")));
  RecordProperty("all", static_cast<int>(size_of("all")));
}

TEST_F(DefinitionTest, HasTheHintsOfThePlan) {
  struct Case {
    std::string_view name;
    bool read_only, destructive, idempotent;
  };
  const Case cases[] = {
      {"list_depots", true, false, true},    {"get_depot", true, false, true},
      {"fs_stat", true, false, true},        {"fs_ls", true, false, true},
      {"fs_read", true, false, true},        {"node_metadata", true, false, true},
      {"fs_write", false, false, true},      {"fs_mkdir", false, false, true},
      {"fs_rm", false, true, false},         {"fs_mv", false, true, false},
      {"fs_cp", false, false, true},         {"fs_rewrite", false, true, false},
      {"depot_commit", false, true, false},  {"create_delegate", false, false, false},
      {"get_realm_info", true, false, true}, {"get_usage", true, false, true},
      {"fs_tree", true, false, true},        {"fs_edit", false, false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto made = definition(tool(c.name));
    const auto& hints = made.at("annotations").get_object();
    // The value that a client assumes for a missing hint.
    auto hint = [&](std::string_view name, bool otherwise) {
      const auto* given = json::find(hints, name);
      return given == nullptr ? otherwise : given->get_bool();
    };
    EXPECT_EQ(hint("readOnlyHint", false), c.read_only);
    EXPECT_EQ(hint("destructiveHint", !c.read_only), c.destructive);
    EXPECT_EQ(hint("idempotentHint", false), c.idempotent);
    EXPECT_FALSE(hint("openWorldHint", true));
  }
}

// The things that clients have been seen to stumble over.
void expect_portable(const json::Value& schema) {
  const auto& object = schema.get_object();
  EXPECT_EQ(json::text(object.at("type")), "object");
  for (const auto* name : {"anyOf", "oneOf", "allOf", "$schema", "$ref", "not"}) {
    EXPECT_FALSE(object.contains(name)) << name;
  }
  EXPECT_TRUE(json::Schema::compile(schema));
}

TEST_F(DefinitionTest, IsCompleteAndPortableForEveryTool) {
  const auto selection = Selection::parse({.toolsets = "all"}, table).value();
  for (const auto* known : selection.tools()) {
    SCOPED_TRACE(known->name);
    const auto made = definition(*known);
    EXPECT_EQ(json::text(made.at("name")), known->name);
    EXPECT_FALSE(json::text(made.at("title")).empty());
    EXPECT_FALSE(json::text(made.at("description")).empty());
    expect_portable(made.at("inputSchema"));
    expect_portable(made.at("outputSchema"));
    EXPECT_TRUE(made.at("inputSchema").get_object().contains("properties"));
  }
}

TEST_F(DefinitionTest, KeepsEveryArgumentAndWhichOfThemAreNeeded) {
  const auto selection = Selection::parse({.toolsets = "all"}, table).value();
  for (const auto* known : selection.tools()) {
    SCOPED_TRACE(known->name);
    const auto made = compact_input(known->input);
    const auto& before = known->input.get_object();
    const auto& after = made.get_object();
    ASSERT_EQ(after.at("properties").get_object().size(),
              before.at("properties").get_object().size());
    for (const auto& member : before.at("properties").get_object()) {
      const auto* kept = json::find(after.at("properties").get_object(), member.key());
      ASSERT_NE(kept, nullptr) << member.key();
      const auto& schema = member.value().get_object();
      const auto* type = schema.contains("type") ? "type" : "anyOf";
      EXPECT_EQ(kept->get_object().at(type), schema.at(type));
    }
    ASSERT_EQ(after.contains("required"), before.contains("required"));
    if (!before.contains("required")) continue;
    EXPECT_EQ(after.at("required"), before.at("required"));
  }
}

TEST_F(DefinitionTest, NestedArgumentsKeepTheirShape) {
  const auto edits = definition(tool("fs_edit")).at("inputSchema");
  EXPECT_TRUE(edits.at_pointer("/properties/edits/items/properties/oldText").is_object());
  EXPECT_EQ(edits.at_pointer("/properties/edits/items/required").get_array().size(), 2U);
  const auto entries = definition(tool("fs_rewrite")).at("inputSchema");
  EXPECT_TRUE(
      entries.at_pointer("/properties/entries/additionalProperties/properties/link").is_object());
}

TEST(CompactOutput, NamesWhatIsAlwaysThereByItsType) {
  const auto schema = json::parse(R"({"type":"object","properties":{
      "a":{"type":"string","description":"x"},"b":{"type":["string","null"]},
      "c":{"type":"array","items":{"type":"object","properties":{"d":{"type":"string"}}}},
      "e":{"type":"integer"}},"required":["a","b","c"],"additionalProperties":false})")
                          .value();
  EXPECT_EQ(json::write(compact_output(schema)),
            R"({"type":"object","properties":{"a":{"type":"string"},)"
            R"("b":{"anyOf":[{"type":"string"},{"type":"null"}]},)"
            R"("c":{"type":"array","items":{"type":"object"}}}})");
}

}  // namespace
}  // namespace cairn
