#include "exposure/mirror/mirror.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "exposure/client/human.h"
#include "exposure/client/pages.h"
#include "exposure/client/room.h"
#include "tools/executor/arguments.h"

namespace cairn::mirror {
namespace {

// Each time others have committed in between, which a busy depot does now and then.
constexpr int kAttempts = 5;
constexpr std::size_t kKeysAtOnce = 1000;  // as many as check_nodes takes

bool is_step(const MirrorStep& step, MirrorSide to, EntryKind kind, bool remove) {
  return step.to == to && step.kind == kind && step.remove == remove;
}

// What the plan writes into the directory.
client::Amount to_fetch(const MirrorTree& depot, const MirrorPlan& plan) {
  client::Amount out;
  for (const auto& step : plan.steps) {
    if (!is_step(step, MirrorSide::kDirectory, EntryKind::kFile, false)) continue;
    const auto entry = depot.entries.find(step.path);
    out.files += 1;
    if (entry != depot.entries.end()) out.bytes += entry->second.size;
  }
  return out;
}

// Reports what was skipped, and whether the other side keeps something of its own there.
void add_skipped(const MirrorTree& tree, const MirrorTree& across, std::string_view where,
                 MirrorReport& report) {
  for (const auto& [path, why] : tree.left_out) {
    if (why.empty()) continue;
    report.skipped.push_back({path, across.entries.contains(path)
                                        ? fmt::format("{}; the {} keeps its own", why, where)
                                        : why});
  }
}

}  // namespace

Mirror::Mirror(MirrorSettings settings, std::string depot, std::string place, MirrorStateFile file,
               MirrorState state, const MirrorDirectory::Tools& tools)
    : settings_(std::move(settings)),
      depot_(std::move(depot), std::move(place), settings_.filter),
      file_(std::move(file)),
      state_(std::move(state)),
      tools_(tools) {}

Result<MirrorReport> Mirror::round(Client& client,
                                   const MirrorDirectory::OnDirectory& on_directory) {
  const auto directory = TRY(MirrorDirectory::open(settings_.directory, tools_));
  // A store that cannot be reached is found before the directory is read.
  TRY(depot_.root(client));
  const auto leftovers =
      settings_.dry_run ? MirrorDirectory::Leftovers::kKeep : MirrorDirectory::Leftovers::kRemove;
  Sides sides;
  sides.here = TRY(directory.scan(settings_.filter, state_.seen, leftovers, on_directory));
  for (int attempt = 1;; ++attempt) {
    // Read again with each attempt, the directory only once: it is the depot that moved.
    sides.root = TRY(depot_.root(client));
    TRY(depot_.check_count(client, sides.root));
    sides.there = TRY(depot_.list(client, sides.root));
    const auto steps = TRY(plan(client, directory, sides));
    TRY(client::check_room(settings_.directory, to_fetch(sides.there, steps)));
    TRY(check_not_emptied(sides, steps));
    MirrorReport report{.steps = {},
                        .conflicts = steps.conflicts,
                        .not_taken = steps.not_taken,
                        .left = {},
                        .failed = {},
                        .skipped = {},
                        .root = sides.root};
    for (const auto& path : sides.here.unstable)
      report.left.push_back({path, "it is being written to"});
    add_skipped(sides.here.tree, sides.there, "depot", report);
    add_skipped(sides.there, sides.here.tree, "directory", report);
    if (settings_.dry_run) {
      report.steps = steps.steps;
      return report;
    }
    const auto sent = send(client, directory, sides, steps, report);
    // Others changed the same meanwhile: looked at again, it is a conflict or fits.
    if (!sent && sent.error().code == Code::kConflict && attempt < kAttempts) continue;
    TRY(sent);
    note_agreed(sides, steps, report);
    // Before the directory is changed: if fetching breaks off, what was sent is remembered.
    TRY(save());
    TRY(fetch(client, directory, sides, steps, report));
    return report;
  }
}

Result<MirrorPlan> Mirror::plan(Client& client, const MirrorDirectory& directory,
                                const Sides& sides) {
  MirrorRules rules = settings_.rules;
  // First without taking sides: only real conflicts are worth reading the files for.
  rules.keep = {};
  auto out = plan_mirror(state_.agreed, sides.here.tree, sides.there, rules);
  rules.same = TRY(find_same(client, directory, sides, out));
  rules.keep = settings_.rules.keep;
  out = plan_mirror(state_.agreed, sides.here.tree, sides.there, rules);
  const auto unsaved = TRY(find_unsaved(client, sides, out));
  if (unsaved.empty()) return out;
  // As if it were new in the directory: it goes to the depot, or is a conflict.
  auto base = state_.agreed;
  for (const auto& path : unsaved) base.erase(path);
  return plan_mirror(base, sides.here.tree, sides.there, rules);
}

// Keys tell most; the same bytes under another content type have another one.
Result<Paths> Mirror::find_same(Client& client, const MirrorDirectory& directory,
                                const Sides& sides, const MirrorPlan& plan) const {
  Paths out;
  for (const auto& conflict : plan.conflicts) {
    const auto here = sides.here.tree.entries.find(conflict.path);
    const auto there = sides.there.entries.find(conflict.path);
    if (here == sides.here.tree.entries.end() || there == sides.there.entries.end()) continue;
    if (here->second.kind != EntryKind::kFile || there->second.kind != EntryKind::kFile) continue;
    if (here->second.size != there->second.size) continue;
    const auto source = directory.read(conflict.path);
    if (!source) continue;
    bool same = true;
    Bytes room;
    const auto read =
        depot_.read(client, sides.root, conflict.path, [&](ByteView portion) -> Result<void> {
          while (!portion.empty()) {
            room.resize(portion.size());
            const auto filled = TRY((*source)(room));
            same = filled > 0 && portion.starts_with(ByteView(room).substr(0, filled));
            if (!same) return fail(Code::kConflict, "they differ");
            portion.remove_prefix(filled);
          }
          return {};
        });
    if (!same) continue;
    TRY(read);
    out.insert(conflict.path);
  }
  return out;
}

// The files that would be overwritten or removed in the directory, and are no longer in the depot's
// history: it was cut off, or the store is an older one.
Result<Paths> Mirror::find_unsaved(Client& client, const Sides& sides,
                                   const MirrorPlan& plan) const {
  std::map<std::string, std::vector<std::string>> paths;  // by the key
  for (const auto& step : plan.steps) {
    if (step.to != MirrorSide::kDirectory) continue;
    const auto here = sides.here.tree.entries.find(step.path);
    const auto then = state_.agreed.find(step.path);
    if (here == sides.here.tree.entries.end() || here->second.kind != EntryKind::kFile) continue;
    // The user decided this conflict: the file was changed here, and the other side was to win.
    if (then == state_.agreed.end() || then->second.directory_key != here->second.key) continue;
    paths[then->second.depot_key].push_back(step.path);
  }
  Paths out;
  for (auto next = paths.begin(); next != paths.end();) {
    json::Array keys;
    for (; next != paths.end() && keys.size() < kKeysAtOnce; ++next) keys.emplace_back(next->first);
    const auto answer = TRY(client.call("check_nodes", {{"keys", std::move(keys)}}));
    const auto missing = Arguments(answer.as_object()).texts("missing");
    for (const auto& key : missing.value_or(std::vector<std::string>())) {
      for (const auto& path : paths[key]) {
        // A caller that sees only a part of the store can name it by where it was.
        if (TRY(depot_.key_at(client, state_.root, path)) != key) out.insert(path);
      }
    }
  }
  return out;
}

Result<void> Mirror::check_not_emptied(const Sides& sides, const MirrorPlan& plan) const {
  // An unmounted disk looks like an empty directory.
  if (settings_.allow_empty) return {};
  const auto removals = [&](MirrorSide to) {
    return std::ranges::count_if(
        plan.steps, [&](const MirrorStep& step) { return step.to == to && step.remove; });
  };
  const auto refuse = [](std::string_view what, std::int64_t count, std::string_view from) {
    return fail(Code::kPreconditionFailed,
                "{} is empty, and {} would be deleted {}; nothing was done: if that is meant, and "
                "nothing is missing that should be there, say --allow-empty",
                what, client::counted(count, "entry", "entries"), from);
  };
  if (const auto count = removals(MirrorSide::kDepot);
      count > 0 && sides.here.tree.entries.empty()) {
    return refuse(fmt::format("'{}'", shown(settings_.directory.string(), 1000)), count,
                  "in the depot");
  }
  if (const auto count = removals(MirrorSide::kDirectory);
      count > 0 && sides.there.entries.empty()) {
    return refuse("the depot, or the place in it,", count, "in the directory");
  }
  return {};
}

Result<void> Mirror::send(Client& client, const MirrorDirectory& directory, const Sides& sides,
                          const MirrorPlan& plan, MirrorReport& report) const {
  client::TreeWriter writer(client, sides.root);
  std::vector<MirrorStep> done;
  // Directories before what is in them, as the writer has it.
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    if (step->to != MirrorSide::kDepot || !step->remove) continue;
    TRY(writer.remove(depot_.full(step->path), step->kind == EntryKind::kDirectory));
    done.push_back(*step);
  }
  for (const auto& step : plan.steps) {
    if (!is_step(step, MirrorSide::kDepot, EntryKind::kDirectory, false)) continue;
    TRY(writer.make_directory(depot_.full(step.path)));
    done.push_back(step);
  }
  for (const auto& step : plan.steps) {
    if (!is_step(step, MirrorSide::kDepot, EntryKind::kFile, false)) continue;
    if (TRY(send_file(writer, directory, sides, step.path, report))) done.push_back(step);
  }
  const auto root = TRY(writer.finish());
  if (root != sides.root) {
    const auto message = settings_.message.empty()
                             ? "mirror " + shown(settings_.directory.string(), 1000)
                             : settings_.message;
    const auto committed = TRY(depot_.commit(client, sides.root, root, message));
    report.committed = true;
    report.merged = committed.merged;
    // Changes that others brought in between are not in the directory yet.
    report.root = committed.merged ? sides.root : committed.root;
  }
  report.steps = std::move(done);
  return {};
}

