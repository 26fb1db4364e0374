#include "data/realm/import.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/realm/import_index.h"

namespace cairn {
namespace {

class FileHandle final {
 public:
  explicit FileHandle(int fd) : fd_(fd) {}
  ~FileHandle() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

Failure io_error(std::string_view doing, std::string_view path) {
  return fail(Code::kIoError, "cannot {} '{}': {}", doing, path, std::strerror(errno));
}

FileStamp stamp_of(const struct stat& stat) {
  auto nanos = [](const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; };
  return {static_cast<std::uint64_t>(stat.st_size), nanos(stat.st_mtim), nanos(stat.st_ctim),
          stat.st_ino};
}

// Collects nodes and stores them a good handful at a time.
class NodeBatcher final : public NodeSink {
 public:
  explicit NodeBatcher(NodeStore& nodes) : nodes_(nodes) {}

  Result<void> add(NodePtr node) override {
    bytes_ += node->bytes().size();
    batch_.push_back(std::move(node));
    return bytes_ < kFlushBytes ? Result<void>() : flush();
  }

  Result<void> flush() {
    if (batch_.empty()) return {};
    auto stored = nodes_.put(batch_);
    batch_.clear();
    bytes_ = 0;
    return stored;
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 20;

  NodeStore& nodes_;
  std::vector<NodePtr> batch_;
  std::size_t bytes_ = 0;
};

// One directory on its way into the store. It is done when it was read and all below it are done.
struct DirTask {
  DirTask* parent = nullptr;
  std::string path;  // relative; empty for the top
  std::string name;

  const ImportIndex::Directory* known = nullptr;
  bool same = true;                // everything read so far is as the index has it
  std::vector<std::string> names;  // owns the names and types in `now`
  ImportIndex::Directory now;
  std::vector<std::unique_ptr<DirTask>> children;
  std::atomic<std::size_t> pending = 1;
};

class Importer final {
 public:
  Importer(Realm& realm, const std::filesystem::path& source, const ImportIndex* index,
           ImportIndexWriter& writer, Progress& progress)
      : realm_(realm),
        source_(source.string()),
        index_(index),
        writer_(writer),
        progress_(progress),
        began_ns_(realm.clock().now() * 1'000'000LL) {}

  Result<EntryValue> run(unsigned threads) {
    DirTask top;
    top.known = index_ != nullptr ? index_->find("") : nullptr;
    push(&top);
    {
      std::vector<std::jthread> helpers;
      for (unsigned i = 1; i < std::max(threads, 1U); ++i) helpers.emplace_back([&] { work(); });
      work();
    }
    if (auto error = std::move(state_.lock()->error)) return Failure(std::move(*error));
    TRY(store_directories());
    return top.now.value;
  }

  std::vector<std::string> take_skipped() {
    auto skipped = std::move(state_.lock()->skipped);
    std::ranges::sort(skipped);
    return skipped;
  }
  std::uint64_t unchanged() const { return unchanged_; }

 private:
  struct State {
    std::deque<DirTask*> queue;
    std::size_t open = 0;  // directories queued or being read
    std::optional<Error> error;
    std::vector<std::string> skipped;
  };

  void push(DirTask* task) {
    auto state = state_.lock();
    state->queue.push_back(task);
    state->open += 1;
    changed_.notify_one();
  }

  // The next directory, or null when there will be none.
  DirTask* pop() {
    auto state = state_.lock();
    changed_.wait(state.mutex(),
                  [&] { return !state->queue.empty() || state->open == 0 || state->error; });
    if (state->queue.empty() || state->error) return nullptr;
    auto* task = state->queue.back();
    state->queue.pop_back();
    return task;
  }

  void finish_one(Result<void> outcome) {
    auto state = state_.lock();
    state->open -= 1;
    if (!outcome && !state->error) state->error = std::move(outcome).error();
    if (state->open == 0 || state->error) changed_.notify_all();
  }

  void work() {
    NodeBatcher batcher(realm_.nodes());
    Bytes buffer;
    while (auto* task = pop()) finish_one(read_directory(*task, batcher, buffer));
    auto flushed = batcher.flush();
    if (!flushed) {
      auto state = state_.lock();
      if (!state->error) state->error = std::move(flushed).error();
    }
  }

  std::string on_disk(const DirTask& task) const {
    return task.path.empty() ? source_ : source_ + "/" + task.path;
  }

  Result<void> read_directory(DirTask& task, NodeBatcher& batcher, Bytes& buffer) {
    auto where = on_disk(task);
    FileHandle dir(::open(
        where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (task.path.empty() ? 0 : O_NOFOLLOW)));
    if (!dir.ok()) return io_error("open the directory", where);
    auto names = TRY(list_names(dir.get(), where));
    for (auto& [name, type] : names) {
      if (type == DT_DIR) {
        add_child(task, name);
      } else if (type == DT_REG) {
        TRY(add_file(task, dir.get(), name, batcher, buffer));
      }
    }
    for (auto& child : task.children) push(child.get());
    return complete(task);
  }

