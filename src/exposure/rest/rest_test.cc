// What the handler makes of a request: which tool, with which arguments, and what before the body
// is read. Over real HTTP: tests/rest.
#include "exposure/rest/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/rest/rest_world.h"

namespace cairn::rest {
namespace {

using enum http::Method;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct RestTest : testing::Test {
  RestWorld world;
  std::string depot = world.depot("project", {{"src/a.txt", "one\ntwo\nthree\n"}});
  std::string fs = "/api/realm/me/nodes/fs/" + depot;
  std::string commit = "/api/realm/me/depots/" + depot + "/commit";

  http::Plan plan(http::Method method, std::string target, std::optional<std::string> body = "{}") {
    return world.plan(world.rest, {.method = method,
                                   .target = std::move(target),
                                   .token = world.owner,
                                   .body = std::move(body)});
  }
  Answered ask(http::Method method, std::string target) {
    return world.ask({.method = method, .target = std::move(target), .token = world.owner});
  }
  std::string root() { return text_of(world.must("get_depot", {{"depotId", depot}}), "root"); }
};

TEST_F(RestTest, RunsTheToolOfARouteWithWhatPathAndQuerySay) {
  const auto answer = world.get(fs + "/ls?path=src&limit=1");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_of(answer.value.as_object(), "path"), "src");
  EXPECT_EQ(answer.response.log_tool, "fs_ls");
  EXPECT_THAT(answer.response.log_who, HasSubstr("dlt_"));
}

TEST_F(RestTest, RunsAnyToolByItsName) {
  const auto answer =
      world.post("/api/realm/me/tools/fs_read", {{"nodeKey", depot}, {"path", "src/a.txt"}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_of(answer.value.as_object(), "content"), "one\ntwo\nthree\n");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
}

TEST_F(RestTest, NamesTheArgumentOfAQueryThatIsWrong) {
  struct Case {
    std::string_view query, message;
  };
  for (const auto& c :
       {Case{"limit=many", "'limit' is 'many'"}, Case{"limit=0", "'limit'"},
        Case{"lmit=1", "'lmit'"}, Case{"nodeKey=x", "'nodeKey' is in the path already"}}) {
    const auto answer = world.get(fmt::format("{}/ls?{}", fs, c.query));
    EXPECT_EQ(answer.status, 400) << c.query;
    EXPECT_EQ(answer.code, "INVALID_ARGUMENT") << c.query;
    EXPECT_THAT(answer.message(), HasSubstr(std::string(c.message))) << c.query;
  }
  EXPECT_EQ(world.get(fs + "/ls?path=%zz").code, "BAD_REQUEST");
  EXPECT_EQ(world.get(fs + "/ls?path=a&path=b").code, "BAD_REQUEST");
  EXPECT_EQ(world.get("/api/realm/me/depots/%00").code, "BAD_REQUEST");
}

TEST_F(RestTest, AsksForATokenBeforeItReadsABody) {
  for (const auto& target :
       {fs + "/write", fs + "/file?path=x", commit, std::string("/api/realm/me/tools/fs_write")}) {
    for (const auto* header : {"", "Basic abc", "Bearer", "Bearer ", "Bearer nonsense"}) {
      const auto method = target.contains("/file") ? kPut : kPost;
      const auto made = world.plan(world.rest, {.method = method,
                                                .target = target,
                                                .body = "{}",
                                                .headers = {{"authorization", header}}});
      const auto* refused = std::get_if<http::Response>(&made);
      ASSERT_NE(refused, nullptr) << target << " " << header;
      EXPECT_EQ(refused->status, 401) << target << " " << header;
      EXPECT_EQ(header_of(*refused, "WWW-Authenticate"), "Bearer realm=\"cairn\"");
    }
  }
}

TEST_F(RestTest, TakesATokenWhateverTheCaseOfItsScheme) {
  for (const auto* scheme : {"Bearer", "bearer", "BEARER"}) {
    const auto answer = world.ask(
        {.target = "/api/realm/me", .headers = {{"authorization", scheme + (" " + world.owner)}}});
    EXPECT_EQ(answer.status, 200) << scheme;
  }
}

// The server reads no more than a plan wants: BODY_TOO_LARGE, from its length where that is said.
TEST_F(RestTest, WantsNoLongerBodyThanTheToolTakes) {
  struct Case {
    http::Method method;
    std::string target;
    std::size_t most;
  };
  const Case cases[] = {
      {kPost, fs + "/write", kMaxBodyBytes},
      {kPost, commit, kMaxBodyBytes},
      {kPost, "/api/realm/me/tools/fs_write", kMaxBodyBytes},
      {kPut, "/api/realm/me/nodes/raw/" + NodeKey::of("x").render(), std::size_t{4} << 20},
      {kPost, "/api/auth/login", std::size_t{16} << 10},
      {kPost, "/api/auth/refresh", std::size_t{16} << 10},
  };
  for (const auto& c : cases) {
    const auto made = plan(c.method, c.target);
    const auto* want = std::get_if<http::WantBody>(&made);
    ASSERT_NE(want, nullptr) << c.target;
    EXPECT_EQ(want->max_bytes, c.most) << c.target;
  }
}

TEST_F(RestTest, TakesAFileOfAnySizeInPortions) {
  for (const auto& [method, target] :
       {std::pair(kPut, fs + "/file?path=new.txt"), std::pair(kPost, fs + "/write?path=new.txt")}) {
    auto made = plan(method, target);
    auto* want = std::get_if<http::WantStream>(&made);
    ASSERT_NE(want, nullptr) << target;
    EXPECT_EQ(want->max_bytes, UINT64_MAX);
    EXPECT_FALSE(want->sink->append("first "));
    EXPECT_FALSE(want->sink->append("second"));
    const Answered done(want->sink->finish());
    ASSERT_EQ(done.status, 200) << done.body;
    EXPECT_EQ(done.response.log_tool, "write_file");
    const auto made_root = text_of(done.value.as_object(), "newRoot");
    EXPECT_EQ(world.get("/api/realm/me/nodes/fs/" + made_root + "/file?path=new.txt").body,
              "first second");
  }
}

TEST_F(RestTest, RefusesAFileThatCannotBeWrittenBeforeItIsSent) {
  const auto made = plan(kPut, fs + "/file?path=src/a.txt/below");
  const auto* refused = std::get_if<http::Response>(&made);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->status, 400);
}

TEST_F(RestTest, AFilesTypeIsThatOfTheHeaderUnlessThatSaysNothing) {
  struct Case {
    std::string type;
    std::string_view written;
  };
  for (const auto& c : {Case{"text/markdown", "text/markdown"},
                        Case{"application/octet-stream", "application/octet-stream"},
                        Case{"Text/HTML; charset=utf-8", "text/html; charset=utf-8"},
                        Case{"application/x-www-form-urlencoded", "application/json"},
                        Case{"", "application/json"}}) {
    const auto answer = world.ask({.method = kPut,
                                   .target = fs + "/file?path=new.json",
                                   .token = world.owner,
                                   .body = "{}",
                                   .type = c.type});
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(text_of(answer.value.at("file").as_object(), "contentType"), c.written) << c.type;
  }
}

TEST_F(RestTest, ABodyWhereNoneIsReadIsRefused) {
  for (const auto method : {kGet, kDelete}) {
    const auto target = method == kGet ? fs + "/stat" : "/api/realm/me/adi/adi_1";
    const auto answer = world.ask({.method = method,
                                   .target = target,
                                   .token = world.owner,
                                   .body = R"({"path": "src"})",
                                   .type = "application/json"});
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_THAT(answer.message(),
                HasSubstr("takes no body here; put the arguments into the query"));
  }
}

TEST_F(RestTest, WhatIsShortIsAnsweredAtOnceAndTheRestOnAWorker) {
  const auto short_one = plan(kGet, fs + "/stat", std::nullopt);
  ASSERT_TRUE(std::holds_alternative<http::Response>(short_one));
  EXPECT_EQ(std::get<http::Response>(short_one).status, 200);
  EXPECT_TRUE(
      std::holds_alternative<http::Later>(plan(kGet, fs + "/grep?pattern=o", std::nullopt)));
  auto where = [&](std::string target, std::string body) {
    return std::get<http::WantBody>(plan(kPost, std::move(target), std::move(body))).where;
  };
  const std::string stat = "/api/realm/me/tools/fs_stat";
  EXPECT_EQ(where(stat, "{}"), http::Where::kHere);
  EXPECT_EQ(where(stat, std::string(65 << 10, ' ')), http::Where::kWorker);
  EXPECT_EQ(where("/api/realm/me/tools/fs_write", "{}"), http::Where::kWorker);
}

TEST_F(RestTest, TakesJsonThatIsSaidToBeJson) {
  struct Case {
    std::string type;
    int status;
  };
  for (const auto& c : {Case{"application/json", 200}, Case{"application/json; charset=utf-8", 200},
                        Case{"application/json ;charset=utf-8", 200}, Case{"Application/JSON", 200},
                        Case{"text/plain", 415}, Case{"application/jsonl", 415}, Case{"", 415}}) {
    const auto answer = world.ask({.method = kPost,
                                   .target = "/api/realm/me/tools/get_usage",
                                   .token = world.owner,
                                   .body = "{}",
                                   .type = c.type});
    EXPECT_EQ(answer.status, c.status) << c.type << answer.body;
    if (c.status == 415) {
      EXPECT_THAT(answer.message(), HasSubstr("'" + c.type + "'"));
    }
  }
}

TEST_F(RestTest, TakesABodyThatIsAnObjectOrIsLeftOut) {
  const std::string target = "/api/realm/me/tools/get_usage";
  EXPECT_EQ(ask(kPost, target).status, 200);
  struct Case {
    std::string body, code;
  };
  for (const auto& c :
       {Case{"", "ok"}, Case{"{}", "ok"}, Case{"[]", "INVALID_JSON"}, Case{"7", "INVALID_JSON"},
        Case{"{", "INVALID_JSON"}, Case{R"({"a":1,"a":2})", "INVALID_JSON"},
        Case{R"({"unknown":1})", "INVALID_ARGUMENT"}}) {
    const auto answer =
        world.ask({.method = kPost, .target = target, .token = world.owner, .body = c.body});
    EXPECT_EQ(answer.code, c.code) << c.body;
    EXPECT_EQ(answer.response.log_tool, "get_usage") << c.body;
  }
}

TEST_F(RestTest, TakesNothingFromTheBodyThatIsSaidBefore) {
  struct Case {
    std::string target;
    json::Object body;
    http::Headers headers;
    std::string_view name;
  };
  const auto tag = "\"" + root() + "\"";
  const Case cases[] = {
      {commit, {{"root", root()}, {"depotId", depot}}, {}, "'depotId'"},
      {commit + "?message=a", {{"root", root()}, {"message", "b"}}, {}, "'message'"},
      {commit, {{"root", root()}, {"expectedRoot", root()}}, {{"if-match", tag}}, "'expectedRoot'"},
      {commit, {{"root", root()}, {"exact", false}}, {{"if-match", tag}}, "'exact'"},
  };
  for (const auto& c : cases) {
    const auto answer = world.post(c.target, c.body, c.headers);
    EXPECT_EQ(answer.code, "INVALID_ARGUMENT") << c.target << c.name;
    EXPECT_THAT(answer.message(),
                AllOf(HasSubstr(std::string(c.name)), HasSubstr("in the address or a header")));
  }
}

TEST_F(RestTest, WritesOnlyOverTheFileThatIfMatchNames) {
  const auto base = "/api/realm/me/nodes/fs/" + depot;
  const auto write = [&](json::Object more, const http::Headers& headers) {
    more["path"] = "cond.txt";
    more["content"] = "x";
    return world.post(base + "/write", more, headers);
  };
  EXPECT_EQ(write({}, {{"if-match", "*"}}).status, 412);
  const auto made = write({}, {{"if-none-match", "*"}});
  EXPECT_EQ(made.status, 200) << made.body;
  world.post(commit, {{"root", made.value.at("newRoot")}});
  EXPECT_EQ(write({}, {{"if-none-match", "*"}}).status, 412);
  const auto key = std::string(json::text(made.value.at("file").at("key")));
  EXPECT_EQ(write({}, {{"if-match", "\"" + key + "\""}}).status, 200);
  EXPECT_EQ(write({}, {{"if-match", "*"}}).status, 200);
  const auto other = write({}, {{"if-match", "\"" + root() + "\""}});
  EXPECT_EQ(other.status, 412);
  EXPECT_THAT(other.body, HasSubstr(key));
  EXPECT_EQ(write({{"ifKey", key}}, {{"if-match", "*"}}).status, 400);
  EXPECT_EQ(write({}, {{"if-match", "*"}, {"if-none-match", "*"}}).status, 400);
  EXPECT_EQ(write({}, {{"if-none-match", "\"" + key + "\""}}).status, 400);
  EXPECT_EQ(
      world.post(base + "/rm", {{"path", "cond.txt"}}, {{"if-match", "\"" + root() + "\""}}).status,
      412);
}

TEST_F(RestTest, RefusesIfMatchWhereNothingHeedsIt) {
  const auto tag = "\"" + root() + "\"";
  const auto before = root();
  const auto made = world.post("/api/realm/me/nodes/fs/" + depot + "/mkdir", {{"path", "new"}},
                               {{"if-match", tag}});
  EXPECT_EQ(made.code, "INVALID_ARGUMENT") << made.body;
  EXPECT_THAT(made.message(), HasSubstr("If-Match"));
  EXPECT_EQ(root(), before);
}

TEST_F(RestTest, CommitsOnlyOnTheRootThatIfMatchNames) {
  const auto started = root();
  const auto mine = world.written(depot, "mine.txt", "mine");
  const auto theirs = world.written(depot, "theirs.txt", "theirs");
  auto tried = [&](const std::string& made, std::string tag) {
    return world.post(commit, {{"root", made}}, {{"if-match", std::move(tag)}});
  };
  for (const auto* odd : {"\"x\"", "nonsense", "\"\"", "\""}) {
    EXPECT_EQ(tried(theirs, odd).status, 412) << odd;
  }
  EXPECT_EQ(root(), started);
  const auto first = tried(theirs, "\"" + started + "\"");
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.header("ETag"), "\"" + theirs + "\"");
  const auto second = tried(mine, "\"" + started + "\"");
  EXPECT_EQ(second.code, "PRECONDITION_FAILED");
  EXPECT_EQ(text_of(second.value.at("details").as_object(), "currentRoot"), theirs);
  EXPECT_EQ(root(), theirs);
  // Whatever is there: the two are merged.
  EXPECT_EQ(tried(mine, "*").status, 200);
  EXPECT_NE(root(), mine);
}

