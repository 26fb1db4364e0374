#include "tools/workspace/depot_workspace.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/ascii.h"
#include "base/explain.h"
#include "base/quote.h"
#include "data/cas/file.h"
#include "data/tree/change.h"
#include "data/tree/conflict.h"
#include "tools/depots/on_newest.h"
#include "tools/files/known.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxPathShown = 1000;

std::string place_of(const Path& path) { return "/" + path.render(); }

// The error with where it happened.
template <typename T>
Result<T> at(Result<T> result, const Path& path) {
  if (result || result.error().details.contains("place")) return result;
  // The innermost place is the one to tell.
  return Failure(std::move(result).error().with("place", place_of(path)));
}

Failure fail_at(Code code, const Path& path, std::string text) {
  return Failure(Error(code, std::move(text)).with("place", place_of(path)));
}

// Listing a directory reads no files, and the protocol has no pages for it.
Budget::Limits unlimited() { return {}; }

class DepotFile final : public WorkFile {
 public:
  DepotFile(const NodeReader& nodes, NodePtr file, std::string place, const WorkInfo& info)
      : nodes_(nodes), file_(std::move(file)), place_(std::move(place)), info_(info) {}

  const std::string& place() const override { return place_; }
  const WorkInfo& info() const override { return info_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<char> room) const override {
    std::size_t filled = 0;
    TRY(read_file(nodes_, *file_, offset, room.size(), [&](ByteView part) -> Result<void> {
      std::ranges::copy(part, room.begin() + static_cast<std::ptrdiff_t>(filled));
      filled += part.size();
      return {};
    }));
    return filled;
  }

 private:
  const NodeReader& nodes_;
  NodePtr file_;
  std::string place_;
  WorkInfo info_;
};

WorkKind kind_of(Kind kind) { return kind == Kind::kFile ? WorkKind::kFile : WorkKind::kDirectory; }

// Asks the workspace, which outlives it, about what is in it.
class DepotDirectory final : public WorkDirectory {
 public:
  DepotDirectory(const Workspace& files, const TreeView& tree, const Clock& clock, Path path)
      : files_(files),
        tree_(tree),
        clock_(clock),
        path_(std::move(path)),
        place_(place_of(path_)) {}

  const std::string& place() const override { return place_; }

  Result<std::vector<WorkEntry>> entries() const override {
    std::vector<WorkEntry> out;
    Budget budget(clock_, unlimited());
    ListOptions options{.limit = ListOptions::kMaxLimit, .cursor = std::nullopt};
    do {
      auto page = TRY(list(tree_, path_, options, budget));
      for (auto& child : page.children) {
        out.push_back({std::move(child.name), kind_of(child.value.kind)});
      }
      options.cursor = std::move(page.next_cursor);
    } while (options.cursor);
    return out;
  }

  Result<std::unique_ptr<WorkDirectory>> enter(const std::string& name) const override {
    return files_.open_directory(below(name));
  }
  Result<WorkInfo> info(const std::string& name) const override {
    return TRY(files_.info(below(name))).info;
  }
  Result<WorkFilePtr> open(const std::string& name) const override {
    return files_.open_file(below(name));
  }

 private:
  std::string below(const std::string& name) const {
    return path_.is_root() ? "/" + name : place_ + "/" + name;
  }

  const Workspace& files_;
  const TreeView& tree_;
  const Clock& clock_;
  Path path_;
  std::string place_;
};

bool is_drive(std::string_view text) {
  if (text.size() < 2 || !is_letter(text[0]) || text[1] != ':') return false;
  return text.size() == 2 || text[2] == '\\' || text[2] == '/';
}

Failure outside(std::string_view text, std::string_view why) {
  return Failure(Error(Code::kPathOutside, fmt::format("Access denied - {}: {}", why, shown(text)))
                     .with("place", std::string(shown(text))));
}

}  // namespace

Result<Path> path_in_depot(std::string_view text) {
  // As the reference server has it, whose clients look for these words.
  if (is_drive(text)) return outside(text, "Windows-style path received on a POSIX host");
  if (text.contains('\0')) return outside(text, "path outside allowed directories");
  std::vector<std::string_view> names;
  for (auto rest = text; !rest.empty();) {
    const auto end = rest.find('/');
    const auto name = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
      continue;
    }
    if (names.empty()) return outside(text, "path outside allowed directories");
    names.pop_back();
  }
  std::string plain;
  constexpr std::size_t kMaxName = 255;
  for (const auto name : names) {
    if (!plain.empty()) plain += '/';
    plain += name;
    // Elsewhere this is a child by its number.
    if (child_index(name)) {
      return fail(Code::kInvalidPath, "'{}' cannot be a name in a depot", shown(name));
    }
    if (name.size() > kMaxName && text.size() <= Path::kMaxBytes) {
      return Failure(Error(Code::kInvalidPath, fmt::format("a name has {} bytes, and {} are the "
                                                           "most; shorten it",
                                                           name.size(), kMaxName))
                         .with("place", std::string(shown(text, 300)))
                         .with("errno", "ENAMETOOLONG"));
    }
  }
  return Path::parse(plain);
}

