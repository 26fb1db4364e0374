#include "data/realm/titles.h"

#include <algorithm>
#include <map>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/realm/version.h"
#include "data/store/update.h"

namespace cairn {

Result<void> check_title(std::string_view title) {
  const bool printable = std::ranges::none_of(
      title, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (title.empty() || title.size() > Titles::kMaxBytes || !printable || !valid_utf8(title)) {
    return fail(
        Code::kInvalidArgument,
        "the title should be 1 to {} bytes of UTF-8 without control characters; it has {} bytes",
        Titles::kMaxBytes, title.size());
  }
  if (title.front() == ' ' || title.back() == ' ') {
    return fail(Code::kInvalidArgument, "the title '{}' begins or ends with a blank; leave it out",
                shown(title));
  }
  if (title.contains(':')) {
    return fail(Code::kInvalidArgument,
                "the title '{}' has a ':' in it, which ends the depot's name in an address such as "
                "my-project:src/main.ts; choose one without",
                shown(title));
  }
  // A word may be a tag, or no version at all: who has such a title goes first.
  const auto at = title.rfind('@');
  const auto version = Version::parse(at == std::string_view::npos ? "" : title.substr(at + 1));
  if (version && !std::holds_alternative<Version::Tag>(version->value)) {
    return fail(Code::kInvalidArgument,
                "the title '{}' ends as the address of a version does ('{}') and would hide that "
                "version of another depot; choose one without",
                shown(title), shown(title.substr(at)));
  }
  for (std::string_view prefix : {"dpt_", "nod_", "dft_"}) {
    if (!title.starts_with(prefix)) continue;
    return fail(Code::kInvalidArgument,
                "the title '{}' begins as ids do ({}…) and would be taken for one; choose another",
                shown(title), prefix);
  }
  return {};
}

Result<std::vector<DepotId>> Titles::find(std::string_view title) const {
  // No depot can have it, and the index has its mark where the empty title would be.
  if (title.empty() || title.size() > kMaxBytes) return std::vector<DepotId>();
  const auto key = records::title_key(realm_, title);
  auto stored = TRY(kv_.get(key));
  // Built in one step: where there is a row, there are all.
  if (!stored) {
    TRY(build());
    stored = TRY(kv_.get(key));
  }
  if (!stored) return std::vector<DepotId>();
  return records::decode_title(*stored);
}

// Whoever changes a title comes through here first, so no depot is missed between the scan and the
// commit: the mark is there before, or this commit is refused.
Result<void> Titles::build() const {
  const auto mark = records::title_key(realm_, "");
  return update(
      kv_, mark, "the index of titles", [&](const auto& stored, Batch& batch) -> Result<void> {
        if (stored) return {};
        std::map<std::string, std::vector<DepotId>> all;
        TRY(scan_records(kv_, records::depots(realm_),
                         [&](ByteView key, ByteView value) -> Result<void> {
                           auto depot = TRY(records::decode_depot(key, value));
                           all[depot.title].push_back(depot.id);
                           return {};
                         }));
        for (const auto& [title, ids] : all) {
          batch.puts.push_back({records::title_key(realm_, title), records::encode_title(ids)});
        }
        batch.puts.push_back({mark, records::encode_title({})});
        return {};
      });
}

Result<void> Titles::take(Batch& batch, std::string_view title, const DepotId& depot) {
  const auto others = TRY(find(title));
  if (!others.empty()) {
    return Failure(Error(Code::kTargetExists,
                         fmt::format("there is a depot with the title '{}' already; choose another",
                                     shown(title)))
                       .with("depotId", others.front().render()));
  }
  const auto key = records::title_key(realm_, title);
  batch.conditions.push_back({key, std::nullopt});
  batch.puts.push_back({key, records::encode_title({&depot, 1})});
  return {};
}

Result<void> Titles::free(Batch& batch, std::string_view title, const DepotId& depot) {
  auto ids = TRY(find(title));
  const auto key = records::title_key(realm_, title);
  const auto before = ids.empty() ? std::nullopt : std::optional(records::encode_title(ids));
  std::erase(ids, depot);
  batch.conditions.push_back({key, before});
  if (ids.empty()) {
    batch.deletes.push_back(key);
  } else {
    batch.puts.push_back({key, records::encode_title(ids)});
  }
  return {};
}

}  // namespace cairn
