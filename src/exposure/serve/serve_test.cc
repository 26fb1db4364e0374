#include "exposure/serve/serve.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/os_testing.h"
#include "exposure/http/client.h"
#include "exposure/serve/running_server.h"
#include "exposure/serve/server_file.h"

namespace cairn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ParseListen, TakesAnAddressAPortOrBoth) {
  struct Case {
    std::string_view text, address;
    int port;
  };
  const Case cases[] = {
      {"127.0.0.1:80", "127.0.0.1", 80}, {"0.0.0.0:65535", "0.0.0.0", 65535},
      {"[::1]:80", "::1", 80},           {"[::]:0", "::", 0},
      {"localhost:80", "127.0.0.1", 80}, {":80", "(as it was)", 80},
      {"80", "(as it was)", 80},
  };
  for (const auto& c : cases) {
    std::string address = "(as it was)";
    std::uint16_t port = 1;
    EXPECT_TRUE(parse_listen(c.text, address, port)) << c.text;
    EXPECT_EQ(address, c.address) << c.text;
    EXPECT_EQ(port, c.port) << c.text;
  }
}

TEST(ParseListen, RefusesAndRepeatsWhatIsNone) {
  for (const auto* text :
       {"", ":", "localhost", "127.0.0.1:", "127.0.0.1:http", ":65536", ":-1", ":80x", "::1:80",
        "[::1:80", "[::1]", "[::1]80", "http://localhost:80"}) {
    std::string address;
    std::uint16_t port = 0;
    const auto parsed = parse_listen(text, address, port);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(fmt::format("'{}' should be", text)));
  }
}

struct ServeTest : testing::Test {
  ServeOptions options() const {
    ServeOptions out;
    out.data = tree.at("data");
    out.port = 0;
    out.log = LogFormat::kNone;
    out.version = "1.2.3";
    return out;
  }
  // What starting says is wrong; nothing was made on the way.
  Error refusal(const ServeOptions& given) {
    auto started = RunningServer::start(given, clock, random);
    EXPECT_FALSE(started);
    EXPECT_FALSE(tree.has("data/server.json"));
    return started ? Error(Code::kInternal, "") : started.error();
  }
  InternalListener internal(std::string address, std::string_view secret) const {
    tree.file("secret", secret);
    std::filesystem::permissions(tree.at("secret"), std::filesystem::perms::owner_read |
                                                        std::filesystem::perms::owner_write);
    return {.address = std::move(address), .port = 0, .secret_file = tree.at("secret")};
  }

  os::TempTree tree;
  ManualClock clock;
  SeededRandom random{1};
};

TEST_F(ServeTest, SendsNoTokensInTheClearOverANetwork) {
  for (const auto* address : {"0.0.0.0", "::", "192.0.2.1", "1270.0.0.1"}) {
    auto given = options();
    given.address = address;
    const auto error = refusal(given);
    EXPECT_EQ(error.code, Code::kInvalidArgument) << address;
    EXPECT_THAT(error.message,
                AllOf(HasSubstr(address), HasSubstr("--tls-cert"), HasSubstr("--behind-proxy")));
  }
  auto given = options();
  given.internal = internal("0.0.0.0", "a secret that is long enough\n");
  EXPECT_THAT(refusal(given).message, HasSubstr("--internal-listen 0.0.0.0"));
  EXPECT_FALSE(tree.has("data"));
}

TEST_F(ServeTest, TakesACertificateAndItsKeyTogether) {
  for (const bool certificate : {true, false}) {
    auto given = options();
    (certificate ? given.tls_certificate : given.tls_key) = tree.at("file.pem");
    EXPECT_THAT(refusal(given).message, HasSubstr("--tls-cert and --tls-key go together"));
  }
  EXPECT_FALSE(tree.has("data"));
}

TEST_F(ServeTest, RefusesAShortSecretAndSaysHowToMakeOne) {
  for (const auto* secret : {"", "short\n", "fifteen letters\nand more below\n"}) {
    auto given = options();
    given.internal = internal("127.0.0.1", secret);
    const auto error = refusal(given);
    EXPECT_EQ(error.code, Code::kInvalidArgument) << secret;
    EXPECT_THAT(error.message, AllOf(HasSubstr("at least 16"), HasSubstr("/dev/urandom")));
    EXPECT_THAT(error.message, Not(HasSubstr("fifteen")));
  }
}

