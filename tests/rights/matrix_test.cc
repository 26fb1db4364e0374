// The rights matrix: every route and tool, called by everybody who should not get through, and by
// some who should. One table of codes, kept in matrix.md; CAIRN_ACCEPT=1 writes it anew.

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "data/cas/file.h"
#include "world.h"

namespace cairn::rest_testing {
namespace {

// What a request needs to know of the world it is made in.
struct Scene {
  World world;
  std::string site;       // a depot: docs/a.txt, docs/sub/x.txt, src/main.ts
  std::string other;      // a depot: secret.txt
  std::string site_root;  // its root
  std::string docs_key;   // the directory docs, as a node
  std::string new_root;   // written by the owner, not committed
  std::string delegate;   // one the owner made
  std::string user;       // a user
  std::string path = "docs/a.txt";

  Scene();
  std::string issue(const json::Object& wanted) {
    return text(world.must("create_delegate", world.owner, wanted), "accessToken");
  }
};

Scene::Scene() {
  site = world.depot(
      "site",
      {{"docs/a.txt", "alpha\n"}, {"docs/sub/x.txt", "x\n"}, {"src/main.ts", "let a = 1;\n"}});
  other = world.depot("other", {{"secret.txt", "secret\n"}});
  site_root = world.root(site);
  docs_key = text(world.must("fs_stat", world.owner, {{"nodeKey", site}, {"path", "docs"}}), "key");
  new_root = text(world.must("fs_write", world.owner,
                             {{"nodeKey", site}, {"path", "docs/new.txt"}, {"content", "n"}}),
                  "newRoot");
  delegate = text(world.must("create_delegate", world.owner, {{"name", "somebody"}})
                      .at("delegate")
                      .get_object(),
                  "delegateId");
  user = text(world.must("add_user", world.owner, {{"name", "ann"}}), "userId");
}

// Who calls, and whose realm it names.
struct Who {
  std::string token;
  std::string realm = "me";
};

struct Column {
  std::string_view name;
  std::function<Who(Scene&)> make;
};

json::Object all_rights(json::Object more = {}) {
  more["canUpload"] = true;
  more["canManageDepot"] = true;
  return more;
}

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
      {"owner", [](Scene& s) { return Who{s.world.owner}; }},
  };
  return all;
}

// What is asked for.
struct Row {
  std::string name;
  std::function<Answer(Scene&, const Who&)> run;
};

Row tool(std::string name, std::function<json::Object(Scene&)> arguments) {
  return {name, [name, arguments](Scene& scene, const Who& who) {
            auto given = arguments(scene);
            return scene.world.call(name, who.token, given, who.realm);
          }};
}

Row route(http::Method method, std::string label, std::function<std::string(Scene&)> path,
          std::function<std::optional<std::string>(Scene&)> body = {},
          std::string type = "application/json") {
  return {label, [=](Scene& scene, const Who& who) {
            auto target = path(scene);
            if (auto at = target.find("{r}"); at != std::string::npos) {
              target.replace(at, 3, who.realm);
            }
            return scene.world.send(method, target, who.token, body ? body(scene) : std::nullopt,
                                    type);
          }};
}

std::optional<std::string> an_object(Scene&) { return "{}"; }

class Kept final : public NodeSink {
 public:
  Result<void> add(NodePtr) override { return {}; }
};

// The canonical bytes of a file nobody has stored.
Bytes file_bytes() {
  Kept sink;
  return Bytes((*write_file(sink, "text/plain", "a file that is new to everybody"))->bytes());
}

