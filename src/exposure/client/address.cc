#include "exposure/client/address.h"

#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/similar.h"
#include "exposure/client/pages.h"

namespace cairn::client {
namespace {

// The ids of the depots with the title.
Result<std::vector<std::string>> look_up(Client& client, std::string_view title) {
  const auto answer = TRY(client.call("list_depots", {{"title", title}}));
  std::vector<std::string> ids;
  for (const auto& row : rows_of(answer.as_object(), "depots")) {
    ids.emplace_back(Arguments(row.as_object()).text("depotId"));
  }
  return ids;
}

Failure ambiguous(std::string_view title, const std::vector<std::string>& ids) {
  std::string list;
  for (const auto& id : ids) list += (list.empty() ? "" : ", ") + id;
  return Failure(Error(Code::kAmbiguousKey,
                       fmt::format("{} depots have the title '{}': {}; name one by its id",
                                   ids.size(), shown(title), list))
                     .with("ids", ids));
}

// Lists them all for the hint only.
Failure unknown(Client& client, std::string_view title) {
  std::vector<std::string> titles;
  const auto listed = for_each(client, "list_depots", {{"limit", 1000}}, "depots",
                               [&](const json::Object& depot) -> Result<More> {
                                 titles.emplace_back(Arguments(depot).text("title"));
                                 return More::kYes;
                               });
  return fail(Code::kDepotNotFound, "there is no depot '{}'{} 'cairn depot list' shows all of them",
              shown(title), listed ? hint_for(title, titles, ";") : ";");
}

std::optional<Tree> by_form(std::string_view tree) {
  if (tree.starts_with("nod_")) return Tree{std::string(tree), TreeKind::kNode};
  if (tree.starts_with("dpt_")) return Tree{std::string(tree), TreeKind::kDepot};
  return std::nullopt;
}

}  // namespace

Address Address::parse(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {std::string(text), ""};
  auto path = text.substr(colon + 1);
  // As people write it; a tree has no other root.
  while (path.starts_with('/')) path.remove_prefix(1);
  return {std::string(text.substr(0, colon)), std::string(path)};
}

Result<std::optional<Tree>> find_tree(Client& client, std::string_view tree) {
  if (auto known = by_form(tree)) return known;
  auto found = TRY(look_up(client, tree));
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) return ambiguous(tree, found);
  return Tree{found.front(), TreeKind::kDepot};
}

Result<Tree> resolve(Client& client, std::string_view tree) {
  if (auto known = by_form(tree)) return *known;
  if (tree.empty()) {
    return fail(Code::kInvalidArgument,
                "no depot is named; write its title or id, as in my-project:src/main.ts");
  }
  auto found = TRY(find_tree(client, tree));
  if (!found) return unknown(client, tree);
  return std::move(*found);
}

Result<std::string> resolve_depot(Client& client, std::string_view depot) {
  auto tree = TRY(resolve(client, depot));
  if (tree.kind == TreeKind::kDepot) return tree.key;
  return fail(Code::kInvalidArgument, "{} is a node; this needs a depot, by id or title",
              shown(depot));
}

json::Object Resolved::arguments() const {
  json::Object out{{"nodeKey", tree.key}};
  if (!path.empty()) out["path"] = path;
  return out;
}

Result<Resolved> resolve_address(Client& client, std::string_view address) {
  auto parsed = Address::parse(address);
  while (parsed.path.ends_with('/')) parsed.path.pop_back();
  return Resolved{TRY(resolve(client, parsed.tree)), std::move(parsed.path)};
}

Result<Resolved> resolve_file(Client& client, std::string_view address) {
  auto resolved = TRY(resolve_address(client, address));
  if (!resolved.path.empty()) return resolved;
  return fail(Code::kInvalidArgument, "'{}' names no path; write DEPOT:PATH", shown(address));
}

}  // namespace cairn::client