TEST_F(ServeTest, RefusesASecretThatOthersMayRead) {
  auto given = options();
  given.internal = internal("127.0.0.1", "a secret that is long enough\n");
  std::filesystem::permissions(tree.at("secret"), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  const auto error = refusal(given);
  EXPECT_EQ(error.code, Code::kForbidden);
  EXPECT_THAT(error.message, AllOf(HasSubstr("chmod 600"), Not(HasSubstr("long enough"))));
}

TEST_F(ServeTest, SaysWhereItIsAsLongAsItRuns) {
  EXPECT_EQ(running_server(tree.at("data")).error().code, Code::kUnavailable);
  auto server = RunningServer::start(options(), clock, random);
  ASSERT_TRUE(server) << server.error().render();
  EXPECT_THAT((*server)->url(), testing::MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+"));
  EXPECT_EQ(*running_server(tree.at("data")), (*server)->url());
  EXPECT_FALSE((*server)->internal_url());
  const auto locked = RunningServer::start(options(), clock, random);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, Code::kStoreLocked);
  EXPECT_EQ(*running_server(tree.at("data")), (*server)->url());
  (*server)->stop();
  EXPECT_FALSE(tree.has("data/server.json"));
  (*server)->stop();
  server->reset();
  EXPECT_TRUE(RunningServer::start(options(), clock, random));
}

// Asked of the kernel, so that a server that cannot is not taken for a machine that cannot.
bool machine_has_version_six() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (socket < 0) return false;
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&loopback), sizeof loopback) == 0;
  ::close(socket);
  return bound;
}

TEST_F(ServeTest, AnAddressOfVersionSixStandsInBrackets) {
  auto given = options();
  given.address = "::1";
  given.internal = internal("::1", "a secret that is long enough\n");
  const auto server = RunningServer::start(given, clock, random);
  if (!machine_has_version_six()) {
    EXPECT_FALSE(server);
    return;
  }
  ASSERT_TRUE(server) << server.error().render();
  for (const auto& url : {(*server)->url(), (*server)->internal_url().value_or("")}) {
    EXPECT_THAT(url, testing::MatchesRegex("http://\\[::1\\]:[0-9]+"));
    EXPECT_TRUE(http::Url::parse(url)) << url;
  }
}

// Ends with what serve() ended with, having said on standard error what it says anywhere. This runs
// in a process of its own, with a tree of its own.
[[noreturn]] void serve_and_exit(const os::TempTree& tree, const ServeOptions& options,
                                 int signal) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const ManualClock clock;
  SeededRandom random{1};
  // Sent already when serve() comes to wait for it.
  sigset_t blocked{};
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  ::kill(::getpid(), signal);
  const auto served = serve(options, clock, random);
  if (!served) fmt::print(stderr, "{}\n", served.error().render());
  std::filesystem::remove_all(tree.top());
  std::exit(served ? 0 : 1);
}

using ServeDeathTest = ServeTest;

TEST_F(ServeDeathTest, SaysHowToConnectAndStopsWhenItIsTold) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int signal : {SIGTERM, SIGINT}) {
    EXPECT_EXIT(
        serve_and_exit(tree, options(), signal), testing::ExitedWithCode(0),
        AllOf(HasSubstr("cairn 1.2.3 serves "), HasSubstr("/api/docs"), HasSubstr("/mcp\n"),
              HasSubstr("owner.token"), HasSubstr("export CAIRN_SERVER=http://127.0.0.1:"),
              HasSubstr("curl -H"), Not(HasSubstr("internal")), HasSubstr("cairn: stopping\n")));
  }
}

TEST_F(ServeDeathTest, SaysWhereFrontEndsFindItAndNotTheirSecret) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto given = options();
  given.internal = internal("127.0.0.1", "a secret that is long enough\n");
  EXPECT_EXIT(
      serve_and_exit(tree, given, SIGTERM), testing::ExitedWithCode(0),
      AllOf(HasSubstr("  internal     http://127.0.0.1:"), Not(HasSubstr("a secret that"))));
}

TEST(ServerFileTest, IsTakenForNothingUnlessItNamesAnAddress) {
  const os::TempTree tree;
  for (const auto* text : {"", "{", "[]", "{}", R"({"url": 7})"}) {
    tree.file("server.json", text);
    const auto found = running_server(tree.root());
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Code::kUnavailable) << text;
  }
  {
    const ServerFile file(tree.root(), {"http://127.0.0.1:1", "s3cret"});
    EXPECT_EQ(*running_server(tree.root()), "http://127.0.0.1:1");
    EXPECT_THAT(tree.content("server.json"), HasSubstr(fmt::format("\"pid\":{}", ::getpid())));
  }
  EXPECT_FALSE(tree.has("server.json"));
}

}  // namespace
}  // namespace cairn
