#include "exposure/client/transfer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/os/new_directory.h"
#include "base/quote.h"
#include "data/cas/node_key.h"
#include "exposure/client/pages.h"
#include "exposure/client/tree_writer.h"
#include "tools/executor/engine.h"

namespace cairn::client {
std::string join(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

Result<void> walk_stored(Client& client, const std::string& node, const std::string& base,
                         const VisitStored& visit) {
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
    TRY(for_each(client, "fs_ls", std::move(arguments), "children",
                 [&](const json::Object& row) -> Result<More> {
                   Arguments child(row);
                   // Names become paths of this machine: a server is not believed to give good
                   // ones.
                   TRY(check_name(child.text("name")));
                   const auto path = join(directory, child.text("name"));
                   const bool is_dir = child.text("type") == "dir";
                   TRY(visit(path, {is_dir ? EntryKind::kDirectory : EntryKind::kFile,
                                    std::string(child.text("key")),
                                    static_cast<std::uint64_t>(child.number("size"))}));
                   if (is_dir) open.push_back(path);
                   return More::kYes;
                 }));
  }
  return {};
}

Result<std::string> pin(Client& client, const Tree& tree) {
  if (tree.kind == TreeKind::kNode) return tree.key;
  auto depot = TRY(client.call("get_depot", {{"depotId", tree.key}}));
  if (auto root = Arguments(depot.as_object()).maybe_text("root")) return std::string(*root);
  return fail(Code::kPathNotFound, "what {} shows is gone", shown(tree.key));
}

namespace {

class Importer final {
 public:
  Importer(Client& client, std::string begin, std::filesystem::path source, Progress& progress)
      : client_(client),
        begin_(std::move(begin)),
        source_(std::move(source)),
        progress_(progress),
        writer_(client, begin_) {}

  // The root of the tree as the directory has it.
  Result<std::string> run() {
    local_ = TRY(scan(source_));
    TRY(walk_stored(client_, begin_, "", [&](const std::string& path, const StoredEntry& entry) {
      stored_.emplace(path, entry);
      return Result<void>();
    }));
    TRY(remove_others());
    TRY(make_empty_directories());
    for (const auto& [path, kind] : local_.entries) {
      if (kind == EntryKind::kFile) TRY(send(path));
    }
    return writer_.finish();
  }
  std::vector<std::string> take_skipped() { return std::move(local_.skipped); }
  std::uint64_t unchanged() const { return unchanged_; }

 private:
  // Removes what the directory does not have, or has as something else. A directory goes as a
  // whole.
  Result<void> remove_others() {
    for (const auto& [path, entry] : stored_) {
      const auto here = local_.entries.find(path);
      if (here != local_.entries.end() && here->second == entry.kind) continue;
      TRY(writer_.remove(path, entry.kind == EntryKind::kDirectory));
    }
    return {};
  }

  // Directories with files in them come with the files.
  Result<void> make_empty_directories() {
    for (const auto& [path, kind] : local_.entries) {
      if (kind != EntryKind::kDirectory || has_children(path)) continue;
      const auto known = stored_.find(path);
      if (known != stored_.end() && known->second.kind == EntryKind::kDirectory) continue;
      TRY(writer_.make_directory(path));
    }
    return {};
  }

  bool has_children(const std::string& directory) const {
    const auto next = local_.entries.lower_bound(directory + "/");
    return next != local_.entries.end() && next->first.starts_with(directory + "/");
  }

  Result<void> send(const std::string& path) {
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
    writer_.keep(TRY(writer_.write(path, [&](std::span<char> room) -> Result<std::size_t> {
      const auto filled = TRY(source(room));
      progress_.bytes += filled;
      return filled;
    })));
    return {};
  }

  Client& client_;
  std::string begin_;
  std::filesystem::path source_;
  Progress& progress_;
  TreeWriter writer_;
  LocalTree local_;
  std::map<std::string, StoredEntry> stored_;
  std::uint64_t unchanged_ = 0;
};

// With all that an import of a directory knows: several threads, and what the last one saw.
Result<Imported> import_here(Engine& engine, const Tree& tree, const std::filesystem::path& source,
                             const std::string& message, Progress& progress) {
  auto done = TRY(engine.import_from(source, TRY(DepotId::parse(tree.key)), message, progress));
  return Imported{.root = done.commit.root.render(),
                  .changed = done.commit.changed,
                  .merged = done.commit.merged,
                  .files = done.files,
                  .bytes = done.bytes,
                  .unchanged = done.unchanged,
                  .skipped = std::move(done.skipped)};
}

Result<void> commit(Client& client, const Tree& tree, const std::string& begin,
                    const std::string& message, Imported& out) {
  const auto answer = TRY(client.call(
      "depot_commit",
      {{"depotId", tree.key}, {"root", out.root}, {"expectedRoot", begin}, {"message", message}}));
  Arguments committed(answer.as_object());
  out.root = committed.text("root");
  out.merged = committed.flag("merged");
  return {};
}

Result<ExportResult> export_here(Engine& engine, Client& client, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress) {
  const auto answer = TRY(client.call("fs_stat", from.arguments()));
  const auto key = TRY(NodeKey::parse(Arguments(answer.as_object()).text("key")));
  return engine.export_to(target, key, progress);
}

}  // namespace

Result<Tree> import_target(Client& client, const std::string& where) {
  if (where.empty()) return fail(Code::kInvalidArgument, "no depot is named");
  if (auto known = TRY(find_tree(client, where))) return *known;
  const auto depot = TRY(client.call("create_depot", {{"title", where}}));
  return Tree{std::string(Arguments(depot.as_object()).text("depotId")), TreeKind::kDepot};
}

Result<Imported> import_tree(Client& client, const Tree& tree, const std::filesystem::path& source,
                             const std::string& message, Progress& progress) {
  if (client.engine() != nullptr && tree.kind == TreeKind::kDepot) {
    return import_here(*client.engine(), tree, source, message, progress);
  }
  const auto begin = TRY(pin(client, tree));
  Importer importer(client, begin, source, progress);
  Imported out;
  out.root = TRY(importer.run());
  out.changed = out.root != begin;
  out.files = progress.files;
  out.bytes = progress.bytes;
  out.unchanged = importer.unchanged();
  out.skipped = importer.take_skipped();
  if (tree.kind == TreeKind::kNode || !out.changed) return out;
  TRY(commit(client, tree, begin,
             message.empty() ? "import " + shown(source.string(), 1000) : message, out));
  return out;
}

Result<ExportResult> export_tree(Client& client, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress) {
  if (client.engine() != nullptr) {
    return export_here(*client.engine(), client, from, target, progress);
  }
  const auto node = TRY(pin(client, from.tree));
  auto directory = TRY(os::NewDirectory::make(target));
  ExportResult out;
  TRY(walk_stored(client, node, from.path,
                  [&](const std::string& path, const StoredEntry& entry) -> Result<void> {
                    if (entry.kind == EntryKind::kDirectory) return directory.add_directory(path);
                    TRY(directory.add_file(path, [&](const Client::Sink& sink) {
                      return client.read_file(node, join(from.path, path), sink);
                    }));
                    out.files += 1;
                    out.bytes += entry.size;
                    progress.files += 1;
                    progress.bytes += entry.size;
                    return {};
                  }));
  return out;
}

}  // namespace cairn::client
