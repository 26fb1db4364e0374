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
#include "data/realm/import_nodes.h"
#include "data/realm/import_rehearsal.h"

namespace cairn {
namespace {

// One directory on its way into the store. It is done when it was read and all below it are done.
struct DirTask {
  DirTask* parent = nullptr;
  std::string path;  // relative; empty for the top
  std::string name;

  std::optional<IndexedTree> before;  // as the last import had it
  bool same = true;                   // everything read so far is as it was
  std::vector<IndexedFile> files;
  std::vector<std::unique_ptr<DirTask>> children;
  IndexedTree now = {};
  // The directory itself counts, so that it is not complete before it has been listed.
  std::atomic<std::size_t> pending = 1;
};

class Importer final {
 public:
  Importer(Realm& realm, const std::filesystem::path& source, ImportNodes& nodes,
           const os::Kernel& kernel, Progress& progress)
      : realm_(realm),
        source_(source.string()),
        nodes_(nodes),
        kernel_(kernel),
        progress_(progress),
        began_ns_(realm.clock().now() * 1'000'000LL) {}

  // Given what the last import saw.
  Result<IndexedTree> run(std::optional<IndexedTree> before, unsigned threads) {
    DirTask top;
    top.before = std::move(before);
    push(&top);
    {
      std::vector<std::jthread> helpers;
      // This thread works too.
      for (unsigned i = 1; i < std::max(threads, 1U); ++i) helpers.emplace_back([&] { work(); });
      work();
    }
    if (auto error = std::move(state_.lock()->error)) return Failure(std::move(*error));
    TRY(nodes_.finish());
    return std::move(top.now);
  }

  // One of the files, by its path from the source.
  Result<NodePtr> read_again(const std::string& path, NodeSink& sink) const {
    const auto full = source_ + "/" + path;
    const auto file = TRY(open_file(AT_FDCWD, full, full));
    Bytes buffer;
    return read_node(file.handle, file.about.stx_size, path.substr(path.rfind('/') + 1), full, sink,
                     buffer);
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
    ImportNodes::Files sink(nodes_);
    Bytes buffer;
    while (auto* task = pop()) finish_one(read_directory(*task, sink, buffer));
    auto flushed = sink.flush();
    if (!flushed) {
      auto state = state_.lock();
      if (!state->error) state->error = std::move(flushed).error();
    }
  }

  std::string on_disk(const DirTask& task) const {
    return task.path.empty() ? source_ : source_ + "/" + task.path;
  }

