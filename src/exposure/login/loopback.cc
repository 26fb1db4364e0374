#include "exposure/login/loopback.h"

#include <condition_variable>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "exposure/http/server.h"
#include "exposure/http/uri.h"

namespace cairn::login {
namespace {

constexpr std::string_view kPath = "/callback";

struct Nobody final : http::Observer {
  void on_request(const http::RequestLog&) override {}
  void on_connections(int) override {}
};

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

http::Response page(int status, std::string_view title, std::string_view text) {
  http::Response out;
  out.status = status;
  out.content_type = "text/html; charset=utf-8";
  out.headers = {{"Content-Security-Policy",
                  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "
                  "base-uri 'none'; form-action 'none'"},
                 {"X-Content-Type-Options", "nosniff"},
                 {"Referrer-Policy", "no-referrer"},
                 {"Cache-Control", "no-store"},
                 {"Connection", "close"}};
  out.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      "<style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;"
      "padding:0 1rem}}</style></head><body><main><h1>{0}</h1><p>{1}</p></main></body></html>\n",
      html(title), html(text));
  return out;
}

class Listener final : public Loopback, private http::Handler {
 public:
  Listener(const Authority& authority, std::string state)
      : issuer_(authority.issuer),
        names_itself_(authority.names_itself),
        state_(std::move(state)) {}
  // No handler runs when the members go.
  ~Listener() override { server_.reset(); }

  Result<void> start() {
    http::ServerOptions options;
    options.io_threads = 1;
    options.worker_threads = 1;
    options.max_connections = 64;
    options.stop_timeout = std::chrono::seconds(2);
    server_ = TRY(http::Server::start(options, *this, nobody_));
    return {};
  }

  std::string address() const override {
    return fmt::format("http://127.0.0.1:{}{}", server_->port(), kPath);
  }

  Result<std::string> wait(std::chrono::milliseconds patience) override {
    auto answer = answer_.lock();
    if (!came_.wait_for(answer.mutex(), patience, [&] { return answer->has_value(); })) {
      return fail(Code::kRequestTimeout,
                  "nobody has signed in for {} minutes; run it again, or use --device if the "
                  "browser is on another machine",
                  std::chrono::duration_cast<std::chrono::minutes>(patience).count());
    }
    return **answer;
  }

 private:
  http::Plan begin(const http::Request& request) override {
    if (request.path != kPath) return page(404, "Nothing here", "This is not the page you want.");
    if (request.method != http::Method::kGet) {
      return page(405, "Nothing here", "This page is only looked at.");
    }
    const auto query = http::Query::parse(request.query);
    if (!query || !same_secret(query->get("state").value_or(""), state_)) {
      return page(400, "This sign-in is not the one that is waited for",
                  "It may be of an earlier try. Nothing was done. Go back to the terminal, and use "
                  "the address that is there.");
    }
    auto outcome = read(*query);
    const bool good = outcome.has_value();
    const auto text = good ? std::string() : outcome.error().message;
    {
      auto answer = answer_.lock();
      if (answer->has_value()) {
        return page(400, "This sign-in is over", "Go back to the terminal to see what came of it.");
      }
      answer->emplace(std::move(outcome));
    }
    came_.notify_all();
    if (!good) return page(200, "Not signed in", text + ".");
    return page(200, "Signed in", "You can close this window and go back to the terminal.");
  }

  Result<std::string> read(const http::Query& query) const {
    const auto issuer = query.get("iss");
    // RFC 9207: an answer of another server's is not for this one.
    if (issuer ? *issuer != issuer_ : names_itself_) {
      return fail(Code::kInvalidToken, "the answer is of {}, and not of {}",
                  issuer ? shown(*issuer) : "nobody who says so", shown(issuer_));
    }
    if (const auto error = query.get("error")) {
      const auto why = shown(query.get("error_description").value_or(*error), 300);
      if (*error == "access_denied") {
        return fail(Code::kForbidden, "it was not allowed on the page: {}", why);
      }
      return fail(Code::kBadRequest, "the server refused the sign-in: {}", why);
    }
    const auto code = query.get("code");
    if (!code || code->empty()) {
      return fail(Code::kBadRequest, "the server sent the browser back without a code");
    }
    return std::string(*code);
  }

  const std::string issuer_;
  const bool names_itself_;
  const std::string state_;
  Nobody nobody_;
  Guarded<std::optional<Result<std::string>>> answer_;
  std::condition_variable came_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace

Result<std::unique_ptr<Loopback>> Loopback::listen(const Authority& authority, std::string state) {
  auto out = std::make_unique<Listener>(authority, std::move(state));
  TRY(out->start());
  return out;
}

}  // namespace cairn::login