DepotWorkspace::DepotWorkspace(Call& call, Place place, SeenFiles& seen, const Options& options,
                               TreeView tree, Depot depot)
    : call_(call),
      place_(std::move(place)),
      seen_(seen),
      operation_(options.operation),
      read_only_(options.read_only),
      dry_run_(options.dry_run),
      agent_(fs::agent_of(call.session(), place_, options.desk)),
      tree_(std::move(tree)),
      depot_(std::move(depot)) {}

Result<DepotWorkspace> DepotWorkspace::open(Call& call, std::string_view depot, SeenFiles& seen,
                                            const Options& options) {
  auto place = TRY(call.sight().place(depot));
  auto record = TRY(call.realm().get_depot(place.depot));
  const auto root = TRY(call.realm().root_at(place));
  auto tree = TRY(view_tree(call.realm().nodes(), root));
  return DepotWorkspace(call, std::move(place), seen, options, std::move(tree), std::move(record));
}

Result<void> DepotWorkspace::refresh() {
  const auto root = TRY(call_.realm().root_at(place_));
  tree_.root = TRY(view_tree(call_.realm().nodes(), root)).root;
  return {};
}

std::string DepotWorkspace::relative(std::string_view place) const {
  if (place.starts_with('/')) place.remove_prefix(1);
  return place.empty() ? "." : std::string(place);
}

WorkInfo DepotWorkspace::info_of(const EntryValue& value) const {
  const bool file = value.kind == Kind::kFile;
  const bool writable = call_.rights().can_upload();
  return {.kind = kind_of(value.kind),
          .size = value.bytes,
          .created = depot_.created_at,
          .modified = depot_.updated_at,
          .accessed = depot_.updated_at,
          .permissions = file ? (writable ? 0644U : 0444U) : (writable ? 0755U : 0555U)};
}

Result<WorkFilePtr> DepotWorkspace::open_file(std::string_view text) const {
  const auto path = TRY(path_in_depot(text));
  auto located = locate(tree_, path);
  // That it is not there is known then, too.
  if (!located && located.error().code == Code::kPathNotFound) {
    knows(path.render(), tree_.root->key());
  }
  const auto found = TRY(at(std::move(located), path));
  auto node = TRY(at(cairn::open_file(tree_, found), path));
  return std::make_unique<DepotFile>(tree_.nodes, std::move(node), place_of(found.path),
                                     info_of(EntryValue::of(found.entry)));
}

Result<WorkDirectoryPtr> DepotWorkspace::open_directory(std::string_view text) const {
  const auto path = TRY(path_in_depot(text));
  const auto found = TRY(at(locate(tree_, path), path));
  TRY(at(open_dir(tree_, found), path));
  return std::make_unique<DepotDirectory>(*this, tree_, call_.clock(), found.path);
}

Result<WorkPlace> DepotWorkspace::info(std::string_view text) const {
  const auto path = TRY(path_in_depot(text));
  const auto found = TRY(at(locate(tree_, path), path));
  return WorkPlace{place_of(found.path), info_of(EntryValue::of(found.entry))};
}

std::string DepotWorkspace::message(std::string_view about) const {
  return fmt::format("{} {}", operation_, shown(about, kMaxPathShown));
}

Result<void> DepotWorkspace::check_parent(const TreeView& tree, const Path& path) const {
  if (path.is_root()) return fail_at(Code::kNotAFile, path, "this is the workspace itself");
  if (path.parent().is_root()) return {};
  const auto above = at(locate(tree, path.parent()), path);
  if (!above) return Failure(above.error());
  TRY(at(open_dir(tree, *above), path));
  return {};
}

Result<TreeView> DepotWorkspace::tree_for(const Path& path, Unseen unseen) {
  const auto now = TRY(find(tree_, path));
  const auto seen = seen_.last(agent_, path.render());
  std::optional<TreeView> then;
  if (seen) {
    // It may have gone with its depot's history: then what the caller knew is not known.
    if (auto known = view_tree(tree_.nodes, *seen)) then.emplace(std::move(*known));
  }
  if (then) {
    const auto was = TRY(find(*then, path));
    const bool same = now && was && EntryValue::of(now->entry) == EntryValue::of(was->entry);
    // Unchanged since the caller saw it: the change is made on the newest tree. Otherwise on the
    // tree that the caller saw, so that the commit merges the two or finds the conflict.
    return same || (!now && !was) ? tree_ : *then;
  }
  if (unseen == Unseen::kSaid && now && EntryValue::of(now->entry).kind == Kind::kFile) {
    notes_.push_back(
        dry_run_
            ? "it takes the place of a version that was not read before"
            : "it took the place of a version that was not read before; undo brings that back");
  }
  return tree_;
}

