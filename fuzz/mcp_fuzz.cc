// Whatever a client sends, on stdio or as an HTTP body: what comes back is JSON-RPC, a line for a
// message, and nothing else; and the next client is served as if nothing had been.
//
// Input: lines, as a client of stdio sends them. Each is sent over HTTP as well, as a modern
// request and in a session, and is tried as a header.
#include <cstdint>
#include <cstdlib>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include <sys/mman.h>
#include <unistd.h>

#include "exposure/mcp/http.h"
#include "exposure/mcp/lines.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/stdio.h"
#include "exposure/mcp/testing.h"

namespace {

using namespace cairn;
using namespace cairn::mcp;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_message(const json::Value& value) {
  require(value.is_object());
  const auto& object = value.get_object();
  const auto* version = json::find(object, "jsonrpc");
  require(version != nullptr && json::text(*version) == "2.0");
  const int outcomes = static_cast<int>(object.contains("result")) +
                       static_cast<int>(object.contains("error")) +
                       static_cast<int>(object.contains("method"));
  require(outcomes == 1);
}

void check_text(std::string_view text) {
  const auto value = json::parse(text);
  require(value.has_value());
  if (!value->is_array()) return check_message(*value);
  require(!value->get_array().empty());
  for (const auto& one : value->get_array()) check_message(one);
}

// A file without a name, with this in it.
int a_file(std::string_view content) {
  const int file = ::memfd_create("mcp_fuzz", MFD_CLOEXEC);
  require(write_all(file, content));
  ::lseek(file, 0, SEEK_SET);
  return file;
}

struct World {
  SystemClock clock;
  SeededRandom random{1};
  mcp::testing::TestService service;
  Server server{service, clock, random};
  HttpHandler handler{server, clock, random, {.admit = [](const http::Request&) {
                        return Result<PrincipalPtr>(mcp::testing::a_principal());
                      }}};
};

void over_stdio(World& world, std::string_view lines) {
  const int in = a_file(lines);
  const int out = a_file("");
  require(serve_stdio(world.server, mcp::testing::a_principal(), in, out).has_value());
  ::lseek(out, 0, SEEK_SET);
  LineReader answers(out, SIZE_MAX);
  while (const auto line = answers.next().value()) check_text(line->text);
  ::close(in);
  ::close(out);
}

using Headers = std::map<std::string, std::string, std::less<>>;

struct FakeRequest final : http::Request {
  FakeRequest(http::Method which, std::size_t body_bytes, Headers more) : headers(std::move(more)) {
    method = which;
    path = target = "/mcp";
    content_length = body_bytes;
    has_body = body_bytes > 0;
    headers.emplace("host", "localhost");
    headers.emplace("content-type", "application/json");
    // No streams: a tool that asks its client over one would wait for the answer.
    headers.emplace("accept", "application/json");
  }
  std::string_view header(std::string_view name) const override {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  }
  Headers headers;
};

// What the headers of a modern client repeat of a body.
Headers modern_headers(std::string_view body) {
  Headers headers{{"mcp-protocol-version", "2026-07-28"}};
  const auto value = json::parse(body);
  if (!value || !value->is_object()) return headers;
  const auto& object = value->get_object();
  if (const auto* asked = json::find(object, "method")) headers["mcp-method"] = json::text(*asked);
  const auto* params = json::find(object, "params");
  if (params == nullptr || !params->is_object()) return headers;
  for (const auto* key : {"uri", "name"}) {
    if (const auto* named = json::find(params->get_object(), key)) {
      headers["mcp-name"] = json::text(*named);
    }
  }
  return headers;
}

// Takes a deferred answer for whoever waits for it.
class Taker final : public http::Responder {
 public:
  std::future<http::Response> taken() { return answer_.get_future(); }
  void answer(http::Response response) override { answer_.set_value(std::move(response)); }

 private:
  std::promise<http::Response> answer_;
};

http::Response wait_for(http::Deferred deferred) {
  auto taker = std::make_unique<Taker>();
  auto taken = taker->taken();
  std::exchange(deferred.pending, nullptr)->begin(std::move(taker));
  return taken.get();
}

http::Response run(http::Answer answer) {
  if (const auto* later = std::get_if<http::Later>(&answer)) return later->answer();
  if (auto* deferred = std::get_if<http::Deferred>(&answer)) return wait_for(std::move(*deferred));
  return std::get<http::Response>(std::move(answer));
}

http::Response run(http::Plan plan, std::string_view body) {
  if (auto* wanted = std::get_if<http::WantBody>(&plan)) return run(wanted->answer(Bytes(body)));
  if (const auto* later = std::get_if<http::Later>(&plan)) return later->answer();
  return std::get<http::Response>(std::move(plan));
}

// Whatever is asked, what comes back is a stream, which is left at once, or messages.
http::Response ask(World& world, http::Method method, Headers headers, std::string_view body = {}) {
  const FakeRequest request(method, body.size(), std::move(headers));
  auto response = run(world.handler.begin(request), body);
  if (const auto* events = std::get_if<http::EventBody>(&response.body)) {
    events->stream->close();
  } else if (const auto& text = std::get<std::string>(response.body); !text.empty()) {
    check_text(text);
  }
  return response;
}

// A session of the revision that has batches.
std::string open_session(World& world) {
  const auto answer = ask(world, http::Method::kPost, {},
                          R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{
                              "protocolVersion":"2025-03-26","capabilities":{"elicitation":{}}}})");
  for (const auto& [name, value] : answer.headers) {
    if (name == "Mcp-Session-Id") return value;
  }
  std::abort();
}

void over_http(World& world, std::string_view line, const std::string& session) {
  ask(world, http::Method::kPost, modern_headers(line), line);
  ask(world, http::Method::kPost, {{"mcp-session-id", session}}, line);
  const std::string text(line);
  ask(world, http::Method::kGet,
      {{"mcp-session-id", session}, {"accept", "text/event-stream"}, {"last-event-id", text}});
  ask(world, http::Method::kPost,
      {{"mcp-protocol-version", text}, {"mcp-method", text}, {"mcp-name", text}},
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{
          "io.modelcontextprotocol/protocolVersion":"2026-07-28",
          "io.modelcontextprotocol/clientCapabilities":{}}}})");
  ask(world, http::Method::kDelete, {{"mcp-session-id", text}});
}

}  // namespace

// OpenSSL keeps a random state for each thread and frees it when the thread ends. The workers of
// the world below end last of all, when OpenSSL is torn down already.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcrypto.so"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // A tool that waits to be stopped would wait for ever.
  if (input.contains("slow") || input.contains("\\u00")) return 0;
  over_stdio(world, input);
  const auto session = open_session(world);
  for (std::size_t from = 0; from < input.size();) {
    const auto end = std::min(input.find('\n', from), input.size());
    over_http(world, input.substr(from, end - from), session);
    from = end + 1;
  }
  ask(world, http::Method::kDelete, {{"mcp-session-id", session}});
  return 0;
}
