#include "exposure/agent/prompts.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/similar.h"
#include "exposure/agent/outcome.h"

namespace cairn::agent {
namespace {

constexpr std::string_view kDepotId = "depotId";

json::Object argument_list_entry() {
  return {{"name", kDepotId},
          {"title", "Depot"},
          {"description", "The depot to work in (dpt_…); list_depots has their ids"},
          {"required", true}};
}

mcp::Rpc<const Prompt*> known(std::string_view name) {
  if (const auto* prompt = find_prompt(name)) return prompt;
  std::vector<std::string> names;
  for (const auto& prompt : prompts()) names.emplace_back(prompt.name);
  const auto all = fmt::format("; there are: {}", fmt::join(names, ", "));
  return mcp::rpc_fail(
      mcp::rpc_code::kInvalidParams,
      fmt::format("there is no prompt '{}'{}", shown(name), hint_for(name, names, all)));
}

// The depot's address, as the caller has to write it.
mcp::Rpc<std::string> depot_of(Executor& executor, const Caller& caller,
                               const json::Object& arguments) {
  const auto* given = json::find(arguments, kDepotId);
  if (given == nullptr || json::text(*given).empty()) {
    return mcp::rpc_fail(mcp::rpc_code::kInvalidParams,
                         "the argument 'depotId' is missing; list_depots has the ids of depots");
  }
  auto reply = executor.run(caller, "get_depot", json::Object{{kDepotId, *given}});
  if (reply) return std::string(json::text(reply->value.get_object().at(kDepotId)));
  auto error = rpc_error(reply.error());
  if (error.code != mcp::rpc_code::kInternal) error.code = mcp::rpc_code::kInvalidParams;
  return std::unexpected(std::move(error));
}

std::string filled(std::string_view text, std::string_view depot) {
  constexpr std::string_view kMark = "{depotId}";
  std::string out;
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    out.append(text.substr(0, at)).append(depot);
    text.remove_prefix(at + kMark.size());
  }
  return out.append(text);
}

}  // namespace

const Prompt* find_prompt(std::string_view name) {
  const auto all = prompts();
  const auto found = std::ranges::find(all, name, &Prompt::name);
  return found == all.end() ? nullptr : &*found;
}

bool prompt_takes(std::string_view name, std::string_view argument) {
  const auto* prompt = find_prompt(name);
  return prompt != nullptr && prompt->takes_depot && argument == kDepotId;
}

const json::Array& prompt_list() {
  static const json::Array kList = [] {
    json::Array out;
    for (const auto& prompt : prompts()) {
      json::Object row{
          {"name", prompt.name}, {"title", prompt.title}, {"description", prompt.description}};
      if (prompt.takes_depot) {
        json::Array arguments;
        arguments.emplace_back(argument_list_entry());
        row["arguments"] = std::move(arguments);
      }
      out.emplace_back(std::move(row));
    }
    return out;
  }();
  return kList;
}

mcp::Rpc<json::Object> get_prompt(Executor& executor, const Caller& caller, std::string_view name,
                                  const json::Object& arguments) {
  const auto prompt = known(name);
  if (!prompt) return std::unexpected(prompt.error());
  std::string depot;
  if ((*prompt)->takes_depot) {
    auto found = depot_of(executor, caller, arguments);
    if (!found) return std::unexpected(std::move(found).error());
    depot = std::move(*found);
  }
  json::Object content{{"type", "text"}, {"text", filled((*prompt)->text, depot)}};
  json::Array messages;
  messages.emplace_back(json::Object{{"role", "user"}, {"content", std::move(content)}});
  return json::Object{{"description", (*prompt)->description}, {"messages", std::move(messages)}};
}

}  // namespace cairn::agent
