#include "data/oauth/redirect_uri.h"

#include <gtest/gtest.h>

#include "data/tree/tree_testing.h"

namespace cairn::oauth {
namespace {

using tree_testing::must;

TEST(RedirectUri, TakesHttpsThisMachineAndKnownPrograms) {
  for (const auto* good :
       {"https://claude.ai/api/mcp/auth_callback", "https://x.example:8443/a?b=c",
        "http://localhost/callback", "http://localhost:1/callback", "http://127.0.0.1:33418/",
        "http://[::1]:9/x", "http://127.0.0.1", "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode://x", "vscode-insiders://x", "windsurf://x", "zed://x", "claude://x"}) {
    EXPECT_TRUE(RedirectUri::parse(good)) << good;
  }
  for (const auto* bad : {"",
                          "callback",
                          "/callback",
                          "http://example.com/callback",
                          "http://127.0.0.2/callback",
                          "http://localhost.example/callback",
                          "http://localhost@example.com/",
                          "https://user@x.example/",
                          "https://x.example/#f",
                          "https://x.example/a b",
                          "https://",
                          "https:///path",
                          "javascript:alert(1)",
                          "javascript://x",
                          "data:text/html,x",
                          "vbscript:x",
                          "file:///etc/passwd",
                          "blob:x",
                          "about:blank",
                          "https://x.example/\\y",
                          "https://x.example/\"",
                          "myapp://callback",
                          "http://0.0.0.0/callback",
                          "http://127.0.0.1:0/x",
                          "HTTP://EXAMPLE.com",
                          "https://x.example/%zz"}) {
    EXPECT_FALSE(RedirectUri::parse(bad)) << bad;
  }
  EXPECT_TRUE(RedirectUri::parse("myapp://callback", {"myapp"}));
  EXPECT_FALSE(RedirectUri::parse("javascript://callback", {"javascript"}));
}

TEST(RedirectUri, FitsWhatWasRegistered) {
  struct Case {
    std::string_view registered;
    std::string_view asked;
    bool fits;
  };
  const Case cases[] = {
      {"https://x.example/cb", "https://x.example/cb", true},
      {"https://x.example/cb", "https://x.example/cb/", false},
      {"https://x.example/cb", "https://x.example/cb?a=1", false},
      {"https://x.example/cb", "https://x.example:443/cb", false},
      {"https://x.example/cb", "https://X.example/cb", false},
      {"https://x.example/cb", "https://y.example/cb", false},
      // The port of this machine is nobody's promise, the rest is.
      {"http://127.0.0.1/cb", "http://127.0.0.1:4711/cb", true},
      {"http://127.0.0.1:33418/cb", "http://127.0.0.1:4711/cb", true},
      {"http://127.0.0.1:33418/cb", "http://127.0.0.1/cb", true},
      {"http://localhost/cb", "http://localhost:4711/cb", true},
      {"http://[::1]/cb", "http://[::1]:4711/cb", true},
      {"http://127.0.0.1", "http://127.0.0.1:4711/", true},
      {"http://127.0.0.1/cb", "http://127.0.0.1:4711/other", false},
      {"http://127.0.0.1/cb", "http://127.0.0.1:4711/cb/x", false},
      {"http://127.0.0.1/cb", "http://127.0.0.1:4711/cb?x=1", false},
      {"http://127.0.0.1/cb?x=1", "http://127.0.0.1:4711/cb?x=1", true},
      {"http://127.0.0.1/cb", "http://localhost:4711/cb", false},
      {"http://localhost/cb", "http://127.0.0.1:4711/cb", false},
      {"http://localhost/cb", "https://localhost/cb", false},
      {"cursor://x/cb", "cursor://x/cb", true},
      {"cursor://x/cb", "cursor://x/other", false},
      {"cursor://x:1/cb", "cursor://x:2/cb", false},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(must(RedirectUri::parse(one.asked)).fits(must(RedirectUri::parse(one.registered))),
              one.fits)
        << one.asked << " of " << one.registered;
  }
}

TEST(RedirectUri, SaysWhereItIsToPeople) {
  EXPECT_EQ(must(RedirectUri::parse("https://x.example/cb")).place(), "x.example");
  EXPECT_EQ(must(RedirectUri::parse("http://127.0.0.1:4711/cb")).place(), "127.0.0.1:4711");
  EXPECT_EQ(must(RedirectUri::parse("cursor://anysphere/cb")).place(), "cursor://anysphere");
}

}  // namespace
}  // namespace cairn::oauth
