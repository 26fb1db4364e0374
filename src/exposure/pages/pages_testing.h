// Shared by the tests of this folder: a browser with one cookie, and a server in memory that it
// looks at.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "exposure/http/fake_request.h"
#include "exposure/http/uri.h"
#include "exposure/pages/pages.h"
#include "tools/engine/engine.h"

namespace cairn::pages_testing {

using namespace cairn::pages;
using enum http::Method;

inline constexpr const char* kHere = "127.0.0.1:8765";
inline constexpr const char* kPassword = "correct horse";
using Form = std::vector<std::pair<std::string, std::string>>;

struct Shown {
  int status = 0;
  std::string body;
  http::Response response;
  std::string_view header(std::string_view name) const { return http::header_of(response, name); }
};

// A browser with one cookie, as far as these pages need one.
class Browser {
 public:
  explicit Browser(Pages& pages) : pages_(pages) {}

  http::Headers headers = {{"host", kHere}};
  std::string cookie;

  Shown get(std::string target) { return send(kGet, std::move(target), std::nullopt); }
  Shown post(std::string target, const Form& form) {
    http::Headers own{{"origin", std::string("http://") + kHere},
                      {"sec-fetch-site", "same-origin"}};
    return post(std::move(target), form, own);
  }
  Shown post(std::string target, const Form& form, const http::Headers& from) {
    std::string body;
    for (const auto& [name, value] : form) {
      if (!body.empty()) body += '&';
      body += http::percent_encode(name) + "=" + http::percent_encode(value);
    }
    return send(kPost, std::move(target), body, from);
  }
  // The hidden field of the page that was shown last.
  std::string csrf() const {
    constexpr std::string_view kBefore = "name=\"csrf\" value=\"";
    const auto at = last_.find(kBefore);
    if (at == std::string::npos) return "";
    const auto begin = at + kBefore.size();
    return last_.substr(begin, last_.find('"', begin) - begin);
  }

 private:
  Shown send(http::Method method, std::string target, std::optional<std::string> body,
             const http::Headers& more = {}) {
    auto all = headers;
    for (const auto& [name, value] : more) all[name] = value;
    if (!cookie.empty()) all["cookie"] = cookie;
    if (body) all["content-type"] = "application/x-www-form-urlencoded";
    const auto length = body ? std::optional(body->size()) : std::nullopt;
    http::FakeRequest request(method, std::move(target), all, length);
    auto response = http::carry_out(pages_.begin(request), body.value_or(""));
    Shown out{.status = response.status, .body = http::body_of(response), .response = {}};
    out.response = std::move(response);
    last_ = out.body;
    if (const auto set = out.header("Set-Cookie"); !set.empty()) {
      cookie = set.substr(0, set.find(';'));
      if (set.contains("Max-Age=0")) cookie.clear();
    }
    return out;
  }

  Pages& pages_;
  std::string last_;
};

struct PagesTest : testing::Test {
  ManualClock clock;
  SeededRandom random{1};
  NoMeter meter;
  std::unique_ptr<Engine> engine = *Engine::in_memory(clock, random, meter);
  Pages pages;
  Browser browser{pages};

  explicit PagesTest(oauth::Authorization* authorization = nullptr)
      : pages(engine->executor(), clock, {.site = {}, .authorization = authorization}) {
    call("add_user", {{"name", "ada"}, {"password", kPassword}});
  }

  json::Object call(std::string_view tool, const json::Object& arguments) {
    auto& executor = engine->executor();
    const auto owner = executor.trusted(engine->owner(), Entrance::kRest).value();
    return executor.run(owner, tool, json::Value(arguments)).value().value.as_object();
  }
  std::string ticket(std::string_view user) {
    return std::string(json::text(call("create_sign_in_link", {{"userId", user}}).at("ticket")));
  }
  Shown sign_in(Form more = {}) {
    more.insert(more.begin(), {{"name", "ada"}, {"password", kPassword}});
    return browser.post("/sign-in", more);
  }
  RealmId ada() {
    const auto users = call("list_users", {});
    for (const auto& user : users.at("users").as_array()) {
      if (json::text(user.at("name")) == "ada") {
        return RealmId::parse(json::text(user.at("userId"))).value();
      }
    }
    return {};
  }
  Caller as_ada() { return engine->executor().trusted(ada(), Entrance::kRest).value(); }
  std::size_t sign_ins() {
    const auto listed = engine->executor().run(as_ada(), "list_sign_ins", json::Object());
    return listed->value.as_object().at("signIns").as_array().size();
  }
};

}  // namespace cairn::pages_testing