// Whether it went as it was seen.
Result<bool> Mirror::send_file(client::TreeWriter& writer, const MirrorDirectory& directory,
                               const Sides& sides, const std::string& path,
                               MirrorReport& report) const {
  const auto leave = [&](const Error& error) {
    auto& lines = error.code == Code::kConflict ? report.left : report.failed;
    lines.push_back({path, error.message});
    return false;
  };
  const auto source = directory.read(path);
  if (!source) return leave(source.error());
  std::optional<Error> unreadable;
  auto written = writer.write(depot_.full(path), [&](std::span<char> room) {
    auto filled = (*source)(room);
    if (!filled) unreadable = filled.error();
    return filled;
  });
  if (unreadable) return leave(*unreadable);
  const auto file = TRY(std::move(written));
  // The file goes up in portions, and may change while it does.
  if (file.key != sides.here.tree.entries.at(path).key) {
    return leave(Error(Code::kConflict, "it changed while it was sent"));
  }
  writer.keep(file);
  return true;
}

Result<void> Mirror::fetch(Client& client, const MirrorDirectory& directory, const Sides& sides,
                           const MirrorPlan& plan, MirrorReport& report) {
  Result<void> gone = {};
  for (const auto& step : plan.steps) {
    if (step.to != MirrorSide::kDirectory) continue;
    const auto done = fetch_step(client, directory, sides, step);
    if (done) {
      report.steps.push_back(step);
      changed_ = true;
    } else if (done.error().code == Code::kConflict) {
      report.left.push_back({step.path, done.error().message});
    } else if (done.error().code == Code::kIoError) {
      report.failed.push_back({step.path, done.error().message});
    } else {
      gone = done;
      // The store cannot be reached: the next steps would fail as well.
      break;
    }
  }
  // On the disk before it is remembered: the state must not be ahead of the files.
  if (changed_) TRY(directory.sync());
  TRY(save());
  return gone;
}

