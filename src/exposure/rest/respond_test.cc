#include "exposure/rest/respond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/rest/rest_world.h"

namespace cairn::rest {
namespace {

using enum http::Method;
using testing::HasSubstr;

const NodeKey kKey = NodeKey::of("some bytes");
const std::string kTag = "\"" + kKey.render() + "\"";

Reply about_a_node() {
  Reply reply(json::Object{{"a", 1}});
  reply.about = kKey;
  return reply;
}

http::Response asked(http::Method method, Reply reply, http::Headers headers = {}) {
  const http::FakeRequest request(method, "/", std::move(headers));
  return respond(request, std::move(reply));
}

TEST(RespondToAnError, HasTheStatusOfItsCodeAndSaysWhatIsWrong) {
  for (const auto& row : all_codes()) {
    const Answered answer(respond(Error(row.code, "what is \"wrong\"\n")));
    EXPECT_EQ(answer.status, row.http_status) << row.name;
    EXPECT_GE(answer.status, 400) << row.name;
    EXPECT_EQ(answer.code, row.name);
    EXPECT_EQ(answer.message(), "what is \"wrong\"\n");
    EXPECT_EQ(answer.response.content_type, "application/json");
    EXPECT_EQ(answer.response.log_error, row.name);
    EXPECT_FALSE(answer.value.as_object().contains("details")) << row.name;
  }
}

TEST(RespondToAnError, CarriesItsDetails) {
  const Answered answer(respond(Error(Code::kConflict, "they differ")
                                    .with("currentRoot", "nod_1")
                                    .with("count", std::int64_t{2})
                                    .with("paths", std::vector<std::string>{"a", "b"})));
  EXPECT_EQ(json::write(answer.value.at("details")),
            R"({"count":2,"currentRoot":"nod_1","paths":["a","b"]})");
}

TEST(RespondToAnError, SaysHowToSignInOnlyToWhoIsNotLetIn) {
  EXPECT_EQ(header_of(respond(Error(Code::kInvalidToken, "")), "WWW-Authenticate"),
            "Bearer realm=\"cairn\"");
  EXPECT_EQ(header_of(respond(Error(Code::kForbidden, "")), "WWW-Authenticate"), "");
}

TEST(RespondToAnError, SaysWhichMethodsThereAre) {
  auto error = Error(Code::kMethodNotAllowed, "").with("allow", "GET, POST");
  EXPECT_EQ(header_of(respond(error), "Allow"), "GET, POST");
}

TEST(RespondToAnError, SaysInWholeSecondsWhenToTryAgain) {
  struct Case {
    std::int64_t wait_ms;
    std::string_view seconds;
  };
  for (const auto& c : {Case{1, "1"}, Case{1000, "1"}, Case{1001, "2"}, Case{59'500, "60"}}) {
    const auto answer = respond(Error(Code::kRateLimited, "").with("retryAfterMs", c.wait_ms));
    EXPECT_EQ(header_of(answer, "Retry-After"), c.seconds) << c.wait_ms;
  }
  EXPECT_EQ(header_of(respond(Error(Code::kRateLimited, "")), "Retry-After"), "1");
  EXPECT_EQ(header_of(respond(Error(Code::kUnavailable, "")), "Retry-After"), "");
}

TEST(Respond, TagsAnAnswerWithTheNodeItIsAbout) {
  EXPECT_EQ(header_of(asked(kGet, about_a_node()), "ETag"), kTag);
  EXPECT_EQ(header_of(asked(kPost, about_a_node()), "ETag"), kTag);
  EXPECT_EQ(header_of(asked(kGet, Reply(json::Object())), "ETag"), "");
}

TEST(Respond, SaysHowLongAnAnswerIsGood) {
  auto lasting = about_a_node();
  lasting.immutable = true;
  EXPECT_EQ(header_of(asked(kGet, lasting), "Cache-Control"),
            "private, max-age=31536000, immutable");
  EXPECT_EQ(header_of(asked(kHead, lasting), "Cache-Control"),
            "private, max-age=31536000, immutable");
  EXPECT_EQ(header_of(asked(kGet, about_a_node()), "Cache-Control"), "private, no-cache");
  EXPECT_EQ(header_of(asked(kPost, lasting), "Cache-Control"), "no-store");
  lasting.cacheable = false;
  EXPECT_EQ(header_of(asked(kGet, lasting), "Cache-Control"), "private, no-cache");
}

TEST(Respond, SendsNothingToWhoHasItAlready) {
  struct Case {
    std::string if_none_match;
    int status;
  };
  const Case cases[] = {
      {kTag, 304},
      {"W/" + kTag, 304},
      {"\"x\", " + kTag, 304},
      {"\"x\" ," + kTag, 304},
      {"*", 304},
      {"\"x\"", 200},
      {"", 200},
      {kKey.render(), 200},
      {kTag + "x", 200},
      {"\"x\", W/\"y\"", 200},
  };
  for (const auto& c : cases) {
    auto answer = asked(kGet, about_a_node(), {{"if-none-match", c.if_none_match}});
    EXPECT_EQ(answer.status, c.status) << c.if_none_match;
    EXPECT_EQ(body_of(answer), c.status == 304 ? "" : R"({"a":1})") << c.if_none_match;
    EXPECT_EQ(header_of(answer, "ETag"), kTag) << c.if_none_match;
    EXPECT_EQ(header_of(answer, "Cache-Control"), "private, no-cache") << c.if_none_match;
  }
}

TEST(Respond, SendsWhatTheNodeAloneDoesNotDecide) {
  const http::Headers has_it{{"if-none-match", kTag}};
  EXPECT_EQ(asked(kHead, about_a_node(), has_it).status, 304);
  EXPECT_EQ(asked(kPost, about_a_node(), has_it).status, 200);
  auto changing = about_a_node();
  changing.cacheable = false;
  EXPECT_EQ(asked(kGet, std::move(changing), has_it).status, 200);
  EXPECT_EQ(asked(kGet, Reply(json::Object()), has_it).status, 200);
}

struct FileTest : testing::Test {
  Answered read(http::Headers headers) {
    return world.get("/api/realm/me/nodes/fs/" + depot + "/read?path=a.html", std::move(headers));
  }

  RestWorld world;
  std::string depot = world.depot("d", {{"a.html", "0123456789"}, {"empty", ""}});
};

TEST_F(FileTest, ComesAsItsBytesAndNeverRunsAsAPage) {
  const auto answer = read({});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "0123456789");
  EXPECT_THAT(answer.response.content_type, HasSubstr("text/html"));
  EXPECT_EQ(answer.header("Content-Security-Policy"), "sandbox; default-src 'none'");
  EXPECT_EQ(answer.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(answer.header("Content-Range"), "");
}

TEST_F(FileTest, ComesInPartWhereOneRangeIsAskedFor) {
  struct Case {
    std::string range;
    int status;
    std::string_view body, content_range;
  };
  const Case cases[] = {
      {"bytes=2-4", 206, "234", "bytes 2-4/10"},
      {"bytes=8-", 206, "89", "bytes 8-9/10"},
      {"bytes=8-99999999999999999999", 206, "89", "bytes 8-9/10"},
      {"bytes=-3", 206, "789", "bytes 7-9/10"},
      {"bytes=-99", 206, "0123456789", "bytes 0-9/10"},
      {"bytes=4-2", 200, "0123456789", ""},
      {"bytes=1-2,4-5", 200, "0123456789", ""},
      {"bytes=", 200, "0123456789", ""},
      {"bytes=-", 200, "0123456789", ""},
      {"bytes=--1", 200, "0123456789", ""},
      {"bytes=1-x", 200, "0123456789", ""},
      {"pages=1-2", 200, "0123456789", ""},
  };
  for (const auto& c : cases) {
    const auto answer = read({{"range", c.range}});
    EXPECT_EQ(answer.status, c.status) << c.range;
    EXPECT_EQ(answer.body, c.body) << c.range;
    EXPECT_EQ(answer.header("Content-Range"), c.content_range) << c.range;
    EXPECT_EQ(answer.response.compressible, c.status == 200) << c.range;
  }
}

TEST_F(FileTest, HasNothingBehindItsEnd) {
  for (const auto* range : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    const auto answer = read({{"range", range}});
    EXPECT_EQ(answer.status, 416) << range;
    EXPECT_EQ(answer.code, "RANGE_NOT_SATISFIABLE") << range;
    EXPECT_EQ(answer.header("Content-Range"), "bytes */10") << range;
    EXPECT_EQ(answer.header("ETag"), "") << range;
  }
  const auto empty = world.get("/api/realm/me/nodes/fs/" + depot + "/read?path=empty");
  EXPECT_EQ(empty.status, 200);
  EXPECT_EQ(empty.body, "");
}

TEST_F(FileTest, ComesWholeWhenItIsNotTheOneWhosePartIsThere) {
  const std::string tag(read({}).header("ETag"));
  EXPECT_EQ(read({{"range", "bytes=0-1"}, {"if-range", tag}}).status, 206);
  EXPECT_EQ(read({{"range", "bytes=0-1"}, {"if-range", "\"old\""}}).status, 200);
}

}  // namespace
}  // namespace cairn::rest
