#include "data/realm/realm.h"

#include <algorithm>

#include "data/store/update.h"
#include "data/tree/new_depth.h"

namespace cairn {
namespace {

Result<void> check_max_history(std::uint64_t max_history) {
  if (max_history >= 1 && max_history <= Realm::kMaxMaxHistory) return {};
  return fail(Code::kInvalidArgument, "maxHistory is {}; it should be 1 to {}", max_history,
              Realm::kMaxMaxHistory);
}

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= 1000) return {};
  return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to 1000", limit);
}

Failure no_depot(const DepotId& depot) {
  return fail(Code::kDepotNotFound, "there is no depot {}; list the depots to see their ids",
              depot.render());
}

}  // namespace

Realm::Realm(Store& store, const RealmId& id, const Clock& clock, Random& random,
             RealmOptions options)
    : store_(store),
      kv_(store.kv()),
      id_(id),
      nodes_(store.nodes(id)),
      clock_(clock),
      random_(random),
      options_(options),
      ownership_(kv_, id, clock),
      leaves_(kv_, id),
      titles_(kv_, id) {
  const auto prefix = records::depots(id_);
  // Runs on the committing thread after the commit is on disk. get_depot() may be between its read
  // and its insert just then, so erasing is not enough: the generation tells it not to keep what it
  // read.
  watching_ = kv_.watch(prefix, [this, size = prefix.begin.size()](const std::vector<Bytes>& keys) {
    auto remembered = remembered_.lock();
    remembered->generation += 1;
    for (const auto& key : keys) {
      remembered->depots.erase(DepotId::from_bytes(ByteView(key).substr(size)));
    }
  });
}

Result<Depot> Realm::create_depot(std::string_view title, std::optional<NodeKey> root,
                                  std::uint64_t max_history, const Keep& keep) {
  TRY(check_title(title));
  TRY(check_max_history(max_history));
  Depot depot;
  depot.id = DepotId::make(clock_, random_);
  depot.title = title;
  depot.max_history = max_history;
  depot.keep = keep;
  depot.created_at = depot.updated_at = clock_.now();
  auto empty = empty_dict();
  depot.root = root.value_or(empty->key());
  if (root) {
    auto node = TRY(nodes_.get(*root));
    if (node->kind() != Kind::kDict || !node->is_root()) {
      return fail(Code::kNotADirectory, "{} is not a directory; a depot's root is one",
                  root->render());
    }
    TRY(check_new_depth(nodes_, empty, node));
  }
  // Made anew when somebody else makes or renames a depot just then: one of the two has the title.
  return until_committed(kv_, "the titles", [&](Batch& batch) -> Result<Depot> {
    batch.realm = id_;
    TRY(titles_.take(batch, title, depot.id));
    if (root) {
      // Required in the same step: the garbage collector may take the root between the check above
      // and the commit.
      batch.required.push_back(*root);
    } else {
      batch.nodes.push_back(empty);
    }
    HistoryEntry first{0, depot.root, std::nullopt, depot.created_at, "created", false};
    auto key = records::depot_key(id_, depot.id);
    // Ids are random. The condition makes sure that a collision could never overwrite a depot.
    batch.conditions.push_back({key, std::nullopt});
    batch.puts.push_back({key, records::encode(depot)});
    batch.puts.push_back({records::history_key(id_, depot.id, 0), records::encode(first)});
    // The root is its own origin: whatever is committed from it later has a base to merge from.
    batch.puts.push_back({records::origin_key(id_, depot.root, depot.id),
                          records::encode(Origin{depot.id, depot.root, depot.created_at})});
    return depot;
  });
}

Result<DepotPage> Realm::list_depots(std::size_t limit, std::optional<std::string_view> cursor) {
  TRY(check_limit(limit));
  auto range = records::depots(id_);
  if (cursor) {
    auto last = TRY(parse_cursor(*cursor));
    if (last.size() != 16) return fail(Code::kInvalidCursor, "'{}' is not a cursor", *cursor);
    // A key with a zero byte appended is the smallest one after it.
    range.begin = records::depot_key(id_, DepotId::from_bytes(last)) + '\0';
  }
  DepotPage page;
  std::optional<Error> error;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    if (page.depots.size() == limit) {
      page.next_cursor = render_cursor(page.depots.back().id.bytes());
      return Scan::kStop;
    }
    auto depot = records::decode_depot(key, value);
    if (!depot) {
      error = std::move(depot).error();
      return Scan::kStop;
    }
    page.depots.push_back(std::move(*depot));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return page;
}

