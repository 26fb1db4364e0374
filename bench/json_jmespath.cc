// json_jmespath JOBS: how long queries take, for bench/json/run, which compares with others.
//
// A job is a line {"expression", "file", "parse": bool}: compiled only, or compiled and searched in
// the document of that file, with the result as a value in memory of its own. For each a line
// {"ns", "text_ns"}: the best round, as a value and as text.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include "base/budget.h"
#include "base/clock.h"
#include "data/json/arena_document.h"
#include "data/json/jmespath/jmespath.h"
#include "data/json/json.h"

namespace {

namespace json = cairn::json;
using cairn::Budget;
using cairn::jmespath::Expression;

constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kRound{200};

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// CPU time: others may be busy on the machine.
std::chrono::duration<double, std::nano> used() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Nanoseconds for one call, of the best round.
template <typename Call>
double best(Call call) {
  std::int64_t times = 1;
  double least = 1e18;
  for (int round = 0; round < kRounds;) {
    const auto began = used();
    for (std::int64_t i = 0; i < times; ++i) call();
    const auto took = used() - began;
    if (took < kRound / 2 && times < 1'000'000'000) {
      times *= 2;
      continue;
    }
    least = std::min(least, took.count() / static_cast<double>(times));
    round += 1;
  }
  return least;
}

void require(bool condition, const std::string& what) {
  if (condition) return;
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

void run(const std::string& expression, const json::Value& document, bool parse_only) {
  const cairn::SystemClock clock;
  // With limits and a deadline, as a server sets them for a call.
  Budget budget(clock, {.entries = std::int64_t{1} << 60,
                        .bytes = std::int64_t{1} << 60,
                        .time = std::chrono::seconds(600)});
  const auto ns = best([&] {
    const auto compiled = Expression::compile(expression);
    require(compiled.has_value(), expression);
    if (parse_only) return;
    // Dropped as a whole, as is what a garbage collector never moves.
    boost::json::monotonic_resource memory;
    require(compiled->search(document, budget, &memory).has_value(), expression);
  });
  const auto text_ns = parse_only ? ns : best([&] {
    require(Expression::compile(expression)->search_text(document, budget).has_value(), expression);
  });
  fmt::print("{{\"ns\": {:.1f}, \"text_ns\": {:.1f}}}\n", ns, text_ns);
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 2, "usage: json_jmespath JOBS");
  // Keeps the memory between calls, as Node does: giving it back to the system and taking it again
  // can cost more than the call.
  mallopt(M_MMAP_THRESHOLD, 512 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  // As the server keeps them.
  std::map<std::string, json::ArenaDocument> documents;
  std::ifstream jobs(argv[1]);
  for (std::string line; std::getline(jobs, line);) {
    const auto job = json::parse(line);
    require(job.has_value(), line);
    const std::string file(json::text(job->at("file")));
    if (!documents.contains(file)) {
      require(documents[file].parse(read(file)).has_value(), file);
    }
    run(std::string(json::text(job->at("expression"))), documents.at(file).value(),
        job->at("parse").get_bool());
  }
  return 0;
}
