#include "exposure/sandbox/changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/os/new_directory.h"
#include "base/os/os_error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/text/unified_diff.h"
#include "exposure/client/tree_writer.h"
#include "tools/executor/arguments.h"

namespace cairn::sandbox {
namespace {

constexpr std::uint64_t kMaxCompared = 1 << 20;
constexpr std::uint64_t kMaxJson = 16 << 20;

using Kind = SandboxChange::Kind;

struct FileState {
  std::uint64_t size = 0;
  unsigned mode = 0;
};

Result<FileState> state_of(const std::filesystem::path& file) {
  const auto stat = TRY(os::checked(os::stat_name(AT_FDCWD, file), "look at", file));
  return FileState{stat.stx_size, stat.stx_mode & 07777U};
}

unsigned mode_of_new_files() {
  const auto mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~static_cast<unsigned>(mask);
}

Result<Bytes> read_local(const std::filesystem::path& file) {
  auto source = TRY(client::open_source(file));
  Bytes out;
  Bytes room(256 * 1024, '\0');
  while (const auto filled = TRY(source(room))) out.append(room, 0, filled);
  return out;
}

Result<Bytes> read_stored(Client& client, const SandboxTree& tree, const std::string& full) {
  Bytes out;
  TRY(client.read_file(tree.root, full, [&](ByteView portion) -> Result<void> {
    out += portion;
    return {};
  }));
  return out;
}

// Keys tell most; the same bytes under another content type have another one.
Result<bool> same_bytes(Client& client, const SandboxTree& tree, const std::string& path,
                        const client::StoredEntry& entry) {
  const auto file = tree.directory / path;
  if (TRY(client::key_of(file)) == entry.key) return true;
  auto source = TRY(client::open_source(file));
  bool same = true;
  Bytes room;
  TRY(client.read_file(tree.root, tree.full(path), [&](ByteView portion) -> Result<void> {
    while (same && !portion.empty()) {
      room.resize(portion.size());
      const auto filled = TRY(source(room));
      same = filled > 0 && portion.starts_with(ByteView(room).substr(0, filled));
      if (same) portion.remove_prefix(filled);
    }
    return {};
  }));
  return same;
}

class Finder final {
 public:
  Finder(Client& client, const SandboxTree& tree) : client_(client), tree_(tree) {}

  Result<SandboxChanges> run() {
    auto local = TRY(client::scan(tree_.directory));
    const auto prefix = tree_.directory.string() + "/";
    for (auto& line : local.skipped) {
      out_.not_kept.push_back(line.starts_with(prefix) ? line.substr(prefix.size()) : line);
    }
    for (const auto& [path, entry] : tree_.stored) {
      const auto now = local.entries.find(path);
      if (now == local.entries.end() || now->second != entry.kind) {
        add(Kind::kRemoved, entry.kind, path, entry.size, 0);
      }
    }
    for (const auto& [path, kind] : local.entries) TRY(look_at(path, kind));
    // A file that took a directory's place comes after what was there.
    std::ranges::sort(out_.list, [](const SandboxChange& a, const SandboxChange& b) {
      return a.path != b.path ? a.path < b.path : a.kind > b.kind;
    });
    return std::move(out_);
  }

 private:
  void add(Kind kind, EntryKind entry, const std::string& path, std::uint64_t before,
           std::uint64_t after) {
    out_.list.push_back({kind, entry, tree_.full(path), before, after});
  }

  Result<void> look_at(const std::string& path, EntryKind kind) {
    const auto known = tree_.stored.find(path);
    const bool is_new = known == tree_.stored.end() || known->second.kind != kind;
    if (kind == EntryKind::kDirectory) {
      if (is_new) add(Kind::kAdded, kind, path, 0, 0);
      return {};
    }
    const auto state = TRY(state_of(tree_.directory / path));
    if (is_new) {
      add(Kind::kAdded, kind, path, 0, state.size);
      return {};
    }
    const auto& entry = known->second;
    const bool differs = state.size != entry.size || !TRY(same_bytes(client_, tree_, path, entry));
    if (differs) {
      add(Kind::kModified, kind, path, entry.size, state.size);
    } else if (state.mode != usual_mode_) {
      out_.not_kept.push_back(path + ": only its mode changed, and modes are not kept");
    }
    return {};
  }

