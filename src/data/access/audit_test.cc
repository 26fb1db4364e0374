// The audit log: nothing that was done is missing from it, nothing twice, and it stays within
// bounds.

#include "data/access/audit.h"

#include <barrier>
#include <set>

#include "base/utf8.h"
#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using When = AuditLog::When;

const RealmId kRealm = realm_number(7);
const RealmId kOther = realm_number(8);
const DelegateId kAnn = DelegateId::from_bytes(Bytes(16, 'a'));
const DelegateId kBob = DelegateId::from_bytes(Bytes(16, 'b'));

// Nothing is written by itself.
constexpr AuditOptions kByHand{.flush_every = 24h};

class Book final {
 public:
  explicit Book(const AuditOptions& options = kByHand)
      : log(world.store->kv(), world.clock, options) {}

  AuditEntry entry(std::string context) {
    world.clock.advance(1ms);
    AuditEntry out;
    out.time = world.clock.now();
    out.delegate = kAnn;
    out.entrance = "mcp";
    out.tool = "fs_write";
    out.context = std::move(context);
    out.outcome = "ok";
    return out;
  }
  void record(std::string context, When when = When::kSoon) {
    log.record(kRealm, entry(std::move(context)), when);
  }
  std::size_t blocks() {
    std::size_t count = 0;
    must(world.store->kv().scan(KeyRange::prefix("a"), Direction::kForward, [&](auto, auto) {
      count += 1;
      return Scan::kContinue;
    }));
    return count;
  }

  World world;
  AuditLog log;
};

std::vector<std::string> contexts(const AuditPage& page) {
  std::vector<std::string> out;
  for (const auto& entry : page.entries) out.push_back(entry.context);
  return out;
}

// All pages, each of at most `limit` entries.
std::vector<std::string> all_contexts(AuditLog& log, AuditQuery query = {}) {
  std::vector<std::string> out;
  do {
    auto page = must(log.query(kRealm, query));
    EXPECT_LE(page.entries.size(), query.limit);
    for (const auto& entry : page.entries) out.push_back(entry.context);
    query.cursor = page.next_cursor;
  } while (query.cursor);
  return out;
}

TEST(Audit, GivesBackWhatWasRecorded) {
  Book book;
  AuditEntry entry{.time = book.world.clock.now(),
                   .delegate = kBob,
                   .entrance = "rest",
                   .tool = "depot_commit",
                   .context = "dpt_…/docs/a b.md",
                   .outcome = "CONFLICT",
                   .bytes_in = 1ULL << 40,
                   .bytes_out = 7,
                   .micros = 1'234,
                   .request = "mine-1",
                   .message = "the depot has moved"};
  book.log.record(kRealm, entry, When::kSoon);
  const auto page = must(book.log.query(kRealm, {}));
  EXPECT_THAT(page.entries, ElementsAre(entry));
  EXPECT_FALSE(page.next_cursor);
  EXPECT_THAT(must(book.log.query(kOther, {})).entries, IsEmpty()) << "each realm has its own";
}

TEST(Audit, ShowsTheNewestFirstHoweverTheyWereWritten) {
  Book book;
  book.record("1");
  book.record("2", When::kNow);
  book.record("3");
  book.record("4");
  must(book.log.flush());
  book.record("5", When::kNow);
  book.record("6", When::kNow);
  book.record("7");
  EXPECT_THAT(contexts(must(book.log.query(kRealm, {}))),
              ElementsAre("7", "6", "5", "4", "3", "2", "1"));
  EXPECT_EQ(book.blocks(), 6U) << "2 took 1 along, in a block of its kind, and 7 was written to be "
                                  "shown";
}

