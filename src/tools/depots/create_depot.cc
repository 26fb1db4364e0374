#include "base/quote.h"
#include "tools/depots/depots.h"
#include "tools/depots/record_quota.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

// Whether it was made is said to whoever asked for it either way.
Result<Reply> answer(Call& call, const Depot& depot, std::optional<bool> created) {
  auto out = TRY(depots::details(call, Place(depot.id)));
  if (created) out["created"] = *created;
  Reply reply(std::move(out));
  reply.about = depot.root;
  return reply;
}

Result<Reply> existing(Call& call, std::string_view title) {
  const auto found = TRY(call.realm().depots_titled(title));
  if (found.size() == 1) return answer(call, found.front(), false);
  if (found.size() > 1) {
    return fail(Code::kAmbiguousKey, "{} depots have the title '{}'; rename all but one",
                found.size(), shown(title));
  }
  return fail(Code::kConflict, "the depot '{}' is being renamed or deleted; try again",
              shown(title));
}

json::Value made_shape() {
  auto out = depot_shape(true);
  out.as_object()["properties"].as_object()["created"] =
      shape::flag("With ifNotExists; false: there was one with the title");
  return out;
}

Result<Reply> run_create_depot(Call& call, const Arguments& arguments) {
  TRY(depots::check_depot_room(call));
  std::optional<NodeKey> root;
  if (auto key = arguments.maybe_text("root")) root = TRY(call.sight().node(*key));
  Keep keep;
  if (auto text = arguments.maybe_text("keep")) keep = TRY(Keep::parse(*text));
  const auto title = arguments.text("title");
  auto made = call.realm().create_depot(
      title, root,
      static_cast<std::uint64_t>(arguments.number("maxHistory", Realm::kDefaultMaxHistory)), keep);
  const bool taken = !made && made.error().code == Code::kTargetExists;
  if (taken && arguments.flag("ifNotExists")) return existing(call, title);
  if (!made) return depots::with_holder(call, std::move(made).error());
  return answer(call, *made, arguments.flag("ifNotExists") ? std::optional(true) : std::nullopt);
}

}  // namespace

Tool create_depot() {
  return {
      .name = "create_depot",
      .title = "Create a depot",
      .description =
          "A new, empty depot, or one that starts at a root you have. Needs canManageDepot. A "
          "title is one depot's (TARGET_EXISTS); with ifNotExists you get the one that has it.",
      .input = shape::object(
          {{"title", shape::text("For people, e.g. 'my-project'; no ':'", Realm::kMaxTitleBytes)},
           {"root", shape::text("Root to start at (nod_…); default: empty"), shape::kOptional},
           {"maxHistory",
            shape::integer("Roots listed over REST (default 100)", 1, Realm::kMaxMaxHistory),
            shape::kOptional},
           {"ifNotExists", shape::flag(), shape::kOptional},
           depots::keep()}),
      .output = made_shape(),
      .annotations = {},
      .right = Right::kCreateDepots,
      .audited = {"root", "title"},
      .run = run_create_depot,
  };
}

}  // namespace cairn
