#include "exposure/agent/resources.h"

#include <chrono>

#include <fmt/chrono.h>

#include "base/base64.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/file.h"
#include "exposure/agent/outcome.h"
#include "exposure/agent/resource_uri.h"

namespace cairn::agent {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::int64_t kMaxChildren = 1000;

std::string iso_time(std::int64_t millis) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(millis)};
  return fmt::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(time));
}

json::Object entry(const ResourceUri& uri, std::string_view name, std::string_view description) {
  json::Object out;
  out["uri"] = uri.render();
  out["name"] = name;
  out["title"] = name;
  out["description"] = description;
  out["mimeType"] = kJson;
  return out;
}

// From a row of list_depots.
json::Object depot_entry(const json::Object& depot) {
  const ResourceUri uri{.kind = ResourceUri::Kind::kDepot,
                        .key = std::string(json::text(depot.at("depotId"))),
                        .path = std::nullopt};
  std::string name(json::text(depot.at("title")));
  // A caller that sees several places of one depot has to tell them apart.
  if (const auto slash = uri.key.find('/'); slash != std::string::npos) {
    name += uri.key.substr(slash);
  }
  auto out = entry(uri, name, "Depot: " + name);
  out["annotations"] =
      json::Object{{"lastModified", iso_time(depot.at("updatedAt").to_number<std::int64_t>())}};
  return out;
}

json::Object node_entry(const NodeKey& key) {
  const ResourceUri uri{
      .kind = ResourceUri::Kind::kNode, .key = key.render(), .path = std::nullopt};
  return entry(uri, key.render_short(), "Tree as it is for ever: " + key.render());
}

// One piece of content, without its URI.
struct Content {
  std::string type;
  std::string bytes;
  bool text = true;
  bool immutable = false;
};

Content json_content(const json::Value& value, bool immutable) {
  return {std::string(kJson), json::write(value), true, immutable};
}

Result<Content> file_content(const Reply& reply, std::string_view path) {
  const auto& file = *reply.file;
  if (file.size > Resources::kMaxFileBytes) {
    return fail(Code::kFileTooLarge,
                "'{}' has {} bytes, and a resource is read up to {}; use the tool fs_read with "
                "startLine and endLine",
                shown(path), file.size, Resources::kMaxFileBytes);
  }
  Content out;
  out.type = file.type;
  out.bytes = TRY(read_file(*file.nodes, *TRY(file.nodes->get(file.key))));
  out.text = valid_utf8(out.bytes) && out.bytes.find('\0') == std::string::npos;
  out.immutable = reply.immutable;
  return out;
}

class Reader final {
 public:
  Reader(Executor& executor, const Caller& caller, std::stop_token stop)
      : executor_(executor), caller_(caller), stop_(std::move(stop)) {}

  Result<Content> read(const ResourceUri& uri) {
    if (uri.path) return file_or_directory(uri);
    return uri.kind == ResourceUri::Kind::kDepot ? depot(uri) : node(uri);
  }

 private:
  Result<Content> depot(const ResourceUri& uri) {
    const auto reply = TRY(run("get_depot", {{"depotId", uri.key}}));
    json::Object out;
    for (const auto* name : {"depotId", "title", "root", "updatedAt"}) {
      out[name] = reply.value.get_object().at(name);
    }
    return json_content(out, false);
  }

  Result<Content> node(const ResourceUri& uri) {
    const auto reply = TRY(run("node_metadata", {{"nodeKey", uri.key}}));
    return json_content(reply.value, reply.immutable);
  }

  Result<Content> file_or_directory(const ResourceUri& uri) {
    const auto path = uri.path->render();
    // Which of the two it is, only the store knows; most that are read are files.
    auto file = run("read_file", {{"nodeKey", uri.key}, {"path", path}});
    if (file) return file_content(*file, path);
    if (file.error().code != Code::kNotAFile) return Failure(std::move(file).error());
    const auto listed =
        TRY(run("fs_ls", {{"nodeKey", uri.key}, {"path", path}, {"limit", kMaxChildren}}));
    return json_content(listed.value, listed.immutable);
  }

  Result<Reply> run(std::string_view tool, json::Object arguments) {
    return executor_.run(caller_, tool, std::move(arguments), {}, stop_);
  }

  Executor& executor_;
  const Caller& caller_;
  std::stop_token stop_;
};

}  // namespace

mcp::Rpc<mcp::Page> Resources::list(const Caller& caller, std::string_view cursor) const {
  json::Object arguments{{"limit", kPageSize}};
  if (!cursor.empty()) arguments["cursor"] = cursor;
  auto reply = executor_.run(caller, "list_depots", arguments);
  if (!reply) return std::unexpected(rpc_error(reply.error()));
  mcp::Page page;
  // Frozen roots are few, and not part of the paging.
  if (cursor.empty()) {
    for (const auto& key : caller.session().rights.frozen()) page.items.push_back(node_entry(key));
  }
  const auto& answer = reply->value.get_object();
  for (const auto& depot : answer.at("depots").get_array()) {
    page.items.emplace_back(depot_entry(depot.get_object()));
  }
  if (const auto& next = answer.at("nextCursor"); next.is_string()) {
    page.next_cursor = std::string(json::text(next));
  }
  return page;
}

mcp::Rpc<mcp::ResourceContents> Resources::read(const Caller& caller, std::string_view uri,
                                                const std::stop_token& stop) const {
  const auto parsed = ResourceUri::parse(uri);
  if (!parsed) return std::unexpected(resource_error(uri, parsed.error()));
  auto content = Reader(executor_, caller, stop).read(*parsed);
  if (!content) return std::unexpected(resource_error(uri, content.error()));
  json::Object item;
  item["uri"] = uri;
  item["mimeType"] = content->type;
  if (content->text) {
    item["text"] = std::move(content->bytes);
  } else {
    item["blob"] = base64_encode(content->bytes);
  }
  mcp::ResourceContents out;
  out.contents.emplace_back(std::move(item));
  if (content->immutable) out.caching.ttl_ms = mcp::Caching::kLongest;
  return out;
}

const json::Array& resource_templates() {
  static const json::Array kTemplates = [] {
    struct Row {
      std::string_view uri, name, description, type;
    };
    constexpr Row kRows[] = {
        {"cas://depot:{depotId}", "Depot root",
         "Current root of a depot. Subscribe to receive notifications when the root changes (new "
         "commit).",
         kJson},
        {"cas://depot:{depotId}/{+path}", "File or directory in depot",
         "Read a file (returns text content) or list a directory (returns JSON children list) from "
         "the depot's current root. Path supports name segments and ~N index segments.",
         "text/plain"},
        {"cas://node:{nodeKey}", "CAS node metadata",
         "Structural metadata of an immutable CAS node. For dict nodes: children map. For file "
         "nodes: size and content type. Content never changes — safe to cache indefinitely.",
         kJson},
        {"cas://node:{nodeKey}/{+path}", "File or directory under CAS node",
         "Read a file or list a directory under an immutable CAS node. Content never changes for "
         "the same URI.",
         "text/plain"},
    };
    json::Array out;
    for (const auto& row : kRows) {
      out.emplace_back(json::Object{{"uriTemplate", row.uri},
                                    {"name", row.name},
                                    {"title", row.name},
                                    {"description", row.description},
                                    {"mimeType", row.type}});
    }
    return out;
  }();
  return kTemplates;
}

}  // namespace cairn::agent
