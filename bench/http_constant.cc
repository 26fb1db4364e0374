// http_constant [PORT [IO_THREADS [PLAN]]]: an HTTP server whose every answer is the same 2 KiB,
// until its input ends. PLAN is `here`, `worker`, or `events`: streams in which nothing happens.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "exposure/http/server.h"

namespace {

using namespace cairn::http;

class Constant final : public Handler {
 public:
  explicit Constant(std::string_view plan) : plan_(plan) {}

  Plan begin(const Request&) override {
    if (plan_ == "worker") return Later{[this] { return answer(); }};
    if (plan_ == "events") return Response{.body = EventBody{EventStream::make(1 << 20)}};
    return answer();
  }

 private:
  Response answer() const {
    return {.content_type = "application/json", .body = SharedBody{body_, *body_}};
  }

  const std::string_view plan_;
  const std::shared_ptr<const std::string> body_ = std::make_shared<std::string>(2048, 'x');
};

class Silent final : public Observer {
 public:
  void on_request(const RequestLog&) override {}
  void on_connections(int) override {}
};

}  // namespace

int main(int argc, char** argv) {
  Constant handler(argc > 3 ? argv[3] : "here");
  Silent observer;
  ServerOptions options;
  if (argc > 1) options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  if (argc > 2) options.io_threads = static_cast<unsigned>(std::atoi(argv[2]));
  const auto server = Server::start(options, handler, observer);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().render().c_str());
    return 1;
  }
  std::printf("http://127.0.0.1:%d/\n", int{(*server)->port()});
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
