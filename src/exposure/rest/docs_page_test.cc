#include "exposure/rest/docs_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/rest/openapi.h"
#include "tools/engine/all_tools.h"

namespace cairn::rest {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(DocsPage, HasASectionForEveryOperation) {
  const auto document = openapi(all_tools(), "1");
  const auto page = docs_page(document);
  std::size_t operations = 0;
  for (const auto& [path, item] : document.at("paths").as_object()) {
    EXPECT_THAT(page, HasSubstr(fmt::format("</b>{}<span>", std::string_view(path))));
    operations += item.as_object().size();
  }
  EXPECT_EQ(count(page, "<details>"), operations);
}

TEST(DocsPage, HasOneHeadingForEachTag) {
  const auto page = docs_page(openapi(all_tools(), "1"));
  for (const auto* tag :
       {"realm", "depots", "delegates", "nodes", "files", "admin", "tools", "server", "auth"}) {
    EXPECT_EQ(count(page, fmt::format("<h2>{}</h2>", tag)), 1U) << tag;
  }
}

TEST(DocsPage, ShowsWhereEachArgumentGoesAndWhichAreNeeded) {
  const auto page = docs_page(*json::parse(R"({"paths": {"/a/{b}": {"post": {
      "tags": ["t"], "summary": "S", "description": "D",
      "parameters": [{"name": "b", "in": "path", "required": true, "description": "The b"},
                     {"name": "c", "in": "query", "required": false}],
      "requestBody": {"content": {"application/json": {"schema": {
          "properties": {"d": {"description": "The d"}, "e": {}}, "required": ["d"]}}}}
  }, "put": {
      "tags": ["t"],
      "requestBody": {"content": {"application/octet-stream": {"schema": {}}}}
  }}}})"));
  EXPECT_THAT(page, HasSubstr("<b>POST</b>/a/{b}<span>S</span></summary><p>D</p>"));
  EXPECT_THAT(page, HasSubstr("<td>b *</td><td>path</td><td>The b</td>"));
  EXPECT_THAT(page, HasSubstr("<td>c</td><td>query</td><td></td>"));
  EXPECT_THAT(page, HasSubstr("<td>d *</td><td>body</td><td>The d</td>"));
  EXPECT_THAT(page, HasSubstr("<td>e</td><td>body</td><td></td>"));
  EXPECT_THAT(page, HasSubstr("<td>body *</td><td>bytes</td>"));
}

TEST(DocsPage, LetsNoDescriptionBecomeMarkup) {
  const auto page = docs_page(*json::parse(R"({"paths": {"/<i>": {"get": {
      "tags": ["t"], "summary": "<script>1</script>", "description": "a & \"b\"",
      "parameters": [{"name": "<n>", "in": "<q>", "required": false, "description": "<d>"}]
  }}}})"));
  for (const auto* raw : {"<script>", "<i>", "<n>", "<q>", "<d>"}) {
    EXPECT_THAT(page, Not(HasSubstr(raw)));
  }
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;1&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("a &amp; &quot;b&quot;"));
}

}  // namespace
}  // namespace cairn::rest
