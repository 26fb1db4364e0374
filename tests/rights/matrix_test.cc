// The rights matrix: every route and tool, called by everybody who should not get through, and by
// some who should, over REST and over MCP. One table of codes, kept in docs/rights.md;
// CAIRN_ACCEPT=1 writes it anew.

#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "data/cas/file.h"
#include "mcp_rows.h"
#include "scene.h"

namespace cairn::rest_testing {
namespace {

// What is asked for.
struct Row {
  std::string name;
  std::function<Answer(Scene&, const Who&)> run;
};

Row tool(const ToolCall& call) {
  return {call.name, [&call](Scene& scene, const Who& who) {
            auto given = call.arguments(scene);
            return scene.world.call(call.called(), who.token, given, who.realm);
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
          kPost, "POST purge", [](Scene&) { return "/api/realm/{r}/purge"; },
          [](Scene& s) -> std::optional<std::string> {
            return json::write(json::Object{{"depotId", s.site}, {"path", "docs/a.txt"}});
          }),
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
          kPost, "POST depot restore",
          [](Scene& s) { return fmt::format("/api/realm/{{r}}/depots/{}/restore", s.gone); },
          an_object),
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
      route(
          kPatch, "PATCH delegate",
          [](Scene& s) { return "/api/realm/{r}/delegates/" + s.delegate; },
          json_of({{"name", "renamed"}})),
      route(
          kPost, "POST delegate rotate",
          [](Scene& s) { return "/api/realm/{r}/delegates/" + s.key + "/rotate"; }, an_object),
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
      route(kGet, "GET adi", [](Scene& s) { return "/api/realm/{r}/adi/" + s.tool; }),
      route(kDelete, "DELETE adi", [](Scene& s) { return "/api/realm/{r}/adi/" + s.tool; }),
      route(kGet, "GET aei", [](Scene& s) { return "/api/realm/{r}/aei/" + s.endpoint; }),
      route(
          kPost, "POST aei rotate",
          [](Scene& s) { return "/api/realm/{r}/aei/" + s.endpoint + "/rotate"; }, an_object),
      route(kDelete, "DELETE binding",
            [](Scene& s) { return "/api/realm/{r}/aei/" + s.endpoint + "/bindings/" + s.binding; }),
      route(kGet, "GET admin/users", [](Scene&) { return "/api/admin/users"; }),
      route(
          kPost, "POST admin/users", [](Scene&) { return "/api/admin/users"; },
          json_of({{"name", "dave"}})),
      route(
          kPatch, "PATCH admin/users", [](Scene& s) { return "/api/admin/users/" + s.user; },
          json_of({{"role", "authorized"}})),
      route(kDelete, "DELETE admin/users",
            [](Scene& s) { return "/api/admin/users/" + s.user + "?dryRun=true"; }),
      route(
          kPost, "POST admin/backup", [](Scene&) { return "/api/admin/backup"; },
          json_of({{"target", "relative"}})),
  };
}

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const auto& call : tool_calls()) all.push_back(tool(call));
  for (auto& row : route_rows()) all.push_back(std::move(row));
  return all;
}

using Table = std::map<std::string, std::vector<std::string>>;

template <typename Rows>
void render(std::ostream& out, const Rows& rows, const Table& table) {
  out << "|  |";
  for (const auto& column : columns()) out << " " << column.name << " |";
  out << "\n|---|";
  for (std::size_t i = 0; i < columns().size(); ++i) out << "---|";
  out << "\n";
  for (const auto& row : rows) {
    out << "| " << row.name << " |";
    for (const auto& cell : table.at(row.name)) out << " " << cell << " |";
    out << "\n";
  }
}

