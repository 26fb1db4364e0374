#include "exposure/rest/rest_world.h"

#include <stdexcept>
#include <utility>

namespace cairn::rest {
namespace {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}

}  // namespace

std::string text_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  if (value == nullptr) throw std::runtime_error("no member " + std::string(name));
  return std::string(json::text(*value));
}

Answered::Answered(http::Response answer) : status(answer.status), response(std::move(answer)) {
  body = body_of(response);
  if (auto parsed = json::parse(body)) value = std::move(*parsed);
  code = status < 400 ? "ok" : text_of(value.as_object(), "error");
}

std::string Answered::message() const { return text_of(value.as_object(), "message"); }

RestWorld::RestWorld(RestOptions options)
    : engine_(need(Engine::in_memory(clock, random_, meter_))),
      rest(engine_->executor(), std::move(options)),
      endpoints(engine_->bound()),
      internal(engine_->bound(), std::string(kSecret)) {
  owner = text_of(must("update_user", {{"userId", "owner"}, {"newToken", true}}), "accessToken");
}

http::Plan RestWorld::plan(http::Handler& handler, const Asked& asked) {
  auto headers = asked.headers;
  if (!asked.token.empty()) headers.emplace("authorization", "Bearer " + asked.token);
  std::optional<std::size_t> length;
  if (asked.body) {
    headers.emplace("content-type", asked.type);
    length = asked.body->size();
  }
  auto request = std::make_unique<http::FakeRequest>(asked.method, asked.target, std::move(headers),
                                                     length, asked.remote);
  requests_.push_back(std::move(request));
  return handler.begin(*requests_.back());
}

Answered RestWorld::ask(http::Handler& handler, const Asked& asked) {
  return Answered(http::carry_out(plan(handler, asked), asked.body.value_or("")));
}

Answered RestWorld::get(std::string target, http::Headers headers) {
  return ask({.target = std::move(target), .token = owner, .headers = std::move(headers)});
}

Answered RestWorld::post(std::string target, const json::Object& body, http::Headers headers) {
  return ask({.method = http::Method::kPost,
              .target = std::move(target),
              .token = owner,
              .body = json::write(body),
              .headers = std::move(headers)});
}

json::Object RestWorld::must(std::string_view tool, const json::Object& arguments) {
  auto& executor = engine_->executor();
  const auto caller = need(executor.trusted(engine_->owner(), Entrance::kRest));
  return need(executor.run(caller, tool, json::Value(arguments))).value.as_object();
}

std::string RestWorld::written(const std::string& depot, std::string_view path,
                               std::string_view content) {
  return text_of(must("fs_write", {{"nodeKey", depot}, {"path", path}, {"content", content}}),
                 "newRoot");
}

std::string RestWorld::depot(std::string_view title,
                             const std::map<std::string, std::string>& files) {
  const auto id = text_of(must("create_depot", {{"title", title}}), "depotId");
  for (const auto& [path, content] : files) {
    must("depot_commit", {{"depotId", id}, {"root", written(id, path, content)}});
  }
  return id;
}

RestWorld::Made RestWorld::endpoint(const std::string& depot, std::string_view path,
                                    const std::vector<std::string>& operations) {
  json::Array bindings;
  for (const auto& operation : operations) {
    json::Object tool{{"operationType", operation}, {"depotId", depot}, {"path", path}};
    bindings.emplace_back(json::Object{{"tool", std::move(tool)}, {"toolName", operation}});
  }
  const auto made = must("create_endpoint", {{"name", "orders"},
                                             {"description", "What was ordered"},
                                             {"type", "rest"},
                                             {"bindings", std::move(bindings)}});
  return {.id = text_of(made, "endpointId"), .key = text_of(made, "apiKey")};
}

}  // namespace cairn::rest
