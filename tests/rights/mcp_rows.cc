#include "mcp_rows.h"

namespace cairn::rest_testing {
namespace {

using Params = std::function<json::Object(Scene&)>;

// How many items a list has, or why there is none.
McpRow count_of(std::string method, std::string list, json::Object params = {}) {
  return {method, [=](Scene&, McpDoor& door, const std::string& token) {
            const auto answer = door.ask(token, method, params);
            if (answer.code != "ok") return answer.code;
            return fmt::format("{}", answer.result.at(list).get_array().size());
          }};
}

McpRow ask(std::string name, std::string method, Params params) {
  return {name, [=](Scene& scene, McpDoor& door, const std::string& token) {
            return door.ask(token, method, params(scene)).code;
          }};
}

McpRow read(std::string what, std::function<std::string(Scene&)> uri) {
  return ask("read " + what, "resources/read",
             [uri](Scene& scene) { return json::Object{{"uri", uri(scene)}}; });
}

McpRow subscribe(std::string what, std::function<std::string(Scene&)> uri) {
  return {"subscribe to " + what, [uri](Scene& scene, McpDoor& door, const std::string& token) {
            const auto session = door.open_session(token);
            const json::Object params{{"uri", uri(scene)}};
            return door.ask_in(session, token, "resources/subscribe", params).code;
          }};
}

// A file tool at `/mcp/workspaces/{site}`.
McpRow file_tool(std::string tool, json::Object arguments, std::string more = {}) {
  return {"workspace: " + tool + more, [=](Scene& scene, McpDoor& door, const std::string& token) {
            return door
                .ask_workspace(scene.site, token, "tools/call",
                               {{"name", tool}, {"arguments", arguments}})
                .code;
          }};
}

// A file tool at `/mcp/directories/notes`.
McpRow directory_tool(std::string tool, json::Object arguments, std::string more = {}) {
  return {"directory: " + tool + more, [=](Scene&, McpDoor& door, const std::string& token) {
            return door
                .ask_directory("notes", token, "tools/call",
                               {{"name", tool}, {"arguments", arguments}})
                .code;
          }};
}

// The same for a delegate of whoever asks that was given the directory.
McpRow passed_on(std::string name, bool wants_write, std::string tool, json::Object arguments) {
  return {name, [=](Scene& scene, McpDoor& door, const std::string& token) {
            const json::Object grant{{"name", "notes"}, {"write", wants_write}};
            const auto made =
                scene.world.call("create_delegate", token, {{"directories", json::Array{grant}}});
            if (made.code != "ok") return made.code;
            return door
                .ask_directory("notes", text(made.value.get_object(), "accessToken"), "tools/call",
                               {{"name", tool}, {"arguments", arguments}})
                .code;
          }};
}

McpRow completed(std::string what, json::Object ref, std::string argument, Params context) {
  return {"complete " + what, [=](Scene& scene, McpDoor& door, const std::string& token) {
            const auto answer =
                door.ask(token, "completion/complete",
                         {{"ref", ref},
                          {"argument", json::Object{{"name", argument}, {"value", ""}}},
                          {"context", json::Object{{"arguments", context(scene)}}}});
            if (answer.code != "ok") return answer.code;
            const auto& values = answer.result.at("completion").get_object().at("values");
            return fmt::format("{}", values.get_array().size());
          }};
}

}  // namespace

std::string uri_of(const std::string& key, const std::string& path) {
  auto out = (key.starts_with("dpt_") ? "cas://depot:" : "cas://node:") + key.substr(4);
  return path.empty() ? out : out + "/" + path;
}

const std::vector<McpRow>& mcp_rows() {
  const auto site = [](Scene& s) { return uri_of(s.site); };
  const auto other = [](Scene& s) { return uri_of(s.other); };
  const auto file = [](Scene& s) { return uri_of(s.site, s.path); };
  const auto nothing = [](Scene&) { return json::Object(); };
  static const std::vector<McpRow> all{
      count_of("tools/list", "tools"),
      count_of("resources/list", "resources"),
      count_of("resources/templates/list", "resourceTemplates"),
      count_of("prompts/list", "prompts"),
      read("`site`", site),
      read("`docs/a.txt`", file),
      read("`a.txt`", [](Scene& s) { return uri_of(s.site, "a.txt"); }),
      read("`docs`, listed", [](Scene& s) { return uri_of(s.site, "docs"); }),
      read("the node of `site`", [](Scene& s) { return uri_of(s.site_root); }),
      read("the node of `docs`", [](Scene& s) { return uri_of(s.docs_key); }),
      read("`a.txt` below the node of `docs`",
           [](Scene& s) { return uri_of(s.docs_key, "a.txt"); }),
      read("`other`", other),
      subscribe("`site`", site),
      subscribe("`docs/a.txt`", file),
      subscribe("`other`", other),
      completed("a depot", {{"type", "ref/resource"}, {"uri", "cas://depot:{depotId}"}}, "depotId",
                nothing),
      completed("a path of `site`",
                {{"type", "ref/resource"}, {"uri", "cas://depot:{depotId}/{+path}"}}, "path",
                [](Scene& s) { return json::Object{{"depotId", s.site}}; }),
      completed("a path of `other`",
                {{"type", "ref/resource"}, {"uri", "cas://depot:{depotId}/{+path}"}}, "path",
                [](Scene& s) { return json::Object{{"depotId", s.other}}; }),
      ask("prompts/get for `site`", "prompts/get",
          [](Scene& s) {
            return json::Object{{"name", "edit-files"},
                                {"arguments", json::Object{{"depotId", s.site}}}};
          }),
      ask("prompts/get for `other`", "prompts/get",
          [](Scene& s) {
            return json::Object{{"name", "edit-files"},
                                {"arguments", json::Object{{"depotId", s.other}}}};
          }),
      {"workspace: tools/list",
       [](Scene& scene, McpDoor& door, const std::string& token) {
         const auto answer = door.ask_workspace(scene.site, token, "tools/list", {});
         if (answer.code != "ok") return answer.code;
         return fmt::format("{}", answer.result.at("tools").get_array().size());
       }},
      {"workspace `other`",
       [](Scene& scene, McpDoor& door, const std::string& token) {
         return door.ask_workspace(scene.other, token, "tools/list", {}).code;
       }},
      file_tool("read_file", {{"path", "docs/a.txt"}}),
      file_tool("read_text_file", {{"path", "docs/a.txt"}}),
      file_tool("read_media_file", {{"path", "docs/a.txt"}}),
      file_tool("read_multiple_files", {{"paths", json::Array{"docs/a.txt"}}}),
      file_tool("write_file", {{"path", "docs/a.txt"}, {"content", "w"}}),
      file_tool("write_file", {{"path", "docs/a.txt"}, {"content", "w"}, {"dryRun", true}},
                ", said to be dry"),
      file_tool("edit_file",
                {{"path", "docs/a.txt"},
                 {"edits", json::Array{json::Object{{"oldText", "alpha"}, {"newText", "beta"}}}}}),
      file_tool("create_directory", {{"path", "docs/new"}}),
      file_tool("list_directory", {{"path", "docs"}}),
      file_tool("list_directory_with_sizes", {{"path", "docs"}}),
      file_tool("directory_tree", {{"path", "docs"}}),
      file_tool("move_file", {{"source", "docs/a.txt"}, {"destination", "docs/b.txt"}}),
      file_tool("copy_file", {{"source", "docs/a.txt"}, {"destination", "docs/b.txt"}}),
      file_tool("delete_file", {{"path", "docs/a.txt"}}),
      file_tool("search_files", {{"path", "docs"}, {"pattern", "**"}}),
      file_tool("search_content", {{"path", "docs"}, {"pattern", "alpha"}}),
      file_tool("get_file_info", {{"path", "docs/a.txt"}}),
      file_tool("list_allowed_directories", {}),
      file_tool("history", {}),
      file_tool("undo", {}),
      file_tool("delete_file", {{"path", "docs/a.txt"}, {"dryRun", true}}, ", dryRun"),
      {"directory: tools/list",
       [](Scene&, McpDoor& door, const std::string& token) {
         const auto answer = door.ask_directory("notes", token, "tools/list", {});
         if (answer.code != "ok") return answer.code;
         return fmt::format("{}", answer.result.at("tools").get_array().size());
       }},
      {"directory `none`",
       [](Scene&, McpDoor& door, const std::string& token) {
         return door.ask_directory("none", token, "tools/list", {}).code;
       }},
      directory_tool("read_text_file", {{"path", "a.txt"}}),
      directory_tool("write_file", {{"path", "b.txt"}, {"content", "w"}}),
      {"filesystem: list_allowed_directories",
       [](Scene&, McpDoor& door, const std::string& token) {
         return door.ask_filesystem(token, {{"method", "list_allowed_directories"}}).code;
       }},
      passed_on("directory, passed on to read: read_text_file", false, "read_text_file",
                {{"path", "a.txt"}}),
      passed_on("directory, passed on to read: write_file", false, "write_file",
                {{"path", "b.txt"}, {"content", "w"}}),
      passed_on("directory, passed on to write: write_file", true, "write_file",
                {{"path", "b.txt"}, {"content", "w"}}),
  };
  return all;
}

}  // namespace cairn::rest_testing
