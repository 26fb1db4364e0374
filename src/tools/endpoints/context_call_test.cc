// Operations on a context: they reach what is in it, and nothing else.
#include "tools/endpoints/bound_calls.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class ContextCallTest : public tools_testing::ToolTest {
 protected:
  // The key of an endpoint with these operations on one place, by their own names.
  std::string key_for(const std::vector<std::string>& operations, std::string_view path,
                      std::string_view pointer = "") {
    json::Array bindings;
    for (const auto& operation : operations) {
      json::Object tool{{"operationType", operation}, {"depotId", depot_}, {"path", path}};
      if (!pointer.empty()) tool["jsonPath"] = pointer;
      bindings.emplace_back(json::Object{{"tool", std::move(tool)}, {"toolName", operation}});
    }
    return text(call("create_endpoint", {{"name", "e"}, {"bindings", bindings}}), "apiKey");
  }
  Result<Reply> outside(const std::string& key, std::string_view tool, json::Object arguments) {
    const auto box = TRY(engine_->bound().open(key, Entrance::kRest));
    return box->run(*TRY(box->find(tool)), std::move(arguments), {});
  }
  json::Object must(const std::string& key, std::string_view tool, const json::Object& arguments) {
    auto reply = outside(key, tool, arguments);
    EXPECT_TRUE(reply) << tool << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.as_object() : json::Object();
  }
  Error refuses(const std::string& key, std::string_view tool, const json::Object& arguments) {
    const auto before = root();
    auto reply = outside(key, tool, arguments);
    EXPECT_FALSE(reply) << tool;
    EXPECT_EQ(root(), before);
    return reply ? Error(Code::kInternal, "") : std::move(reply).error();
  }
};

TEST_F(ContextCallTest, ADirectoryIsAllThatFileToolsSee) {
  put_all({{"in/a.txt", "1"}, {"in/d/b.txt", "2"}, {"out/secret.txt", "3"}});
  const auto key =
      key_for({"fs_read", "fs_find", "fs_ls", "fs_write", "fs_cp", "fs_rewrite"}, "in");
  EXPECT_EQ(text(must(key, "fs_read", {{"path", "a.txt"}}), "content"), "1");
  EXPECT_THAT(column(must(key, "fs_find", {{"pattern", "*.txt"}}), "matches", "path"),
              testing::ElementsAre("a.txt", "d/b.txt"));
  for (const auto* path : {"out/secret.txt", "in/a.txt"}) {
    EXPECT_EQ(refuses(key, "fs_read", {{"path", path}}).code, Code::kPathNotFound) << path;
  }
  EXPECT_EQ(refuses(key, "fs_read", {{"path", "../out/secret.txt"}}).code, Code::kInvalidPath);
  EXPECT_EQ(refuses(key, "fs_read", {{"path", "a.txt"}, {"nodeKey", depot_}}).code,
            Code::kInvalidArgument);
  const auto secret = call(owner_.entering(Entrance::kRest), "fs_stat",
                           {{"nodeKey", depot_}, {"path", "out/secret.txt"}});
  EXPECT_EQ(refuses(key, "fs_rewrite",
                    {{"entries", json::Object{{"x", json::Object{{"link", secret.at("key")}}}}}})
                .code,
            Code::kNodeNotAuthorized);
}

TEST_F(ContextCallTest, AChangeOfAFileIsCommittedAndItsRootIsThatOfTheDirectory) {
  put_all({{"in/a.txt", "1"}, {"out/b.txt", "2"}});
  const auto key = key_for({"fs_write", "fs_edit", "fs_rm", "fs_mkdir"}, "in");
  const auto written = must(key, "fs_write", {{"path", "new/c.txt"}, {"content", "3"}});
  EXPECT_EQ(content("in/new/c.txt"), "3");
  EXPECT_NE(text(written, "newRoot"), root());
  EXPECT_TRUE(is_true(written, "created"));
  const json::Object edit{{"oldText", "1"}, {"newText", "one"}};
  must(key, "fs_edit", {{"path", "a.txt"}, {"edits", json::Array{edit}}});
  EXPECT_EQ(content("in/a.txt"), "one");
  must(key, "fs_rm", {{"path", "new"}});
  EXPECT_FALSE(exists(depot_, "in/new"));
  EXPECT_EQ(content("out/b.txt"), "2");
  const auto history = call("depot_history", {{"depotId", depot_}});
  EXPECT_EQ(text(history.at("entries").at(0).as_object(), "message"), "fs_rm through an endpoint");
}

TEST_F(ContextCallTest, ADryRunCommitsNothing) {
  put("in/a.txt", "1");
  const auto key = key_for({"fs_edit"}, "in");
  const auto before = root();
  const json::Object edit{{"oldText", "1"}, {"newText", "2"}};
  const auto shown =
      must(key, "fs_edit", {{"path", "a.txt"}, {"edits", json::Array{edit}}, {"dryRun", true}});
  EXPECT_FALSE(shown.contains("newRoot"));
  EXPECT_EQ(root(), before);
}

