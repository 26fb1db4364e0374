#include "data/json/document/splice.h"

#include <utility>

#include "base/quote.h"

namespace cairn::document {
namespace {

using json::Object;
using json::Value;

struct Patch {
  Span span;
  std::string text;
};

// REQUIRES: the patches are in order and do not overlap.
std::string patched(std::string_view text, const std::vector<Patch>& patches) {
  auto size = text.size();
  for (const auto& patch : patches) {
    size = size - (patch.span.end - patch.span.begin) + patch.text.size();
  }
  std::string out;
  out.reserve(size);
  std::size_t at = 0;
  for (const auto& patch : patches) {
    out.append(text, at, patch.span.begin - at);
    out += patch.text;
    at = patch.span.end;
  }
  return out.append(text, at);
}

// A merge patch as it stands where there was nothing: without the members that delete.
Value without_nulls(const Value& patch) {
  const auto* object = patch.if_object();
  if (object == nullptr) return patch;
  Object out;
  for (const auto& member : *object) {
    if (!member.value().is_null()) out.emplace(member.key(), without_nulls(member.value()));
  }
  return out;
}

bool says(std::string_view lexeme, const Value& value) {
  const auto parsed = json::parse(lexeme, {.max_depth = 1000});
  return parsed && *parsed == value;
}

// The form of the containers among the children, for those to come.
class Forms {
 public:
  Forms(std::string_view text, std::size_t open)
      : text_(text), usual_(opens_lines(text, open) ? Form::kLines : Form::kRow) {}

  explicit Forms(Form usual) : usual_(usual) {}

  // Called for each of very many: what there is to find out can wait.
  void see(std::size_t value) {
    if (value + 1 >= text_.size() || text_[value + 1] == ']' || text_[value + 1] == '}') return;
    if (text_[value] == '{') object_ = value;
    if (text_[value] == '[') array_ = value;
  }

  Form for_new(std::string_view json) const {
    const auto& like = json.starts_with('{') ? object_ : array_;
    return like ? shown_by(*like).value_or(usual_) : usual_;
  }

  Form for_replaced(std::size_t old, std::string_view json) const {
    return shown_by(old).value_or(for_new(json));
  }

 private:
  // None for what is empty or no container.
  std::optional<Form> shown_by(std::size_t value) const {
    Children child(text_, value);
    if (!child.next()) return std::nullopt;
    return opens_lines(text_, value) ? Form::kLines : Form::kRow;
  }

  std::string_view text_{};
  Form usual_;
  std::optional<std::size_t> object_{};  // the last one seen
  std::optional<std::size_t> array_{};
};

// The children of one container that were walked over, and the patches they ask for.
struct Walk {
  std::size_t open;
  std::optional<std::size_t> parent;  // where the one around it opens
  Forms forms;
  std::size_t first_begin = 0;
  std::size_t last_begin = 0;
  std::size_t last_end = 0;
  std::optional<std::size_t> kept_end{};       // of the last child that stays
  std::optional<std::size_t> removed_begin{};  // of the run of removed children before this place
};

class Splicer {
 public:
  Splicer(std::string_view text, const Found& container)
      : text_(text), style_(style_near(text, container.around, container.begin)) {}

  // Of the container that opens there, in the one that opens at `parent`.
  bool edit(std::size_t open, std::optional<std::size_t> parent, const Edit& edit) {
    if (edit.at) return insert(open, *edit.at, edit.insertions);
    Walk walk{.open = open, .parent = parent, .forms = Forms(text_, open)};
    auto left = edit.members.size() + edit.elements.size();
    Children child(text_, open);
    while (child.next()) {
      const auto* change = find(edit, child);
      if (change != nullptr) --left;
      take(walk, child, change);
      if (left == 0 && edit.insertions.empty() && !walk.removed_begin) return true;
    }
    finish(walk, child, edit.insertions);
    return left == 0;
  }

