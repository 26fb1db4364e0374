#include "exposure/agent/agent_service.h"

#include <algorithm>
#include <ranges>

#include "base/base64.h"
#include "exposure/agent/completion.h"
#include "exposure/agent/outcome.h"
#include "exposure/agent/prompts.h"
#include "exposure/agent/resource_uri.h"
#include "exposure/mcp/exchange.h"
#include "tools/executor/definition.h"
#include "tools/executor/joined_toolbox.h"
#include "tools/executor/table_toolbox.h"

namespace cairn::agent {
namespace {

// Those that are the same for all do not change while the server runs; another version of it may
// have others. Which tools somebody may use changes with its rights, which is told to who listens.
constexpr mcp::Caching kForAll{.ttl_ms = 3600 * 1000, .for_all = true};
constexpr mcp::Caching kForOne{.ttl_ms = 5 * 60 * 1000, .for_all = false};

constexpr std::string_view kInstructions =
    "Cairn keeps trees of files with every version of them. A depot (dpt_…) is a named pointer to "
    "the root of a tree, like a git branch; a node (nod_…) is immutable content named by its hash. "
    "Tools that take a nodeKey take either.\n"
    "Begin with list_depots, then fs_tree. Paths are relative: 'src/main.ts'.\n"
    "Writes (fs_write, fs_edit, fs_rm, …) do not change the depot: each gives a newRoot. Pass it "
    "as "
    "nodeKey to the next write, and when all is done call depot_commit once with the last one; "
    "what is not committed is lost after a day. Others may have committed meanwhile: their changes "
    "are merged with yours, or the commit fails with CONFLICT and changes nothing; it shows the "
    "lines that do not fit, and mergedRoot, in which all else is merged: edit those lines there "
    "and commit that. Never force. Whatever changes something can be tried out: dryRun: true.\n"
    "Answers are cut at about 60 KB and say how to get the rest (truncated, hint, nextCursor, "
    "collapsed). Errors read 'Error: CODE — message', and the message says what to do instead.";

// Three stones on one another.
constexpr std::string_view kIcon =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#57606a"><ellipse cx="12" cy="19" rx="9" ry="4"/><ellipse cx="12" cy="12" rx="6.5" ry="3.2"/><ellipse cx="12" cy="6" rx="4" ry="2.6"/></svg>)";

mcp::Offer make_offer(std::string version) {
  mcp::Offer offer;
  offer.name = "cairn";
  offer.title = "Cairn";
  offer.version = std::move(version);
  json::Object icon{{"src", "data:image/svg+xml;base64," + base64_encode(kIcon)},
                    {"mimeType", "image/svg+xml"},
                    {"sizes", json::Array{"any"}}};
  offer.icons.emplace_back(std::move(icon));
  offer.instructions = kInstructions;
  offer.tools_change = true;
  offer.resources_change = true;
  offer.subscriptions = true;
  return offer;
}

// Every principal that comes back was made here.
// So the cast needs no check.
const AgentPrincipal& ours(const mcp::Principal& principal) {
  return static_cast<const AgentPrincipal&>(principal);
}

const AgentPrincipal& asker(mcp::Exchange& exchange) { return ours(*exchange.principal()); }

std::unordered_map<const Tool*, json::Object> definitions_of(const ToolTable& table) {
  std::unordered_map<const Tool*, json::Object> out;
  for (const auto& tool : table.tools()) {
    if (tool.audience == Audience::kAgents) out.emplace(&tool, definition(tool));
  }
  return out;
}

// Takes the name out of a list; false: it is not in it. A list of nothing else is none.
bool take_name(std::optional<std::string>& list, std::string_view name) {
  if (!list) return false;
  bool found = false;
  std::string rest;
  for (const auto part : std::views::split(*list, ',')) {
    const std::string_view item(part);
    const auto begin = std::min(item.find_first_not_of(" \t"), item.size());
    const auto end = item.find_last_not_of(" \t") + 1;
    if (end > begin && item.substr(begin, end - begin) == name) {
      found = true;
    } else {
      rest += (rest.empty() ? "" : ",") + std::string(item);
    }
  }
  if (!found) return false;
  list = rest.empty() ? std::nullopt : std::optional(std::move(rest));
  return true;
}

// The one tool that is not of the table: as a set of itself, or by its name.
bool take_filesystem(SelectionRequest& request) {
  const bool as_set = take_name(request.toolsets, work::FileTools::kOneTool);
  return take_name(request.tools, work::FileTools::kOneTool) || as_set;
}

}  // namespace

AgentService::AgentService(Executor& executor, AgentOptions options)
    : ToolService(make_offer(std::move(options.version))),
      executor_(executor),
      directories_(options.directories),
      definitions_(definitions_of(executor.table())),
      default_(Selection::parse({}, executor.table()).value()),
      resources_(executor),
      changes_(executor.observer()) {}

mcp::Caching AgentService::caching() const { return kForOne; }

json::Object AgentService::definition_of(const Tool& tool) const {
  const auto found = definitions_.find(&tool);
  return found == definitions_.end() ? definition(tool) : found->second;
}

Result<mcp::PrincipalPtr> AgentService::principal(Caller caller,
                                                  const SelectionRequest& request) const {
  auto rest = request;
  ToolboxPtr files;
  if (take_filesystem(rest)) {
    if (directories_ == nullptr) {
      return fail(Code::kInvalidArgument,
                  "there is no tool 'filesystem' here: it is for directories of a server that was "
                  "started with them, cairn serve --root NAME=DIR");
    }
    files = TRY(directories_->filesystem(caller, request.read_only));
    // Nothing else was asked for.
    if (!rest.toolsets && !rest.tools) {
      return std::make_shared<const AgentPrincipal>(std::move(caller), std::move(files));
    }
  }
  // Most ask for nothing special, and a principal may be made for every request.
  auto selection =
      rest == SelectionRequest() ? default_ : TRY(Selection::parse(rest, executor_.table()));
  ToolboxPtr box = std::make_shared<const TableToolbox>(executor_, caller, std::move(selection));
  if (files != nullptr) box = std::make_shared<const JoinedToolbox>(std::move(box), files);
  return std::make_shared<const AgentPrincipal>(std::move(caller), std::move(box));
}

Result<mcp::PrincipalPtr> AgentService::admit(std::string_view token,
                                              const SelectionRequest& request,
                                              std::string_view desk) const {
  return admit(TRY(executor_.authenticate(token, "me", Entrance::kMcp)), request, desk);
}

Result<mcp::PrincipalPtr> AgentService::admit(Caller caller, const SelectionRequest& request,
                                              std::string_view desk) const {
  constexpr std::size_t kMaxDeskBytes = 200;
  if (!desk.empty()) {
    caller = caller.at({.depot = {}, .name = std::string(desk.substr(0, kMaxDeskBytes))});
  }
  return principal(std::move(caller), request);
}

Result<mcp::PrincipalPtr> AgentService::trusted(const RealmId& realm,
                                                const SelectionRequest& request) const {
  return principal(TRY(executor_.trusted(realm, Entrance::kMcp)), request);
}

mcp::Rpc<mcp::Page> AgentService::list_resources(mcp::Exchange& exchange, std::string_view cursor) {
  return resources_.list(asker(exchange).caller(), cursor);
}

// Nothing in it depends on who asks, so proxies may keep it.
mcp::Rpc<mcp::Page> AgentService::list_templates(mcp::Exchange&, std::string_view cursor) {
  return mcp::page_of(resource_templates(), cursor, kPageSize, kForAll);
}

mcp::Rpc<mcp::ResourceContents> AgentService::read_resource(mcp::Exchange& exchange,
                                                            std::string_view uri) {
  return resources_.read(asker(exchange).caller(), uri, exchange.stopping());
}

mcp::Rpc<mcp::Page> AgentService::list_prompts(mcp::Exchange&, std::string_view cursor) {
  return mcp::page_of(prompt_list(), cursor, kPageSize, kForAll);
}

mcp::Rpc<json::Object> AgentService::get_prompt(mcp::Exchange& exchange, std::string_view name,
                                                const json::Object& arguments) {
  return agent::get_prompt(executor_, asker(exchange).caller(), name, arguments);
}

mcp::Rpc<mcp::Completion> AgentService::complete(mcp::Exchange& exchange,
                                                 const mcp::CompletionRequest& request) {
  return agent::complete(executor_, asker(exchange).caller(), request);
}

mcp::Rpc<mcp::Watched> AgentService::watch(const mcp::Principal& principal,
                                           const mcp::Subject& subject) {
  // A caller that is no longer let in is told nothing.
  if (!still_valid(principal)) {
    return mcp::rpc_fail(mcp::rpc_code::kResourceNotFound, "your token is not good any more");
  }
  // With the rights of now: who listens was let in long ago.
  const auto caller = executor_.as_now(ours(principal).caller());
  if (!caller) return std::unexpected(rpc_error(caller.error()));
  const auto& session = caller->session();
  const auto* kind = std::get_if<mcp::ListKind>(&subject);
  if (kind == nullptr) return watch_resource(session, std::get<std::string>(subject));
  return watch_list(session, ours(principal), *kind);
}

// They change with the rights of whoever asks.
mcp::Rpc<mcp::Watched> AgentService::watch_tools(const Session& session,
                                                 const AgentPrincipal& principal) {
  changes_.cover(session.realm);
  std::string names;
  const auto box = principal.toolbox();
  if (!box) return std::unexpected(rpc_error(box.error()));
  for (const auto* tool : (*box)->offered()) names += tool->name + "\n";
  return mcp::Watched{ChangeWatch::tools_topic(session.realm), std::move(names)};
}

mcp::Rpc<mcp::Watched> AgentService::watch_list(const Session& session,
                                                const AgentPrincipal& principal,
                                                mcp::ListKind kind) {
  switch (kind) {
    case mcp::ListKind::kTools:
      return watch_tools(session, principal);
    case mcp::ListKind::kPrompts:
      return mcp::Watched{"prompts", "always the same"};
    case mcp::ListKind::kResources:
      break;
  }
  // Before it is looked at: what changes later is announced.
  changes_.cover(session.realm);
  auto stamp = executor_.observer().depots_stamp(session);
  if (!stamp) return std::unexpected(rpc_error(stamp.error()));
  return mcp::Watched{ChangeWatch::depots_topic(session.realm), std::move(*stamp)};
}

mcp::Rpc<mcp::Watched> AgentService::watch_resource(const Session& session,
                                                    const std::string& uri) {
  const auto parsed = ResourceUri::parse(uri);
  if (!parsed) return std::unexpected(resource_error(uri, parsed.error()));
  changes_.cover(session.realm);
  const auto& observer = executor_.observer();
  const bool whole = !parsed->path && parsed->kind == ResourceUri::Kind::kDepot;
  auto stamp = whole ? observer.depot_stamp(session, parsed->key)
                     : observer.path_stamp(session, parsed->key, parsed->path.value_or(Path()));
  if (!stamp) return std::unexpected(resource_error(uri, stamp.error()));
  if (parsed->kind == ResourceUri::Kind::kNode) {
    // A node never changes.
    return mcp::Watched{"nodes", std::move(*stamp)};  // never announced
  }
  // The address of a place is the depot's id and a path; the topic is the depot's.
  const auto id = std::string_view(parsed->key).substr(0, parsed->key.find('/'));
  return mcp::Watched{ChangeWatch::depot_topic(session.realm, *DepotId::parse(id)),
                      std::move(*stamp)};
}

}  // namespace cairn::agent
