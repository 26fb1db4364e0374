#include "data/cas/reference.h"

#include "base/quote.h"
#include "data/cas/boundary.h"
#include "data/cas/dict.h"

namespace cairn {
namespace {

Reference reference_of(const Entry& entry) {
  if (!entry.is_dir()) {
    return {entry.key, Kind::kFile, entry.name, std::nullopt, {0, 0, entry.bytes}, entry.type};
  }
  return {
      entry.key, Kind::kDict, entry.name, std::nullopt, {entry.children, entry.files, entry.bytes},
      {}};
}

// The names and totals of directories, the bytes of files and pieces.
std::optional<std::string> wrong_totals(const Totals& said, const Totals& is) {
  if (said.bytes != is.bytes) {
    return fmt::format("is {} bytes long, and not {}", is.bytes, said.bytes);
  }
  if (said.entries != is.entries) {
    return fmt::format("has {} entries, and not {}", is.entries, said.entries);
  }
  if (said.files != is.files) return fmt::format("has {} files, and not {}", is.files, said.files);
  return std::nullopt;
}

std::string_view last_name(const Node& dict) {
  if (dict.level() > 0) return dict.branches().back().last;
  return dict.entries().empty() ? std::string_view() : dict.entries().back().name;
}

// The first name below a part of a directory.
Result<std::string> first_name(const NodeReader& nodes, const Node& part) {
  if (part.level() == 0) {
    return std::string(part.entries().empty() ? std::string_view() : part.entries().front().name);
  }
  return first_name(nodes, *TRY(nodes.get(part.branches().front().key)));
}

// Whether a node that is not the last of its level ends where it should, and so do the last ones
// below it.
Result<bool> ends_at_its_cut(const NodeReader& nodes, const Node& part) {
  if (part.kind() == Kind::kSuccessor) {
    if (part.level() == 0) return true;
    auto pieces = part.pieces();
    if (!PieceBoundary::ends(part.level(), pieces.size(), pieces.back().key)) return false;
    return ends_at_its_cut(nodes, *TRY(nodes.get(pieces.back().key)));
  }
  auto count = part.level() == 0 ? part.entries().size() : part.branches().size();
  if (!DictBoundary::ends(part.level(), count, last_name(part))) return false;
  if (part.level() == 0) return true;
  return ends_at_its_cut(nodes, *TRY(nodes.get(part.branches().back().key)));
}

}  // namespace

std::vector<Reference> references(const Node& node) {
  std::vector<Reference> all;
  all.reserve(node.entries().size() + node.branches().size() + node.pieces().size());
  for (const auto& entry : node.entries()) all.push_back(reference_of(entry));
  for (const auto& branch : node.branches()) {
    all.push_back({branch.key,
                   Kind::kDict,
                   branch.last,
                   node.level() - 1,
                   {branch.entries, branch.files, branch.bytes},
                   {}});
  }
  for (const auto& piece : node.pieces()) {
    all.push_back({piece.key, Kind::kSuccessor, {}, node.level() - 1, {0, 0, piece.length}, {}});
  }
  return all;
}

std::optional<std::string> contradiction(const Reference& reference, const Node& child) {
  if (child.kind() != reference.kind) {
    return fmt::format("is a {}, and not a {}", name(child.kind()), name(reference.kind));
  }
  if (reference.level && child.level() != *reference.level) {
    return fmt::format("is of level {}, and not {}", child.level(), *reference.level);
  }
  if (reference.is_entry() && !child.is_root()) return "is a part of a directory, and not a whole";
  if (auto wrong = wrong_totals(reference.totals, child.totals())) return wrong;
  if (reference.is_entry() && child.type() != reference.type) {
    return fmt::format("has the content type {}, and not {}", shown(child.type()),
                       shown(reference.type));
  }
  if (reference.kind == Kind::kDict && !reference.is_entry() &&
      last_name(child) != reference.name) {
    return fmt::format("ends with the name '{}', and not '{}'", shown(last_name(child)),
                       shown(reference.name));
  }
  return std::nullopt;
}

Result<std::optional<std::string>> wrong_between_parts(const NodeReader& nodes, const Node& node) {
  if (node.level() == 0) return std::nullopt;
  const auto parts = references(node);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto part = TRY(nodes.get(parts[i].key));
    if (i > 0 && node.kind() == Kind::kDict) {
      auto first = TRY(first_name(nodes, *part));
      if (first <= parts[i - 1].name) {
        return fmt::format(
            "part {} begins with the name '{}', which is not after '{}', the last "
            "of the part before",
            i, shown(first), shown(parts[i - 1].name));
      }
    }
    if (i + 1 < parts.size() && !TRY(ends_at_its_cut(nodes, *part))) {
      return fmt::format("part {}, {}, ends before its cut", i, parts[i].key.render());
    }
  }
  return std::nullopt;
}

}  // namespace cairn