std::vector<Row> tool_rows() {
  auto at_path = [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", s.path}}; };
  auto at_depot = [](Scene& s) { return json::Object{{"depotId", s.site}}; };
  auto nothing = [](Scene&) { return json::Object(); };
  return {
      tool("list_depots", nothing),
      tool("get_depot", at_depot),
      tool("depot_history", at_depot),
      tool("fs_stat", at_path),
      tool("fs_read", at_path),
      tool("fs_ls", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "docs"}}; }),
      tool("fs_tree", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "docs"}}; }),
      tool("fs_read_many",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"paths", json::Array{s.path}}};
           }),
      tool("fs_find",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"path", "docs"}, {"pattern", "*"}};
           }),
      tool("fs_grep",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"path", "docs"}, {"pattern", "a"}};
           }),
      tool("fs_diff", [](Scene& s) { return json::Object{{"from", s.site_root}, {"to", s.site}}; }),
      tool("node_metadata", [](Scene& s) { return json::Object{{"nodeKey", s.site_root}}; }),
      tool("fs_write",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"path", "docs/n.txt"}, {"content", "new"}};
           }),
      tool("fs_edit",
           [](Scene& s) {
             return json::Object{
                 {"nodeKey", s.site},
                 {"path", s.path},
                 {"edits", json::Array{json::Object{{"oldText", "alpha"}, {"newText", "beta"}}}}};
           }),
      tool("fs_mkdir", [](Scene& s) { return json::Object{{"nodeKey", s.site}, {"path", "new"}}; }),
      tool("fs_rm", at_path),
      tool("fs_mv",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}};
           }),
      tool("fs_cp",
           [](Scene& s) {
             return json::Object{{"nodeKey", s.site}, {"from", s.path}, {"to", "b.txt"}};
           }),
      tool("fs_rewrite",
           [](Scene& s) {
             return json::Object{
                 {"nodeKey", s.site},
                 {"entries", json::Object{{"linked", json::Object{{"link", s.site_root}}}}}};
           }),
      tool("depot_commit",
           [](Scene& s) { return json::Object{{"depotId", s.site}, {"root", s.new_root}}; }),
      tool("depot_revert",
           [](Scene& s) { return json::Object{{"depotId", s.site}, {"root", s.site_root}}; }),
      tool("create_depot", [](Scene&) { return json::Object{{"title", "mine"}}; }),
      tool("update_depot",
           [](Scene& s) { return json::Object{{"depotId", s.site}, {"title", "renamed"}}; }),
      tool("delete_depot", at_depot),
      tool("create_delegate", nothing),
      tool("list_delegates", nothing),
      tool("get_delegate", [](Scene& s) { return json::Object{{"delegateId", s.delegate}}; }),
      tool("revoke_delegate", [](Scene& s) { return json::Object{{"delegateId", s.delegate}}; }),
      tool("get_realm_info", nothing),
      tool("get_usage", nothing),
      tool("read_file", at_path),
      tool("get_node", [](Scene& s) { return json::Object{{"nodeKey", s.site_root}}; }),
      tool("check_nodes",
           [](Scene& s) { return json::Object{{"keys", json::Array{s.site_root}}}; }),
      tool("claim_nodes",
           [](Scene& s) {
             return json::Object{
                 {"claims", json::Array{json::Object{
                                {"key", s.docs_key}, {"from", s.site}, {"path", "~0"}}}}};
           }),
      tool("get_audit", nothing),
      tool("collect_garbage", nothing),
      tool("check_store", nothing),
      tool("list_users", nothing),
      tool("add_user", [](Scene&) { return json::Object{{"name", "carol"}}; }),
      tool("update_user",
           [](Scene& s) { return json::Object{{"userId", s.user}, {"role", "authorized"}}; }),
      tool("backup_store", [](Scene&) { return json::Object{{"target", "relative"}}; }),
  };
}