Result<Depot> Realm::get_depot(const DepotId& depot) const {
  std::uint64_t generation = 0;
  {
    auto remembered = remembered_.lock();
    if (auto found = remembered->depots.find(depot); found != remembered->depots.end()) {
      return found->second;
    }
    generation = remembered->generation;
  }
  auto read = TRY(read_depot(depot)).depot;
  // A change that was announced since may be newer than what was read.
  auto remembered = remembered_.lock();
  if (remembered->generation == generation) {
    // All at once: a realm rarely has so many, and keeping them in order of use would cost every
    // hit.
    if (remembered->depots.size() >= kMaxRemembered) remembered->depots.clear();
    remembered->depots.insert_or_assign(depot, read);
  }
  return read;
}

Result<std::vector<Depot>> Realm::depots_titled(std::string_view title) const {
  std::vector<Depot> out;
  for (const auto& id : TRY(titles_.find(title))) {
    auto depot = get_depot(id);
    if (!depot && depot.error().code == Code::kDepotNotFound) continue;  // deleted since
    // Renamed since.
    if (TRY(depot).title == title) out.push_back(std::move(*depot));
  }
  return out;
}

Result<Realm::StoredDepot> Realm::read_depot(const DepotId& depot) const {
  auto key = records::depot_key(id_, depot);
  auto value = TRY(kv_.get(key));
  if (!value) return no_depot(depot);
  return StoredDepot{TRY(records::decode_depot(key, *value)), std::move(*value)};
}

Result<Depot> Realm::update(const DepotId& id, const DepotChange& change) {
  const auto key = records::depot_key(id_, id);
  // The condition on the depot's record, which update() adds, covers the rest of the batch too:
  // every commit rewrites this record, so no history entry can appear in between.
  return cairn::update(kv_, key, "the depot " + id.render(),
                       [&](const auto& stored, Batch& batch) -> Result<Depot> {
                         if (!stored) return no_depot(id);
                         auto depot = TRY(records::decode_depot(key, *stored));
                         batch.realm = id_;
                         TRY(change(depot, batch));
                         batch.puts.push_back({key, records::encode(depot)});
                         return depot;
                       });
}

Result<Depot> Realm::rename_depot(const DepotId& depot, std::string_view title) {
  TRY(check_title(title));
  return update(depot, [&](Depot& record, Batch& batch) -> Result<void> {
    if (record.title == title) return {};
    TRY(titles_.free(batch, record.title, depot));
    TRY(titles_.take(batch, title, depot));
    record.title = title;
    return {};
  });
}

Result<Depot> Realm::set_max_history(const DepotId& depot, std::uint64_t max_history) {
  TRY(check_max_history(max_history));
  return update(depot, [&](Depot& record, Batch&) -> Result<void> {
    record.max_history = max_history;
    return {};
  });
}

Result<Depot> Realm::set_keep(const DepotId& depot, const Keep& keep) {
  return update(depot, [&](Depot& record, Batch&) -> Result<void> {
    record.keep = keep;
    return {};
  });
}

Result<NodeKey> Realm::root_at(const Place& place) const {
  // A child index names something else after every commit; it cannot be a place.
  TRY(check_place(place.path));
  auto depot = TRY(get_depot(place.depot));
  if (place.path.is_root()) return depot.root;
  auto found = TRY(find_place(nodes_, depot.root, place.path));
  if (found) return found->key;
  return fail(Code::kPathNotFound,
              "the part of the depot that this is about does not exist: it was removed or renamed");
}

Result<void> Realm::save(const Stage& stage, const Changed& change, const NodeKey& from,
                         std::optional<Place> place) {
  SaveOptions options;
  options.place = std::move(place);
  return save(stage, change, from, options);
}

