// cairn mirror.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <malloc.h>
#include <sys/stat.h>

#include "base/os/stop_signals.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/delegate_rows.h"
#include "exposure/cli/depot_place.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/local_store.h"
#include "exposure/cli/mirror_report.h"
#include "exposure/client/remote_client.h"
#include "exposure/mirror/mirror.h"
#include "exposure/mirror/watch.h"

namespace cairn::cli {
namespace {

constexpr std::chrono::milliseconds kAskDepot{1000};
constexpr std::chrono::seconds kTryAgain{2};
constexpr std::chrono::seconds kScan{5};  // where changes cannot be watched

struct MirrorArguments {
  std::string directory;
  std::string where;
  std::string to;
  std::string keep;
  std::vector<std::string> paths;
  std::vector<std::string> exclude;
  std::string message;
  std::string state;
  bool watch = false;
  bool dry_run = false;
  bool allow_empty = false;
};

std::optional<mirror::MirrorSide> side_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == "depot" ? mirror::MirrorSide::kDepot : mirror::MirrorSide::kDirectory;
}

Result<std::vector<Glob>> parse_globs(const std::vector<std::string>& patterns) {
  std::vector<Glob> out;
  for (const auto& pattern : patterns) out.push_back(TRY(Glob::parse(pattern)));
  return out;
}

Result<void> check(const MirrorArguments& given) {
  if (!given.paths.empty() && given.keep.empty()) {
    return fail(Code::kInvalidArgument, "--path says for which conflicts --keep is; give both");
  }
  if (!given.to.empty() && given.to == given.keep) {
    return fail(Code::kInvalidArgument,
                "--to {} never changes the other side, and --keep {} would; leave one out",
                given.to, given.keep);
  }
  if (given.watch && given.dry_run) {
    return fail(Code::kInvalidArgument, "--dry-run looks once; leave --watch out");
  }
  return {};
}

Result<mirror::MirrorRules> rules_of(const MirrorArguments& given) {
  mirror::MirrorRules rules{.only_to = side_named(given.to)};
  if (given.keep.empty()) return rules;
  rules.keep = [side = side_named(given.keep), globs = TRY(parse_globs(given.paths))](
                   std::string_view path) -> std::optional<mirror::MirrorSide> {
    const bool meant = globs.empty() || std::ranges::any_of(globs, [&](const Glob& glob) {
                         return glob.matches(path);
                       });
    return meant ? side : std::nullopt;
  };
  return rules;
}

Result<std::filesystem::path> real_directory(const std::string& directory) {
  std::error_code error;
  auto real = std::filesystem::canonical(directory, error);
  if (error) {
    return fail(Code::kNotFound,
                "there is no directory '{}'; make one if the depot is to be written there",
                shown(directory, 1000));
  }
  if (!std::filesystem::is_directory(real, error)) {
    return fail(Code::kNotADirectory, "'{}' is not a directory", shown(directory, 1000));
  }
  return real;
}

// The path from the directory to what is in it; nullopt when it is elsewhere.
std::optional<std::string> path_inside(const std::filesystem::path& directory,
                                       const std::filesystem::path& what) {
  const auto relative = what.lexically_relative(directory);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative == "." ? std::string() : relative.string();
}

struct Place {
  mirror::MirrorIdentity identity;
  std::filesystem::path directory;
  std::filesystem::path state_file;
  mirror::ByPath<std::string> left_out;
};

// The files of a store must not be mirrored into it, nor the other way round.
Result<void> keep_data_out(const std::filesystem::path& data, Place& place) {
  if (path_inside(data, place.directory)) {
    return fail(Code::kInvalidArgument, "'{}' is in the data directory; mirror another one",
                shown(place.directory.string(), 1000));
  }
  if (auto inside = path_inside(place.directory, data)) {
    place.left_out.emplace(*inside, "it is the data directory");
  }
  return {};
}

Result<void> keep_state_out(const MirrorArguments& given, Place& place) {
  std::error_code error;
  const auto state = std::filesystem::weakly_canonical(place.state_file, error);
  if (error || !path_inside(place.directory, state)) return {};
  if (!given.state.empty()) {
    return fail(Code::kInvalidArgument,
                "the state is not to be mirrored itself; keep '{}' outside the directory",
                shown(given.state, 1000));
  }
  place.left_out.emplace(*path_inside(place.directory, state.parent_path()),
                         "the states of mirrors are there");
  return {};
}

Result<Place> place_of(const Options& options, const MirrorArguments& given,
                       const client::Resolved& depot) {
  Place place;
  place.directory = TRY(real_directory(given.directory));
  place.identity = {.directory = place.directory.string(),
                    .store = TRY(named_server(options)),
                    .depot = depot.tree.key,
                    .place = depot.path};
  if (place.identity.store.empty()) {
    std::error_code error;
    const auto data = std::filesystem::weakly_canonical(data_directory(options), error);
    place.identity.store = data.string();
    TRY(keep_data_out(data, place));
  }
  place.state_file =
      given.state.empty() ? place.identity.state_file() : std::filesystem::path(given.state);
  TRY(keep_state_out(given, place));
  return place;
}

// The store for as long as it is watched. A data directory is shared: whoever comes first opens it
// and serves the others.
class WatchedStore final {
 public:
  WatchedStore(const Options& options, const World& world)
      : options_(options), world_(world), local_(options, world) {}

