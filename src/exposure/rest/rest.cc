#include "exposure/rest/rest.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/explain.h"
#include "base/network.h"
#include "base/quote.h"
#include "exposure/http/uri.h"
#include "exposure/rest/docs_page.h"
#include "exposure/rest/openapi.h"
#include "exposure/rest/query_arguments.h"
#include "exposure/rest/respond.h"

namespace cairn::rest {
namespace {

constexpr std::size_t kMaxAuthBytes = 16 << 10;

// Of the store. Anybody may ask how the server is: where its files lie is not told.
std::string what_is_wrong(Code code) {
  switch (code) {
    case Code::kStorageFull:
      return "the disk is full: reads go on, and writes are refused until there is room";
    case Code::kStoreReadOnly:
      return "the store can only be read: its disk cannot be written to";
    default:
      return "the store is gone, or cannot be read or written; the server's disk wants a look";
  }
}

bool is_json(std::string_view type) {
  const auto end = type.find(';');
  auto base = type.substr(0, end);
  while (base.ends_with(' ')) base.remove_suffix(1);
  return lowered(base) == "application/json";
}

}  // namespace

Result<json::Object> parse_object(ByteView body) {
  if (body.empty()) return json::Object();
  auto value = TRY(json::parse(body, json::kFromClients));
  if (!value.is_object()) {
    return fail(Code::kInvalidJson, "the body should be a JSON object of arguments");
  }
  return std::move(value.get_object());
}

namespace {

// What the path, the query or a header says may not be said otherwise in the body.
Result<json::Object> merge(json::Object from_head, json::Object body) {
  for (const auto& member : from_head) {
    if (body.contains(member.key())) {
      return fail(Code::kInvalidArgument,
                  "'{}' is in the address or a header already; leave it out of the body",
                  std::string_view(member.key()));
    }
  }
  for (auto& member : from_head) body.emplace(member.key(), std::move(member.value()));
  return body;
}

// The node that one entity tag names. Another kind of tag was never given out, so it cannot match.
Result<NodeKey> tagged_key(std::string_view tag) {
  // Whoever compresses an answer weakens its tag, as this server does itself. A key names content,
  // not bytes as they were sent: the comparison is none the weaker for it.
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() > 1 && tag.starts_with('"') && tag.ends_with('"')) {
    if (auto key = NodeKey::parse(tag.substr(1, tag.size() - 2))) return key;
  }
  return fail(Code::kPreconditionFailed,
              "If-Match is {}; it should be one key in quotes, as an ETag has it", shown(tag));
}

// If-Match and If-None-Match of a tool that writes if a file is as it should be.
Result<void> add_conditions(json::Object& arguments, const http::Request& request,
                            const Tool& tool) {
  const auto wanted = request.header("if-match");
  const auto unwanted = request.header("if-none-match");
  if (wanted.empty() && unwanted.empty()) return {};
  if (!tool.input.at("properties").get_object().contains("ifKey")) {
    // Not ignored: a write that should depend on something would go through.
    if (tool.annotations.read_only || wanted.empty()) return {};
    return fail(Code::kInvalidArgument,
                "If-Match is nothing that {} knows; leave it out, or write with a tool that has "
                "ifKey",
                tool.name);
  }
  if (arguments.contains("ifKey") || (!wanted.empty() && !unwanted.empty())) {
    return fail(Code::kInvalidArgument,
                "give one of ifKey, If-Match and If-None-Match; together they mean nothing");
  }
  if (!wanted.empty()) {
    arguments["ifKey"] = wanted == "*" ? std::string("any") : TRY(tagged_key(wanted)).render();
    return {};
  }
  if (unwanted != "*") {
    return fail(Code::kInvalidArgument,
                "If-None-Match is {}; for a write it can be *: only if there is no such file",
                shown(unwanted));
  }
  arguments["ifKey"] = "none";
  return {};
}

// What stands in a body that nobody reads would be ignored.
Result<void> check_no_body(const http::Request& request) {
  if (!request.has_body) return {};
  return fail(Code::kInvalidArgument,
              "{} takes no body here; put the arguments into the query: {}?name=value",
              http::name(request.method), shown(request.path, 200));
}

bool is_local(std::string_view remote) {
  return remote.starts_with("127.") || remote == "::1" || remote == "::ffff:127.0.0.1";
}

http::Response page(std::string_view type, std::string body) {
  http::Response out;
  out.content_type = type;
  out.headers.emplace_back("Cache-Control", "no-cache");
  out.body = std::move(body);
  return out;
}

http::Response named(http::Response response, const Caller& caller, std::string_view tool) {
  response.log_tool = tool;
  response.log_who = caller.session().who().id.render();
  return response;
}

// A file on its way to a caller: as long as the caller would be let in with the same rights.
class WatchedSource final : public http::BodySource {
 public:
  WatchedSource(const Executor& executor, Caller caller, std::unique_ptr<http::BodySource> source)
      : executor_(executor), caller_(std::move(caller)), source_(std::move(source)) {}

