// Answers that come later, from whatever thread has them.
#include "exposure/http/deferral.h"

#include <atomic>
#include <future>
#include <map>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/testing.h"

namespace cairn::http {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::eventually;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawClient;
using ::testing::StartsWith;
using testing::TestServer;
using testing::text;

std::string get(std::string_view path, std::string_view more = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n" + std::string(more) + "\r\n";
}

// Answers when the test says so.
class Held final : public Pending {
 public:
  void begin(std::unique_ptr<Responder> responder) override {
    *responder_.lock() = std::move(responder);
  }
  void late() override { ++lates; }
  void left() override { ++lefts; }

  // REQUIRES: begun.
  void answer(Response response) {
    const auto responder = std::exchange(*responder_.lock(), nullptr);
    responder->answer(std::move(response));
  }
  void drop() { const auto gone = std::exchange(*responder_.lock(), nullptr); }
  bool begun() { return *responder_.lock() != nullptr; }

  std::atomic<int> lates = 0;
  std::atomic<int> lefts = 0;

 private:
  Guarded<std::unique_ptr<Responder>> responder_;
};

// Every request is deferred, but for those of /at-once.
struct DeferringServer {
  explicit DeferringServer(std::chrono::milliseconds how_long = 10s, ServerOptions options = {})
      : patience(how_long), server([this](const Request& r) { return plan(r); }, options) {}

  Plan plan(const Request& request) {
    if (request.path == "/at-once") return text("at once");
    auto held = std::make_shared<Held>();
    (*all.lock())[std::string(request.path)] = held;
    if (!request.has_body) return Deferred{held, patience};
    return WantBody{.max_bytes = 100, .answer = [this, held](Bytes body) -> Answer {
                      (*bodies.lock())[body] = held;
                      return Deferred{held, patience};
                    }};
  }
  // One whose request has come.
  std::shared_ptr<Held> wait_for(const std::string& path) {
    std::shared_ptr<Held> found;
    eventually([&] {
      auto known = all.lock();
      const auto at = known->find(path);
      if (at == known->end() || !at->second->begun()) return false;
      found = at->second;
      return true;
    });
    return found;
  }

  const std::chrono::milliseconds patience;
  Guarded<std::map<std::string, std::shared_ptr<Held>>> all;
  Guarded<std::map<std::string, std::shared_ptr<Held>>> bodies;
  TestServer server;
};

ServerOptions that_looks_often() {
  ServerOptions options;
  options.write_timeout = 20ms;
  return options;
}

TEST(Deferred, IsAnsweredFromAnyThreadAndTheConnectionGoesOn) {
  DeferringServer deferring;
  RawClient client = deferring.server.connect();
  for (const std::string path : {"/a", "/b", "/c"}) {
    client.send(get(path));
    const auto held = deferring.wait_for(path);
    ASSERT_TRUE(held);
    std::jthread([&] { held->answer(text(path)); }).join();
    EXPECT_THAT(client.answer(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("\r\n\r\n" + path)));
    EXPECT_EQ(held->lates, 0);
    EXPECT_EQ(held->lefts, 0);
  }
  client.send("POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody" + get("/at-once"));
  deferring.wait_for("/d")->answer(text("took it", 201));
  EXPECT_THAT(client.answer(), AllOf(StartsWith("HTTP/1.1 201"), EndsWith("took it")));
  EXPECT_TRUE(deferring.bodies.lock()->contains("body"));
  EXPECT_THAT(client.answer(), EndsWith("at once"));
}

TEST(Deferred, IsAnsweredInTheOrderOfTheRequests) {
  DeferringServer deferring;
  RawClient client = deferring.server.connect();
  client.send(get("/first") + get("/at-once") + get("/second") + get("/at-once"));
  deferring.wait_for("/first")->answer(text("first"));
  deferring.wait_for("/second")->answer(text("second"));
  for (const std::string_view body : {"first", "at once", "second", "at once"}) {
    EXPECT_THAT(client.answer(), EndsWith(body));
  }
}

TEST(Deferred, MayBeAnsweredBeforeItHasBegun) {
  class Quick final : public Pending {
    void begin(std::unique_ptr<Responder> responder) override {
      responder->answer(text("first"));
      responder->answer(text("second"));
    }
  };
  TestServer server([](const Request&) -> Plan { return Deferred{std::make_shared<Quick>()}; });
  RawClient client = server.connect();
  for (int i = 0; i < 3; ++i) {
    client.send(get("/"));
    EXPECT_THAT(client.answer(), EndsWith("first"));
  }
}

TEST(Deferred, IsSentAndLoggedLikeAnyAnswer) {
  DeferringServer deferring;
  RawClient client = deferring.server.connect();
  Response response = text(std::string(5000, 'x'));
  response.log_tool = "tool";
  response.log_who = "who";
  client.send("HEAD /head HTTP/1.1\r\nHost: x\r\n\r\n" + get("/get", "Accept-Encoding: gzip\r\n"));
  deferring.wait_for("/head")->answer(text(std::string(5000, 'x')));
  EXPECT_THAT(client.head(), HasSubstr("Content-Length: 5000\r\n"));
  deferring.wait_for("/get")->answer(std::move(response));
  EXPECT_THAT(client.answer(), HasSubstr("Content-Encoding: gzip\r\n"));
  const auto logged = deferring.server.log().wait_for(2);
  ASSERT_EQ(logged.size(), 2u);
  EXPECT_EQ(logged[1].path, "/get");
  EXPECT_EQ(logged[1].status, 200);
  EXPECT_EQ(logged[1].tool, "tool");
  EXPECT_EQ(logged[1].who, "who");
}

TEST(Deferred, IsAnErrorWhenItIsLetGoOf) {
  class Throws final : public Pending {
    void begin(std::unique_ptr<Responder>) override { throw std::runtime_error("secret"); }
  };
  DeferringServer deferring;
  RawClient client = deferring.server.connect();
  client.send(get("/dropped"));
  deferring.wait_for("/dropped")->drop();
  EXPECT_THAT(client.answer(), AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("INTERNAL")));
  EXPECT_THAT(deferring.server.log().wait_for(1)[0].cause, HasSubstr("without an answer"));
  // Nobody keeps it.
  TestServer throwing([](const Request&) -> Plan { return Deferred{std::make_shared<Throws>()}; });
  EXPECT_THAT(throwing.ask(get("/")), AllOf(StartsWith("HTTP/1.1 500"), Not(HasSubstr("secret"))));
  EXPECT_EQ(throwing.log().wait_for(1)[0].cause, "secret");
  TestServer losing([](const Request&) -> Plan { return Deferred{std::make_shared<Held>()}; });
  EXPECT_THAT(losing.ask(get("/")), StartsWith("HTTP/1.1 500"));
}