Result<void> Realm::save(const Stage& stage, const Changed& change, const NodeKey& from,
                         const SaveOptions& options) {
  const auto& root = change.root->key();
  if (options.place) TRY(check_place(options.place->path));
  // Others save and commit the same root at the same time: no note is lost.
  return until_committed(kv_, "the root " + root.render(), [&](Batch& batch) -> Result<void> {
    batch.realm = id_;
    batch.nodes = stage.reachable(root);
    // The new nodes refer to nodes of `from` and to those that were linked in. Requiring them here
    // keeps the rule that every stored node has its children, whatever a sweep is doing.
    batch.required = change.linked;
    batch.required.push_back(from);
    // No depot points at this root yet, so losing it in a crash loses nothing that was promised.
    // The commit that makes it part of a depot syncs the log, and these nodes with it.
    batch.durability = Durability::kBuffered;
    // A root that arose in several places says nothing of where its author is at work, unless the
    // author made it there.
    auto grow_leaf = [&](const Origin& origin, bool only) -> Result<void> {
      if (!options.author || root == from) return {};
      Leaf leaf{*options.author, origin.place, root, origin.base, clock_.now()};
      const auto grown = TRY(leaves_.find(leaf.author, leaf.place, from));
      // What is made on the depot itself began there, also when the author made that root as well.
      if (grown && !options.place) leaf.base = grown->base;
      if (grown || only) leaves_.grow(batch, leaf, from);
      return {};
    };
    auto remember = [&](Origin origin, bool only) -> Result<void> {
      const auto key = records::origin_key(id_, root, origin.place);
      const auto stored = TRY(kv_.get(key));
      TRY(grow_leaf(origin, only));
      if (stored) origin.add(TRY(records::decode_origin(key, *stored)).origin, root);
      origin.time = clock_.now();
      batch.conditions.push_back({key, stored});
      batch.puts.push_back({key, records::encode(origin)});
      return {};
    };
    if (options.place) {
      TRY(remember(Origin{*options.place, from}, true));
    } else {
      // `from` may have grown from several depots, or places; the new root grew from all of them.
      auto origins = TRY(origins_of(from));
      const bool only = origins.size() == 1;
      for (auto& origin : origins) {
        // Somebody else has made it again since it was committed: whoever names it means that one.
        const bool again = origin.base != from && origin.grew_from(from);
        if (again && options.author && !TRY(leaves_.find(*options.author, origin.place, from))) {
          origin = Origin{origin.place, from};
        }
        TRY(remember(std::move(origin).of_what_is_made_on(from), only));
      }
    }
    ownership_.add_to(batch, options.owners, {&root, 1});
    ownership_.add_to(batch, options.owners, options.also_owned);
    return {};
  });
}

Result<std::optional<Origin>> Realm::origin_of(const NodeKey& root, const Place& place) const {
  auto key = records::origin_key(id_, root, place);
  auto value = TRY(kv_.get(key));
  if (!value) return std::nullopt;
  return std::move(TRY(records::decode_origin(key, *value)).origin);
}

Result<std::vector<Origin>> Realm::origins_of(const NodeKey& root) const {
  std::vector<Origin> out;
  TRY(scan_records(kv_, records::origins(id_, root),
                   [&](ByteView key, ByteView value) -> Result<void> {
                     out.push_back(TRY(records::decode_origin(key, value)).origin);
                     return {};
                   }));
  return out;
}

Realm::Upload::Upload(Realm& realm) : realm_(realm), began_(realm.clock_.now()) {
  // A multiset: two uploads may begin in the same millisecond.
  realm_.uploads_.lock()->insert(began_);
}

Realm::Upload::~Upload() {
  auto uploads = realm_.uploads_.lock();
  uploads->erase(uploads->find(began_));
}

std::optional<Millis> Realm::oldest_upload() const {
  auto uploads = uploads_.lock();
  if (uploads->empty()) return std::nullopt;
  return *uploads->begin();
}

Result<NodeKey> Realm::resolve(std::string_view text) const {
  auto prefix = TRY(KeyPrefix::parse(text));
  return cairn::resolve(nodes_, prefix);
}

}  // namespace cairn
