#include "scene.h"

#include <gtest/gtest.h>

namespace cairn::rest_testing {

json::Object a_tool(const Scene& scene) {
  return {{"operationType", "query"}, {"depotId", scene.site}, {"path", "docs/data.json"}};
}

Scene::Scene() {
  site =
      world.depot("site", {{"docs/a.txt", "alpha\n"},
                           {"docs/sub/x.txt", "x\n"},
                           {"src/main.ts", "let a = 1;\n"},
                           {"docs/data.json", R"({"list": [{"id": 1}, {"id": 2}], "name": "n"})"}});
  other = world.depot("other", {{"secret.txt", "secret\n"}});
  gone = world.depot("gone", {{"gone.txt", "gone\n"}});
  world.must("delete_depot", world.owner, {{"depotId", gone}});
  site_root = world.root(site);
  docs_key = text(world.must("fs_stat", world.owner, {{"nodeKey", site}, {"path", "docs"}}), "key");
  new_root = text(world.must("fs_write", world.owner,
                             {{"nodeKey", site}, {"path", "docs/new.txt"}, {"content", "n"}}),
                  "newRoot");
  delegate = text(world.must("create_delegate", world.owner, {{"name", "somebody"}})
                      .at("delegate")
                      .get_object(),
                  "delegateId");
  key = text(world.must("create_delegate", world.owner, {{"name", "ci"}, {"lasting", true}})
                 .at("delegate")
                 .get_object(),
             "delegateId");
  user = text(world.must("add_user", world.owner, {{"name", "ann"}}), "userId");
  tool = text(world.must("create_tool", world.owner, a_tool(*this)), "toolId");
  auto made = world.must("create_endpoint", world.owner,
                         {{"bindings", json::Array{json::Object{{"toolId", tool}}}}});
  endpoint = text(made, "endpointId");
  binding = text(made.at("bindings").get_array().front().get_object(), "bindingId");
}

json::Object all_rights(json::Object more) {
  more["canUpload"] = true;
  more["canManageDepot"] = true;
  return more;
}

namespace {

std::string below(Scene& scene, const json::Object& wanted, std::string* parent_id) {
  auto made = scene.world.must("create_delegate", scene.world.owner, wanted);
  *parent_id = text(made.at("delegate").get_object(), "delegateId");
  return text(scene.world.must("create_delegate", text(made, "accessToken"), all_rights()),
              "accessToken");
}

Who expired(Scene& scene) {
  auto token = scene.issue(all_rights());
  scene.world.clock.advance(std::chrono::hours(2));
  return {token};
}

Who parent_expired(Scene& scene) {
  std::string parent;
  auto token = below(scene, all_rights({{"expiresIn", 60}}), &parent);
  scene.world.clock.advance(std::chrono::seconds(61));
  return {token};
}

Who revoked(Scene& scene) {
  auto made = scene.world.must("create_delegate", scene.world.owner, all_rights());
  auto id = text(made.at("delegate").get_object(), "delegateId");
  scene.world.must("revoke_delegate", scene.world.owner, {{"delegateId", id}});
  return {text(made, "accessToken")};
}

Who parent_revoked(Scene& scene) {
  std::string parent;
  auto token = below(scene, all_rights(), &parent);
  scene.world.must("revoke_delegate", scene.world.owner, {{"delegateId", parent}});
  return {token};
}

Who refresh_as_access(Scene& scene) {
  auto made = scene.world.must("create_delegate", scene.world.owner, all_rights());
  return {text(made, "refreshToken")};
}

// The access token of somebody whose refresh token was used twice.
Who replayed(Scene& scene) {
  auto made = scene.world.must("create_delegate", scene.world.owner, all_rights());
  auto body = json::write(json::Object{{"refreshToken", text(made, "refreshToken")}});
  auto first = scene.world.send(http::Method::kPost, "/api/auth/refresh", "", body);
  auto again = scene.world.send(http::Method::kPost, "/api/auth/refresh", "", body);
  EXPECT_EQ(first.code, "ok") << first.body;
  EXPECT_EQ(again.code, "TOKEN_REPLAYED") << again.body;
  return {text(first.value.get_object(), "accessToken")};
}

// The key of before, which had no overlap with the one that took its place.
Who replaced_key(Scene& scene) {
  auto made =
      scene.world.must("create_delegate", scene.world.owner, all_rights({{"lasting", true}}));
  auto id = text(made.at("delegate").get_object(), "delegateId");
  scene.world.must("rotate_key", scene.world.owner, {{"delegateId", id}, {"overlap", 0}});
  return {text(made, "accessToken")};
}

std::string another_user(Scene& scene) {
  return text(scene.world.must("add_user", scene.world.owner, {{"name", "bob"}}), "accessToken");
}

Who suspended(Scene& scene) {
  auto made = scene.world.must("add_user", scene.world.owner, {{"name", "bob"}});
  scene.world.must("update_user", scene.world.owner, {{"userId", "bob"}, {"role", "unauthorized"}});
  return {text(made, "accessToken")};
}

// The owner's own realm, full.
Who over_quota(Scene& scene) {
  scene.world.must("update_user", scene.world.owner, {{"userId", "owner"}, {"quota", 1}});
  return {scene.world.owner};
}

}  // namespace

namespace {

json::Object with(json::Object object, const json::Object& more) {
  for (const auto& member : more) object[member.key()] = member.value();
  return object;
}

}  // namespace

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"no token", [](Scene&) { return Who{""}; }},
      {"malformed", [](Scene&) { return Who{"not-a-token"}; }},
      {"unknown", [](Scene&) { return Who{std::string(44, 'A')}; }},
      {"expired", expired},
      {"revoked", revoked},
      {"parent revoked", parent_revoked},
      {"parent expired", parent_expired},
      {"refresh as access", refresh_as_access},
      {"replayed refresh", replayed},
      {"lasting key, replaced", replaced_key},
      {"suspended user", suspended},
      {"other realm", [](Scene& s) { return Who{another_user(s), s.world.realm}; }},
      {"other user", [](Scene& s) { return Who{another_user(s)}; }},
      {"read-only", [](Scene& s) { return Who{s.issue({})}; }},
      {"scoped to a sibling",
       [](Scene& s) {
         return Who{s.issue(all_rights({{"scope", json::Array{s.site + "/src"}}}))};
       }},
      {"scoped live",
       [](Scene& s) {
         return Who{s.issue(all_rights({{"scope", json::Array{s.site + "/docs"}}}))};
       }},
      {"scoped frozen",
       [](Scene& s) { return Who{s.issue(all_rights({{"scope", json::Array{s.docs_key}}}))}; }},
      {"depot not delegated",
       [](Scene& s) {
         return Who{s.issue(all_rights({{"delegatedDepots", json::Array{s.other}}}))};
       }},
      {"over quota", over_quota},
      {"delegate, all rights", [](Scene& s) { return Who{s.issue(all_rights())}; }},
      {"lasting key, all rights",
       [](Scene& s) { return Who{s.issue(all_rights({{"lasting", true}}))}; }},
      {"owner", [](Scene& s) { return Who{s.world.owner}; }},
      {"owner, over the socket", [](Scene&) { return Who{std::string(World::kOverSocket)}; }},
  };
  return all;
}

