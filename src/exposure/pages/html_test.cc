// Markup: what came from elsewhere is a text.
#include "exposure/pages/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::pages {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Html, EscapesWhateverIsNotAnElement) {
  const std::string hostile = "</p><script>alert('1')</script>\"&";
  const auto made = element("p", {{"title", hostile}}, {hostile, element("b", {}, {"bold"})});
  EXPECT_EQ(made.markup(),
            "<p title=\"&lt;/p&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;\">"
            "&lt;/p&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;<b>bold</b></p>");
}

TEST(Html, ClosesWhatHasContent) {
  EXPECT_EQ(element("input", {{"name", "a"}}).markup(), "<input name=\"a\">");
  EXPECT_EQ(element("p").markup(), "<p></p>");
}

TEST(Html, AForeignNameHidesNothing) {
  const auto made = foreign("Claude\u202Eedoc\x01").markup();
  EXPECT_THAT(made, Not(HasSubstr("\u202E")));
  EXPECT_THAT(made, Not(HasSubstr("\x01")));
  EXPECT_THAT(made, HasSubstr("<bdi>Claude"));
  EXPECT_LT(foreign(std::string(5000, 'x')).markup().size(), 200U);
}

}  // namespace
}  // namespace cairn::pages
