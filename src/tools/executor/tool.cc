#include "tools/executor/tool.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "data/endpoint/hidden_keys.h"

namespace cairn {

std::string_view name(Right right) {
  switch (right) {
    case Right::kRead:
      return "read";
    case Right::kUpload:
      return "canUpload";
    case Right::kManageDepots:
    case Right::kCreateDepots:
      return "canManageDepot";
    case Right::kOwn:
      return "owner";
    case Right::kAdmin:
      return "admin";
    case Right::kReadDirectory:
      return "directory";
    case Right::kWriteDirectory:
      return "directory, write";
  }
  return "";
}

namespace {

bool is_set(const json::Object& arguments, std::string_view flag) {
  const auto* value = flag.empty() ? nullptr : json::find(arguments, flag);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

bool Tool::changes(const json::Object& arguments) const {
  return changes() && !is_set(arguments, dry_run) && !is_set(arguments, rehearsal);
}

bool Tool::rehearses(const json::Object& arguments) const { return is_set(arguments, rehearsal); }

Right Tool::right_for(const json::Object& arguments) const {
  if (dry_run.empty() || changes(arguments)) return right;
  return right == Right::kWriteDirectory ? Right::kReadDirectory : Right::kRead;
}

bool Tool::is_quick(const json::Object* arguments) const {
  if (quick_without.empty()) return quick;
  return arguments != nullptr && std::ranges::none_of(quick_without, [&](auto argument) {
           return arguments->contains(argument);
         });
}

Result<void> Tool::check(const json::Value& arguments) const {
  return compiled.check(input, arguments);
}

Failure no_such_tool(std::string_view name, const std::vector<const Tool*>& known) {
  std::vector<std::string> names;
  for (const auto* tool : known) names.push_back(tool->name);
  // Whoever mixes up the parts of an endpoint's address names its key here.
  return fail(Code::kToolNotFound, "there is no tool '{}'{}",
              shown(with_keys_hidden(std::string(name))), hint_for(name, names));
}

}  // namespace cairn
