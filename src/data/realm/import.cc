#include "data/realm/import.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <memory>
#include <span>
#include <thread>

#include <dirent.h>

#include "base/os/names.h"
#include "base/os/os_error.h"
#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/realm/import_index.h"

namespace cairn {
namespace {

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
  // Every commit has a fixed cost, which a mebibyte of nodes outweighs.
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
  // The directory itself counts, so that it is not complete before it has been listed.
  std::atomic<std::size_t> pending = 1;
};

class Importer final {
 public:
  Importer(Realm& realm, const std::filesystem::path& source, const ImportIndex* index,
           ImportIndexWriter& writer, const os::Kernel& kernel, Progress& progress)
      : realm_(realm),
        source_(source.string()),
        index_(index),
        writer_(writer),
        kernel_(kernel),
        progress_(progress),
        began_ns_(realm.clock().now() * 1'000'000LL) {}

  Result<EntryValue> run(unsigned threads) {
    DirTask top;
    top.known = index_ != nullptr ? index_->find("") : nullptr;
    push(&top);
    {
      std::vector<std::jthread> helpers;
      // This thread works too.
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
    // The newest first: the walk goes deep before it goes wide, so fewer directories wait.
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
    os::NameReader reader(TRY(open_directory(task)), kernel_);
    auto names = TRY(list_names(reader, on_disk(task)));
    for (auto& [name, type] : names) {
      TRY(progress_.go_on());
      if (type == DT_DIR) {
        add_child(task, name);
      } else if (type == DT_REG) {
        TRY(add_file(task, reader.fd(), name, batcher, buffer));
      }
    }
    for (auto& child : task.children) push(child.get());
    return complete(task);
  }

  // The source itself may be a link.
  Result<os::Handle> open_directory(const DirTask& task) const {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY;
    const auto where = on_disk(task);
    return os::checked(task.path.empty() ? os::open_path(where, kFlags, kernel_)
                                         : os::open_name(AT_FDCWD, where, kFlags, 0, kernel_),
                       "open the directory", where);
  }

  using Listed = std::vector<std::pair<std::string, unsigned char>>;

  // The files and directories in a directory, by name; what is neither is skipped and noted.
  Result<Listed> list_names(os::NameReader& reader, const std::string& where) {
    Listed names;
    while (const auto entry = TRY(os::checked(reader.next(), "list the directory", where))) {
      std::string name(entry->name);
      const auto type = os::type_of(reader.fd(), *entry, kernel_);
      if (auto why = reason_to_skip(name, type); !why.empty()) {
        state_.lock()->skipped.push_back(fmt::format("{}/{}: {}", where, name, why));
        continue;
      }
      names.emplace_back(std::move(name), type);
    }
    std::ranges::sort(names);
    return names;
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
    if (before != nullptr && is_same(dir, name, before->stamp)) {
      task.now.files.push_back(*before);
      unchanged_ += 1;
      progress_.files += 1;
      progress_.bytes += before->stamp.size;
      return {};
    }
    task.same = false;
    auto path = on_disk(task) + "/" + name;
    const auto file =
        // It was a file when it was listed. If a pipe has taken its place, opening must not wait
        // for a writer.
        TRY(os::checked(os::open_name(dir, name, O_RDONLY | O_NONBLOCK, 0, kernel_), "open", path));
    const auto about = TRY(os::checked(os::stat(file.fd(), kernel_), "open", path));
    if (!os::is_file(about)) {
      return fail(Code::kIoError, "'{}' was a file and is not one any more; import again", path);
    }
    auto node = TRY(read_node(file, about.stx_size, name, path, batcher, buffer));
    auto stamp = os::stamp_of(about).kept();
    // Of the bytes that were read, should it have grown since.
    stamp.size = node->size();
    // Too fresh to be told from a change that comes next: its time is not one a file has.
    if (!stamp.is_settled(began_ns_)) stamp.modified = -1;
    task.names.push_back(name);
    task.names.emplace_back(node->type());
    task.now.files.push_back({{}, stamp, node->key(), {}});
    progress_.files += 1;
    progress_.bytes += node->size();
    return {};
  }

  bool is_same(int dir, const std::string& name, const os::Stamp& before) const {
    const auto now = os::stat_name(dir, name, kernel_);
    return now && os::stamp_of(*now).kept() == before;
  }

  static const ImportIndex::File* known_file(const DirTask& task, std::string_view name) {
    if (task.known == nullptr) return nullptr;
    const auto& files = task.known->files;
    auto at = std::ranges::lower_bound(files, name, {}, &ImportIndex::File::name);
    return at != files.end() && at->name == name ? &*at : nullptr;
  }

  Result<NodePtr> read_node(const os::Handle& file, std::size_t size, const std::string& name,
                            const std::string& path, NodeBatcher& batcher, Bytes& buffer) {
    FileWriter writer(batcher);
    std::string type;
    // One byte more than the file has: the read that finds the end does not need a second buffer.
    buffer.resize(std::clamp<std::size_t>(size + 1, 4096, kPortion));
    std::size_t filled = 0;
    bool small = true;
    while (true) {
      const auto room = std::span(buffer).subspan(filled);
      TRY(progress_.go_on());
      const auto got = TRY(os::checked(os::read(file.fd(), room, kernel_), "read", path));
      filled += got;
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
    // Its node is stored already, and keep_alive() saw to it that it stays.
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
      // Kept until all files are stored. A directory must never be in the store without its
      // children.
      std::ranges::move(stage.reachable(dict->key()), std::back_inserter(*built_.lock()));
      now.value = EntryValue::of(entry_for("", *dict));
    }
    writer_.add(task.path, now);
    // Their names were views into the children; the writer has copied them.
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

  Realm& realm_;
  std::string source_;
  const ImportIndex* index_;
  ImportIndexWriter& writer_;
  os::Kernel kernel_;
  Progress& progress_;
  std::int64_t began_ns_;
  std::atomic<std::uint64_t> unchanged_ = 0;
  Guarded<State> state_;
  Guarded<std::vector<NodePtr>> built_;  // new directories, those below before those above
  std::condition_variable changed_;
};

// Nodes of the last import are used again without being stored again: their root is kept alive.
Result<void> keep_alive(Realm& realm, const Place& place, const NodeKey& root) {
  Batch batch;
  batch.realm = realm.id();
  batch.required.push_back(root);
  batch.puts.push_back({records::origin_key(realm.id(), root, place),
                        records::encode(Origin{place, root, realm.clock().now()})});
  batch.durability = Durability::kBuffered;
  return realm.store().kv().commit(std::move(batch));
}

}  // namespace

std::string reason_to_skip(std::string_view name, unsigned char type) {
  if (auto valid = check_name(name); !valid) return valid.error().message;
  if (child_index(name)) return "names of '~' and digits stand for child indices";
  if (type == DT_LNK) return "symbolic links are not followed";
  if (type != DT_REG && type != DT_DIR) return "neither a file nor a directory";
  return {};
}

Result<ImportResult> import_directory(Realm& realm, const DepotId& depot,
                                      const std::filesystem::path& source,
                                      const ImportOptions& options, Progress& progress) {
  std::error_code error;
  auto absolute = std::filesystem::canonical(source, error);
  if (error) return os::io_error("import", source, error.value());
  const Place place(depot, options.path);
  TRY(realm.get_depot(depot));
  // Held to the end: the first nodes of a large import may otherwise be older than the grace time
  // before the commit refers to them.
  Realm::Upload upload(realm);
  auto index = TRY(ImportIndex::load(realm, place, absolute.string()));
  if (index) TRY(keep_alive(realm, place, index->root()));
  ImportIndexWriter writer(absolute.string());
  Importer importer(realm, absolute, index ? &*index : nullptr, writer, options.kernel, progress);
  auto top = TRY(importer.run(options.threads));
  ImportResult result;
  result.root = top.key;
  result.files = top.files;
  result.bytes = top.bytes;
  result.unchanged = importer.unchanged();
  result.skipped = importer.take_skipped();
  ImportRequest request{.within = depot,
                        .path = options.path,
                        .source = absolute.string(),
                        .root = top.key,
                        .remove_others = options.remove_others,
                        .overwrite = options.overwrite,
                        .dry_run = options.dry_run,
                        .message = options.message,
                        .author = options.author};
  if (index) request.last = index->root();
  if (request.message.empty()) {
    request.message = fmt::format("import {}", shown(source.string(), 1000));
  }
  auto done = TRY(commit_import(realm, request));
  result.commit = std::move(done.commit);
  result.changes = std::move(done.changes);
  bool same = index && index->root() == top.key && result.unchanged == result.files;
  if (!same && !options.dry_run) TRY(writer.save(realm, place, top.key));
  return result;
}

}  // namespace cairn