std::vector<Row> route_rows() {
  using enum http::Method;
  auto fs = [](Scene& s, std::string_view rest) {
    return fmt::format("/api/realm/{{r}}/nodes/fs/{}/{}", s.site, rest);
  };
  auto depot = [](Scene& s, std::string_view rest) {
    return fmt::format("/api/realm/{{r}}/depots/{}{}", s.site, rest);
  };
  auto json_of = [](json::Object object) {
    return [object](Scene&) -> std::optional<std::string> { return json::write(object); };
  };
  auto fs_get = [&](std::string label, std::string rest) {
    return route(kGet, "GET fs/" + label, [=](Scene& s) { return fs(s, rest); });
  };
  auto fs_post = [&](std::string label, json::Object body) {
    return route(kPost, "POST fs/" + label, [=](Scene& s) { return fs(s, label); }, json_of(body));
  };
  return {
      route(kGet, "GET realm", [](Scene&) { return "/api/realm/{r}"; }),
      route(kGet, "GET usage", [](Scene&) { return "/api/realm/{r}/usage"; }),
      route(kGet, "GET audit", [](Scene&) { return "/api/realm/{r}/audit"; }),
      route(
          kPost, "POST gc", [](Scene&) { return "/api/realm/{r}/gc"; }, an_object),
      route(
          kPost, "POST fsck", [](Scene&) { return "/api/realm/{r}/fsck"; }, an_object),
      route(kGet, "GET tools", [](Scene&) { return "/api/realm/{r}/tools"; }),
      route(kGet, "GET depots", [](Scene&) { return "/api/realm/{r}/depots"; }),
      route(
          kPost, "POST depots", [](Scene&) { return "/api/realm/{r}/depots"; },
          json_of({{"title", "t"}})),
      route(kGet, "GET depot", [=](Scene& s) { return depot(s, ""); }),
      route(
          kPatch, "PATCH depot", [=](Scene& s) { return depot(s, ""); }, json_of({{"title", "t"}})),
      route(kDelete, "DELETE depot", [=](Scene& s) { return depot(s, ""); }),
      route(
          kPost, "POST commit", [=](Scene& s) { return depot(s, "/commit"); },
          [](Scene& s) -> std::optional<std::string> {
            return json::write(json::Object{{"root", s.new_root}});
          }),
      route(kGet, "GET history", [=](Scene& s) { return depot(s, "/history"); }),
      route(
          kPost, "POST revert", [=](Scene& s) { return depot(s, "/revert"); },
          [](Scene& s) -> std::optional<std::string> {
            return json::write(json::Object{{"root", s.site_root}});
          }),
      route(kGet, "GET delegates", [](Scene&) { return "/api/realm/{r}/delegates"; }),
      route(
          kPost, "POST delegates", [](Scene&) { return "/api/realm/{r}/delegates"; }, an_object),
      route(kGet, "GET delegate",
            [](Scene& s) { return "/api/realm/{r}/delegates/" + s.delegate; }),
      route(
          kPost, "POST delegate revoke",
          [](Scene& s) { return "/api/realm/{r}/delegates/" + s.delegate + "/revoke"; }, an_object),
      route(kGet, "GET raw node",
            [](Scene& s) { return "/api/realm/{r}/nodes/raw/" + s.docs_key; }),
      route(kGet, "GET raw node by depot",
            [](Scene& s) { return "/api/realm/{r}/nodes/raw/" + s.site; }),
      route(kGet, "GET raw node below",
            [](Scene& s) { return "/api/realm/{r}/nodes/raw/" + s.site_root + "/~0/~0"; }),
      route(
          kPut, "PUT raw node",
          [](Scene&) { return "/api/realm/{r}/nodes/raw/" + NodeKey::of(file_bytes()).render(); },
          [](Scene&) -> std::optional<std::string> { return file_bytes(); },
          "application/octet-stream"),
      // A directory that names what somebody else wrote: knowing a key must not give its content.
      route(
          kPut, "PUT raw node naming another's",
          [](Scene& s) { return "/api/realm/{r}/nodes/raw/" + s.docs_key; },
          [](Scene& s) -> std::optional<std::string> {
            return s.world
                .send(http::Method::kGet, "/api/realm/me/nodes/raw/" + s.docs_key, s.world.owner)
                .body;
          },
          "application/octet-stream"),
      route(kGet, "GET metadata",
            [](Scene& s) { return "/api/realm/{r}/nodes/metadata/" + s.site_root + "/~0"; }),
      route(
          kPost, "POST nodes/check", [](Scene&) { return "/api/realm/{r}/nodes/check"; },
          [](Scene& s) -> std::optional<std::string> {
            return json::write(json::Object{{"keys", json::Array{s.docs_key}}});
          }),
      route(
          kPost, "POST nodes/claim with a wrong proof",
          [](Scene&) { return "/api/realm/{r}/nodes/claim"; },
          [](Scene& s) -> std::optional<std::string> {
            return json::write(json::Object{
                {"claims", json::Array{json::Object{{"key", s.docs_key}, {"pop", "AAAA"}}}}});
          }),
      fs_get("stat", "stat?path=docs/a.txt"),
      fs_get("ls", "ls?path=docs"),
      fs_get("tree", "tree?path=docs"),
      fs_get("read", "read?path=docs/a.txt"),
      fs_get("read lines", "read?path=docs/a.txt&startLine=1"),
      fs_get("file", "file?path=docs/a.txt"),
      fs_get("find", "find?pattern=*&path=docs"),
      fs_get("grep", "grep?pattern=a&path=docs"),
      route(kGet, "GET fs/diff", [=](Scene& s) { return fs(s, "diff?to=" + s.site_root); }),
      route(kGet, "GET fs/read by key",
            [](Scene& s) {
              return "/api/realm/{r}/nodes/fs/" + s.site_root + "/read?path=docs/a.txt";
            }),
      route(kGet, "GET fs/read by short key",
            [](Scene& s) {
              return "/api/realm/{r}/nodes/fs/" + s.site_root.substr(0, 20) +
                     "/read?path=docs/a.txt";
            }),
      route(
          kPut, "PUT fs/file", [=](Scene& s) { return fs(s, "file?path=docs/n.txt"); },
          [](Scene&) -> std::optional<std::string> { return "bytes"; }, "text/plain"),
      route(
          kPost, "POST fs/write, bytes", [=](Scene& s) { return fs(s, "write?path=docs/n.txt"); },
          [](Scene&) -> std::optional<std::string> { return "bytes"; }, "text/plain"),
      fs_post("write", {{"path", "docs/n.txt"}, {"content", "n"}}),
      fs_post("mkdir", {{"path", "docs/new"}}),
      fs_post("rm", {{"path", "docs/a.txt"}}),
      fs_post("mv", {{"from", "docs/a.txt"}, {"to", "docs/b.txt"}}),
      fs_post("cp", {{"from", "docs/a.txt"}, {"to", "docs/b.txt"}}),
      fs_post("edit",
              {{"path", "docs/a.txt"},
               {"edits", json::Array{json::Object{{"oldText", "alpha"}, {"newText", "b"}}}}}),
      fs_post("rewrite", {{"deletes", json::Array{"docs/a.txt"}}}),
      route(kGet, "GET admin/users", [](Scene&) { return "/api/admin/users"; }),
      route(
          kPost, "POST admin/users", [](Scene&) { return "/api/admin/users"; },
          json_of({{"name", "dave"}})),
      route(
          kPatch, "PATCH admin/users", [](Scene& s) { return "/api/admin/users/" + s.user; },
          json_of({{"role", "authorized"}})),
      route(
          kPost, "POST admin/backup", [](Scene&) { return "/api/admin/backup"; },
          json_of({{"target", "relative"}})),
  };
}

