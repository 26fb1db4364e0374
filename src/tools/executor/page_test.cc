#include "tools/executor/page.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

class ListPageTest : public tools_testing::ToolTest {
 protected:
  // Of rows of about a thousand bytes; the cursor says how many were asked for last.
  json::Object page(const json::Object& arguments, std::size_t row_bytes = 1000) {
    Call call(engine_->services(), executor().table(), owner_, {});
    auto reply = list_page(call, Arguments(arguments), "rows",
                           [&](std::size_t limit, auto cursor) -> Result<RowPage> {
                             given_ = cursor.value_or("");
                             RowPage out{{}, fmt::format("{}", limit)};
                             for (std::size_t i = 0; i < limit; ++i) {
                               out.rows.emplace_back(std::string(row_bytes, 'x'));
                             }
                             return out;
                           });
    return reply->value.get_object();
  }
  static std::size_t rows(const json::Object& page) { return page.at("rows").get_array().size(); }

  std::string given_;
};

TEST_F(ListPageTest, HasAsManyRowsAsWereAskedFor) {
  EXPECT_EQ(rows(page({}, 10)), 100U);
  EXPECT_EQ(rows(page({{"limit", 7}, {"cursor", "c"}})), 7U);
  EXPECT_EQ(given_, "c");
}

TEST_F(ListPageTest, EndsWhereThereIsNoMoreRoomWithTheCursorOfThatPlace) {
  const auto cut = page({{"limit", 1000}, {"cursor", "c"}});
  EXPECT_LE(json::write(json::Value(cut)).size(), kMostBytes);
  EXPECT_GT(rows(cut), 40U);
  EXPECT_EQ(tools_testing::text(cut, "nextCursor"), std::to_string(rows(cut)));
  EXPECT_EQ(given_, "c");
  // One row is shown however long it is.
  EXPECT_EQ(rows(page({}, 1'000'000)), 1U);
}

}  // namespace
}  // namespace cairn
