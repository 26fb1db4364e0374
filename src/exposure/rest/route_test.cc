#include "exposure/rest/route.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/uri.h"
#include "tools/engine/all_tools.h"

namespace cairn::rest {
namespace {

using enum http::Method;
using testing::HasSubstr;
using testing::Not;

Result<Match> matched(http::Method method, std::string_view path) {
  return match(method, *http::split_path(path));
}

// A path that a pattern is meant for: parameters are called as no literal is.
std::string example_of(std::string_view pattern) {
  std::string out;
  const auto segments = *http::split_path(pattern);
  for (const auto& segment : segments) {
    out += "/";
    if (!segment.starts_with('{')) {
      out += segment;
    } else {
      out += segment.ends_with("...}") ? "some/more" : "some";
    }
  }
  return out;
}

std::string said(const Route& route) {
  return fmt::format("{} {}", http::name(route.method), route.pattern);
}

TEST(Routes, EachIsTheOneThatItsPathLeadsTo) {
  for (const auto& route : routes()) {
    const auto found = matched(route.method, example_of(route.pattern));
    ASSERT_TRUE(found) << said(route);
    EXPECT_EQ(said(*found->route), said(route));
  }
}

TEST(Routes, NoRequestHasTwo) {
  std::set<std::string> seen;
  for (const auto& route : routes()) {
    const auto request = fmt::format("{} {}", http::name(route.method), example_of(route.pattern));
    EXPECT_TRUE(seen.insert(request).second) << said(route);
  }
}

TEST(Routes, EachIsOfAToolWhoseArgumentsItsParametersAre) {
  const auto table = all_tools();
  for (const auto& route : routes()) {
    const auto tool = table.find(route.tool);
    ASSERT_TRUE(tool) << said(route);
    const auto& arguments = (*tool)->input.as_object().at("properties").as_object();
    const auto found = matched(route.method, example_of(route.pattern));
    for (const auto& [name, value] : found->parameters) {
      EXPECT_TRUE(arguments.contains(name)) << said(route) << " has no argument " << name;
    }
  }
}

// POST /api/realm/{realm}/tools/{name} takes JSON only.
TEST(Routes, EveryToolThatTakesBytesHasOne) {
  const auto table = all_tools();
  for (const auto& tool : table.tools()) {
    if (tool.body == Body::kArguments) continue;
    EXPECT_TRUE(std::ranges::any_of(routes(), [&](const Route& route) {
      return route.tool == tool.name;
    })) << tool.name;
  }
}

TEST(Match, FindsToolRealmAndArguments) {
  struct Case {
    http::Method method;
    std::string_view path, tool, realm, parameters;
  };
  const Case cases[] = {
      {kGet, "/api/realm/me", "get_realm_info", "me", ""},
      {kHead, "/api/realm/me", "get_realm_info", "me", ""},
      {kGet, "/api/realm/usr_1/usage", "get_usage", "usr_1", ""},
      {kDelete, "/api/realm/me/depots/dpt_1", "delete_depot", "me", "depotId=dpt_1 "},
      {kGet, "/api/realm/me/nodes/raw/nod_1", "get_node", "me", "nodeKey=nod_1 "},
      {kPut, "/api/realm/me/nodes/raw/nod_1", "put_node", "me", "key=nod_1 "},
      {kGet, "/api/realm/me/nodes/raw/nod_1/~0/~2", "get_node", "me",
       "nodeKey=nod_1 navigation=~0/~2 "},
      // An escaped slash stays where it is.
      {kGet, "/api/realm/me/nodes/fs/dpt_1%2Fsrc/ls", "fs_ls", "me", "nodeKey=dpt_1/src "},
      {kPost, "/api/realm/me/aei/preview", "preview_endpoint", "me", ""},
      {kGet, "/api/realm/me/aei/preview", "get_endpoint", "me", "endpointId=preview "},
      {kPatch, "/api/realm/me/aei/aei_1/bindings/bnd_1", "update_binding", "me",
       "endpointId=aei_1 bindingId=bnd_1 "},
      // Where the path names no realm it is the caller's.
      {kGet, "/api/admin/users", "list_users", "me", ""},
  };
  for (const auto& c : cases) {
    const auto found = matched(c.method, c.path);
    ASSERT_TRUE(found) << c.path;
    EXPECT_EQ(found->route->tool, c.tool) << c.path;
    EXPECT_EQ(found->realm, c.realm) << c.path;
    std::string parameters;
    for (const auto& [name, value] : found->parameters) {
      parameters += fmt::format("{}={} ", name, value);
    }
    EXPECT_EQ(parameters, c.parameters) << c.path;
  }
}

TEST(Match, SaysThatThereIsNothing) {
  for (const auto* path : {"/", "/api", "/api/realm", "/api/realm/", "/api/realm//usage",
                           "/api/realm/me/", "/api/realm/me/depots/", "/api/realm/me/usage/more",
                           "/API/realm/me", "/api/realm/me/nodes/fs/nod_1/nothing"}) {
    const auto found = matched(kGet, path);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().code, Code::kNotFound) << path;
    EXPECT_THAT(found.error().message, HasSubstr("/api/docs")) << path;
  }
}

TEST(Match, SaysWhichMethodsThereAreInstead) {
  struct Case {
    http::Method method;
    std::string_view path, allow;
  };
  const Case cases[] = {
      {kPut, "/api/realm/me/depots", "GET, HEAD, POST"},
      {kPost, "/api/realm/me/depots/dpt_1", "GET, HEAD, PATCH, DELETE"},
      {kDelete, "/api/realm/me/nodes/raw/nod_1", "GET, HEAD, PUT"},
      {kHead, "/api/realm/me/gc", "POST"},
      {kOptions, "/api/realm/me", "GET, HEAD"},
      {kOther, "/api/admin/backup", "POST"},
  };
  for (const auto& c : cases) {
    const auto found = matched(c.method, c.path);
    ASSERT_FALSE(found) << c.path;
    EXPECT_EQ(found.error().code, Code::kMethodNotAllowed) << c.path;
    EXPECT_EQ(std::get<std::string>(found.error().details.at("allow")), c.allow) << c.path;
  }
}

TEST(Match, NeverSaysAKeyThatStandsInAMistypedAddress) {
  const auto found = matched(kGet, "/api/v2/rset/cek_0123456789ABCDEFGHJK/query");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("/api/v2/rset/(key)/query"));
  EXPECT_THAT(found.error().message, Not(HasSubstr("0123456789")));
}

}  // namespace
}  // namespace cairn::rest
