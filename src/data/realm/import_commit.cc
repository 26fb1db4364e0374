#include "data/realm/import_commit.h"

#include <algorithm>

#include "base/quote.h"
#include "data/tree/merge.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

constexpr std::int64_t kMaxImportedChanges = 10'000'000;

void note(PathList& list, std::string path, const Entry& entry) {
  list.files += entry.is_dir() ? entry.files : 1;
  if (list.paths.size() == PathList::kMost) return;
  if (entry.is_dir()) path += '/';
  list.paths.push_back(std::move(path));
}

struct Differences {
  PathList added;
  PathList changed;
  PathList removed;
};

// What is new, changed and gone between two directories. One that came or went is one path, and
// nothing in it is read.
Result<void> compare(const NodeReader& nodes, const std::string& prefix, const NodePtr& before,
                     const NodePtr& after, Differences& out) {
  TRY(check_depth(prefix));
  return dict_diff(nodes, before, after, [&](const Entry* was, const Entry* is) -> Result<void> {
    auto path = prefix + std::string((was != nullptr ? was : is)->name);
    const bool both = was != nullptr && is != nullptr;
    if (both && was->is_dir() && is->is_dir()) {
      return compare(nodes, path + "/", TRY(dict_open(nodes, was->key)),
                     TRY(dict_open(nodes, is->key)), out);
    }
    if (both && !was->is_dir() && !is->is_dir()) {
      note(out.changed, std::move(path), *is);
      return {};
    }
    if (was != nullptr) note(out.removed, path, *was);
    if (is != nullptr) note(out.added, std::move(path), *is);
    return {};
  });
}

// Files whose content goes when a place is made exactly the directory, though it never came from
// there.
struct Lost {
  std::vector<std::string> others;  // which others alone have changed since the last import
  std::vector<std::string> both;    // which the directory has changed too, or removed
};

// What others have put there beside what the directory has, is not among them: it is to go.
Result<void> find_lost(const NodeReader& nodes, const std::string& prefix, const NodePtr& base,
                       const NodePtr& now, const NodePtr& mine, Lost& out) {
  TRY(check_depth(prefix));
  const auto opened = [&](const Entry* entry) -> Result<NodePtr> {
    if (entry == nullptr || !entry->is_dir()) return empty_dict();
    return dict_open(nodes, entry->key);
  };
  return dict_diff(nodes, now, mine, [&](const Entry* was, const Entry* is) -> Result<void> {
    auto path = prefix + std::string((was != nullptr ? was : is)->name);
    const auto found = TRY(dict_find(nodes, base, (was != nullptr ? was : is)->name));
    const auto* last = found ? &found->entry : nullptr;
    if (last == nullptr && (was == nullptr || is == nullptr)) return {};
    if (last != nullptr && was != nullptr && was->key == last->key) return {};
    const bool by_others = last != nullptr && is != nullptr && is->key == last->key;
    if (was == nullptr && by_others) return {};
    const bool no_file = (was == nullptr || was->is_dir()) && (is == nullptr || is->is_dir());
    if (no_file) {
      return find_lost(nodes, path + "/", TRY(opened(last)), TRY(opened(was)), TRY(opened(is)),
                       out);
    }
    (by_others ? out.others : out.both).push_back(std::move(path));
    return {};
  });
}

PathList together(PathList first, const PathList& second) {
  first.files += second.files;
  first.paths.insert(first.paths.end(), second.paths.begin(), second.paths.end());
  std::ranges::sort(first.paths);
  if (first.paths.size() > PathList::kMost) first.paths.resize(PathList::kMost);
  return first;
}

PathList list_of(std::vector<std::string> paths, const std::string& prefix) {
  PathList out{.files = paths.size(), .paths = {}};
  if (paths.size() > PathList::kMost) paths.resize(PathList::kMost);
  for (auto& path : paths) out.paths.push_back(prefix + path);
  return out;
}

Failure conflict(const PathList& paths, bool first_import) {
  constexpr std::size_t kShown = 5;
  std::string some;
  for (std::size_t i = 0; i < std::min(paths.paths.size(), kShown); ++i) {
    some += fmt::format("{}'{}'", i == 0 ? "" : ", ", shown(paths.paths[i], 200));
  }
  if (paths.files > kShown) some += fmt::format(" and {} more", paths.files - kShown);
  auto message =
      first_import
          ? fmt::format(
                "the depot has other content at {}, which never came from this directory; "
                "nothing was imported: import to another place, or with force to overwrite "
                "it (the history keeps what is there)",
                some)
          : fmt::format(
                "the directory and the depot have both changed {} since the last import; "
                "nothing was imported: bring the depot's changes into the directory and "
                "import again, or with force to take the directory's (the history keeps "
                "the depot's)",
                some);
  return Failure(Error(Code::kConflict, std::move(message))
                     .with("paths", paths.paths)
                     .with("pathCount", static_cast<std::int64_t>(paths.files)));
}