std::string paths_in_conflict(const Error& error) {
  constexpr std::size_t kShown = 5;
  const auto found = error.details.find("paths");
  if (found == error.details.end()) return {};
  const auto* paths = std::get_if<std::vector<std::string>>(&found->second);
  std::string out;
  if (paths == nullptr) return out;
  for (const auto& path : *paths | std::views::take(kShown)) {
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", shown(path, 200));
  }
  if (paths->size() > kShown) out += fmt::format(" and {} more", paths->size() - kShown);
  return out;
}

namespace {

// Put in the words of a caller that works with files: it knows neither roots nor force.
Error told_conflict(Error error) {
  const auto names = paths_in_conflict(error);
  std::string lines;
  if (const auto found = error.details.find("conflicts"); found != error.details.end()) {
    if (const auto* rows = std::get_if<std::vector<DetailRow>>(&found->second)) {
      lines = "\n" + told(*rows);
      while (lines.ends_with('\n')) lines.pop_back();
    }
  }
  // Roots would mean nothing to the caller.
  std::erase_if(error.details, [](const auto& one) { return one.first != "paths"; });
  return retold(
      std::move(error),
      fmt::format("somebody else has changed {} meanwhile, and the two changes do not fit "
                  "together; nothing was changed: read it again, and repeat with what should be "
                  "there{}",
                  names.empty() ? "the same" : names, lines));
}

}  // namespace

Result<void> DepotWorkspace::check_writable() {
  if (!read_only_ && call_.rights().can_upload()) return {};
  if (!dry_run_) return fail(Code::kUploadNotAllowed, "{} may only read here", operation_);
  notes_.push_back("you may only read here: without dryRun it is refused");
  return {};
}

Result<void> DepotWorkspace::commit(const Stage& stage, const Changed& change, const NodeKey& base,
                                    std::string text) {
  TRY(check_writable());
  const CommitRequest request{.depot = place_.depot,
                              .root = change.root->key(),
                              .made_on = base,
                              .message = std::move(text),
                              .author = call_.session().answers_for(),
                              .place = place_.path,
                              .owners = call_.session().owners,
                              .dry_run = dry_run_};
  auto outcome = call_.realm().commit(request, stage, change.linked);
  if (!outcome && outcome.error().code == Code::kConflict) {
    return Failure(told_conflict(std::move(outcome).error()));
  }
  const auto done = TRY(std::move(outcome));
  if (done.merged) {
    notes_.push_back(dry_run_ ? "others made changes meanwhile; they are merged in"
                              : "others made changes meanwhile; they were merged in");
  }
  if (dry_run_) return {};
  // The next operation of the same call works on the outcome, merged changes included.
  tree_.root = TRY(view_tree(call_.realm().nodes(), done.root)).root;
  return {};
}

Result<std::string> DepotWorkspace::write(std::string_view text, ByteView content,
                                          Parents parents) {
  const auto path = TRY(path_in_depot(text));
  if (parents == Parents::kMustExist || path.is_root()) TRY(check_parent(tree_, path));
  const auto now = TRY(find(tree_, path));
  if (now && EntryValue::of(now->entry).kind != Kind::kFile) {
    return fail_at(Code::kNotAFile, path, "there is a directory with this name");
  }
  const auto tree = TRY(tree_for(path, Unseen::kSaid));
  Stage stage(call_.realm().nodes());
  const auto done = TRY(at(cairn::write(stage, tree.root, path, content), path));
  TRY(at(commit(stage, done, tree.root->key(), message(path.render())), path));
  // Its own version, not what became of it when it was merged.
  has_changed(path.render(), done.root->key());
  return place_of(done.path);
}

Result<std::string> DepotWorkspace::edit(std::string_view text, const Rewrite& rewrite) {
  const auto path = TRY(path_in_depot(text));
  bool again = false;
  return on_newest(call_, [&]() -> Result<std::optional<std::string>> {
    // The edit is a function of the content: it is made again on the newest one.
    if (std::exchange(again, true)) TRY(refresh());
    return edit_once(path, rewrite);
  });
}

