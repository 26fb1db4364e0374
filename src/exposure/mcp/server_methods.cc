// The methods, one by one: parameters are read, the service is asked, the result is shaped for the
// client's revision.
#include "base/quote.h"
#include "base/result.h"
#include "exposure/mcp/server.h"
#include "exposure/mcp/server_exchange.h"

namespace cairn::mcp {
namespace {

Rpc<std::string_view> text_param(const json::Object& params, std::string_view key) {
  const auto* value = json::find(params, key);
  if (value != nullptr && value->is_string()) return json::text(*value);
  return rpc_fail(rpc_code::kInvalidParams, fmt::format("'{}' is required, as a text", key));
}

// A missing cursor and an empty one are the beginning.
Rpc<std::string_view> cursor_of(const json::Object& params) {
  if (!params.contains("cursor")) return std::string_view();
  return text_param(params, "cursor");
}

// A pointer to where they stand in the parameters, so that nobody has to copy them; to `none` when
// there are none.
Rpc<json::Object*> arguments_of(json::Object& params, json::Object& none) {
  auto* given = params.if_contains("arguments");
  if (given == nullptr) return &none;
  if (given->is_object()) return &given->get_object();
  return rpc_fail(rpc_code::kInvalidParams, "'arguments' has to be an object");
}

void add_caching(json::Object& result, const Exchange& exchange, const Caching& caching) {
  if (!is_modern(exchange.revision())) return;
  result["ttlMs"] = caching.ttl_ms;
  result["cacheScope"] = caching.for_all ? "public" : "private";
}

json::Object shape_page(const Exchange& exchange, std::string_view key, Page page) {
  json::Object result{{key, std::move(page.items)}};
  if (page.next_cursor) result["nextCursor"] = *page.next_cursor;
  add_caching(result, exchange, page.caching);
  return result;
}

// Members that earlier revisions do not know would only cost their readers tokens.
void trim_tools(json::Array& tools, Revision revision) {
  if (revision >= Revision::k2025_11_25) return;
  for (auto& tool : tools) {
    auto& object = tool.as_object();
    object.erase("icons");
    if (revision >= Revision::k2025_06_18) continue;
    object.erase("title");
    object.erase("outputSchema");
    if (revision < Revision::k2025_03_26) object.erase("annotations");
  }
}

template <typename List>
Rpc<Page> list(ServerExchange& exchange, List ask) {
  return ask(TRY(cursor_of(exchange.params())));
}

}  // namespace

Server::Outcome Server::list_tools(ServerExchange& exchange) {
  auto page =
      TRY(list(exchange, [&](auto cursor) { return service_.list_tools(exchange, cursor); }));
  trim_tools(page.items, exchange.revision());
  return shape_page(exchange, "tools", std::move(page));
}

Server::Outcome Server::list_resources(ServerExchange& exchange) {
  auto page =
      TRY(list(exchange, [&](auto cursor) { return service_.list_resources(exchange, cursor); }));
  return shape_page(exchange, "resources", std::move(page));
}

Server::Outcome Server::list_templates(ServerExchange& exchange) {
  auto page =
      TRY(list(exchange, [&](auto cursor) { return service_.list_templates(exchange, cursor); }));
  return shape_page(exchange, "resourceTemplates", std::move(page));
}

Server::Outcome Server::list_prompts(ServerExchange& exchange) {
  auto page =
      TRY(list(exchange, [&](auto cursor) { return service_.list_prompts(exchange, cursor); }));
  return shape_page(exchange, "prompts", std::move(page));
}

Server::Outcome Server::call_tool(ServerExchange& exchange) {
  const auto tool = TRY(text_param(exchange.params(), "name"));
  json::Object none;
  auto* arguments = TRY(arguments_of(exchange.params(), none));
  auto outcome = TRY(service_.call_tool(exchange, tool, std::move(*arguments)));
  json::Object result{{"content", std::move(outcome.content)}};
  if (outcome.structured && exchange.revision() >= Revision::k2025_06_18) {
    result["structuredContent"] = std::move(*outcome.structured);
  }
  if (outcome.is_error) result["isError"] = true;
  return result;
}

Server::Outcome Server::read_resource(ServerExchange& exchange) {
  const auto uri = TRY(text_param(exchange.params(), "uri"));
  auto read = TRY(service_.read_resource(exchange, uri));
  json::Object result{{"contents", std::move(read.contents)}};
  add_caching(result, exchange, read.caching);
  return result;
}

Server::Outcome Server::subscribe(ServerExchange& exchange) {
  const auto uri = TRY(text_param(exchange.params(), "uri"));
  TRY(exchange.peer().subscribe(announcer_, std::string(uri)));
  return json::Object();
}

Server::Outcome Server::unsubscribe(ServerExchange& exchange) {
  const auto uri = TRY(text_param(exchange.params(), "uri"));
  exchange.peer().unsubscribe(std::string(uri));
  return json::Object();
}

Server::Outcome Server::get_prompt(ServerExchange& exchange) {
  const auto prompt = TRY(text_param(exchange.params(), "name"));
  json::Object none;
  const auto* arguments = TRY(arguments_of(exchange.params(), none));
  for (const auto& [key, value] : *arguments) {
    if (value.is_string()) continue;
    return rpc_fail(rpc_code::kInvalidParams,
                    fmt::format("argument '{}' has to be a text", shown(std::string_view(key))));
  }
  return service_.get_prompt(exchange, prompt, *arguments);
}

Server::Outcome Server::complete(ServerExchange& exchange) {
  const auto* ref = json::find(exchange.params(), "ref");
  const auto* argument = json::find(exchange.params(), "argument");
  if (ref == nullptr || !ref->is_object() || argument == nullptr || !argument->is_object()) {
    return rpc_fail(rpc_code::kInvalidParams, "'ref' and 'argument' are required, as objects");
  }
  const auto type = text_param(ref->get_object(), "type");
  if (!type || (*type != "ref/prompt" && *type != "ref/resource")) {
    return rpc_fail(rpc_code::kInvalidParams, "'ref.type' is ref/prompt or ref/resource");
  }
  CompletionRequest request;
  request.prompt = *type == "ref/prompt";
  request.of = TRY(text_param(ref->get_object(), request.prompt ? "name" : "uri"));
  request.argument = TRY(text_param(argument->get_object(), "name"));
  request.value = TRY(text_param(argument->get_object(), "value"));
  // From revision 2025-06-18 on; what is malformed is taken for none, as a completion is only a
  // help.
  if (auto* context = exchange.params().if_contains("context"); context && context->is_object()) {
    json::Object none;
    if (auto given = arguments_of(context->get_object(), none))
      request.context = std::move(**given);
  }
  auto completion = TRY(service_.complete(exchange, request));
  constexpr std::size_t kMost = 100;
  const bool cut = completion.values.size() > kMost;
  if (cut) completion.values.resize(kMost);
  json::Object values{{"values", json::Array(completion.values.begin(), completion.values.end())},
                      {"hasMore", cut || completion.has_more}};
  if (completion.total) values["total"] = *completion.total;
  return json::Object{{"completion", std::move(values)}};
}

Server::Outcome Server::set_level(ServerExchange& exchange) {
  const auto text = TRY(text_param(exchange.params(), "level"));
  const auto level = parse_log_level(text);
  if (!level) {
    return rpc_fail(rpc_code::kInvalidParams,
                    fmt::format("'{}' is none of the log levels", shown(text)));
  }
  exchange.peer().set_log_level(*level);
  return json::Object();
}

Server::Outcome Server::ping(ServerExchange& /*exchange*/) { return json::Object(); }

}  // namespace cairn::mcp
