#include "data/workspace/similar_names.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <utf8proc.h>

#include "base/os/names.h"
#include "base/similar.h"
#include "base/utf8.h"

namespace cairn {
namespace {

constexpr std::size_t kNamesToCompare = 1000;

bool is_ascii(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Nothing for what is not UTF-8: it is equal to itself only.
std::optional<std::string> composed(const std::string& name) {
  if (!valid_utf8(name)) return std::nullopt;
  auto* const text = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(name.c_str()));
  if (text == nullptr) return std::nullopt;
  std::string out(reinterpret_cast<const char*>(text));
  std::free(text);
  return out;
}

}  // namespace

bool may_have_equivalent(std::string_view name) {
  // Of ASCII, only K (the sign of kelvin), ; and ` are what another character is composed to.
  return !is_ascii(name) || name.find_first_of("K;`") != name.npos;
}

Equivalent equivalent_name(int directory, const std::string& name) {
  if (!may_have_equivalent(name)) return {};
  const auto wanted = composed(name);
  if (!wanted) return {};
  auto names = os::NameReader::open(directory);
  if (!names) return {};
  Equivalent found;
  while (true) {
    const auto entry = names->next();
    if (!entry || !*entry) return found;
    const auto other = (*entry)->name;
    if (is_ascii(other) || composed(std::string(other)) != wanted) {
      // ASCII is its own composed form.
      if (other != *wanted) continue;
    }
    if (other == name) return {.name = name};
    found.ambiguous = found.name.has_value();
    if (found.ambiguous) return found;
    found.name = other;
  }
}

std::string nearest_name(int directory, const std::string& name) {
  auto names = os::NameReader::open(directory);
  if (!names) return {};
  std::vector<std::string> candidates;
  while (candidates.size() < kNamesToCompare) {
    const auto entry = names->next();
    if (!entry || !*entry) break;
    candidates.emplace_back((*entry)->name);
  }
  return std::string(most_similar(name, candidates));
}

}  // namespace cairn
