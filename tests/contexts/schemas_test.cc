// Every schema of ours can be narrowed: it is within itself, and so is one with less in it.

#include <gtest/gtest.h>

#include "data/json/schema_narrower.h"
#include "tools/endpoints/operation.h"
#include "tools/engine/all_tools.h"

namespace cairn {
namespace {

TEST(Schemas, OfEveryToolCompile) {
  const auto table = all_tools();
  for (const auto& tool : table.tools()) {
    for (const auto* schema : {&tool.input, &tool.output}) {
      auto compiled = json::Schema::compile(*schema);
      EXPECT_TRUE(compiled) << tool.name << ": " << compiled.error().render();
    }
  }
}

TEST(Schemas, OfOperationsAreWithinThemselves) {
  const auto table = all_tools();
  for (const auto& operation : operations()) {
    if (operation.tool.empty()) continue;
    ContextTool tool;
    tool.operation = operation.name;
    tool.context.emplace();
    auto form = form_of(table, tool);
    ASSERT_TRUE(form) << operation.name << ": " << form.error().render();
    const json::Value schema(form->input);
    auto within = json::check_narrower(schema, schema);
    EXPECT_TRUE(within) << operation.name << ": " << within.error().render();
    // Without an argument that may be left out it is narrower; with one that is not known, wider.
    auto less = form->input;
    auto more = form->input;
    more["properties"].as_object()["surprise"] = json::Object{{"type", "string"}};
    EXPECT_FALSE(json::check_narrower(json::Value(more), schema)) << operation.name;
    for (const auto& member : form->input["properties"].as_object()) {
      const auto* required = json::find(form->input, "required");
      const bool needed = required != nullptr &&
                          std::ranges::find(required->as_array(), json::Value(member.key())) !=
                              required->as_array().end();
      if (needed) continue;
      less["properties"].as_object().erase(member.key());
      auto narrower = json::check_narrower(json::Value(less), schema);
      EXPECT_TRUE(narrower) << operation.name << ": " << narrower.error().render();
    }
  }
}

}  // namespace
}  // namespace cairn
