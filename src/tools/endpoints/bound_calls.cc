#include "tools/endpoints/bound_calls.h"

#include <algorithm>

#include "base/quote.h"
#include "data/json/document/find.h"
#include "tools/executor/definition.h"
#include "tools/json/documents.h"
#include "tools/scripts/script.h"

namespace cairn {
namespace {

// Does what is left to do, however the block ends.
template <typename Work>
class Finally final {
 public:
  explicit Finally(Work work) : work_(std::move(work)) {}
  ~Finally() { work_(); }
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;

 private:
  Work work_;
};

Failure closed() {
  return fail(Code::kEndpointNotFound,
              "the endpoint cannot be used now: whoever made it has lost the right to; ask them");
}

script::Limits script_limits(const json::Object& config, std::stop_token stop) {
  script::Limits out;
  out.stop = std::move(stop);
  const auto* limits = json::find(config, "limits");
  if (limits == nullptr || !limits->is_object()) return out;
  const Arguments given(limits->get_object());
  out.memory =
      static_cast<std::size_t>(given.number("memoryBytes", static_cast<std::int64_t>(out.memory)));
  out.instructions = given.number("instructions", out.instructions);
  if (auto time = given.maybe_number("timeMs")) out.time = std::chrono::milliseconds(*time);
  out.output =
      static_cast<std::size_t>(given.number("outputBytes", static_cast<std::int64_t>(out.output)));
  return out;
}

}  // namespace

std::vector<const Tool*> EndpointToolbox::offered() const {
  std::vector<const Tool*> out;
  for (const auto& bound : open_->tools) out.push_back(&bound.tool);
  return out;
}

Result<const Tool*> EndpointToolbox::find(std::string_view name) const {
  for (const auto& bound : open_->tools) {
    if (bound.tool.name == name) return &bound.tool;
  }
  return no_such_tool(name, offered());
}

Result<Reply> EndpointToolbox::run(const Tool& tool, json::Object arguments,
                                   const std::stop_token& stop) const {
  TRY(executor_.take_turn(endpoint().id));
  // Outsiders are not told why: what becomes of the owner is none of their business.
  if (!still_valid()) return closed();
  const auto bound = std::ranges::find(open_->tools, tool.name,
                                       [](const BoundTool& one) { return one.tool.name; });
  const auto caller = owner_.through({endpoint().id, bound->binding.id});
  return executor_.run(caller, tool, json::Value(std::move(arguments)), {}, stop);
}

void BoundCalls::set_to_work(BoundTool& bound) {
  bound.tool.rehearsal = bound.rehearsal();
  bound.tool.run = [this, &bound](Call& call, Arguments& given) {
    return perform(call, bound, given.take());
  };
}

OpenEndpointPtr BoundCalls::put_together(const EndpointPtr& endpoint) {
  auto out = std::make_shared<OpenEndpoint>();
  out->endpoint = endpoint;
  std::string all;
  for (const auto& binding : endpoint->bindings) {
    // A binding that cannot be called is not shown: the tool is gone, or this version reads it
    // differently.
    auto tool = services_.endpoints.tool(endpoint->realm, binding.tool);
    if (!tool) continue;
    auto bound = bind(executor_.table(), *tool, binding);
    if (!bound) continue;
    json::write(all, definition(bound->tool));
    out->tools.push_back(std::move(*bound));
  }
  // Only now: the functions refer to the tools, which stay where they are from here on.
  for (auto& bound : out->tools) set_to_work(bound);
  const auto digest = sha256(all);
  out->stamp.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
  return out;
}

std::optional<BoundCalls::Known> BoundCalls::known(const EndpointId& endpoint,
                                                   std::uint64_t generation) {
  auto known = known_.lock();
  const auto found = known->find(endpoint);
  if (found == known->end() || found->second.generation != generation) return std::nullopt;
  return found->second;
}

Result<EndpointToolboxPtr> BoundCalls::open(std::string_view key, Entrance entrance,
                                            std::string_view request) {
  // Before anything is read: what changes meanwhile makes this entry stale at once.
  const auto generation = services_.endpoints.generation();
  const auto endpoint = TRY(services_.endpoints.open(key));
  auto open = known(endpoint->id, generation);
  // An endpoint is open as long as whoever made it may act. A session that was checked before stays
  // good until a delegate or token changes; then it is made anew, so that what follows compares
  // only.
  const bool current = open && services_.delegates.is_current(open->owner.session()) &&
                       executor_.still_valid(open->owner);
  if (!current) {
    auto owner = executor_.acting_for(endpoint->realm, endpoint->owner, entrance);
    if (!owner) return closed();
    auto together = open ? open->open : put_together(endpoint);
    open = Known{std::move(together), std::move(*owner), generation};
    auto known = known_.lock();
    // Rarely full, and everything in it can be put together again.
    if (known->size() >= kMaxKnown) known->clear();
    known->insert_or_assign(endpoint->id, *open);
  }
  return std::make_shared<const EndpointToolbox>(executor_, open->open,
                                                 open->owner.entering(entrance).asking(request));
}

Result<Reply> BoundCalls::execute(const ToolId& id, std::optional<std::string_view> binding_id,
                                  json::Object arguments, std::stop_token stop) {
  const auto tool = TRY(services_.endpoints.tool(id));
  Binding binding;
  binding.tool = id;
  binding.name = default_name(tool);
  std::optional<Via> via;
  if (binding_id) {
    const auto wanted = TRY(BindingId::parse(*binding_id));
    auto [endpoint, found] = TRY(find_binding(tool, wanted));
    TRY(executor_.take_turn(endpoint));
    via = Via{endpoint, wanted};
    binding = std::move(found);
  }
  auto bound = TRY(bind(executor_.table(), tool, binding));
  set_to_work(bound);
  // With the rights of whoever made the tool, as they are now.
  auto owner = executor_.acting_for(tool.realm, tool.owner, Entrance::kRest);
  if (!owner) return closed();
  const auto caller = via ? owner->through(*via) : *owner;
  return executor_.run(caller, bound.tool, json::Value(std::move(arguments)), {}, std::move(stop));
}

Result<std::pair<EndpointId, Binding>> BoundCalls::find_binding(const ContextTool& tool,
                                                                const BindingId& wanted) {
  const auto now = services_.clock.now();
  auto all = TRY(services_.endpoints.endpoints(
      tool.realm, Endpoints::kMaxEndpoints, std::nullopt,
      [&](const Endpoint& endpoint) { return Result<bool>(endpoint.is_open(now)); }));
  for (auto& endpoint : all.items) {
    for (auto& binding : endpoint.bindings) {
      if (binding.id == wanted && binding.tool == tool.id) {
        return std::pair(endpoint.id, std::move(binding));
      }
    }
  }
  return fail(Code::kBindingNotFound, "no open endpoint binds {} as {}", tool.id.render(),
              wanted.render());
}

Result<Reply> BoundCalls::perform(Call& call, const BoundTool& bound, json::Object given) {
  auto arguments = TRY(bound.arguments(std::move(given)));
  const auto dry = bound.form.rehearsal;
  if (const auto* flag = dry.empty() ? nullptr : json::find(arguments, dry)) {
    // A schema that leaves nothing but true, and a caller that left it out.
    if (*flag == json::Value(true) && !is_rehearsal(call)) {
      return fail(Code::kInvalidArgument, "'{}' has to be given", shown(bound.rehearsal()));
    }
    arguments.erase(dry);
  }
  if (bound.form.tool == nullptr) return run_script_in_turn(call, bound, std::move(arguments));
  return run_on_context(call, *bound.source.context, bound.form, bound.source.id,
                        std::move(arguments));
}

Result<Reply> BoundCalls::run_script_in_turn(Call& call, const BoundTool& bound,
                                             json::Object arguments) {
  struct Place {
    std::string of;
    int most;
  };
  const Place places[] = {
      {std::string(bound.binding.id.bytes()), kMaxScriptsOfOne},
      {std::string(shares_with(call.caller()).bytes()),
       call.session().branch() == nullptr ? kMaxScriptsOfRealm : kMaxScriptsOfOne},
      {std::string(call.session().realm.bytes()), kMaxScriptsOfRealm},
  };
  {
    // Counted before it runs: scripts take memory and a thread each.
    auto scripts = scripts_.lock();
    const bool full = std::ranges::any_of(places, [&](const Place& place) {
      const auto found = scripts->of_one.find(place.of);
      return found != scripts->of_one.end() && found->second >= place.most;
    });
    if (full || scripts->all >= kMaxScripts) {
      return fail(Code::kRateLimited, "too many scripts run at once; try again in a moment");
    }
    scripts->all += 1;
    for (const auto& place : places) scripts->of_one[place.of] += 1;
  }
  const Finally done([&] {
    auto scripts = scripts_.lock();
    scripts->all -= 1;
    for (const auto& place : places) {
      if (--scripts->of_one[place.of] == 0) scripts->of_one.erase(place.of);
    }
  });
  return run_script(call, bound, std::move(arguments));
}

namespace {

// Refuses arguments that the context of a script has fixed.
Result<void> check_given(const json::Object& given, const Operation& operation,
                         std::string_view handle) {
  for (std::string_view own : {"depotId", "path", "jsonPath", "nodeKey", "toNodeKey", "toPath"}) {
    const bool fixed =
        operation.kind == Operation::Kind::kJson || own == "nodeKey" || own == "toNodeKey";
    if (!fixed || !given.contains(own)) continue;
    return fail(Code::kInvalidArgument, "'{}' is fixed by the context '{}'", own, handle);
  }
  return {};
}

Result<const Tool*> tool_of(const BoundTool& bound, std::string_view handle,
                            std::string_view operation) {
  const auto found = std::ranges::find(bound.handles, handle, &ScriptHandle::name);
  if (found != bound.handles.end()) {
    const auto tool = std::ranges::find(found->tools, operation, &Tool::name);
    if (tool != found->tools.end()) return &*tool;
  }
  return fail(Code::kInternal, "a context or operation that is not known");
}

json::Object answer_of(script::Outcome outcome) {
  json::Object out;
  out["result"] = std::move(outcome.value);
  if (outcome.log.empty()) return out;
  json::Array log;
  for (auto& line : outcome.log) log.emplace_back(std::move(line));
  out["log"] = std::move(log);
  return out;
}

}  // namespace

bool BoundCalls::is_rehearsal(Call& call) const {
  return &call.services().realms != &services_.realms;
}

// A step of a script in a dry run, which stays where that is. It is no call of its own.
Result<Reply> BoundCalls::rehearsed_step(Call& call, const Tool& tool, json::Object given) {
  if (!executor_.may_use(call.caller(), tool)) {
    return fail(Code::kUploadNotAllowed, "this delegate may not use {}", tool.name);
  }
  json::Value arguments(std::move(given));
  TRY(tool.check(arguments));
  if (tool.rehearses(arguments.get_object())) {
    return fail(Code::kInvalidArgument, "{} is in a dry run already", tool.name);
  }
  Arguments checked(arguments.get_object());
  return tool.run(call, checked);
}

Result<Reply> BoundCalls::run_script(Call& call, const BoundTool& bound, json::Object arguments) {
  std::vector<script::Handle> handles;
  for (const auto& context : bound.handles) {
    auto& handle = handles.emplace_back(script::Handle{context.name, {}});
    for (const auto& tool : context.tools) handle.operations.push_back(tool.name);
  }
  auto host = [&](std::string_view handle, std::string_view name,
                  json::Object given) -> Result<json::Value> {
    TRY(check_given(given, *TRY(find_operation(name)), handle));
    const auto& tool = *TRY(tool_of(bound, handle, name));
    if (is_rehearsal(call)) return TRY(rehearsed_step(call, tool, std::move(given))).value;
    // Through the executor, so that every step of a script is checked and audited like a call of
    // its own.
    return TRY(executor_.run(call.caller(), tool, std::move(given), {}, call.stopping())).value;
  };
  const auto& config = bound.source.config;
  auto outcome = TRY(script::run(json::text(config.at("script")), std::move(arguments), handles,
                                 host, services_.clock, script_limits(config, call.stopping())));
  if (bound.promised) {
    auto fits = bound.promised->check(outcome.value);
    if (!fits) {
      return fail(Code::kScriptError, "the result does not fit the tool's outputSchema: {}",
                  fits.error().message);
    }
  }
  return Reply(answer_of(std::move(outcome)));
}

namespace {

Result<void> check_right(Call& call, const Operation& operation) {
  const auto& tool = *TRY(call.table().find(operation.tool));
  if (tool.right != Right::kUpload || call.rights().can_upload()) return {};
  return fail(Code::kPermissionExceeded,
              "this delegate is read-only; a tool that does '{}' needs one that was made with "
              "canUpload",
              operation.name);
}

Result<void> check_one(Call& call, const Context& context, Operation::Kind kind) {
  const auto place = TRY(call.sight().place(context.depot));
  const auto root = TRY(call.realm().root_at(place));
  const auto tree = TRY(view_tree(call.realm().nodes(), root));
  if (kind == Operation::Kind::kFiles) {
    TRY(open_dir(tree, TRY(locate(tree, context.path))));
    return {};
  }
  const auto opened = TRY(call.services().documents.open(tree, context.path));
  TRY(document::resolve(*opened.value, context.pointer));
  return {};
}

}  // namespace

Result<void> check_context(Call& call, const ContextTool& tool) {
  const auto& operation = *TRY(find_operation(tool.operation));
  if (operation.kind != Operation::Kind::kCustom) {
    TRY(check_right(call, operation));
    return check_one(call, *tool.context, operation.kind);
  }
  for (const auto& context : script_contexts(tool)) {
    for (const auto& granted : context.operations) {
      const auto& one = *TRY(find_operation(granted));
      TRY(check_right(call, one));
      TRY(check_one(call, context.context, one.kind));
    }
  }
  return {};
}

}  // namespace cairn
