#include "data/text/shell_glob_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/text/shell_glob.h"

namespace cairn::shell_glob {

bool Tree::is_start(Id id) const {
  if (id == kRoot) return true;
  const auto& node = at(id);
  if (!is_start(node.parent)) return false;
  const auto& siblings = pieces(node.parent);
  return std::all_of(
      siblings.begin(), siblings.begin() + static_cast<std::ptrdiff_t>(node.index),
      [&](const Piece& piece) { return !piece.is_text() && at(piece.node).type == '!'; });
}

bool Tree::is_end(Id id) const {
  if (id == kRoot) return true;
  const auto& node = at(id);
  if (at(node.parent).type == '!') return true;
  if (!is_end(node.parent)) return false;
  return node.type == 0 || node.index + 1 == pieces(node.parent).size();
}

Tree::Id Tree::create(char type, Id parent) {
  nodes_.push_back({type, parent, parent == kNone ? 0 : pieces(parent).size(), pieces_.size()});
  pieces_.emplace_back();
  return nodes_.size() - 1;
}

void Tree::add(Id id, std::u32string text) {
  if (!text.empty()) pieces(id).push_back({std::move(text)});
}

void Tree::add(Id id, Id child) { pieces(id).push_back({{}, child}); }

namespace {

using Id = Tree::Id;
using Piece = Tree::Piece;
constexpr Id kNone = Tree::kNone;

bool is_group_type(char32_t c) {
  return c < 0x80 && std::string_view("!?+*@").find(static_cast<char>(c)) != std::string_view::npos;
}

// Whether a group of one type can take in the alternatives of a group that is one of its own.
struct Merge {
  char outer;
  std::string_view plain;       // as they are
  std::string_view with_empty;  // with an empty one added
};
constexpr Merge kMerges[] = {
    {'!', "@", "?"}, {'?', "?@", ""}, {'@', "@", "?"}, {'*', "*+?@", ""}, {'+', "+@", "?*"},
};

std::optional<bool> merge_adds_empty(char outer, char inner) {
  const auto* merge = std::ranges::find(kMerges, outer, &Merge::outer);
  if (merge->plain.find(inner) != std::string_view::npos) return false;
  if (merge->with_empty.find(inner) != std::string_view::npos) return true;
  return std::nullopt;
}

// The type of a group that consists of one other, or 0 if the two are not one.
char replaced_type(char outer, char inner) {
  if (outer == '@') return inner;
  if (outer == '!' && inner == '!') return '@';
  if (outer == '?' && (inner == '*' || inner == '+')) return '*';
  if (outer == '+' && (inner == '?' || inner == '*')) return '*';
  return 0;
}

// ---- Parser -----------------------------------------------------------------------------------

// Knows where a `[…]` ends, in which nothing is a group.
class Brackets final {
 public:
  // Whether the character, which is not escaped, belongs to a bracket.
  bool take(char32_t c) {
    if (!inside_) {
      inside_ = c == U'[';
      position_ = 0;
      negated_ = false;
      return inside_;
    }
    ++position_;
    if (position_ == 1) {
      negated_ = c == U'^' || c == U'!';
    } else if (c == U']' && !(position_ == 2 && negated_)) {
      inside_ = false;
    }
    return true;
  }
  // An escaped character, or the backslash.
  void pass() { ++position_; }

 private:
  bool inside_ = false;
  std::size_t position_ = 0;
  bool negated_ = false;
};

class Parser final {
 public:
  Parser(std::u32string_view text, Tree& tree) : text_(text), tree_(tree) {}

  Result<void> run() {
    std::u32string text;
    Brackets brackets;
    while (at_ < text_.size()) {
      if (take_plain(brackets, text)) continue;
      if (opens_group()) {
        tree_.add(0, std::exchange(text, {}));
        TRY(group(0, 0));
      } else {
        text += text_[at_++];
      }
    }
    tree_.add(0, std::move(text));
    return {};
  }

  const std::vector<Id>& negations() const { return negations_; }