TEST(Audit, IsReadInPagesFromEveryPosition) {
  Book book;
  std::vector<std::string> expected;
  for (int block = 0; block < 5; ++block) {
    for (int i = 0; i <= block; ++i) {
      expected.insert(expected.begin(), fmt::format("{}.{}", block, i));
      book.record(expected.front());
    }
    must(book.log.flush());
  }
  for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
    EXPECT_EQ(all_contexts(book.log, {.limit = limit}), expected) << "pages of " << limit;
  }
  // New entries do not disturb a reader.
  auto first = must(book.log.query(kRealm, {.limit = 4}));
  for (int i = 0; i < 10; ++i) book.record("new", i % 2 == 0 ? When::kNow : When::kSoon);
  const auto rest = all_contexts(book.log, {.limit = 3, .cursor = first.next_cursor});
  EXPECT_EQ(rest, std::vector(expected.begin() + 4, expected.end()));
}

TEST(Audit, ACursorOutlivesItsBlock) {
  Book book;
  book.record("1", When::kNow);
  book.record("2", When::kNow);
  book.record("3", When::kNow);
  const auto first = must(book.log.query(kRealm, {.limit = 1}));
  std::vector<Bytes> keys;
  must(book.world.store->kv().scan(KeyRange::prefix("a"), Direction::kForward,
                                   [&](ByteView key, ByteView) {
                                     keys.emplace_back(key);
                                     return Scan::kContinue;
                                   }));
  Batch batch;
  batch.deletes.push_back(keys.at(1));
  must(book.world.store->kv().commit(std::move(batch)));
  EXPECT_THAT(all_contexts(book.log, {.cursor = first.next_cursor}), ElementsAre("1"));
}

TEST(Audit, RefusesWhatIsNoCursorOrNoLimit) {
  Book book;
  book.record("1");
  for (const char* cursor : {"", "c", "x", "c00", "c0000000000000000000000000"}) {
    EXPECT_THAT(book.log.query(kRealm, {.cursor = cursor}), FailsWith(Code::kInvalidCursor))
        << cursor;
  }
  for (std::size_t limit : {0, 1001}) {
    EXPECT_THAT(book.log.query(kRealm, {.limit = limit}), FailsWith(Code::kInvalidArgument));
  }
  // One that was made up shows nothing of others and breaks nothing.
  EXPECT_THAT(book.log.query(kOther, {.cursor = render_cursor(Bytes(16, '\xff') + '\x7f')}),
              IsOk());
}

TEST(Audit, ShowsWhatFitsTheQuery) {
  Book book;
  std::vector<Millis> times;
  for (int i = 0; i < 6; ++i) {
    auto entry = book.entry(std::to_string(i));
    entry.delegate = i % 2 == 0 ? kAnn : kBob;
    entry.tool = i < 3 ? "fs_read" : "fs_write";
    entry.outcome = i % 3 == 0 ? "ok" : "PATH_NOT_FOUND";
    times.push_back(entry.time);
    book.log.record(kRealm, entry, i == 2 ? When::kNow : When::kSoon);
  }
  must(book.log.flush());
  struct Row {
    const char* what;
    AuditQuery query;
    std::vector<std::string> result;
  };
  const std::vector<Row> rows = {
      {"all", {}, {"5", "4", "3", "2", "1", "0"}},
      {"since", {.since = times[2]}, {"5", "4", "3", "2"}},
      {"until, not included", {.until = times[2]}, {"1", "0"}},
      {"between", {.since = times[1], .until = times[4]}, {"3", "2", "1"}},
      {"nothing between", {.since = times[4], .until = times[1]}, {}},
      {"since long ago", {.since = -1}, {"5", "4", "3", "2", "1", "0"}},
      {"since for ever",
       {.since = std::numeric_limits<Millis>::min()},
       {"5", "4", "3", "2", "1", "0"}},
      {"in the future", {.since = times[5] + 1}, {}},
      {"until for ever",
       {.until = std::numeric_limits<Millis>::max()},
       {"5", "4", "3", "2", "1", "0"}},
      {"by whom", {.delegate = kBob}, {"5", "3", "1"}},
      {"which tool", {.tool = "fs_read"}, {"2", "1", "0"}},
      {"how it ended", {.outcome = "ok"}, {"3", "0"}},
      {"all of it", {.delegate = kAnn, .tool = "fs_read", .outcome = "PATH_NOT_FOUND"}, {"2"}},
      {"no such tool", {.tool = "fs"}, {}},
  };
  for (const auto& row : rows) {
    for (std::size_t limit : {1, 2, 100}) {
      auto query = row.query;
      query.limit = limit;
      EXPECT_EQ(all_contexts(book.log, query), row.result) << row.what;
    }
  }
}

