// Tools that endpoints show, in memory: what outsiders are told, and what they are never told.
#include "tools/endpoints/bound_calls.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/executor/engine.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDirectory = "hidden-directory";
constexpr std::string_view kPlace = "hidden-place";

class BoundCallsTest : public testing::Test {
 protected:
  BoundCallsTest() {
    engine_ = std::move(*Engine::in_memory(clock_, random_, meter_));
    owner_.emplace(*engine_->executor().trusted(engine_->owner(), Entrance::kRest));
    depot_ = json::text(must("create_depot", {{"title", "d"}})["depotId"]);
  }

  json::Object must(std::string_view tool, const json::Object& arguments) {
    auto reply = engine_->executor().run(*owner_, tool, json::Value(arguments));
    EXPECT_TRUE(reply) << tool << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.as_object() : json::Object();
  }
  void put(const std::string& path, const std::string& content) {
    auto written = must("fs_write", {{"nodeKey", depot_}, {"path", path}, {"content", content}});
    must("depot_commit", {{"depotId", depot_}, {"root", written["newRoot"]}});
  }
  // One binding for each operation, by its name.
  std::string open_endpoint(const std::vector<std::string>& operations, const std::string& path,
                            const std::string& pointer) {
    json::Array bindings;
    for (const auto& operation : operations) {
      json::Object tool{{"operationType", operation}, {"depotId", depot_}, {"path", path}};
      if (!pointer.empty()) tool["jsonPath"] = pointer;
      bindings.emplace_back(json::Object{{"tool", std::move(tool)}, {"toolName", operation}});
    }
    const auto made =
        must("create_endpoint", {{"name", "e"}, {"type", "rest"}, {"bindings", bindings}});
    return std::string(json::text(made.at("apiKey")));
  }
  Result<Reply> call(const std::string& key, std::string_view tool, json::Object arguments) {
    const auto box = TRY(engine_->bound().open(key, Entrance::kRest));
    return box->run(*TRY(box->find(tool)), std::move(arguments), {});
  }
  // The message of a call that fails, checked: it says nothing of where the data lies.
  Error error_of(const std::string& key, std::string_view tool, const json::Object& arguments) {
    const auto what = fmt::format("{} {}", tool, json::write(json::Value(arguments)));
    auto reply = call(key, tool, arguments);
    EXPECT_FALSE(reply) << what;
    if (reply) return {Code::kInternal, ""};
    const auto& error = reply.error();
    std::string all = error.message;
    for (const auto& [name, detail] : error.details) {
      if (const auto* text = std::get_if<std::string>(&detail)) all += " " + *text;
      if (const auto* list = std::get_if<std::vector<std::string>>(&detail)) {
        for (const auto& one : *list) all += " " + one;
      }
    }
    EXPECT_THAT(all, Not(HasSubstr(kDirectory))) << what;
    EXPECT_THAT(all, Not(HasSubstr(kPlace))) << what;
    EXPECT_THAT(all, Not(HasSubstr(depot_))) << what;
    return error;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  std::optional<Caller> owner_;
  std::string depot_;
};

const std::vector<std::string> kJson = {"get_schema", "get_all", "query",  "preview", "select",
                                        "create",     "update",  "delete", "move",    "copy"};

TEST_F(BoundCallsTest, NoErrorOfAnOperationSaysWhereTheDataLies) {
  const auto path = fmt::format("{}/orders.json", kDirectory);
  put(path,
      fmt::format(R"({{"{}": {{"list": [1, 2], "map": {{"a": 1}}, "n": 5}}, "x": 1}})", kPlace));
  const auto whole = open_endpoint(kJson, path, fmt::format("/{}", kPlace));
  const auto list = open_endpoint(kJson, path, fmt::format("/{}/list", kPlace));
  const auto number = open_endpoint(kJson, path, fmt::format("/{}/n", kPlace));
  using O = json::Object;
  using A = json::Array;
  std::set<Code> seen;
  const auto fails = [&](const std::string& key, std::string_view tool, const O& arguments) {
    seen.insert(error_of(key, tool, arguments).code);
  };
  fails(whole, "create", {{"items", O{{"list", 1}}}});
  fails(whole, "create", {{"items", A{1}}});
  fails(whole, "create", {{"items", O{{"k", 1}}}, {"index", 1}});
  fails(list, "create", {{"items", A{1}}, {"index", 7}});
  fails(list, "create", {{"items", O{{"k", 1}}}});
  fails(number, "create", {{"items", A{1}}});
  fails(whole, "update", {{"items", O{{"lits", 1}}}});
  fails(list, "update", {{"items", A{O{{"index", 9}, {"value", 1}}}}});
  fails(list, "update", {{"items", A{5}}});
  fails(number, "update", {{"items", O{{"a", 1}}}});
  fails(whole, "delete", {{"keys", A{"nothing"}}});
  fails(list, "delete", {{"keys", A{5}}});
  fails(number, "delete", {{"keys", A{"a"}}});
  fails(whole, "move", {{"from", "/nothing"}, {"to", "/y"}});
  fails(whole, "move", {{"from", "/map"}, {"to", "/map/inside"}});
  fails(whole, "move", {{"from", "/map"}, {"to", "/list/9"}});
  fails(whole, "move", {{"from", ""}, {"to", "/y"}});
  fails(whole, "copy", {{"from", "/map"}, {"to", "/list"}});
  fails(whole, "copy", {{"from", "/map"}, {"to", "/n/below"}});
  fails(whole, "copy", {{"from", "no pointer"}, {"to", "/y"}});
  fails(whole, "query", {{"expression", "[?"}});
  fails(number, "preview", {});
  fails(number, "select", {{"field", "id"}, {"keys", A{1}}});
  fails(list, "select", {{"field", "id"}, {"keys", A{O{}}}});
  fails(whole, "get_all", {{"path", "x"}});
  fails(whole, "get_all", {{"depotId", depot_ + "x"}, {"maxBytes", 1}});
  EXPECT_GE(seen.size(), 6U);
}

TEST_F(BoundCallsTest, PointersAreSaidAsSeenFromTheContext) {
  const auto path = fmt::format("{}/orders.json", kDirectory);
  put(path, fmt::format(R"({{"{}": {{"list": [1, 2], "map": {{}}}}}})", kPlace));
  const auto key = open_endpoint(kJson, path, fmt::format("/{}", kPlace));
  EXPECT_THAT(error_of(key, "copy", {{"from", "/list"}, {"to", "/map"}}).message,
              HasSubstr("'/map' exists already"));
  EXPECT_THAT(error_of(key, "delete", {{"keys", json::Array{"lits"}}}).message,
              HasSubstr("the data is an object with 2 keys"));
}

TEST_F(BoundCallsTest, DataThatIsGoneHasOneAnswerWhateverTheReason) {
  const auto path = fmt::format("{}/orders.json", kDirectory);
  const auto text = fmt::format(R"({{"{}": [1]}})", kPlace);
  put(path, text);
  const auto key = open_endpoint(kJson, path, fmt::format("/{}", kPlace));
  const auto create = json::Object{{"items", json::Array{2}}};
  ASSERT_TRUE(call(key, "create", create));
  const auto gone = [&] {
    for (const auto& error : {error_of(key, "get_all", {}), error_of(key, "create", create)}) {
      EXPECT_EQ(error.code, Code::kNotFound);
      EXPECT_THAT(error.message, HasSubstr("is not there now"));
    }
  };
  put(path, R"({"other": 1})");
  gone();
  put(path, "not JSON");
  gone();
  auto removed = must("fs_rm", {{"nodeKey", depot_}, {"path", path}});
  must("depot_commit", {{"depotId", depot_}, {"root", removed["newRoot"]}});
  gone();
  put(path, text);
  EXPECT_TRUE(call(key, "create", create));
  must("delete_depot", {{"depotId", depot_}});
  gone();
}

TEST_F(BoundCallsTest, AFileThatIsWrittenIsCommitted) {
  put(fmt::format("{}/a.txt", kDirectory), "one\n");
  const auto key = open_endpoint({"fs_write", "fs_read", "fs_rm"}, std::string(kDirectory), "");
  ASSERT_TRUE(call(key, "fs_write", {{"path", "b.txt"}, {"content", "two\n"}}));
  const auto read = call(key, "fs_read", {{"path", "b.txt"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(json::text(read->value.at("content")), "two\n");
  EXPECT_EQ(error_of(key, "fs_read", {{"path", "../x"}}).code, Code::kInvalidPath);
  EXPECT_EQ(error_of(key, "fs_rm", {{"path", "nothing"}}).code, Code::kPathNotFound);
}

TEST_F(BoundCallsTest, ArgumentsAreThoseOfTheBinding) {
  put("a.json", "[1]");
  const auto key = open_endpoint({"query"}, "a.json", "");
  EXPECT_TRUE(call(key, "query", {{"expression", "[0]"}}));
  EXPECT_EQ(error_of(key, "query", {{"expresion", "[0]"}}).code, Code::kInvalidArgument);
  EXPECT_EQ(error_of(key, "query", {{"expression", "[0]"}, {"path", "b.json"}}).code,
            Code::kInvalidArgument);
  auto unknown = call(key, "queryy", {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean 'query'"));
}

TEST_F(BoundCallsTest, AnEndpointIsClosedWhenItsOwnerMayNotAct) {
  put("a.json", "[1]");
  const auto made = must("create_delegate", {{"name", "maker"}, {"canUpload", true}});
  const auto maker =
      engine_->executor().authenticate(json::text(made.at("accessToken")), "me", Entrance::kRest);
  ASSERT_TRUE(maker);
  const auto root = *owner_;
  owner_ = *maker;
  const auto key = open_endpoint({"query"}, "a.json", "");
  owner_ = root;
  const auto box = engine_->bound().open(key, Entrance::kRest);
  ASSERT_TRUE(box);
  must("revoke_delegate", {{"delegateId", made.at("delegate").at("delegateId")}});
  // Opened before, or anew.
  auto late = (*box)->run(**(*box)->find("query"), {{"expression", "@"}}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kEndpointNotFound);
  EXPECT_FALSE((*box)->still_valid());
  EXPECT_FALSE(engine_->bound().open(key, Entrance::kRest));
}

}  // namespace
}  // namespace cairn
