#include "data/text/json_merge.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/lines.h"

namespace cairn {
namespace {

using Index = JsonText::Index;
using Kind = JsonText::Kind;
using Members = std::map<std::string_view, Index>;

// The root is never a member.
constexpr Index kAbsent = 0;

// White space longer than this is not repeated for new members.
constexpr std::size_t kModest = 128;

ByteView modest(ByteView space) { return space.size() <= kModest ? space : ByteView(); }

// A document, what its values are equal to, and where its lines begin.
struct Side final {
  Side(JsonText parsed, JsonValues& values)
      : text(std::move(parsed)), ids(values.number(text)), lines(text.source()) {}

  bool is_object(Index i) const { return text[i].kind == Kind::kObject; }

  Members members(Index object) const {
    Members found;
    for (const auto child : text.children(object)) found.emplace(text[child].name, child);
    return found;
  }

  ByteView between(std::uint32_t begin, std::uint32_t end) const {
    return text.slice({.begin = begin, .end = end});
  }

  JsonText text;
  std::vector<JsonValues::Id> ids;
  LineIndex lines;
};

void append_id(std::string& out, JsonValues::Id id) {
  std::array<char, sizeof id> bytes;
  std::memcpy(bytes.data(), &id, sizeof id);
  out.append(bytes.data(), bytes.size());
}

Index find(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? kAbsent : found->second;
}

// One member of a merged object: of ours, with its counterparts, or only of theirs.
struct Step {
  Index base = kAbsent;
  Index ours = kAbsent;
  Index theirs = kAbsent;
};

// The text of an object around its members.
struct Layout {
  Bytes first;   // before the first name
  Bytes next;    // before another name, after the comma
  Bytes colon;   // between a name and its value, with the white space around it
  Bytes last;    // before the closing brace
  Bytes indent;  // of a member's line
};

// From the comma or brace before a member to its name.
ByteView space_before(const JsonText& text, Index member) {
  const auto before = text.source().substr(0, text[member].key.begin);
  return before.substr(before.find_last_not_of(" \t\r\n") + 1);
}

// From the end of a member to the comma or brace after it.
ByteView space_after(const JsonText& text, Index member) {
  const auto after = text.source().substr(text[member].span.end);
  return after.substr(0, after.find_first_not_of(" \t\r\n"));
}

// The text before a second name in an object that has only one.
ByteView guessed_next(ByteView first, ByteView colon) {
  if (first.contains('\n')) return first;
  return colon.ends_with(' ') ? " " : "";
}

// REQUIRES: members of one object, at least one.
Layout layout_of(const Side& side, const std::vector<Index>& members) {
  const auto& text = side.text;
  const auto& front = text[members.front()];
  const auto first = space_before(text, members.front());
  const auto colon = modest(side.between(front.key.end, front.span.begin));
  const auto next =
      members.size() > 1 ? space_before(text, members[1]) : guessed_next(first, colon);
  return {.first = Bytes(first),
          .next = Bytes(modest(next)),
          .colon = Bytes(colon.empty() ? ":" : colon),
          .last = Bytes(space_after(text, members.back())),
          .indent = Bytes(modest(side.lines.indent_at(front.key.begin)))};
}

// Writes ours with the changes of theirs. A function that says no has met a conflict.
class Merger final {
 public:
  Merger(const Side& base, const Side& ours, const Side& theirs)
      : base_(base),
        ours_(ours),
        theirs_(theirs),
        newline_(dominant_line_ending(ours.text.source()) == LineEnding::kCrLf ? "\r\n" : "\n") {}

  std::optional<Bytes> run() {
    const auto root = ours_.text[0].span;
    out_ = ours_.between(0, root.begin);
    if (!value(0, 0, 0)) return std::nullopt;
    out_ += ours_.text.source().substr(root.end);
    return std::move(out_);
  }

 private:
  bool ours_is_base(Index o, Index b) const { return ours_.ids[o] == base_.ids[b]; }
  bool theirs_is_base(Index t, Index b) const { return theirs_.ids[t] == base_.ids[b]; }
  bool ours_is_theirs(Index o, Index t) const { return ours_.ids[o] == theirs_.ids[t]; }

  bool value(Index b, Index o, Index t) {
    if (theirs_is_base(t, b) || ours_is_theirs(o, t)) {
      out_ += ours_.text.lexeme(o);
      return true;
    }
    if (base_.is_object(b) && ours_.is_object(o) && theirs_.is_object(t)) return object(b, o, t);
    if (!ours_is_base(o, b)) return false;
    append_value(t, ours_.lines.indent_at(ours_.text[o].span.begin));
    return true;
  }

  bool object(Index b, Index o, Index t) {
    const auto steps = plan(b, o, t);
    if (!steps) return false;
    if (!steps->empty()) return write(*steps, o, t);
    out_ += "{}";
    return true;
  }

