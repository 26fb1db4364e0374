#include "tools/files/fs.h"

#include <algorithm>

#include "base/quote.h"

namespace cairn::fs {

shape::Field node_key() { return {"nodeKey", shape::text("Depot dpt_…[@VERSION] or nod_…", 5000)}; }

shape::Field path(std::string_view description, shape::Need need) {
  return {"path", shape::text(description, Path::kMaxBytes), need};
}

Result<Path> path_of(const Arguments& arguments, std::string_view name) {
  return Path::parse(arguments.text(name));
}

shape::Field if_key() {
  return {"ifKey", shape::text("Only if its key is this now; 'none': if nothing is there", 100),
          shape::kOptional};
}

Result<bool> check_if_key(const Arguments& arguments, const TreeView& tree, const Path& path) {
  const auto wanted = arguments.maybe_text("ifKey");
  if (!wanted) return false;
  const auto now = TRY(find(tree, path));
  bool fits = false;
  if (*wanted == "none") {
    fits = !now;
  } else if (*wanted == "any") {
    fits = now.has_value();
  } else {
    const auto key = TRY(KeyPrefix::parse(*wanted));
    fits = now && key.contains(now->entry.key);
  }
  if (fits) return true;
  Error error(Code::kPreconditionFailed,
              fmt::format("'{}' {} now, and ifKey is {}; nothing was written: read it again, and "
                          "redo your change on what is there",
                          shown(path.render()),
                          now ? fmt::format("has the key {}", now->entry.key.render_short())
                              : "is not there",
                          shown(*wanted)));
  if (now) error.details.insert_or_assign("currentKey", now->entry.key.render());
  return Failure(std::move(error));
}

Result<Opened> open(Call& call, std::string_view node_key) {
  auto target = TRY(call.sight().target(node_key));
  const bool immutable =
      !target.place && !target.version_of && node_key.size() == 4 + NodeKey::kDigits;
  auto tree = TRY(view_tree(call.realm().nodes(), target.root));
  return Opened{std::move(target), std::move(tree), immutable};
}

Result<void> check_writable(const Opened& opened) {
  if (!opened.target.version_of) return {};
  return fail(Code::kInvalidArgument,
              "this is a version of a depot, which does not change; write to the depot itself, or "
              "to the root {} for a tree of your own",
              opened.target.root.render());
}

Result<Opened> open(Call& call, const Arguments& arguments) {
  return open(call, arguments.text("nodeKey"));
}

Result<std::vector<Place>> stood_at(Call& call, const Target& target,
                                    std::span<const Origin> noted) {
  constexpr std::size_t kLooked = 1000;
  std::vector<Place> out;
  if (target.place || target.version_of || call.rights().realm_wide()) return out;
  for (auto& place : TRY(call.sight().places())) {
    const bool known =
        std::ranges::any_of(noted, [&](const Origin& origin) { return origin.place == place; });
    // Of the roots of whole depots all is noted.
    if (known || place.path.is_root()) continue;
    const auto now = call.realm().root_at(place);
    bool stood = now && *now == target.root;
    if (!stood) {
      // A history that cannot be read says nothing of this tree.
      const auto past = call.realm().history_at(place, kLooked, std::nullopt);
      stood = past && std::ranges::any_of(past->entries, [&](const HistoryEntry& entry) {
                return entry.root == target.root;
              });
    }
    if (stood) out.push_back(std::move(place));
  }
  return out;
}

Result<Reply> save(Call& call, const Opened& from, const Stage& stage, const Changed& change,
                   json::Object answer, std::vector<NodeKey> files) {
  TRY(check_writable(from));
  SaveOptions options{.place = from.target.place,
                      .owners = call.session().owners,
                      .also_owned = std::move(files),
                      .author = call.session().answers_for()};
  const auto& root = from.target.root;
  std::vector<Origin> noted;
  if (!from.target.place) noted = TRY(call.realm().origins_of(root));
  const auto places = TRY(stood_at(call, from.target, noted));
  if (places.empty() || !noted.empty()) TRY(call.realm().save(stage, change, root, options));
  // Where its author is at work is not known when there are several.
  if (places.size() + noted.size() > 1) options.author.reset();
  for (const auto& place : places) {
    options.place = place;
    TRY(call.realm().save(stage, change, root, options));
  }
  // The new root comes first: it is what the next call needs.
  json::Object out;
  out["newRoot"] = change.root->key().render();
  for (auto& member : answer) out.emplace(member.key(), std::move(member.value()));
  return Reply(std::move(out));
}

Result<Reply> save_written(Call& call, const Opened& from, const Stage& stage,
                           const WriteResult& written) {
  json::Object file;
  file["path"] = written.path.render();
  file["key"] = written.file.key.render();
  file["size"] = written.file.bytes;
  file["contentType"] = written.file.type;
  json::Object out;
  out["file"] = std::move(file);
  out["created"] = written.created;
  return save(call, from, stage, written, std::move(out), {written.file.key});
}

json::Value written_shape() {
  return shape::object(
      {{"newRoot", shape::text("The tree with the change: use it as nodeKey, commit it")},
       {"file", shape::object({{"path", shape::text()},
                               {"key", shape::text()},
                               {"size", shape::integer()},
                               {"contentType", shape::text()}})},
       {"created", shape::flag("false: it was overwritten")},
       {"merged", shape::flag("Others had changed it since you read it"), shape::kOptional},
       {"note", shape::text(), shape::kOptional}});
}

Reply about(const Opened& opened, const NodeKey& key, json::Object answer) {
  Reply reply(std::move(answer));
  reply.about = key;
  reply.immutable = opened.immutable;
  return reply;
}

std::int64_t cost(std::string_view text) { return static_cast<std::int64_t>(json_bytes(text)) + 4; }

}  // namespace cairn::fs
