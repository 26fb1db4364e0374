// Random sequences of every change, against an obvious model: a map of paths to bytes and a set of
// directories. After each step the answers agree, the contents agree, the old tree is as it was,
// the new one is whole in the store, and its key is that of the same content built from scratch.

#include <algorithm>
#include <deque>
#include <expected>
#include <set>

#include "data/tree/change.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;

// ---- The model ----------------------------------------------------------------------------------

using Place = std::vector<std::string>;

std::string joined(const Place& place) {
  std::string text;
  for (const auto& name : place) text += (text.empty() ? "" : "/") + name;
  return text;
}

Place below(Place place, const std::string& name) {
  place.push_back(name);
  return place;
}

bool is_below(const Place& place, const Place& top) {
  return place.size() >= top.size() && std::equal(top.begin(), top.end(), place.begin());
}

bool is_index(const std::string& segment) {
  return segment.size() > 1 && segment[0] == '~' &&
         segment.find_first_not_of("0123456789", 1) == std::string::npos;
}

using Expected = std::expected<Place, Code>;

struct Model {
  std::map<Place, TypedFile> files;
  std::set<Place> dirs;  // without the root

  bool is_file(const Place& place) const { return files.contains(place); }
  bool is_dir(const Place& place) const { return place.empty() || dirs.contains(place); }
  bool exists(const Place& place) const { return is_file(place) || is_dir(place); }

  std::set<std::string> names(const Place& dir) const {
    std::set<std::string> found;
    auto add = [&](const Place& place) {
      if (place.size() == dir.size() + 1 && is_below(place, dir)) found.insert(place.back());
    };
    for (const auto& [place, file] : files) add(place);
    for (const auto& place : dirs) add(place);
    return found;
  }

  std::optional<std::string> child(const Place& dir, const std::string& segment) const {
    auto all = names(dir);
    if (is_index(segment)) {
      auto index = std::strtoull(segment.c_str() + 1, nullptr, 10);
      if (index >= all.size()) return std::nullopt;
      return *std::next(all.begin(), static_cast<std::ptrdiff_t>(index));
    }
    if (!all.contains(segment)) return std::nullopt;
    return segment;
  }

  // The entry that a path names for reading.
  Expected located(const Place& segments) const {
    Place at;
    for (const auto& segment : segments) {
      if (is_file(at)) return std::unexpected(Code::kNotADirectory);
      auto name = child(at, segment);
      if (!name) return std::unexpected(Code::kPathNotFound);
      at.push_back(*name);
    }
    return at;
  }

  // The path that a path names for writing: only an index must exist.
  Expected target(const Place& segments) const {
    Place at;
    for (const auto& segment : segments) {
      if (!is_index(segment)) {
        at.push_back(segment);
        continue;
      }
      auto name = is_dir(at) ? child(at, segment) : std::nullopt;
      if (!name) return std::unexpected(Code::kInvalidPath);
      at.push_back(*name);
    }
    return at;
  }

  bool file_on_the_way(const Place& place) const {
    for (std::size_t n = 1; n < place.size(); ++n) {
      if (is_file({place.begin(), place.begin() + static_cast<std::ptrdiff_t>(n)})) return true;
    }
    return false;
  }

  void make_dirs(const Place& place) {
    for (std::size_t n = 1; n <= place.size(); ++n) {
      dirs.insert({place.begin(), place.begin() + static_cast<std::ptrdiff_t>(n)});
    }
  }
  void make_parents(Place place) {
    place.pop_back();
    make_dirs(place);
  }

  void remove(const Place& place) {
    std::erase_if(files, [&](const auto& item) { return is_below(item.first, place); });
    std::erase_if(dirs, [&](const auto& item) { return is_below(item, place); });
  }

  // Puts the entry at `from` in `source` at `to`.
  void graft(const Model& source, const Place& from, const Place& to) {
    make_parents(to);
    auto moved = [&](const Place& place) {
      Place there = to;
      there.insert(there.end(), place.begin() + static_cast<std::ptrdiff_t>(from.size()),
                   place.end());
      return there;
    };
    if (source.is_dir(from)) dirs.insert(to);
    auto old = source;  // the source may be this model
    for (const auto& [place, file] : old.files) {
      if (is_below(place, from)) files[moved(place)] = file;
    }
    for (const auto& place : old.dirs) {
      if (is_below(place, from)) dirs.insert(moved(place));
    }
  }

