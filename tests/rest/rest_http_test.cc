// What HTTP adds to the tools: entity tags, conditions, ranges, streams, limits, the audit log.

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "data/access/token.h"
#include "world.h"

namespace cairn::rest_testing {
namespace {

using enum http::Method;

struct Site {
  World world;
  std::string depot = world.depot("site", {{"docs/a.txt", "0123456789"}, {"b.txt", "b"}});
  std::string base = "/api/realm/me/nodes/fs/" + depot;
  std::string key =
      text(world.must("fs_stat", world.owner, {{"nodeKey", depot}, {"path", "docs/a.txt"}}), "key");

  Answer get(const std::string& target,
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return world.send(kGet, target, world.owner, std::nullopt, "", headers);
  }
};

TEST(Rest, ReadsAFileAsItsBytesWithItsTypeAndTag) {
  Site site;
  auto answer = site.get(site.base + "/read?path=docs/a.txt");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "0123456789");
  EXPECT_EQ(answer.response.header("content-type"), "text/plain");
  EXPECT_EQ(answer.response.header("etag"), "\"" + site.key + "\"");
  EXPECT_EQ(answer.response.header("cache-control"), "private, no-cache");
}

TEST(Rest, MayBeCachedForEverWhenTheAddressIsANodesKey) {
  Site site;
  auto root = site.world.root(site.depot);
  auto answer = site.get("/api/realm/me/nodes/fs/" + root + "/read?path=docs/a.txt");
  EXPECT_EQ(answer.response.header("cache-control"), "private, max-age=31536000, immutable");
}

TEST(Rest, AnswersWhoHasItAlreadyWithoutABody) {
  Site site;
  for (std::string tag : {"\"" + site.key + "\"", "W/\"" + site.key + "\"",
                          "\"x\", \"" + site.key + "\"", std::string("*")}) {
    auto answer = site.get(site.base + "/read?path=docs/a.txt", {{"If-None-Match", tag}});
    EXPECT_EQ(answer.status, 304) << tag;
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(site.get(site.base + "/read?path=docs/a.txt", {{"If-None-Match", "\"x\""}}).status,
            200);
  EXPECT_EQ(
      site.get(site.base + "/stat?path=docs/a.txt", {{"If-None-Match", "\"" + site.key + "\""}})
          .status,
      304);
}

TEST(Rest, GivesRanges) {
  Site site;
  struct Row {
    std::string range;
    int status;
    std::string body, content_range;
  };
  for (const auto& row : std::vector<Row>{
           {"bytes=0-3", 206, "0123", "bytes 0-3/10"},
           {"bytes=4-", 206, "456789", "bytes 4-9/10"},
           {"bytes=-3", 206, "789", "bytes 7-9/10"},
           {"bytes=-30", 206, "0123456789", "bytes 0-9/10"},
           {"bytes=8-99", 206, "89", "bytes 8-9/10"},
           {"bytes=9-9", 206, "9", "bytes 9-9/10"},
           {"bytes=10-", 416, "", "bytes */10"},
           {"bytes=-0", 416, "", "bytes */10"},
           {"bytes=5-2", 200, "0123456789", ""},
           {"bytes=0-1,4-5", 200, "0123456789", ""},
           {"bytes=x-2", 200, "0123456789", ""},
           {"lines=0-3", 200, "0123456789", ""},
       }) {
    auto answer = site.get(site.base + "/read?path=docs/a.txt", {{"Range", row.range}});
    EXPECT_EQ(answer.status, row.status) << row.range;
    if (row.status != 416) {
      EXPECT_EQ(answer.body, row.body) << row.range;
    }
    EXPECT_EQ(answer.response.header("content-range"), row.content_range) << row.range;
  }
  EXPECT_EQ(site.get(site.base + "/read?path=docs/a.txt",
                     {{"Range", "bytes=0-3"}, {"If-Range", "\"old\""}})
                .status,
            200);
}

TEST(Rest, StreamsLargeFilesBothWays) {
  Site site;
  SeededRandom random(3);
  auto bytes = random.bytes(9'000'000);
  auto put = site.world.send(kPut, site.base + "/file?path=big.bin", site.world.owner, bytes,
                             "application/octet-stream");
  ASSERT_EQ(put.status, 200) << put.body;
  auto root = text(put.value.get_object(), "newRoot");
  auto got = site.get("/api/realm/me/nodes/fs/" + root + "/read?path=big.bin");
  EXPECT_EQ(got.response.header("content-length"), "9000000");
  EXPECT_TRUE(got.body == bytes);
  auto part = site.get("/api/realm/me/nodes/fs/" + root + "/read?path=big.bin",
                       {{"Range", "bytes=4000000-4999999"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.body == bytes.substr(4'000'000, 1'000'000));
  // The depot does not change before somebody commits.
  EXPECT_EQ(site.get(site.base + "/read?path=big.bin").code, "PATH_NOT_FOUND");
}

TEST(Rest, TakesTheTypeOfAWrittenFileFromItsHeaderOrItsName) {
  Site site;
  auto type_of = [&](std::string path, std::string header) {
    auto answer =
        site.world.send(kPut, site.base + "/file?path=" + path, site.world.owner, "{}", header);
    return text(answer.value.get_object().at("file").get_object(), "contentType");
  };
  EXPECT_EQ(type_of("a.json", "application/octet-stream"), "application/octet-stream");
  EXPECT_EQ(type_of("a.json", "application/x-www-form-urlencoded"), "application/json");
  EXPECT_EQ(type_of("a.json", "text/plain"), "text/plain");
}

TEST(Rest, RefusesAnUploadBeforeItIsSent) {
  Site site;
  auto answer = site.world.send(kPut, site.base + "/file?path=docs/a.txt/x", site.world.owner,
                                std::string(1000, 'x'), "text/plain");
  EXPECT_EQ(answer.code, "NOT_A_DIRECTORY") << answer.body;
}

TEST(Rest, CommitsOnlyOnTheRootThatIfMatchNames) {
  Site site;
  auto started = site.world.root(site.depot);
  auto write = [&](std::string path) {
    return text(site.world.must("fs_write", site.world.owner,
                                {{"nodeKey", site.depot}, {"path", path}, {"content", path}}),
                "newRoot");
  };
  auto commit = [&](const std::string& root, const std::string& tag) {
    return site.world.send(kPost, "/api/realm/me/depots/" + site.depot + "/commit",
                           site.world.owner, json::write(json::Object{{"root", root}}),
                           "application/json", {{"If-Match", "\"" + tag + "\""}});
  };
  auto mine = write("mine.txt");
  auto theirs = write("theirs.txt");
  auto first = commit(theirs, started);
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.response.header("etag"), "\"" + theirs + "\"");
  auto second = commit(mine, started);
  EXPECT_EQ(second.status, 412) << second.body;
  EXPECT_EQ(text(second.value.get_object().at("details").get_object(), "currentRoot"), theirs);
  EXPECT_EQ(site.world.root(site.depot), theirs);
}

TEST(Rest, ClaimsANodeByProofThatItsBytesAreKnown) {
  Site site;
  auto raw = site.get("/api/realm/me/nodes/raw/" + site.key).body;
  EXPECT_EQ(NodeKey::of(raw).render(), site.key);
  auto token =
      text(site.world.must("create_delegate", site.world.owner,
                           {{"canUpload", true}, {"scope", json::Array{site.depot + "/docs"}}}),
           "accessToken");
  EXPECT_EQ(site.world.call("node_metadata", token, {{"nodeKey", site.key}}).code,
            "NODE_NOT_AUTHORIZED");
  auto hash = sha256(token);
  auto proof = hmac_sha256({reinterpret_cast<const char*>(hash.data()), hash.size()}, raw);
  auto pop = base64_encode({reinterpret_cast<const char*>(proof.data()), proof.size()});
  site.world.must("claim_nodes", token,
                  {{"claims", json::Array{json::Object{{"key", site.key}, {"pop", pop}}}}});
  EXPECT_EQ(site.world.call("node_metadata", token, {{"nodeKey", site.key}}).code, "ok");
}

TEST(Rest, ClaimsANodeByThePathToIt) {
  Site site;
  auto token =
      text(site.world.must("create_delegate", site.world.owner,
                           {{"canUpload", true}, {"scope", json::Array{site.depot + "/docs"}}}),
           "accessToken");
  json::Array claims{json::Object{{"key", site.key}, {"from", site.depot}, {"path", "~0"}}};
  site.world.must("claim_nodes", token, {{"claims", claims}});
  EXPECT_EQ(site.world.call("node_metadata", token, {{"nodeKey", site.key}}).code, "ok");
}

TEST(Rest, LetsAClientUploadATreeNodeByNode) {
  Site site;
  // Another user's realm has none of the nodes; they are brought there bottom up.
  auto other =
      text(site.world.must("add_user", site.world.owner, {{"name", "ann"}}), "accessToken");
  auto root = site.world.root(site.depot);
  auto docs = text(
      site.world.must("fs_stat", site.world.owner, {{"nodeKey", site.depot}, {"path", "docs"}}),
      "key");
  auto b = text(
      site.world.must("fs_stat", site.world.owner, {{"nodeKey", site.depot}, {"path", "b.txt"}}),
      "key");
  auto check =
      site.world.must("check_nodes", other, {{"keys", json::Array{root, docs, b, site.key}}});
  EXPECT_EQ(check.at("missing").get_array().size(), 4U);
  for (const auto& key : {site.key, b, docs, root}) {
    auto bytes = site.get("/api/realm/me/nodes/raw/" + key).body;
    auto put = site.world.send(kPut, "/api/realm/me/nodes/raw/" + key, other, bytes,
                               "application/octet-stream");
    EXPECT_EQ(put.status, 200) << put.body;
  }
  auto depot = site.world.must("create_depot", other, {{"title", "copy"}, {"root", root}});
  EXPECT_EQ(text(depot, "root"), root);
  auto wrong = site.world.send(kPut, "/api/realm/me/nodes/raw/" + docs, other, "bytes",
                               "application/octet-stream");
  EXPECT_EQ(wrong.code, "HASH_MISMATCH");
}

TEST(Rest, KeepsAnAuditLogWithoutContent) {
  Site site;
  site.world.must("fs_write", site.world.owner,
                  {{"nodeKey", site.depot}, {"path", "docs/n.txt"}, {"content", "TOP SECRET"}});
  site.world.call("fs_read", site.world.owner, {{"nodeKey", site.depot}, {"path", "none"}});
  auto log = site.get("/api/realm/me/audit?limit=5");
  ASSERT_EQ(log.status, 200) << log.body;
  const auto& entries = log.value.get_object().at("entries").get_array();
  EXPECT_EQ(text(entries[0].get_object(), "tool"), "fs_read");
  EXPECT_EQ(text(entries[0].get_object(), "outcome"), "PATH_NOT_FOUND");
  EXPECT_EQ(text(entries[1].get_object(), "tool"), "fs_write");
  EXPECT_EQ(text(entries[1].get_object(), "context"), site.depot + " docs/n.txt");
  EXPECT_EQ(text(entries[1].get_object(), "entrance"), "rest");
  EXPECT_EQ(log.body.find("SECRET"), std::string::npos);
  auto failed = site.get("/api/realm/me/audit?outcome=PATH_NOT_FOUND");
  EXPECT_EQ(failed.value.get_object().at("entries").get_array().size(), 1U);
}

TEST(Rest, LimitsHowOftenADelegateCalls) {
  EngineOptions options;
  options.executor.rate = {.per_second = 1, .burst = 3};
  World world(options);
  auto token = text(world.must("create_delegate", world.owner, {}), "accessToken");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.call("get_usage", token, {}).code, "ok");
  auto refused = world.call("get_usage", token, {});
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.response.header("retry-after"), "1");
  EXPECT_EQ(world.call("get_usage", world.owner, {}).code, "ok");
  world.clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(world.call("get_usage", token, {}).code, "ok");
}

TEST(Rest, SignsInWithAPasswordAndRefreshes) {
  World world;
  world.must("add_user", world.owner, {{"name", "ann"}, {"password", "correct horse"}});
  auto login = [&](std::string_view password) {
    return world.send(kPost, "/api/auth/login", "",
                      json::write(json::Object{{"name", "ann"}, {"password", password}}));
  };
  EXPECT_EQ(login("wrong horse").status, 401);
  auto in = login("correct horse");
  ASSERT_EQ(in.status, 200) << in.body;
  auto refreshed = world.send(
      kPost, "/api/auth/refresh", "",
      json::write(json::Object{{"refreshToken", text(in.value.get_object(), "refreshToken")}}));
  ASSERT_EQ(refreshed.status, 200) << refreshed.body;
  auto token = text(refreshed.value.get_object(), "accessToken");
  EXPECT_EQ(world.call("get_usage", token, {}).code, "ok");
}

TEST(Rest, SaysWhatItIsWithoutAToken) {
  World world;
  for (std::string path :
       {"/healthz", "/readyz", "/api/info", "/api/openapi.json", "/api/docs", "/metrics"}) {
    EXPECT_EQ(world.send(kGet, path, "").status, 200) << path;
  }
}

// A body on its way when its sender is revoked: nothing of it is carried out.
TEST(Rest, CarriesNothingOutForWhoWasRevokedMeanwhile) {
  Site site;
  auto made = site.world.must("create_delegate", site.world.owner, {{"canUpload", true}});
  auto id = text(made.at("delegate").get_object(), "delegateId");
  auto& executor = site.world.engine().executor();
  auto caller = executor.authenticate(text(made, "accessToken"), "me", Entrance::kRest);
  ASSERT_TRUE(caller);
  auto intake = executor.take(*caller, "write_file",
                              json::Object{{"nodeKey", site.depot}, {"path", "late.txt"}});
  ASSERT_TRUE(intake);
  ASSERT_TRUE((*intake)->append("late"));
  site.world.must("revoke_delegate", site.world.owner, {{"delegateId", id}});
  auto finished = (*intake)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::kDelegateRevoked);
  auto late =
      executor.run(*caller, "fs_mkdir", json::Object{{"nodeKey", site.depot}, {"path", "d"}});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kDelegateRevoked);
}