Result<void> Mirror::fetch_step(Client& client, const MirrorDirectory& directory,
                                const Sides& sides, const MirrorStep& step) {
  const bool is_file = step.kind == EntryKind::kFile;
  if (step.remove) {
    TRY(is_file ? directory.remove(step.path, sides.here.files.at(step.path))
                : directory.remove_directory(step.path));
    state_.agreed.erase(step.path);
    return {};
  }
  MirrorAgreed agreed{.kind = step.kind};
  if (is_file) {
    agreed.directory_key = TRY(fetch_file(client, directory, sides, step.path));
    agreed.depot_key = sides.there.entries.at(step.path).key;
  } else {
    TRY(directory.make_directory(step.path));
  }
  state_.agreed.insert_or_assign(step.path, std::move(agreed));
  return {};
}

Result<std::string> Mirror::fetch_file(Client& client, const MirrorDirectory& directory,
                                       const Sides& sides, const std::string& path) const {
  const auto before = sides.here.files.find(path);
  const auto expected = before == sides.here.files.end()
                            ? MirrorDirectory::Expected()
                            : MirrorDirectory::Expected(before->second);
  const auto size = sides.there.entries.at(path).size;
  return directory.write(path, expected, [&](const Client::Sink& sink) -> Result<void> {
    std::uint64_t received = 0;
    const auto wrong = [&] {
      return fail(Code::kUnavailable, "'{}' has {} bytes, and {} came", shown(path), size,
                  received);
    };
    TRY(depot_.read(client, sides.root, path, [&](ByteView portion) -> Result<void> {
      received += portion.size();
      // Before it fills the disk.
      if (received > size) return wrong();
      return sink(portion);
    }));
    return received == size ? Result<void>() : wrong();
  });
}

void Mirror::note_agreed(const Sides& sides, const MirrorPlan& plan, const MirrorReport& report) {
  const auto& here = sides.here.tree.entries;
  for (const auto& step : report.steps) {
    if (step.remove) {
      state_.agreed.erase(step.path);
    } else {
      const auto& key = here.at(step.path).key;
      state_.agreed.insert_or_assign(step.path, MirrorAgreed{step.kind, key, key});
    }
  }
  for (const auto& path : plan.agreed) {
    state_.agreed.insert_or_assign(path, MirrorAgreed{here.at(path).kind, here.at(path).key,
                                                      sides.there.entries.at(path).key});
  }
  for (const auto& path : plan.forgotten) state_.agreed.erase(path);
  changed_ = changed_ || !report.steps.empty() || !plan.agreed.empty() || !plan.forgotten.empty() ||
             state_.root != report.root || state_.seen != sides.here.seen;
  state_.root = report.root;
  state_.seen = sides.here.seen;
}

Result<void> Mirror::save() {
  if (!changed_) return {};
  TRY(file_.save(state_));
  changed_ = false;
  return {};
}

}  // namespace cairn::mirror