  TypedFiles content() const {
    TypedFiles out;
    for (const auto& [place, file] : files) out[joined(place)] = file;
    std::set<Place> full;  // directories with something in them
    auto fill = [&](Place place) {
      place.pop_back();
      full.insert(place);
    };
    for (const auto& [place, file] : files) fill(place);
    for (const auto& place : dirs) fill(place);
    for (const auto& place : dirs) {
      if (!full.contains(place)) out[joined(place) + "/"] = {};
    }
    return out;
  }
};

// Each changes the model and gives the place it worked on, or gives the code and changes nothing.

Expected model_write(Model& model, const Place& where, const std::string& bytes) {
  if (where.empty()) return std::unexpected(Code::kInvalidPath);
  auto at = model.target(where);
  if (!at) return at;
  if (model.is_dir(*at)) return std::unexpected(Code::kNotAFile);
  if (model.file_on_the_way(*at)) return std::unexpected(Code::kNotADirectory);
  model.make_parents(*at);
  model.files[*at] = {bytes, std::string(content_type(at->back(), bytes))};
  return at;
}

Expected model_mkdir(Model& model, const Place& where) {
  auto at = model.target(where);
  if (!at) return at;
  if (model.is_file(*at)) return std::unexpected(Code::kExistsAsFile);
  if (model.file_on_the_way(*at)) return std::unexpected(Code::kNotADirectory);
  model.make_dirs(*at);
  return at;
}

Expected model_rm(Model& model, const Place& where) {
  if (where.empty()) return std::unexpected(Code::kInvalidPath);
  auto at = model.located(where);
  if (at) model.remove(*at);
  return at;
}

enum class Source { kKeep, kRemove };

Expected model_transfer(Model& model, const Place& from, const Place& to, Source source) {
  if (from.empty()) return std::unexpected(Code::kInvalidPath);
  auto at = model.located(from);
  if (!at) return at;
  auto target = model.target(to);
  if (!target) return target;
  if (source == Source::kRemove && model.is_dir(*at) && is_below(*target, *at)) {
    return std::unexpected(Code::kMoveIntoSelf);
  }
  if (model.is_dir(*target)) target = below(*target, at->back());
  if (model.exists(*target)) return std::unexpected(Code::kTargetExists);
  if (model.file_on_the_way(*target)) return std::unexpected(Code::kNotADirectory);
  auto before = model;
  if (source == Source::kRemove) model.remove(*at);
  model.graft(before, *at, *target);
  return target;
}