  std::string result() const { return patched(text_, patches_); }

 private:
  static const Change* find(const Edit& edit, const Children& child) {
    if (!child.is_object()) {
      const auto found = edit.elements.find(child.count() - 1);
      return found == edit.elements.end() ? nullptr : &found->second;
    }
    if (edit.members.empty()) return nullptr;
    const auto lexeme = child.key();
    if (lexeme.contains('\\')) {
      const auto key = json::parse(lexeme);
      const auto found = edit.members.find(key ? json::text(*key) : std::string_view());
      return found == edit.members.end() ? nullptr : &found->second;
    }
    const auto found = edit.members.find(lexeme.substr(1, lexeme.size() - 2));
    return found == edit.members.end() ? nullptr : &found->second;
  }

  void take(Walk& walk, Children& child, const Change* change) {
    if (child.count() == 1) walk.first_begin = child.begin();
    walk.last_begin = child.begin();
    if (change != nullptr && change->kind == Change::Kind::kRemove) {
      if (!walk.removed_begin) walk.removed_begin = child.begin();
      walk.last_end = child.value().end;
      return;
    }
    // The gap before the run stays; the comma and the gap after it go.
    if (walk.removed_begin) add({*walk.removed_begin, child.begin()}, {});
    walk.removed_begin.reset();
    if (change != nullptr) replace(walk, child, *change);
    walk.forms.see(child.value_begin());
    walk.last_end = child.value().end;
    walk.kept_end = walk.last_end;
  }

  void replace(const Walk& walk, Children& child, const Change& change) {
    if (change.kind == Change::Kind::kMerge) return merge(walk, child, *change.value);
    put(walk, child, *change.value);
  }

  void put(const Walk& walk, Children& child, const Value& value) {
    const auto json = json::write(value);
    const auto form = walk.forms.for_replaced(child.value_begin(), json);
    const auto indent = form == Form::kLines ? indent_near(child.begin()) : "";
    add(child.value(), laid_out(json, form, style_, indent));
  }

  // RFC 7396, as far down as both sides are objects.
  void merge(const Walk& walk, Children& child, const Value& patch) {
    const auto* object = patch.if_object();
    if (object == nullptr || text_[child.value_begin()] != '{') {
      const auto value = without_nulls(patch);
      if (!says(child.value().of(text_), value)) put(walk, child, value);
      return;
    }
    edit(child.value_begin(), walk.open, merging(child.value_begin(), *object));
  }

  // The changes a merge patch asks of the object that opens there.
  Edit merging(std::size_t open, const Object& patch) const {
    Edit edit;
    for (Children child(text_, open); child.next();) {
      const auto key = json::parse(child.key());
      const auto* value = key ? json::find(patch, json::text(*key)) : nullptr;
      if (value == nullptr) continue;
      const auto kind = value->is_null() ? Change::Kind::kRemove : Change::Kind::kMerge;
      edit.members.emplace(json::text(*key), Change{kind, value});
    }
    for (const auto& member : patch) {
      if (member.value().is_null() || edit.members.contains(std::string_view(member.key()))) {
        continue;
      }
      edit.insertions.push_back({member.key(), {json::write(without_nulls(member.value()))}});
    }
    return edit;
  }

  void finish(const Walk& walk, const Children& child, const std::vector<Insertion>& insertions) {
    if (child.count() == 0) return fill(walk, child.close(), insertions);
    if (!walk.kept_end && insertions.empty()) return add({walk.open + 1, child.close()}, {});
    const auto gap = end_gap(walk, child.count());
    const auto base = indent_of(gap, walk.last_end);
    std::string joined;
    for (const auto& insertion : insertions) {
      if (walk.kept_end || !joined.empty()) joined += "," + gap;
      joined += written(insertion, child.is_object(), walk.forms, base);
    }
    add({walk.kept_end.value_or(walk.first_begin), walk.last_end}, std::move(joined));
  }

