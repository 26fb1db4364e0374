#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  if (!call.rights().realm_wide()) {
    return fail(Code::kDepotManageNotAllowed,
                "this delegate sees only a part of the realm, and a new depot would be outside it; "
                "ask whoever made the delegate to create the depot");
  }
  std::optional<NodeKey> root;
  if (auto key = arguments.maybe_text("root")) root = TRY(call.sight().node(*key));
  auto depot = TRY(call.realm().create_depot(
      arguments.text("title"), root,
      static_cast<std::uint64_t>(arguments.number("maxHistory", Realm::kDefaultMaxHistory))));
  Reply reply(TRY(depots::details(call, Place(depot.id))));
  reply.about = depot.root;
  return reply;
}

}  // namespace

Tool create_depot() {
  return {
      .name = "create_depot",
      .title = "Create a depot",
      .description =
          "A new, empty depot, or one that starts at a root you have. Needs canManageDepot. Titles "
          "need not be unique: list_depots first, so that you do not make a second one.",
      .input = shape::object(
          {{"title", shape::text("For people, e.g. 'my-project'", Realm::kMaxTitleBytes)},
           {"root", shape::text("Root to start at (nod_…); default: empty"), shape::kOptional},
           {"maxHistory",
            shape::integer("Earlier roots to keep (default 100)", 1, Realm::kMaxMaxHistory),
            shape::kOptional}}),
      .output = depot_shape(true),
      .annotations = {},
      .right = Right::kManageDepots,
      .audited = {"root", "title"},
      .run = run,
  };
}

}  // namespace cairn
