// Bodies that are made and taken in portions, and events.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/server.h"
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

constexpr std::size_t kPortion = 256 * 1024;

// Sanitizers keep what was freed: no figure says anything then.
#if defined(__has_feature)
#define CAIRN_HAS_FEATURE(feature) __has_feature(feature)
#else
#define CAIRN_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    CAIRN_HAS_FEATURE(address_sanitizer) || CAIRN_HAS_FEATURE(thread_sanitizer)
constexpr std::size_t kMostMemory = SIZE_MAX;
#else
constexpr std::size_t kMostMemory = 16 << 20;
#endif

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

class Numbers final : public BodySource {
 public:
  Numbers(std::size_t portions, std::size_t size, bool fails = false)
      : left_(portions), size_(size), fails_(fails) {}
  Result<Bytes> next() override {
    if (left_ == 0 && fails_) return fail(Code::kCorruptNode, "broken");
    if (left_ == 0) return Bytes();
    --left_;
    return Bytes(size_, static_cast<char>('a' + left_ % 26));
  }

 private:
  std::size_t left_;
  const std::size_t size_;
  const bool fails_;
};

Response streamed(std::size_t portions, std::size_t size, bool fails = false) {
  Response response;
  response.body = StreamedBody{std::make_unique<Numbers>(portions, size, fails), std::nullopt};
  return response;
}

TEST(StreamedBody, GoesInChunksOrUnderItsLength) {
  TestServer server([](const Request& request) -> Plan {
    Response response = streamed(3, 4);
    if (request.path == "/12") std::get<StreamedBody>(response.body).length = 12;
    if (request.path == "/0") response = streamed(0, 0);
    return response;
  });
  RawClient client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /12 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.answer(),
              AllOf(HasSubstr("Transfer-Encoding: chunked\r\n"),
                    EndsWith("\r\n\r\n4\r\ncccc\r\n4\r\nbbbb\r\n4\r\naaaa\r\n0\r\n\r\n")));
  EXPECT_THAT(client.answer(), AllOf(HasSubstr("Content-Length: 12\r\n"), Not(HasSubstr("chunked")),
                                     EndsWith("\r\n\r\nccccbbbbaaaa")));
  client.send("GET /0 HTTP/1.1\r\nHost: x\r\n\r\nHEAD /12 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("\r\n\r\n0\r\n\r\n"));
  EXPECT_THAT(client.head(), HasSubstr("Content-Length: 12\r\n"));
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.rest(), AllOf(Not(HasSubstr("chunked")), HasSubstr("Connection: close"),
                                   EndsWith("\r\n\r\nccccbbbbaaaa")));
}

TEST(StreamedBody, IsBrokenOffRatherThanWrong) {
  TestServer server([](const Request& request) -> Plan {
    if (request.path == "/at-once") return streamed(0, 0, true);
    if (request.path == "/failing") return streamed(1, 4, true);
    Response response = streamed(1, 4);
    std::get<StreamedBody>(response.body).length = request.path == "/short" ? 5 : 3;
    return response;
  });
  RawClient client = server.connect();
  client.send("GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.answer(), AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("CORRUPT_NODE")));
  client.send("GET /failing HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.rest(), EndsWith("\r\n\r\n4\r\naaaa\r\n"));
  for (const std::string path : {"/short", "/long"}) {
    RawClient other = server.connect();
    other.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(other.rest(), Not(EndsWith("aaaaa"))) << path;
  }
}

struct Taken {
  std::atomic<std::size_t> bytes = 0;
  std::atomic<std::size_t> largest = 0;
  std::atomic<std::uint64_t> sum = 0;
  std::atomic<int> dropped = 0;
  std::atomic<int> finished = 0;
};

class Counter final : public BodySink {
 public:
  Counter(Taken& taken, std::size_t enough) : taken_(taken), enough_(enough) {}
  ~Counter() override { ++taken_.dropped; }
  std::optional<Response> append(ByteView portion) override {
    taken_.bytes += portion.size();
    if (portion.size() > taken_.largest) taken_.largest = portion.size();
    for (std::size_t i = 0; i < portion.size(); i += 1000) {
      taken_.sum += static_cast<unsigned char>(portion[i]);
    }
    if (taken_.bytes >= enough_) return text("enough", 400);
    return std::nullopt;
  }
  Response finish() override {
    ++taken_.finished;
    return text(std::to_string(taken_.bytes));
  }

 private:
  Taken& taken_;
  const std::size_t enough_;
};

TEST(WantStream, TakesALargeBodyInBoundedMemory) {
  Taken taken;
  TestServer server([&](const Request&) -> Plan {
    return WantStream{.sink = std::make_unique<Counter>(taken, SIZE_MAX)};
  });
  RawClient client = server.connect();
  const std::size_t before = resident_bytes();
  std::size_t most = 0;
  const std::string portion(1 << 20, 'x');
  client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 67108864\r\n\r\n");
  for (int i = 0; i < 64; ++i) {
    client.send(portion);
    most = std::max(most, resident_bytes());
  }
  EXPECT_THAT(client.answer(), EndsWith("\r\n\r\n67108864"));
  client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 16; ++i) client.send("100000\r\n").send(portion).send("\r\n");
  client.send("0\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("\r\n\r\n83886080"));
  EXPECT_LE(taken.largest, kPortion);
  EXPECT_LT(most - std::min(most, before), kMostMemory);
  EXPECT_TRUE(eventually([&] { return taken.dropped == 2; }));
}

TEST(StreamedBody, SendsALargeBodyInBoundedMemory) {
  TestServer server([](const Request&) -> Plan { return streamed(256, kPortion); });
  RawClient client = server.connect();
  const std::size_t before = resident_bytes();
  std::size_t most = 0;
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.head();
  for (int i = 255; i >= 0; --i) {
    ASSERT_EQ(client.read_exactly(7), "40000\r\n");
    const std::string portion = client.read_exactly(kPortion + 2);
    ASSERT_EQ(portion[1000], 'a' + i % 26);
    most = std::max(most, resident_bytes());
  }
  EXPECT_EQ(client.read_exactly(5), "0\r\n\r\n");
  EXPECT_LT(most - std::min(most, before), kMostMemory);
}

TEST(WantStream, StopsReadingWhenTheSinkHasAnAnswer) {
  Taken taken;
  TestServer server([&](const Request&) -> Plan {
    return WantStream{.sink = std::make_unique<Counter>(taken, 10), .max_bytes = 1 << 20};
  });
  RawClient client = server.connect();
  client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n0123456789");
  EXPECT_THAT(client.rest(), AllOf(StartsWith("HTTP/1.1 400"), EndsWith("enough")));
  EXPECT_EQ(taken.bytes, 10u);
  EXPECT_EQ(taken.finished, 0);
  EXPECT_THAT(server.ask("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n"),
              HasSubstr("BODY_TOO_LARGE"));
}

TEST(WantStream, DropsTheSinkWhenTheClientLeaves) {
  Taken taken;
  TestServer server([&](const Request&) -> Plan {
    return WantStream{.sink = std::make_unique<Counter>(taken, SIZE_MAX)};
  });
  RawClient client = server.connect();
  client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n0123456789");
  ASSERT_TRUE(eventually([&] { return taken.bytes == 10; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return taken.dropped == 1; }));
  EXPECT_EQ(taken.finished, 0);
  const auto logged = server.log().wait_for(1);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].status, 0);
}

