#include <algorithm>
#include <iterator>

#include "base/quote.h"
#include "data/text/lines.h"
#include "tools/executor/shape.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"
#include "tools/workspace/line_diff.h"
#include "tools/workspace/loose_edit.h"

namespace cairn::work {
namespace {

std::vector<LooseEdit> edits_of(const Arguments& arguments) {
  std::vector<LooseEdit> out;
  for (const auto& item : arguments.object().at("edits").get_array()) {
    const Arguments one(item.get_object());
    out.push_back({std::string(one.text("oldText")), std::string(one.text("newText")),
                   one.flag("replaceAll")});
  }
  return out;
}

// In a fence that is longer than any in it.
std::string fenced(const std::string& diff) {
  std::string fence = "```";
  while (diff.contains(fence)) fence += '`';
  return fence + "diff\n" + diff + fence + "\n\n";
}

std::vector<std::string> notes_of(const LooseResult& done) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < done.matches.size(); ++i) {
    const auto& match = done.matches[i];
    if (match.count < 2 || match.all) continue;
    out.push_back(fmt::format(
        "edit {} matched {}{} times; the first, on line {}, was replaced. Longer oldText names one "
        "of the others, replaceAll all of them.",
        i + 1, match.count, match.count == kMaxCounted ? " or more" : "", match.line));
  }
  return out;
}

struct Edited {
  std::string place;
  Bytes before;
  LooseResult done;
  Bytes after;  // with the line ends that were there
};

Result<Edited> edited(const std::string& place, ByteView before,
                      const std::vector<LooseEdit>& edits, Budget& budget) {
  Edited out{.place = place, .before = Bytes(before), .done = {}, .after = {}};
  out.done = TRY(loose_edits(before, edits, budget));
  out.after = with_old_ends(before, out.done.text);
  return out;
}

Result<json::Object> answer(const Work& work, const Edited& edit, const Arguments& arguments) {
  const auto most = work.content_bytes.text;
  auto notes = notes_of(edit.done);
  std::ranges::copy(work.files.notes(), std::back_inserter(notes));
  if (work.manual() && !work.dry) {
    return result(json::Object{{"editsApplied", edit.done.matches.size()},
                               {"path", work.files.relative(edit.place)}},
                  notes);
  }
  if (work.manual()) {
    if (edit.before.size() > most || edit.after.size() > most) {
      return fail(Code::kFileTooLarge,
                  "'{}' has {} bytes, and {} when it is edited, too many to show; {} can be. Read "
                  "the lines with read_text_file and offset, limit, head or tail",
                  shown(edit.place, 300), edit.before.size(), edit.after.size(), most);
    }
    json::Array changes;
    for (const auto& item : arguments.object().at("edits").get_array()) changes.emplace_back(item);
    return result(json::Object{{"dryRun", true},
                               {"original", as_text(edit.before)},
                               {"modified", as_text(edit.after)},
                               {"changes", std::move(changes)}},
                  notes);
  }
  const auto plain = without_cr(edit.before);
  const auto before = split_lines(plain);
  const auto after = split_lines(edit.done.text);
  auto diff = as_text(patch_of(edit.place, before, after, line_steps(before, after)));
  if (diff.size() > most) {
    notes.push_back(
        fmt::format("the diff is left out: it has {} bytes, more than the {} of an "
                    "answer",
                    diff.size(), most));
    auto out = said_of(work, {.done = "edited", .would = "edited", .what = edit.place});
    add_notes(out, notes);
    return out;
  }
  return said(fenced(diff), notes);
}

Result<json::Object> run_edit(const Work& work, const Arguments& arguments) {
  const auto edits = edits_of(arguments);
  const auto path = arguments.text("path");
  Budget budget(work.clock, {.time = Work::kTime, .stop = work.stop});
  Edited last;
  TRY(work.files.edit(path, [&](ByteView before, const std::string& place) -> Result<Bytes> {
    TRY(check_text(place, before.size(), before));
    last = TRY(edited(place, before, edits, budget));
    return last.after;
  }));
  return answer(work, last, arguments);
}

json::Value edit_shape() {
  return shape::object(
      {{"oldText", shape::text("Text to replace")},
       {"newText", shape::text("What comes instead")},
       {"replaceAll", shape::flag("Every place, not the first"), shape::kOptional}});
}

}  // namespace

FileTool edit_tool() {
  return {
      .tool = {.name = "edit_file",
               .title = "Edit File",
               .description =
                   "Replaces text in a file: each edit the first place where its oldText stands, "
                   "exactly or "
                   "else as whole lines with other white space around them. All edits are made or "
                   "none, "
                   "line endings stay. Answers with a diff; with dryRun nothing but that.",
               .input =
                   shape::object({{"path", path_shape("File")},
                                  {"edits", shape::list_of(edit_shape(), "Made one after another")},
                                  dry_run_shape()}),
               .output = said_shape(),
               .annotations = {.destructive = true}},
      .operation = "open",
      .work = run_edit,
  };
}

}  // namespace cairn::work
