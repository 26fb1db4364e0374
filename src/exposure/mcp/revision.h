// The revisions of the protocol. Those before 2026-07-28 open with `initialize` and keep state
// between requests (the legacy era); from then on each request says all that is needed (modern).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cairn::mcp {

enum class Revision { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };

inline constexpr Revision kLatestLegacy = Revision::k2025_11_25;
inline constexpr Revision kFirstModern = Revision::k2026_07_28;

std::string_view name(Revision revision);
// Nullopt: a revision that is not spoken here.
std::optional<Revision> parse_revision(std::string_view text);
// Newest first.
std::span<const Revision> all_revisions();

enum class Era { kLegacy, kModern };

inline bool is_modern(Revision revision) { return revision >= kFirstModern; }

}  // namespace cairn::mcp
