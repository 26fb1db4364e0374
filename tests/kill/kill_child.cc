// Commits numbered content until it is killed, and says so after each durable commit:
//
//   kill_child DIR DAYS
//   ack DEPOT SEQUENCE ROOT WRITER NUMBER
//
// Writers 0 to 2 have a depot of their own, 3 and 4 share one. Meanwhile a thread collects garbage.
// Its clock is DAYS days ahead.

#include <thread>
#include <vector>

#include <unistd.h>

#include "content.h"
#include "data/cas/file.h"
#include "data/realm/gc.h"
#include "data/realm/owner.h"
#include "data/store/open.h"
#include "data/tree/editor.h"
#include "data/tree/view.h"
#include "later_clock.h"

namespace cairn {
namespace {

constexpr std::uint64_t kWriters = 5;
constexpr std::uint64_t kFirstShared = 3;
// Every commit of a depot of one's own stays in its history; the shared depot's become garbage.
const Keep kOwnHistory = Keep::all();
const Keep kSharedHistory{.days = 0, .daily = 0, .last = 20};

// One call, so that the parent never sees half a line of another thread.
void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    ::_exit(3);
  }
}

Result<DepotId> depot_titled(Realm& realm, const std::string& title, const Keep& keep) {
  auto page = TRY(realm.list_depots(100, std::nullopt));
  for (const auto& depot : page.depots) {
    if (depot.title == title) return depot.id;
  }
  return TRY(realm.create_depot(title, std::nullopt, Realm::kDefaultMaxHistory, keep)).id;
}

class Writer final {
 public:
  Writer(Realm& realm, DepotId depot, std::uint64_t number)
      : realm_(realm), depot_(depot), writer_(number) {}

  // Commits for ever; returns only the error that stopped it.
  Error run() {
    while (true) {
      auto done = commit_next();
      if (!done) return done.error();
    }
  }

 private:
  Result<Path> path(std::string_view name) const {
    return Path::parse(fmt::format("w{}/{}", writer_, name));
  }

  // The number in `last`, 0 before the first commit.
  Result<std::uint64_t> last_number(const Stage& stage, const NodePtr& root) const {
    const TreeView tree{stage, root};
    auto found = TRY(find(tree, TRY(path("last"))));
    if (!found) return 0;
    auto stamp = parse_content(TRY(read_file(stage, *TRY(open_file(tree, *found)))));
    if (!stamp) return fail(Code::kInternal, "w{}/last is not what was written", writer_);
    return stamp->number;
  }

  Result<void> put(Stage& stage, TreeEditor& editor, std::string_view name, Stamp stamp) const {
    auto file = TRY(write_file(stage, "text/plain", render_content(stamp)));
    return editor.put(TRY(path(name)), EntryValue::of(entry_for("", *file)));
  }

  Result<void> commit_next() {
    const auto before = TRY(realm_.get_depot(depot_)).root;
    Stage stage(realm_.nodes());
    auto old_root = TRY(stage.get(before));
    const auto number = TRY(last_number(stage, old_root)) + 1;
    TreeEditor editor(stage, old_root);
    const Stamp small{writer_, number, small_size(number)};
    TRY(put(stage, editor, "last", small));
    TRY(put(stage, editor, fmt::format("slot{}", number % kSlots), small));
    if (number % kLargeEvery == 0) {
      TRY(put(stage, editor, fmt::format("large{}", number / kLargeEvery % kLargeSlots),
              {writer_, number, large_size(number)}));
    }
    auto root = TRY(editor.finish());
    CommitRequest request{.depot = depot_,
                          .root = root->key(),
                          .made_on = before,
                          .message = fmt::format("number {}", number),
                          .force = false,
                          .author = std::nullopt};
    auto done = TRY(realm_.commit(request, stage, {})).depot;
    say(fmt::format("ack {} {} {} {} {}\n", depot_.render(), done.sequence, done.root.render(),
                    writer_, number));
    return {};
  }

  Realm& realm_;
  DepotId depot_;
  std::uint64_t writer_;
};

Error collect_for_ever(Realm& realm) {
  while (true) {
    auto collected = collect_garbage(realm);
    if (!collected) return collected.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

[[noreturn]] void die(const Error& error) {
  say(fmt::format("error {}\n", error.render()));
  ::_exit(1);
}

Result<void> run(const char* directory, std::uint64_t days) {
  LaterClock clock(days);
  SystemRandom random;
  auto store = TRY(open_rocks_store(directory, clock));
  Realm realm(*store, TRY(owner_realm(*store, clock, random)), clock, random);
  std::vector<Writer> writers;
  for (std::uint64_t i = 0; i < kWriters; ++i) {
    const bool shared = i >= kFirstShared;
    auto title = shared ? std::string("shared") : fmt::format("own {}", i);
    auto depot = TRY(depot_titled(realm, title, shared ? kSharedHistory : kOwnHistory));
    writers.emplace_back(realm, depot, i);
  }
  std::vector<std::jthread> threads;
  for (auto& writer : writers) threads.emplace_back([&writer] { die(writer.run()); });
  threads.emplace_back([&realm] { die(collect_for_ever(realm)); });
  return {};
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto done = cairn::run(argv[1], std::strtoull(argv[2], nullptr, 10));
  if (!done) cairn::die(done.error());
}
