#include "exposure/agent/selection_request.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::agent {
namespace {

using Headers = std::map<std::string, std::string, std::less<>>;

Result<SelectionRequest> selection(const Headers& headers, std::string_view query) {
  auto lookup = [&](std::string_view name) -> std::string_view {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  };
  return selection_of(lookup, http::Query::parse(query).value());
}

TEST(SelectionOf, ReadsHeadersAndQueryAndPrefersTheQuery) {
  struct Case {
    Headers headers;
    std::string query;
    SelectionRequest wanted;
  };
  const Case cases[] = {
      {{}, "", {}},
      {{{"x-cairn-toolsets", "minimal"}}, "", {.toolsets = "minimal"}},
      {{{"x-cairn-tools", "fs_ls,fs_read"}}, "", {.tools = "fs_ls,fs_read"}},
      {{{"x-cairn-exclude-tools", "fs_rm"}}, "", {.exclude_tools = "fs_rm"}},
      {{{"x-cairn-read-only", "true"}}, "", {.read_only = true}},
      {{}, "toolsets=read,write", {.toolsets = "read,write"}},
      {{}, "tools=fs_ls&exclude-tools=fs_rm", {.tools = "fs_ls", .exclude_tools = "fs_rm"}},
      {{}, "read-only=1", {.read_only = true}},
      {{}, "read-only", {.read_only = true}},
      {{{"x-cairn-toolsets", "all"}}, "toolsets=minimal", {.toolsets = "minimal"}},
      {{{"x-cairn-read-only", "true"}}, "read-only=false", {}},
      {{{"x-cairn-read-only", "0"}}, "", {}},
      {{}, "toolsets=", {.toolsets = ""}},
      {{}, "unrelated=1", {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(selection(c.headers, c.query), c.wanted) << c.query;
  }
}

TEST(SelectionOf, RefusesABooleanThatIsNone) {
  for (const auto* query : {"read-only=yes", "read-only=TRUE", "read-only=2"}) {
    const auto refused = selection({}, query);
    ASSERT_FALSE(refused) << query;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("should be true or false"));
  }
  EXPECT_FALSE(selection({{"x-cairn-read-only", "maybe"}}, ""));
}

}  // namespace
}  // namespace cairn::agent
