#include "exposure/mcp/testing.h"

#include <array>

#include "base/result.h"

namespace cairn::mcp::testing {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::array<std::string_view, 3> kNames = {"Ada", "Alan", "Grace"};

json::Object schema(json::Object properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json::Object tool(std::string_view name, std::string_view description,
                  json::Object properties = {}) {
  return {{"name", name},
          {"title", name},
          {"description", description},
          {"inputSchema", schema(std::move(properties))}};
}

ToolOutcome said(std::string_view text) {
  return {.content = {json::Object{{"type", "text"}, {"text", text}}},
          .structured = json::Object{{"text", text}}};
}

std::string_view argument(const json::Object& arguments, std::string_view key) {
  const auto* value = json::find(arguments, key);
  return value == nullptr ? std::string_view() : json::text(*value);
}

}  // namespace

PrincipalPtr a_principal(std::string id) { return std::make_shared<TestPrincipal>(std::move(id)); }

TestService::TestService()
    : offer_{.name = "test",
             .title = "Test",
             .version = "1.0.0",
             .instructions = "Call echo.",
             .logging = true,
             .tools_change = true,
             .resources_change = true,
             .subscriptions = true} {}

void TestService::change_thing(std::string text) {
  state_.lock()->thing = std::move(text);
  announce(std::string(kThing));
}

void TestService::show_extra_tool() {
  state_.lock()->extra_tool = true;
  announce("tools");
}

void TestService::revoke(std::string_view principal) { state_.lock()->revoked.emplace(principal); }

void TestService::announce(std::string topic) {
  auto changes = changes_.lock();
  if (*changes != nullptr) (*changes)->changed(std::move(topic));
}

bool TestService::wait_until(const std::function<bool(const State&)>& condition) {
  auto state = state_.lock();
  return changed_.wait_for(state.mutex(), kPatience, [&] { return condition(*state); });
}

void TestService::release_slow() {
  ++state_.lock()->releases;
  changed_.notify_all();
}

bool TestService::wait_for_slow_running(int count) {
  return wait_until([&](const State& state) { return state.slow_running == count; });
}

bool TestService::wait_for_slow_stopped(int count) {
  return wait_until([&](const State& state) { return state.slow_stopped == count; });
}

Rpc<Page> TestService::list_tools(Exchange& /*exchange*/, std::string_view cursor) {
  json::Array tools{tool("echo", "Says it again", {{"text", json::Object{{"type", "string"}}}}),
                    tool("slow", "Takes until it is stopped"),
                    tool("chatty", "Says much"),
                    tool("ask", "Asks back"),
                    tool("detour", "Ends its connection before it answers"),
                    tool("broken", "Never works")};
  if (shows_extra_tool()) tools.push_back(tool("extra", "Came later"));
  return page_of(tools, cursor, 100, {.ttl_ms = 1000});
}

Manner TestService::manner(const Principal& /*principal*/, std::string_view tool,
                           const json::Object& /*arguments*/) const {
  return {.quick = tool == "echo" || tool == "broken",
          .talks = tool == "chatty" || tool == "ask" || tool == "detour"};
}

std::span<const ParamHeader> TestService::param_headers(const Principal& /*principal*/,
                                                        std::string_view /*tool*/) const {
  return {};
}

Rpc<ToolOutcome> TestService::call_tool(Exchange& exchange, std::string_view tool,
                                        json::Object&& arguments) {
  if (tool == "echo") return said(argument(arguments, "text"));
  if (tool == "slow") return slow(exchange);
  if (tool == "chatty") return chatty(exchange);
  if (tool == "ask") return ask(exchange);
  if (tool == "detour") {
    exchange.close_stream(std::chrono::milliseconds(20));
    return said("back");
  }
  if (tool == "extra" && shows_extra_tool()) return said("extra");
  if (tool != "broken") {
    return rpc_fail(rpc_code::kInvalidParams, fmt::format("there is no tool '{}'", tool));
  }
  return ToolOutcome{.content = {json::Object{{"type", "text"}, {"text", "it broke"}}},
                     .is_error = true};
}

Rpc<ToolOutcome> TestService::slow(Exchange& exchange) {
  const std::stop_callback wake(exchange.stopping(), [this] {
    state_.lock();
    changed_.notify_all();
  });
  auto state = state_.lock();
  const int before = state->releases;
  ++state->slow_running;
  changed_.notify_all();
  changed_.wait(state.mutex(),
                [&] { return state->releases > before || exchange.stopping().stop_requested(); });
  --state->slow_running;
  const bool stopped = exchange.stopping().stop_requested();
  if (stopped) ++state->slow_stopped;
  changed_.notify_all();
  return said(stopped ? "stopped" : "released");
}

Rpc<ToolOutcome> TestService::chatty(Exchange& exchange) {
  for (const double done : {1.0, 2.0, 3.0}) exchange.progress(done, 3.0, "on the way");
  exchange.log(LogLevel::kWarning, "chatty", json::Value("much to say"));
  return said("done");
}

Rpc<ToolOutcome> TestService::ask(Exchange& exchange) {
  const Question question{
      .key = "name",
      .method = "elicitation/create",
      .params = {{"message", "Who are you?"},
                 {"requestedSchema",
                  json::Object{
                      {"type", "object"},
                      {"properties", json::Object{{"name", json::Object{{"type", "string"}}}}}}}}};
  const auto answers = TRY(exchange.ask(std::span(&question, 1)));
  if (!answers) return ToolOutcome{};
  return said(json::write(answers->front()));
}

Rpc<Page> TestService::list_resources(Exchange& /*exchange*/, std::string_view cursor) {
  return page_of({json::Object{{"uri", kThing}, {"name", "thing"}, {"mimeType", "text/plain"}}},
                 cursor, 100);
}

Rpc<Page> TestService::list_templates(Exchange& /*exchange*/, std::string_view cursor) {
  return page_of({json::Object{{"uriTemplate", "test://{name}"}, {"name", "anything"}}}, cursor,
                 100);
}

Rpc<ResourceContents> TestService::read_resource(Exchange& /*exchange*/, std::string_view uri) {
  if (uri != kThing) {
    return rpc_fail(rpc_code::kResourceNotFound, fmt::format("there is no {}", uri),
                    json::Object{{"uri", uri}});
  }
  return ResourceContents{.contents = {json::Object{{"uri", uri}, {"text", state_.lock()->thing}}}};
}

Rpc<Page> TestService::list_prompts(Exchange& /*exchange*/, std::string_view cursor) {
  json::Array arguments{json::Object{{"name", "name"}, {"required", true}}};
  return page_of({json::Object{{"name", "greet"},
                               {"description", "Greets somebody"},
                               {"arguments", std::move(arguments)}}},
                 cursor, 100);
}

Rpc<json::Object> TestService::get_prompt(Exchange& /*exchange*/, std::string_view name,
                                          const json::Object& arguments) {
  if (name != "greet" || !arguments.contains("name")) {
    return rpc_fail(rpc_code::kInvalidParams, "there is one prompt: 'greet', with a 'name'");
  }
  const auto text = fmt::format("Greet {}.", argument(arguments, "name"));
  return json::Object{
      {"description", "Greets somebody"},
      {"messages",
       json::Array{json::Object{{"role", "user"},
                                {"content", json::Object{{"type", "text"}, {"text", text}}}}}}};
}

Rpc<Completion> TestService::complete(Exchange& /*exchange*/, const CompletionRequest& request) {
  Completion out;
  for (const auto name : kNames) {
    if (name.starts_with(request.value)) out.values.emplace_back(name);
  }
  return out;
}

Rpc<Watched> TestService::watch(const Principal& /*principal*/, const Subject& subject) {
  auto state = state_.lock();
  if (const auto* uri = std::get_if<std::string>(&subject)) {
    if (*uri != kThing) {
      return rpc_fail(rpc_code::kResourceNotFound, fmt::format("there is no {}", *uri));
    }
    return Watched{.topic = *uri, .stamp = state->thing};
  }
  switch (std::get<ListKind>(subject)) {
    case ListKind::kTools:
      return Watched{.topic = "tools", .stamp = state->extra_tool ? "more" : "few"};
    case ListKind::kResources:
      return Watched{.topic = "resources", .stamp = "always"};
    case ListKind::kPrompts:
      return Watched{.topic = "prompts", .stamp = "always"};
  }
  return rpc_fail(rpc_code::kInternal, "no such list");
}

bool TestService::still_valid(const Principal& principal) const {
  return !state_.lock()->revoked.contains(principal.id());
}

}  // namespace cairn::mcp::testing