TEST(Audit, AQueryThatFitsLittleEndsAPageEarlyAndGoesOn) {
  Book book;
  book.log.record(kRealm, book.entry("the first"), When::kSoon);
  auto entry = book.entry("many");
  entry.tool = "other";
  for (int i = 0; i < 60'000; ++i) book.log.record(kRealm, entry, When::kSoon);
  AuditQuery query{.tool = "fs_write"};
  auto page = must(book.log.query(kRealm, query));
  EXPECT_THAT(page.entries, IsEmpty());
  ASSERT_TRUE(page.next_cursor);
  EXPECT_THAT(all_contexts(book.log, query), ElementsAre("the first"));
}

// ---- When it is written -------------------------------------------------------------------------

TEST(Audit, WhatChangedSomethingIsInTheStoreBeforeTheAnswer) {
  Book book;
  AuditLog reader(book.world.store->kv(), book.world.clock, kByHand);
  const int syncs = book.world.backend->syncs;
  book.record("soon");
  EXPECT_THAT(all_contexts(reader), IsEmpty());
  book.record("now", When::kNow);
  EXPECT_THAT(all_contexts(reader), ElementsAre("now", "soon"));
  EXPECT_EQ(book.world.backend->syncs, syncs) << "it does not wait for the disk";
}

TEST(Audit, WhatChangedNothingFollowsByItself) {
  Book book({.flush_every = 5ms});
  Guarded<bool> is_written;
  std::condition_variable written;
  auto watching = book.world.store->kv().watch(KeyRange::prefix("a"), [&](const auto&) {
    auto now = is_written.lock();
    *now = true;
    written.notify_all();
  });
  book.record("soon");
  auto now = is_written.lock();
  EXPECT_TRUE(written.wait_for(now.mutex(), 30s, [&] { return *now; }));
}

TEST(Audit, WhatIsPendingIsWrittenAtTheEnd) {
  World world;
  {
    AuditLog log(world.store->kv(), world.clock, kByHand);
    AuditEntry entry;
    entry.context = "last words";
    log.record(kRealm, entry, When::kSoon);
  }
  AuditLog log(world.store->kv(), world.clock, kByHand);
  EXPECT_THAT(all_contexts(log), ElementsAre("last words"));
}

TEST(Audit, ManyThatArePendingAreWrittenWithoutWaiting) {
  Book book;
  for (int i = 0; i < 999; ++i) book.record("x");
  EXPECT_EQ(book.blocks(), 0U);
  book.record("x");
  EXPECT_EQ(book.blocks(), 1U);
}

// A process that is started again in the same millisecond, or another over the same store.
TEST(Audit, TwoLogsOfOneStoreDoNotOverwriteEachOther) {
  World world;
  std::set<std::string> expected;
  AuditEntry entry;
  entry.time = world.clock.now();
  for (int start = 0; start < 3; ++start) {
    AuditLog one(world.store->kv(), world.clock, kByHand);
    AuditLog two(world.store->kv(), world.clock, kByHand);
    for (int i = 0; i < 3; ++i) {
      for (auto* log : {&one, &two}) {
        entry.context = fmt::format("{}.{}.{}", start, i, log == &one);
        expected.insert(entry.context);
        log->record(kRealm, entry, When::kNow);
      }
    }
  }
  AuditLog log(world.store->kv(), world.clock, kByHand);
  const auto all = all_contexts(log);
  EXPECT_EQ(all.size(), expected.size());
  EXPECT_EQ(std::set(all.begin(), all.end()), expected);
}

TEST(Audit, WhatTheStoreDoesNotTakeIsTriedAgain) {
  Book book;
  book.record("before", When::kNow);
  book.world.backend->broken = true;
  book.record("1", When::kNow);
  book.record("2");
  book.log.record(kOther, book.entry("other"), When::kSoon);
  EXPECT_THAT(book.log.flush(), FailsWith(Code::kIoError));
  EXPECT_THAT(book.log.query(kRealm, {}), FailsWith(Code::kIoError)) << "not as if there were none";
  book.record("3", When::kNow);
  book.world.backend->broken = false;
  book.record("4", When::kNow);
  EXPECT_THAT(all_contexts(book.log), ElementsAre("4", "3", "2", "1", "before"));
  EXPECT_THAT(contexts(must(book.log.query(kOther, {}))), ElementsAre("other"));
}

TEST(Audit, AStoreThatTakesNothingDoesNotFillTheMemory) {
  Book book;
  book.world.backend->broken = true;
  auto entry = book.entry("x");
  for (int i = 0; i < 50'000; ++i) book.log.record(kRealm, entry, When::kSoon);
  book.world.backend->broken = false;
  const auto kept = all_contexts(book.log, {.limit = 1000}).size();
  EXPECT_GE(kept, 20'000U);
  EXPECT_LE(kept, 21'000U);
}

TEST(Audit, ThreadsAtOnceLoseNothing) {
  Book book({.flush_every = 1ms});
  constexpr int kThreads = 6;
  constexpr int kEach = 400;
  std::barrier start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        AuditLog reader(book.world.store->kv(), book.world.clock, kByHand);
        start.arrive_and_wait();
        for (int i = 0; i < kEach; ++i) {
          AuditEntry entry;
          entry.delegate = kAnn;
          entry.outcome = "ok";
          entry.context = fmt::format("{}.{}", t, i);
          const bool now = i % 40 == 0;
          if (now) entry.tool = std::to_string(t);
          book.log.record(kRealm, entry, now ? When::kNow : When::kSoon);
          if (!now) continue;
          const auto there = must(reader.query(kRealm, {.limit = 1, .tool = std::to_string(t)}));
          ASSERT_EQ(there.entries.size(), 1U);
          EXPECT_EQ(there.entries[0].context, entry.context);
        }
      });
    }
  }
  const auto all = all_contexts(book.log, {.limit = 1000});
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

// ---- Bounds -------------------------------------------------------------------------------------

TEST(Audit, TheOldestGoByAge) {
  Book book({.max_age = 1h, .flush_every = 24h});
  book.record("old", When::kNow);
  book.world.clock.advance(30min);
  book.record("younger", When::kNow);
  EXPECT_EQ(must(book.log.trim(kRealm)), 0U);
  book.world.clock.advance(30min);
  EXPECT_EQ(must(book.log.trim(kRealm)), 1U);
  EXPECT_THAT(all_contexts(book.log), ElementsAre("younger"));
  book.world.clock.advance(24h);
  book.record("new", When::kNow);
  EXPECT_EQ(book.blocks(), 1U) << "without being asked, a day later at the latest";
  EXPECT_THAT(all_contexts(book.log), ElementsAre("new"));
}

TEST(Audit, TheOldestGoBySize) {
  Book book({.max_change_bytes = 1000, .flush_every = 24h});
  for (int i = 0; i < 50; ++i) book.record(fmt::format("{:02}", i), When::kNow);
  const auto removed = must(book.log.trim(kRealm));
  EXPECT_GT(removed, 0U);
  const auto left = all_contexts(book.log);
  EXPECT_EQ(left.size(), 50 - removed);
  EXPECT_EQ(left.front(), "49");
  EXPECT_EQ(left.back(), fmt::format("{:02}", removed)) << "what is left is the newest";
  std::size_t bytes = 0;
  must(book.world.store->kv().scan(KeyRange::prefix("a"), Direction::kForward,
                                   [&](ByteView key, ByteView value) {
                                     bytes += key.size() + value.size();
                                     return Scan::kContinue;
                                   }));
  EXPECT_LE(bytes, 1000U);
  EXPECT_GT(bytes, 800U);
}

TEST(Audit, StaysWithinItsSizeByItself) {
  Book book({.max_other_bytes = 100'000, .flush_every = 24h});
  const auto entry = book.entry(std::string(400, 'x'));
  book.log.record(kOther, entry, When::kNow);
  for (int i = 0; i < 6000; ++i) book.log.record(kRealm, entry, When::kSoon);
  EXPECT_LE(all_contexts(book.log, {.limit = 1000}).size(), 3000U);
  EXPECT_EQ(must(book.log.query(kOther, {})).entries.size(), 1U) << "each realm has its own bound";
}

TEST(Audit, ReadsAndRefusalsDoNotPushChangesOut) {
  Book book({.max_other_bytes = 10'000, .flush_every = 24h});
  book.record("evidence", When::kNow);
  auto read = book.entry(std::string(400, 'x'));
  for (int i = 0; i < 5000; ++i) book.log.record(kRealm, read, When::kSoon);
  auto refused = read;
  refused.outcome = "UPLOAD_NOT_ALLOWED";
  for (int i = 0; i < 5000; ++i) book.log.record(kRealm, refused, When::kSoon);
  must(book.log.flush());
  must(book.log.trim(kRealm));
  const auto left = all_contexts(book.log);
  EXPECT_EQ(left.back(), "evidence");
  EXPECT_LE(left.size(), 1001U);
}

TEST(Audit, RefusalsThatComeQuicklyAreCounted) {
  Book book({.flush_every = 24h});
  auto refused = book.entry("a");
  refused.outcome = "UPLOAD_NOT_ALLOWED";
  for (int i = 0; i < 1000; ++i) book.log.record(kRealm, refused, When::kSoon);
  refused.outcome = "RATE_LIMITED";
  for (int i = 0; i < 500; ++i) book.log.record(kRealm, refused, When::kSoon);
  book.record("b");
  const auto page = must(book.log.query(kRealm, {}));
  ASSERT_EQ(page.entries.size(), 22U);
  std::uint64_t all = 0;
  for (const auto& entry : page.entries) all += entry.count;
  EXPECT_EQ(all, 1501U);
  EXPECT_EQ(page.entries[1].count, 500U);
  EXPECT_EQ(page.entries[1].outcome, "RATE_LIMITED");
}

TEST(Audit, AContextIsCutBetweenCharacters) {
  Book book;
  book.record(std::string(500, 'x'));
  book.record(std::string(501, 'x'));
  book.record(std::string(499, 'x') + "é");
  book.record(std::string(498, 'x') + "🪨🪨");
  book.record(std::string(10'000, '\x80'));  // no text at all
  const auto all = contexts(must(book.log.query(kRealm, {})));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[4], std::string(500, 'x'));
  EXPECT_EQ(all[3], std::string(500, 'x'));
  EXPECT_EQ(all[2], std::string(499, 'x'));
  EXPECT_EQ(all[1], std::string(498, 'x'));
  EXPECT_TRUE(valid_utf8(all[0]));
}

TEST(Audit, ADamagedBlockShowsWhatCanBeReadOfIt) {
  Book book;
  book.record("before", When::kNow);
  book.record("1");
  book.record("2");
  must(book.log.flush());
  book.record("after", When::kNow);
  std::vector<std::pair<Bytes, Bytes>> rows;
  auto& kv = book.world.store->kv();
  must(kv.scan(KeyRange::prefix("a"), Direction::kForward, [&](ByteView key, ByteView value) {
    rows.emplace_back(key, value);
    return Scan::kContinue;
  }));
  ASSERT_EQ(rows.size(), 3U);
  const auto& [key, value] = rows[1];
  for (std::size_t size = 0; size <= value.size(); ++size) {
    Batch batch;
    batch.puts.push_back({key, value.substr(0, size)});
    must(kv.commit(std::move(batch)));
    const auto all = all_contexts(book.log, {.limit = 1});
    ASSERT_GE(all.size(), 2U);
    EXPECT_EQ(all.front(), "after");
    EXPECT_EQ(all.back(), "before");
    EXPECT_EQ(all.size() == 4, size == value.size());
  }
  Batch batch;
  batch.puts.push_back({key, "\xff" + value.substr(1)});  // of a later version
  must(kv.commit(std::move(batch)));
  EXPECT_THAT(all_contexts(book.log), ElementsAre("after", "before"));
}

}  // namespace
}  // namespace cairn::access_testing
