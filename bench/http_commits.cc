// http_commits URL TOKEN CLIENTS SECONDS own|one: clients that write a file and commit it, over
// HTTP, each in a depot of its own or all in one; prints how many did so a second.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "exposure/http/client.h"

namespace {

using namespace cairn;
using Clock = std::chrono::steady_clock;

// The text of a member in a JSON answer of ours.
std::string member(std::string_view body, std::string_view name) {
  const auto key = fmt::format("\"{}\":\"", name);
  const auto at = body.find(key);
  if (at == std::string_view::npos) {
    fmt::print(stderr, "no {} in {}\n", name, body);
    std::exit(1);
  }
  const auto begin = at + key.size();
  return std::string(body.substr(begin, body.find('"', begin) - begin));
}

class Caller final {
 public:
  Caller(const http::Url& url, std::string_view token) : client_(url), token_(token) {}

  std::string call(std::string_view tool, std::string arguments) {
    http::ClientRequest request;
    request.method = http::Method::kPost;
    request.target = fmt::format("/api/realm/me/tools/{}", tool);
    request.headers = {{"Authorization", fmt::format("Bearer {}", token_)},
                       {"Content-Type", "application/json"}};
    request.body = std::move(arguments);
    auto answer = client_.send(request);
    if (!answer || answer->status != 200) {
      fmt::print(stderr, "{} failed: {}\n", tool, answer ? answer->body : answer.error().message);
      std::exit(1);
    }
    return answer->body;
  }

 private:
  http::Client client_;
  std::string token_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto url = http::Url::parse(argv[1]);
  const int clients = std::atoi(argv[3]);
  const auto until = Clock::now() + std::chrono::seconds(std::atoi(argv[4]));
  const bool own = std::string_view(argv[5]) == "own";
  if (!url) return 2;
  const auto shared =
      member(Caller(*url, argv[2]).call("create_depot", R"({"title":"bench"})"), "depotId");
  std::atomic<std::uint64_t> total = 0;
  std::vector<std::jthread> threads;
  for (int number = 0; number < clients; ++number) {
    threads.emplace_back([&, number] {
      Caller caller(*url, argv[2]);
      const auto depot =
          own ? member(caller.call("create_depot", R"({"title":"bench"})"), "depotId") : shared;
      for (std::uint64_t i = 0; Clock::now() < until; ++i) {
        const auto root = member(
            caller.call("fs_write",
                        fmt::format(R"({{"nodeKey":"{}","path":"c{}.txt","content":"{} {}"}})",
                                    depot, number, number, i)),
            "newRoot");
        caller.call("depot_commit", fmt::format(R"({{"depotId":"{}","root":"{}"}})", depot, root));
        total += 1;
      }
    });
  }
  threads.clear();
  fmt::print("{}\n", static_cast<double>(total) / std::atoi(argv[4]));
}
