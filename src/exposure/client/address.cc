#include "exposure/client/address.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/quote.h"
#include "base/similar.h"
#include "data/realm/version.h"
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
  if (!tree.starts_with("dpt_")) return std::nullopt;
  const auto slash = std::min(tree.find('/'), tree.size());
  const auto at = tree.substr(0, slash).find('@');
  if (at == std::string_view::npos) return Tree{std::string(tree), TreeKind::kDepot};
  return Tree{fmt::format("{}@{}{}", tree.substr(0, at),
                          version_here(tree.substr(at + 1, slash - at - 1)), tree.substr(slash)),
              TreeKind::kDepot};
}

// By how much local time is ahead of UTC at a time.
Millis zone_at(Millis time) {
  const std::time_t seconds = time / 1000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return static_cast<Millis>(parts.tm_gmtoff) * 1000;
}

std::string render_utc(Millis time) {
  const std::time_t seconds = (time + 999) / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

// Where the tree's name ends. A version may be a time, with colons of its own.
std::size_t end_of_tree(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto at = text.substr(0, colon).rfind('@');
  if (at == std::string_view::npos) return colon;
  constexpr std::size_t kLongest = 40;
  const auto rest = text.substr(at + 1, kLongest);
  for (auto end = rest.size(); end > colon - at - 1 && end != std::string_view::npos;
       end = end == 0 ? std::string_view::npos : rest.rfind(':', end - 1)) {
    const bool whole = end == rest.size() && at + 1 + end != text.size();
    if (!whole && Version::parse(rest.substr(0, end))) return at + 1 + end;
  }
  return colon;
}

// A title and a version of it: `my-project@~1`.
struct Titles {
  std::string_view title;
  std::string_view version;
};
std::optional<Titles> split_version(std::string_view tree) {
  const auto at = tree.rfind('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  return Titles{tree.substr(0, at), tree.substr(at + 1)};
}

// `my-project@~1`, of the depot that has the title; nullopt when none has.
Result<std::optional<Tree>> by_version(Client& client, std::string_view tree) {
  const auto split = split_version(tree);
  if (!split) return std::nullopt;
  const auto found = TRY(look_up(client, split->title));
  if (found.size() > 1) return ambiguous(split->title, found);
  if (found.empty()) return std::nullopt;
  TRY(Version::parse(split->version));
  // A caller that sees several places of a depot has addresses with a path in them.
  const auto& id = found.front();
  const auto slash = std::min(id.find('/'), id.size());
  return Tree{
      fmt::format("{}@{}{}", id.substr(0, slash), version_here(split->version), id.substr(slash)),
      TreeKind::kDepot};
}

}  // namespace

std::string version_here(std::string_view version) {
  const auto parsed = Version::parse(version);
  const auto* at = parsed ? std::get_if<Version::At>(&parsed->value) : nullptr;
  if (at == nullptr || at->zoned) return std::string(version);
  const auto now = SystemClock().now();
  const auto about = parsed->moment(now, zone_at(now)).value_or(now);
  return render_utc(parsed->moment(now, zone_at(about)).value_or(now));
}

Address Address::parse(std::string_view text) {
  const auto end = end_of_tree(text);
  if (end == text.size()) return {std::string(text), ""};
  auto path = text.substr(end + 1);
  // As people write it; a tree has no other root.
  while (path.starts_with('/')) path.remove_prefix(1);
  return {std::string(text.substr(0, end)), std::string(path)};
}

Result<std::optional<Tree>> find_tree(Client& client, std::string_view tree) {
  if (auto known = by_form(tree)) return known;
  auto found = TRY(look_up(client, tree));
  if (found.size() > 1) return ambiguous(tree, found);
  if (!found.empty()) return Tree{found.front(), TreeKind::kDepot};
  return by_version(client, tree);
}

Result<Tree> resolve(Client& client, std::string_view tree) {
  if (auto known = by_form(tree)) return *known;
  if (tree.empty()) {
    return fail(Code::kInvalidArgument,
                "no depot is named; write its title or id, as in my-project:src/main.ts");
  }
  auto found = TRY(find_tree(client, tree));
  const auto split = split_version(tree);
  if (!found) return unknown(client, split ? split->title : tree);
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
