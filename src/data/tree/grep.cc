#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/quote.h"
#include "data/tree/file_search.h"
#include "data/tree/search.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

// Files that are searched before any of them is taken. What matches in them is held in memory.
constexpr std::size_t kBatchFiles = 1024;
constexpr std::uint64_t kBatchBytes = 16 << 20;

bool wanted(std::string_view path, const GrepOptions& options) {
  auto matches = [&](const Glob& glob) { return glob.matches(path); };
  // Exclusion wins.
  if (std::ranges::any_of(options.exclude, matches)) return false;
  return options.include.empty() || std::ranges::any_of(options.include, matches);
}

// An excluded directory is not entered.
Walk enter(std::string_view path, const GrepOptions& options) {
  bool excluded =
      std::ranges::any_of(options.exclude, [&](const Glob& glob) { return glob.matches(path); });
  bool possible = options.include.empty() ||
                  std::ranges::any_of(options.include,
                                      [&](const Glob& glob) { return glob.may_match_below(path); });
  return excluded || !possible ? Walk::kSkip : Walk::kContinue;
}

// Tasks are taken in order, a handful at a time. Every one taken is finished, unless time is up.
void run_tasks(const NodeReader& nodes, const Pattern& pattern, const GrepOptions& options,
               std::vector<GrepTask>& tasks, std::uint64_t enough, Budget& budget) {
  constexpr std::size_t kHandful = 8;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> matches = 0;
  auto work = [&] {
    FileSearch search(nodes, pattern, options, budget);
    while (matches < enough && budget.in_time()) {
      auto begin = next.fetch_add(kHandful);
      if (begin >= tasks.size()) return;
      auto end = std::min(begin + kHandful, tasks.size());
      for (auto i = begin; i < end && budget.in_time(); ++i) {
        auto done = search.run(tasks[i]);
        if (!done) tasks[i].error = std::move(done).error();
        matches += tasks[i].found.matches;
      }
    }
  };
  std::vector<std::jthread> helpers;
  // A thread costs more than searching a few small files.
  auto threads = std::min<std::size_t>(std::max(options.threads, 1U), tasks.size() / 16 + 1);
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

// What a line takes in the rendered answer.
std::int64_t rendered_bytes(const GrepResult::Line& line) {
  auto bytes = std::string_view(R"({"line":,"text":""},)").size() + digits(line.number) +
               json_bytes(line.text);
  if (!line.match) bytes += std::string_view(R"(,"context":true)").size();
  if (line.cut) bytes += std::string_view(R"(,"cut":true)").size();
  return static_cast<std::int64_t>(bytes);
}

// How much of a file's answer fits: the matches left to give, and the bytes left to render. Whether
// all of it did.
bool take_file(GrepResult::File& file, const GrepOptions& options, GrepResult& result,
               Budget& budget) {
  constexpr auto kAround = std::string_view(R"({"path":"","lines":[]},)").size();
  constexpr auto kMore = std::string_view(R"(,"more":true)").size();
  const auto limit = options.max_matches - result.matches;
  const bool first = result.files.empty();
  std::uint64_t taken = 0;
  std::uint64_t last = 0;
  std::size_t lines = 0;
  // One file of an answer is cut in it at most; there is room for saying so from the first on.
  const auto around = json_bytes(file.path) + kAround + (file.more || first ? kMore : 0);
  // An answer has at least one match, or what belongs to the last of the answer before: a caller
  // that goes on behind it would never get on.
  if (!budget.take_bytes(static_cast<std::int64_t>(around)) && !first) return false;
  auto fits = [&](const GrepResult::Line& line) {
    return budget.take_bytes(rendered_bytes(line)) || (result.matches == 0 && taken == 0);
  };
  bool whole = true;
  for (const auto& line : file.lines) {
    if (line.match && taken == limit) {
      whole = false;
      result.stopped_by = "matches";
      break;
    }
    if (!fits(line)) {
      whole = false;
      break;
    }
    taken += line.match ? 1 : 0;
    if (line.match) last = line.number;
    lines += 1;
  }
  // Context before a match that was left out goes with it.
  while (!whole && lines > 0 && file.lines[lines - 1].number > last + options.context) --lines;
  result.left_out = result.left_out || (file.more && taken > 0);
  file.more = file.more || !whole;
  file.matches = taken;
  file.lines.erase(file.lines.begin() + static_cast<std::ptrdiff_t>(lines), file.lines.end());
  // Without a match it is the rest of the context of one that was given before.
  if (lines == 0 || (taken == 0 && !whole)) return whole;
  if (!whole) result.reached = {file.path, file.lines.back().number};
  result.matches += taken;
  result.files.push_back(std::move(file));
  return whole;
}

}  // namespace

