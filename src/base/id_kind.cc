#include "base/id_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/id.h"
#include "base/quote.h"

namespace cairn {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kKinds = {{
    {"nod_", "node key"},
    {DepotTag::kPrefix, DepotTag::kWord},
    {RealmTag::kPrefix, RealmTag::kWord},
    {DelegateTag::kPrefix, DelegateTag::kWord},
    {ToolTag::kPrefix, ToolTag::kWord},
    {EndpointTag::kPrefix, EndpointTag::kWord},
    {BindingTag::kPrefix, BindingTag::kWord},
}};

}  // namespace

std::string_view kind_of_id(std::string_view text) {
  const auto found =
      std::ranges::find_if(kKinds, [&](const auto& kind) { return text.starts_with(kind.first); });
  return found == kKinds.end() ? "" : found->second;
}

Failure wrong_id(std::string_view text, std::string_view wanted) {
  const auto kind = kind_of_id(text);
  if (kind.empty()) {
    return fail(Code::kInvalidKey, "'{}' is not {}", shown(text, 80), wanted);
  }
  const auto article = kind.front() == 'e' ? "an" : "a";
  return fail(Code::kInvalidKey, "'{}' is {} {}; {} is wanted", shown(text, 80), article, kind,
              wanted);
}

}  // namespace cairn