Result<std::optional<std::string>> DepotWorkspace::edit_once(const Path& path,
                                                             const Rewrite& rewrite) {
  const auto found = TRY(at(locate(tree_, path), path));
  const auto node = TRY(at(cairn::open_file(tree_, found), path));
  if (EntryValue::of(found.entry).bytes > kMaxEditedSize) {
    return fail_at(Code::kFileTooLarge, path,
                   fmt::format("it has {} bytes, and a file can be edited up to {}; write_file "
                               "replaces it",
                               EntryValue::of(found.entry).bytes, kMaxEditedSize));
  }
  const auto after = TRY(rewrite(TRY(read_file(tree_.nodes, *node)), place_of(found.path)));
  Stage stage(call_.realm().nodes());
  const auto done = TRY(at(cairn::write(stage, tree_.root, found.path, after), path));
  const bool known = TRY(is_known(found));
  auto saved = commit(stage, done, tree_.root->key(), message(found.path.render()));
  if (!saved && saved.error().code == Code::kConflict) return std::nullopt;
  TRY(at(std::move(saved), path));
  // A caller that knew all of the file knows all of it now; any other has seen a part.
  if (known) has_changed(found.path.render(), done.root->key());
  return place_of(found.path);
}

Result<std::string> DepotWorkspace::make_directory(std::string_view text) {
  const auto path = TRY(path_in_depot(text));
  if (path.is_root()) return place_of(path);
  Stage stage(call_.realm().nodes());
  auto done = mkdir(stage, tree_.root, path);
  if (!done && done.error().code == Code::kExistsAsFile) {
    return fail_at(Code::kTargetExists, path, "there is a file with this name");
  }
  const auto made = TRY(at(std::move(done), path));
  if (made.created) {
    TRY(at(commit(stage, made, tree_.root->key(), message(path.render())), path));
  }
  return place_of(made.path);
}

Result<std::string> DepotWorkspace::move(std::string_view source, std::string_view destination) {
  const auto from = TRY(path_in_depot(source));
  const auto to = TRY(path_in_depot(destination));
  if (from.is_root()) return fail_at(Code::kForbidden, from, "the workspace itself stays");
  TRY(at(locate(tree_, from), from));
  TRY(check_parent(tree_, to));
  if (TRY(find(tree_, to))) {
    return fail_at(Code::kTargetExists, to, "choose another name, or delete what is there first");
  }
  const auto tree = TRY(tree_for(from, Unseen::kFine));
  Stage stage(call_.realm().nodes());
  const auto done = TRY(at(mv(stage, tree.root, from, to), from));
  TRY(at(commit(stage, done, tree.root->key(),
                message(fmt::format("{} -> {}", from.render(), to.render()))),
         to));
  // Knowledge of the old path moves to the new one, and the old path is known to be gone.
  // Who has not seen a file as it was moved has not seen it where it is now.
  for (const auto& [file, root] : seen_.below(agent_, from.render())) {
    const auto there = to.render() + file.substr(from.render().size());
    const auto then = view_tree(tree_.nodes, root);
    const auto old = TRY(Path::parse(file));
    const auto was = then ? TRY(find(*then, old)) : std::nullopt;
    const auto moved = TRY(find(tree, old));
    const bool same = was && moved && EntryValue::of(was->entry) == EntryValue::of(moved->entry);
    if (same) knows(there, done.root->key());
    if (!same && !dry_run_) seen_.forget(agent_, there);
    knows(file, done.root->key());
  }
  return place_of(done.to);
}

Result<std::string> DepotWorkspace::copy(std::string_view source, std::string_view destination) {
  const auto from = TRY(path_in_depot(source));
  const auto to = TRY(path_in_depot(destination));
  TRY(at(locate(tree_, from), from));
  TRY(check_parent(tree_, to));
  if (TRY(find(tree_, to))) {
    return fail_at(Code::kTargetExists, to, "choose another name, or delete what is there first");
  }
  Stage stage(call_.realm().nodes());
  const auto done = TRY(at(cp(stage, tree_.root, from, to), from));
  TRY(at(commit(stage, done, tree_.root->key(),
                message(fmt::format("{} -> {}", from.render(), to.render()))),
         to));
  return place_of(done.to);
}

Result<std::string> DepotWorkspace::remove(std::string_view text, bool recursive) {
  const auto path = TRY(path_in_depot(text));
  if (path.is_root()) return fail_at(Code::kForbidden, path, "the workspace itself stays");
  const auto found = TRY(at(locate(tree_, path), path));
  const auto value = EntryValue::of(found.entry);
  if (value.kind != Kind::kFile && value.children > 0 && !recursive) {
    return fail(Code::kInvalidArgument,
                "'{}' is a directory with {} entries; say recursive to delete all of it",
                shown(place_of(path), 300), value.children);
  }
  // Recursive deletion asks about each file that the caller has seen: others may have changed one.
  TRY(check_below(path));
  const auto tree = TRY(tree_for(path, Unseen::kFine));
  Stage stage(call_.realm().nodes());
  const auto done = TRY(at(rm(stage, tree.root, found.path), path));
  TRY(at(commit(stage, done, tree.root->key(), message(path.render())), path));
  for (const auto& [file, root] : seen_.below(agent_, path.render())) {
    knows(file, done.root->key());
  }
  knows(path.render(), done.root->key());
  return place_of(path);
}

}  // namespace cairn