  Result<client::Client*> client() {
    if (!client_) client_ = TRY(open());
    return client_.get();
  }
  // It did not answer: the next may be somewhere else.
  void drop() { client_.reset(); }

 private:
  Result<std::unique_ptr<client::Client>> open() {
    if (const auto server = TRY(proved_choice(options_, world_))) {
      return client::open_remote({.url = server->url,
                                  .token = server->who.token,
                                  .ca_file = options_.ca_file,
                                  .source = server->who.source});
    }
    const auto target = TRY(local_.reach());
    return client::open_remote({.url = target.url,
                                .token = target.token,
                                .ca_file = options_.ca_file,
                                .where = client::Where::kThisMachine});
  }

  const Options& options_;
  const World& world_;
  LocalStore local_;
  std::unique_ptr<client::Client> client_;
};

// Rounds, until it is told to end.
class Follower final {
 public:
  Follower(Kit& kit, mirror::Mirror& mirror, MirrorPrinter& printer, int stop)
      : clock_(kit.clock()),
        mirror_(mirror),
        printer_(printer),
        store_(kit.options, kit.world()),
        watch_(kit.clock(), stop) {}

  Result<int> run() {
    TRY(round());
    note("watching; end with Ctrl-C");
    while (wait()) {
      if (auto done = round(); !done) fell_out(done.error());
    }
    return 0;
  }

 private:
  Result<void> round() {
    scanned_ = clock_.monotonic();
    again_ = true;
    auto& client = *TRY(store_.client());
    const auto report =
        TRY(mirror_.round(client, [this](int directory) { watch_.add(directory); }));
    root_ = report.root;
    again_ = !report.left.empty() || !report.failed.empty();
    if (!std::exchange(trouble_, "").empty()) note("it works again");
    if (!watch_.trouble().empty() && !std::exchange(warned_, true)) {
      note(fmt::format("{}; looking at all of it every {} seconds instead", watch_.trouble(),
                       kScan.count()));
    }
    return printer_.print(report);
  }

  // Said once, however often it fails.
  void fell_out(const Error& error) {
    store_.drop();
    again_ = true;
    if (std::exchange(trouble_, error.render()) != error.render()) {
      note(error.render() + "; trying again");
    }
  }

  // False: it is time to end.
  bool wait() {
    while (true) {
      const auto woken = watch_.wait(kAskDepot);
      if (woken == mirror::MirrorWatch::Woken::kStop) return false;
      if (woken == mirror::MirrorWatch::Woken::kChange) return true;
      const auto since = clock_.monotonic() - scanned_;
      if (again_ && since >= kTryAgain) return true;
      if (!watch_.trouble().empty() && since >= kScan) return true;
      if (!again_ && depot_moved()) return true;
    }
  }

  bool depot_moved() {
    const auto client = store_.client();
    const auto root = client ? mirror_.depot_root(**client) : Failure(client.error());
    if (root) return *root != root_;
    fell_out(root.error());
    return false;
  }