  // The members of the merged object in order, or nothing on a conflict between them.
  std::optional<std::vector<Step>> plan(Index b, Index o, Index t) const {
    const auto in_base = base_.members(b);
    const auto in_theirs = theirs_.members(t);
    auto added = additions(in_base, ours_.members(o), t);
    if (!added) return std::nullopt;
    auto steps = std::move((*added)[kAbsent]);
    for (const auto member : ours_.text.children(o)) {
      const auto name = ours_.text[member].name;
      const Step step{find(in_base, name), member, find(in_theirs, name)};
      const bool removed = step.base != kAbsent && step.theirs == kAbsent;
      if (removed && !ours_is_base(member, step.base)) return std::nullopt;
      const bool added_twice = step.base == kAbsent && step.theirs != kAbsent;
      if (added_twice && !ours_is_theirs(member, step.theirs)) return std::nullopt;
      if (!removed) steps.push_back(step);
      std::ranges::copy((*added)[member], std::back_inserter(steps));
    }
    return steps;
  }

  // The members that theirs adds, by the member of ours that they go after; kAbsent is the front.
  std::optional<std::map<Index, std::vector<Step>>> additions(const Members& in_base,
                                                              const Members& in_ours,
                                                              Index t) const {
    std::map<Index, std::vector<Step>> added;
    auto after = kAbsent;
    for (const auto member : theirs_.text.children(t)) {
      const auto name = theirs_.text[member].name;
      const auto base = find(in_base, name);
      const auto ours = find(in_ours, name);
      if (ours != kAbsent) {
        after = ours;
      } else if (base == kAbsent) {
        added[after].push_back({.theirs = member});
      } else if (!theirs_is_base(member, base)) {
        return std::nullopt;
      }
    }
    return added;
  }

  bool write(const std::vector<Step>& steps, Index o, Index t) {
    const auto members = ours_.text.children(o);
    const auto layout = layout_in_ours(members, o, t);
    out_ += '{';
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto ours = steps[i].ours;
      const bool is_new_place = ours == kAbsent || ours == members.front();
      if (i == 0) {
        out_ += layout.first;
      } else {
        out_ += ',';
        out_ += is_new_place ? ByteView(layout.next) : space_before(ours_.text, ours);
      }
      if (!write_member(steps[i], layout)) return false;
      const bool had_comma = ours != kAbsent && ours != members.back();
      if (had_comma && i + 1 < steps.size()) out_ += space_after(ours_.text, ours);
    }
    out_ += layout.last;
    out_ += '}';
    return true;
  }

  bool write_member(const Step& step, const Layout& layout) {
    if (step.ours == kAbsent) {
      append_member(step.theirs, layout);
      return true;
    }
    const auto& node = ours_.text[step.ours];
    out_ += ours_.between(node.key.begin, node.span.begin);
    if (step.base != kAbsent && step.theirs != kAbsent) {
      return value(step.base, step.ours, step.theirs);
    }
    out_ += ours_.text.lexeme(step.ours);
    return true;
  }

  // Of an empty object, as theirs lays it out.
  Layout layout_in_ours(const std::vector<Index>& members, Index o, Index t) const {
    if (!members.empty()) return layout_of(ours_, members);
    const auto from = theirs_.lines.indent_at(theirs_.text[t].span.begin);
    const auto to = ours_.lines.indent_at(ours_.text[o].span.begin);
    auto layout = layout_of(theirs_, theirs_.text.children(t));
    for (auto* space : {&layout.first, &layout.next, &layout.last}) {
      *space = indented(modest(*space), from, to);
    }
    layout.indent = layout.first.substr(layout.first.rfind('\n') + 1);
    return layout;
  }

  void append_member(Index t, const Layout& layout) {
    out_ += theirs_.text.slice(theirs_.text[t].key);
    out_ += layout.colon;
    append_value(t, layout.indent);
  }

  // The value as theirs writes it, its further lines moved to where `indent` has them.
  void append_value(Index t, ByteView indent) {
    const auto& node = theirs_.text[t];
    out_ += indented(theirs_.text.lexeme(t), theirs_.lines.indent_at(node.span.begin), indent);
  }

  // Text of theirs with the indentation `from` of its lines replaced by `to`, and our line ends.
  // In JSON a line end is never part of a value.
  Bytes indented(ByteView text, ByteView from, ByteView to) const {
    Bytes out;
    for (auto line : split_lines(text)) {
      if (!out.empty() && line.starts_with(from)) {
        line.remove_prefix(from.size());
        out += modest(to);
      }
      out += line_content(line);
      if (line.ends_with('\n')) out += newline_;
    }
    return out;
  }

  const Side& base_;
  const Side& ours_;
  const Side& theirs_;
  ByteView newline_;
  Bytes out_;
};

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~' || c == '/') {
      out += c == '~' ? "~0" : "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Finds what Merger stumbles over, all of it.
class Conflicts final {
 public:
  Conflicts(const Side& base, const Side& ours, const Side& theirs, std::size_t most)
      : base_(base), ours_(ours), theirs_(theirs), most_(most) {}

  std::vector<JsonConflict> run() && {
    value("", 0, 0, 0);
    return std::move(found_);
  }

 private:
  using Place = std::optional<Index>;

