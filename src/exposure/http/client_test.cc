#include "exposure/http/client.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "exposure/http/testing.h"

namespace cairn::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using ::testing::HasSubstr;
using testing::TestServer;
using testing::text;

TEST(Url, IsParsedAndRendered) {
  struct Case {
    std::string_view text;
    Url url;
    std::string_view rendered;
  };
  for (const Case& c : {
           Case{"http://a", {"http", "a", 80, ""}, "http://a"},
           Case{"HTTPS://a.b/", {"https", "a.b", 443, ""}, "https://a.b"},
           Case{"http://a:8080/x/y/", {"http", "a", 8080, "/x/y"}, "http://a:8080/x/y"},
           Case{"http://[::1]:81", {"http", "::1", 81, ""}, "http://[::1]:81"},
           Case{"https://[fe80::2]/p", {"https", "fe80::2", 443, "/p"}, "https://[fe80::2]/p"},
       }) {
    const auto url = Url::parse(c.text);
    ASSERT_TRUE(url) << c.text << ": " << url.error().render();
    EXPECT_EQ(*url, c.url) << c.text;
    EXPECT_EQ(url->render(), c.rendered);
  }
  for (const std::string_view bad :
       {"", "a", "ftp://a", "http://", "http:///x", "http://a:0", "http://a:99999", "http://a:x",
        "http://u@a", "http://a?b", "http://a#b", "http://[::1", "http://[::1]x:80",
        "http://a b"}) {
    EXPECT_FALSE(Url::parse(bad)) << bad;
  }
}

class Echo final : public BodySink {
 public:
  std::optional<Response> append(ByteView portion) override {
    bytes_ += portion.size();
    if (portion.find('!') != ByteView::npos) return text("no shouting", 400);
    return std::nullopt;
  }
  Response finish() override { return text(std::to_string(bytes_)); }

 private:
  std::size_t bytes_ = 0;
};

class Numbers final : public BodySource {
 public:
  Result<Bytes> next() override { return left_-- > 0 ? Bytes(256 * 1024, 'n') : Bytes(); }

 private:
  int left_ = 256;
};

Plan handle(const Request& request) {
  if (request.path == "/base/numbers") {
    Response response;
    response.body = StreamedBody{std::make_unique<Numbers>()};
    return response;
  }
  if (request.path == "/base/put") return WantStream{.sink = std::make_unique<Echo>()};
  if (request.path == "/base/echo") {
    return WantBody{.max_bytes = 1 << 20, .answer = [](Bytes body) { return text(body); }};
  }
  if (request.path == "/base/missing") return error_response(Error(Code::kNotFound, "no"));
  Response response = text(std::string(request.target) + " " + std::string(request.header("x-a")) +
                           " " + std::string(request.header("host")));
  response.headers = {{"X-B", "b"}};
  return response;
}

Url url_of(const TestServer& server, std::string host = "127.0.0.1", std::string scheme = "http") {
  return {std::move(scheme), std::move(host), server.port(), "/base"};
}

TEST(Client, SendsAndReceivesOverOneConnection) {
  TestServer server(handle);
  Client client(url_of(server));
  for (int i = 0; i < 3; ++i) {
    const auto response = client.send({.target = "/a?b", .headers = {{"X-A", "1"}}});
    ASSERT_TRUE(response) << response.error().render();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->header("x-b"), "b");
    EXPECT_EQ(response->body, "/base/a?b 1 127.0.0.1:" + std::to_string(server.port()));
  }
  EXPECT_EQ(client.send({.method = Method::kPost, .target = "/echo", .body = "hello"})->body,
            "hello");
  EXPECT_EQ(client.send({.method = Method::kPost, .target = "/echo"})->body, "");
  const std::string big(900'000, 'b');
  EXPECT_EQ(client.send({.method = Method::kPost, .target = "/echo", .body = big})->body, big);
  EXPECT_EQ(client.send({.method = Method::kHead, .target = "/a"})->header("x-b"), "b");
  EXPECT_EQ(client.send({.target = "/missing"})->status, 404);
  EXPECT_EQ(server.log().open(), 1);
}

