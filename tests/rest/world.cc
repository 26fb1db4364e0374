#include "world.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace cairn::rest_testing {
namespace {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}

}  // namespace

std::string text(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  if (value == nullptr) throw std::runtime_error("no member " + std::string(name));
  return std::string(json::text(*value));
}

LocalDoor::LocalDoor(http::Handler& handler) {
  auto name = (std::filesystem::temp_directory_path() / "cairn-socket-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
  directory_ = name;
  http::ServerOptions options;
  options.socket = directory_ / "cairn.sock";
  options.worker_threads = 2;
  server_ = need(http::Server::start(options, handler, quiet_));
  client_ =
      std::make_unique<http::Client>(need(http::Url::parse("unix:" + options.socket.string())));
}

LocalDoor::~LocalDoor() {
  client_.reset();
  server_->stop();
  std::filesystem::remove_all(directory_);
}

World::World(const EngineOptions& options) {
  engine_ = need(Engine::in_memory(clock, random_, meter_, options));
  realm = engine_->owner().render();
  auto& delegates = engine_->services().delegates;
  auto root = need(delegates.root(engine_->owner()));
  owner = need(delegates.issue_lasting(engine_->owner(), root.id)).text();
  handler_ = std::make_unique<rest::RestHandler>(
      engine_->executor(),
      rest::RestOptions{.version = "test", .behind_proxy = false, .metrics = {}});
  http::ServerOptions server;
  server.io_threads = 1;
  server.worker_threads = 2;
  server_ = need(http::Server::start(server, *handler_, quiet_));
  auto url = need(http::Url::parse(fmt::format("http://127.0.0.1:{}", server_->port())));
  client_ = std::make_unique<http::Client>(std::move(url));
}

World::~World() {
  local_.reset();
  client_.reset();
  server_->stop();
}

namespace {

constexpr std::string_view kBrowser = "(browser) ";

}  // namespace

std::string World::browser(Word word) {
  const auto opened = need(engine_->executor().open_sign_in_of(engine_->owner(), {}));
  return fmt::format("{}{} {}", kBrowser, opened.cookie,
                     word == Word::kWith ? opened.sign_in.csrf : "");
}

std::optional<std::vector<std::pair<std::string, std::string>>> sent_by_browser(
    std::string_view token, std::uint16_t port) {
  if (!token.starts_with(kBrowser)) return std::nullopt;
  token.remove_prefix(kBrowser.size());
  const auto space = token.find(' ');
  std::vector<std::pair<std::string, std::string>> out = {
      {"Cookie", fmt::format("cairn_session_{}={}", port, token.substr(0, space))},
      {"Origin", fmt::format("http://127.0.0.1:{}", port)}};
  const auto word = token.substr(space + 1);
  if (!word.empty()) out.emplace_back("X-Cairn-CSRF", word);
  return out;
}

Answer World::send(http::Method method, const std::string& target, const std::string& token,
                   const std::optional<std::string>& body, const std::string& type,
                   const std::vector<std::pair<std::string, std::string>>& headers) {
  http::ClientRequest request;
  request.headers = headers;
  request.method = method;
  request.target = target;
  const bool local = token == kOverSocket;
  if (local && !local_) local_ = std::make_unique<LocalDoor>(*handler_);
  if (const auto sent = sent_by_browser(token, server_->port())) {
    request.headers.insert(request.headers.end(), sent->begin(), sent->end());
  } else if (!token.empty() && !local) {
    request.headers.emplace_back("Authorization", "Bearer " + token);
  }
  if (body) {
    request.headers.emplace_back("Content-Type", type);
    request.body = *body;
  }
  auto response = need((local ? local_->client() : *client_).send(request));
  Answer answer;
  answer.status = response.status;
  answer.body = response.body;
  answer.response = std::move(response);
  if (auto value = json::parse(answer.body)) answer.value = std::move(*value);
  const auto* error = answer.status >= 400 && answer.value.is_object()
                          ? json::find(answer.value.get_object(), "error")
                          : nullptr;
  answer.code = answer.status < 400 ? "ok"
                : error != nullptr  ? std::string(json::text(*error))
                                    : fmt::format("HTTP {}", answer.status);
  return answer;
}

Answer World::call(std::string_view tool, const std::string& token, const json::Object& arguments,
                   std::string_view where) {
  auto answer = send(http::Method::kPost, fmt::format("/api/realm/{}/tools/{}", where, tool), token,
                     json::write(arguments));
  // Whatever a tool answers is what it said it would.
  const auto* row = need(engine_->executor().table().find(tool));
  const bool bytes = tool == "read_file" || tool == "get_node";
  if (answer.code == "ok" && !bytes) {
    auto fits = need(json::Schema::compile(row->output)).check(answer.value);
    if (!fits) throw std::runtime_error(fmt::format("{}: {}", tool, fits.error().message));
  }
  return answer;
}

json::Object World::must(std::string_view tool, const std::string& token,
                         const json::Object& arguments) {
  auto answer = call(tool, token, arguments);
  if (answer.code != "ok") throw std::runtime_error(std::string(tool) + ": " + answer.body);
  return answer.value.get_object();
}

std::string World::depot(std::string_view title, const std::map<std::string, std::string>& files,
                         const std::string& token) {
  const auto& who = token.empty() ? owner : token;
  auto id = text(must("create_depot", who, {{"title", title}}), "depotId");
  auto at = id;
  for (const auto& [path, content] : files) {
    at = text(must("fs_write", who, {{"nodeKey", at}, {"path", path}, {"content", content}}),
              "newRoot");
  }
  if (at != id) must("depot_commit", who, {{"depotId", id}, {"root", at}});
  return id;
}

std::string World::root(const std::string& depot, const std::string& token) {
  return text(must("get_depot", token.empty() ? owner : token, {{"depotId", depot}}), "root");
}

}  // namespace cairn::rest_testing