std::size_t occurrences(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

Expected model_edit(Model& model, const Place& where, const std::vector<Replacement>& edits) {
  auto at = model.located(where);
  if (!at) return at;
  if (model.is_dir(*at)) return std::unexpected(Code::kNotAFile);
  auto text = model.files[*at].bytes;
  if (text.find('\0') != text.npos) return std::unexpected(Code::kNotText);
  for (const auto& edit : edits) {
    if (edit.old_text.empty() || edit.old_text == edit.new_text) {
      return std::unexpected(Code::kInvalidArgument);
    }
    auto count = occurrences(text, edit.old_text);
    if (count == 0) return std::unexpected(Code::kEditNoMatch);
    if (count > 1 && !edit.all) return std::unexpected(Code::kEditAmbiguous);
    std::string next;
    std::size_t begin = 0;
    for (auto hit = text.find(edit.old_text); hit != text.npos;
         hit = text.find(edit.old_text, begin)) {
      next += text.substr(begin, hit - begin) + edit.new_text;
      begin = hit + edit.old_text.size();
    }
    text = next + text.substr(begin);
  }
  model.files[*at].bytes = text;
  return at;
}

// A tree of some time ago, whose nodes may be linked.
struct Snapshot {
  Model model;
  NodePtr root;
};

struct Linked {
  const Snapshot* snapshot = nullptr;  // null: a key that nobody has
  Place place;
};

struct ModelPlan {
  struct From {
    Place place;
  };
  struct Dir {};
  std::map<Place, std::variant<From, Dir, Linked>> entries;
  std::vector<Place> deletes;
};

Expected model_rewrite(Model& model, const ModelPlan& plan) {
  auto count = plan.entries.size() + plan.deletes.size();
  if (count == 0) return std::unexpected(Code::kEmptyRewrite);
  if (count > 100) return std::unexpected(Code::kTooManyEntries);
  const Model original = model;
  Model next = model;
  for (const auto& where : plan.deletes) {
    if (where.empty()) return std::unexpected(Code::kInvalidPath);
    auto at = original.located(where);
    if (!at) return at;
    next.remove(*at);
  }
  std::map<std::pair<std::size_t, Place>,
           const std::variant<ModelPlan::From, ModelPlan::Dir, Linked>*>
      ordered;
  for (const auto& [where, source] : plan.entries) {
    if (where.empty()) return std::unexpected(Code::kInvalidPath);
    auto at = original.target(where);
    if (!at) return at;
    if (!ordered.try_emplace({at->size(), *at}, &source).second) {
      return std::unexpected(Code::kInvalidArgument);
    }
  }
  for (const auto& [key, source] : ordered) {
    const auto& target = key.second;
    const Model* other = &original;
    Place from;
    if (std::holds_alternative<ModelPlan::Dir>(*source)) {
      if (next.is_file(target)) return std::unexpected(Code::kExistsAsFile);
      if (next.file_on_the_way(target)) return std::unexpected(Code::kNotADirectory);
      next.make_dirs(target);
      continue;
    }
    if (const auto* read = std::get_if<ModelPlan::From>(source)) {
      auto at = original.located(read->place);
      if (!at) return at;
      from = *at;
    } else {
      const auto& link = std::get<Linked>(*source);
      if (link.snapshot == nullptr) return std::unexpected(Code::kNodeNotFound);
      other = &link.snapshot->model;
      from = link.place;
    }
    if (next.file_on_the_way(target)) return std::unexpected(Code::kNotADirectory);
    next.remove(target);
    next.graft(*other, from, target);
  }
  model = next;
  return Place{};
}

// ---- The sequences ------------------------------------------------------------------------------

Path as_path(const Place& place) { return path(joined(place)); }

// How often each operation succeeded and failed.
struct Tally {
  int succeeded = 0;
  int failed = 0;
};
using Tallies = std::map<std::string, Tally>;

class Sequence final {
 public:
  Sequence(Dice& dice, Tallies& tallies) : dice_(dice), tallies_(tallies) {
    Stage stage(store_);
    root_ = build_tree(stage, {});
    store_.store(stage, root_);
    for (int i = 0; i < 12; ++i) {
      before_ = model_;
      write_file_somewhere(stage);
      store_.store(stage, root_);
    }
    history_.push_back({model_, root_});
  }

  void step() {
    before_ = model_;
    Stage stage(store_);
    auto old_root = root_;
    // Copies of copies would grow without end.
    auto choice = is_large() ? 5 : dice_.below(20);
    if (choice < 4) {
      write_file_somewhere(stage);
    } else if (choice < 5) {
      make_directory(stage);
    } else if (choice < 7) {
      remove_something(stage);
    } else if (choice < 10) {
      transfer(stage, Source::kRemove);
    } else if (choice < 13) {
      transfer(stage, Source::kKeep);
    } else if (choice < 16) {
      edit_something(stage);
    } else if (choice < 19) {
      rewrite_something(stage);
    } else {
      refuse_a_path();
    }
    SCOPED_TRACE(what_);
    store_.store(stage, root_);
    check(old_root);
    if (dice_.one_in(5)) history_.push_back({model_, root_});
  }

 private:
  void check(const NodePtr& old_root) {
    ASSERT_EQ(typed_files(store_, root_), model_.content());
    ASSERT_EQ(typed_files(store_, old_root), before_.content());
    ASSERT_TRUE(store_.get(root_->key())) << "the root was not stored";
    MemoryNodes nothing;
    Stage scratch(nothing);
    ASSERT_EQ(root_->key(), build_tree(scratch, model_.content())->key());
  }

  // Compares the two answers; takes the new root if there is one.
  template <typename T>
  bool agree(const Result<T>& got, const Expected& expected) {
    EXPECT_EQ(got.has_value(), expected.has_value())
        << what_ << ": "
        << (got ? "succeeded instead of " + std::string(info(expected.error()).name)
                : got.error().render());
    auto& tally = tallies_[what_.substr(0, what_.find(' '))];
    if (got && expected) {
      tally.succeeded += 1;
      root_ = got->root;
      return true;
    }
    if (!got && !expected) {
      tally.failed += 1;
      EXPECT_EQ(got.error().name(), info(expected.error()).name) << what_;
      EXPECT_FALSE(got.error().message.empty());
    }
    return false;
  }

  bool is_large() const { return model_.files.size() + model_.dirs.size() > 80; }

  std::string name() {
    static const std::vector<std::string> kNames = {"a", "b", "c", "d.txt", "e.json"};
    static const std::vector<std::string> kIndices = {"~0", "~1", "~2", "~9",
                                                      "~99999999999999999999"};
    return dice_.one_in(6) ? dice_.pick(kIndices) : dice_.pick(kNames);
  }

  // Mostly something that is there, or near it.
  Place place() {
    Place at;
    if (dice_.one_in(40)) return at;
    if (!dice_.one_in(3) && !model_.files.empty()) {
      at = dice_.one_in(2) || model_.dirs.empty() ? dice_.pick(model_.files).first
                                                  : dice_.pick(model_.dirs);
      if (dice_.one_in(3)) at.back() = name();
      if (dice_.one_in(5)) at.push_back(name());
      return at;
    }
    for (auto depth = dice_.below(3) + 1; depth > 0; --depth) at.push_back(name());
    return at;
  }

  std::string text() {
    static const std::vector<std::string> kLines = {"one\n", "two\n", "three\n", "{\"k\": 1}\n"};
    std::string out;
    for (auto lines = dice_.below(6); lines > 0; --lines) out += dice_.pick(kLines);
    if (dice_.one_in(12)) out += std::string("\0\xff", 2);
    return out;
  }

  void write_file_somewhere(Stage& stage) {
    auto where = place();
    auto bytes = text();
    what_ = "write " + joined(where);
    auto expected = model_write(model_, where, bytes);
    auto got = write(stage, root_, as_path(where), bytes);
    if (!agree(got, expected)) return;
    EXPECT_EQ(got->path, as_path(*expected));
    EXPECT_EQ(got->created, !before_.exists(*expected));
    EXPECT_EQ(got->file.bytes, bytes.size());
  }

  void make_directory(Stage& stage) {
    auto where = place();
    what_ = "mkdir " + joined(where);
    auto expected = model_mkdir(model_, where);
    auto got = mkdir(stage, root_, as_path(where));
    if (!agree(got, expected)) return;
    EXPECT_EQ(got->path, as_path(*expected));
    EXPECT_EQ(got->created, !before_.exists(*expected));
    EXPECT_EQ(got->dir.children, model_.names(*expected).size());
  }

  void remove_something(Stage& stage) {
    auto where = is_large() ? Place{dice_.pick(model_.names({}))} : place();
    what_ = "rm " + joined(where);
    auto expected = model_rm(model_, where);
    auto got = rm(stage, root_, as_path(where));
    if (!agree(got, expected)) return;
    EXPECT_EQ(got->path, as_path(*expected));
    EXPECT_EQ(got->removed.kind == Kind::kDict, before_.is_dir(*expected));
  }

  void transfer(Stage& stage, Source source) {
    auto from = place();
    auto to = place();
    what_ = (source == Source::kKeep ? "cp " : "mv ") + joined(from) + " " + joined(to);
    auto expected = model_transfer(model_, from, to, source);
    auto got = source == Source::kKeep ? cp(stage, root_, as_path(from), as_path(to))
                                       : mv(stage, root_, as_path(from), as_path(to));
    if (!agree(got, expected)) return;
    EXPECT_EQ(got->from, as_path(*before_.located(from)));
    EXPECT_EQ(got->to, as_path(*expected));
  }

  void edit_something(Stage& stage) {
    static const std::vector<std::string> kWords = {"one",      "two",  "three", "one", "two",
                                                    "one\ntwo", "four", "k",     ""};
    auto where =
        !model_.files.empty() && dice_.one_in(2) ? dice_.pick(model_.files).first : place();
    std::vector<Replacement> edits;
    for (auto count = dice_.one_in(4) ? 2 : 1; count > 0; --count) {
      edits.push_back({dice_.pick(kWords), dice_.pick(kWords), dice_.one_in(2)});
    }
    what_ = "edit " + joined(where);
    for (const auto& edit : edits) what_ += " " + edit.old_text + "=" + edit.new_text;
    auto expected = model_edit(model_, where, edits);
    auto got = edit(stage, root_, as_path(where), edits);
    if (!agree(got, expected)) return;
    EXPECT_EQ(got->path, as_path(*expected));
    EXPECT_EQ(got->counts.size(), edits.size());
    EXPECT_EQ(got->diff.empty(), before_.files[*expected] == model_.files[*expected]);
  }

  void rewrite_something(Stage& stage) {
    ModelPlan plan;
    RewritePlan real;
    what_ = "rewrite";
    for (auto count = dice_.below(4); count > 0; --count) {
      plan.deletes.push_back(place());
      real.deletes.push_back(as_path(plan.deletes.back()));
      what_ += " -" + joined(plan.deletes.back());
    }
    for (auto count = dice_.below(5); count > 0; --count) add_entry(plan, real);
    auto expected = model_rewrite(model_, plan);
    auto got = rewrite(stage, root_, real);
    if (!agree(got, expected)) return;
    // The same twice is one, whether by its name or by its index.
    std::set<Place> deleted;
    for (const auto& where : plan.deletes) deleted.insert(*before_.located(where));
    EXPECT_EQ(got->deleted, deleted.size());
    EXPECT_EQ(got->entries_applied, plan.entries.size());
  }

  void add_entry(ModelPlan& plan, RewritePlan& real) {
    auto target = place();
    what_ += " " + joined(target) + "=";
    if (dice_.one_in(4)) {
      plan.entries[target] = ModelPlan::Dir{};
      real.entries[as_path(target)] = EmptyDir{};
      what_ += "dir";
    } else if (dice_.one_in(4)) {
      auto link = something_old();
      plan.entries[target] = link;
      real.entries[as_path(target)] = LinkNode{key_of(link)};
      what_ += "link:" + joined(link.place);
    } else {
      auto from = dice_.one_in(30) ? Place{} : place();
      plan.entries[target] = ModelPlan::From{from};
      real.entries[as_path(target)] = FromPath{as_path(from)};
      what_ += joined(from);
    }
  }

  Linked something_old() {
    if (dice_.one_in(8)) return {};
    const auto& snapshot = history_[dice_.below(history_.size())];
    Linked link{&snapshot, {}};
    if (!snapshot.model.files.empty() && dice_.one_in(2)) {
      link.place = dice_.pick(snapshot.model.files).first;
    } else if (!snapshot.model.dirs.empty()) {
      link.place = dice_.pick(snapshot.model.dirs);
    }
    return link;
  }

  NodeKey key_of(const Linked& link) {
    if (link.snapshot == nullptr) return NodeKey::of("nobody has this");
    return must(locate({store_, link.snapshot->root}, as_path(link.place))).entry.key;
  }

  void refuse_a_path() {
    static const std::vector<std::string> kBad = {
        "/", "/a", "a/", "a//b", ".", "a/../b", "a/.", std::string("a\0", 2), "\xff"};
    auto text = dice_.pick(kBad);
    what_ = "parse " + text;
    EXPECT_THAT(Path::parse(text), FailsWith(Code::kInvalidPath));
  }

  Dice& dice_;
  Tallies& tallies_;
  MemoryNodes store_;
  Model model_;
  Model before_;
  NodePtr root_;
  std::deque<Snapshot> history_;
  std::string what_;
};

TEST(Model, AnySequenceOfChangesDoesWhatTheModelDoes) {
  Tallies tallies;
  for_seeds(200, [&](Dice& dice) {
    Sequence sequence(dice, tallies);
    for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) sequence.step();
  });
  if (from_environment("CAIRN_ROUNDS", 200) < 200) return;
  for (std::string operation : {"write", "mkdir", "rm", "mv", "cp", "edit", "rewrite"}) {
    EXPECT_GT(tallies[operation].succeeded, 100) << operation;
    EXPECT_GT(tallies[operation].failed, 100) << operation;
  }
}

}  // namespace
}  // namespace cairn
