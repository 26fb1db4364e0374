#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <thread>

#include "base/guarded.h"
#include "base/os/new_directory.h"
#include "data/cas/dict.h"
#include "data/cas/file.h"
#include "data/realm/import.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

using os::NewDirectory;

// Writes a tree, a directory a thread at a time.
class Exporter final {
 public:
  Exporter(const NodeReader& nodes, Progress& progress) : nodes_(nodes), progress_(progress) {}

  Result<ExportResult> run(const NodeKey& root, const NewDirectory& target, unsigned threads) {
    auto top = std::make_shared<const NewDirectory::Folder>(TRY(target.open()));
    std::vector<Directory> first;
    first.push_back({.key = root, .path = "", .name = "", .parent = std::move(top)});
    push(std::move(first));
    {
      std::vector<std::jthread> helpers;
      // This thread works too.
      for (unsigned i = 1; i < threads; ++i) helpers.emplace_back([&] { work(); });
      work();
    }
    if (auto error = std::move(state_.lock()->error)) return Failure(std::move(*error));
    return ExportResult{.files = files_, .bytes = bytes_};
  }

 private:
  using Folder = std::shared_ptr<const NewDirectory::Folder>;

  struct Directory {
    NodeKey key;
    std::string path;  // from the top, with a slash at its end
    std::string name;  // empty: it is the top
    Folder parent;
  };
  struct State {
    std::vector<Directory> open;
    std::size_t unfinished = 0;  // waiting, or being written
    std::optional<Error> error;
  };

  void push(std::vector<Directory> found) {
    if (found.empty()) return;
    auto state = state_.lock();
    state->unfinished += found.size();
    std::ranges::move(found, std::back_inserter(state->open));
    changed_.notify_all();
  }

  // The newest: so few directories are held open at a time. Nothing when there will be none.
  std::optional<Directory> pop() {
    auto state = state_.lock();
    changed_.wait(state.mutex(),
                  [&] { return !state->open.empty() || state->unfinished == 0 || state->error; });
    if (state->open.empty() || state->error) return std::nullopt;
    auto next = std::move(state->open.back());
    state->open.pop_back();
    return next;
  }

  void work() {
    while (auto directory = pop()) {
      auto done = write(*directory);
      auto state = state_.lock();
      state->unfinished -= 1;
      if (!done && !state->error) state->error = std::move(done).error();
      if (state->unfinished == 0 || state->error) changed_.notify_all();
    }
  }

  Result<void> write(const Directory& directory) {
    TRY(check_depth(directory.path));
    auto folder = directory.parent;
    if (!directory.name.empty()) {
      folder = std::make_shared<const NewDirectory::Folder>(
          TRY(directory.parent->add_directory(directory.name)));
    }
    std::vector<Directory> below;
    DictCursor cursor(nodes_, TRY(dict_open(nodes_, directory.key)));
    TRY(cursor.seek_index(0));
    while (const Entry* entry = cursor.entry()) {
      TRY(progress_.go_on());
      std::string name(entry->name);
      if (entry->is_dir()) {
        auto path = directory.path + name + "/";
        below.push_back({entry->key, std::move(path), std::move(name), folder});
      } else {
        TRY(write_file(*folder, name, entry->key));
      }
      TRY(cursor.next());
    }
    push(std::move(below));
    return {};
  }

  Result<void> write_file(const NewDirectory::Folder& folder, const std::string& name,
                          const NodeKey& key) {
    const auto node = TRY(nodes_.get(key));
    TRY(folder.add_file(name, [&](const NewDirectory::Sink& sink) {
      return read_file(nodes_, *node, 0, node->size(), [&](ByteView portion) -> Result<void> {
        TRY(progress_.go_on());
        progress_.bytes += portion.size();
        return sink(portion);
      });
    }));
    files_ += 1;
    bytes_ += node->size();
    progress_.files += 1;
    return {};
  }

  const NodeReader& nodes_;
  Progress& progress_;
  Guarded<State> state_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> files_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace

Result<ExportResult> export_directory(const NodeReader& nodes, const NodeKey& root,
                                      const std::filesystem::path& target, Progress& progress,
                                      const os::Kernel& kernel) {
  const auto tree = TRY(view_tree(nodes, root));
  if (tree.root->kind() != Kind::kDict) {
    return fail(Code::kNotADirectory, "{} is a file, not a directory", root.render());
  }
  const auto directory = TRY(NewDirectory::make(target, kernel));
  // More than there are cores: they wait for the disk, too.
  const auto threads = std::clamp(std::thread::hardware_concurrency(), 2U, 8U);
  auto done = Exporter(nodes, progress).run(root, directory, threads);
  if (!done) directory.clear();
  return done;
}

}  // namespace cairn
