// Input: a byte of flags, then fields that end in NUL: the text, and pairs of old and new text.
// Bit i of the flags asks edit i for all matches.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "data/text/edit.h"

namespace {

using cairn::ByteView;
using cairn::Code;
using cairn::Replacement;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> fields_of(ByteView input) {
  std::vector<std::string> fields;
  while (fields.size() < 9) {
    const auto end = input.find('\0');
    fields.emplace_back(input.substr(0, end));
    if (end == ByteView::npos) break;
    input.remove_prefix(end + 1);
  }
  return fields;
}

// Replaces from the left; how often.
std::size_t replace_slowly(std::string& text, const Replacement& edit) {
  std::size_t count = 0;
  for (auto at = text.find(edit.old_text); at != std::string::npos;
       at = text.find(edit.old_text, at + edit.new_text.size())) {
    text.replace(at, edit.old_text.size(), edit.new_text);
    ++count;
  }
  return count;
}

void check_success(const cairn::EditResult& result, std::string text,
                   const std::vector<Replacement>& edits) {
  require(result.counts.size() == edits.size());
  bool has_returns = text.find('\r') != std::string::npos;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    require(result.counts[i] >= 1);
    require(edits[i].all || result.counts[i] == 1);
    has_returns = has_returns || edits[i].new_text.find('\r') != std::string::npos;
    if (!has_returns) require(replace_slowly(text, edits[i]) == result.counts[i]);
  }
  if (!has_returns) require(text == result.text);
}

void check_failure(const cairn::Error& error) {
  require(error.code == Code::kEditNoMatch || error.code == Code::kEditAmbiguous ||
          error.code == Code::kInvalidArgument || error.code == Code::kFileTooLarge);
  require(error.message.size() < 1000);
  require(cairn::valid_utf8(error.message));
  const auto edit = error.details.find("edit");
  require(edit != error.details.end() && std::get<std::int64_t>(edit->second) >= 1);
  if (error.code != Code::kEditAmbiguous) return;
  require(std::get<std::int64_t>(error.details.at("matches")) > 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto flags = data[0];
  const auto fields = fields_of({reinterpret_cast<const char*>(data) + 1, size - 1});
  std::vector<Replacement> edits;
  for (std::size_t i = 1; i + 1 < fields.size(); i += 2) {
    edits.push_back({fields[i], fields[i + 1], (flags >> edits.size() & 1) != 0});
  }
  const auto result = cairn::apply_edits(fields[0], edits);
  if (result) {
    check_success(*result, fields[0], edits);
  } else {
    check_failure(result.error());
  }
  return 0;
}