 private:
  // How deep groups may nest that cannot be merged; what is deeper is text.
  static constexpr int kMaxDepth = 2;

  // Takes a character that is escaped or in a bracket.
  bool take_plain(Brackets& brackets, std::u32string& text) {
    const auto c = text_[at_];
    if (c == U'\\') {
      auto taken = text_.substr(at_, 2);
      for (std::size_t i = 0; i < taken.size(); ++i) brackets.pass();
      text += taken;
      at_ += taken.size();
      return true;
    }
    if (!brackets.take(c)) return false;
    text += c;
    ++at_;
    return true;
  }

  bool opens_group() const {
    return is_group_type(text_[at_]) && at_ + 1 < text_.size() && text_[at_ + 1] == U'(';
  }

  // At the type of a group; adds it to the list `parent`.
  Result<void> group(Id parent, int depth) {
    if (++nesting_ > ShellGlob::kMaxGroupDepth) {
      return fail(Code::kInvalidPattern,
                  "the pattern nests groups such as +(a|b) more than {} deep; "
                  "write alternatives side by side",
                  ShellGlob::kMaxGroupDepth);
    }
    const auto begin = at_;
    const auto type = static_cast<char>(text_[at_]);
    const auto id = tree_.create(type, parent);
    if (type == '!') negations_.push_back(id);
    at_ += 2;
    if (!TRY(alternatives(id, depth + 1))) {
      // It never closes: all of it is text.
      tree_.at(id).type = 0;
      tree_.pieces(id) = {{std::u32string(text_.substr(begin)), kNone}};
    }
    tree_.add(parent, id);
    --nesting_;
    return {};
  }

  // Whether the group closes.
  Result<bool> alternatives(Id id, int depth) {
    std::vector<Id> lists = {tree_.create(0, id)};
    std::u32string text;
    Brackets brackets;
    while (at_ < text_.size()) {
      if (take_plain(brackets, text)) continue;
      const auto c = text_[at_];
      const bool merges =
          is_group_type(c) && merge_adds_empty(tree_.at(id).type, static_cast<char>(c));
      if (opens_group() && (depth <= kMaxDepth || merges)) {
        tree_.add(lists.back(), std::exchange(text, {}));
        TRY(group(lists.back(), depth - (merges ? 1 : 0)));
        continue;
      }
      ++at_;
      if (c != U'|' && c != U')') {
        text += c;
        continue;
      }
      const bool nothing = text.empty();
      tree_.add(lists.back(), std::exchange(text, {}));
      if (c == U'|') {
        lists.push_back(tree_.create(0, id));
        continue;
      }
      tree_.at(id).ends_empty = nothing;
      for (auto list : lists) tree_.add(id, list);
      return true;
    }
    return false;
  }

  std::u32string_view text_;
  Tree& tree_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::vector<Id> negations_;
};

// ---- Merging ----------------------------------------------------------------------------------

// Makes one group of two: +(a|+(b)) is +(a|b), ?(+(a)) is *(a).
class Merger final {
 public:
  explicit Merger(Tree& tree) : tree_(tree) {}

  void run(Id id) {
    if (tree_.at(id).type != 0) return group(id);
    for (std::size_t i = 0; i < tree_.pieces(id).size(); ++i) {
      if (const auto piece = tree_.pieces(id)[i].node; piece != kNone) run(piece);
    }
  }

 private:
  void group(Id id) {
    bool changed = true;
    for (int pass = 0; changed && pass < 10; ++pass) {
      changed = false;
      for (std::size_t i = 0; i < tree_.pieces(id).size(); ++i) {
        run(tree_.pieces(id)[i].node);
        if (merge(id, i)) changed = true;
      }
    }
  }