  Result<Bytes> next() override {
    TRY(executor_.check_unchanged(caller_));
    return source_->next();
  }

 private:
  const Executor& executor_;
  Caller caller_;
  std::unique_ptr<http::BodySource> source_;
};

// A streamed body on its way into a tool.
class ToolSink final : public http::BodySink {
 public:
  ToolSink(const http::Request& request, Caller caller, std::string_view tool,
           std::unique_ptr<Intake> intake)
      : request_(request), caller_(std::move(caller)), tool_(tool), intake_(std::move(intake)) {}

  std::optional<http::Response> append(ByteView portion) override {
    auto done = intake_->append(portion);
    if (done) return std::nullopt;
    return named(respond(done.error()), caller_, tool_);
  }
  http::Response finish() override {
    auto reply = intake_->finish();
    return named(reply ? respond(request_, std::move(*reply)) : respond(reply.error()), caller_,
                 tool_);
  }

 private:
  const http::Request& request_;
  Caller caller_;
  std::string tool_;
  std::unique_ptr<Intake> intake_;
};

}  // namespace

Failure wrong_method(std::string allowed) {
  return Failure(Error(Code::kMethodNotAllowed, fmt::format("only {} is possible here", allowed))
                     .with("allow", with_head(allowed)));
}

Result<void> check_json(const http::Request& request) {
  if (!request.has_body || is_json(request.header("content-type"))) return {};
  return fail(Code::kUnsupportedMediaType,
              "the body is '{}'; send JSON with the header Content-Type: application/json",
              shown(request.header("content-type")));
}

Result<std::string_view> bearer(const http::Request& request) {
  auto header = request.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  const bool fits = header.size() > kScheme.size() &&
                    std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char a, char b) {
                      return a == (b >= 'A' && b <= 'Z' ? b + 32 : b);
                    });
  if (fits) return header.substr(kScheme.size());
  return fail(Code::kInvalidToken,
              "no token was sent; add the header Authorization: Bearer <access token>");
}

RestHandler::RestHandler(Executor& executor, RestOptions options)
    : executor_(executor), options_(std::move(options)) {}

const RestHandler::Pages& RestHandler::pages() {
  // Made at the first request for it: most servers are never asked.
  std::call_once(pages_made_, [this] {
    const auto document = openapi(executor_.table(), options_.version);
    pages_ = {.openapi = json::write(document),
              .docs = docs_page(document),
              .tools = json::write(describe_tools(executor_.table()))};
  });
  return pages_;
}

http::Plan RestHandler::begin(const http::Request& request) {
  auto planned = plan(request);
  if (planned) return std::move(*planned);
  return respond(planned.error());
}

Result<http::Plan> RestHandler::plan(const http::Request& request) {
  auto segments = TRY(http::split_path(request.path));
  if (auto found = TRY(special(request, segments))) return std::move(*found);
  auto found = TRY(match(request.method, segments));
  return plan_tool(request, found);
}

