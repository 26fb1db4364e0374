// Three-way merge of JSON documents by key, and the comparison of values it rests on.
//
// Threads     merge_json() is a function of its arguments; JsonValues is one thread's at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "data/text/json_text.h"

namespace cairn {

// `ours` with what `theirs` changed since `base`; nothing when the two conflict or one of the three
// is not JSON as JsonText reads it.
//
// Objects are merged member by member, at any depth: what one side added, removed or changed is
// taken, equal changes count once. In conflict are a member removed on one side and changed on the
// other, and one that both sides changed to or added with different values, unless it was and is an
// object on all sides. An array is one value. Values are compared as JsonValues does: spelling,
// layout and the order of members do not count as changes.
//
// The result is valid JSON. A side without any changed byte gives the other side as it is;
// otherwise every byte outside of what theirs changed is as in ours. A new member stands after the
// one it follows in theirs, laid out like its new siblings.
//
// Costs  n log n in the size of the three; the result is at most about ours and theirs, plus the
//        white space of new members.
std::optional<Bytes> merge_json(ByteView base, ByteView ours, ByteView theirs);

// Whether a file of this type is merged so.
bool is_json_type(std::string_view content_type);

// One value that both sides changed in ways that do not fit, as each side writes it; nothing: it
// is not there.
struct JsonConflict {
  std::string pointer;  // RFC 6901
  std::optional<ByteView> base;
  std::optional<ByteView> ours;
  std::optional<ByteView> theirs;
};

// Why merge_json() gives nothing for three documents, in the order of ours and then of theirs, the
// first `most`; none when one of them is not JSON. The views are of the arguments.
std::vector<JsonConflict> json_conflicts(ByteView base, ByteView ours, ByteView theirs,
                                         std::size_t most);

// Numbers the different values of any number of documents. Two values have the same number if and
// only if they are equal: strings once decoded, numbers as decimals, objects without regard to
// order.
class JsonValues final {
 public:
  using Id = std::uint32_t;

  // One number for each node. Costs n log n.
  std::vector<Id> number(const JsonText& text);

 private:
  Id id_of(std::string shape);
  std::string shape_of(const JsonText& text, JsonText::Index i, const std::vector<Id>& ids);
  std::string array_shape(const JsonText& text, JsonText::Index i, const std::vector<Id>& ids);
  std::string object_shape(const JsonText& text, JsonText::Index i, const std::vector<Id>& ids);

  std::map<std::string, Id> ids_;
};

}  // namespace cairn
