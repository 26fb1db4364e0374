// The kill test: a child commits and reports each acknowledgement, is killed at a random moment,
// and its store is opened again: every acknowledged commit is there with its content, and fsck
// finds nothing. The next round goes on with the same store.
//
//   kill_test [--rounds N] [--seed S] [--child PROGRAM]

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"
#include "data/cas/file.h"
#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/owner.h"
#include "data/store/open.h"
#include "data/tree/walk.h"
#include "later_clock.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

struct Ack {
  DepotId depot;
  std::uint64_t sequence = 0;
  NodeKey root;
  std::uint64_t writer = 0;
  std::uint64_t number = 0;
};

Result<Ack> parse_ack(const std::string& line) {
  std::istringstream in(line);
  std::string word, depot, root;
  Ack ack;
  in >> word >> depot >> ack.sequence >> root >> ack.writer >> ack.number;
  if (!in || word != "ack") return fail(Code::kInternal, "the child said: {}", line);
  ack.depot = TRY(DepotId::parse(depot));
  ack.root = TRY(NodeKey::parse(root));
  return ack;
}

// A child with its output on a pipe; killed and waited for at the latest when this goes.
class Child final {
 public:
  static Result<std::unique_ptr<Child>> start(const fs::path& program, const fs::path& store,
                                              std::uint64_t days) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Code::kIoError, "pipe: {}", errno);
    const auto days_text = std::to_string(days);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl(program.c_str(), program.c_str(), store.c_str(), days_text.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    return std::unique_ptr<Child>(new Child(pid, ends[0]));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    ::close(output_);
  }

  // Reads what it says, until it has said something (if that is asked for), the time is up, or it
  // has ended.
  enum class Until { kTimeIsUp, kFirstLine };
  void listen(Until until, milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (until == Until::kTimeIsUp || said_.empty()) {
      const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
      pollfd ready{output_, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return;
      if (!read_some()) return;
    }
  }

  // True when it was still running, and no fault of its own ended it.
  bool kill() {
    if (pid_ < 0) return false;
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  // What it said, whole lines only. REQUIRES: killed.
  std::vector<std::string> lines() {
    while (read_some()) {
    }
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (auto end = said_.find('\n'); end != std::string::npos; end = said_.find('\n', begin)) {
      lines.push_back(said_.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

 private:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}

  bool read_some() {
    char buffer[65536];
    const auto got = ::read(output_, buffer, sizeof buffer);
    if (got > 0) said_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_;
  int output_;
  std::string said_;
};

// Every file below the root says what it should be; returns the number in each writer's `last`.
Result<std::map<std::uint64_t, std::uint64_t>> check_tree(Realm& realm, const NodeKey& root) {
  std::map<std::uint64_t, std::uint64_t> last;
  Budget budget(realm.clock(), {});
  TRY(walk(realm.nodes(), TRY(realm.nodes().get(root)), budget,
           [&](std::string_view path, const Entry& entry) -> Result<Walk> {
             if (entry.is_dir()) return Walk::kContinue;
             auto content = TRY(read_file(realm.nodes(), *TRY(realm.nodes().get(entry.key))));
             auto stamp = parse_content(content);
             if (!stamp || !path.starts_with(fmt::format("w{}/", stamp->writer))) {
               return fail(Code::kInternal, "'{}' in {} is not what was written", path,
                           root.render());
             }
             if (path.ends_with("/last")) last[stamp->writer] = stamp->number;
             return Walk::kContinue;
           }));
  return last;
}

// The roots of a depot's history by sequence.
Result<std::map<std::uint64_t, NodeKey>> history_of(Realm& realm, const DepotId& depot) {
  std::map<std::uint64_t, NodeKey> roots;
  std::optional<std::string> cursor;
  do {
    auto page = TRY(realm.history(depot, 1000, cursor));
    for (const auto& entry : page.entries) roots.emplace(entry.sequence, entry.root);
    cursor = page.next_cursor;
  } while (cursor);
  return roots;
}

// One depot's acknowledgements, in the order they came, against what the store has.
Result<void> check_depot(Realm& realm, const std::vector<Ack>& acks, std::mt19937_64& random) {
  const auto depot = TRY(realm.get_depot(acks.front().depot));
  const auto history = TRY(history_of(realm, depot.id));
  std::vector<const Ack*> kept;
  const Ack* newest = &acks.front();
  for (const auto& ack : acks) {
    if (depot.sequence < ack.sequence) {
      return fail(Code::kInternal, "'{}' is at commit {}; {} was acknowledged", depot.title,
                  depot.sequence, ack.sequence);
    }
    if (ack.sequence > newest->sequence) newest = &ack;
    const bool may_be_gone =
        !depot.keep.everything && ack.sequence + depot.keep.last <= depot.sequence;
    if (may_be_gone) continue;
    auto found = history.find(ack.sequence);
    if (found == history.end() || found->second != ack.root) {
      return fail(Code::kInternal, "the acknowledged commit {} of '{}' is not in its history",
                  ack.sequence, depot.title);
    }
    kept.push_back(&ack);
  }
  constexpr std::size_t kSample = 5;
  std::vector<const Ack*> sample{newest};
  for (std::size_t i = 0; i < kSample && !kept.empty(); ++i) {
    sample.push_back(kept[random() % kept.size()]);
  }
  for (const auto* ack : sample) {
    const auto last = TRY(check_tree(realm, ack->root));
    auto found = last.find(ack->writer);
    if (found == last.end() || found->second != ack->number) {
      return fail(Code::kInternal, "the root of commit {} of '{}' does not hold number {}",
                  ack->sequence, depot.title, ack->number);
    }
  }
  // What was committed after the last acknowledgement came is whole as well.
  TRY(check_tree(realm, depot.root));
  return {};
}

Result<void> check_fsck(Realm& realm) {
  auto report = TRY(fsck(realm));
  if (report.clean()) return {};
  const auto& first = report.problems.front();
  return fail(Code::kInternal, "fsck found {} problems, first {}: {}", report.problems.size(),
              name(first.kind), first.message);
}

struct Options {
  std::uint64_t rounds = 30;
  std::uint64_t seed = std::random_device()();
  fs::path child = fs::read_symlink("/proc/self/exe").parent_path() / "kill_child";
};

class KillTest final {
 public:
  KillTest(const Options& options, fs::path directory)
      : options_(options), directory_(std::move(directory)), random_(options.seed) {}

  // True when the round passed.
  bool round(std::uint64_t number) {
    // Some are killed while they open the store, most at some time after their first commit.
    const Moment moment{.after_first = random_() % 4 != 0,
                        .time = milliseconds(5 + random_() % 296)};
    auto outcome = run_round(number, moment);
    fmt::print("round {:>3}: killed {:>3} ms after its {}: {}\n", number, moment.time.count(),
               moment.after_first ? "first commit" : "start",
               outcome ? *outcome : "FAILED: " + outcome.error().message);
    std::fflush(stdout);
    return outcome.has_value();
  }

 private:
  struct Moment {
    bool after_first;
    milliseconds time;
  };

  Result<std::string> run_round(std::uint64_t number, Moment moment) {
    // Two days a round.
    const auto days = 2 * number;
    auto child = TRY(Child::start(options_.child, directory_, days));
    constexpr milliseconds kPatience = std::chrono::seconds(60);
    if (moment.after_first) child->listen(Child::Until::kFirstLine, kPatience);
    child->listen(Child::Until::kTimeIsUp, moment.time);
    const bool killed = child->kill();
    std::map<DepotId, std::vector<Ack>> acks;
    std::size_t count = 0;
    for (const auto& line : child->lines()) {
      auto ack = TRY(parse_ack(line));
      acks[ack.depot].push_back(ack);
      ++count;
    }
    if (!killed) return fail(Code::kInternal, "the child ended by itself");
    if (moment.after_first && count == 0) {
      return fail(Code::kInternal, "the child committed nothing in {} s", kPatience.count() / 1000);
    }
    return fmt::format("{} commits acknowledged{}", count, TRY(check_store(acks, days)));
  }

  Result<std::string> check_store(const std::map<DepotId, std::vector<Ack>>& acks,
                                  std::uint64_t days) {
    LaterClock clock(days);
    SystemRandom ids;
    auto store = TRY(open_rocks_store(directory_, clock));
    Realm realm(*store, TRY(owner_realm(*store, clock, ids)), clock, ids);
    for (const auto& [depot, list] : acks) TRY(check_depot(realm, list, random_));
    TRY(check_fsck(realm));
    if (random_() % 4 != 0) return std::string();
    auto collected = TRY(collect_garbage(realm));
    for (const auto& [depot, list] : acks) TRY(check_depot(realm, list, random_));
    TRY(check_fsck(realm));
    return fmt::format("; {} nodes of garbage taken", collected.removed);
  }

  Options options_;
  fs::path directory_;
  std::mt19937_64 random_;
};

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--rounds") {
      options.rounds = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--seed") {
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--child") {
      options.child = argv[i + 1];
    } else {
      return std::nullopt;
    }
  }
  return argc % 2 == 1 ? std::optional(options) : std::nullopt;
}

int run(const Options& options) {
  auto pattern = (fs::temp_directory_path() / "cairn_kill_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 2;
  fmt::print("kill test: {} rounds, seed {}\n", options.rounds, options.seed);
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
  KillTest test(options, fs::path(pattern) / "data");
  for (std::uint64_t i = 1; i <= options.rounds; ++i) (test.round(i) ? passed : failed) += 1;
  fmt::print("{} passed, {} failed\n", passed, failed);
  if (failed == 0) {
    fs::remove_all(pattern);
  } else {
    fmt::print("the store is left in {}\n", pattern);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  auto options = cairn::parse_options(argc, argv);
  if (!options) {
    fmt::print(stderr, "usage: {} [--rounds N] [--seed S] [--child PROGRAM]\n", argv[0]);
    return 2;
  }
  return cairn::run(*options);
}