const std::vector<ToolCall>& tool_calls() {
  auto at_path = [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", s.path}}; };
  auto at_depot = [](Scene& s) { return json::Object{{"depotId", s.site}}; };
  auto nothing = [](Scene&) { return json::Object(); };
  auto at_json = [](Scene& s) {
    return json::Object{{"depotId", s.site}, {"path", "docs/data.json"}};
  };
  auto at_tool = [](Scene& s) { return json::Object{{"toolId", s.tool}}; };
  auto at_endpoint = [](Scene& s) { return json::Object{{"endpointId", s.endpoint}}; };
  static const std::vector<ToolCall> all{
      {"list_depots", nothing},
      {"get_depot", at_depot},
      {"depot_history", at_depot},
      {"fs_stat", at_path},
      {"fs_read", at_path},
      {"fs_ls", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "docs"}}; }},
      {"fs_tree", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "docs"}}; }},
      {"fs_read_many",
       [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"paths", json::Array{s.path}}}; }},
      {"fs_find",
       [](Scene& s) {
         return json::Object{{"nodeKey", s.site}, {"path", "docs"}, {"pattern", "*"}};
       }},
      {"fs_grep",
       [](Scene& s) {
         return json::Object{{"nodeKey", s.site}, {"path", "docs"}, {"pattern", "a"}};
       }},
      {"fs_diff", [](Scene& s) { return json::Object{{"from", s.site_root}, {"to", s.site}}; }},
      {"node_metadata", [](Scene& s) { return json::Object{{"nodeKey", s.site_root}}; }},
      {"fs_write",
       [](Scene& s) {
         return json::Object{{"nodeKey", s.site}, {"path", "docs/n.txt"}, {"content", "new"}};
       }},
      {"fs_edit",
       [](Scene& s) {
         return json::Object{
             {"nodeKey", s.site},
             {"path", s.path},
             {"edits", json::Array{json::Object{{"oldText", "alpha"}, {"newText", "beta"}}}}};
       }},
      {"fs_mkdir", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "new"}}; }},
      {"fs_rm", at_path},
      {"fs_mv",
       [](Scene& s) {
         return json::Object{{"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}};
       }},
      {"fs_cp",
       [](Scene& s) {
         return json::Object{{"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}};
       }},
      {"fs_mv to another depot",
       [](Scene& s) {
         return json::Object{
             {"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}, {"toNodeKey", s.other}};
       },
       "fs_mv"},
      {"fs_cp to another depot",
       [](Scene& s) {
         return json::Object{
             {"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}, {"toNodeKey", s.other}};
       },
       "fs_cp"},
      {"fs_cp from another depot",
       [](Scene& s) {
         return json::Object{
             {"nodeKey", s.other}, {"from", "secret.txt"}, {"to", "b.txt"}, {"toNodeKey", s.site}};
       },
       "fs_cp"},
      {"fs_rewrite",
       [](Scene& s) {
         return json::Object{
             {"nodeKey", s.site},
             {"entries", json::Object{{"linked", json::Object{{"link", s.site_root}}}}}};
       }},
      {"depot_commit",
       [](Scene& s) { return json::Object{{"depotId", s.site}, {"root", s.new_root}}; }},
      {"depot_revert",
       [](Scene& s) { return json::Object{{"depotId", s.site}, {"root", s.site_root}}; }},
      {"depot_undo", [](Scene& s) { return json::Object{{"depotId", s.site}, {"change", 1}}; }},
      {"depot_tag", [](Scene& s) { return json::Object{{"depotId", s.site}, {"name", "v1"}}; }},
      {"depot_revert of a path",
       [](Scene& s) { return json::Object{{"depotId", s.site}, {"root", "~0"}, {"path", s.path}}; },
       "depot_revert"},
      {"fs_read of a version",
       [](Scene& s) { return json::Object{{"nodeKey", s.site + "@~0"}, {"path", s.path}}; },
       "fs_read"},
      {"create_depot", [](Scene&) { return json::Object{{"title", "mine"}}; }},
      {"update_depot",
       [](Scene& s) { return json::Object{{"depotId", s.site}, {"title", "renamed"}}; }},
      {"delete_depot", at_depot},
      {"restore_depot", [](Scene& s) { return json::Object{{"depotId", s.gone}}; }},
      {"list_depots, deleted", [](Scene&) { return json::Object{{"deleted", true}}; },
       "list_depots"},
      {"list_depots, by title", [](Scene&) { return json::Object{{"title", "site"}}; },
       "list_depots"},
      {"import_root",
       [](Scene& s) {
         return json::Object{{"depotId", s.site}, {"root", s.new_root}, {"source", "/home/ann"}};
       }},
      {"create_delegate", nothing},
      {"list_delegates", nothing},
      {"get_delegate", [](Scene& s) { return json::Object{{"delegateId", s.delegate}}; }},
      {"update_delegate",
       [](Scene& s) { return json::Object{{"delegateId", s.delegate}, {"name", "renamed"}}; }},
      {"rotate_key", [](Scene& s) { return json::Object{{"delegateId", s.key}}; }},
      {"revoke_delegate", [](Scene& s) { return json::Object{{"delegateId", s.delegate}}; }},
      {"get_realm_info", nothing},
      {"get_usage", nothing},
      {"read_file", at_path},
      {"get_node", [](Scene& s) { return json::Object{{"nodeKey", s.site_root}}; }},
      {"check_nodes", [](Scene& s) { return json::Object{{"keys", json::Array{s.site_root}}}; }},
      {"claim_nodes",
       [](Scene& s) {
         return json::Object{
             {"claims",
              json::Array{json::Object{{"key", s.docs_key}, {"from", s.site}, {"path", "~0"}}}}};
       }},
      {"json_get_schema", at_json},
      {"json_get_all", at_json},
      {"json_query", [=](Scene& s) { return with(at_json(s), {{"expression", "list[0]"}}); }},
      {"json_preview", at_json},
      {"json_select",
       [=](Scene& s) {
         return with(at_json(s),
                     {{"field", "id"}, {"keys", json::Array{1}}, {"jsonPath", "/list"}});
       }},
      {"json_create",
       [=](Scene& s) { return with(at_json(s), {{"items", json::Object{{"new", 1}}}}); }},
      {"json_update",
       [=](Scene& s) { return with(at_json(s), {{"items", json::Object{{"name", 1}}}}); }},
      {"json_delete", [=](Scene& s) { return with(at_json(s), {{"keys", json::Array{"name"}}}); }},
      {"json_move",
       [=](Scene& s) { return with(at_json(s), {{"from", "/name"}, {"to", "/title"}}); }},
      {"json_copy",
       [=](Scene& s) { return with(at_json(s), {{"from", "/name"}, {"to", "/title"}}); }},
      {"create_tool", a_tool},
      {"create_tool that writes",
       [](Scene& s) { return with(a_tool(s), {{"operationType", "update"}}); }, "create_tool"},
      {"list_tools", nothing},
      {"get_tool", at_tool},
      {"update_tool", [=](Scene& s) { return with(at_tool(s), {{"name", "renamed"}}); }},
      {"delete_tool", at_tool},
      {"create_endpoint",
       [](Scene& s) {
         return json::Object{{"bindings", json::Array{json::Object{{"tool", a_tool(s)}}}}};
       }},
      {"create_endpoint of the owner's tool",
       [](Scene& s) {
         return json::Object{{"bindings", json::Array{json::Object{{"toolId", s.tool}}}}};
       },
       "create_endpoint"},
      {"list_endpoints", nothing},
      {"get_endpoint", at_endpoint},
      {"preview_endpoint", at_endpoint},
      {"update_endpoint", [=](Scene& s) { return with(at_endpoint(s), {{"status", "disabled"}}); }},
      {"rotate_endpoint_key", at_endpoint},
      {"delete_endpoint", at_endpoint},
      {"bind_tools",
       [=](Scene& s) {
         return with(
             at_endpoint(s),
             {{"bindings", json::Array{json::Object{{"toolId", s.tool}, {"toolName", "again"}}}}});
       }},
      {"update_binding",
       [=](Scene& s) {
         return with(at_endpoint(s), {{"bindingId", s.binding}, {"toolName", "renamed"}});
       }},
      {"unbind_tool", [=](Scene& s) { return with(at_endpoint(s), {{"bindingId", s.binding}}); }},
      {"create_mcp_instance", at_json},
      {"upgrade_endpoint", at_endpoint},
      {"get_audit", nothing},
      {"collect_garbage", nothing},
      {"collect_garbage without grace", [](Scene&) { return json::Object{{"grace", 0}}; },
       "collect_garbage"},
      {"purge", [](Scene& s) { return json::Object{{"depotId", s.site}, {"path", s.path}}; }},
      {"purge, dry run",
       [](Scene& s) {
         return json::Object{{"depotId", s.site}, {"path", s.path}, {"dryRun", true}};
       },
       "purge"},
      {"check_store", nothing},
      {"list_users", nothing},
      {"add_user", [](Scene&) { return json::Object{{"name", "carol"}}; }},
      {"update_user",
       [](Scene& s) { return json::Object{{"userId", s.user}, {"role", "authorized"}}; }},
      {"delete_user", [](Scene& s) { return json::Object{{"userId", s.user}}; }},
      {"delete_user, dry run",
       [](Scene& s) { return json::Object{{"userId", s.user}, {"dryRun", true}}; }, "delete_user"},
      {"backup_store", [](Scene&) { return json::Object{{"target", "relative"}}; }},
  };
  return all;
}

}  // namespace cairn::rest_testing
