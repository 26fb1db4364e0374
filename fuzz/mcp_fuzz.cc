// Whatever a client sends, on stdio or as an HTTP body: what comes back is JSON-RPC, a line for a
// message, and nothing else; and the next client is served as if nothing had been.
//
// Input: lines, as a client of stdio sends them. Each is sent over HTTP as well.
#include <cstdint>
#include <cstdlib>
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

// A POST with the headers that fit its body, as a well-behaved modern client has them.
struct Post final : http::Request {
  explicit Post(std::string_view body) {
    method = http::Method::kPost;
    path = target = "/mcp";
    content_length = body.size();
    has_body = true;
    headers = {{"host", "localhost"},
               {"content-type", "application/json"},
               {"accept", "application/json"},
               {"mcp-protocol-version", "2026-07-28"}};
    const auto value = json::parse(body);
    if (!value || !value->is_object()) return;
    const auto& object = value->get_object();
    if (const auto* asked = json::find(object, "method"))
      headers["mcp-method"] = json::text(*asked);
    const auto* params = json::find(object, "params");
    if (params == nullptr || !params->is_object()) return;
    for (const auto* key : {"uri", "name"}) {
      if (const auto* named = json::find(params->get_object(), key)) {
        headers["mcp-name"] = json::text(*named);
      }
    }
  }
  std::string_view header(std::string_view name) const override {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  }
  std::map<std::string, std::string, std::less<>> headers;
};

void over_http(World& world, std::string_view body) {
  const Post request(body);
  auto plan = world.handler.begin(request);
  auto answer = std::get<http::WantBody>(plan).answer(Bytes(body));
  const auto* later = std::get_if<http::Later>(&answer);
  const http::Response response =
      later != nullptr ? later->answer() : std::get<http::Response>(answer);
  if (const auto* events = std::get_if<http::EventBody>(&response.body))
    return events->stream->close();
  const auto& text = std::get<std::string>(response.body);
  if (!text.empty()) check_text(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // A tool that waits to be stopped would wait for ever.
  if (input.contains("slow") || input.contains("\\u00")) return 0;
  over_stdio(world, input);
  for (std::size_t from = 0; from < input.size();) {
    const auto end = std::min(input.find('\n', from), input.size());
    over_http(world, input.substr(from, end - from));
    from = end + 1;
  }
  return 0;
}