class ImportCommitter final {
 public:
  ImportCommitter(Realm& realm, const ImportRequest& request)
      : realm_(realm),
        request_(request),
        stage_(request.nodes != nullptr ? *request.nodes : realm.nodes()),
        prefix_(request.path.is_root() ? "" : request.path.render() + "/") {}

  Result<ImportOutcome> run() {
    begin_ = TRY(realm_.root_at(request_.within));
    const auto now = TRY(current());
    mine_ = TRY(stage_.get(request_.root));
    auto merged = TRY(merge_with(now));
    ImportOutcome out;
    if (!merged.conflicts.empty()) {
      auto paths = list_of(std::move(merged.conflicts), prefix_);
      if (request_.overwrite) {
        out.changes.overwritten = std::move(paths);
      } else if (request_.dry_run) {
        out.changes.conflicts = std::move(paths);
      } else {
        return conflict(paths, !request_.last);
      }
    }
    out.changes.overwritten =
        together(std::move(out.changes.overwritten), list_of(std::move(overwritten_), prefix_));
    TRY(describe(now, merged.settled, out.changes));
    // What is there then is neither what was there nor what the directory has.
    const auto& then = merged.settled->key();
    const bool of_both = then != now->key() && then != mine_->key();
    if (request_.dry_run) {
      out.commit.depot = TRY(realm_.get_depot(request_.within.depot));
      out.commit.changed = then != now->key();
      out.commit.root = begin_;
    } else {
      out.commit = TRY(commit(merged.settled));
    }
    out.commit.merged = out.commit.merged || of_both;
    return out;
  }

 private:
  // What stands where the directory goes.
  Result<NodePtr> current() {
    const auto found = TRY(find_place(stage_, begin_, request_.path));
    if (!found) return empty_dict();
    if (found->kind == Kind::kDict) return dict_open(stage_, found->key);
    return fail(Code::kNotADirectory, "'{}' is a file; a directory is imported to a directory",
                request_.path.render());
  }

  Result<MergeResult> merge_with(const NodePtr& now) {
    TRY(stage_.add(empty_dict()));
    auto base = request_.last ? TRY(stage_.get(*request_.last)) : empty_dict();
    if (request_.remove_others) {
      Lost lost;
      TRY(find_lost(stage_, "", base, now, mine_, lost));
      MergeResult exact;
      exact.root = exact.settled = mine_;
      exact.conflicts = std::move(lost.both);
      std::ranges::move(lost.others, std::back_inserter(overwritten_));
      return exact;
    }
    Budget budget(realm_.clock(), {.entries = kMaxImportedChanges});
    return merge(stage_, base, mine_, now, budget, Settle::kOurs);
  }

  Result<void> describe(const NodePtr& now, const NodePtr& then, ImportChanges& out) {
    Differences made;
    TRY(compare(stage_, prefix_, now, then, made));
    out.added = std::move(made.added);
    out.changed = std::move(made.changed);
    out.removed = std::move(made.removed);
    Differences others;
    TRY(compare(stage_, prefix_, mine_, then, others));
    out.kept = together(std::move(others.added), others.changed);
    out.absent = std::move(others.removed);
    return {};
  }

  Result<CommitResult> commit(const NodePtr& directory) {
    const auto root = TRY(graft(stage_, begin_, request_.path, directory));
    const CommitRequest request{.depot = request_.within.depot,
                                .root = root->key(),
                                .made_on = begin_,
                                .message = request_.message,
                                .author = request_.author,
                                .place = request_.within.path,
                                .owners = request_.owners};
    const NodeKey linked[] = {request_.root};
    return realm_.commit(request, stage_, linked);
  }

  Realm& realm_;
  const ImportRequest& request_;
  Stage stage_;
  std::string prefix_;
  NodeKey begin_;  // of what the importer sees
  NodePtr mine_;
  std::vector<std::string> overwritten_;  // of others, whether by force or not
};

}  // namespace

Result<std::optional<NodeKey>> last_import(Realm& realm, const Place& place,
                                           std::string_view source) {
  const auto record = TRY(load_import(realm, place, source));
  if (!record) return std::nullopt;
  return record->root;
}

Result<void> remember_import(Realm& realm, const Place& place, std::string_view source,
                             const NodeKey& root) {
  return save_import(realm, place, {.source = std::string(source), .root = root});
}

Result<ImportOutcome> commit_import(Realm& realm, const ImportRequest& request) {
  TRY(check_place(request.path));
  return ImportCommitter(realm, request).run();
}

Result<void> for_each_import(Realm& realm, const DepotId& depot,
                             const std::function<Result<void>(const ImportRecord& record)>& visit) {
  return scan_records(realm.store().kv(), records::imports(realm.id(), depot),
                      [&](ByteView, ByteView value) -> Result<void> {
                        const auto record = ImportRecord::decode(value);
                        return record ? visit(*record) : Result<void>();
                      });
}

}  // namespace cairn