  Client& client_;
  const SandboxTree& tree_;
  unsigned usual_mode_ = mode_of_new_files();
  SandboxChanges out_;
};

std::filesystem::path local_path(const SandboxTree& tree, const SandboxChange& change) {
  const auto skip = tree.path.empty() ? 0 : tree.path.size() + 1;
  return tree.directory / change.path.substr(skip);
}

// Into the tree, in the order of the list.
Result<void> remove_what_went(client::TreeWriter& writer, const SandboxChanges& changes) {
  for (const auto& change : changes.list) {
    if (change.kind != Kind::kRemoved) continue;
    TRY(writer.remove(change.path, change.entry == EntryKind::kDirectory));
  }
  return {};
}

Result<void> make_empty_directories(client::TreeWriter& writer, const SandboxTree& tree,
                                    const SandboxChanges& changes) {
  for (const auto& change : changes.list) {
    if (change.kind != Kind::kAdded || change.entry != EntryKind::kDirectory) continue;
    std::error_code error;
    // Others come with what is in them.
    if (!std::filesystem::is_empty(local_path(tree, change), error)) continue;
    TRY(writer.make_directory(change.path));
  }
  return {};
}

}  // namespace

std::string_view name(SandboxChange::Kind kind) {
  switch (kind) {
    case Kind::kAdded:
      return "added";
    case Kind::kModified:
      return "modified";
    case Kind::kRemoved:
      return "removed";
  }
  return "";
}

Result<void> check_out(Client& client, SandboxTree& tree) {
  TRY(check_room(tree.directory, TRY(amount_of(client, tree.root, tree.path))));
  const auto directory = TRY(os::NewDirectory::make(tree.directory));
  return walk_stored(
      client, tree.root, tree.path,
      [&](const std::string& path, const client::StoredEntry& entry) -> Result<void> {
        tree.stored.emplace(path, entry);
        if (entry.kind == EntryKind::kDirectory) return directory.add_directory(path);
        return directory.add_file(path, [&](const Client::Sink& sink) {
          return client.read_file(tree.root, tree.full(path), sink);
        });
      });
}

Result<SandboxChanges> find_changes(Client& client, const SandboxTree& tree) {
  return Finder(client, tree).run();
}

Result<std::vector<std::string>> find_broken_json(Client& client, const SandboxTree& tree,
                                                  const SandboxChanges& changes) {
  std::vector<std::string> out;
  for (const auto& change : changes.list) {
    if (change.kind == Kind::kRemoved || change.entry != EntryKind::kFile) continue;
    if (!is_json_name(change.path)) continue;
    if (change.after > kMaxJson || change.before > kMaxJson) {
      out.push_back(
          fmt::format("'{}' is too large to see whether it is JSON; the rules may say "
                      "\"json\": false",
                      shown(change.path)));
      continue;
    }
    std::optional<Bytes> before;
    if (change.kind == Kind::kModified) before = TRY(read_stored(client, tree, change.path));
    const auto after = TRY(read_local(local_path(tree, change)));
    if (auto line = broken_json(change.path, before, after)) out.push_back(std::move(*line));
  }
  return out;
}

Result<std::optional<std::string>> unified(Client& client, const SandboxTree& tree,
                                           const SandboxChange& change) {
  if (change.entry != EntryKind::kFile) return std::nullopt;
  if (change.before > kMaxCompared || change.after > kMaxCompared) return std::nullopt;
  Bytes before;
  Bytes after;
  if (change.kind != Kind::kAdded) before = TRY(read_stored(client, tree, change.path));
  if (change.kind != Kind::kRemoved) after = TRY(read_local(local_path(tree, change)));
  for (const auto& side : {before, after}) {
    if (!valid_utf8(side) || side.find('\0') != Bytes::npos) return std::nullopt;
  }
  return unified_diff(
      before, after,
      {.old_name = change.kind == Kind::kAdded ? "/dev/null" : "a/" + change.path,
       .new_name = change.kind == Kind::kRemoved ? "/dev/null" : "b/" + change.path});
}

Result<std::string> apply_changes(Client& client, const SandboxTree& tree,
                                  const SandboxChanges& changes) {
  client::TreeWriter writer(client, tree.root);
  TRY(remove_what_went(writer, changes));
  TRY(make_empty_directories(writer, tree, changes));
  for (const auto& change : changes.list) {
    if (change.kind == Kind::kRemoved || change.entry != EntryKind::kFile) continue;
    const auto source = TRY(client::open_source(local_path(tree, change)));
    writer.keep(TRY(writer.write(change.path, source)));
  }
  return writer.finish();
}

}  // namespace cairn::sandbox