TEST(Rest, TakesAnyOtherTagAsOneThatDoesNotMatch) {
  Site site;
  auto root = text(site.world.must("fs_write", site.world.owner,
                                   {{"nodeKey", site.depot}, {"path", "n"}, {"content", "n"}}),
                   "newRoot");
  auto unknown = root;
  unknown[10] = unknown[10] == '0' ? '1' : '0';
  for (std::string tag : {"\"" + unknown + "\"", std::string("\"x\""), std::string("nonsense")}) {
    auto answer = site.world.send(kPost, "/api/realm/me/depots/" + site.depot + "/commit",
                                  site.world.owner, json::write(json::Object{{"root", root}}),
                                  "application/json", {{"If-Match", tag}});
    EXPECT_EQ(answer.status, 412) << tag << answer.body;
  }
}

TEST(Rest, LeavesTheOwnerToTheOwner) {
  World world;
  auto admin = text(world.must("add_user", world.owner, {{"name", "ann"}, {"role", "admin"}}),
                    "accessToken");
  EXPECT_EQ(world.call("update_user", admin, {{"userId", "owner"}, {"newToken", true}}).code,
            "FORBIDDEN");
  EXPECT_EQ(world.call("list_users", admin, {}).code, "ok");
}

TEST(Rest, LimitsHowOftenAPasswordIsTried) {
  World world;
  auto login = [&] {
    return world.send(kPost, "/api/auth/login", "",
                      json::write(json::Object{{"name", "ann"}, {"password", "a guess"}}));
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(login().status, 401);
  EXPECT_EQ(login().status, 429);
}

}  // namespace
}  // namespace cairn::rest_testing