ClientRequest::Source source_of(std::size_t bytes, char fill = 'x') {
  return [left = bytes, fill](std::span<char> room) mutable -> Result<std::size_t> {
    const std::size_t count = std::min(left, room.size());
    std::ranges::fill(room.first(count), fill);
    left -= count;
    return count;
  };
}

TEST(Client, StreamsBothWays) {
  TestServer server(handle);
  Client client(url_of(server));
  constexpr std::size_t kSize = 64 << 20;
  EXPECT_EQ(
      client.send({.method = Method::kPut, .target = "/put", .source = source_of(kSize)})->body,
      std::to_string(kSize));
  EXPECT_EQ(client
                .send({.method = Method::kPut,
                       .target = "/put",
                       .source = source_of(kSize),
                       .length = kSize})
                ->body,
            std::to_string(kSize));
  std::size_t got = 0;
  const auto response = client.send({.target = "/numbers", .sink = [&](ByteView portion) {
                                       got += portion.size();
                                       return Result<void>();
                                     }});
  ASSERT_TRUE(response);
  EXPECT_EQ(got, kSize);
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(server.log().open(), 1);
}

TEST(Client, GetsTheAnswerOfAServerThatStopsReading) {
  TestServer server(handle);
  Client client(url_of(server));
  const auto response =
      client.send({.method = Method::kPut, .target = "/put", .source = source_of(64 << 20, '!')});
  ASSERT_TRUE(response) << response.error().render();
  EXPECT_EQ(response->status, 400);
  EXPECT_EQ(response->body, "no shouting");
  EXPECT_EQ(client.send({.target = "/a"})->status, 200);
}

TEST(Client, PassesOnWhatItsCallbacksSay) {
  TestServer server(handle);
  Client client(url_of(server));
  const auto failing = client.send({.method = Method::kPut,
                                    .target = "/put",
                                    .source = [](std::span<char>) -> Result<std::size_t> {
                                      return fail(Code::kIoError, "disk");
                                    }});
  EXPECT_EQ(failing.error().code, Code::kIoError);
  const auto full = client.send({.target = "/numbers", .sink = [](ByteView) -> Result<void> {
                                   return fail(Code::kQuotaExceeded, "full");
                                 }});
  EXPECT_EQ(full.error().code, Code::kQuotaExceeded);
  const auto wrong = client.send(
      {.method = Method::kPut, .target = "/put", .source = source_of(10), .length = 11});
  EXPECT_EQ(wrong.error().code, Code::kInvalidArgument);
  EXPECT_EQ(client.send({.target = "/a"})->status, 200);
}

TEST(Client, ConnectsAgainWhenTheServerHasClosed) {
  ServerOptions options;
  options.idle_timeout = 20ms;
  TestServer server(handle, options);
  Client client(url_of(server));
  EXPECT_EQ(client.send({.target = "/a"})->status, 200);
  ASSERT_TRUE(eventually([&] { return server.log().open() == 0; }));
  EXPECT_EQ(client.send({.method = Method::kPost, .target = "/echo", .body = "x"})->body, "x");
}

