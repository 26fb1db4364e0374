#include "tools/executor/render.h"

#include <algorithm>

#include "tools/executor/arguments.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

json::Value time_or_null(const std::optional<Millis>& time) {
  return time ? json::Value(*time) : json::Value(nullptr);
}

std::string_view kind_name(DelegateKind kind) {
  switch (kind) {
    case DelegateKind::kPlain:
      return "delegate";
    case DelegateKind::kKey:
      return "key";
    case DelegateKind::kGrant:
      return "grant";
  }
  return "";
}

std::string render_root(const ScopeRoot& root) {
  if (const auto* frozen = std::get_if<FrozenRoot>(&root)) return frozen->key.render();
  return std::get<Place>(root).render();
}

std::vector<shape::Field> depot_fields(bool with_history) {
  std::vector<shape::Field> fields{
      {"depotId", shape::text("What to pass as depotId or nodeKey")},
      {"title", shape::text()},
      {"root", shape::nullable(shape::text("Current root (nod_…); null when it is gone"))},
      {"createdAt", shape::integer("Milliseconds since 1970")},
      {"updatedAt", shape::integer("Milliseconds since 1970")},
  };
  if (with_history) {
    fields.push_back({"maxHistory", shape::integer()});
    fields.push_back(
        {"history",
         shape::list_of(shape::text(),
                        "The last ten earlier roots, newest first; depot_history has all")});
    fields.push_back(
        {"change", shape::integer("The number of the commit that made root"), shape::kOptional});
    fields.push_back({"historyCount", shape::integer("Earlier roots there are"), shape::kOptional});
    fields.push_back({"moreHistory", shape::flag("There are more"), shape::kOptional});
    fields.push_back({"keep", shape::text("What of the history is kept"), shape::kOptional});
    fields.push_back(
        {"tags",
         shape::list_of(shape::object({{"name", shape::text()}, {"change", shape::integer()}})),
         shape::kOptional});
  }
  return fields;
}

}  // namespace

json::Value or_null(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value(nullptr);
}

json::Array render_grants(std::span<const DirectoryGrant> grants) {
  json::Array out;
  for (const auto& grant : grants) {
    out.emplace_back(json::Object{{"name", grant.name}, {"write", grant.write}});
  }
  return out;
}

std::vector<DirectoryGrant> grants_of(const json::Value& list) {
  std::vector<DirectoryGrant> out;
  for (const auto& item : list.get_array()) {
    const Arguments one(item.get_object());
    out.push_back({std::string(one.text("name")), one.flag("write")});
  }
  return out;
}

json::Value grants_shape(std::string_view description) {
  return shape::list_of(
      shape::object({{"name", shape::text("", DirectoryGrant::kMaxNameBytes)},
                     {"write", shape::flag("Default: only reading"), shape::kOptional}}),
      description, DirectoryGrant::kMaxGrants);
}

json::Object render_delegate(const Delegate& delegate) {
  json::Object out;
  out["delegateId"] = delegate.id.render();
  out["name"] = delegate.name;
  out["kind"] = kind_name(delegate.kind);
  out["realm"] = delegate.realm.render();
  out["parentId"] = delegate.parent ? json::Value(delegate.parent->render()) : json::Value(nullptr);
  out["depth"] = delegate.depth;
  out["canUpload"] = delegate.can_upload;
  out["canManageDepot"] = delegate.can_manage_depot;
  if (delegate.depots) {
    json::Array depots;
    for (const auto& depot : *delegate.depots) depots.emplace_back(depot.render());
    out["delegatedDepots"] = std::move(depots);
  } else {
    out["delegatedDepots"] = nullptr;
  }
  if (delegate.scope) {
    json::Array scope;
    for (const auto& root : *delegate.scope) scope.emplace_back(render_root(root));
    out["scope"] = std::move(scope);
  } else {
    out["scope"] = nullptr;
  }
  if (!delegate.directories.empty()) out["directories"] = render_grants(delegate.directories);
  if (!delegate.history) out["history"] = false;
  out["expiresAt"] = time_or_null(delegate.expires_at);
  out["createdAt"] = delegate.created_at;
  out["revokedAt"] = time_or_null(delegate.revoked_at);
  if (delegate.key_made_at) out["keyMadeAt"] = *delegate.key_made_at;
  if (delegate.old_key_until) out["oldKeyUntil"] = *delegate.old_key_until;
  return out;
}

Result<json::Object> render_known(const Delegates& delegates, const Delegate& delegate) {
  auto out = render_delegate(delegate);
  out["lastUsedAt"] = time_or_null(TRY(delegates.last_used(delegate.realm, delegate.id)));
  return out;
}