TEST_F(ContextCallTest, EveryFileToolThatChangesSomethingHasADryRun) {
  put_all({{"in/a.txt", "1"}, {"in/b.txt", "2"}, {"out/c.txt", "3"}});
  const std::pair<std::string, json::Object> cases[] = {
      {"fs_write", {{"path", "n.txt"}, {"content", "n"}}},
      {"fs_mkdir", {{"path", "new"}}},
      {"fs_rm", {{"path", "a.txt"}}},
      {"fs_mv", {{"from", "b.txt"}, {"to", "d.txt"}}},
      {"fs_cp", {{"from", "d.txt"}, {"to", "e.txt"}}},
      {"fs_rewrite", {{"deletes", json::Array{"e.txt"}}}},
  };
  std::vector<std::string> operations;
  for (const auto& [name, arguments] : cases) operations.push_back(name);
  const auto key = key_for(operations, "in");
  for (const auto& [name, arguments] : cases) {
    SCOPED_TRACE(name);
    const auto before = root();
    auto dry = arguments;
    dry["dryRun"] = true;
    const auto planned = must(key, name, dry);
    EXPECT_TRUE(is_true(planned, "dryRun"));
    EXPECT_EQ(root(), before);
    dry["dryRun"] = false;
    const auto done = must(key, name, dry);
    EXPECT_FALSE(done.contains("dryRun"));
    EXPECT_NE(root(), before);
    EXPECT_EQ(text(planned, "newRoot"), text(done, "newRoot"));
  }
  EXPECT_EQ(refuses(key, "fs_rm", {{"path", "none"}, {"dryRun", true}}).code, Code::kPathNotFound);
}

TEST_F(ContextCallTest, ADryRunOfAScriptKeepsAllItsStepsToItself) {
  put_all({{"in/a.txt", "1"}, {"in/n.json", R"({"n": 1})"}});
  const json::Object config{
      {"script",
       "contexts.dir.fs_write({path = 'b.txt', content = 'new'})\n"
       "contexts.data.update({items = {n = 2}})\n"
       "return {contexts.dir.fs_read({path = 'b.txt'}).content, "
       "contexts.data.get_all({}).value.n}"},
      {"contexts",
       json::Object{{"dir", json::Object{{"depotId", depot_},
                                         {"path", "in"},
                                         {"operations", json::Array{"fs_write", "fs_read"}}}},
                    {"data", json::Object{{"depotId", depot_},
                                          {"path", "in/n.json"},
                                          {"operations", json::Array{"update", "get_all"}}}}}}};
  const json::Object tool{{"operationType", "custom"}, {"config", config}};
  const auto key =
      text(call("create_endpoint",
                {{"bindings", json::Array{json::Object{{"tool", tool}, {"toolName", "both"}}}}}),
           "apiKey");
  const auto before = root();
  const auto planned = must(key, "both", {{"dryRun", true}});
  EXPECT_EQ(json::write(planned.at("result")), R"(["new",2])");
  EXPECT_TRUE(is_true(planned, "dryRun"));
  EXPECT_EQ(root(), before);
  EXPECT_EQ(json::write(must(key, "both", {}).at("result")), R"(["new",2])");
  EXPECT_EQ(content("in/b.txt"), "new");
  EXPECT_EQ(content("in/n.json"), R"({"n": 2})");
}

TEST_F(ContextCallTest, ADryRunIsItsCallersToAskForByWhateverName) {
  put("in/a.txt", "1");
  const auto made = [&](const json::Object& config, const json::Object& binding) {
    auto bound = binding;
    bound["tool"] = json::Object{
        {"operationType", "fs_rm"}, {"depotId", depot_}, {"path", "in"}, {"config", config}};
    bound["toolName"] = "rm";
    return engine_->executor().run(owner_, "create_endpoint",
                                   json::Object{{"bindings", json::Array{bound}}});
  };
  const auto rule = [](json::Object given) {
    return json::Object{{"arguments", json::Object{{"dryRun", std::move(given)}}}};
  };
  // Fixed, the tool would do nothing, or something that nobody asked for.
  EXPECT_THAT(made({{"fixed", json::Object{{"dryRun", true}}}}, {}).error(),
              Says(Code::kInvalidArgument, "whoever calls"));
  EXPECT_THAT(made({}, rule({{"value", true}})).error(),
              Says(Code::kInvalidArgument, "whoever calls"));
  const auto renamed = text(made({}, rule({{"name", "try"}}))->value.as_object(), "apiKey");
  const auto before = root();
  EXPECT_TRUE(is_true(must(renamed, "rm", {{"path", "a.txt"}, {"try", true}}), "dryRun"));
  EXPECT_EQ(root(), before);
  EXPECT_EQ(refuses(renamed, "rm", {{"path", "a.txt"}, {"dryRun", true}}).code,
            Code::kInvalidArgument);
  const auto hidden = text(made({}, rule({{"hidden", true}}))->value.as_object(), "apiKey");
  EXPECT_EQ(refuses(hidden, "rm", {{"path", "a.txt"}, {"dryRun", true}}).code,
            Code::kInvalidArgument);
  // Of a schema that leaves nothing else, it is not taken as given.
  const auto only =
      json::parse(R"({"type": "object", "additionalProperties": false, "required": ["path"],
      "properties": {"path": {"type": "string", "maxLength": 1000},
                     "dryRun": {"type": "boolean", "const": true}}})")
          .value();
  const auto narrow = text(made({}, {{"inputSchema", only}})->value.as_object(), "apiKey");
  EXPECT_THAT(refuses(narrow, "rm", {{"path", "a.txt"}}),
              Says(Code::kInvalidArgument, "has to be given"));
  EXPECT_TRUE(is_true(must(narrow, "rm", {{"path", "a.txt"}, {"dryRun", true}}), "dryRun"));
  EXPECT_EQ(root(), before);
}