  using Listed = std::vector<std::pair<std::string, unsigned char>>;

  // The files and directories in a directory, by name; what is neither is skipped and noted.
  Result<Listed> list_names(int dir, const std::string& where) {
    int copy = ::dup(dir);
    DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
    if (stream == nullptr) return io_error("list the directory", where);
    std::unique_ptr<DIR, int (*)(DIR*)> closer(stream, ::closedir);
    Listed names;
    while (true) {
      errno = 0;
      auto* entry = ::readdir(stream);
      if (entry == nullptr && errno != 0) return io_error("list the directory", where);
      if (entry == nullptr) break;
      std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      auto type = entry->d_type;
      if (type == DT_UNKNOWN) type = type_of(dir, name);
      if (auto why = reason_to_skip(name, type); !why.empty()) {
        state_.lock()->skipped.push_back(where + "/" + name + ": " + why);
        continue;
      }
      names.emplace_back(std::move(name), type);
    }
    std::ranges::sort(names);
    return names;
  }

  static unsigned char type_of(int dir, const std::string& name) {
    struct stat stat{};
    if (::fstatat(dir, name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return IFTODT(stat.st_mode);
  }

  static std::string reason_to_skip(const std::string& name, unsigned char type) {
    if (auto valid = check_name(name); !valid) return valid.error().message;
    if (child_index(name)) return "names of '~' and digits stand for child indices";
    if (type == DT_LNK) return "symbolic links are not followed";
    if (type != DT_REG && type != DT_DIR) return "neither a file nor a directory";
    return {};
  }

  void add_child(DirTask& task, const std::string& name) {
    auto child = std::make_unique<DirTask>();
    child->parent = &task;
    child->name = name;
    child->path = task.path.empty() ? name : task.path + "/" + name;
    child->known = index_ != nullptr ? index_->find(child->path) : nullptr;
    task.pending += 1;
    task.children.push_back(std::move(child));
  }

  Result<void> add_file(DirTask& task, int dir, const std::string& name, NodeBatcher& batcher,
                        Bytes& buffer) {
    const auto* before = known_file(task, name);
    struct stat stat{};
    if (before != nullptr && ::fstatat(dir, name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
        stamp_of(stat) == before->stamp) {
      task.now.files.push_back(*before);
      unchanged_ += 1;
      progress_.files += 1;
      progress_.bytes += before->stamp.size;
      return {};
    }
    task.same = false;
    auto path = on_disk(task) + "/" + name;
    FileHandle file(::openat(dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.ok() || ::fstat(file.get(), &stat) != 0) return io_error("open", path);
    if (!S_ISREG(stat.st_mode)) {
      return fail(Code::kIoError, "'{}' was a file and is not one any more; import again", path);
    }
    auto node = TRY(read_node(file.get(), stat, name, path, batcher, buffer));
    auto stamp = stamp_of(stat);
    stamp.size = node->size();
    // Too fresh to be told from a change that comes next: its time is not one a file has.
    if (stamp.mtime_ns + kSettled >= began_ns_ || stamp.ctime_ns + kSettled >= began_ns_) {
      stamp.mtime_ns = -1;
    }
    task.names.push_back(name);
    task.names.emplace_back(node->type());
    task.now.files.push_back({{}, stamp, node->key(), {}});
    progress_.files += 1;
    progress_.bytes += node->size();
    return {};
  }

  static const ImportIndex::File* known_file(const DirTask& task, std::string_view name) {
    if (task.known == nullptr) return nullptr;
    const auto& files = task.known->files;
    auto at = std::ranges::lower_bound(files, name, {}, &ImportIndex::File::name);
    return at != files.end() && at->name == name ? &*at : nullptr;
  }

  Result<NodePtr> read_node(int file, const struct stat& stat, const std::string& name,
                            const std::string& path, NodeBatcher& batcher, Bytes& buffer) {
    auto size = static_cast<std::size_t>(stat.st_size);
    FileWriter writer(batcher);
    std::string type;
    buffer.resize(std::clamp<std::size_t>(size + 1, 4096, kPortion));
    std::size_t filled = 0;
    bool small = true;
    while (true) {
      auto got = ::read(file, buffer.data() + filled, buffer.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("read", path);
      filled += static_cast<std::size_t>(got);
      bool end = got == 0;
      if (!end && filled < buffer.size()) continue;
      auto part = ByteView(buffer).substr(0, filled);
      if (type.empty()) type = content_type(name, part);
      if (end && small) return write_file(batcher, type, part);
      TRY(writer.append(part));
      if (end) return writer.finish(type);
      small = false;
      filled = 0;
    }
  }

  // The directory itself is read; the last of its parts to be done builds it.
  Result<void> complete(DirTask& task) {
    DirTask* at = &task;
    while (at != nullptr && at->pending.fetch_sub(1) == 1) {
      TRY(build(*at));
      at = at->parent;
    }
    return {};
  }

  Result<void> build(DirTask& task) {
    name_files(task);
    auto& now = task.now;
    for (const auto& child : task.children) {
      now.dirs.push_back(child->name);
      task.same = task.same && child->same;
    }
    const auto* known = task.known;
    task.same = task.same && known != nullptr && known->files.size() == now.files.size() &&
                std::ranges::equal(known->dirs, now.dirs);
    if (task.same) {
      now.value = known->value;
    } else {
      std::vector<DictEdit> edits;
      edits.reserve(now.files.size() + task.children.size());
      for (const auto& file : now.files) {
        edits.push_back({std::string(file.name), EntryValue{Kind::kFile, file.key, file.stamp.size,
                                                            std::string(file.type), 0, 0}});
      }
      for (const auto& child : task.children) edits.push_back({child->name, child->now.value});
      std::ranges::sort(edits, {}, &DictEdit::name);
      Stage stage(realm_.nodes());
      auto empty = empty_dict();
      TRY(stage.add(empty));
      auto dict = TRY(dict_apply(stage, empty, edits));
      std::ranges::move(stage.reachable(dict->key()), std::back_inserter(*built_.lock()));
      now.value = EntryValue::of(entry_for("", *dict));
    }
    writer_.add(task.path, now);
    task.children.clear();
    return {};
  }

  // Directories come after everything in them, which any thread may have had in hand until now.
  Result<void> store_directories() {
    NodeBatcher batcher(realm_.nodes());
    auto built = std::exchange(*built_.lock(), {});
    for (auto& node : built) TRY(batcher.add(std::move(node)));
    return batcher.flush();
  }

  // Points the new files' views at the names the task owns, now that these stay where they are.
  static void name_files(DirTask& task) {
    std::size_t owned = 0;
    for (auto& file : task.now.files) {
      if (!file.name.empty()) continue;
      file.name = task.names[owned++];
      file.type = task.names[owned++];
    }
  }

  static constexpr std::size_t kPortion = 4 << 20;
  // File systems stamp to some milliseconds; two seconds is what the coarsest need.
  static constexpr std::int64_t kSettled = 2'000'000'000;

  Realm& realm_;
  std::string source_;
  const ImportIndex* index_;
  ImportIndexWriter& writer_;
  Progress& progress_;
  std::int64_t began_ns_;
  std::atomic<std::uint64_t> unchanged_ = 0;
  Guarded<State> state_;
  Guarded<std::vector<NodePtr>> built_;  // new directories, those below before those above
  std::condition_variable changed_;
};

// Nodes of the last import are used again without being stored again: their root is kept alive.
Result<void> keep_alive(Realm& realm, const DepotId& depot, const NodeKey& root) {
  Batch batch;
  batch.realm = realm.id();
  batch.required.push_back(root);
  batch.puts.push_back({records::origin_key(realm.id(), root, depot),
                        records::encode(Origin{depot, root, realm.clock().now()})});
  batch.durability = Durability::kBuffered;
  return realm.store().kv().commit(std::move(batch));
}

}  // namespace

Result<ImportResult> import_directory(Realm& realm, const DepotId& depot,
                                      const std::filesystem::path& source,
                                      const ImportOptions& options, Progress& progress) {
  std::error_code error;
  auto absolute = std::filesystem::canonical(source, error);
  if (error) {
    return fail(Code::kIoError, "cannot import '{}': {}", source.string(), error.message());
  }
  auto before = TRY(realm.get_depot(depot));
  Realm::Upload upload(realm);
  auto index = TRY(ImportIndex::load(realm, depot, absolute.string()));
  if (index) TRY(keep_alive(realm, depot, index->root()));
  ImportIndexWriter writer(absolute.string());
  Importer importer(realm, absolute, index ? &*index : nullptr, writer, progress);
  auto top = TRY(importer.run(options.threads));
  ImportResult result;
  result.root = top.key;
  result.files = top.files;
  result.bytes = top.bytes;
  result.unchanged = importer.unchanged();
  result.skipped = importer.take_skipped();
  CommitRequest request{.depot = depot,
                        .root = top.key,
                        .expected_root = before.root,
                        .message = options.message,
                        .force = false,
                        .author = options.author};
  if (request.message.empty())
    request.message = fmt::format("import {}", shown(source.string(), 1000));
  result.commit = TRY(realm.commit(request));
  bool same = index && index->root() == top.key && result.unchanged == result.files;
  if (!same) TRY(writer.save(realm, depot, top.key));
  return result;
}

}  // namespace cairn
