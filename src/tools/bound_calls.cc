#include "tools/bound_calls.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "data/json/document/find.h"
#include "tools/script/script.h"

namespace cairn {
namespace {

constexpr int kMaxAttempts = 50;

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

// What an outsider is told of a context that is gone: nothing of what is there instead.
Failure no_data() {
  return fail(Code::kNotFound,
              "the data that this tool works on is not there now; whoever made the tool can tell");
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// The error as it looks from inside the context.
Error from_inside(Error error, const Context& context) {
  if (!context.json_path.empty()) {
    replace_all(error.message, fmt::format("'{}'", context.json_path), "the data");
    replace_all(error.message, fmt::format("'{}/", context.json_path), "'/");
  }
  replace_all(error.message, fmt::format("'{}'", context.path), "the file");
  return error;
}

// The place of its owner's that a tool for files sees.
Result<Place> place_of(const Rights& rights, const Context& context) {
  auto place = TRY(rights.place_at(context.depot));
  const auto path = TRY(Path::parse(context.path));
  for (const auto& segment : path.segments()) place.path = place.path.child(segment);
  TRY(check_place(place.path));
  return place;
}

json::Object with_context(json::Object arguments, const Context& context) {
  arguments["depotId"] = context.depot;
  arguments["path"] = context.path;
  if (!context.json_path.empty()) arguments["jsonPath"] = context.json_path;
  return arguments;
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

// A file that was written is committed: what the caller gets is what the depot has.
json::Object committed(json::Object answer, const json::Value& commit) {
  answer.erase("newRoot");
  json::Object out;
  if (const auto* root = json::find(commit.get_object(), "root")) out["newRoot"] = *root;
  for (auto& member : answer) out.emplace(member.key(), std::move(member.value()));
  return out;
}

}  // namespace

Result<const BoundTool*> OpenEndpoint::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& tool : tools) {
    if (tool.binding.name == name) return &tool;
    names.push_back(tool.binding.name);
  }
  const auto near = most_similar(name, names);
  if (near.empty()) return fail(Code::kToolNotFound, "there is no tool '{}'", shown(name));
  return fail(Code::kToolNotFound, "there is no tool '{}'; did you mean '{}'?", shown(name), near);
}

Result<OpenEndpointPtr> BoundCalls::put_together(const EndpointPtr& endpoint) {
  auto out = std::make_shared<OpenEndpoint>();
  out->endpoint = endpoint;
  std::string all;
  for (const auto& binding : endpoint->bindings) {
    // What cannot be called is not shown: the tool is gone, or this version reads it differently.
    auto tool = executor_.services().endpoints.tool(endpoint->realm, binding.tool);
    if (!tool) continue;
    auto bound = bind(executor_.table(), *tool, binding);
    if (!bound) continue;
    json::write(all, definition(*bound));
    out->tools.push_back(std::move(*bound));
  }
  const auto digest = sha256(all);
  out->stamp.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
  return OpenEndpointPtr(std::move(out));
}

Result<OpenEndpointPtr> BoundCalls::open(std::string_view key) {
  auto& endpoints = executor_.services().endpoints;
  const auto generation = endpoints.generation();
  auto endpoint = TRY(endpoints.open(key));
  // An endpoint is open as long as whoever made it may act.
  if (!executor_.acting_for(endpoint->realm, endpoint->owner, Entrance::kRest)) return closed();
  {
    auto known = known_.lock();
    auto found = known->find(endpoint->id);
    if (found != known->end() && found->second.generation == generation) return found->second.open;
  }
  auto made = TRY(put_together(endpoint));
  auto known = known_.lock();
  if (known->size() >= kMaxKnown) known->clear();
  known->insert_or_assign(endpoint->id, Known{made, generation});
  return made;
}

Result<Reply> BoundCalls::call(const OpenEndpoint& endpoint, std::string_view tool,
                               const json::Object& arguments, Entrance entrance,
                               std::stop_token stop) {
  TRY(executor_.take_turn(endpoint.endpoint->id));
  const auto* bound = TRY(endpoint.find(tool));
  const auto& about = *endpoint.endpoint;
  auto caller =
      executor_.acting_for(about.realm, about.owner, entrance, Via{about.id, bound->binding.id});
  if (!caller) return closed();
  return run(*caller, *bound, arguments, stop);
}

Result<Reply> BoundCalls::execute(const ToolId& id, std::optional<std::string_view> binding_id,
                                  const json::Object& arguments, std::stop_token stop) {
  const auto tool = TRY(executor_.services().endpoints.tool(id));
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
  const auto bound = TRY(bind(executor_.table(), tool, binding));
  auto caller = executor_.acting_for(tool.realm, tool.owner, Entrance::kRest, via);
  if (!caller) return closed();
  return run(*caller, bound, arguments, stop);
}

Result<std::pair<EndpointId, Binding>> BoundCalls::find_binding(const ContextTool& tool,
                                                                const BindingId& wanted) {
  auto& services = executor_.services();
  const auto now = services.clock.now();
  auto all = TRY(services.endpoints.endpoints(
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

Result<Reply> BoundCalls::run(const Caller& caller, const BoundTool& bound,
                              const json::Object& given, const std::stop_token& stop) {
  const auto& operation = *bound.form.operation;
  const bool custom = operation.kind == Operation::Kind::kCustom;
  auto arguments = bound.arguments(given);
  // Refused calls are in the audit log as well.
  auto recorded = [&](const std::function<Result<Reply>()>& work) {
    return executor_.record(caller, custom ? operation.name : operation.tool,
                            !bound.form.annotations.read_only, json::Value(given), work);
  };
  if (!arguments) return recorded([&]() -> Result<Reply> { return Failure(arguments.error()); });
  if (custom) {
    return recorded([&] { return run_script_in_turn(caller, bound, *arguments, stop); });
  }
  return perform(caller, bound.tool.context, operation, bound.tool.id, std::move(*arguments), stop);
}

Result<Reply> BoundCalls::perform(const Caller& caller, const Context& context,
                                  const Operation& operation, const ToolId& tool,
                                  json::Object arguments, const std::stop_token& stop) {
  if (operation.kind == Operation::Kind::kFiles) {
    return perform_files(caller, context, operation, tool, std::move(arguments), stop);
  }
  const json::Value all(with_context(std::move(arguments), context));
  if (!is_there(caller, context)) {
    return executor_.record(caller, operation.tool, false, all,
                            []() -> Result<Reply> { return no_data(); });
  }
  auto reply = executor_.run(caller, operation.tool, all, {}, stop);
  if (reply) return reply;
  return Failure(from_inside(std::move(reply).error(), context));
}

bool BoundCalls::is_there(const Caller& caller, const Context& context) {
  auto& services = executor_.services();
  auto& realm = services.realms.get(caller.session().realm);
  const auto target = Sight(realm, caller.session()).target(context.depot);
  const auto path = Path::parse(context.path);
  const auto pointer = json::Pointer::parse(context.json_path);
  if (!target || !path || !pointer) return false;
  const auto tree = view_tree(realm.nodes(), target->root);
  if (!tree) return false;
  const auto opened = services.documents.open(*tree, *path);
  return opened && json::get(*opened->value, *pointer) != nullptr;
}

Result<Reply> BoundCalls::perform_files(const Caller& caller, const Context& context,
                                        const Operation& operation, const ToolId& tool,
                                        json::Object arguments, const std::stop_token& stop) {
  const auto found = place_of(caller.session().rights, context);
  if (!found) {
    return executor_.record(caller, operation.tool, false, json::Value(std::move(arguments)),
                            []() -> Result<Reply> { return no_data(); });
  }
  const auto& place = *found;
  const auto inside = caller.within(place, DelegateId::from_bytes(tool.bytes()));
  const auto depot = place.depot.render();
  arguments["nodeKey"] = depot;
  const json::Value all(std::move(arguments));
  for (int attempt = 0;; ++attempt) {
    auto reply = TRY(executor_.run(inside, operation.tool, all, {}, stop));
    const auto* root =
        reply.value.is_object() ? json::find(reply.value.get_object(), "newRoot") : nullptr;
    if (root == nullptr || !root->is_string()) return reply;
    json::Object commit{{"depotId", depot},
                        {"root", *root},
                        {"message", fmt::format("{} through an endpoint", operation.name)}};
    auto done = executor_.run(inside, "depot_commit", json::Value(std::move(commit)), {}, stop);
    // Others changed the same files meanwhile: again, on what is there now.
    const bool again = !done && done.error().code == Code::kConflict && attempt < kMaxAttempts;
    if (again) continue;
    const auto answer = TRY(std::move(done));
    reply.value = committed(std::move(reply.value.get_object()), answer.value);
    return reply;
  }
}

Result<Reply> BoundCalls::run_script_in_turn(const Caller& caller, const BoundTool& bound,
                                             const json::Object& arguments,
                                             const std::stop_token& stop) {
  const auto& binding = bound.binding.id;
  {
    auto scripts = scripts_.lock();
    if (scripts->all >= kMaxScripts || scripts->of_one[binding] >= kMaxScriptsOfOne) {
      return fail(Code::kRateLimited, "too many scripts run at once; try again in a moment");
    }
    scripts->all += 1;
    scripts->of_one[binding] += 1;
  }
  const Finally done([&] {
    auto scripts = scripts_.lock();
    scripts->all -= 1;
    if (--scripts->of_one[binding] == 0) scripts->of_one.erase(binding);
  });
  return run_script(caller, bound, arguments, stop);
}

Result<Reply> BoundCalls::run_script(const Caller& caller, const BoundTool& bound,
                                     const json::Object& arguments, const std::stop_token& stop) {
  const auto contexts = script_contexts(bound.tool);
  std::vector<script::Handle> handles;
  for (const auto& context : contexts) handles.push_back({context.name, context.operations});
  auto host = [&](std::string_view handle, std::string_view name,
                  const json::Object& given) -> Result<json::Value> {
    const auto found = std::ranges::find(contexts, handle, &ScriptContext::name);
    if (found == contexts.end()) return fail(Code::kInternal, "a context that is not known");
    const auto& operation = *TRY(find_operation(name));
    for (const auto& member : given) {
      for (std::string_view own : {"depotId", "path", "jsonPath", "nodeKey", "toPath"}) {
        const bool fixed = operation.kind == Operation::Kind::kJson || own == "nodeKey";
        if (member.key() != own || !fixed) continue;
        return fail(Code::kInvalidArgument, "'{}' is fixed by the context '{}'", own, handle);
      }
    }
    return TRY(perform(caller, found->context, operation, bound.tool.id, given, stop)).value;
  };
  const auto source = json::text(bound.tool.config.at("script"));
  auto outcome =
      TRY(script::run(source, json::Value(arguments), handles, host, executor_.services().clock,
                      script_limits(bound.tool.config, stop)));
  if (const auto* promised = json::find(bound.tool.config, "outputSchema")) {
    auto fits = TRY(json::Schema::compile(*promised)).check(outcome.value);
    if (!fits) {
      return fail(Code::kScriptError, "the result does not fit the tool's outputSchema: {}",
                  fits.error().message);
    }
  }
  json::Object out;
  out["result"] = std::move(outcome.value);
  if (!outcome.log.empty()) {
    json::Array log;
    for (auto& line : outcome.log) log.emplace_back(std::move(line));
    out["log"] = std::move(log);
  }
  return Reply(std::move(out));
}

namespace {

Result<void> check_right(Call& call, const Operation& operation) {
  const auto& tool = TRY(call.table().find(operation.tool))->tool;
  if (tool.right != Right::kUpload || call.rights().can_upload()) return {};
  return fail(Code::kPermissionExceeded,
              "this delegate is read-only; a tool that does '{}' needs one that was made with "
              "canUpload",
              operation.name);
}

Result<void> check_one(Call& call, const Context& context, Operation::Kind kind) {
  if (!context.depot.starts_with(DepotTag::kPrefix)) {
    return fail(Code::kInvalidArgument, "a context is in a depot (dpt_…), not '{}'",
                shown(context.depot));
  }
  TRY(call.sight().place(context.depot));
  const auto target = TRY(call.sight().target(context.depot));
  const auto tree = TRY(view_tree(call.realm().nodes(), target.root));
  const auto path = TRY(Path::parse(context.path));
  TRY(check_place(path));
  if (kind == Operation::Kind::kFiles) {
    TRY(open_dir(tree, TRY(locate(tree, path))));
    return {};
  }
  const auto opened = TRY(call.services().documents.open(tree, path));
  TRY(document::resolve(*opened.value, TRY(json::Pointer::parse(context.json_path))));
  return {};
}

}  // namespace

Result<void> check_context(Call& call, const ContextTool& tool) {
  const auto& operation = *TRY(find_operation(tool.operation));
  if (operation.kind != Operation::Kind::kCustom) {
    TRY(check_right(call, operation));
    return check_one(call, tool.context, operation.kind);
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
