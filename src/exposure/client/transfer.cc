#include "exposure/client/transfer.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/os/new_directory.h"
#include "base/os/os_error.h"
#include "base/quote.h"
#include "data/cas/node_key.h"
#include "exposure/client/pages.h"
#include "exposure/client/tree_writer.h"
#include "tools/engine/engine.h"

namespace cairn::client {
std::string join(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

Result<void> walk_stored(Client& client, const std::string& node, const std::string& base,
                         const VisitStored& visit, const CannotList& cannot_list) {
  std::vector<std::string> open{""};
  while (!open.empty()) {
    const auto directory = std::move(open.back());
    open.pop_back();
    json::Object arguments{{"nodeKey", node}, {"limit", 1000}};
    if (auto path = directory.empty() ? base
                    : base.empty()    ? directory
                                      : base + "/" + directory;
        !path.empty()) {
      arguments["path"] = path;
    }
    bool ours = false;
    auto listed = for_each(client, "fs_ls", std::move(arguments), "children",
                           [&](const json::Object& row) -> Result<More> {
                             ours = true;
                             Arguments child(row);
                             // Names become paths of this machine: a server is not believed to give
                             // good ones.
                             TRY(check_name(child.text("name")));
                             const auto path = join(directory, child.text("name"));
                             const bool is_dir = child.text("type") == "dir";
                             TRY(visit(path, {is_dir ? EntryKind::kDirectory : EntryKind::kFile,
                                              std::string(child.text("key")),
                                              static_cast<std::uint64_t>(child.number("size"))}));
                             if (is_dir) open.push_back(path);
                             ours = false;
                             return More::kYes;
                           });
    if (!listed && !ours && cannot_list) {
      TRY(cannot_list(directory, listed.error()));
    } else {
      TRY(std::move(listed));
    }
  }
  return {};
}

Result<std::string> pin(Client& client, const Tree& tree) {
  if (tree.kind == TreeKind::kNode) return tree.key;
  if (tree.key.contains('@')) {  // a version of it, which is not a depot
    const auto then = TRY(client.call("fs_stat", {{"nodeKey", tree.key}}));
    return std::string(Arguments(then.as_object()).text("key"));
  }
  auto depot = TRY(client.call("get_depot", {{"depotId", tree.key}}));
  if (auto root = Arguments(depot.as_object()).maybe_text("root")) return std::string(*root);
  return fail(Code::kPathNotFound, "what {} shows is gone", shown(tree.key));
}

namespace {

// Makes a tree that has the directory at a path, over the tools.
class Importer final {
 public:
  Importer(Client& client, std::string begin, std::string path, std::filesystem::path source,
           Progress& progress)
      : client_(client),
        begin_(std::move(begin)),
        path_(std::move(path)),
        source_(std::move(source)),
        progress_(progress),
        writer_(client, begin_) {}

  // The root of that tree.
  Result<std::string> run() {
    local_ = TRY(scan(source_));
    auto walked =
        walk_stored(client_, begin_, path_, [&](const std::string& path, const StoredEntry& entry) {
          stored_.emplace(path, entry);
          return progress_.go_on();
        });
    const bool is_new = !walked && walked.error().code == Code::kPathNotFound && !path_.empty();
    if (!is_new) TRY(std::move(walked));
    TRY(remove_others());
    if (is_new && local_.entries.empty()) TRY(writer_.make_directory(path_));
    TRY(make_empty_directories());
    for (const auto& [path, kind] : local_.entries) {
      if (kind == EntryKind::kFile) TRY(send(path));
    }
    return writer_.finish();
  }
  std::vector<std::string> take_skipped() { return std::move(local_.skipped); }
  std::uint64_t unchanged() const { return unchanged_; }

 private:
  std::string at(const std::string& path) const { return join(path_, path); }

  // Removes what the directory does not have, or has as something else. A directory goes as a
  // whole.
  Result<void> remove_others() {
    for (const auto& [path, entry] : stored_) {
      const auto here = local_.entries.find(path);
      if (here != local_.entries.end() && here->second == entry.kind) continue;
      TRY(writer_.remove(at(path), entry.kind == EntryKind::kDirectory));
    }
    return {};
  }

  // Directories with files in them come with the files.
  Result<void> make_empty_directories() {
    for (const auto& [path, kind] : local_.entries) {
      if (kind != EntryKind::kDirectory || has_children(path)) continue;
      const auto known = stored_.find(path);
      if (known != stored_.end() && known->second.kind == EntryKind::kDirectory) continue;
      TRY(writer_.make_directory(at(path)));
    }
    return {};
  }

  bool has_children(const std::string& directory) const {
    const auto next = local_.entries.lower_bound(directory + "/");
    return next != local_.entries.end() && next->first.starts_with(directory + "/");
  }

  Result<void> send(const std::string& path) {
    TRY(progress_.go_on());
    const auto file = source_ / path;
    const auto known = stored_.find(path);
    const bool same = known != stored_.end() && known->second.kind == EntryKind::kFile &&
                      TRY(key_of(file)) == known->second.key;
    progress_.files += 1;
    if (same) {
      unchanged_ += 1;
      progress_.bytes += known->second.size;
      return {};
    }
    auto source = TRY(open_source(file));
    writer_.keep(TRY(writer_.write(at(path), [&](std::span<char> room) -> Result<std::size_t> {
      TRY(progress_.go_on());
      const auto filled = TRY(source(room));
      progress_.bytes += filled;
      return filled;
    })));
    return {};
  }

  Client& client_;
  std::string begin_;
  std::string path_;
  std::filesystem::path source_;
  Progress& progress_;
  TreeWriter writer_;
  LocalTree local_;
  std::map<std::string, StoredEntry> stored_;
  std::uint64_t unchanged_ = 0;
};

// With all that an import of a directory knows: several threads, and what the last one saw.
Result<Imported> import_here(Engine& engine, const Tree& tree, const std::string& path,
                             const std::filesystem::path& source, const ImportHow& how,
                             Progress& progress) {
  ImportOptions options;
  options.message = how.message;
  options.path = TRY(Path::parse(path));
  options.remove_others = how.remove_others;
  options.overwrite = how.overwrite;
  options.dry_run = how.dry_run;
  auto done =
      TRY(engine.import_from(source, TRY(DepotId::parse(tree.key)), std::move(options), progress));
  return Imported{.root = done.commit.root.render(),
                  .changed = done.commit.changed,
                  .merged = done.commit.merged,
                  .files = done.files,
                  .bytes = done.bytes,
                  .unchanged = done.unchanged,
                  .skipped = std::move(done.skipped),
                  .changes = std::move(done.changes)};
}

PathList list_of(const json::Object& answer, std::string_view name) {
  const auto& object = object_of(answer, name);
  PathList out{.files = static_cast<std::uint64_t>(Arguments(object).number("files")), .paths = {}};
  for (const auto& path : rows_of(object, "paths")) out.paths.emplace_back(json::text(path));
  return out;
}

// The same directory has the same name at its next import. One of the store's own machine is known
// there by its path alone.
Result<std::string> name_of(const Client& client, const std::filesystem::path& source) {
  std::error_code error;
  auto absolute = std::filesystem::canonical(source, error).string();
  if (error) return os::io_error("import", source, error.value());
  if (client.same_machine()) return absolute;
  std::string host(HOST_NAME_MAX + 1, '\0');
  if (::gethostname(host.data(), host.size()) != 0) host = "localhost";
  host.resize(std::min(host.find('\0'), host.size()));
  return shown(host + ":" + absolute, 5000);
}

Result<void> commit(Client& client, const Tree& tree, const std::string& path,
                    const std::filesystem::path& source, const ImportHow& how, Imported& out) {
  json::Object arguments{
      {"depotId", tree.key},
      {"root", out.root},
      {"source", TRY(name_of(client, source))},
      {"message", how.message.empty() ? "import " + shown(source.string(), 1000) : how.message}};
  if (!path.empty()) arguments["path"] = path;
  if (how.remove_others) arguments["removeOthers"] = true;
  if (how.overwrite) arguments["force"] = true;
  if (how.dry_run) arguments["dryRun"] = true;
  const auto answer = TRY(client.call("import_root", arguments));
  const auto& object = answer.as_object();
  Arguments committed(object);
  out.root = committed.text("root");
  out.changed = committed.flag("changed");
  out.merged = committed.flag("merged");
  out.changes = {.added = list_of(object, "added"),
                 .changed = list_of(object, "updated"),
                 .removed = list_of(object, "removed"),
                 .kept = list_of(object, "kept"),
                 .absent = list_of(object, "absent"),
                 .overwritten = list_of(object, "overwritten"),
                 .conflicts = list_of(object, "conflicts")};
  return {};
}

Result<Imported> import_there(Client& client, const Tree& tree, const std::string& path,
                              const std::filesystem::path& source, const ImportHow& how,
                              Progress& progress) {
  const auto begin = TRY(pin(client, tree));
  Importer importer(client, begin, path, source, progress);
  Imported out;
  out.root = TRY(importer.run());
  out.changed = out.root != begin;
  out.files = progress.files;
  out.bytes = progress.bytes;
  out.unchanged = importer.unchanged();
  out.skipped = importer.take_skipped();
  // Also when nothing is to be done: what the directory has is remembered.
  if (tree.kind == TreeKind::kDepot) TRY(commit(client, tree, path, source, how, out));
  return out;
}

// What an import into a depot that is not there would do.
Result<Imported> import_nowhere(const std::filesystem::path& source) {
  auto local = TRY(scan(source));
  Imported out;
  out.changed = true;
  out.skipped = std::move(local.skipped);
  for (const auto& [path, kind] : local.entries) {
    if (kind != EntryKind::kFile) continue;
    out.files += 1;
    out.changes.added.files += 1;
    if (out.changes.added.paths.size() < PathList::kMost) out.changes.added.paths.push_back(path);
    std::error_code error;
    const auto size = std::filesystem::file_size(source / path, error);
    out.bytes += error ? 0 : size;
  }
  return out;
}

Result<ExportResult> export_here(Engine& engine, Client& client, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress) {
  const auto answer = TRY(client.call("fs_stat", from.arguments()));
  const auto key = TRY(NodeKey::parse(Arguments(answer.as_object()).text("key")));
  return engine.export_to(target, key, progress);
}

// Whether it is said of something that is stored, and not of the way to it: damage, or a directory
// that is nested too deep to be named.
bool is_damage(const Error& error) {
  return error.code == Code::kCorruptNode || error.code == Code::kNodeNotFound ||
         error.code == Code::kIoError || error.code == Code::kInvalidPath;
}

class RemoteExport final {
 public:
  RemoteExport(Client& client, const std::string& node, const std::string& base,
               const os::NewDirectory& directory, Progress& progress, const Amount& wanted)
      : client_(client),
        node_(node),
        base_(base),
        directory_(directory),
        progress_(progress),
        wanted_(wanted) {}

  Result<ExportResult> run() {
    TRY(walk_stored(
        client_, node_, base_,
        [&](const std::string& path, const StoredEntry& entry) { return add(path, entry); },
        [&](const std::string& path, const Error& error) { return leave_out(path, error); }));
    return std::move(out_);
  }

 private:
  Result<void> leave_out(const std::string& path, const Error& error) {
    if (!is_damage(error) || path.empty()) return Failure(error);
    out_.leave_out(path, error);
    return {};
  }

  Result<void> add(const std::string& path, const StoredEntry& entry) {
    TRY(progress_.go_on());
    if (entry.kind == EntryKind::kDirectory) return directory_.add_directory(path);
    std::optional<Error> unread;  // nothing: what failed is the writing
    auto done = directory_.add_file(path, [&](const Client::Sink& sink) -> Result<void> {
      bool ours = false;
      auto read = client_.read_file(node_, join(base_, path), [&](ByteView portion) {
        progress_.bytes += portion.size();
        auto allowed = go_on();
        auto passed_on = allowed ? sink(portion) : allowed;
        ours = !passed_on;
        return passed_on;
      });
      if (!read && !ours) unread = read.error();
      return read;
    });
    if (unread) return cannot_read(path, *std::move(unread));
    TRY(std::move(done));
    out_.files += 1;
    out_.bytes += entry.size;
    progress_.files += 1;
    return {};
  }

  Result<void> go_on() const {
    TRY(progress_.go_on());
    // The room was for what the server said.
    if (progress_.bytes <= wanted_.bytes && out_.files < wanted_.files) return {};
    return fail(Code::kUnavailable, "the server sends more than it said there is");
  }

  // A server that finds damage in the middle of a file has no other way to say so than to break
  // off; the same happens when it goes away.
  Result<void> cannot_read(const std::string& path, Error error) {
    if (error.code != Code::kUnavailable) return leave_out(path, error);
    if (!client_.call("fs_stat", {{"nodeKey", node_}})) return Failure(std::move(error));
    out_.leave_out(path, error);
    return {};
  }

  Client& client_;
  const std::string& node_;
  const std::string& base_;
  const os::NewDirectory& directory_;
  Progress& progress_;
  const Amount& wanted_;
  ExportResult out_;
};

}  // namespace

Result<ImportTarget> import_target(Client& client, const std::string& where) {
  auto address = Address::parse(where);
  if (address.tree.empty()) return fail(Code::kInvalidArgument, "no depot is named");
  while (address.path.ends_with('/')) address.path.pop_back();
  TRY(Path::parse(address.path));
  return ImportTarget{
      .tree = TRY(find_tree(client, address.tree)), .title = address.tree, .path = address.path};
}

Result<Imported> import_tree(Client& client, ImportTarget& target,
                             const std::filesystem::path& source, const ImportHow& how,
                             Progress& progress) {
  if (!target.tree && how.dry_run) return import_nowhere(source);
  const bool is_new = !target.tree;
  if (is_new) {
    const auto depot = TRY(client.call("create_depot", {{"title", target.title}}));
    target.tree = Tree{std::string(Arguments(depot.as_object()).text("depotId")), TreeKind::kDepot};
  }
  const auto& tree = *target.tree;
  auto* engine = tree.kind == TreeKind::kDepot ? client.engine() : nullptr;
  auto done = engine != nullptr ? import_here(*engine, tree, target.path, source, how, progress)
                                : import_there(client, tree, target.path, source, how, progress);
  // Nothing is left of an import that came to nothing. That it could not be removed is not what
  // went wrong first.
  if (!done && is_new) (void)client.call("delete_depot", {{"depotId", tree.key}});
  return done;
}

Result<Amount> amount_of(Client& client, const std::string& node, const std::string& path) {
  json::Object arguments{{"nodeKey", node}};
  if (!path.empty()) arguments["path"] = path;
  const auto answer = TRY(client.call("fs_stat", arguments));
  const Arguments stat(answer.as_object());
  const bool is_file = stat.text("type") == "file";
  return Amount{.files = is_file ? 1 : static_cast<std::uint64_t>(stat.number("fileCount")),
                .bytes = static_cast<std::uint64_t>(stat.number(is_file ? "size" : "totalBytes"))};
}

Result<ExportResult> export_tree(Client& client, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress,
                                 const RoomLimits& limits) {
  const auto node = TRY(pin(client, from.tree));
  const auto wanted = TRY(amount_of(client, node, from.path));
  TRY(check_room(target, wanted, limits));
  const Resolved pinned{{node, TreeKind::kNode}, from.path};
  if (client.engine() != nullptr) {
    return export_here(*client.engine(), client, pinned, target, progress);
  }
  auto directory = TRY(os::NewDirectory::make(target));
  auto done = RemoteExport(client, node, from.path, directory, progress, wanted).run();
  if (!done) directory.clear();
  return done;
}

}  // namespace cairn::client
