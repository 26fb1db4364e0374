#include "exposure/cli/delegate_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

bool is_by_index(std::string_view scope) {
  return scope == "." || std::ranges::all_of(scope, [](char c) { return is_digit(c) || c == ':'; });
}

}  // namespace

Result<std::string> scope_root(client::Client& client, const std::string& text) {
  if (is_by_index(text)) return text;
  auto address = TRY(resolve_address(client, text));
  return address.path.empty() ? address.tree.key : address.tree.key + "/" + address.path;
}

std::string rights_of(const Arguments& delegate) {
  std::string out = "read";
  if (delegate.flag("canUpload")) out += ", upload";
  if (delegate.flag("canManageDepot")) out += ", manage depots";
  if (delegate.has("history") && !delegate.flag("history")) out += ", no history";
  for (const auto& item : client::rows_of(delegate.object(), "directories")) {
    const Arguments grant(item.as_object());
    out += fmt::format(", {} directory {}", grant.flag("write") ? "write in" : "read",
                       grant.text("name"));
  }
  return out;
}

std::string sees(const Arguments& delegate) {
  std::string out;
  for (std::string_view name : {"delegatedDepots", "scope"}) {
    for (const auto& text : delegate.texts(name).value_or(std::vector<std::string>())) {
      out += (out.empty() ? "" : ", ") + text;
    }
  }
  if (!out.empty()) return out;
  return delegate.maybe_text("parentId") ? "what its parent sees" : "everything";
}

std::string ends(const Arguments& delegate) {
  if (auto revoked = delegate.maybe_number("revokedAt")) return "revoked " + human_time(*revoked);
  if (auto expires = delegate.maybe_number("expiresAt")) return human_time(*expires);
  return "never";
}

std::string used(const Arguments& delegate) {
  const auto at = delegate.maybe_number("lastUsedAt");
  return at ? human_time(*at) : "never";
}

std::string_view kind_of(const Arguments& delegate) {
  const auto kind = delegate.text("kind");
  return kind.empty() ? "delegate" : kind;
}

void show_delegate(Output& out, const Arguments& delegate) {
  out.print("{}  {}\n", out.paint(Style::kBold, delegate.text("delegateId")),
            out.safe(delegate.text("name")));
  out.print("  parent   {}\n", delegate.maybe_text("parentId").value_or("none, it is the root"));
  if (const auto kind = kind_of(delegate); kind != "delegate") out.print("  kind     {}\n", kind);
  out.print("  rights   {}\n", rights_of(delegate));
  out.print("  sees     {}\n", out.safe(sees(delegate)));
  out.print("  created  {}\n", human_time(delegate.number("createdAt")));
  if (delegate.has("lastUsedAt")) out.print("  used     {}\n", used(delegate));
  out.print("  ends     {}\n", ends(delegate));
  if (auto until = delegate.maybe_number("oldKeyUntil")) {
    out.print("  old key  until {}\n", human_time(*until));
  }
}

void warn_of_end(const Arguments& delegate, Millis now) {
  const auto expires = delegate.maybe_number("expiresAt");
  const auto created = delegate.maybe_number("createdAt");
  if (!expires || !created) return;
  const auto left = *expires - now;
  if (left * 10 >= *expires - *created) return;
  note(
      fmt::format("'{}' ends at {}: less than a tenth of its time is left; have another made "
                  "before",
                  delegate.text("name"), human_time(*expires)));
}

void warn_of_own_end(client::Client& client, Millis now) {
  const auto me = client.call("get_delegate", {});
  if (me && me->is_object()) warn_of_end(Arguments(me->get_object()), now);
}

}  // namespace cairn::cli
