#include "exposure/mirror/state.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/base32.h"
#include "base/explain.h"
#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "data/cas/node_key.h"
#include "data/tree/path.h"

namespace cairn::mirror {
namespace {

constexpr std::int64_t kVersion = 1;
// Of a million files it is a hundred million.
constexpr std::size_t kMaxStateBytes = std::size_t{4} << 30;

Failure damaged(std::string_view why) {
  return fail(
      Code::kInvalidArgument,
      "this is not the state of a mirror: {}; without it the two sides are compared afresh: "
      "nothing is deleted, and what differs is a conflict",
      why);
}

std::filesystem::path state_home() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // The standard says that a relative one is to be ignored.
  if (state != nullptr && state[0] == '/') return state;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr || home[0] == '\0' ? "." : home) / ".local/state";
}

json::Value render(const MirrorAgreed& agreed) {
  if (agreed.kind == EntryKind::kDirectory) return "dir";
  if (agreed.directory_key == agreed.depot_key) return json::Value(agreed.depot_key);
  return json::Array{agreed.directory_key, agreed.depot_key};
}

// Numbers are signed, as JSON's are.
json::Array render(const SeenFile& file) {
  const auto& at = file.stamp;
  return json::Array{file.key, static_cast<std::int64_t>(at.size), at.modified, at.changed,
                     static_cast<std::int64_t>(at.inode)};
}

Result<std::string> key_in(const json::Value& value) {
  const auto text = json::text(value);
  if (!NodeKey::parse(text)) return damaged("a key is none");
  return std::string(text);
}

Result<MirrorAgreed> parse_agreed(const json::Value& value) {
  if (json::text(value) == "dir") return MirrorAgreed{.kind = EntryKind::kDirectory};
  if (!value.is_array()) {
    const auto key = TRY(key_in(value));
    return MirrorAgreed{EntryKind::kFile, key, key};
  }
  const auto& keys = value.get_array();
  if (keys.size() != 2) return damaged("an entry has not two keys");
  return MirrorAgreed{EntryKind::kFile, TRY(key_in(keys[0])), TRY(key_in(keys[1]))};
}

Result<SeenFile> parse_seen(const json::Value& value) {
  const auto* list = value.if_array();
  if (list == nullptr || list->size() != 5) return damaged("a file has not five values");
  for (std::size_t i = 1; i < list->size(); ++i) {
    if (!(*list)[i].is_int64()) return damaged("a size or time is no number");
  }
  const auto number = [&](std::size_t i) { return (*list)[i].get_int64(); };
  return SeenFile{TRY(key_in((*list)[0])),
                  {.size = static_cast<std::uint64_t>(number(1)),
                   .modified = number(2),
                   .changed = number(3),
                   .inode = static_cast<std::uint64_t>(number(4))}};
}

Result<const json::Object*> object_in(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  const auto* found = value == nullptr ? nullptr : value->if_object();
  if (found == nullptr) return damaged(fmt::format("'{}' is missing", name));
  return found;
}

Result<void> check_path(std::string_view path) {
  const auto parsed = Path::parse(path);
  if (!parsed || parsed->is_root()) return damaged("a path is none");
  return {};
}

std::string_view member(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value == nullptr ? std::string_view() : json::text(*value);
}

}  // namespace

std::filesystem::path MirrorIdentity::state_file() const {
  Bytes text;
  // Each with its length: no two mirrors have one text.
  for (const auto& part : {directory, store, depot, place}) {
    text += fmt::format("{}:{}", part.size(), part);
  }
  const auto digest = sha256(text);
  // Half of the hash is plenty for the few mirrors of one user.
  const ByteView bytes(reinterpret_cast<const char*>(digest.data()), 16);
  return state_home() / "cairn/mirrors" / (base32_encode(bytes) + ".json");
}

