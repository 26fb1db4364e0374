#include "tools/depots/record_quota.h"

#include "data/access/delegate.h"
#include "data/realm/records.h"

namespace cairn::depots {
namespace {

struct Taken {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
};

Result<Taken> taken(Call& call, std::initializer_list<KeyRange> ranges) {
  Taken out;
  for (const auto& range : ranges) {
    TRY(call.services().realms.store().kv().scan(range, Direction::kForward,
                                                 [&](ByteView key, ByteView value) {
                                                   out.bytes += key.size() + value.size();
                                                   out.count += 1;
                                                   return Scan::kContinue;
                                                 }));
  }
  return out;
}

}  // namespace

Result<void> check_record_quota(Call& call) {
  const auto usage = TRY(call.realm().usage());
  if (usage.quota_limit == 0) return {};
  const auto& realm = call.session().realm;
  const auto bytes = TRY(call.services().endpoints.bytes(realm)) +
                     TRY(taken(call, {access_records::delegates(realm), records::depots(realm),
                                      records::deleted(realm)}))
                         .bytes;
  if (usage.physical_bytes + bytes < usage.quota_limit) return {};
  return fail(
      Code::kQuotaExceeded,
      "files take {} bytes, tools, endpoints, delegates and depots {}, and the quota is {}; "
      "delete what is not needed, or raise the quota",
      usage.physical_bytes, bytes, usage.quota_limit);
}

Result<void> check_depot_room(Call& call) {
  TRY(check_record_quota(call));
  if (call.session().branch() == nullptr) return {};
  const auto& realm = call.session().realm;
  const auto count = TRY(taken(call, {records::depots(realm), records::deleted(realm)})).count;
  if (count < kMostOfDelegates) return {};
  return fail(
      Code::kTooManyEntries,
      "there are {} depots, deleted ones included, and delegates make up to {}; the realm's "
      "owner can make more",
      count, kMostOfDelegates);
}

}  // namespace cairn::depots