  bool merge(Id id, std::size_t index) {
    const auto inner = only_group(tree_.pieces(id)[index].node);
    if (inner == kNone) return false;
    const auto [outer_type, inner_type] = std::pair(tree_.at(id).type, tree_.at(inner).type);
    if (const auto adds_empty = merge_adds_empty(outer_type, inner_type)) {
      if (*adds_empty) add_empty(inner);
      take_in(id, index, inner);
      return true;
    }
    const auto type = replaced_type(outer_type, inner_type);
    if (type == 0 || tree_.pieces(id).size() != 1) return false;
    tree_.at(id).pieces = tree_.at(inner).pieces;
    tree_.at(id).type = type;
    tree_.at(id).ends_empty = false;
    adopt(id, inner);
    return true;
  }

  // The group that is all there is in a list.
  Id only_group(Id list) const {
    const auto& pieces = tree_.pieces(list);
    if (tree_.at(list).type != 0 || pieces.size() != 1 || pieces[0].is_text()) return kNone;
    return tree_.at(pieces[0].node).type == 0 ? kNone : pieces[0].node;
  }

  void add_empty(Id group) {
    const auto list = tree_.create(0, group);
    tree_.pieces(list).emplace_back();
    tree_.add(group, list);
  }

  void take_in(Id id, std::size_t index, Id inner) {
    adopt(id, inner);
    auto& pieces = tree_.pieces(id);
    const auto& added = tree_.pieces(inner);
    const auto at = pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(index));
    pieces.insert(at, added.begin(), added.end());
  }

  void adopt(Id id, Id inner) {
    for (const auto& piece : tree_.pieces(inner)) tree_.at(piece.node).parent = id;
  }

  Tree& tree_;
};

// ---- Negations --------------------------------------------------------------------------------

// Appends to each alternative of a `!(…)` what follows the group in the pattern: `!(a)b` is what
// does not go on with `ab` up to its end, and then a run, and then `b`.
class Appender final {
 public:
  Appender(Tree& tree, std::size_t& repeated) : tree_(tree), repeated_(repeated) {}

  // From the last to the first, so that a negation that is appended is complete.
  Result<void> run(std::vector<Id> negations) {
    for (; !negations.empty(); negations.pop_back()) {
      const auto id = negations.back();
      if (tree_.at(id).type == '!') TRY(complete(id));
    }
    return {};
  }

 private:
  Result<void> complete(Id negation) {
    for (auto id = negation; id != 0; id = tree_.at(id).parent) {
      const auto parent = tree_.at(id).parent;
      if (tree_.at(parent).type != 0) continue;
      for (auto i = tree_.at(id).index + 1; i < tree_.pieces(parent).size(); ++i) {
        TRY(append_to_all(negation, tree_.pieces(parent)[i]));
      }
    }
    return {};
  }

  Result<void> append_to_all(Id negation, const Piece piece) {
    for (std::size_t i = 0; i < tree_.pieces(negation).size(); ++i) {
      TRY(copy(tree_.pieces(negation)[i].node, piece));
    }
    return {};
  }

  Result<void> copy(Id to, const Piece piece) {
    repeated_ += 1 + piece.text.size();
    if (repeated_ > ShellGlob::kMaxRepeatedCharacters) {
      return fail(
          Code::kInvalidPattern,
          "what follows the groups !(…) of the pattern has more than {} characters, counted "
          "once for each alternative; use fewer of them",
          ShellGlob::kMaxRepeatedCharacters);
    }
    if (piece.is_text()) {
      tree_.add(to, piece.text);
      return {};
    }
    const auto clone = tree_.create(tree_.at(piece.node).type, to);
    for (std::size_t i = 0; i < tree_.pieces(piece.node).size(); ++i) {
      TRY(copy(clone, tree_.pieces(piece.node)[i]));
    }
    tree_.add(to, clone);
    return {};
  }

  Tree& tree_;
  std::size_t& repeated_;
};

}  // namespace

Result<Tree> Tree::parse(std::u32string_view text, std::size_t& repeated) {
  Tree tree;
  Parser parser(text, tree);
  TRY(parser.run());
  Merger(tree).run(kRoot);
  TRY(Appender(tree, repeated).run(parser.negations()));
  return tree;
}

}  // namespace cairn::shell_glob
