// Cairn's side of bench/compare: each job runs in this process and answers with its seconds.
//
// A store that was just opened has read nothing yet: every first time below decompresses, decodes
// and verifies what it reads. The page cache is as warm as it is for the other programs.

#include <algorithm>
#include <fstream>
#include <latch>
#include <random>
#include <thread>

#include "corpus.h"
#include "data/cas/file.h"
#include "data/realm/import.h"
#include "data/realm/owner.h"
#include "data/store/open.h"
#include "data/tree/diff.h"
#include "data/tree/search.h"
#include "data/tree/walk.h"
#include "job.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// How often something is repeated with everything in memory.
constexpr int kWarmRuns = 5;

// An open store and its owner's realm.
class Session final {
 public:
  static Result<std::unique_ptr<Session>> open(const fs::path& directory) {
    std::unique_ptr<Session> session(new Session);
    session->store_ = TRY(open_rocks_store(directory, session->clock_));
    auto id = TRY(owner_realm(*session->store_, session->clock_, session->random_));
    session->realm_.emplace(*session->store_, id, session->clock_, session->random_);
    return session;
  }

  Realm& realm() { return *realm_; }
  NodeStore& nodes() { return realm_->nodes(); }
  const Clock& clock() const { return clock_; }

 private:
  Session() = default;

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<Store> store_;
  std::optional<Realm> realm_;
};

Result<std::unique_ptr<Session>> open_session(const Arguments& arguments) {
  return Session::open(TRY(arguments.text("store")));
}

Result<NodePtr> root_of(Session& session, const Arguments& arguments, const std::string& name) {
  return session.nodes().get(TRY(NodeKey::parse(TRY(arguments.text(name)))));
}

Result<Answer> generate(const Arguments& arguments) {
  CorpusOptions options{.files = TRY(arguments.number("files")),
                        .seed = TRY(arguments.number("seed"))};
  auto made = TRY(generate_corpus(TRY(arguments.text("target")), options));
  return Answer()
      .add("files", made.files)
      .add("directories", made.directories)
      .add("bytes", made.bytes)
      .add("rare_literal", kRareLiteral);
}

Result<ImportResult> import_once(Session& session, const DepotId& depot,
                                 const Arguments& arguments) {
  Progress progress;
  ImportOptions options{.threads = static_cast<unsigned>(TRY(arguments.number("threads"))),
                        .message = "import",
                        .author = std::nullopt};
  return import_directory(session.realm(), depot, TRY(arguments.text("source")), options, progress);
}

// Into a new store: opening it, the depot and the durable commit count.
Result<Answer> import_new(const Arguments& arguments) {
  Stopwatch watch;
  auto session = TRY(open_session(arguments));
  auto depot = TRY(session->realm().create_depot("corpus"));
  auto imported = TRY(import_once(*session, depot.id, arguments));
  const double seconds = watch.seconds();

  std::vector<double> again;
  std::uint64_t unchanged = 0;
  for (int i = 0; i < kWarmRuns; ++i) {
    Stopwatch second;
    unchanged = TRY(import_once(*session, depot.id, arguments)).unchanged;
    again.push_back(second.seconds());
  }
  return Answer()
      .add("seconds", seconds)
      .add("again", again)
      .add("files", imported.files)
      .add("bytes", imported.bytes)
      .add("unchanged", unchanged)
      .add("skipped", imported.skipped.size())
      .add("physical_bytes", TRY(session->realm().usage()).physical_bytes)
      .add("depot", depot.id.render())
      .add("root", imported.commit.depot.root.render());
}

// Into the same depot of a store just opened; opening counts.
Result<Answer> import_again(const Arguments& arguments) {
  Stopwatch watch;
  auto session = TRY(open_session(arguments));
  const double open = watch.seconds();
  auto depot = TRY(DepotId::parse(TRY(arguments.text("depot"))));
  auto imported = TRY(import_once(*session, depot, arguments));
  return Answer()
      .add("seconds", watch.seconds())
      .add("open", open)
      .add("files", imported.files)
      .add("unchanged", imported.unchanged)
      .add("root", imported.commit.depot.root.render());
}

struct Listed {
  std::string path;
  NodeKey key;
  std::uint64_t bytes;
};

Result<std::vector<Listed>> list_files(Session& session, const NodeKey& root) {
  std::vector<Listed> files;
  Budget budget(session.clock(), {});
  TRY(walk(session.nodes(), TRY(session.nodes().get(root)), budget,
           [&](std::string_view path, const Entry& entry) -> Result<Walk> {
             if (!entry.is_dir()) files.push_back({std::string(path), entry.key, entry.bytes});
             return Walk::kContinue;
           }));
  return files;
}

Result<Answer> list_tree(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto root = TRY(NodeKey::parse(TRY(arguments.text("root"))));
  Stopwatch first;
  auto files = TRY(list_files(*session, root));
  const double cold = first.seconds();
  std::vector<double> warm;
  for (int i = 0; i < kWarmRuns; ++i) {
    Stopwatch watch;
    files = TRY(list_files(*session, root));
    warm.push_back(watch.seconds());
  }
  return Answer().add("cold", cold).add("warm", warm).add("files", files.size());
}

