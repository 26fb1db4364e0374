#include "data/tree/conflict.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/text/json_merge.h"
#include "data/tree/diff.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxPaths = 20;
constexpr std::size_t kMaxHunks = 8;
// Of one side of a hunk.
constexpr std::size_t kMaxSideBytes = 2000;
constexpr std::size_t kMaxBytes = 16'000;
// Of one side of a value of JSON.
constexpr std::size_t kMaxValueBytes = 300;

std::string what(const MergeConflict& conflict) {
  const auto& [path, base, ours, theirs] = conflict;
  const auto is_dir = [](const auto& value) { return value && value->kind == Kind::kDict; };
  if (!ours && base && base == theirs) {
    return "you moved it to where it does not fit, so it is still here as well";
  }
  if (!ours) return "you removed it, and others changed it";
  if (!theirs) return "you changed it, and others removed it";
  if (is_dir(ours) != is_dir(theirs)) {
    return fmt::format("yours is a {}, theirs a {}", is_dir(ours) ? "directory" : "file",
                       is_dir(theirs) ? "directory" : "file");
  }
  return base ? "both changed it" : "both added it, differently";
}

// The beginning of a text, up to the end of a line or character; whether that is not all.
std::string beginning(std::string text, std::size_t most, bool& cut) {
  if (text.size() <= most) return text;
  cut = true;
  text.resize(most);
  if (const auto line = text.rfind('\n'); line != std::string::npos) {
    text.resize(line + 1);
  } else {
    while (!text.empty() && !valid_utf8(text)) text.pop_back();
  }
  return text;
}

struct Texts {
  std::string_view type;
  ByteView base;
  ByteView ours;
  ByteView theirs;
};

DetailRow hunk_row(const Texts& texts, const TextHunk& hunk, bool& cut) {
  DetailRow row;
  const auto add = [&](const std::string& name, ByteView text, const LineSpan& span) {
    row.fields[name] = beginning(lines_of(text, span), kMaxSideBytes, cut);
    row.fields[name + "Line"] = static_cast<std::int64_t>(span.first);
  };
  add("base", texts.base, hunk.base);
  add("theirs", texts.theirs, hunk.theirs);
  add("yours", texts.ours, hunk.ours);
  row.fields["mergedLine"] = static_cast<std::int64_t>(hunk.merged.first);
  return row;
}

// Of JSON, which is merged by key: the values that do not fit. None for what is no JSON.
void add_values(DetailRow& row, const Texts& texts, std::size_t& left) {
  auto found = json_conflicts(texts.base, texts.ours, texts.theirs, kMaxHunks + 1);
  bool cut = found.size() > kMaxHunks;
  if (cut) found.pop_back();
  std::vector<DetailRow> values;
  for (const auto& one : found) {
    cut = cut || left == 0;
    if (left == 0) break;
    DetailRow value;
    value.fields["pointer"] = one.pointer;
    const auto add = [&](const std::string& name, const std::optional<ByteView>& text) {
      if (!text) return;
      auto shown = beginning(std::string(*text), kMaxValueBytes, cut);
      left -= std::min(left, shown.size());
      value.fields[name] = std::move(shown);
    };
    add("base", one.base);
    add("theirs", one.theirs);
    add("yours", one.ours);
    values.push_back(std::move(value));
  }
  if (cut) row.fields["cut"] = std::int64_t{1};
  if (!values.empty()) row.fields["values"] = std::move(values);
}

void add_hunks(DetailRow& row, const Texts& texts, std::size_t& left) {
  if (!looks_like_text(texts.base) || !looks_like_text(texts.ours) ||
      !looks_like_text(texts.theirs)) {
    return;
  }
  if (is_json_type(texts.type)) add_values(row, texts, left);
  const auto found = settle_contents(texts.type, texts.base, texts.ours, texts.theirs);
  std::vector<DetailRow> hunks;
  bool cut = false;
  for (const auto& hunk : found.hunks) {
    if (hunks.size() == kMaxHunks || left == 0) {
      cut = true;
      break;
    }
    hunks.push_back(hunk_row(texts, hunk, cut));
    for (const auto* side : {"base", "theirs", "yours"}) {
      left -= std::min(left, std::get<std::string>(hunks.back().fields.at(side)).size());
    }
  }
  if (cut) row.fields["cut"] = std::int64_t{1};
  if (!hunks.empty()) row.fields["hunks"] = std::move(hunks);
}

// Empty for what is not there.
Result<std::optional<Bytes>> text_of(const NodeReader& nodes,
                                     const std::optional<EntryValue>& value) {
  if (!value) return Bytes();
  if (value->kind != Kind::kFile || value->bytes > kMaxMergeBytes) return std::nullopt;
  return TRY(read_file(nodes, *TRY(nodes.get(value->key))));
}

Result<void> add_lines(const NodeReader& nodes, const MergeConflict& conflict, DetailRow& row,
                       std::size_t& left) {
  if (!conflict.ours || !conflict.theirs) return {};
  const auto base = TRY(text_of(nodes, conflict.base));
  const auto ours = TRY(text_of(nodes, conflict.ours));
  const auto theirs = TRY(text_of(nodes, conflict.theirs));
  if (base && ours && theirs) add_hunks(row, {conflict.theirs->type, *base, *ours, *theirs}, left);
  return {};
}

