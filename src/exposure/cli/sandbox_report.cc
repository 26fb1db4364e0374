#include "exposure/cli/sandbox_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/quote.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kMaxListed = 1000;
constexpr std::size_t kMaxLines = 2000;

using Kind = sandbox::SandboxChange::Kind;

// As much of the text as there is room for; takes that away.
std::string_view first_lines(std::string_view text, std::size_t& room) {
  std::size_t end = 0;
  for (; room > 0 && end < text.size(); --room) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(0, end);
}

Table::Cell mark(Kind kind) {
  switch (kind) {
    case Kind::kAdded:
      return {"A", Style::kGreen};
    case Kind::kModified:
      return {"M", Style::kYellow};
    case Kind::kRemoved:
      return {"D", Style::kRed};
  }
  return {""};
}

void print_list(Output& out, const sandbox::SandboxChanges& changes) {
  Table table({{""}, {"", Table::Align::kRight}, {""}});
  for (std::size_t i = 0; i < std::min(changes.list.size(), kMaxListed); ++i) {
    const auto& change = changes.list[i];
    const bool is_dir = change.entry == client::EntryKind::kDirectory;
    const auto bytes = change.kind == Kind::kRemoved ? change.before : change.after;
    table.add({mark(change.kind),
               {is_dir ? "dir" : human_size(static_cast<std::int64_t>(bytes)), Style::kDim},
               out.safe(shown(change.path, 1000)) + (is_dir ? "/" : "")});
  }
  table.print(out);
  if (changes.list.size() > kMaxListed) {
    out.print("… and {} more\n", changes.list.size() - kMaxListed);
  }
}

}  // namespace

Result<void> print_changes(Output& out, client::Client& client, const sandbox::SandboxTree& tree,
                           const sandbox::SandboxChanges& changes) {
  print_list(out, changes);
  std::size_t room = kMaxLines;
  std::size_t left_out = 0;
  for (const auto& change : changes.list) {
    if (change.entry != client::EntryKind::kFile) continue;
    if (room == 0) {
      left_out += 1;
      continue;
    }
    const auto text = TRY(unified(client, tree, change));
    if (!text) continue;
    const auto shown_lines = first_lines(*text, room);
    print_unified(out, shown_lines);
    if (shown_lines.size() < text->size()) left_out += 1;
  }
  if (left_out > 0) {
    out.print("… and more lines in {}\n", counted(static_cast<std::int64_t>(left_out), "file"));
  }
  return {};
}

}  // namespace cairn::cli