std::vector<Row> rows() {
  auto all = tool_rows();
  for (auto& row : route_rows()) all.push_back(std::move(row));
  return all;
}

std::string render(const std::map<std::string, std::vector<std::string>>& table) {
  std::ostringstream out;
  out << "# The rights matrix\n\n"
         "What each tool and route answers to whom, as the tests found it (tests/rights). The "
         "world: a depot `site` with `docs/` and `src/`, and a depot `other`; requests are about "
         "`docs/` of `site`. A delegate scoped to `docs` sees it as a whole depot, so that "
         "`docs/a.txt` "
         "is not there for it.\n\n|  |";
  for (const auto& column : columns()) out << " " << column.name << " |";
  out << "\n|---|";
  for (std::size_t i = 0; i < columns().size(); ++i) out << "---|";
  out << "\n";
  for (const auto& row : rows()) {
    out << "| " << row.name << " |";
    for (const auto& cell : table.at(row.name)) out << " " << cell << " |";
    out << "\n";
  }
  return out.str();
}

TEST(RightsMatrix, IsWhatWasAgreed) {
  std::map<std::string, std::vector<std::string>> table;
  for (const auto& row : rows()) {
    for (const auto& column : columns()) {
      Scene scene;
      auto who = column.make(scene);
      table[row.name].push_back(row.run(scene, who).code);
    }
  }
  const auto found = render(table);
  if (std::getenv("CAIRN_ACCEPT") != nullptr) {
    std::ofstream(CAIRN_MATRIX) << found;
  }
  std::ifstream in(CAIRN_MATRIX);
  std::string agreed((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(found, agreed) << "if this is right, run the test with CAIRN_ACCEPT=1";
}

// Nobody without a good token gets anywhere, whatever is asked: not from the table, but by rule.
TEST(RightsMatrix, LetsNobodyInWithoutAGoodToken) {
  const std::set<std::string_view> bad{"no token",       "malformed",         "unknown",
                                       "expired",        "revoked",           "parent revoked",
                                       "parent expired", "refresh as access", "replayed refresh",
                                       "suspended user"};
  for (const auto& column : columns()) {
    if (!bad.contains(column.name)) continue;
    Scene scene;
    auto who = column.make(scene);
    const auto before = scene.world.root(scene.site);
    for (const auto& row : rows()) {
      auto answer = row.run(scene, who);
      const int expected = column.name == "suspended user" ? 403 : 401;
      EXPECT_EQ(answer.status, expected) << column.name << ": " << row.name << ": " << answer.body;
    }
    EXPECT_EQ(scene.world.root(scene.site), before);
  }
}

// What is not there and what may not be seen look the same, but for the names in the question.
TEST(RightsMatrix, DoesNotTellWhatExists) {
  Scene scene;
  auto token = scene.issue(all_rights({{"scope", json::Array{scene.site + "/src"}}}));
  const std::string no_depot =
      "dpt_" + scene.other.substr(4, 25) + (scene.other.back() == '0' ? "1" : "0");
  auto no_key = scene.docs_key;
  no_key[10] = no_key[10] == '0' ? '1' : '0';
  auto ask = [&](std::string_view tool, json::Object arguments, const std::string& name) {
    auto body = scene.world.call(tool, token, arguments).body;
    for (auto at = body.find(name); at != std::string::npos; at = body.find(name)) {
      body.replace(at, name.size(), "NAME");
    }
    return body;
  };
  EXPECT_EQ(ask("get_depot", {{"depotId", scene.other}}, scene.other),
            ask("get_depot", {{"depotId", no_depot}}, no_depot));
  EXPECT_EQ(ask("fs_ls", {{"nodeKey", scene.other}}, scene.other),
            ask("fs_ls", {{"nodeKey", no_depot}}, no_depot));
  EXPECT_EQ(ask("fs_ls", {{"nodeKey", scene.docs_key}}, scene.docs_key),
            ask("fs_ls", {{"nodeKey", no_key}}, no_key));
  EXPECT_EQ(ask("check_nodes", {{"keys", json::Array{scene.docs_key}}}, scene.docs_key),
            ask("check_nodes", {{"keys", json::Array{no_key}}}, no_key));
  EXPECT_EQ(
      ask("depot_commit", {{"depotId", scene.site}, {"root", scene.docs_key}}, scene.docs_key),
      ask("depot_commit", {{"depotId", scene.site}, {"root", no_key}}, no_key));
}

}  // namespace
}  // namespace cairn::rest_testing
