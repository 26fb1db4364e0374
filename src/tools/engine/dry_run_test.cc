// Dry runs, over the whole table: whatever changes something has one, which says what would be and
// leaves every byte of the store as it was.
#include <functional>
#include <map>
#include <set>

#include "data/oauth/grants.h"
#include "data/store/embedded_store.h"
#include "data/store/memory_backend.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

// A realm with something of each kind, over tables that a test can look into.
class World final {
 public:
  World() {
    auto backend = std::make_unique<MemoryBackend>();
    tables_ = backend.get();
    auto store = EmbeddedStore::open(std::move(backend), clock_, {}).value();
    engine_ = Engine::over(std::move(store), clock_, random_, meter_).value();
    owner_.emplace(engine_->executor().trusted(engine_->owner(), Entrance::kMcp).value());
    depot = id("create_depot", {{"title", "d"}}, "depotId");
    put("a.txt", "one\n");
    before = text(must("get_depot", {{"depotId", depot}}), "root");
    put("a.json", R"({"list":[1],"k":1,"l":2})");
    root = text(must("get_depot", {{"depotId", depot}}), "root");
    draft = written("b.txt", "two\n");
    gone = id("create_depot", {{"title", "gone"}}, "depotId");
    must("delete_depot", {{"depotId", gone}});
    delegate =
        text(must("create_delegate", {{"name", "c"}}).at("delegate").get_object(), "delegateId");
    key = text(must("create_delegate", {{"lasting", true}}).at("delegate").get_object(),
               "delegateId");
    granted =
        text(must("create_delegate", {{"name", "g"}}).at("delegate").get_object(), "delegateId");
    oauth::Grant grant;
    grant.realm = engine_->owner();
    grant.delegate = DelegateId::parse(granted).value();
    grant.client_id = "a program";
    Batch batch;
    oauth::Grants(engine_->records(), engine_->services().delegates).put(batch, grant).value();
    engine_->records().commit(std::move(batch)).value();
    client = id("add_oauth_client",
                {{"name", "program"}, {"redirects", json::Array{"http://127.0.0.1/callback"}}},
                "clientId");
    must("add_user", {{"name", "carol"}});
    sign_in = executor().open_sign_in_of(engine_->owner(), {}).value().sign_in.id.render();
    tool = id("create_tool", query(), "toolId");
    const auto made = must("create_endpoint", {{"bindings", json::Array{binding("show")}}});
    endpoint = text(made, "endpointId");
    bound = tools_testing::column(made, "bindings", "bindingId").front();
    instance = id("create_mcp_instance", {{"depotId", depot}, {"path", "a.json"}}, "endpointId");
    node = realm().nodes().get(NodeKey::parse(before).value()).value();
  }

  Realm& realm() { return engine_->services().realms.get(engine_->owner()); }
  Executor& executor() { return engine_->executor(); }
  const Caller& owner() const { return *owner_; }
  Caller as(std::string_view token) {
    return executor().authenticate(token, "me", Entrance::kMcp).value();
  }

  Result<Reply> run(std::string_view name, json::Object arguments) {
    const auto& tool = *executor().table().find(name).value();
    if (tool.body == Body::kStream) {
      auto intake = executor().take(*owner_, tool, json::Value(std::move(arguments)));
      if (!intake) return Failure(std::move(intake).error());
      TRY((*intake)->append("some text\n"));
      return (*intake)->finish();
    }
    const ByteView body = tool.body == Body::kBytes ? ByteView(node->bytes()) : ByteView();
    return executor().run(*owner_, tool, json::Value(std::move(arguments)), body);
  }
  json::Object must(std::string_view name, json::Object arguments) {
    auto reply = run(name, std::move(arguments));
    EXPECT_TRUE(reply) << name << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.get_object() : json::Object();
  }
  std::string id(std::string_view name, json::Object arguments, std::string_view member) {
    return text(must(name, std::move(arguments)), member);
  }
  std::string written(std::string_view path, std::string_view content) {
    return id("fs_write", {{"nodeKey", depot}, {"path", path}, {"content", content}}, "newRoot");
  }
  void put(std::string_view path, std::string_view content) {
    must("depot_commit", {{"depotId", depot}, {"root", written(path, content)}});
  }

