#include "data/realm/records.h"

#include <algorithm>

#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Bytes some_bytes(Dice& dice, std::size_t size) {
  Bytes bytes(size, '\0');
  for (auto& c : bytes) c = static_cast<char>(dice.below(256));
  return bytes;
}
template <typename SomeId>
SomeId some_id(Dice& dice) {
  return SomeId::from_bytes(some_bytes(dice, 16));
}
NodeKey some_key(Dice& dice) { return NodeKey::from_bytes(some_bytes(dice, 32)); }
// Small and large alike.
std::uint64_t some_number(Dice& dice) {
  return static_cast<std::uint64_t>(dice.below(SIZE_MAX)) >> dice.below(64);
}
Millis some_time(Dice& dice) { return static_cast<Millis>(some_number(dice)); }

Depot some_depot(Dice& dice) {
  return {.id = some_id<DepotId>(dice),
          .title = some_bytes(dice, dice.below(300)),
          .root = some_key(dice),
          .max_history = some_number(dice),
          .sequence = some_number(dice),
          .created_at = some_time(dice),
          .updated_at = some_time(dice),
          .keep = {.everything = dice.one_in(2),
                   .days = some_number(dice),
                   .daily = some_number(dice),
                   .last = some_number(dice)},
          .dropped = dice.one_in(2) ? std::nullopt : std::optional(some_number(dice))};
}

HistoryEntry some_entry(Dice& dice) {
  HistoryEntry entry{.sequence = some_number(dice),
                     .root = some_key(dice),
                     .author = std::nullopt,
                     .time = some_time(dice),
                     .message = some_bytes(dice, dice.below(300)),
                     .merged = dice.one_in(2),
                     .purged = dice.one_in(2)};
  if (dice.one_in(2)) entry.author = some_id<DelegateId>(dice);
  if (dice.one_in(2)) entry.undid = ChangeRange{some_number(dice), some_number(dice)};
  return entry;
}

Origin some_place_origin(Dice& dice) {
  Place place(some_id<DepotId>(dice));
  for (auto depth = 1 + dice.below(9); depth > 0; --depth) {
    place.path = place.path.child(std::string(1 + dice.below(255), dice.one_in(2) ? 'x' : ' '));
  }
  return {place, some_key(dice), some_time(dice)};
}

TEST(Records, DecodeToWhatWasEncoded) {
  for_seeds(300, [](Dice& dice) {
    const auto realm = some_id<RealmId>(dice);
    const auto depot = some_depot(dice);
    EXPECT_EQ(
        must(records::decode_depot(records::depot_key(realm, depot.id), records::encode(depot))),
        depot);

    const DeletedDepot deleted{depot, some_time(dice)};
    EXPECT_EQ(must(records::decode_deleted(records::deleted_key(realm, depot.id),
                                           records::encode(deleted))),
              deleted);

    std::vector<DepotId> titled;
    for (auto more = dice.below(4); more > 0; --more) titled.push_back(some_id<DepotId>(dice));
    EXPECT_EQ(must(records::decode_title(records::encode_title(titled))), titled);

    const auto purged = some_key(dice);
    EXPECT_EQ(must(records::decode_purge(records::purge_key(realm, purged))), purged);

    const auto entry = some_entry(dice);
    EXPECT_EQ(must(records::decode_history(records::history_key(realm, depot.id, entry.sequence),
                                           records::encode(entry))),
              entry);

    std::vector<Tag> tags;
    for (auto more = dice.below(9); more > 0; --more) {
      tags.push_back({some_bytes(dice, 1 + dice.below(64)), some_number(dice), some_time(dice)});
    }
    EXPECT_EQ(must(records::decode_tags(records::encode(tags))), tags);

    Origin origin{some_id<DepotId>(dice), some_key(dice), some_time(dice)};
    for (auto more = dice.below(Origin::kMaxOthers + 1); more > 0; --more) {
      origin.others.push_back(some_key(dice));
    }
    const auto root = some_key(dice);
    auto found = must(records::decode_origin(records::origin_key(realm, root, origin.place),
                                             records::encode(origin)));
    EXPECT_EQ(found.root, root);
    EXPECT_EQ(found.origin, origin);

    const auto at_a_place = some_place_origin(dice);
    found = must(records::decode_origin(records::origin_key(realm, root, at_a_place.place),
                                        records::encode(at_a_place)));
    EXPECT_EQ(found.root, root);
    EXPECT_EQ(found.origin, at_a_place);

    const Owned owned{some_id<DelegateId>(dice), some_key(dice), some_time(dice)};
    EXPECT_EQ(must(records::decode_owned(records::owned_key(realm, owned.owner, owned.node),
                                         records::encode(owned))),
              owned);
  });
}