class GrepSearch::Inner final {
 public:
  Inner(const TreeView& tree, Located at, Pattern pattern, GrepOptions options, Budget& budget)
      : tree_(tree),
        at_(std::move(at)),
        pattern_(std::move(pattern)),
        options_(std::move(options)),
        budget_(budget),
        prefix_(at_.path.is_root() ? "" : at_.path.render() + "/"),
        reached_(options_.after) {}

  // Takes apart where to go on.
  Result<void> begin() {
    const auto& after = options_.after.path;
    if (after.empty() || !at_.entry.is_dir()) return {};
    if (!after.starts_with(prefix_)) {
      return fail(Code::kInvalidArgument, "'{}' is not within '{}'", shown(after),
                  at_.path.render());
    }
    walked_ = after.substr(prefix_.size());
    return {};
  }

  Result<bool> search(std::uint64_t enough) {
    if (ended_) return false;
    tasks_.clear();
    next_ = 0;
    TRY(collect());
    run_tasks(tree_.nodes, pattern_, options_, tasks_, enough, budget_);
    // The rest of the batch may be asked for again; what is behind it waits for that.
    ended_ = tasks_.empty() && (all_collected_ || budget_.stopped_by());
    if (ended_) pass_walked();
    return !ended_;
  }

  Result<std::optional<GrepResult::File>> take() {
    while (next_ < tasks_.size()) {
      auto& task = tasks_[next_];
      if (task.error) return Failure(std::move(*task.error));
      // Whatever was searched behind it is left out: however the threads ran, the answer is a
      // prefix of the whole one.
      if (task.state == GrepTask::State::kWaiting) {
        ended_ = true;
        return std::nullopt;
      }
      ++next_;
      counts_.searched += task.state == GrepTask::State::kSearched ? 1 : 0;
      counts_.skipped_binary += task.state == GrepTask::State::kBinary ? 1 : 0;
      const bool found = !task.found.lines.empty();
      reached_ = {found ? task.path : std::move(task.path), GrepPosition::kAll};
      if (!found) continue;
      task.found.path = std::move(task.path);
      task.found.key = task.key;
      return std::move(task.found);
    }
    pass_walked();
    return std::nullopt;
  }

  const GrepResult::Counts& counts() const { return counts_; }
  const GrepPosition& reached() const { return reached_; }

 private:
  // Behind all that was walked over: every file of it was taken, or was none to search.
  void pass_walked() {
    if (!walked_.empty()) reached_ = {prefix_ + walked_, GrepPosition::kAll};
  }