const std::string* text_in(const DetailRow& row, const std::string& name) {
  const auto found = row.fields.find(name);
  return found == row.fields.end() ? nullptr : std::get_if<std::string>(&found->second);
}

std::span<const DetailRow> rows_in(const DetailRow& row, const std::string& name) {
  const auto found = row.fields.find(name);
  if (found == row.fields.end()) return {};
  const auto* rows = std::get_if<std::vector<DetailRow>>(&found->second);
  return rows == nullptr ? std::span<const DetailRow>() : std::span<const DetailRow>(*rows);
}

std::int64_t line_in(const DetailRow& row, const std::string& name) {
  const auto found = row.fields.find(name);
  const auto* line =
      found == row.fields.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return line == nullptr ? 0 : *line;
}

// Lines as they are, but for control characters, which a message has no use for.
void tell_lines(std::string& out, std::string_view text) {
  for (const char c : text) {
    const bool odd = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r';
    out += odd ? '?' : c;
  }
  if (!text.empty() && !text.ends_with('\n')) out += '\n';
}

// `at /port: theirs 81, yours 82, before 80`
void tell_value(std::string& out, const DetailRow& value) {
  const auto side = [&](const std::string& name) {
    const auto* text = text_in(value, name);
    return text == nullptr ? std::string("nothing") : shown(*text, kMaxValueBytes);
  };
  const auto* pointer = text_in(value, "pointer");
  fmt::format_to(std::back_inserter(out), "at {}: theirs {}, yours {}, before {}\n",
                 pointer == nullptr || pointer->empty() ? "the top" : shown(*pointer, 300),
                 side("theirs"), side("yours"), side("base"));
}

void tell_hunk(std::string& out, const DetailRow& hunk) {
  const auto side = [&](std::string_view mark, const std::string& name) {
    const bool settled = name == "theirs" && hunk.fields.contains("mergedLine");
    fmt::format_to(std::back_inserter(out), "{} {}, line {}{}\n", mark, name,
                   line_in(hunk, settled ? "mergedLine" : name + "Line"),
                   settled ? " of mergedRoot" : "");
    if (const auto* text = text_in(hunk, name)) tell_lines(out, *text);
  };
  side("<<<<<<<", "theirs");
  side("|||||||", "base");
  side("=======", "yours");
  out += ">>>>>>>\n";
}

}  // namespace

Result<std::vector<DetailRow>> describe_conflicts(const NodeReader& nodes,
                                                  std::span<const MergeConflict> conflicts,
                                                  const NodePtr& base, const NodePtr& theirs,
                                                  Budget& budget) {
  // Equal keys are equal content: what they added with the key of something that is gone, they
  // moved.
  std::map<NodeKey, std::string> added;
  const bool removed =
      std::ranges::any_of(conflicts, [](const auto& one) { return one.base && !one.theirs; });
  if (removed) {
    for (auto& change : TRY(diff(nodes, base, theirs, Directories::kWhole, budget)).changes) {
      if (!change.before && change.after) added.emplace(change.after->key, std::move(change.path));
    }
  }
  std::vector<DetailRow> out;
  auto left = kMaxBytes;
  for (const auto& conflict : conflicts.first(std::min(conflicts.size(), kMaxPaths))) {
    DetailRow row;
    row.fields["path"] = conflict.path;
    row.fields["what"] = what(conflict);
    const auto moved =
        conflict.base && !conflict.theirs ? added.find(conflict.base->key) : added.end();
    if (moved != added.end()) {
      row.fields["what"] =
          fmt::format("you changed it, and others moved it to '{}'", shown(moved->second, 300));
      row.fields["movedTo"] = moved->second;
    }
    if (conflict.base) row.fields["baseKey"] = conflict.base->key.render();
    if (conflict.ours) row.fields["yoursKey"] = conflict.ours->key.render();
    if (conflict.theirs) row.fields["theirsKey"] = conflict.theirs->key.render();
    TRY(add_lines(nodes, conflict, row, left));
    out.push_back(std::move(row));
  }
  return out;
}

DetailRow describe_conflict(std::string path, ByteView base, ByteView ours, ByteView theirs) {
  DetailRow row;
  const auto type = content_type(path, theirs);
  row.fields["path"] = std::move(path);
  row.fields["what"] = "both changed it";
  auto left = kMaxBytes;
  add_hunks(row, {type, base, ours, theirs}, left);
  std::vector<DetailRow> one{std::move(row)};
  without_merged_lines(one);
  return std::move(one.front());
}

void without_merged_lines(std::vector<DetailRow>& conflicts) {
  for (auto& row : conflicts) {
    const auto hunks = row.fields.find("hunks");
    if (hunks == row.fields.end()) continue;
    for (auto& hunk : std::get<std::vector<DetailRow>>(hunks->second)) {
      hunk.fields.erase("mergedLine");
    }
  }
}

std::string told(std::span<const DetailRow> conflicts) {
  std::string out;
  for (const auto& row : conflicts) {
    const auto* path = text_in(row, "path");
    const auto* said = text_in(row, "what");
    if (path == nullptr || said == nullptr) continue;
    fmt::format_to(std::back_inserter(out), "{}: {}\n", shown(*path, 300), *said);
    for (const auto& value : rows_in(row, "values")) tell_value(out, value);
    for (const auto& hunk : rows_in(row, "hunks")) tell_hunk(out, hunk);
    if (row.fields.contains("cut")) out += "(there is more of this file)\n";
  }
  return out;
}

}  // namespace cairn