// Compiles the pattern and searches the whole tree, every matching line into the result.
Result<GrepResult> grep_once(Session& session, const NodeKey& root, const Arguments& arguments) {
  auto pattern = TRY(Pattern::compile(
      TRY(arguments.text("pattern")),
      {.regex = TRY(arguments.number("regex")) != 0, .ignore_case = false, .whole_word = false}));
  GrepOptions options;
  options.threads = static_cast<unsigned>(TRY(arguments.number("threads")));
  options.max_matches = options.max_per_file = SIZE_MAX;
  options.max_file_bytes = UINT64_MAX;
  Budget budget(session.clock(), {});
  return grep(TRY(view_tree(session.nodes(), root)), Path(), pattern, options, budget);
}

Result<Answer> grep_tree(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto root = TRY(NodeKey::parse(TRY(arguments.text("root"))));
  Stopwatch first;
  auto result = TRY(grep_once(*session, root, arguments));
  const double cold = first.seconds();
  if (result.stopped_by) return fail(Code::kInternal, "stopped by {}", *result.stopped_by);
  std::vector<double> warm;
  for (int i = 0; i < kWarmRuns; ++i) {
    Stopwatch watch;
    result = TRY(grep_once(*session, root, arguments));
    warm.push_back(watch.seconds());
  }
  return Answer()
      .add("cold", cold)
      .add("warm", warm)
      .add("matches", result.matches)
      .add("files", result.files.size())
      .add("searched", result.counts.searched)
      .add("skipped_binary", result.counts.skipped_binary);
}

Result<Answer> diff_roots(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto once = [&]() -> Result<std::size_t> {
    Budget budget(session->clock(), {});
    auto before = TRY(root_of(*session, arguments, "before"));
    auto after = TRY(root_of(*session, arguments, "after"));
    return TRY(diff(session->nodes(), before, after, Directories::kExpanded, budget))
        .changes.size();
  };
  Stopwatch first;
  auto changes = TRY(once());
  const double cold = first.seconds();
  std::vector<double> warm;
  for (int i = 0; i < kWarmRuns; ++i) {
    Stopwatch watch;
    changes = TRY(once());
    warm.push_back(watch.seconds());
  }
  return Answer().add("cold", cold).add("warm", warm).add("changes", changes);
}

// One client: reads its depot's root, writes one small file somewhere in the tree, and commits.
class CommitClient final {
 public:
  CommitClient(Realm& realm, DepotId depot, unsigned number, const std::vector<Path>& directories)
      : realm_(realm), depot_(depot), number_(number), directories_(directories) {}

  Result<void> run(std::uint64_t commits) {
    for (std::uint64_t i = 0; i < commits; ++i) TRY(commit_one(i));
    return {};
  }

 private:
  Result<void> commit_one(std::uint64_t i) {
    const auto before = TRY(realm_.get_depot(depot_)).root;
    const auto& directory = directories_[(i * 31 + number_ * 7919) % directories_.size()];
    auto path = directory.child(fmt::format("note_{}_{}.txt", number_, i));
    auto content = fmt::format("client {} wrote note {}\n{:*<170}\n", number_, i, "");
    Stage stage(realm_.nodes());
    auto written = TRY(write(stage, TRY(stage.get(before)), path, content));
    CommitRequest request{.depot = depot_,
                          .root = written.root->key(),
                          .made_on = before,
                          .message = "note",
                          .force = false,
                          .author = std::nullopt};
    TRY(realm_.commit(request, stage, written.linked));
    return {};
  }

  Realm& realm_;
  DepotId depot_;
  unsigned number_;
  const std::vector<Path>& directories_;
};

Result<std::vector<Path>> directories_of(Session& session, const NodeKey& root) {
  std::vector<Path> directories{Path()};
  Budget budget(session.clock(), {});
  TRY(walk(session.nodes(), TRY(session.nodes().get(root)), budget,
           [&](std::string_view path, const Entry& entry) -> Result<Walk> {
             if (entry.is_dir()) directories.push_back(TRY(Path::parse(path)));
             return Walk::kContinue;
           }));
  return directories;
}

// Runs the clients at the same time; the seconds until the last is done.
Result<double> run_clients(std::vector<CommitClient>& clients, std::uint64_t commits) {
  Guarded<std::optional<Error>> error;
  std::latch start(static_cast<std::ptrdiff_t>(clients.size()) + 1);
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      auto done = client.run(commits);
      if (!done) *error.lock() = done.error();
    });
  }
  start.arrive_and_wait();
  Stopwatch watch;
  threads.clear();
  const double seconds = watch.seconds();
  if (auto failed = error.lock(); *failed) return Failure(**failed);
  return seconds;
}