// A server whose every answer is a stream that the test holds.
struct EventServer {
  std::vector<std::shared_ptr<EventStream>> all() { return *streams.lock(); }
  std::shared_ptr<EventStream> wait_for_one() {
    eventually([&] { return !streams.lock()->empty(); });
    return streams.lock()->back();
  }

  std::size_t max_pending = 1 << 20;
  Guarded<std::vector<std::shared_ptr<EventStream>>> streams;
  TestServer server{[this](const Request&) -> Plan {
    auto stream = EventStream::make(max_pending);
    streams.lock()->push_back(stream);
    return Response{.content_type = "text/event-stream", .body = EventBody{stream}};
  }};
};

TEST(Events, ArriveAsTheyArePushed) {
  EventServer events;
  RawClient client = events.server.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.head(), AllOf(HasSubstr("Content-Type: text/event-stream\r\n"),
                                   HasSubstr("Transfer-Encoding: chunked\r\n")));
  const auto stream = events.wait_for_one();
  EXPECT_TRUE(stream->push("data: 1\n\n"));
  EXPECT_EQ(client.read_exactly(14), "9\r\ndata: 1\n\n\r\n");
  EXPECT_TRUE(stream->push("data: 2\n\n"));
  EXPECT_EQ(client.read_exactly(14), "9\r\ndata: 2\n\n\r\n");
  int closed = 0;
  stream->on_closed([&] { ++closed; });
  stream->push("last");
  stream->close();
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(stream->push("late"));
  EXPECT_EQ(client.rest(), "4\r\nlast\r\n0\r\n\r\n");
  stream->on_closed([&] { ++closed; });
  EXPECT_EQ(closed, 2);
}

TEST(Events, NoticeAClientThatLeavesAnIdleStream) {
  EventServer events;
  RawClient client = events.server.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.head();
  std::atomic<int> closed = 0;
  const auto stream = events.wait_for_one();
  stream->on_closed([&] { ++closed; });
  client.close();
  EXPECT_TRUE(eventually([&] { return closed == 1; }));
  EXPECT_FALSE(stream->push("x"));
  EXPECT_EQ(events.server.log().wait_for(1).size(), 1u);
}

TEST(Events, CloseOnAClientThatIsTooFarBehind) {
  EventServer events;
  RawClient client = events.server.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.head();
  const auto stream = events.wait_for_one();
  std::atomic<int> closed = 0;
  stream->on_closed([&] { ++closed; });
  int pushed = 0;
  while (pushed < 10'000 && stream->push(std::string(100'000, 'x'))) ++pushed;
  EXPECT_LT(pushed, 10'000);
  EXPECT_EQ(closed, 1);
  EXPECT_THAT(client.rest(), Not(EndsWith("0\r\n\r\n")));
}

TEST(Events, EndWhenTheServerStops) {
  EventServer events;
  RawClient client = events.server.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.head();
  const auto stream = events.wait_for_one();
  events.server.server().stop();
  EXPECT_FALSE(stream->push("x"));
  EXPECT_EQ(client.rest(), "0\r\n\r\n");
}

TEST(Events, AreServedToManyAtOnceFromManyThreads) {
  EventServer events;
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(events.server.connect());
    clients.back().send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  ASSERT_TRUE(eventually([&] { return events.all().size() == 200; }));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (const auto& stream : events.all()) {
          for (int i = 0; i < 5; ++i) stream->push("x");
        }
      });
    }
  }
  for (const auto& stream : events.all()) stream->close();
  for (RawClient& client : clients) {
    const std::string body = client.rest();
    EXPECT_EQ(std::ranges::count(body.substr(body.find("\r\n\r\n")), 'x'), 20);
    EXPECT_THAT(body, EndsWith("0\r\n\r\n"));
  }
}

}  // namespace
}  // namespace cairn::http
