#include "data/access/directory_grant.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn {

Result<void> check_directory_name(std::string_view name) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return is_alphanumeric(c) || std::string_view("._-").contains(c); });
  if (plain && !name.empty() && name.size() <= DirectoryGrant::kMaxNameBytes && name != "." &&
      name != "..") {
    return {};
  }
  return fail(Code::kInvalidArgument,
              "the name of a directory '{}' should be 1 to {} letters, digits or any of . _ -",
              shown(name), DirectoryGrant::kMaxNameBytes);
}

Result<void> check_grants(std::span<const DirectoryGrant> grants) {
  if (grants.size() > DirectoryGrant::kMaxGrants) {
    return fail(Code::kInvalidArgument, "there are {} directories; the most is {}", grants.size(),
                DirectoryGrant::kMaxGrants);
  }
  for (const auto& grant : grants) {
    TRY(check_directory_name(grant.name));
    if (std::ranges::count(grants, grant.name, &DirectoryGrant::name) > 1) {
      return fail(Code::kInvalidArgument, "the directory '{}' is named twice", grant.name);
    }
  }
  return {};
}

DirectoryUse use_in(std::span<const DirectoryGrant> grants, std::string_view name) {
  const auto found = std::ranges::find(grants, name, &DirectoryGrant::name);
  if (found == grants.end()) return DirectoryUse::kNone;
  return found->write ? DirectoryUse::kWrite : DirectoryUse::kRead;
}

void put_grants(Bytes& out, std::span<const DirectoryGrant> grants) {
  put_varint(out, grants.size());
  for (const auto& grant : grants) {
    put_text(out, grant.name);
    out.push_back(grant.write ? 1 : 0);
  }
}

std::vector<DirectoryGrant> take_grants(ByteReader& in) {
  std::vector<DirectoryGrant> out;
  for (auto count = in.varint(); count > 0 && !in.failed(); --count) {
    DirectoryGrant grant;
    grant.name = in.text();
    grant.write = in.byte() == 1;
    if (!in.failed()) out.push_back(std::move(grant));
  }
  return out;
}

}  // namespace cairn
