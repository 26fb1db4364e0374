// Names in a directory that are nearly, or in other code points exactly, what was asked for.
//
// Threads     plain functions of their arguments.
// Fails with  nothing: a directory that cannot be listed has no such names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// The name in the directory that is the same after Unicode normalisation (NFC). Where there are
// several, `ambiguous`.
struct Equivalent {
  std::optional<std::string> name;
  bool ambiguous = false;
};
Equivalent equivalent_name(int directory, const std::string& name);
// False when no other name can be equivalent: no need to look.
bool may_have_equivalent(std::string_view name);

// The nearest of the first thousand names; empty when none is near.
std::string nearest_name(int directory, const std::string& name);

}  // namespace cairn
