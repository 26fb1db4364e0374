// How many bytes of JSON what listings say takes: an answer is bounded by what is really sent.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/cas/dict.h"

namespace cairn {

// How keys are written in a listing: whole for programs, short for agents.
struct Rendering {
  std::size_t key_bytes = 4 + NodeKey::kDigits;
};

// `{"path":"…","type":"file","key":"…","size":1,"contentType":"…"},`, as fs_find and fs_ls have it;
// `label` is all that stands before the type.
std::int64_t row_bytes(std::size_t label, const Entry& entry, const Rendering& rendering);
// `"name":{"hash":"…","kind":"file","type":"…","size":1},`, as fs_tree has it.
std::int64_t branch_bytes(std::string_view name, const EntryValue& value,
                          const Rendering& rendering);
// The digits of a number.
std::size_t digits(std::uint64_t number);

}  // namespace cairn