namespace {

// A token that was given out for one way in opens no other.
Result<void> check_audience(std::string_view audience, const http::Request& request) {
  if (audience.empty()) return {};
  const auto wanted = TRY(http::split_path(audience));
  const auto asked = TRY(http::split_path(request.path));
  if (asked.size() >= wanted.size() &&
      std::ranges::equal(wanted, std::span(asked).first(wanted.size()))) {
    return {};
  }
  return fail(Code::kInvalidToken, "this token is for {} only; ask for one that is for {}",
              audience, shown(request.path, 200));
}

}  // namespace

Result<Caller> caller_of(const Executor& executor, const http::Request& request,
                         std::string_view realm, Entrance entrance) {
  const bool owner = request.peer == http::Peer::kOwner && request.header("authorization").empty();
  const auto caller = TRY(owner ? executor.machine_owner(realm, entrance)
                                : executor.authenticate(TRY(bearer(request)), realm, entrance));
  TRY(check_audience(caller.session().audience, request));
  return caller.asking(request.header("x-request-id"));
}

Result<Caller> RestHandler::let_in(const http::Request& request, std::string_view realm) const {
  const Site site{.public_url = options_.public_url, .behind_proxy = options_.behind_proxy};
  if (request.peer == http::Peer::kNetwork && request.header("authorization").empty()) {
    if (const auto cookie = session_cookie(site, request)) {
      const auto person = TRY(executor_.signed_in(*cookie, realm, Entrance::kRest));
      TRY(check_meant(site, request, *person.sign_in()));
      return person.asking(request.header("x-request-id"));
    }
  }
  return caller_of(executor_, request, realm, Entrance::kRest);
}

http::Response RestHandler::refuse(const http::Request& request, const Caller& caller,
                                   const Error& error) const {
  auto out = respond(error);
  if (caller.session().client.empty() || !options_.step_up) return out;
  if (auto header = options_.step_up(request, error.code); !header.empty()) {
    out.headers.emplace_back("WWW-Authenticate", std::move(header));
  }
  return out;
}

http::Response RestHandler::run(const http::Request& request, const Caller& caller,
                                const Tool& tool, json::Value arguments, ByteView body) {
  if (tool.rows && wants_rows(request)) {
    auto rows = executor_.stream(caller, tool, std::move(arguments));
    if (!rows) return named(respond(rows.error()), caller, tool.name);
    auto out = rows_response(std::move(*rows));
    std::get<http::StreamedBody>(out.body).share = share_of(caller);
    return named(std::move(out), caller, tool.name);
  }
  auto reply = executor_.run(caller, tool, std::move(arguments), body);
  if (!reply) return named(refuse(request, caller, reply.error()), caller, tool.name);
  auto out = respond(request, std::move(*reply));
  if (auto* streamed = std::get_if<http::StreamedBody>(&out.body)) {
    streamed->source =
        std::make_unique<WatchedSource>(executor_, caller, std::move(streamed->source));
  }
  return named(std::move(out), caller, tool.name);
}

http::Plan RestHandler::plan_run(const http::Request& request, const Caller& caller,
                                 const Tool& tool, json::Object arguments) {
  if (runs_here(caller, tool, &arguments)) {
    return run(request, caller, tool, std::move(arguments), {});
  }
  return http::Later{[this, &request, caller, &tool, value = std::move(arguments)]() mutable {
                       return run(request, caller, tool, std::move(value), {});
                     },
                     share_of(caller)};
}

Result<http::Plan> RestHandler::plan_json(const http::Request& request, const Caller& caller,
                                          const Tool& tool, json::Object arguments) {
  TRY(check_json(request));
  if (!request.has_body) return plan_run(request, caller, tool, std::move(arguments));
  const bool here = runs_here(caller, tool) && http::fits_here(request);
  return http::WantBody{.max_bytes = tool.max_body,
                        .where = here ? http::Where::kHere : http::Where::kWorker,
                        .answer = [this, &request, caller, &tool, known = std::move(arguments)](
                                      Bytes body) mutable -> http::Response {
                          auto given = parse_object(body);
                          if (!given) return named(respond(given.error()), caller, tool.name);
                          auto all = merge(std::move(known), std::move(*given));
                          if (!all) return named(respond(all.error()), caller, tool.name);
                          body.clear();
                          return run(request, caller, tool, json::Value(std::move(*all)), {});
                        },
                        .share = share_of(caller)};
}