  // Every row of every table, but for the log of who has called what.
  std::map<std::string, std::string> rows() {
    EXPECT_TRUE(engine_->services().audit.flush());
    std::map<std::string, std::string> out;
    for (const auto table : kTables) {
      const auto at = fmt::format("{} ", static_cast<int>(table));
      EXPECT_TRUE(tables_->scan(table, {}, Direction::kForward, [&](ByteView key, ByteView value) {
        const bool log = table == Table::kPointers && key.starts_with('a');
        if (!log) out.emplace(at + Bytes(key), value);
        return Scan::kContinue;
      }));
    }
    return out;
  }

  json::Object in(json::Object more) const {
    more["nodeKey"] = depot;
    return more;
  }
  json::Object of(json::Object more) const {
    more["depotId"] = depot;
    return more;
  }
  json::Object doc(json::Object more) const {
    more["path"] = "a.json";
    return of(std::move(more));
  }
  json::Object query() const {
    return {{"operationType", "query"}, {"depotId", depot}, {"path", "a.json"}};
  }
  json::Object binding(std::string_view name) const {
    return {{"tool", query()}, {"toolName", name}};
  }

  std::string depot, before, root, draft, gone, delegate, granted, client, sign_in, key, tool,
      endpoint, bound, instance;
  NodePtr node;

 private:
  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  MemoryBackend* tables_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::optional<Caller> owner_;
};

struct Case {
  std::string_view tool;
  std::function<json::Object(World&)> arguments;
  bool changes = true;  // the real call changes something in this world
};

json::Object claim(World& w) {
  return {{"claims",
           json::Array{json::Object{{"key", w.before}, {"from", w.depot + "@~1"}, {"path", ""}}}}};
}