  // The files to search next.
  Result<void> collect() {
    if (all_collected_) return {};
    if (!at_.entry.is_dir()) {
      all_collected_ = true;
      add(at_.path.render(), at_.entry);
      return {};
    }
    TRY(collect_begun());
    const auto after = walked_;
    std::uint64_t bytes = 0;
    all_collected_ = true;
    auto look_at = [&](std::string_view below, const Entry& entry) -> Result<Walk> {
      if (tasks_.size() >= kBatchFiles || bytes >= kBatchBytes) {
        all_collected_ = false;
        return Walk::kStop;
      }
      const auto next = entry.is_dir() ? enter(below, options_) : Walk::kContinue;
      walked_ = next == Walk::kSkip ? behind_all_of(below) : std::string(below);
      if (!entry.is_dir() && wanted(below, options_)) {
        bytes += add(prefix_ + std::string(below), entry);
      }
      return next;
    };
    counts_.skipped_deep +=
        TRY(walk(tree_.nodes, TRY(open_dir(tree_, at_)), budget_, look_at, after));
    return {};
  }

  // The file that was given in part.
  Result<void> collect_begun() {
    const auto line = std::exchange(options_.after.line, GrepPosition::kAll);
    if (walked_.empty() || line == GrepPosition::kAll) return {};
    auto path = prefix_ + walked_;
    const auto found = TRY(find(tree_, TRY(Path::parse(path))));
    if (found && !found->entry.is_dir()) add(std::move(path), found->entry, line);
    return {};
  }

  // The bytes to be read for it.
  std::uint64_t add(std::string path, const Entry& entry, std::uint64_t after = 0) {
    if (entry.bytes > options_.max_file_bytes) {
      counts_.skipped_large += 1;
      return 0;
    }
    if (entry.bytes == 0) return 0;
    if (!at_.entry.is_dir() && options_.after.path == path) after = options_.after.line;
    if (after == GrepPosition::kAll) return 0;
    tasks_.push_back(
        {.path = std::move(path), .key = entry.key, .size = entry.bytes, .after = after});
    return entry.bytes;
  }

  TreeView tree_;
  Located at_;
  Pattern pattern_;
  GrepOptions options_;
  Budget& budget_;
  std::string prefix_;
  std::vector<GrepTask> tasks_;
  std::size_t next_ = 0;  // of the tasks, to be taken
  std::string walked_;    // how far files were collected, below where the search begins
  bool all_collected_ = false;
  bool ended_ = false;
  GrepResult::Counts counts_;
  GrepPosition reached_;
};

GrepSearch::GrepSearch(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}
GrepSearch::GrepSearch(GrepSearch&&) noexcept = default;
GrepSearch& GrepSearch::operator=(GrepSearch&&) noexcept = default;
GrepSearch::~GrepSearch() = default;

Result<GrepSearch> GrepSearch::begin(const TreeView& tree, const Path& path, const Pattern& pattern,
                                     const GrepOptions& options, Budget& budget) {
  auto inner = std::make_unique<Inner>(tree, TRY(locate(tree, path)), pattern, options, budget);
  TRY(inner->begin());
  return GrepSearch(std::move(inner));
}

Result<bool> GrepSearch::search(std::uint64_t enough) { return inner_->search(enough); }
Result<std::optional<GrepResult::File>> GrepSearch::take() { return inner_->take(); }
const GrepResult::Counts& GrepSearch::counts() const { return inner_->counts(); }
const GrepPosition& GrepSearch::reached() const { return inner_->reached(); }

Result<GrepResult> grep(const TreeView& tree, const Path& path, const Pattern& pattern,
                        const GrepOptions& options, Budget& budget) {
  auto search = TRY(GrepSearch::begin(tree, path, pattern, options, budget));
  GrepResult result;
  bool whole = true;
  // One more than the limit, so that the answer can say that there are more.
  while (whole && TRY(search.search(options.max_matches - result.matches + 1))) {
    result.reached = search.reached();
    while (auto file = whole ? TRY(search.take()) : std::nullopt) {
      whole = take_file(*file, options, result, budget);
      if (whole) result.reached = search.reached();
    }
  }
  if (whole) result.reached = search.reached();
  result.counts = search.counts();
  if (!result.stopped_by && budget.stopped_by()) result.stopped_by = name(*budget.stopped_by());
  return result;
}

}  // namespace cairn