  static bool same(const Side& a, Place i, const Side& b, Place j) {
    return i && j ? a.ids[*i] == b.ids[*j] : i.has_value() == j.has_value();
  }
  static std::optional<ByteView> lexeme(const Side& side, Place i) {
    if (!i) return std::nullopt;
    return side.text.lexeme(*i);
  }

  void value(const std::string& pointer, Place b, Place o, Place t) {
    if (found_.size() == most_ || same(ours_, o, base_, b) || same(theirs_, t, base_, b) ||
        same(ours_, o, theirs_, t)) {
      return;
    }
    if (b && o && t && base_.is_object(*b) && ours_.is_object(*o) && theirs_.is_object(*t)) {
      members(pointer, *b, *o, *t);
    } else {
      found_.push_back({pointer, lexeme(base_, b), lexeme(ours_, o), lexeme(theirs_, t)});
    }
  }

  void members(const std::string& pointer, Index b, Index o, Index t) {
    const auto in_base = base_.members(b);
    const auto in_ours = ours_.members(o);
    const auto in_theirs = theirs_.members(t);
    const auto place = [](const Members& all, std::string_view name) {
      const auto index = find(all, name);
      return index == kAbsent ? Place() : Place(index);
    };
    const auto member = [&](std::string_view name) {
      value(pointer + "/" + escaped(name), place(in_base, name), place(in_ours, name),
            place(in_theirs, name));
    };
    for (const auto child : ours_.text.children(o)) member(ours_.text[child].name);
    for (const auto child : theirs_.text.children(t)) {
      const auto name = theirs_.text[child].name;
      if (!in_ours.contains(name)) member(name);
    }
  }

  const Side& base_;
  const Side& ours_;
  const Side& theirs_;
  std::size_t most_;
  std::vector<JsonConflict> found_;
};

std::optional<Bytes> merge_parsed(JsonText base, JsonText ours, JsonText theirs) {
  JsonValues values;
  const Side base_side(std::move(base), values);
  const Side our_side(std::move(ours), values);
  const Side their_side(std::move(theirs), values);
  return Merger(base_side, our_side, their_side).run();
}

}  // namespace

std::optional<Bytes> merge_json(ByteView base, ByteView ours, ByteView theirs) {
  auto base_text = JsonText::parse(base);
  auto our_text = JsonText::parse(ours);
  auto their_text = JsonText::parse(theirs);
  if (!base_text || !our_text || !their_text) return std::nullopt;
  if (theirs == base || ours == theirs) return Bytes(ours);
  if (ours == base) return Bytes(theirs);
  return merge_parsed(std::move(*base_text), std::move(*our_text), std::move(*their_text));
}

bool is_json_type(std::string_view content_type) {
  return content_type == "application/json" || content_type.ends_with("+json");
}

std::vector<JsonConflict> json_conflicts(ByteView base, ByteView ours, ByteView theirs,
                                         std::size_t most) {
  auto base_text = JsonText::parse(base);
  auto our_text = JsonText::parse(ours);
  auto their_text = JsonText::parse(theirs);
  if (!base_text || !our_text || !their_text) return {};
  JsonValues values;
  const Side base_side(std::move(*base_text), values);
  const Side our_side(std::move(*our_text), values);
  const Side their_side(std::move(*their_text), values);
  return Conflicts(base_side, our_side, their_side, most).run();
}

std::vector<JsonValues::Id> JsonValues::number(const JsonText& text) {
  std::vector<Id> ids(text.size());
  // Children come after their parents, so from the end on they are done first.
  for (auto i = text.size(); i-- > 0;) ids[i] = id_of(shape_of(text, i, ids));
  return ids;
}

JsonValues::Id JsonValues::id_of(std::string shape) {
  return ids_.try_emplace(std::move(shape), static_cast<Id>(ids_.size())).first->second;
}

// A kind's letter, then what tells its values apart.
std::string JsonValues::shape_of(const JsonText& text, Index i, const std::vector<Id>& ids) {
  switch (text[i].kind) {
    case Kind::kNull:
      return "n";
    case Kind::kFalse:
      return "f";
    case Kind::kTrue:
      return "t";
    case Kind::kNumber:
      return "#" + canonical_number(text.lexeme(i));
    case Kind::kString:
      return "\"" + text.string_value(i);
    case Kind::kArray:
      return array_shape(text, i, ids);
    case Kind::kObject:
      return object_shape(text, i, ids);
  }
  std::unreachable();
}

std::string JsonValues::array_shape(const JsonText& text, Index i, const std::vector<Id>& ids) {
  std::string shape = "[";
  for (const auto child : text.children(i)) append_id(shape, ids[child]);
  return shape;
}

std::string JsonValues::object_shape(const JsonText& text, Index i, const std::vector<Id>& ids) {
  std::vector<std::pair<Id, Id>> members;
  for (const auto child : text.children(i)) {
    members.emplace_back(id_of(fmt::format("\"{}", text[child].name)), ids[child]);
  }
  std::ranges::sort(members);
  std::string shape = "{";
  for (const auto& [name, value] : members) {
    append_id(shape, name);
    append_id(shape, value);
  }
  return shape;
}

}  // namespace cairn