std::string MirrorState::render(const MirrorIdentity& identity) const {
  json::Object out{{"version", kVersion},
                   {"directory", shown(identity.directory, 10'000)},
                   {"store", shown(identity.store, 10'000)},
                   {"depot", identity.depot},
                   {"place", identity.place},
                   {"root", root}};
  json::Object entries;
  entries.reserve(agreed.size());
  for (const auto& [path, entry] : agreed) entries.emplace(path, mirror::render(entry));
  out["agreed"] = std::move(entries);
  json::Object files;
  files.reserve(seen.size());
  for (const auto& [path, file] : seen) {
    files.emplace(path, mirror::render(file));
  }
  out["seen"] = std::move(files);
  return json::write(out);
}

Result<MirrorState> MirrorState::parse(std::string_view text, const MirrorIdentity& identity) {
  const auto value = json::parse(text);
  if (!value) return damaged(value.error().message);
  const auto* object = value->if_object();
  if (object == nullptr) return damaged("it is no object");
  const auto* version = json::find(*object, "version");
  if (version == nullptr || !version->is_int64()) return damaged("it has no version");
  if (version->get_int64() != kVersion) {
    return damaged(fmt::format("it has version {}, and this program writes version {}",
                               version->get_int64(), kVersion));
  }
  // Compared as it was written: shown() replaces bytes that are not UTF-8.
  const bool ours = member(*object, "directory") == shown(identity.directory, 10'000) &&
                    member(*object, "store") == shown(identity.store, 10'000) &&
                    member(*object, "depot") == identity.depot &&
                    member(*object, "place") == identity.place;
  if (!ours) {
    return damaged(fmt::format("it is that of '{}' and {} in '{}'",
                               shown(member(*object, "directory")), shown(member(*object, "depot")),
                               shown(member(*object, "store"))));
  }
  MirrorState out{.root = std::string(member(*object, "root")), .agreed = {}, .seen = {}};
  for (const auto& entry : *TRY(object_in(*object, "agreed"))) {
    TRY(check_path(entry.key()));
    out.agreed.emplace(entry.key(), TRY(parse_agreed(entry.value())));
  }
  for (const auto& entry : *TRY(object_in(*object, "seen"))) {
    TRY(check_path(entry.key()));
    out.seen.emplace(entry.key(), TRY(parse_seen(entry.value())));
  }
  return out;
}

Result<MirrorStateFile> MirrorStateFile::open(const std::filesystem::path& path,
                                              const MirrorIdentity& identity, Use use,
                                              const os::Kernel& kernel) {
  if (use == Use::kRead) return MirrorStateFile(path, identity, os::Handle(), kernel);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return os::io_error("create the directory of", path, error.value());
  // A file of its own: the state file is replaced with every save, and a lock on it would go with
  // the old one.
  const auto lock_path = path.string() + ".lock";
  auto lock = TRY(os::checked(os::open_name(AT_FDCWD, lock_path, O_RDWR | O_CREAT, 0600, kernel),
                              "open", lock_path));
  if (!os::try_lock(lock.fd(), kernel)) {
    return fail(Code::kStoreLocked,
                "another 'cairn mirror' keeps this directory and this depot in step; end it first, "
                "or let it do the work");
  }
  return MirrorStateFile(path, identity, std::move(lock), kernel);
}

Result<std::optional<MirrorState>> MirrorStateFile::load() const {
  auto read = os::read_file(path_, kMaxStateBytes, kernel_);
  // Only when it is known to be missing: a directory that cannot be read is an error.
  if (!read && read.error() == ENOENT) return std::nullopt;
  const auto text = TRY(os::checked(std::move(read), "read", path_));
  auto state = MirrorState::parse(text, identity_);
  if (state) return std::move(*state);
  return Failure(
      explained(std::move(state).error(), fmt::format("'{}'", shown(path_.string(), 1000))));
}

// The lock is ours, so nobody else replaces it.
Result<void> MirrorStateFile::save(const MirrorState& state) const {
  return os::replace_file(path_, state.render(identity_), 0600, kernel_);
}

}  // namespace cairn::mirror
