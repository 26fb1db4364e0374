#include "base/os/temporary.h"

#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "base/os/remove_tree.h"

namespace cairn::os {
namespace {

constexpr std::string_view kEnd = ".tmp";
constexpr std::size_t kCounterDigits = 8;

std::uint32_t number(Random& random) {
  const auto bytes = random.bytes(sizeof(std::uint32_t));
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

TemporaryNames::TemporaryNames(Random& random)
    : beginning_(fmt::format(".cairn-{:08x}", number(random))), counter_(number(random)) {}

std::string TemporaryNames::next() {
  return fmt::format("{}{:08x}{}", beginning_, counter_.fetch_add(1), kEnd);
}

bool TemporaryNames::mine(std::string_view name) const {
  return name.size() == beginning_.size() + kCounterDigits + kEnd.size() &&
         name.starts_with(beginning_) && name.ends_with(kEnd);
}

Draft::~Draft() {
  if (!kept_) std::ignore = remove_tree(directory_, name_, names_, kernel_);
}

}  // namespace cairn::os