Result<http::Plan> RestHandler::plan_stream(const http::Request& request, const Caller& caller,
                                            const Tool& tool, json::Object arguments) {
  const auto type = request.header("content-type");
  // What curl says of every body that it is not told the type of.
  const bool meant = !type.empty() && type != "application/x-www-form-urlencoded";
  if (meant && !arguments.contains("contentType")) arguments["contentType"] = type;
  auto intake = TRY(executor_.take(caller, tool, json::Value(std::move(arguments))));
  return http::WantStream{
      .sink = std::make_unique<ToolSink>(request, caller, tool.name, std::move(intake))};
}

http::Plan RestHandler::plan_bytes(const http::Request& request, const Caller& caller,
                                   const Tool& tool, json::Object arguments) {
  return http::WantBody{.max_bytes = tool.max_body,
                        .where = http::Where::kWorker,
                        .answer =
                            [this, &request, caller, &tool,
                             value = json::Value(std::move(arguments))](const Bytes& body) mutable {
                              return run(request, caller, tool, std::move(value), body);
                            },
                        .share = share_of(caller)};
}

Result<http::Plan> RestHandler::plan_tool(const http::Request& request, const Match& match) {
  auto caller = TRY(let_in(request, match.realm));
  auto name = match.route->tool;
  auto query = TRY(http::Query::parse(request.query));
  // A file may be written as it is, and its lines asked for as JSON: the query tells.
  if (name == "fs_write" && query.get("path")) name = "write_file";
  if (name == "read_file" && (query.get("startLine") || query.get("endLine"))) name = "fs_read";
  const auto& tool = *TRY(executor_.table().find(name));
  json::Object arguments;
  for (const auto& [parameter, value] : match.parameters) arguments.emplace(parameter, value);
  TRY(add_query_arguments(arguments, query, tool.input));
  if (name == "depot_commit") {
    if (auto expected = request.header("if-match"); !expected.empty() && expected != "*") {
      arguments["expectedRoot"] = TRY(tagged_key(expected)).render();
      arguments["exact"] = true;
    }
  } else {
    TRY(add_conditions(arguments, request, tool));
  }
  switch (tool.body) {
    case Body::kArguments:
      if (!match.route->takes_json()) {
        TRY(check_no_body(request));
        return plan_run(request, caller, tool, std::move(arguments));
      }
      return plan_json(request, caller, tool, std::move(arguments));
    case Body::kBytes:
      return plan_bytes(request, caller, tool, std::move(arguments));
    case Body::kStream:
      return plan_stream(request, caller, tool, std::move(arguments));
  }
  return fail(Code::kInternal, "a body that is not known");
}

// Tokens for a refresh token, or for a name and password.
Result<json::Object> RestHandler::issue(ByteView body, bool sign_in, std::string_view from,
                                        std::string_view request) {
  const auto given = TRY(parse_object(body));
  Arguments arguments(given);
  const std::vector<std::string_view> needed =
      sign_in ? std::vector<std::string_view>{"name", "password"}
              : std::vector<std::string_view>{"refreshToken"};
  for (const auto& member : given) {
    if (std::ranges::find(needed, std::string_view(member.key())) != needed.end()) continue;
    return fail(Code::kInvalidArgument, "'{}' is not known here; send {}",
                shown(std::string_view(member.key())), fmt::join(needed, " and "));
  }
  for (auto name : needed) {
    if (!arguments.maybe_text(name)) {
      return fail(Code::kInvalidArgument, "'{}' is required, as a text", name);
    }
  }
  if (!sign_in) return executor_.refresh(arguments.text("refreshToken"), Entrance::kRest, request);
  return executor_.sign_in(arguments.text("name"), arguments.text("password"), from,
                           Entrance::kRest, request);
}

