// Realm's tags: versions with names. All of a depot's are one record, so that whoever thins the
// history can require that none was set meanwhile.

#include <algorithm>

#include "base/quote.h"
#include "data/realm/realm.h"
#include "data/store/update.h"

namespace cairn {

Result<std::vector<Tag>> Realm::tags(const DepotId& depot) const {
  const auto stored = TRY(kv_.get(records::tags_key(id_, depot)));
  if (!stored) return std::vector<Tag>();
  return records::decode_tags(*stored);
}

Result<Tag> Realm::set_tag(const DepotId& depot, std::string_view name, std::uint64_t sequence) {
  TRY(check_tag_name(name));
  const auto key = records::tags_key(id_, depot);
  const auto entry_key = records::history_key(id_, depot, sequence);
  return cairn::update(
      kv_, key, "the tags of " + depot.render(),
      [&](const auto& stored, Batch& batch) -> Result<Tag> {
        // The commit has to be there when the tag is: both are required in the same step.
        const auto record = TRY(read_depot(depot));
        TRY(entry_at(record.depot, sequence));
        batch.conditions.push_back({entry_key, TRY(kv_.get(entry_key))});
        auto all = stored ? TRY(records::decode_tags(*stored)) : std::vector<Tag>();
        const Tag tag{std::string(name), sequence, clock_.now()};
        auto at = std::ranges::lower_bound(all, tag.name, {}, &Tag::name);
        if (at != all.end() && at->name == tag.name) {
          *at = tag;
        } else if (all.size() >= kMaxTags) {
          return fail(Code::kInvalidArgument, "the depot has {} tags already, which is the most",
                      all.size());
        } else {
          all.insert(at, tag);
        }
        batch.puts.push_back({key, records::encode(all)});
        return tag;
      });
}

Result<void> Realm::remove_tag(const DepotId& depot, std::string_view name) {
  const auto key = records::tags_key(id_, depot);
  return cairn::update(
      kv_, key, "the tags of " + depot.render(),
      [&](const auto& stored, Batch& batch) -> Result<void> {
        auto all = stored ? TRY(records::decode_tags(*stored)) : std::vector<Tag>();
        if (std::erase_if(all, [&](const Tag& tag) { return tag.name == name; }) == 0) {
          return fail(Code::kHistoryNotFound, "there is no tag '{}'", shown(name));
        }
        batch.puts.push_back({key, records::encode(all)});
        return {};
      });
}

}  // namespace cairn
