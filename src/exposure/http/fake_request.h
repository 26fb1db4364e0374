// For tests of handlers: a request that was never sent, and what becomes of a plan when the server
// carries it out.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "exposure/http/http.h"

namespace cairn::http {

using Headers = std::map<std::string, std::string, std::less<>>;

// Stays where it is: the base's views are into it. With a body its length is said, as most say it.
class FakeRequest final : public Request {
 public:
  // `GET /a?b=c` with headers by their names in lower case.
  FakeRequest(Method how, std::string where, Headers with = {},
              std::optional<std::size_t> body_bytes = std::nullopt, std::string from = "127.0.0.1")
      : target_(std::move(where)), headers_(std::move(with)), from_(std::move(from)) {
    method = how;
    target = target_;
    path = target.substr(0, target.find('?'));
    query = path.size() == target.size() ? std::string_view() : target.substr(path.size() + 1);
    remote = from_;
    has_body = body_bytes.has_value();
    content_length = body_bytes;
  }
  FakeRequest(const FakeRequest&) = delete;
  FakeRequest& operator=(const FakeRequest&) = delete;

  std::string_view header(std::string_view lower_name) const override {
    const auto found = headers_.find(lower_name);
    return found == headers_.end() ? std::string_view() : std::string_view(found->second);
  }

 private:
  const std::string target_;
  const Headers headers_;
  const std::string from_;
};

// What a plan comes to, with this body. Throws for what a test of a handler alone cannot follow.
inline Response carry_out(Plan plan, Bytes body = {}) {
  if (auto* now = std::get_if<Response>(&plan)) return std::move(*now);
  if (auto* later = std::get_if<Later>(&plan)) return later->answer();
  if (auto* want = std::get_if<WantBody>(&plan)) {
    if (body.size() > want->max_bytes) throw std::logic_error("the server would not read it");
    auto answer = want->answer(std::move(body));
    if (auto* now = std::get_if<Response>(&answer)) return std::move(*now);
    if (auto* later = std::get_if<Later>(&answer)) return later->answer();
  }
  if (auto* want = std::get_if<WantStream>(&plan)) {
    auto refused = want->sink->append(body);
    return refused ? std::move(*refused) : want->sink->finish();
  }
  throw std::logic_error("the answer is deferred");
}

// The whole body, however it is given.
inline std::string body_of(Response& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return *text;
  if (const auto* shared = std::get_if<SharedBody>(&response.body)) {
    return std::string(shared->bytes);
  }
  auto* streamed = std::get_if<StreamedBody>(&response.body);
  if (streamed == nullptr) throw std::logic_error("the body is a stream of events");
  std::string out;
  for (auto portion = streamed->source->next();; portion = streamed->source->next()) {
    if (!portion) throw std::runtime_error(portion.error().render());
    if (portion->empty()) return out;
    out += *portion;
  }
}

// A header of an answer; empty when it is absent.
inline std::string_view header_of(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace cairn::http