TEST_F(RestTest, ReadsLinesAsJsonAndAFileAsItIs) {
  EXPECT_EQ(world.get(fs + "/read?path=src/a.txt").body, "one\ntwo\nthree\n");
  const auto lines = world.get(fs + "/read?path=src/a.txt&startLine=2&endLine=2");
  EXPECT_EQ(lines.response.log_tool, "fs_read");
  EXPECT_EQ(text_of(lines.value.as_object(), "content"), "two\n");
}

TEST_F(RestTest, AnswersOnlyOnceWhatHasNotChanged) {
  const auto first = world.get(fs + "/stat?path=src");
  const http::Headers has_it{{"if-none-match", std::string(first.header("ETag"))}};
  EXPECT_EQ(world.get(fs + "/stat?path=src", has_it).status, 304);
  world.must("depot_commit",
             {{"depotId", depot}, {"root", world.written(depot, "src/b.txt", "b")}});
  EXPECT_EQ(world.get(fs + "/stat?path=src", has_it).status, 200);
  EXPECT_EQ(world.get("/api/realm/me/nodes/fs/" + root() + "/stat").header("Cache-Control"),
            "private, max-age=31536000, immutable");
}

TEST_F(RestTest, SaysWhatIsNotThereAndWhatIsInstead) {
  struct Case {
    http::Method method;
    std::string target, code, allow;
  };
  const Case cases[] = {
      {kGet, "/", "NOT_FOUND", ""},
      {kGet, "/api/v1/depots", "NOT_FOUND", ""},
      {kPut, "/api/realm/me/depots", "METHOD_NOT_ALLOWED", "GET, HEAD, POST"},
      {kPost, "/healthz", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kDelete, "/readyz", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kPost, "/metrics", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kPut, "/api/openapi.json", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kPost, "/api/docs", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kGet, "/api/auth/login", "METHOD_NOT_ALLOWED", "POST"},
      {kPut, "/api/auth/refresh", "METHOD_NOT_ALLOWED", "POST"},
      {kPost, "/api/realm/me/tools", "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {kGet, "/api/realm/me/tools/fs_ls", "METHOD_NOT_ALLOWED", "POST"},
      {kPost, "/api/realm/me/tools/fs_sl", "TOOL_NOT_FOUND", ""},
      {kPost, "/api/realm/me/tools/write_file", "BAD_REQUEST", ""},
      {kGet, "/api/realm/usr_other/depots", "REALM_NOT_FOUND", ""},
      {kGet, "/api/realm/me/depots/dpt_00000000000000000000000000", "DEPOT_NOT_FOUND", ""},
  };
  for (const auto& c : cases) {
    const auto answer = ask(c.method, c.target);
    EXPECT_EQ(answer.code, c.code) << c.target;
    EXPECT_EQ(answer.header("Allow"), c.allow) << c.target;
  }
}

TEST_F(RestTest, ListsItsToolsToWhoHasAToken) {
  EXPECT_EQ(world.ask({.target = "/api/realm/me/tools"}).status, 401);
  const auto answer = world.get("/api/realm/me/tools");
  EXPECT_EQ(answer.value.at("tools").as_array().size(),
            world.engine().executor().table().tools().size());
}

TEST_F(RestTest, ServesItsDescriptionToEverybody) {
  const auto document = world.ask({.target = "/api/openapi.json"});
  EXPECT_EQ(document.response.content_type, "application/json");
  EXPECT_EQ(text_of(document.value.at("info").as_object(), "version"), "1.2.3");
  const auto docs = world.ask({.target = "/api/docs"});
  EXPECT_EQ(docs.response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(docs.header("Content-Security-Policy"),
            "default-src 'none'; style-src 'unsafe-inline'");
  EXPECT_THAT(docs.body, HasSubstr("/api/realm/{realm}/depots"));
  EXPECT_EQ(text_of(world.ask({.target = "/info"}).value.as_object(), "version"), "1.2.3");
}

TEST_F(RestTest, IsReadyUntilItStopsAndLivesOn) {
  EXPECT_EQ(world.ask({.target = "/readyz"}).status, 200);
  world.rest.stopping();
  EXPECT_EQ(world.ask({.target = "/readyz"}).code, "UNAVAILABLE");
  EXPECT_EQ(world.ask({.target = "/healthz"}).status, 200);
}

TEST_F(RestTest, SignsInWithoutATokenAndKeepsNoAnswer) {
  world.must("add_user", {{"name", "ann"}, {"password", "correct horse"}});
  auto login = [&](std::string body) {
    return world.ask({.method = kPost, .target = "/api/auth/login", .body = std::move(body)});
  };
  const auto in = login(R"({"name": "ann", "password": "correct horse"})");
  ASSERT_EQ(in.status, 200) << in.body;
  EXPECT_EQ(in.header("Cache-Control"), "no-store");
  EXPECT_EQ(in.response.log_tool, "sign_in");
  EXPECT_EQ(login(R"({"name": "ann", "password": "wrong horse"})").status, 401);
  EXPECT_THAT(login(R"({"name": "ann"})").message(), HasSubstr("'password' is required"));
  EXPECT_THAT(login("").message(), HasSubstr("'name' is required"));
  EXPECT_THAT(login(R"({"name": 7, "password": "x"})").message(), HasSubstr("'name'"));
  const auto refreshed =
      world.ask({.method = kPost,
                 .target = "/api/auth/refresh",
                 .body = json::write(json::Object{
                     {"refreshToken", text_of(in.value.as_object(), "refreshToken")}})});
  EXPECT_EQ(refreshed.status, 200) << refreshed.body;
  EXPECT_EQ(refreshed.header("Cache-Control"), "no-store");
}

TEST_F(RestTest, AnEndpointsKeyIsNoTokenAndIsNotSaidAgain) {
  const auto orders = world.depot("orders", {{"orders.json", "[1]"}});
  const auto key = world.endpoint(orders, "orders.json", {"get_all"}).key;
  struct Case {
    Asked asked;
    int status;
  };
  const Case cases[] = {
      {{.target = "/api/realm/me/depots", .token = key}, 401},
      {{.target = "/api/realm/" + key + "/depots", .token = world.owner}, 404},
      {{.target = "/api/v2/rset/" + key, .token = world.owner}, 404},
      {{.method = kPost, .target = "/api/realm/me/tools/" + key, .token = world.owner}, 404},
      {{.target = "/" + key}, 404},
  };
  for (const auto& c : cases) {
    const auto answer = world.ask(c.asked);
    EXPECT_EQ(answer.status, c.status) << c.asked.target;
    EXPECT_THAT(answer.body, Not(HasSubstr(key.substr(4)))) << c.asked.target;
  }
}

TEST(RestMetrics, AreForThisMachineAndForAdmins) {
  struct Case {
    bool behind_proxy;
    std::string remote;
    std::string_view who;
    int status;
  };
  const Case cases[] = {
      {false, "127.0.0.1", "", 200},     {false, "127.9.9.9", "", 200},
      {false, "::1", "", 200},           {false, "::ffff:127.0.0.1", "", 200},
      {false, "192.0.2.7", "", 401},     {false, "192.0.2.7", "owner", 200},
      {false, "::2", "reader", 403},     {true, "127.0.0.1", "", 401},
      {true, "127.0.0.1", "owner", 200},
  };
  for (const auto& c : cases) {
    RestWorld world({.version = "1", .behind_proxy = c.behind_proxy, .metrics = [] {
                       return std::string("calls 7\n");
                     }});
    const auto reader = text_of(world.must("create_delegate", {}), "accessToken");
    const auto token = c.who == "owner" ? world.owner : c.who == "reader" ? reader : "";
    const auto answer = world.ask({.target = "/metrics", .token = token, .remote = c.remote});
    EXPECT_EQ(answer.status, c.status) << c.remote << " " << c.who;
    EXPECT_EQ(answer.body.contains("calls 7"), c.status == 200) << c.remote << " " << c.who;
  }
}

}  // namespace
}  // namespace cairn::rest
