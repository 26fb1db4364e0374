#include "exposure/mirror/depot.h"

#include <cstdint>
#include <utility>

#include "base/quote.h"
#include "exposure/client/pages.h"
#include "exposure/client/transfer.h"
#include "tools/executor/arguments.h"

namespace cairn::mirror {
namespace {

json::Object at(const std::string& root, const std::string& path) {
  json::Object out{{"nodeKey", root}};
  if (!path.empty()) out["path"] = path;
  return out;
}

// Copies the entries below a directory from one map into another.
template <typename T>
void copy_below(const ByPath<T>& from, const std::string& path, ByPath<T>& to) {
  if (path.empty()) {
    to = from;
    return;
  }
  to.insert(from.lower_bound(path + "/"), from.lower_bound(path + "0"));
}

}  // namespace

std::string MirrorDepot::full(const std::string& path) const {
  return path.empty() ? place_ : client::join(place_, path);
}

Result<std::string> MirrorDepot::root(Client& client) const {
  return pin(client, {depot_, client::TreeKind::kDepot});
}

Result<std::string> MirrorDepot::key_of_place(Client& client, const std::string& root) const {
  const auto found = client.call("fs_stat", at(root, place_));
  if (!found && found.error().code == Code::kPathNotFound) return std::string();
  const auto answer = TRY(found);
  Arguments stat(answer.as_object());
  if (stat.text("type") == "dir") return std::string(stat.text("key"));
  return fail(Code::kNotADirectory, "'{}' is a file in the depot; name the directory it is in",
              shown(place_));
}

Result<void> MirrorDepot::check_count(Client& client, const std::string& root) const {
  const auto amount = client::amount_of(client, root, place_);
  // A place that is not there is one without files.
  if (!amount && amount.error().code == Code::kPathNotFound) return {};
  const auto files = TRY(amount).files;
  const auto most = client::RoomLimits().max_files;
  if (files <= most) return {};
  return fail(Code::kStorageFull, "there are {} files, and a mirror takes {} at most", files, most);
}

Result<MirrorTree> MirrorDepot::list(Client& client, const std::string& root) {
  Listing now;
  if (const auto key = TRY(key_of_place(client, root)); !key.empty()) {
    TRY(list_below(client, root, "", key, now));
  }
  known_ = std::move(now);
  return known_.tree;
}

// Keys say whether anything changed below.
bool MirrorDepot::take_known(const std::string& path, const std::string& key, Listing& out) const {
  const auto known = known_.directories.find(path);
  if (known == known_.directories.end() || known->second != key) return false;
  copy_below(known_.tree.entries, path, out.tree.entries);
  copy_below(known_.tree.left_out, path, out.tree.left_out);
  copy_below(known_.directories, path, out.directories);
  return true;
}

Result<void> MirrorDepot::list_below(Client& client, const std::string& root,
                                     const std::string& path, const std::string& key,
                                     Listing& out) const {
  const bool known = take_known(path, key, out);
  out.directories.insert_or_assign(path, key);
  if (known) return {};
  std::vector<std::pair<std::string, std::string>> directories;
  auto arguments = at(root, full(path));
  arguments["limit"] = 1000;
  TRY(for_each(client, "fs_ls", std::move(arguments), "children",
               [&](const json::Object& row) -> Result<client::More> {
                 Arguments child(row);
                 const std::string name(child.text("name"));
                 const auto below = client::join(path, name);
                 auto why = filter_.why_not(below);
                 // Names become paths of this machine: a server is not believed to give good ones.
                 if (!why) {
                   if (auto bad = why_no_entry(below, name); !bad.empty()) why = std::move(bad);
                 }
                 if (why) {
                   out.tree.left_out.emplace(below, std::move(*why));
                 } else if (child.text("type") == "dir") {
                   out.tree.entries.emplace(below, MirrorEntry{EntryKind::kDirectory});
                   directories.emplace_back(below, child.text("key"));
                 } else {
                   out.tree.entries.emplace(
                       below, MirrorEntry{EntryKind::kFile, std::string(child.text("key")),
                                          static_cast<std::uint64_t>(child.number("size"))});
                 }
                 return client::More::kYes;
               }));
  for (const auto& [below, its_key] : directories) {
    TRY(list_below(client, root, below, its_key, out));
  }
  return {};
}

Result<void> MirrorDepot::read(Client& client, const std::string& root, const std::string& path,
                               const Client::Sink& sink) const {
  return client.read_file(root, full(path), sink);
}

Result<std::string> MirrorDepot::key_at(Client& client, const std::string& root,
                                        const std::string& path) const {
  const auto found = client.call("fs_stat", at(root, full(path)));
  if (!found) {
    const auto code = found.error().code;
    const bool gone = code == Code::kPathNotFound || code == Code::kNodeNotFound ||
                      code == Code::kNodeNotAuthorized || code == Code::kNotADirectory;
    if (gone) return std::string();
    return Failure(found.error());
  }
  return std::string(Arguments(found->as_object()).text("key"));
}

Result<MirrorDepot::Committed> MirrorDepot::commit(Client& client, const std::string& base,
                                                   const std::string& root,
                                                   const std::string& message) const {
  const auto answer = TRY(client.call(
      "depot_commit",
      {{"depotId", depot_}, {"root", root}, {"expectedRoot", base}, {"message", message}}));
  Arguments done(answer.as_object());
  return Committed{std::string(done.text("root")), done.flag("merged")};
}

}  // namespace cairn::mirror
