#include "exposure/rest/endpoint_rest.h"

#include "base/quote.h"
#include "data/endpoint/hidden_keys.h"
#include "exposure/http/uri.h"
#include "exposure/rest/endpoint_openapi.h"
#include "exposure/rest/respond.h"
#include "exposure/rest/rest.h"
#include "tools/executor/definition.h"

namespace cairn::rest {
namespace {

constexpr std::string_view kRest = "/api/v2/rest/";

bool reads(http::Method method) {
  return method == http::Method::kGet || method == http::Method::kHead;
}

http::Response answer(const http::Request& request, Result<Reply> reply, std::string_view tool,
                      std::string who) {
  auto out = reply ? respond(request, std::move(*reply)) : respond(reply.error());
  out.log_tool = tool;
  out.log_who = std::move(who);
  return out;
}

json::Object describe(const EndpointToolbox& open) {
  json::Array tools;
  for (const auto* tool : open.offered()) tools.emplace_back(definition(*tool));
  return {{"name", open.endpoint().name},
          {"description", open.endpoint().description},
          {"type", name(open.endpoint().type)},
          {"tools", std::move(tools)}};
}

http::Response not_kept(const json::Value& value) {
  auto out = json_response(value);
  out.headers.emplace_back("Cache-Control", "no-store");
  return out;
}

http::Plan call(BoundCalls& calls, const http::Request& request, std::string key, std::string tool,
                Share share) {
  auto run = [&calls, &request, key = std::move(key),
              tool = std::move(tool)](const Bytes& body) -> http::Response {
    std::string who;
    auto call_it = [&]() -> Result<Reply> {
      // A body may take its time: what was taken away since is gone.
      const auto open = TRY(calls.open(key, Entrance::kRest, request.header("x-request-id")));
      who = open->endpoint().id.render();
      return open->run(*TRY(open->find(tool)), TRY(parse_object(body)), {});
    };
    auto reply = call_it();
    return answer(request, std::move(reply), shown(tool, 64), std::move(who));
  };
  return http::WantBody{.max_bytes = kMaxBodyBytes,
                        .where = http::Where::kWorker,
                        .answer = std::move(run),
                        .share = std::move(share)};
}

// As separate front ends name things.
json::Object config(const EndpointToolbox& open) {
  const auto& endpoint = open.endpoint();
  json::Array bindings;
  for (const auto& bound : open.bound()) {
    const auto& source = bound.source;
    const auto& context = source.context;
    json::Object reference{{"id", source.id.render()},
                           {"operation_type", source.operation},
                           {"table_id", context ? context->table_id() : ""},
                           {"depot_id", context ? context->depot.render() : ""},
                           {"path", context ? context->path.render() : ""},
                           {"json_path", context ? context->pointer.render() : ""},
                           {"adi_config", source.config}};
    bindings.emplace_back(json::Object{{"id", bound.binding.id.render()},
                                       {"tool_name", bound.tool.name},
                                       {"tool_description", bound.tool.description},
                                       {"input_schema", bound.tool.input},
                                       {"output_schema", bound.tool.output},
                                       {"adi_ref", std::move(reference)}});
  }
  return {{"aei", json::Object{{"id", endpoint.id.render()},
                               {"user_id", endpoint.realm.render()},
                               {"type", name(endpoint.type)},
                               {"name", endpoint.name},
                               {"status", name(endpoint.status)}}},
          {"bindings", std::move(bindings)}};
}

// The one context of a single-context key; nothing: its bindings are on several.
const Context* only_context(const EndpointToolbox& open) {
  const Context* out = nullptr;
  for (const auto& bound : open.bound()) {
    const auto& context = bound.source.context;
    if (!context || (out != nullptr && *out != *context)) return nullptr;
    out = &*context;
  }
  return out;
}

// A key and its context as one thing, as front ends name it that know nothing of bindings.
Result<json::Object> instance(const EndpointToolbox& open, std::string_view key) {
  const auto& endpoint = open.endpoint();
  const auto* context = endpoint.legacy ? only_context(open) : nullptr;
  if (context == nullptr) {
    return fail(Code::kNotFound,
                "this key is not of a single context; /internal/aei/mcp/{{key}}/config has its "
                "bindings");
  }
  json::Array tools;
  for (const auto& bound : open.bound()) {
    tools.emplace_back(json::Object{{"tool_name", bound.tool.name},
                                    {"operation_type", bound.source.operation},
                                    {"tool_description", bound.tool.description},
                                    {"input_schema", bound.tool.input},
                                    {"adi_id", bound.source.id.render()}});
  }
  return json::Object{{"id", endpoint.id.render()},
                      {"api_key", key},
                      {"user_id", endpoint.realm.render()},
                      {"name", endpoint.name},
                      {"status", name(endpoint.status)},
                      {"table_id", context->table_id()},
                      {"depot_id", context->depot.render()},
                      {"path", context->path.render()},
                      {"json_path", context->pointer.render()},
                      {"tools", std::move(tools)}};
}

}  // namespace

bool EndpointRest::is_here(std::string_view path) { return path.starts_with(kRest); }

http::Plan EndpointRest::begin(const http::Request& request) {
  auto planned = plan(request);
  if (planned) return std::move(*planned);
  return respond(planned.error());
}

Result<http::Plan> EndpointRest::plan(const http::Request& request) {
  const auto segments = TRY(http::split_path(request.path));  // api v2 rest key …
  if (segments.size() < 4 || segments.size() > 5) {
    return fail(Code::kNotFound, "there is nothing here; call POST {}{{key}}/{{tool}}", kRest);
  }
  const bool by_header = segments[3] == "-";
  const std::string key(by_header ? TRY(bearer(request)) : std::string_view(segments[3]));
  const auto open = TRY(calls_.open(key, Entrance::kRest));
  if (segments.size() == 4) {
    if (!reads(request.method)) return wrong_method("GET");
    TRY(open->take_turn());
    return http::Later{[open] { return not_kept(describe(*open)); }, open->share()};
  }
  if (segments[4] == "openapi.json" && reads(request.method)) {
    TRY(open->take_turn());
    return http::Later{
        [open, key = by_header ? "-" : key] { return not_kept(endpoint_openapi(*open, key)); },
        open->share()};
  }
  TRY(open->find(segments[4]));
  if (request.method != http::Method::kPost) return wrong_method("POST");
  TRY(check_json(request));
  return call(calls_, request, key, segments[4], open->share());
}

http::Plan InternalHandler::begin(const http::Request& request) {
  auto planned = plan(request);
  if (planned) return std::move(*planned);
  return respond(planned.error());
}

Result<http::Plan> InternalHandler::plan(const http::Request& request) {
  const auto given = TRY(bearer(request));
  if (!same_secret(given, secret_)) {
    return fail(Code::kInvalidToken, "the secret is wrong; it is in the file that serve was given");
  }
  const auto segments = TRY(http::split_path(request.path));
  if (auto parts = match_pattern("/internal/aei/mcp/{key}/config", segments)) {
    if (!reads(request.method)) return wrong_method("GET");
    return not_kept(config(*TRY(calls_.open(parts->front().second, Entrance::kRest))));
  }
  for (const auto* pattern :
       {"/internal/mcp-instance/{key}", "/internal/mcp-instance/{key}/config"}) {
    const auto parts = match_pattern(pattern, segments);
    if (!parts) continue;
    if (!reads(request.method)) return wrong_method("GET");
    const auto& key = parts->front().second;
    return not_kept(TRY(instance(*TRY(calls_.open(key, Entrance::kRest)), key)));
  }
  auto parts = match_pattern("/internal/adi/{id}/execute", segments);
  if (!parts) {
    return fail(Code::kNotFound, "there is nothing at {}",
                shown(with_keys_hidden(std::string(request.path))));
  }
  if (request.method != http::Method::kPost) return wrong_method("POST");
  TRY(check_json(request));
  const auto id = TRY(ToolId::parse(parts->front().second));
  return http::WantBody{
      .max_bytes = kMaxBodyBytes,
      .where = http::Where::kWorker,
      .answer = [this, &request, id](Bytes body) -> http::Response {
        auto run = [&]() -> Result<Reply> {
          auto all = TRY(parse_object(body));
          for (const auto& member : all) {
            if (member.key() == "arguments" || member.key() == "binding_id") continue;
            return fail(Code::kInvalidArgument, "'{}' is not known; give arguments and binding_id",
                        shown(std::string_view(member.key())));
          }
          auto* arguments = all.if_contains("arguments");
          if (arguments != nullptr && !arguments->is_object()) {
            return fail(Code::kInvalidArgument, "'arguments' should be an object");
          }
          const auto* binding = json::find(all, "binding_id");
          if (binding != nullptr && !binding->is_string()) {
            return fail(Code::kInvalidArgument, "'binding_id' should be a string: bnd_…");
          }
          return calls_.execute(
              id, Arguments(all).maybe_text("binding_id"),
              arguments == nullptr ? json::Object() : std::move(arguments->get_object()));
        };
        return answer(request, run(), "execute", id.render());
      }};
}

}  // namespace cairn::rest