Result<http::Plan> RestHandler::plan_auth(const http::Request& request, bool sign_in) {
  TRY(check_json(request));
  auto answer =
      [this, sign_in, from = std::string(request.remote),
       id = std::string(request.header("x-request-id"))](const Bytes& body) -> http::Response {
    auto issued = issue(body, sign_in, from, id);
    auto out = issued ? json_response(*issued) : respond(issued.error());
    out.headers.emplace_back("Cache-Control", "no-store");
    out.log_tool = sign_in ? "sign_in" : "refresh";
    return out;
  };
  // Hashing a password takes a core for a while: few at once, for one address and for all.
  return http::WantBody{.max_bytes = kMaxAuthBytes,
                        .where = http::Where::kWorker,
                        .answer = std::move(answer),
                        .share = {.group = "sign-in", .who = network_of(request.remote)}};
}

Result<http::Response> RestHandler::metrics(const http::Request& request) const {
  const bool own = request.peer == http::Peer::kOwner;
  if (!own && (options_.behind_proxy || !is_local(request.remote))) {
    if (!TRY(executor_.is_admin(TRY(let_in(request, "me"))))) {
      return fail(Code::kForbidden, "metrics are for admins only");
    }
  }
  return page("text/plain; version=0.0.4; charset=utf-8",
              options_.metrics ? options_.metrics() : "");
}

http::Response RestHandler::ready() const {
  if (stopping_) return respond(Error(Code::kUnavailable, "the server is stopping"));
  return healthy("ready");
}

http::Response RestHandler::healthy(std::string_view status) const {
  auto answers = executor_.check_store();
  if (!answers) return respond(retold(answers.error(), what_is_wrong(answers.error().code)));
  return json_response(json::Object{{"status", status}});
}

Result<std::optional<http::Plan>> RestHandler::special(const http::Request& request,
                                                       std::span<const std::string> segments) {
  using enum http::Method;
  const auto path = request.path;
  const bool get = request.method == kGet || request.method == kHead;
  const bool post = request.method == kPost;
  if (get && path == "/healthz") return healthy("ok");
  if (get && path == "/readyz") return ready();
  if (get && path == "/metrics") return TRY(metrics(request));
  if (get && (path == "/api/info" || path == "/info")) {
    return json_response(json::Object{{"name", "cairn"},
                                      {"version", options_.version},
                                      {"api", "/api"},
                                      {"openapi", "/api/openapi.json"},
                                      {"docs", "/api/docs"}});
  }
  if (get && path == "/api/openapi.json") return page("application/json", pages().openapi);
  if (get && path == "/api/docs") {
    auto out = page("text/html; charset=utf-8", pages().docs);
    out.headers.emplace_back("Content-Security-Policy",
                             "default-src 'none'; style-src 'unsafe-inline'");
    return out;
  }
  if (post && path == "/api/auth/refresh") return TRY(plan_auth(request, false));
  if (post && path == "/api/auth/login") return TRY(plan_auth(request, true));
  for (std::string_view known : {"/healthz", "/readyz", "/metrics", "/info", "/api/info",
                                 "/api/openapi.json", "/api/docs"}) {
    if (path == known) return wrong_method("GET");
  }
  if (path == "/api/auth/refresh" || path == "/api/auth/login") return wrong_method("POST");
  if (auto parts = match_pattern("/api/realm/{realm}/tools", segments); parts) {
    const auto caller = TRY(let_in(request, parts->front().second));
    if (!get) return wrong_method("GET");
    TRY(executor_.take_turn(caller));
    http::Response out;
    out.content_type = "application/json";
    // Made once, and sent as it is.
    out.body = http::SharedBody{nullptr, pages().tools};
    return named(std::move(out), caller, "");
  }
  if (auto parts = match_pattern("/api/realm/{realm}/tools/{name}", segments); parts) {
    auto caller = TRY(let_in(request, parts->front().second));
    if (!post) return wrong_method("POST");
    const auto& tool = *TRY(executor_.table().find(parts->back().second));
    if (tool.body != Body::kArguments) {
      return fail(Code::kBadRequest, "{} takes bytes and has a route of its own; see /api/docs",
                  tool.name);
    }
    return TRY(plan_json(request, caller, tool, json::Object()));
  }
  return std::nullopt;
}

}  // namespace cairn::rest
