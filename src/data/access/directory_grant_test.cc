#include "data/access/directory_grant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

using testing::HasSubstr;

TEST(DirectoryGrant, NamesCanStandInAnAddress) {
  for (const std::string_view good : {"notes", "a", "A-b_c.1", "..."}) {
    EXPECT_TRUE(check_directory_name(good)) << good;
  }
  const std::string long_name(65, 'n');
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("."), std::string_view(".."),
        std::string_view("a/b"), std::string_view("a b"), std::string_view("\u00e4"),
        std::string_view("a%2f"), std::string_view(long_name)}) {
    const auto checked = check_directory_name(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code, Code::kInvalidArgument);
  }
}

TEST(DirectoryGrant, EachIsGivenOnce) {
  const std::vector<DirectoryGrant> twice = {{"notes", false}, {"notes", true}};
  EXPECT_THAT(check_grants(twice).error().message, HasSubstr("'notes' is named twice"));
  std::vector<DirectoryGrant> many;
  for (int i = 0; i < 101; ++i) many.push_back({std::to_string(i), false});
  EXPECT_FALSE(check_grants(many));
  many.pop_back();
  EXPECT_TRUE(check_grants(many));
}

TEST(DirectoryGrant, IsReadBackAsItIsWritten) {
  const std::vector<DirectoryGrant> grants = {{"notes", true}, {"logs", false}};
  Bytes bytes;
  put_grants(bytes, grants);
  ByteReader in(bytes);
  EXPECT_EQ(take_grants(in), grants);
  EXPECT_TRUE(in.at_end());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader cut(ByteView(bytes).substr(0, size));
    EXPECT_LE(take_grants(cut).size(), 2U);
    EXPECT_TRUE(cut.failed());
  }
}

}  // namespace
}  // namespace cairn
