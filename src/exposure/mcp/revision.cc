#include "exposure/mcp/revision.h"

#include <array>

namespace cairn::mcp {
namespace {

constexpr std::array kAll = {Revision::k2026_07_28, Revision::k2025_11_25, Revision::k2025_06_18,
                             Revision::k2025_03_26, Revision::k2024_11_05};

}  // namespace

std::string_view name(Revision revision) {
  switch (revision) {
    case Revision::k2024_11_05:
      return "2024-11-05";
    case Revision::k2025_03_26:
      return "2025-03-26";
    case Revision::k2025_06_18:
      return "2025-06-18";
    case Revision::k2025_11_25:
      return "2025-11-25";
    case Revision::k2026_07_28:
      return "2026-07-28";
  }
  return "";
}

std::optional<Revision> parse_revision(std::string_view text) {
  for (const Revision revision : kAll) {
    if (name(revision) == text) return revision;
  }
  return std::nullopt;
}

std::span<const Revision> all_revisions() { return kAll; }

}  // namespace cairn::mcp
