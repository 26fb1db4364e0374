#include <algorithm>

#include "tools/delegates/tools.h"
#include "tools/delegates/wanted.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

bool is_null(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value != nullptr && value->is_null();
}

// As the parent of the delegate names what it sees, whoever asks: it has no more to give.
Result<std::optional<std::vector<ScopeRoot>>> scope_of(Call& call, const Delegate& delegate,
                                                       const std::vector<std::string>& texts) {
  const auto parent =
      TRY(call.services().delegates.act_as(delegate.realm, delegate.parent.value()));
  return Sight(call.realm(), *parent).narrow(texts);
}

Result<DelegateChange> change_of(Call& call, const Delegate& delegate, const Arguments& arguments) {
  const auto& given = arguments.object();
  DelegateChange out;
  if (auto name = arguments.maybe_text("name")) out.name = *name;
  if (arguments.has("canUpload")) out.can_upload = arguments.flag("canUpload");
  if (arguments.has("canManageDepot")) out.can_manage_depot = arguments.flag("canManageDepot");
  if (is_null(given, "delegatedDepots")) {
    out.depots.emplace();
  } else if (auto depots = arguments.texts("delegatedDepots")) {
    out.depots.emplace(TRY(wanted::depots(call, *depots)));
  }
  if (is_null(given, "scope")) {
    out.scope.emplace();
  } else if (auto scope = arguments.texts("scope")) {
    out.scope.emplace(TRY(scope_of(call, delegate, *scope)));
  }
  if (const auto* grants = json::find(given, "directories")) {
    out.directories = TRY(wanted::directories(call, *grants));
  }
  if (is_null(given, "expiresIn")) {
    out.expires_in.emplace();
  } else if (auto seconds = arguments.maybe_number("expiresIn")) {
    out.expires_in.emplace(*seconds);
  }
  return out;
}

Result<Reply> run_update_delegate(Call& call, const Arguments& arguments) {
  auto& delegates = call.services().delegates;
  const auto id = TRY(DelegateId::parse(arguments.text("delegateId")));
  // Before anything is looked at for it: who may not change it, or what is over.
  const auto before = TRY(delegates.change(call.session(), id, {}));
  const bool something = std::ranges::any_of(
      arguments.object(), [](const auto& member) { return member.key() != "delegateId"; });
  if (!something) {
    return fail(Code::kInvalidArgument,
                "nothing is to be changed: give name, canUpload, canManageDepot, delegatedDepots, "
                "scope, directories or expiresIn");
  }
  const auto wanted = TRY(change_of(call, before, arguments));
  return Reply(TRY(render_known(delegates, TRY(delegates.change(call.session(), id, wanted)))));
}

}  // namespace

Tool update_delegate() {
  return {
      .name = "update_delegate",
      .title = "Change a delegate",
      .description =
          "Gives a delegate below you more or less, at once and without a new token: what is left "
          "out stays as it is. It never has more than its parent. When it is to see less, so do "
          "all "
          "below it, and what they wrote before cannot be named by its key any more. null means as "
          "its parent, for a key 90 days.",
      .input = shape::object(
          {{"delegateId", shape::text("One below you (dlt_…)")},
           {"name", shape::text("For people", Delegate::kMaxNameBytes), shape::kOptional},
           {"canUpload", shape::flag("May write and commit"), shape::kOptional},
           {"canManageDepot", shape::flag("May create, rename and delete depots"),
            shape::kOptional},
           {"delegatedDepots",
            shape::nullable(
                shape::list_of(shape::text(), "Only these depots (dpt_…)", Delegate::kMaxRoots)),
            shape::kOptional},
           {"scope",
            shape::nullable(shape::list_of(shape::text("", 5000),
                                           "What it sees, as with create_delegate; indices and '.' "
                                           "are of what its parent sees",
                                           Delegate::kMaxRoots)),
            shape::kOptional},
           {"directories", grants_shape("The server's directories, by name: all that it has"),
            shape::kOptional},
           {"expiresIn", shape::nullable(shape::integer("Seconds from now", 1)),
            shape::kOptional}}),
      .output = delegate_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .audited = {"delegateId", "name", "delegatedDepots", "scope"},
      .run = run_update_delegate,
  };
}

}  // namespace cairn