TEST(Client, SaysWhenNobodyAnswers) {
  std::optional<TestServer> server(handle);
  const Url url = url_of(*server);
  server.reset();
  const auto refused = Client(url).send({.target = "/a"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr(url.authority()));

  std::atomic<bool> release = false;
  TestServer silent([&](const Request&) -> Plan {
    return Later{[&] {
      eventually([&] { return release.load(); });
      return text("late");
    }};
  });
  ClientOptions options;
  options.idle_timeout = 20ms;
  const auto late = Client(url_of(silent), options).send({.target = "/a"});
  EXPECT_EQ(late.error().code, Code::kRequestTimeout);
  release = true;
}

TEST(Client, ShowsTheHeadBeforeTheBody) {
  auto stream = EventStream::make(1 << 20);
  TestServer server([&](const Request&) -> Plan {
    Response response{.headers = {{"X-B", "b"}}};
    response.body = EventBody{stream};
    return response;
  });
  std::string seen;
  const auto response = Client(url_of(server))
                            .send({.target = "/a",
                                   .sink =
                                       [&](ByteView portion) {
                                         seen += portion;
                                         stream->close();
                                         return Result<void>();
                                       },
                                   .head =
                                       [&](const ClientResponse& head) {
                                         EXPECT_EQ(head.status, 200);
                                         seen += head.header("x-b");
                                         stream->push("ody");
                                         return Result<void>();
                                       }});
  ASSERT_TRUE(response) << response.error().render();
  EXPECT_EQ(seen, "body");
  const auto refused = Client(url_of(server)).send({.target = "/a", .head = [](const auto&) {
                                                      return fail(Code::kForbidden, "no");
                                                    }});
  EXPECT_EQ(refused.error().code, Code::kForbidden);
}

TEST(Client, GivesUpARequestThatIsStopped) {
  auto stream = EventStream::make(1 << 20);
  std::atomic<bool> left = false;
  stream->on_closed([&] { left = true; });
  TestServer server([&](const Request& request) -> Plan {
    if (request.path != "/base/stream") return text("short");
    Response response;
    response.body = EventBody{stream};
    return response;
  });
  Client client(url_of(server));
  std::stop_source stop;
  std::jthread stopper;
  const ClientRequest endless{.target = "/stream",
                              .head =
                                  [&](const auto&) {
                                    stopper = std::jthread([&] { stop.request_stop(); });
                                    return Result<void>();
                                  },
                              .stop = stop.get_token()};
  const auto stopped = client.send(endless);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kUnavailable);
  EXPECT_THAT(stopped.error().message, HasSubstr("given up"));
  EXPECT_TRUE(eventually([&] { return left.load(); }));
  // Stopped before it began; and the client is good for another.
  EXPECT_FALSE(client.send(endless));
  EXPECT_FALSE(client.connect(stop.get_token()));
  EXPECT_TRUE(client.connect());
  EXPECT_EQ(client.send({.target = "/a"})->body, "short");
}

