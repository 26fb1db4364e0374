#include "data/text/shell_glob_sequence.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "data/text/shell_glob_tree.h"

namespace cairn::shell_glob {
namespace {

bool is_dot(const Item& item) { return item.kind == Item::Kind::kCharacter && item.code == U'.'; }

// minimatch looks at the regular expression it writes, and asks whether a bracket begins here.
bool is_wild(const Item& item) {
  return item.kind == Item::Kind::kAny || item.kind == Item::Kind::kRun ||
         (item.kind == Item::Kind::kSet && !item.set->is_two());
}

// Whether a wildcard follows none, one or two dots.
bool could_be_dots(const Sequence& items) {
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 3); ++i) {
    if (is_wild(items[i])) return true;
    if (!is_dot(items[i])) return false;
  }
  return false;
}

class Reader final {
 public:
  Reader(const Tree& tree, NamedClasses& classes) : tree_(tree), classes_(classes) {}

  Sequence list(Tree::Id id) {
    const auto& pieces = tree_.pieces(id);
    const bool start = tree_.is_start(id);
    const bool whole =
        start && tree_.is_end(id) && std::ranges::all_of(pieces, &Tree::Piece::is_text);
    Sequence items;
    for (const auto& piece : pieces) {
      if (piece.is_text()) {
        text(piece.text, whole, items);
      } else {
        append(items, tree_.at(piece.node).type == 0 ? list(piece.node) : group(piece.node));
      }
    }
    const bool guarded = start && !pieces.empty() && pieces[0].is_text() && could_be_dots(items);
    if (guarded) items.insert(items.begin(), {Item::Kind::kNotDots});
    return items;
  }

  bool unicode() const { return unicode_; }

 private:
  static void append(Sequence& items, Sequence more) {
    std::ranges::move(more, std::back_inserter(items));
  }

  Sequence group(Tree::Id id) {
    const auto& node = tree_.at(id);
    Item item{.kind = Item::Kind::kGroup, .type = node.type};
    for (const auto& piece : tree_.pieces(id)) item.alternatives.push_back(list(piece.node));
    if (node.type == '!' && node.ends_empty) return {{Item::Kind::kAny}, {Item::Kind::kRun}};
    // A name is not empty: if the group is all of it, neither is an alternative.
    if (node.type != '!' && tree_.is_start(id) && tree_.is_end(id)) {
      std::erase_if(item.alternatives, [](const Sequence& items) { return items.empty(); });
      if (item.alternatives.empty()) return itself(id);
    }
    return {std::move(item)};
  }

  // A group of nothing, such as `@(|)`.
  Sequence itself(Tree::Id id) const {
    std::u32string text{static_cast<char32_t>(tree_.at(id).type), U'('};
    text.append(tree_.pieces(id).size() - 1, U'|');
    text += U')';
    Sequence items;
    for (auto c : text) items.push_back({.kind = Item::Kind::kCharacter, .code = c});
    return items;
  }

  // `whole`: the text is all that the name has to match, so that `*` is not nothing.
  void text(std::u32string_view text, bool whole, Sequence& items) {
    const bool not_empty = whole && text.find_first_not_of(U'*') == std::u32string_view::npos;
    const auto begin = items.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == U'*') {
        if (items.size() > begin && items.back().kind == Item::Kind::kRun) continue;
        if (not_empty) items.push_back({Item::Kind::kAny});
        items.push_back({Item::Kind::kRun});
      } else if (text[i] == U'?') {
        items.push_back({Item::Kind::kAny});
      } else if (text[i] == U'[') {
        i += set(text, i, items) - 1;
      } else {
        if (text[i] == U'\\' && i + 1 < text.size()) ++i;
        items.push_back({.kind = Item::Kind::kCharacter, .code = text[i]});
      }
    }
  }

  // How much of the text it is.
  std::size_t set(std::u32string_view text, std::size_t at, Sequence& items) {
    auto read = read_set(text, at, classes_);
    unicode_ = unicode_ || read.unicode;
    switch (read.kind) {
      case SetRead::Kind::kNone:
        items.push_back({.kind = Item::Kind::kCharacter, .code = U'['});
        return 1;
      case SetRead::Kind::kNever:
        items.push_back({Item::Kind::kNever});
        return read.length;
      case SetRead::Kind::kCharacter:
        items.push_back({.kind = Item::Kind::kCharacter, .code = read.code});
        return read.length;
      case SetRead::Kind::kSet:
        items.push_back({.kind = Item::Kind::kSet, .set = std::move(read.set)});
        return read.length;
    }
    return 1;
  }

  const Tree& tree_;
  NamedClasses& classes_;
  bool unicode_ = false;
};

}  // namespace

Result<SegmentRead> read_segment(std::u32string_view text, Reading& reading) {
  const auto tree = TRY(Tree::parse(text, reading.repeated));
  Reader reader(tree, reading.classes);
  auto sequence = reader.list(Tree::kRoot);
  return SegmentRead{std::move(sequence), reader.unicode()};
}

}  // namespace cairn::shell_glob
