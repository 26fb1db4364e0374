// An operation carried out on a context.
#include <algorithm>
#include <iterator>

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

// Errors about what an outsider gave, or about what is inside the context: said in whole.
constexpr Code kSaid[] = {Code::kInvalidArgument,
                          Code::kInvalidPath,
                          Code::kInvalidKey,
                          Code::kAmbiguousKey,
                          Code::kInvalidPattern,
                          Code::kInvalidCursor,
                          Code::kPathOutside,
                          Code::kPathNotFound,
                          Code::kNotADirectory,
                          Code::kNotAFile,
                          Code::kTargetExists,
                          Code::kExistsAsFile,
                          Code::kMoveIntoSelf,
                          Code::kEmptyRewrite,
                          Code::kTooManyEntries,
                          Code::kEditNoMatch,
                          Code::kEditAmbiguous,
                          Code::kNotText,
                          Code::kFileTooLarge,
                          Code::kNodeNotFound,
                          Code::kNodeNotAuthorized,
                          Code::kNodeTooLarge,
                          Code::kConflict,
                          Code::kBudgetExceeded,
                          Code::kInvalidJson,
                          Code::kInvalidQuery,
                          Code::kJsonPathNotFound,
                          Code::kKeyNotFound,
                          Code::kKeyExists,
                          Code::kWrongJsonType,
                          Code::kUploadNotAllowed,
                          Code::kNotFound,
                          Code::kToolNotFound,
                          Code::kScriptError,
                          Code::kScriptLimit,
                          Code::kRuleBroken,
                          Code::kHashMismatch,
                          Code::kInvalidNode,
                          Code::kPreconditionFailed,
                          Code::kRateLimited,
                          Code::kBadRequest,
                          Code::kMethodNotAllowed,
                          Code::kRequestTimeout,
                          Code::kBodyTooLarge,
                          Code::kUriTooLong,
                          Code::kUnsupportedMediaType,
                          Code::kRangeNotSatisfiable,
                          Code::kHeadersTooLarge};

// Something broke, and the sentence says where in the store: the code alone is said.
constexpr Code kBroken[] = {Code::kCorruptNode,   Code::kQuotaExceeded,     Code::kUnavailable,
                            Code::kStoreLocked,   Code::kStoreIncompatible, Code::kStoreDamaged,
                            Code::kStoreReadOnly, Code::kStorageFull,       Code::kIoError,
                            Code::kInternal};

// The error as it looks from inside the context: what is outside of it has no name there.
Error from_inside(const Error& error, const Context& context) {
  if (std::ranges::find(kBroken, error.code) != std::end(kBroken)) {
    return {error.code,
            "the data that this tool works on cannot be used now; whoever made the tool can tell"};
  }
  // Whatever else there is, now or later, is about the way to the context.
  if (std::ranges::find(kSaid, error.code) == std::end(kSaid)) {
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
  Arguments given(arguments);
  auto reply = TRY(form.tool->run(inside, given));
  const auto* root =
      reply.value.is_object() ? json::find(reply.value.get_object(), "newRoot") : nullptr;
  if (root == nullptr || !root->is_string()) return reply;
  json::Object commit{{"depotId", depot},
                      {"root", *root},
                      {"message", fmt::format("{} through an endpoint", form.operation->name)}};
  Arguments to_commit(commit);
  auto done = TRY(inside.table().find("depot_commit"))->run(inside, to_commit);
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
    Arguments given(arguments);
    return form.tool->run(inside, given);
  };
  auto reply = run();
  if (reply) return reply;
  return Failure(from_inside(reply.error(), context));
}

}  // namespace cairn