TEST(Records, AreRefusedWhenCutOrLongerOrOfAnotherVersion) {
  using Decode = std::function<std::optional<Error>(ByteView key, ByteView value)>;
  auto decoder = [](auto decode) -> Decode {
    return [=](ByteView key, ByteView value) -> std::optional<Error> {
      auto result = decode(key, value);
      if (result) return std::nullopt;
      return result.error();
    };
  };
  for_seeds(20, [&](Dice& dice) {
    const auto realm = some_id<RealmId>(dice);
    const auto depot = some_depot(dice);
    const auto entry = some_entry(dice);
    const Origin origin{depot.id, some_key(dice), some_time(dice)};
    const auto at_a_place = some_place_origin(dice);
    const Owned owned{some_id<DelegateId>(dice), some_key(dice), some_time(dice)};
    const struct {
      const char* what;
      Decode decode;
      Bytes key;
      Bytes value;
    } cases[] = {
        {"depot", decoder(records::decode_depot), records::depot_key(realm, depot.id),
         records::encode(depot)},
        {"history", decoder(records::decode_history), records::history_key(realm, depot.id, 7),
         records::encode(entry)},
        {"origin", decoder(records::decode_origin),
         records::origin_key(realm, origin.base, origin.place), records::encode(origin)},
        {"origin", decoder(records::decode_origin),
         records::origin_key(realm, at_a_place.base, at_a_place.place),
         records::encode(at_a_place)},
        {"owner", decoder(records::decode_owned),
         records::owned_key(realm, owned.owner, owned.node), records::encode(owned)},
    };
    for (const auto& [what, decode, key, value] : cases) {
      SCOPED_TRACE(what);
      ASSERT_EQ(decode(key, value), std::nullopt);
      auto refused = [&](ByteView a_key, ByteView a_value) {
        auto error = decode(a_key, a_value);
        return error && error->code == Code::kIoError &&
               error->message.find(what) != std::string::npos;
      };
      for (std::size_t size = 0; size < value.size(); ++size) {
        EXPECT_TRUE(refused(key, ByteView(value).substr(0, size))) << "cut to " << size;
      }
      for (std::size_t size = 0; size < key.size(); ++size) {
        EXPECT_TRUE(refused(ByteView(key).substr(0, size), value)) << "key cut to " << size;
      }
      EXPECT_TRUE(refused(key, value + '\0'));
      EXPECT_TRUE(refused(key + '\0', value));
      auto newer = value;
      newer[0] = 3;
      EXPECT_TRUE(refused(key, newer));
    }
  });
}

// As programs wrote them that knew neither what is kept nor what was taken back.
TEST(Records, OfTheFirstVersionAreStillRead) {
  for_seeds(50, [](Dice& dice) {
    const auto realm = some_id<RealmId>(dice);
    auto depot = some_depot(dice);
    Bytes old(1, 1);
    put_text(old, depot.title);
    old.append(depot.root.bytes());
    for (auto number :
         {depot.max_history, depot.sequence, static_cast<std::uint64_t>(depot.created_at),
          static_cast<std::uint64_t>(depot.updated_at)}) {
      put_varint(old, number);
    }
    depot.keep = {};
    depot.dropped = std::nullopt;
    EXPECT_EQ(must(records::decode_depot(records::depot_key(realm, depot.id), old)), depot);
    EXPECT_THAT(records::decode_depot(records::depot_key(realm, depot.id), old + '\0'),
                FailsWith(Code::kIoError));

    auto entry = some_entry(dice);
    entry.undid.reset();
    auto same = records::encode(entry);
    same.pop_back();
    same[0] = 1;
    EXPECT_EQ(
        must(records::decode_history(records::history_key(realm, depot.id, entry.sequence), same)),
        entry);
  });
}

