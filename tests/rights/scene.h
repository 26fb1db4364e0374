// The world in which rights are asked for, who asks, and what every tool is asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "world.h"

namespace cairn::rest_testing {

// What a request needs to know of the world it is made in.
struct Scene {
  World world;
  std::string site;       // a depot: docs/a.txt, docs/data.json, docs/sub/x.txt, src/main.ts
  std::string other;      // a depot: secret.txt
  std::string gone;       // a depot that was deleted
  std::string site_root;  // its root
  std::string docs_key;   // the directory docs, as a node
  std::string new_root;   // written by the owner, not committed
  std::string delegate;   // one the owner made
  std::string key;        // one with a lasting key, too
  std::string user;       // a user
  std::string tool;       // of the owner's: a query of docs/data.json
  std::string endpoint;   // of the owner's, that binds it
  std::string binding;
  std::string path = "docs/a.txt";

  Scene();
  std::string issue(const json::Object& wanted) {
    return text(world.must("create_delegate", world.owner, wanted), "accessToken");
  }
};

// The definition of a tool that reads.
json::Object a_tool(const Scene& scene);

// Who calls, and whose realm it names.
struct Who {
  std::string token;
  std::string realm = "me";
};

struct Column {
  std::string_view name;
  std::function<Who(Scene&)> make;
};

// Everything that can be given.
json::Object all_rights(json::Object more = {});

// Everybody who should not get through, and some who should.
const std::vector<Column>& columns();

// A tool, and what it is asked in a scene.
struct ToolCall {
  std::string name;
  std::function<json::Object(Scene&)> arguments;
  std::string tool = {};  // when the name is not the tool's

  const std::string& called() const { return tool.empty() ? name : tool; }
};
const std::vector<ToolCall>& tool_calls();

}  // namespace cairn::rest_testing