json::Value delegate_shape() {
  return shape::object({
      {"delegateId", shape::text()},
      {"name", shape::text()},
      {"kind", shape::choice({"delegate", "key", "grant"},
                             "With tokens that are renewed; with a lasting key; of a program that "
                             "a person has let in")},
      {"realm", shape::text()},
      {"parentId", shape::nullable(shape::text())},
      {"depth", shape::integer()},
      {"canUpload", shape::flag()},
      {"canManageDepot", shape::flag()},
      {"delegatedDepots", shape::nullable(shape::list_of(shape::text(), "null: no limit"))},
      {"scope", shape::nullable(shape::list_of(shape::text(), "null: no limit"))},
      {"directories", grants_shape(""), shape::kOptional},
      {"history", shape::flag("false: no earlier versions"), shape::kOptional},
      {"expiresAt", shape::nullable(shape::integer("null: never"))},
      {"createdAt", shape::integer()},
      {"revokedAt", shape::nullable(shape::integer("null: not revoked"))},
      {"keyMadeAt", shape::integer("Since when it has the key it has"), shape::kOptional},
      {"oldKeyUntil", shape::integer("Until when the key before is good as well"),
       shape::kOptional},
      {"lastUsedAt", shape::nullable(shape::integer("To the minute; null: never")),
       shape::kOptional},
  });
}

json::Object render_issued(const CreatedDelegate& created) {
  json::Object out;
  out["delegate"] = render_delegate(created.delegate);
  out["accessToken"] = created.tokens.access.text();
  out["accessTokenExpiresAt"] = created.tokens.access_expires_at;
  out["refreshToken"] = created.tokens.refresh.text();
  return out;
}

json::Object render_key(const CreatedKey& created) {
  json::Object out;
  out["delegate"] = render_delegate(created.delegate);
  out["accessToken"] = created.key.text();
  out["accessTokenExpiresAt"] = time_or_null(created.delegate.expires_at);
  return out;
}

json::Value issued_shape() {
  return shape::object(
      {{"delegate", delegate_shape()},
       {"accessToken", shape::text("Give this to whoever is to act")},
       {"accessTokenExpiresAt", shape::integer("Milliseconds since 1970")},
       {"refreshToken", shape::text("Trade in once for new tokens; a key has none"),
        shape::kOptional}});
}

json::Object render_user(const User& user) {
  json::Object out;
  out["userId"] = user.id.render();
  out["name"] = user.name;
  out["role"] = name(user.role);
  out["hasPassword"] = !user.password.empty();
  out["createdAt"] = user.created_at;
  if (!user.directories.empty()) out["directories"] = render_grants(user.directories);
  return out;
}

json::Value user_shape() {
  return shape::object({{"userId", shape::text("Also the id of the user's realm")},
                        {"name", shape::text()},
                        {"role", shape::choice({"unauthorized", "authorized", "admin"})},
                        {"hasPassword", shape::flag()},
                        {"createdAt", shape::integer()},
                        {"directories", grants_shape(""), shape::kOptional}});
}

json::Object render_depot(const Call& call, const Depot& depot, const Place& place,
                          const std::optional<NodeKey>& root) {
  json::Object out;
  out["depotId"] = call.rights().address_of(place);
  out["title"] = depot.title;
  out["root"] = root ? json::Value(root->render()) : json::Value(nullptr);
  out["createdAt"] = depot.created_at;
  out["updatedAt"] = depot.updated_at;
  return out;
}

json::Value depot_shape(bool with_history) { return shape::object(depot_fields(with_history)); }

json::Object render_range(const ChangeRange& range) {
  return {{"from", range.from}, {"to", range.to}};
}

json::Value range_shape() {
  return shape::object({{"from", shape::integer()}, {"to", shape::integer()}},
                       "Numbers of commits");
}

json::Object render_history_entry(const HistoryEntry& entry) {
  json::Object out;
  out["change"] = entry.sequence;
  out["root"] = entry.root.render();
  out["time"] = entry.time;
  out["author"] = entry.author ? json::Value(entry.author->render()) : json::Value(nullptr);
  out["message"] = entry.message;
  out["merged"] = entry.merged;
  if (entry.purged) out["purged"] = true;
  if (entry.undid) out["undid"] = render_range(*entry.undid);
  return out;
}

json::Value history_entry_shape() {
  return shape::object(
      {{"change", shape::integer("Its number, for dpt_…@#N and depot_undo")},
       {"root", shape::text("What the depot became")},
       {"time", shape::integer("Milliseconds since 1970")},
       {"author", shape::nullable(shape::text("The delegate (dlt_…)"))},
       {"message", shape::text()},
       {"merged", shape::flag("Others' changes were merged in")},
       {"purged", shape::flag("Something was removed from it for good since"), shape::kOptional},
       {"undid", range_shape(), shape::kOptional},
       {"key", shape::text("What the path became"), shape::kOptional},
       {"removed", shape::flag("The path was removed"), shape::kOptional},
       {"tags", shape::list_of(shape::text()), shape::kOptional}});
}

void add_entry(json::Object& out, const EntryValue& value, std::string key) {
  out["type"] = value.kind == Kind::kDict ? "dir" : "file";
  out["key"] = std::move(key);
  if (value.kind == Kind::kDict) {
    out["childCount"] = value.children;
  } else {
    out["size"] = value.bytes;
    out["contentType"] = value.type;
  }
}

std::size_t fitting(const Call& call, const json::Array& rows) {
  Budget budget(call.clock(), call.limits());
  std::size_t count = 0;
  for (const auto& row : rows) {
    const auto bytes = static_cast<std::int64_t>(json::write(row).size() + 1);
    if (!budget.take_bytes(bytes)) break;
    ++count;
  }
  return rows.empty() ? 0 : std::max<std::size_t>(count, 1);
}

}  // namespace cairn