std::string render(const Table& table, const Table& over_mcp) {
  std::ostringstream out;
  out << "# The rights matrix\n\n"
         "What each tool and route answers to whom, as the tests found it (tests/rights). The "
         "world: a depot `site` with `docs/` and `src/`, and a depot `other`; requests are about "
         "`docs/` of `site`. A delegate scoped to `docs` sees it as a whole depot, so that "
         "`docs/a.txt` "
         "is not there for it.\n\n";
  render(out, rows(), table);
  out << "\n## Over MCP\n\n"
         "The tools for agents answer over MCP as above, word for word; but whose realm it is, the "
         "token says alone, so that who names another's realm above is just another user there. "
         "What only MCP has answers so; a number is how many there are to see.\n\n";
  render(out, mcp_rows(), over_mcp);
  return out.str();
}

// A caller in a scene of its own, for as long as nothing it asks for is done: making a scene takes
// longer than all that is asked in it, and most callers are refused.
class Stage {
 public:
  explicit Stage(const Column& column) : column_(column) {}

  template <typename Ask>
  auto ask(const Ask& ask) {
    if (!scene_) who_ = column_.make(scene_.emplace());
    auto answer = ask(*scene_, who_);
    if (answer.code == "ok") scene_.reset();
    return answer;
  }

 private:
  const Column& column_;
  std::optional<Scene> scene_;
  Who who_;
};

TEST(RightsMatrix, IsWhatWasAgreed) {
  Table table;
  for (const auto& column : columns()) {
    Stage stage(column);
    for (const auto& row : rows()) table[row.name].push_back(stage.ask(row.run).code);
  }
  Table over_mcp;
  for (const auto& row : mcp_rows()) {
    for (const auto& column : columns()) {
      Scene scene;
      McpDoor door(scene.world);
      over_mcp[row.name].push_back(row.run(scene, door, column.make(scene).token));
    }
  }
  const auto found = render(table, over_mcp);
  if (std::getenv("CAIRN_ACCEPT") != nullptr) {
    std::ofstream(CAIRN_MATRIX) << found;
  }
  std::ifstream in(CAIRN_MATRIX);
  std::string agreed((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(found, agreed) << "if this is right, run the test with CAIRN_ACCEPT=1";
}

// The same executor, the same answer: what a tool says over MCP is what it says over REST.
TEST(RightsMatrix, IsTheSameOverMcp) {
  int asked = 0;
  Scene any;
  for (const auto& column : columns()) {
    Stage over_rest_stage(column);
    Stage over_mcp_stage(column);
    for (const auto& call : tool_calls()) {
      if (!is_for_agents(any.world, call.called())) continue;
      const auto over_rest = over_rest_stage.ask([&](Scene& scene, const Who& who) {
        return scene.world.call(call.called(), who.token, call.arguments(scene));
      });
      const auto answer = over_mcp_stage.ask([&](Scene& scene, const Who& who) {
        McpDoor door(scene.world);
        return door.call(who.token, call.called(), call.arguments(scene));
      });
      ++asked;
      EXPECT_EQ(answer.code, over_rest.code) << call.name << ", " << column.name;
      EXPECT_EQ(with_short_keys(answer.text), with_short_keys(as_text_block(over_rest)))
          << call.name << ", " << column.name;
    }
  }
  EXPECT_EQ(asked, 49 * static_cast<int>(columns().size()));
}

// Nobody without a good token gets anywhere, whatever is asked: not from the table, but by rule.
TEST(RightsMatrix, LetsNobodyInWithoutAGoodToken) {
  const std::set<std::string_view> bad{"no token",
                                       "malformed",
                                       "unknown",
                                       "expired",
                                       "revoked",
                                       "parent revoked",
                                       "parent expired",
                                       "refresh as access",
                                       "replayed refresh",
                                       "suspended user",
                                       "lasting key, replaced"};
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

// In its request's id any answer differs from any other.
std::string without_request_id(std::string body) {
  const std::string_view member = "\"requestId\":\"";
  if (const auto from = body.find(member); from != std::string::npos) {
    body.erase(from, body.find('"', from + member.size()) + 1 - from);
  }
  return body;
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
    auto body = without_request_id(scene.world.call(tool, token, arguments).body);
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