TEST_F(ContextCallTest, APointerIsAllThatJsonToolsSee) {
  put("a.json", R"({"in": {"x": 1}, "secret": 2})");
  const auto key = key_for({"get_all", "query", "update", "move", "copy"}, "a.json", "/in");
  EXPECT_EQ(json::write(must(key, "get_all", {}).at("value")), R"({"x":1})");
  EXPECT_TRUE(must(key, "query", {{"expression", "secret"}}).at("result").is_null());
  EXPECT_EQ(refuses(key, "update", {{"items", json::Object{{"secret", 5}}}}).code,
            Code::kKeyNotFound);
  EXPECT_EQ(refuses(key, "copy", {{"from", "/../secret"}, {"to", "/y"}}).code,
            Code::kJsonPathNotFound);
  const auto moved = must(key, "move", {{"from", "/x"}, {"to", "/y"}});
  EXPECT_EQ(text(moved, "from"), "/x");
  EXPECT_EQ(text(moved, "to"), "/y");
  EXPECT_EQ(json::parse(content("a.json")).value(),
            json::parse(R"({"in": {"y": 1}, "secret": 2})").value());
}

TEST_F(ContextCallTest, ErrorsAreSaidAsSeenFromInside) {
  put("hidden/a.json", R"({"place": {"list": [1]}})");
  const auto key = key_for({"update", "copy"}, "hidden/a.json", "/place");
  for (const auto& error : {refuses(key, "copy", {{"from", "/list"}, {"to", "/list"}}),
                            refuses(key, "copy", {{"from", "/nothing"}, {"to", "/x"}}),
                            refuses(key, "update", {{"items", json::Object{{"nothing", 1}}}})}) {
    EXPECT_THAT(error.message, Not(HasSubstr("place")));
    EXPECT_THAT(error.message, Not(HasSubstr("hidden")));
  }
}

TEST_F(ContextCallTest, WhatAnEndpointWritesItCannotReadElsewhere) {
  put_all({{"one/a", "1"}, {"two/b", "2"}});
  const auto one = key_for({"fs_write"}, "one");
  const auto two = key_for({"fs_rewrite"}, "two");
  const auto written = must(one, "fs_write", {{"path", "x"}, {"content", "secret"}});
  const auto file = text(written.at("file").as_object(), "key");
  EXPECT_EQ(
      refuses(two, "fs_rewrite", {{"entries", json::Object{{"x", json::Object{{"link", file}}}}}})
          .code,
      Code::kNodeNotAuthorized);
}

// One answer for outsiders, whatever the reason; it names nothing of the way to the context.
TEST_F(ContextCallTest, WhatIsGoneIsNotThereNow) {
  put("in/a", "1");
  put("in/o.json", "{}");
  const auto files = key_for({"fs_read", "fs_write"}, "in");
  const auto document = key_for({"get_all"}, "in/o.json");
  must(files, "fs_read", {{"path", "a"}});
  must(document, "get_all", {});
  auto expect_gone = [&](const char* how) {
    for (const auto& reply : {outside(files, "fs_read", {{"path", "a"}}),
                              outside(files, "fs_write", {{"path", "a"}, {"content", "2"}}),
                              outside(document, "get_all", {})}) {
      ASSERT_FALSE(reply) << how;
      EXPECT_EQ(reply.error().code, Code::kNotFound) << how;
      EXPECT_THAT(reply.error().message, HasSubstr("is not there now")) << how;
      EXPECT_TRUE(reply.error().details.empty()) << how;
    }
  };
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "in"}}), "newRoot"));
  expect_gone("its directory was removed");
  put("in", "a file");
  expect_gone("a file took its place");
  call("delete_depot", {{"depotId", depot_}});
  expect_gone("its depot was deleted");
}

}  // namespace
}  // namespace cairn
