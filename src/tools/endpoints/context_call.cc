// An operation carried out on a context.
#include "tools/depots/on_newest.h"
#include "tools/endpoints/bound_tool.h"
#include "tools/json/json_context.h"

namespace cairn {
namespace {

// A pointer as it is seen from the context: below it, or as it is when it leads elsewhere, which
// the caller has named itself.
std::string seen_from(const std::string& context, const Subject& subject) {
  if (subject.text == context) return "the data";
  if (!subject.text.starts_with(context + "/")) return subject.said;
  return fmt::format("'{}'", subject.text.substr(context.size()));
}

// How much of an error outsiders are told.
enum class Told {
  kAll,   // it is about what they gave, or about what is inside the context
  kCode,  // something broke, and the sentence says where in the store
  kGone,  // it is about what lies on the way to the context
};

// Without a default: whoever adds a code decides.
Told told_of(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
    case Code::kInvalidPath:
    case Code::kInvalidKey:
    case Code::kAmbiguousKey:
    case Code::kInvalidPattern:
    case Code::kInvalidCursor:
    case Code::kPathOutside:
    case Code::kPathNotFound:
    case Code::kNotADirectory:
    case Code::kNotAFile:
    case Code::kTargetExists:
    case Code::kExistsAsFile:
    case Code::kMoveIntoSelf:
    case Code::kEmptyRewrite:
    case Code::kTooManyEntries:
    case Code::kEditNoMatch:
    case Code::kEditAmbiguous:
    case Code::kNotText:
    case Code::kFileTooLarge:
    case Code::kNodeNotFound:
    case Code::kNodeNotAuthorized:
    case Code::kNodeTooLarge:
    case Code::kConflict:
    case Code::kBudgetExceeded:
    case Code::kInvalidJson:
    case Code::kInvalidQuery:
    case Code::kJsonPathNotFound:
    case Code::kKeyNotFound:
    case Code::kKeyExists:
    case Code::kWrongJsonType:
    case Code::kUploadNotAllowed:
    case Code::kNotFound:
    case Code::kToolNotFound:
    case Code::kScriptError:
    case Code::kScriptLimit:
    case Code::kRuleBroken:
    case Code::kHashMismatch:
    case Code::kInvalidNode:
    case Code::kPreconditionFailed:
    case Code::kRateLimited:
    case Code::kBadRequest:
    case Code::kMethodNotAllowed:
    case Code::kRequestTimeout:
    case Code::kBodyTooLarge:
    case Code::kUriTooLong:
    case Code::kUnsupportedMediaType:
    case Code::kRangeNotSatisfiable:
    case Code::kHeadersTooLarge:
      return Told::kAll;
    case Code::kCorruptNode:
    case Code::kQuotaExceeded:
    case Code::kUnavailable:
    case Code::kStoreLocked:
    case Code::kStoreIncompatible:
    case Code::kIoError:
    case Code::kInternal:
      return Told::kCode;
    case Code::kDepotNotFound:
    case Code::kHistoryNotFound:
    case Code::kRealmNotFound:
    case Code::kInvalidScope:
    case Code::kInvalidToken:
    case Code::kTokenExpired:
    case Code::kTokenReplayed:
    case Code::kDelegateRevoked:
    case Code::kDelegateExpired:
    case Code::kForbidden:
    case Code::kDepotManageNotAllowed:
    case Code::kPermissionExceeded:
    case Code::kMaxDepthExceeded:
    case Code::kDelegateNotFound:
    case Code::kUserNotFound:
    case Code::kEndpointNotFound:
    case Code::kBindingNotFound:
    case Code::kUserExists:
    case Code::kNameTaken:
    case Code::kToolInUse:
    case Code::kSchemaTooWide:
      return Told::kGone;
  }
  return Told::kGone;
}

// The error as it looks from inside the context: what is outside of it has no name there.
Error from_inside(const Error& error, const Context& context) {
  switch (told_of(error.code)) {
    case Told::kAll:
      break;
    case Told::kCode:
      return {
          error.code,
          "the data that this tool works on cannot be used now; whoever made the tool can tell"};
    case Told::kGone:
      return json_context::no_data().error();
  }
  const auto path = context.path.render();
  const auto pointer = context.pointer.render();
  Error out(error.code, error.said([&](const Subject& subject) {
    if (subject.kind == Subject::Kind::kPointer) return seen_from(pointer, subject);
    return subject.text == path ? "the file" : subject.said;
  }));
  out.details = error.details;
  return out;
}

// The place of its owner's that a tool for files sees.
Result<Place> place_of(const Rights& rights, const Context& context) {
  auto place = TRY(rights.place_at(context.depot));
  for (const auto& segment : context.path.segments()) place.path = place.path.child(segment);
  TRY(check_place(place.path));
  return place;
}

bool is_directory(Realm& realm, const Place& place) {
  const auto root = realm.root_at(place);
  if (!root) return false;
  const auto node = realm.nodes().get(*root);
  return node && (*node)->kind() == Kind::kDict;
}

// A file that was written is committed: what the caller gets is what the depot has.
json::Object with_root(json::Object answer, const json::Value& commit) {
  answer.erase("newRoot");
  json::Object out;
  if (const auto* root = json::find(commit.get_object(), "root")) out["newRoot"] = *root;
  for (auto& member : answer) out.emplace(member.key(), std::move(member.value()));
  return out;
}

// nullopt: others changed the same files since they were read.
Result<std::optional<Reply>> run_once(Call& inside, const OperationForm& form,
                                      const std::string& depot, const json::Object& arguments) {
  auto reply = TRY(form.tool->run(inside, Arguments(arguments)));
  const auto* root =
      reply.value.is_object() ? json::find(reply.value.get_object(), "newRoot") : nullptr;
  if (root == nullptr || !root->is_string()) return reply;
  const json::Object commit{
      {"depotId", depot},
      {"root", *root},
      {"message", fmt::format("{} through an endpoint", form.operation->name)}};
  auto done = TRY(inside.table().find("depot_commit"))->run(inside, Arguments(commit));
  if (!done && done.error().code == Code::kConflict) return std::nullopt;
  reply.value = with_root(std::move(reply.value.get_object()), TRY(std::move(done)).value);
  return reply;
}

Result<Reply> run_on_files(Call& call, const Context& context, const OperationForm& form,
                           const ToolId& stand_in, json::Object arguments) {
  const auto place = place_of(call.rights(), context);
  if (!place || !is_directory(call.realm(), *place)) return json_context::no_data();
  auto inside = call.as(call.caller().within(*place, DelegateId::from_bytes(stand_in.bytes())));
  const auto depot = place->depot.render();
  arguments["nodeKey"] = depot;
  return on_newest(inside, [&] { return run_once(inside, form, depot, arguments); });
}

}  // namespace

Result<Reply> run_on_context(Call& call, const Context& context, const OperationForm& form,
                             const ToolId& stand_in, json::Object arguments) {
  auto run = [&]() -> Result<Reply> {
    if (form.operation->kind == Operation::Kind::kFiles) {
      return run_on_files(call, context, form, stand_in, std::move(arguments));
    }
    auto inside = call.on(context);
    return form.tool->run(inside, Arguments(arguments));
  };
  auto reply = run();
  if (reply) return reply;
  return Failure(from_inside(reply.error(), context));
}

}  // namespace cairn
