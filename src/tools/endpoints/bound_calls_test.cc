// Tools that endpoints show, in memory: what outsiders are told, and what they are never told.
#include "tools/endpoints/bound_calls.h"

#include <set>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDirectory = "hidden-directory";
constexpr std::string_view kPlace = "hidden-place";

class BoundCallsTest : public tools_testing::ToolTest {
 protected:
  // One binding for each operation, by its name.
  std::string open_endpoint(const std::vector<std::string>& operations, const std::string& path,
                            const std::string& pointer) {
    return open_endpoint(owner_, operations, path, pointer);
  }
  std::string open_endpoint(const Caller& maker, const std::vector<std::string>& operations,
                            const std::string& path, const std::string& pointer) {
    json::Array bindings;
    for (const auto& operation : operations) {
      json::Object tool{{"operationType", operation}, {"depotId", depot_}, {"path", path}};
      if (!pointer.empty()) tool["jsonPath"] = pointer;
      bindings.emplace_back(json::Object{{"tool", std::move(tool)}, {"toolName", operation}});
    }
    const auto made =
        call(maker, "create_endpoint", {{"name", "e"}, {"type", "rest"}, {"bindings", bindings}});
    return tools_testing::text(made, "apiKey");
  }
  // A call with an endpoint's key.
  Result<Reply> outside(const std::string& key, std::string_view tool, json::Object arguments) {
    const auto box = TRY(engine_->bound().open(key, Entrance::kRest));
    return box->run(*TRY(box->find(tool)), std::move(arguments), {});
  }
  // The message of a call that fails, checked: it says nothing of where the data lies.
  Error error_of(const std::string& key, std::string_view tool, const json::Object& arguments) {
    const auto what = fmt::format("{} {}", tool, json::write(json::Value(arguments)));
    auto reply = outside(key, tool, arguments);
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
  ASSERT_TRUE(outside(key, "create", create));
  const auto gone = [&] {
    for (const auto& error : {error_of(key, "get_all", {}), error_of(key, "create", create)}) {
      EXPECT_EQ(error.code, Code::kNotFound);
      EXPECT_THAT(error.message, HasSubstr("is not there now"));
    }
  };
  call("fs_read", {{"nodeKey", depot_}, {"path", path}});  // what came from outside
  put(path, R"({"other": 1})");
  gone();
  put(path, "not JSON");
  gone();
  commit(tools_testing::text(call("fs_rm", {{"nodeKey", depot_}, {"path", path}}), "newRoot"));
  gone();
  put(path, text);
  EXPECT_TRUE(outside(key, "create", create));
  call("delete_depot", {{"depotId", depot_}});
  gone();
}

TEST_F(BoundCallsTest, AFileThatIsWrittenIsCommitted) {
  put(fmt::format("{}/a.txt", kDirectory), "one\n");
  const auto key = open_endpoint({"fs_write", "fs_read", "fs_rm"}, std::string(kDirectory), "");
  ASSERT_TRUE(outside(key, "fs_write", {{"path", "b.txt"}, {"content", "two\n"}}));
  const auto read = outside(key, "fs_read", {{"path", "b.txt"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(json::text(read->value.at("content")), "two\n");
  EXPECT_EQ(error_of(key, "fs_read", {{"path", "../x"}}).code, Code::kInvalidPath);
  EXPECT_EQ(error_of(key, "fs_rm", {{"path", "nothing"}}).code, Code::kPathNotFound);
}

TEST_F(BoundCallsTest, ArgumentsAreThoseOfTheBinding) {
  put("a.json", "[1]");
  const auto key = open_endpoint({"query"}, "a.json", "");
  EXPECT_TRUE(outside(key, "query", {{"expression", "[0]"}}));
  EXPECT_EQ(error_of(key, "query", {{"expresion", "[0]"}}).code, Code::kInvalidArgument);
  EXPECT_EQ(error_of(key, "query", {{"expression", "[0]"}, {"path", "b.json"}}).code,
            Code::kInvalidArgument);
  auto unknown = outside(key, "queryy", {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean 'query'"));
}

TEST_F(BoundCallsTest, AnEndpointIsClosedWhenItsOwnerMayNotAct) {
  put("a.json", "[1]");
  const auto maker = delegate({{"name", "maker"}, {"canUpload", true}});
  const auto key = open_endpoint(maker, {"query"}, "a.json", "");
  const auto box = engine_->bound().open(key, Entrance::kRest);
  ASSERT_TRUE(box);
  call("revoke_delegate", {{"delegateId", id_of(maker)}});
  // Opened before, or anew.
  auto late = (*box)->run(**(*box)->find("query"), {{"expression", "@"}}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kEndpointNotFound);
  EXPECT_FALSE((*box)->still_valid());
  EXPECT_FALSE(engine_->bound().open(key, Entrance::kRest));
}

}  // namespace
}  // namespace cairn