// Every commit is durable when it returns. shared=1: all clients in one depot.
Result<Answer> commit_files(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto root = TRY(NodeKey::parse(TRY(arguments.text("root"))));
  const auto count = TRY(arguments.number("clients"));
  const auto commits = TRY(arguments.number("commits"));
  const bool shared = TRY(arguments.number("shared")) != 0;
  auto directories = TRY(directories_of(*session, root));
  std::vector<CommitClient> clients;
  DepotId depot;
  for (unsigned i = 0; i < count; ++i) {
    if (i == 0 || !shared) {
      depot = TRY(session->realm().create_depot(fmt::format("client {}", i), root)).id;
    }
    clients.emplace_back(session->realm(), depot, i, directories);
  }
  const double seconds = TRY(run_clients(clients, commits));
  const auto sequence = TRY(session->realm().get_depot(depot)).sequence;
  return Answer()
      .add("seconds", seconds)
      .add("commits", count * commits)
      .add("rate", static_cast<double>(count * commits) / seconds)
      .add("last_sequence", sequence);
}

// A root with one directory `names` of that many entries, stored.
Result<NodePtr> wide_root(Session& session, std::uint64_t names) {
  Stage stage(session.nodes());
  auto file = TRY(write_file(stage, "text/plain", "an entry\n"));
  auto value = EntryValue::of(entry_for("", *file));
  std::vector<DictEdit> edits;
  std::mt19937_64 engine(names);
  for (std::uint64_t i = 0; i < names; ++i) {
    edits.push_back({fmt::format("{:012x}_{}.txt", engine() >> 16, i), value});
  }
  std::ranges::sort(edits, {}, &DictEdit::name);
  auto empty = empty_dict();
  TRY(stage.add(empty));
  auto dict = TRY(dict_apply(stage, empty, edits));
  const std::vector<DictEdit> top{{"names", EntryValue::of(entry_for("", *dict))}};
  auto root = TRY(dict_apply(stage, empty, top));
  TRY(session.nodes().put(stage.reachable(root->key())));
  return root;
}

// Writes one small file under a random name and stores what is new.
Result<double> insert_one(Session& session, const NodePtr& root, std::mt19937_64& engine) {
  auto path = TRY(Path::parse(fmt::format("names/{:012x}_new.txt", engine() >> 16)));
  auto content = fmt::format("{:*<200}", engine());
  Stopwatch watch;
  Stage stage(session.nodes());
  auto written = TRY(write(stage, root, path, content));
  TRY(session.nodes().put(stage.reachable(written.root->key())));
  return watch.seconds();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Single inserts into a small and a large directory, in turn, each on the original directory.
Result<Answer> insert_names(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto small_root = TRY(wide_root(*session, TRY(arguments.number("small"))));
  auto large_root = TRY(wide_root(*session, TRY(arguments.number("large"))));
  std::mt19937_64 engine(1);
  std::vector<double> small, large;
  for (std::uint64_t i = 0; i < TRY(arguments.number("inserts")); ++i) {
    small.push_back(TRY(insert_one(*session, small_root, engine)));
    large.push_back(TRY(insert_one(*session, large_root, engine)));
  }
  return Answer().add("small", median(small)).add("large", median(large));
}

Result<Bytes> file_content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  Bytes content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return fail(Code::kIoError, "cannot read '{}'", path.string());
  return content;
}

// Commits each file of a directory, by name, as the next version of one path.
Result<Answer> store_versions(const Arguments& arguments) {
  auto session = TRY(open_session(arguments));
  auto& realm = session->realm();
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(TRY(arguments.text("source")))) {
    files.push_back(file.path());
  }
  std::ranges::sort(files);
  auto depot = TRY(realm.create_depot("versions"));
  const auto before = TRY(realm.usage());
  auto path = TRY(Path::parse("data.json"));
  for (const auto& file : files) {
    Stage stage(realm.nodes());
    auto written = TRY(write(stage, TRY(stage.get(depot.root)), path, TRY(file_content(file))));
    CommitRequest request{.depot = depot.id,
                          .root = written.root->key(),
                          .made_on = depot.root,
                          .message = "version",
                          .force = false,
                          .author = std::nullopt};
    depot = TRY(realm.commit(request, stage, written.linked)).depot;
  }
  const auto after = TRY(realm.usage());
  return Answer()
      .add("physical_bytes", after.physical_bytes - before.physical_bytes)
      .add("logical_bytes", after.logical_bytes - before.logical_bytes)
      .add("nodes", after.node_count - before.node_count)
      .add("versions", files.size());
}

// Opens and closes: what the log held is in the tables afterwards.
Result<Answer> reopen(const Arguments& arguments) {
  Stopwatch watch;
  auto session = TRY(open_session(arguments));
  return Answer().add("open", watch.seconds());
}

constexpr auto kJobs = std::to_array<NamedJob>({
    {"generate", generate},
    {"import", import_new},
    {"import-again", import_again},
    {"list", list_tree},
    {"grep", grep_tree},
    {"diff", diff_roots},
    {"commits", commit_files},
    {"insert", insert_names},
    {"versions", store_versions},
    {"reopen", reopen},
});

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  return cairn::run_job(cairn::kJobs, {argv, static_cast<std::size_t>(argc)});
}