// A key, and a certificate for `localhost` and 127.0.0.1 that it has signed itself.
class Certificate {
 public:
  Certificate() {
    directory_ =
        std::filesystem::temp_directory_path() / ("cairn_http_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
    EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    X509* x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x509, X509_get_subject_name(x509));
    X509_EXTENSION* names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_add_ext(x509, names, -1);
    X509_sign(x509, key, nullptr);
    FILE* file = std::fopen(files().certificate.c_str(), "w");
    PEM_write_X509(file, x509);
    std::fclose(file);
    file = std::fopen(files().key.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_EXTENSION_free(names);
    X509_free(x509);
    EVP_PKEY_free(key);
  }
  ~Certificate() { std::filesystem::remove_all(directory_); }

  TlsFiles files() const { return {directory_ / "cert.pem", directory_ / "key.pem"}; }
  std::filesystem::path file(std::string name, std::string text) const {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

 private:
  std::filesystem::path directory_;
};

ServerOptions with_tls(const Certificate& certificate) {
  ServerOptions options;
  options.tls = certificate.files();
  return options;
}

TEST(Tls, CarriesRequestsBothWays) {
  Certificate certificate;
  TestServer server(handle, with_tls(certificate));
  ClientOptions options;
  options.ca_file = certificate.files().certificate;
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    Client client(url_of(server, host, "https"), options);
    const auto response = client.send({.target = "/a"});
    ASSERT_TRUE(response) << response.error().render();
    EXPECT_THAT(response->body, HasSubstr("/base/a"));
    constexpr std::size_t kSize = 8 << 20;
    EXPECT_EQ(
        client.send({.method = Method::kPut, .target = "/put", .source = source_of(kSize)})->body,
        std::to_string(kSize));
    const std::string big(900'000, 'b');
    EXPECT_EQ(client.send({.method = Method::kPost, .target = "/echo", .body = big})->body, big);
    std::size_t got = 0;
    EXPECT_TRUE(client.send({.target = "/numbers", .sink = [&](ByteView portion) {
                               got += portion.size();
                               return Result<void>();
                             }}));
    EXPECT_EQ(got, std::size_t{64} << 20);
    EXPECT_EQ(server.log().open(), 1);
  }
}

TEST(Tls, IsNotTrustedWithoutACertificate) {
  Certificate certificate;
  TestServer server(handle, with_tls(certificate));
  const auto unknown = Client(url_of(server, "localhost", "https")).send({.target = "/a"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::kUnavailable);
  EXPECT_THAT(unknown.error().message, HasSubstr("certificate"));
  ClientOptions options;
  options.ca_file = certificate.files().certificate;
  EXPECT_FALSE(Client(url_of(server, "127.0.0.2", "https"), options).send({.target = "/a"}));
  // Plain HTTP to it gets no answer, and hurts nobody.
  EXPECT_FALSE(Client(url_of(server)).send({.target = "/a"}));
  EXPECT_TRUE(Client(url_of(server, "localhost", "https"), options).send({.target = "/a"}));
}

TEST(Tls, EndsEventsAndIdleConnectionsWhenTheServerStops) {
  Certificate certificate;
  auto stream = EventStream::make(1 << 20);
  TestServer server(
      [&](const Request& request) -> Plan {
        if (request.path == "/base/idle") return text("idle");
        return Response{.body = EventBody{stream}};
      },
      with_tls(certificate));
  ClientOptions options;
  options.ca_file = certificate.files().certificate;
  Client idle(url_of(server, "localhost", "https"), options);
  EXPECT_EQ(idle.send({.target = "/idle"})->body, "idle");
  stream->push("hello");
  std::jthread stopper;
  std::string got;
  const auto response = Client(url_of(server, "localhost", "https"), options)
                            .send({.target = "/", .sink = [&](ByteView portion) {
                                     got += portion;
                                     stopper = std::jthread([&] { server.server().stop(); });
                                     return Result<void>();
                                   }});
  EXPECT_TRUE(response);
  EXPECT_EQ(got, "hello");
}

TEST(Tls, FilesOfNoUseAreNamed) {
  Certificate certificate;
  class Nobody final : public Handler {
    Plan begin(const Request&) override { return text(""); }
  } nobody;
  testing::Log log;
  const auto message = [&](TlsFiles files) {
    ServerOptions options;
    options.tls = files;
    const auto server = Server::start(options, nobody, log);
    return server ? std::string("started") : server.error().render();
  };
  const TlsFiles good = certificate.files();
  EXPECT_EQ(message(good), "started");
  EXPECT_THAT(message({"/nowhere/cert.pem", good.key}), HasSubstr("'/nowhere/cert.pem'"));
  EXPECT_THAT(message({good.certificate, "/nowhere/key.pem"}), HasSubstr("'/nowhere/key.pem'"));
  const auto nonsense = certificate.file("nonsense.pem", "nonsense");
  EXPECT_THAT(message({nonsense, good.key}), HasSubstr("nonsense.pem' is not a PEM certificate"));
  EXPECT_THAT(message({good.certificate, nonsense}), HasSubstr("nonsense.pem' is not the PEM key"));
}

TEST(Client, SpeaksToAnIpv6Address) {
  ServerOptions options;
  options.address = "::1";
  std::optional<TestServer> server;
  try {
    server.emplace(handle, options);
  } catch (const std::runtime_error&) {
    GTEST_SKIP() << "no IPv6 here";
  }
  const auto response = Client(url_of(*server, "::1")).send({.target = "/a"});
  ASSERT_TRUE(response) << response.error().render();
  EXPECT_THAT(response->body, HasSubstr("[::1]:"));
  EXPECT_EQ(server->log().wait_for(1)[0].remote, "::1");
}

}  // namespace
}  // namespace cairn::http