  const Clock& clock_;
  mirror::Mirror& mirror_;
  MirrorPrinter& printer_;
  WatchedStore store_;
  mirror::MirrorWatch watch_;
  std::chrono::nanoseconds scanned_{0};
  std::string root_;
  std::string trouble_;
  bool again_ = false;
  bool warned_ = false;
};

mode_t mask_of(const MirrorArguments& given) {
  const auto mask = ::umask(0077);
  // One that watches may come to serve the store: what that writes is its owner's alone.
  if (!given.watch) ::umask(mask);
  return mask;
}

Result<int> run_mirror(Kit& kit, const MirrorArguments& given) {
  TRY(check(given));
  mirror::MirrorSettings settings{.directory = {},
                                  .filter = {.exclude = TRY(parse_globs(given.exclude))},
                                  .rules = TRY(rules_of(given)),
                                  .message = given.message,
                                  .dry_run = given.dry_run,
                                  .allow_empty = given.allow_empty};
  // A store has threads of its own, which signals are not to reach: so this comes before it.
  std::optional<os::StopSignal> stop;
  if (given.watch) stop.emplace();
  auto client = TRY(connect(kit.options, Create::kNo, kit.world()));
  const auto depot = TRY(resolve_place(*client, given.where));
  auto place = TRY(place_of(kit.options, given, depot));
  settings.directory = place.directory;
  settings.filter.left_out = std::move(place.left_out);
  const auto use =
      given.dry_run ? mirror::MirrorStateFile::Use::kRead : mirror::MirrorStateFile::Use::kWrite;
  auto file = TRY(mirror::MirrorStateFile::open(place.state_file, place.identity, use));
  auto state = TRY(file.load());
  mirror::Mirror mirror(std::move(settings), depot.tree.key, depot.path, std::move(file),
                        state ? std::move(*state) : mirror::MirrorState(),
                        {kit.clock(), kit.world().random, mask_of(given)});
  MirrorPrinter printer(
      kit.out, {.json = kit.options.json, .dry_run = given.dry_run, .watching = given.watch});
  printer.describe({{"directory", shown(place.identity.directory, 10'000)},
                    {"depotId", depot.tree.key},
                    {"place", depot.path}});
  if (!given.watch) {
    const auto report = TRY(mirror.round(*client, {}));
    TRY(printer.print(report));
    return exit_code(report);
  }
  warn_of_own_end(*client, kit.clock().now());
  client.reset();
  ::mallopt(M_ARENA_MAX, 4);
  return Follower(kit, mirror, printer, stop->descriptor()).run();
}

}  // namespace

void add_mirror_command(Commands& commands) {
  auto given = std::make_shared<MirrorArguments>();
  auto command = commands.add(
      {.name = "mirror",
       .description = "Keep a directory and a depot in step, once or as long as it runs",
       .example = "cairn mirror ~/notes my-project/notes --watch",
       .more = "What changed on one side since they were last in step goes to the other, deletions "
               "too.\n"
               "What changed on both is a conflict: it is listed, both sides stay as they are, and "
               "the\n"
               "exit code is 4. The first time nothing is deleted. Links and devices are skipped.",
       .group = "Files"},
      [given](Kit& kit) { return run_mirror(kit, *given); });
  command.add_argument("DIR", given->directory, "A directory of this machine");
  command.add_argument("DEPOT", given->where, "DEPOT, or DEPOT/PATH");
  command.add_flag("--watch", given->watch, "Go on until SIGINT or SIGTERM");
  command.add_value("--to", given->to, "SIDE", "depot or directory: only that side changes")
      .one_of({"depot", "directory"});
  command.add_value("--keep", given->keep, "SIDE", "directory or depot: who wins conflicts")
      .one_of({"depot", "directory"});
  command.add_value("--path", given->paths, "GLOB", "Only these conflicts; may be repeated")
      .repeated();
  command
      .add_value("--exclude", given->exclude, "GLOB",
                 "What is left alone on both sides; may be repeated")
      .repeated();
  command.add_flag("--dry-run", given->dry_run, "Print what would be done");
  command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
  command.add_value("--state", given->state, "FILE",
                    "What both agreed on [$XDG_STATE_HOME/cairn/mirrors]");
  command.add_flag("--allow-empty", given->allow_empty,
                   "A side that has become empty empties the other");
}

}  // namespace cairn::cli
