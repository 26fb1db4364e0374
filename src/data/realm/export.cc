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
    auto state = state_.lock();
    if (state->error) return Failure(std::move(*state->error));
    auto& out = state->out;
    out.files = files_;
    out.bytes = bytes_;
    std::ranges::sort(out.left_out, {}, &LeftOut::path);
    return std::move(out);
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
    ExportResult out;
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
    auto folder = directory.parent;
    if (!directory.name.empty()) {
      folder = std::make_shared<const NewDirectory::Folder>(
          TRY(directory.parent->add_directory(directory.name)));
    }
    const auto opened = dict_open(nodes_, directory.key);
    if (!opened) {
      leave_out(directory.path, opened.error());
      return {};
    }
    return write_entries(directory, folder, *opened);
  }

  // Of a large directory that is damaged in part, the rest.
  Result<void> write_entries(const Directory& directory, const Folder& folder,
                             const NodePtr& dict) {
    std::vector<Directory> below;
    DictCursor cursor(nodes_, dict);
    std::optional<Error> unlisted;
    auto moved = cursor.seek_index(0);
    for (std::uint64_t index = 0; index < dict->totals().entries;) {
      TRY(progress_.go_on());
      ++index;
      if (moved && cursor.entry() != nullptr) {
        TRY(write_entry(directory, folder, *cursor.entry(), below));
        moved = cursor.next();
        continue;
      }
      if (!moved && !unlisted) unlisted = moved.error();
      moved = cursor.seek_index(index);
    }
    if (unlisted) leave_out(directory.path, *unlisted);
    push(std::move(below));
    return {};
  }

  Result<void> write_entry(const Directory& directory, const Folder& folder, const Entry& entry,
                           std::vector<Directory>& below) {
    std::string name(entry.name);
    if (!entry.is_dir()) return write_file(directory, *folder, name, entry.key);
    auto path = directory.path + name;
    if (const auto fits = check_depth(path); !fits && entry.children > 0) {
      leave_out(std::move(path), fits.error());
      return {};
    }
    path += '/';
    below.push_back({entry.key, std::move(path), std::move(name), folder});
    return {};
  }

  void leave_out(std::string path, const Error& why) {
    if (path.ends_with('/')) path.pop_back();
    state_.lock()->out.leave_out(std::move(path), why);
  }

  // A file whose node cannot be read is left out before anything of it is made.
  Result<void> write_file(const Directory& directory, const NewDirectory::Folder& folder,
                          const std::string& name, const NodeKey& key) {
    const auto node = nodes_.get(key);
    if (!node) {
      leave_out(directory.path + name, node.error());
      return {};
    }
    if ((*node)->level() == 0) {
      TRY(folder.add_file(name, (*node)->content()));
      progress_.bytes += (*node)->size();
    } else if (!TRY(write_pieces(directory, folder, name, **node))) {
      return {};
    }
    bytes_ += (*node)->size();
    files_ += 1;
    progress_.files += 1;
    return {};
  }

  // Whether all of them could be read.
  Result<bool> write_pieces(const Directory& directory, const NewDirectory::Folder& folder,
                            const std::string& name, const Node& file) {
    std::optional<Error> unread;  // nothing: what failed is the writing
    auto done = folder.add_file(name, [&](const NewDirectory::Sink& sink) -> Result<void> {
      bool ours = false;
      auto read = read_file(nodes_, file, 0, file.size(), [&](ByteView portion) -> Result<void> {
        auto passed_on = progress_.go_on();
        if (passed_on) passed_on = sink(portion);
        ours = !passed_on;
        progress_.bytes += portion.size();
        return passed_on;
      });
      if (!read && !ours) unread = read.error();
      return read;
    });
    if (unread) {
      leave_out(directory.path + name, *unread);
      return false;
    }
    TRY(std::move(done));
    return true;
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