  Result<void> read_directory(DirTask& task, ImportNodes::Files& sink, Bytes& buffer) {
    os::NameReader reader(TRY(open_directory(task)), kernel_);
    auto names = TRY(list_names(reader, on_disk(task)));
    std::optional<IndexedDirectory> known;
    if (task.before) known = TRY(read_indexed(realm_.nodes(), *task.before));
    for (auto& [name, type] : names) {
      TRY(progress_.go_on());
      if (type == DT_DIR) {
        add_child(task, known, std::move(name));
      } else if (type == DT_REG) {
        TRY(add_file(task, known, reader.fd(), std::move(name), sink, buffer));
      }
    }
    task.same = task.same && known && known->files.size() == task.files.size() &&
                known->directories.size() == task.children.size();
    for (auto& child : task.children) push(child.get());
    TRY(complete(task));
    return sink.relieve();
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

  static void add_child(DirTask& task, const std::optional<IndexedDirectory>& known,
                        std::string name) {
    auto child = std::make_unique<DirTask>();
    child->parent = &task;
    const auto* before = known ? known->directory(name) : nullptr;
    if (before != nullptr) child->before = *before;
    task.same = task.same && before != nullptr;
    child->path = task.path.empty() ? name : task.path + "/" + name;
    child->name = std::move(name);
    task.pending += 1;
    task.children.push_back(std::move(child));
  }

  Result<void> add_file(DirTask& task, const std::optional<IndexedDirectory>& known, int dir,
                        std::string name, ImportNodes::Files& sink, Bytes& buffer) {
    const auto* before = known ? known->file(name) : nullptr;
    if (before != nullptr && is_same(dir, name, before->stamp)) {
      task.files.push_back(*before);
      unchanged_ += 1;
      progress_.files += 1;
      progress_.bytes += before->stamp.size;
      return {};
    }
    task.same = false;
    auto path = on_disk(task) + "/" + name;
    const auto file = TRY(open_file(dir, name, path));
    auto node = TRY(read_node(file.handle, file.about.stx_size, name, path, sink, buffer));
    auto stamp = os::stamp_of(file.about).kept();
    // Of the bytes that were read, should it have grown since.
    stamp.size = node->size();
    // Too fresh to be told from a change that comes next: its time is not one a file has.
    if (!stamp.is_settled(began_ns_)) stamp.modified = -1;
    progress_.files += 1;
    progress_.bytes += node->size();
    task.files.push_back({std::move(name), stamp, node->key(), std::string(node->type())});
    return {};
  }

  struct OpenFile {
    os::Handle handle;
    os::Stat about;
  };
  Result<OpenFile> open_file(int dir, const std::string& name, const std::string& path) const {
    // It was a file when it was listed. If a pipe has taken its place, opening must not wait for a
    // writer.
    auto file =
        TRY(os::checked(os::open_name(dir, name, O_RDONLY | O_NONBLOCK, 0, kernel_), "open", path));
    const auto about = TRY(os::checked(os::stat(file.fd(), kernel_), "open", path));
    if (!os::is_file(about)) {
      return fail(Code::kIoError, "'{}' was a file and is not one any more; import again", path);
    }
    return OpenFile{std::move(file), about};
  }

  bool is_same(int dir, const std::string& name, const os::Stamp& before) const {
    const auto now = os::stat_name(dir, name, kernel_);
    return now && os::stamp_of(*now).kept() == before;
  }

  Result<NodePtr> read_node(const os::Handle& file, std::size_t size, const std::string& name,
                            const std::string& path, NodeSink& sink, Bytes& buffer) const {
    FileWriter writer(sink);
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
      if (end && small) return write_file(sink, type, part);
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
    for (const auto& child : task.children) task.same = task.same && child->same;
    if (task.same) {
      // Its nodes are stored already, and keep_alive() saw to it that they stay.
      task.now = *task.before;
    } else {
      TRY(build_anew(task));
    }
    // Nobody needs more of it than its two entries.
    task.children.clear();
    task.files = {};
    task.before.reset();
    return {};
  }

  Result<void> build_anew(DirTask& task) {
    IndexedDirectory directory{std::move(task.files), {}};
    for (auto& child : task.children) {
      directory.directories.push_back({std::move(child->name), std::move(child->now)});
    }
    std::vector<DictEdit> edits;
    edits.reserve(directory.files.size() + directory.directories.size());
    for (const auto& file : directory.files) edits.push_back({file.name, file.value()});
    for (const auto& child : directory.directories) {
      edits.push_back({child.name, child.both.tree});
    }
    std::ranges::sort(edits, {}, &DictEdit::name);
    Stage stage(realm_.nodes());
    auto empty = empty_dict();
    TRY(stage.add(empty));
    const auto dict = TRY(dict_apply(stage, empty, edits));
    task.now.tree = EntryValue::of(entry_for("", *dict));
    auto built = stage.reachable(dict->key());
    const auto index = TRY(write_indexed(stage, directory));
    task.now.index = EntryValue::of(entry_for("", *index));
    std::ranges::move(stage.reachable(index->key()), std::back_inserter(built));
    return nodes_.add_directory(std::move(built));
  }

  static constexpr std::size_t kPortion = 4 << 20;

  Realm& realm_;
  std::string source_;
  ImportNodes& nodes_;
  os::Kernel kernel_;
  Progress& progress_;
  std::int64_t began_ns_;
  std::atomic<std::uint64_t> unchanged_ = 0;
  Guarded<State> state_;
  std::condition_variable changed_;
};

// Nodes of the last import are used again without being stored again: what it read is kept alive,
// and its index.
Result<void> keep_alive(Realm& realm, const Place& place, const ImportRecord& last) {
  Batch batch;
  batch.realm = realm.id();
  batch.required.push_back(last.root);
  if (last.index) batch.required.push_back(*last.index);
  batch.puts.push_back({records::origin_key(realm.id(), last.root, place),
                        records::encode(Origin{place, last.root, realm.clock().now()})});
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
  const auto last = TRY(load_import(realm, place, absolute.string()));
  if (last) TRY(keep_alive(realm, place, *last));
  std::optional<IndexedTree> before;
  if (last) before = TRY(indexed_root(realm.nodes(), *last));
  ImportNodes nodes(realm.nodes(),
                    options.dry_run ? ImportNodes::Keep::kNothing : ImportNodes::Keep::kInStore);
  Importer importer(realm, absolute, nodes, options.kernel, progress);
  const auto [top, index] = TRY(importer.run(std::move(before), options.threads));
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
  if (last) request.last = last->root;
  const RehearsedFiles rehearsed(nodes, top.key, [&](const std::string& path, NodeSink& sink) {
    return importer.read_again(path, sink);
  });
  if (options.dry_run) request.nodes = &rehearsed;
  if (request.message.empty()) {
    request.message = fmt::format("import {}", shown(source.string(), 1000));
  }
  auto done = TRY(commit_import(realm, request));
  result.commit = std::move(done.commit);
  result.changes = std::move(done.changes);
  const ImportRecord record{absolute.string(), top.key, index.key};
  if (!options.dry_run && record != last) TRY(save_import(realm, place, record));
  return result;
}

}  // namespace cairn