  // The white space that follows the comma after the last child.
  std::string end_gap(const Walk& walk, std::size_t count) const {
    if (count > 1 || opens_lines(text_, walk.open)) {
      return gap_before(text_, walk.last_begin, style_);
    }
    return style_.comma;
  }

  // The container is empty: it is laid out as the one around it.
  void fill(const Walk& walk, std::size_t close, const std::vector<Insertion>& insertions) {
    if (insertions.empty()) return;
    const bool lines = !walk.parent || opens_lines(text_, *walk.parent);
    const std::string outer(lines ? indent_near(walk.open) : "");
    const auto inner = outer + style_.unit;
    const Forms forms(lines ? Form::kLines : Form::kRow);
    std::string joined;
    for (const auto& insertion : insertions) {
      if (!joined.empty()) joined += "," + (lines ? std::string() : style_.comma);
      if (lines) joined += style_.newline + inner;
      joined += written(insertion, text_[walk.open] == '{', forms, inner);
    }
    if (lines) joined += style_.newline + outer;
    add({walk.open + 1, close}, std::move(joined));
  }

  // Before an element of an array.
  bool insert(std::size_t open, std::size_t at, const std::vector<Insertion>& insertions) {
    Forms forms(text_, open);
    Children child(text_, open);
    while (child.next()) {
      forms.see(child.value_begin());
      if (child.count() == at + 1) break;
    }
    if (child.count() != at + 1) return false;
    const auto place = child.begin();
    const auto gap = at > 0 ? gap_before(text_, place, style_) : second_gap(open, child);
    const auto base = indent_of(gap, place);
    std::string joined;
    for (const auto& insertion : insertions) {
      joined += written(insertion, child.is_object(), forms, base);
      joined += "," + gap;
    }
    add({place, place}, std::move(joined));
    return true;
  }

  // The white space that follows the first comma, when the container has one. REQUIRES: `child` is
  // at the first.
  std::string second_gap(std::size_t open, Children& child) const {
    if (opens_lines(text_, open)) return gap_before(text_, child.begin(), style_);
    return child.next() ? gap_before(text_, child.begin(), style_) : style_.comma;
  }

  // The indentation of what stands after a gap, near a place.
  std::string indent_of(std::string_view gap, std::size_t near) const {
    const auto line_end = gap.rfind('\n');
    if (line_end != gap.npos) return std::string(gap.substr(line_end + 1));
    return std::string(indent_near(near));
  }

  std::string_view indent_near(std::size_t place) const {
    return style_.is_one_line ? std::string_view() : line_indent(text_, place);
  }

  std::string written(const Insertion& insertion, bool is_member, const Forms& forms,
                      std::string_view indent) const {
    std::string out;
    if (is_member) {
      json::write(out, Value(insertion.key));
      out += style_.colon;
    }
    const auto& value = insertion.value;
    auto form = forms.for_new(value.json);
    // A value spelled in a row stays so; one spelled in lines, where there are some.
    if (value.spelled && (form == Form::kLines || !value.json.contains('\n'))) form = Form::kKept;
    return out + laid_out(value.json, form, style_, indent);
  }

  void add(Span span, std::string text) { patches_.push_back({span, std::move(text)}); }

  const std::string_view text_;
  const Style style_;
  std::vector<Patch> patches_;
};

}  // namespace

Result<std::string> splice(std::string_view text, const json::Pointer& container,
                           const Edit& edit) {
  const auto found = find_value(text, container);
  if (found) {
    Splicer splicer(text, *found);
    const auto& around = found->around;
    const auto parent = around.empty() ? std::nullopt : std::optional(around.back());
    if (splicer.edit(found->begin, parent, edit)) return splicer.result();
  }
  return fail(Code::kInternal, "the text has not what was parsed from it at '{}'",
              shown(container.render()));
}

}  // namespace cairn::document