TEST(Records, OfAHistorySortByTheirSequence) {
  const auto realm = realm_number(1);
  const auto depot = DepotId::from_bytes(Bytes(16, 'd'));
  const std::uint64_t sequences[] = {0,     1,     9,          10,         255,        256,
                                     65535, 65536, 0xffffffff, 1ULL << 32, 1ULL << 63, UINT64_MAX};
  const auto range = records::history(realm, depot);
  for (std::size_t i = 0; i < std::size(sequences); ++i) {
    auto key = records::history_key(realm, depot, sequences[i]);
    if (i > 0) {
      EXPECT_LT(records::history_key(realm, depot, sequences[i - 1]), key);
    }
    EXPECT_LE(range.begin, key);
    EXPECT_LT(key, range.end);
  }
}

TEST(Records, OfOneRealmDepotAndRootAreARangeOfTheirOwn) {
  auto inside = [](const KeyRange& range, const Bytes& key) {
    return range.begin <= key && (range.end.empty() || key < range.end);
  };
  // The last of each kind, where a range's end has to carry.
  const auto last_realm = realm_number('\xff');
  const auto last_depot = DepotId::from_bytes(Bytes(16, '\xff'));
  const auto last_root = NodeKey::from_bytes(Bytes(32, '\xff'));
  const auto depot = DepotId::from_bytes(Bytes(16, 'd'));
  const auto root = NodeKey::of("root");

  EXPECT_TRUE(inside(records::depots(last_realm), records::depot_key(last_realm, last_depot)));
  EXPECT_FALSE(
      inside(records::depots(realm_number(1)), records::depot_key(realm_number(2), depot)));
  EXPECT_TRUE(inside(records::history(last_realm, last_depot),
                     records::history_key(last_realm, last_depot, UINT64_MAX)));
  EXPECT_FALSE(
      inside(records::history(last_realm, depot), records::history_key(last_realm, last_depot, 0)));
  EXPECT_TRUE(
      inside(records::origins(last_realm), records::origin_key(last_realm, last_root, last_depot)));
  EXPECT_TRUE(inside(records::origins(last_realm, last_root),
                     records::origin_key(last_realm, last_root, last_depot)));
  EXPECT_FALSE(inside(records::origins(last_realm, root),
                      records::origin_key(last_realm, last_root, depot)));
  EXPECT_FALSE(
      inside(records::origins(realm_number(1)), records::origin_key(realm_number(2), root, depot)));
  const Place place(last_depot, tree_testing::path("a/b"));
  EXPECT_TRUE(inside(records::origins(last_realm, last_root),
                     records::origin_key(last_realm, last_root, place)));
  const auto last_owner = DelegateId::from_bytes(Bytes(16, '\xff'));
  EXPECT_TRUE(
      inside(records::owned(last_realm), records::owned_key(last_realm, last_owner, last_root)));
  EXPECT_FALSE(
      inside(records::owned(last_realm), records::owned_key(realm_number(1), last_owner, root)));
}

TEST(Records, OfAnOriginAreOfTheirPlaceAlone) {
  const auto realm = realm_number(1);
  const auto root = NodeKey::of("root");
  const auto depot = DepotId::from_bytes(Bytes(16, 'd'));
  const Origin origin{{depot, tree_testing::path("docs")}, root, 7};
  const auto elsewhere = records::origin_key(realm, root, {depot, tree_testing::path("doc")});
  EXPECT_THAT(records::decode_origin(elsewhere, records::encode(origin)),
              FailsWith(Code::kIoError));
  EXPECT_LT(records::origin_key(realm, root, {depot, must(Path::parse(Bytes(255, 'x')))}).size(),
            200U)
      << "whatever the length of the path";
}

TEST(Records, AreScannedInOrderUpToTheFirstFailure) {
  World world;
  for (const char* key : {"k1", "k2", "k3", "other"}) {
    Batch batch;
    batch.puts.push_back({key, "value"});
    must(world.store->kv().commit(batch));
  }
  std::vector<std::string> seen;
  auto visit = [&](std::size_t most) {
    seen.clear();
    return scan_records(world.store->kv(), KeyRange::prefix("k"),
                        [&](ByteView key, ByteView) -> Result<void> {
                          seen.emplace_back(key);
                          if (seen.size() == most) return fail(Code::kInternal, "enough");
                          return {};
                        });
  };
  EXPECT_THAT(visit(9), IsOk());
  EXPECT_THAT(seen, ElementsAre("k1", "k2", "k3"));
  auto stopped = visit(2);
  EXPECT_THAT(stopped, FailsWith(Code::kInternal));
  EXPECT_THAT(stopped.error().message, HasSubstr("enough"));
  EXPECT_THAT(seen, ElementsAre("k1", "k2"));
}

}  // namespace
}  // namespace cairn::realm_testing