TEST(Deferred, BecomesAStreamWhenItIsLate) {
  class Streams final : public Pending {
   public:
    explicit Streams(std::shared_ptr<EventStream> stream) : stream_(std::move(stream)) {}
    void begin(std::unique_ptr<Responder> responder) override { responder_ = std::move(responder); }
    void late() override {
      responder_->answer({.content_type = "text/event-stream", .body = EventBody{stream_}});
    }

   private:
    std::unique_ptr<Responder> responder_;
    std::shared_ptr<EventStream> stream_;
  };
  const auto stream = EventStream::make(1 << 20);
  const auto pending = std::make_shared<Streams>(stream);
  TestServer server([&](const Request&) -> Plan { return Deferred{pending, 5ms}; });
  RawClient client = server.connect();
  client.send(get("/"));
  EXPECT_THAT(client.head(), HasSubstr("text/event-stream"));
  stream->push("data: 1\n\n");
  EXPECT_EQ(client.read_exactly(14), "9\r\ndata: 1\n\n\r\n");
  std::atomic<int> closed = 0;
  stream->on_closed([&] { ++closed; });
  client.close();
  EXPECT_TRUE(eventually([&] { return closed == 1; }));
}

TEST(Deferred, HearsOfAClientThatLeavesWhenItIsLate) {
  DeferringServer deferring(5ms, that_looks_often());
  RawClient client = deferring.server.connect();
  // Requests that it has sent ahead do not hide that it goes.
  client.send(get("/") + get("/at-once"));
  const auto held = deferring.wait_for("/");
  ASSERT_TRUE(eventually([&] { return held->lates == 1; }));
  EXPECT_EQ(held->lefts, 0);
  client.close();
  EXPECT_TRUE(eventually([&] { return held->lefts == 1; }));
  held->answer(text("to nobody"));
  EXPECT_EQ(deferring.server.log().wait_for(1)[0].status, 200);
  EXPECT_EQ(held->lates, 1);
  EXPECT_EQ(held->lefts, 1);
}

TEST(Deferred, AnswersAClientThatHasSaidAll) {
  DeferringServer deferring(10s, that_looks_often());
  RawClient client = deferring.server.connect();
  client.send(get("/"));
  client.shut_down_sending();
  const auto held = deferring.wait_for("/");
  std::this_thread::sleep_for(30ms);
  held->answer(text("here it is"));
  EXPECT_THAT(client.rest(), EndsWith("here it is"));
  EXPECT_EQ(held->lefts, 0);
}

TEST(Deferred, NeedsNoThreadWhileItWaits) {
  ServerOptions options;
  options.io_threads = 1;
  options.worker_threads = 1;
  DeferringServer deferring(1ms, options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(deferring.server.connect());
    clients.back().send(get("/" + std::to_string(i)));
  }
  ASSERT_TRUE(deferring.wait_for("/99"));
  EXPECT_THAT(deferring.server.ask(get("/at-once")), EndsWith("at once"));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = t; i < 100; i += 4) {
          deferring.wait_for("/" + std::to_string(i))->answer(text("answer"));
        }
      });
    }
  }
  for (RawClient& client : clients) EXPECT_THAT(client.answer(), EndsWith("answer"));
}

TEST(Deferred, IsWaitedForWhenTheServerStops) {
  ServerOptions options;
  options.stop_timeout = 30ms;
  DeferringServer deferring(10s, options);
  RawClient client = deferring.server.connect();
  client.send(get("/"));
  const auto held = deferring.wait_for("/");
  auto stopped = std::async(std::launch::async, [&] { deferring.server.server().stop(); });
  EXPECT_TRUE(eventually([&] { return held->lefts == 1; })) << "its time is over";
  EXPECT_EQ(stopped.wait_for(0ms), std::future_status::timeout);
  held->answer(text("too late"));
  stopped.get();
  EXPECT_TRUE(client.closed());
}

}  // namespace
}  // namespace cairn::http