const Case kCases[] = {
    {"fs_write", [](World& w) { return w.in({{"path", "n.txt"}, {"content", "n"}}); }},
    {"fs_edit",
     [](World& w) {
       return w.in({{"path", "a.txt"},
                    {"edits", json::Array{json::Object{{"oldText", "one"}, {"newText", "1"}}}}});
     }},
    {"fs_mkdir", [](World& w) { return w.in({{"path", "new"}}); }},
    {"fs_rm", [](World& w) { return w.in({{"path", "a.txt"}}); }},
    {"fs_mv", [](World& w) { return w.in({{"from", "a.txt"}, {"to", "c.txt"}}); }},
    {"fs_cp", [](World& w) { return w.in({{"from", "a.txt"}, {"to", "c.txt"}}); }},
    {"fs_rewrite", [](World& w) { return w.in({{"deletes", json::Array{"a.txt"}}}); }},
    {"depot_commit", [](World& w) { return w.of({{"root", w.draft}}); }},
    {"depot_undo", [](World& w) { return w.of({{"change", 2}}); }},
    {"depot_revert", [](World& w) { return w.of({{"root", w.before}}); }},
    {"depot_tag", [](World& w) { return w.of({{"name", "v1"}}); }},
    {"create_depot", [](World&) { return json::Object{{"title", "new"}}; }},
    {"json_create", [](World& w) { return w.doc({{"items", json::Object{{"n", 1}}}}); }},
    {"json_update", [](World& w) { return w.doc({{"items", json::Object{{"k", 2}}}}); }},
    {"json_delete", [](World& w) { return w.doc({{"keys", json::Array{"k"}}}); }},
    {"json_move", [](World& w) { return w.doc({{"from", "/k"}, {"to", "/m"}}); }},
    {"json_copy", [](World& w) { return w.doc({{"from", "/k"}, {"to", "/m"}}); }},
    {"create_delegate", [](World&) { return json::Object{{"name", "new"}}; }},
    {"update_delegate",
     [](World& w) { return json::Object{{"delegateId", w.delegate}, {"canUpload", true}}; }},
    {"rotate_key", [](World& w) { return json::Object{{"delegateId", w.key}}; }},
    {"revoke_delegate", [](World& w) { return json::Object{{"delegateId", w.delegate}}; }},
    {"write_file", [](World& w) { return w.in({{"path", "n.txt"}}); }},
    {"put_node", [](World& w) { return json::Object{{"key", w.node->key().render()}}; }, false},
    {"claim_nodes", claim, false},
    {"update_depot", [](World& w) { return w.of({{"title", "other"}}); }},
    {"delete_depot", [](World& w) { return w.of({}); }},
    {"import_root", [](World& w) { return w.of({{"root", w.draft}, {"source", "here"}}); }},
    {"restore_depot", [](World& w) { return json::Object{{"depotId", w.gone}}; }},
    {"collect_garbage", [](World&) { return json::Object{{"grace", 0}}; }},
    {"purge", [](World& w) { return w.of({{"path", "a.txt"}}); }},
    {"revoke_grant", [](World& w) { return json::Object{{"delegateId", w.granted}}; }},
    {"add_oauth_client",
     [](World&) {
       return json::Object{{"name", "new"},
                           {"redirects", json::Array{"http://127.0.0.1/callback"}}};
     }},
    {"remove_oauth_client", [](World& w) { return json::Object{{"clientId", w.client}}; }},
    {"add_user", [](World&) { return json::Object{{"name", "dave"}}; }},
    {"update_user", [](World&) { return json::Object{{"userId", "carol"}, {"quota", 20'000}}; }},
    {"delete_user", [](World&) { return json::Object{{"userId", "carol"}}; }},
    {"end_sign_in", [](World& w) { return json::Object{{"signInId", w.sign_in}}; }},
    {"change_password", [](World&) { return json::Object{{"newPassword", "long enough"}}; }},
    {"create_sign_in_link", [](World&) { return json::Object(); }},
    {"backup_store", [](World&) { return json::Object{{"target", "/nowhere/that/there/is"}}; },
     false},
    {"create_tool", [](World& w) { return w.query(); }},
    {"update_tool", [](World& w) { return json::Object{{"toolId", w.tool}, {"name", "x"}}; }},
    {"delete_tool", [](World& w) { return json::Object{{"toolId", w.tool}}; }},
    {"create_endpoint",
     [](World& w) { return json::Object{{"bindings", json::Array{w.binding("ask")}}}; }},
    {"update_endpoint",
     [](World& w) { return json::Object{{"endpointId", w.endpoint}, {"name", "x"}}; }},
    {"rotate_endpoint_key", [](World& w) { return json::Object{{"endpointId", w.endpoint}}; }},
    {"delete_endpoint", [](World& w) { return json::Object{{"endpointId", w.endpoint}}; }},
    {"bind_tools",
     [](World& w) {
       return json::Object{{"endpointId", w.endpoint}, {"bindings", json::Array{w.binding("ask")}}};
     }},
    {"update_binding",
     [](World& w) {
       return json::Object{{"endpointId", w.endpoint}, {"bindingId", w.bound}, {"toolName", "x"}};
     }},
    {"unbind_tool",
     [](World& w) { return json::Object{{"endpointId", w.endpoint}, {"bindingId", w.bound}}; }},
    {"create_mcp_instance", [](World& w) { return w.doc({}); }},
    {"upgrade_endpoint", [](World& w) { return json::Object{{"endpointId", w.instance}}; }},
};

json::Object dry(json::Object arguments) {
  arguments["dryRun"] = true;
  return arguments;
}

std::set<std::string> names(const json::Object& answer) {
  std::set<std::string> out;
  for (const auto& member : answer) {
    if (member.key() != "dryRun") out.emplace(member.key());
  }
  return out;
}

TEST(DryRun, IsThereForEveryToolThatChangesSomething) {
  World w;
  std::set<std::string> changing;
  std::set<std::string> tried;
  for (const auto& tool : w.executor().table().tools()) {
    if (tool.changes()) changing.insert(tool.name);
  }
  for (const auto& one : kCases) tried.emplace(one.tool);
  EXPECT_EQ(changing, tried);
}

TEST(DryRun, LeavesEveryByteOfTheStoreAsItWas) {
  for (const auto& one : kCases) {
    SCOPED_TRACE(one.tool);
    World w;
    const auto arguments = one.arguments(w);
    const auto was = w.rows();
    const auto planned = w.run(one.tool, dry(arguments));
    EXPECT_TRUE(planned) << (planned ? "" : planned.error().render());
    if (!planned) continue;
    EXPECT_TRUE(is_true(planned->value.get_object(), "dryRun"));
    EXPECT_EQ(w.rows(), was);
    const auto fits = json::Schema::compile(w.executor().table().find(one.tool).value()->output)
                          .value()
                          .check(planned->value);
    EXPECT_TRUE(fits) << fits.error().render();

    if (!one.changes) continue;
    const auto done = w.must(one.tool, arguments);
    EXPECT_NE(w.rows(), was) << "the call itself changes nothing: this case shows nothing";
    if (!w.executor().table().find(one.tool).value()->rehearsal.empty()) {
      EXPECT_EQ(names(planned->value.get_object()), names(done));
    }
  }
}

TEST(DryRun, GivesNoIdsAndNoSecretsThatDoNotExist) {
  World w;
  const auto delegate = w.must("create_delegate", dry({{"name", "new"}}));
  EXPECT_EQ(text(delegate.at("delegate").get_object(), "delegateId"), "dlt_(dryRun)");
  EXPECT_EQ(text(delegate, "accessToken"), "(dryRun)");
  EXPECT_EQ(text(w.must("create_delegate", dry({{"lasting", true}})), "accessToken"), "(dryRun)");
  EXPECT_EQ(text(w.must("create_depot", dry({{"title", "new"}})), "depotId"), "dpt_(dryRun)");
  // Also not in the name that is made from the id of a new tool; what exists is named as it is.
  const auto bound = json::write(
      w.must("bind_tools", dry({{"endpointId", w.endpoint},
                                {"bindings", json::Array{json::Object{{"tool", w.query()}}}}})));
  EXPECT_THAT(bound, HasSubstr("bnd_(dryRun)"));
  EXPECT_THAT(bound, HasSubstr("\"query_(dryRun)\""));
  EXPECT_THAT(bound, HasSubstr(w.endpoint));
}

TEST(DryRun, IsRefusedAsTheCallItselfWouldBe) {
  World w;
  const auto twice = [&](std::string_view tool, const json::Object& arguments) {
    const auto planned = w.run(tool, dry(arguments));
    const auto real = w.run(tool, arguments);
    EXPECT_FALSE(planned) << tool;
    EXPECT_FALSE(real) << tool;
    if (planned || real) return;
    EXPECT_EQ(planned.error().render(), real.error().render());
  };
  twice("create_depot", {{"title", "d"}});
  twice("add_user", {{"name", "carol"}});
  twice("fs_rm", w.in({{"path", "none"}}));
  twice("restore_depot", {{"depotId", w.depot}});
  twice("create_tool", w.of({{"operationType", "query"}, {"path", "none.json"}}));
  twice("depot_tag", w.of({{"name", "v1"}, {"version", "#99"}}));
  const auto reader = w.as(text(w.must("create_delegate", {{"name", "r"}}), "accessToken"));
  const auto refused = w.executor().run(reader, "create_depot", json::Value(dry({{"title", "x"}})));
  EXPECT_EQ(refused.error().code, Code::kDepotManageNotAllowed);
}

TEST(DryRun, KnowsWhatItsCallerHasReadAndRemembersNothing) {
  World w;
  const auto token = text(
      w.must("create_delegate", {{"canUpload", true}, {"canManageDepot", true}}), "accessToken");
  const auto other = w.as(token);
  const auto run = [&](std::string_view tool, json::Object arguments) {
    return w.executor().run(other, tool, json::Value(std::move(arguments)));
  };
  ASSERT_TRUE(run("fs_read", w.in({{"path", "a.txt"}})));
  w.put("a.txt", "ours\n");
  const auto mine = w.in({{"path", "a.txt"}, {"content", "mine\n"}});
  const auto planned = run("fs_write", dry(mine));
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, Code::kConflict);
  // Had it counted as written, it would be known now.
  EXPECT_EQ(run("fs_write", mine).error().code, Code::kConflict);
}

TEST(DryRun, IsRefusedWhereItIsNoFlag) {
  World w;
  EXPECT_THAT(w.run("create_depot", {{"title", "x"}, {"dryRun", "yes"}}).error(),
              Says(Code::kInvalidArgument, "dryRun"));
  EXPECT_THAT(w.run("list_depots", {{"dryRun", true}}).error(),
              Says(Code::kInvalidArgument, "dryRun"));
  // Said as it is, it is as if it were not there.
  EXPECT_THAT(text(w.must("create_depot", {{"title", "x"}, {"dryRun", false}}), "depotId"),
              Not(HasSubstr("dryRun")));
}

}  // namespace
}  // namespace cairn
