#include "exposure/cli/skill.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "tools/executor/shape.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxAbout = 1000;

std::string member(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value == nullptr ? std::string() : std::string(json::text(*value));
}

// In a line of its own: what would end it becomes a space.
std::string one_line(std::string text) {
  for (auto& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

// A text as YAML takes it in any place: JSON is YAML.
std::string yaml(const std::string& text) { return json::write(json::Value(text)); }

std::string type_of(const json::Value& schema) {
  if (!schema.is_object()) return "any";
  const auto type = member(schema.get_object(), "type");
  return type.empty() ? "any" : type;
}

std::string argument_table(const json::Object& schema) {
  const auto* properties = json::find(schema, "properties");
  if (properties == nullptr || !properties->is_object() || properties->get_object().empty()) {
    return "No arguments: `{}`.\n";
  }
  std::string out;
  for (const auto& property : properties->get_object()) {
    const std::string_view name = property.key();
    const auto about = property.value().is_object()
                           ? one_line(member(property.value().get_object(), "description"))
                           : std::string();
    out += fmt::format("- `{}` ({}{}){}{}\n", name, type_of(property.value()),
                       shape::is_required(schema, name) ? ", required" : "",
                       about.empty() ? "" : ": ", about);
  }
  return out;
}

std::string tool_section(const json::Object& tool) {
  std::string out =
      fmt::format("### {}\n\n{}\n\n", member(tool, "name"), member(tool, "description"));
  const auto* input = json::find(tool, "inputSchema");
  const auto schema = input != nullptr && input->is_object() ? input->get_object() : json::Object();
  out += argument_table(schema);
  out += fmt::format(
      "\n<details><summary>Input schema</summary>\n\n```json\n{}\n```\n\n</details>\n\n",
      json::write_pretty(json::Value(schema)));
  return out;
}

std::string about(const SkillSource& source) {
  std::string names;
  for (const auto& tool : source.tools) {
    names += (names.empty() ? "" : ", ") + member(tool.as_object(), "name");
  }
  auto text =
      source.description.empty()
          ? fmt::format("Reads and changes data in '{}' with the tools {}", source.name, names)
          : source.description + " Tools: " + names;
  text = one_line(std::move(text));
  if (text.size() > kMaxAbout) {
    auto end = kMaxAbout;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
  }
  return text;
}

std::string skill_page(const SkillSource& source) {
  const auto name = skill_name(source.name);
  auto out = fmt::format("---\nname: {}\ndescription: {}\n---\n\n# {}\n\n", name,
                         yaml(about(source)), one_line(source.name.empty() ? name : source.name));
  if (!source.description.empty()) out += source.description + "\n\n";
  out +=
      "## How to call a tool\n\n"
      "Run the script beside this file with the tool's name and its arguments as one JSON "
      "object:\n\n"
      "```sh\nscripts/call.sh TOOL '{\"argument\": \"value\"}'\n```\n\n"
      "It prints the tool's answer as JSON and ends with 0. When something is wrong it prints "
      "`{\"error\": CODE, \"message\": …}` and ends with 1: the message says what to do instead. "
      "Long arguments may come on standard input: `scripts/call.sh TOOL -`.\n\n"
      "The endpoint's key is taken from the environment variable `CAIRN_ENDPOINT_KEY`, or from "
      "the file `.key` in this folder. `CAIRN_ENDPOINT_URL` overrides the server's address.\n\n"
      "An answer with `truncated: true` was cut; `hint` and `leftOut` say how to get the rest.\n\n"
      "## Tools\n\n";
  for (const auto& tool : source.tools) out += tool_section(tool.as_object());
  return out;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string script(const SkillSource& source) {
  return fmt::format(
      R"(#!/bin/sh
# Calls a tool of a Cairn endpoint: call.sh TOOL [JSON | -]
set -eu
here=$(dirname "$0")
url=${{CAIRN_ENDPOINT_URL:-{0}}}
key=${{CAIRN_ENDPOINT_KEY:-}}
if [ -z "$key" ] && [ -r "$here/../.key" ]; then
  key=$(head -n 1 "$here/../.key")
fi
if [ $# -lt 1 ] || [ -z "$key" ]; then
  echo "usage: CAIRN_ENDPOINT_KEY=... call.sh TOOL [JSON | -]" >&2
  exit 2
fi
case $1 in
  *[!A-Za-z0-9_.-]*) echo "call.sh: '$1' is not the name of a tool" >&2; exit 2 ;;
esac
tool=$1
body=${{2:-"{{}}"}}
if [ "$body" = - ]; then
  body=$(cat)
fi
# Neither key nor arguments stand on curl's command line, where others could see them.
answer=$(printf '%s' "$body" | curl --silent --show-error --config /dev/fd/3 --data-binary @- \
  --write-out '\n%{{http_code}}' --header 'Content-Type: application/json' \
  "$url/api/v2/rest/-/$tool" 3<<KEY
header = "Authorization: Bearer $key"
KEY
)
printf '%s\n' "$answer" | sed '$d'
case $(printf '%s\n' "$answer" | tail -n 1) in
  2??) exit 0 ;;
  *) exit 1 ;;
esac
)",
      shell_quoted(source.url));
}

}  // namespace

std::string skill_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (is_alphanumeric(c)) {
      out += lower(c);
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() == kMaxName) break;
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "cairn-endpoint" : out;
}

std::map<std::string, std::string> make_skill(const SkillSource& source) {
  return {{"SKILL.md", skill_page(source)}, {"scripts/call.sh", script(source)}};
}

}  // namespace cairn::cli
