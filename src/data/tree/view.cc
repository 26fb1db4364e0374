#include "data/tree/view.h"

#include <algorithm>

#include "base/quote.h"
#include "data/cas/file.h"
#include "data/tree/nearest.h"

namespace cairn {
namespace {

// The size in a file's entry is not proved until the file is read, so it does not decide alone how
// much memory is taken.
constexpr std::uint64_t kMaxReserved = 32 << 20;

Failure not_found(const Path& path, const Path& at, const std::string& nearest) {
  auto message = fmt::format("the path '{}' does not exist", path.render());
  if (at.segments().size() + 1 < path.segments().size()) {
    message += fmt::format("; {} has no '{}'",
                           at.is_root() ? "the root" : fmt::format("'{}'", at.render()),
                           path.segments()[at.segments().size()]);
  }
  if (!nearest.empty()) message += fmt::format("; the nearest name is '{}'", nearest);
  return Failure(Error(Code::kPathNotFound, message));
}

Failure not_a_directory(const Path& path, const Path& file) {
  return fail(Code::kNotADirectory, "'{}' in the path '{}' is a file, not a directory",
              file.is_root() ? "the root" : file.render(), path.render());
}

// One step down from a directory.
Result<std::optional<FoundEntry>> step(const NodeReader& nodes, const NodePtr& dict,
                                       const std::string& segment) {
  if (auto index = child_index(segment)) return dict_at(nodes, dict, *index);
  return dict_find(nodes, dict, segment);
}

Located located_root(const TreeView& tree) {
  return {Path(), tree.root, entry_for("", *tree.root)};
}

}  // namespace

Result<TreeView> view_tree(const NodeReader& nodes, const NodeKey& root) {
  auto node = TRY(nodes.get(root));
  if (!node->is_root()) {
    return fail(Code::kNotADirectory,
                "{} is a piece of a file or directory, not a tree; use the key that a listing or a "
                "write gave",
                root.render());
  }
  return TreeView{nodes, std::move(node)};
}

Result<Located> locate(const TreeView& tree, const Path& path) {
  Located at = located_root(tree);
  for (const auto& segment : path.segments()) {
    if (!at.entry.is_dir()) return not_a_directory(path, at.path);
    auto dict = TRY(open_dir(tree, at));
    auto found = TRY(step(tree.nodes, dict, segment));
    if (!found) {
      auto nearest = TRY(nearest_name(tree.nodes, dict, segment));
      return not_found(path, at.path, nearest);
    }
    at.path = at.path.child(found->entry.name);
    at.holder = std::move(found->holder);
    at.entry = found->entry;
  }
  return at;
}

Result<std::optional<Located>> find(const TreeView& tree, const Path& path) {
  Located at = located_root(tree);
  for (const auto& segment : path.segments()) {
    if (!at.entry.is_dir()) return std::nullopt;
    auto dict = TRY(open_dir(tree, at));
    auto found = TRY(step(tree.nodes, dict, segment));
    if (!found) return std::nullopt;
    at.path = at.path.child(found->entry.name);
    at.holder = std::move(found->holder);
    at.entry = found->entry;
  }
  return at;
}

Result<Path> resolve_target(const TreeView& tree, const Path& path) {
  auto is_index = [](const std::string& segment) { return child_index(segment).has_value(); };
  if (std::ranges::none_of(path.segments(), is_index)) return path;
  Path resolved;
  std::optional<Located> at = located_root(tree);  // while something is there
  for (const auto& segment : path.segments()) {
    std::optional<FoundEntry> found;
    if (at && at->entry.is_dir()) {
      found = TRY(step(tree.nodes, TRY(open_dir(tree, *at)), segment));
    }
    if (!found && child_index(segment)) {
      return fail(Code::kInvalidPath,
                  "'{}' in the path '{}' is a child index and names no child; give a name to "
                  "create one",
                  segment, path.render());
    }
    resolved = resolved.child(found ? found->entry.name : segment);
    at.reset();
    if (found) at = Located{resolved, std::move(found->holder), found->entry};
  }
  return resolved;
}

Result<NodePtr> open_dir(const TreeView& tree, const Located& at) {
  if (!at.entry.is_dir()) {
    return fail(Code::kNotADirectory, "'{}' is a file, not a directory", at.path.render());
  }
  if (at.path.is_root()) return tree.root;
  auto node = TRY(tree.nodes.get(at.entry.key));
  // Entry and node are written together; when they differ, one of them is damaged.
  if (node->kind() != Kind::kDict ||
      node->totals() != Totals{at.entry.children, at.entry.files, at.entry.bytes}) {
    return fail(Code::kCorruptNode, "the directory entry of '{}' does not fit the node {}",
                at.path.render(), at.entry.key.render());
  }
  return node;
}

Result<NodePtr> open_file(const TreeView& tree, const Located& at) {
  if (at.entry.is_dir()) {
    return fail(Code::kNotAFile, "'{}' is a directory, not a file; list it instead",
                at.path.is_root() ? "the root" : at.path.render());
  }
  if (at.path.is_root()) return tree.root;
  auto node = TRY(tree.nodes.get(at.entry.key));
  if (node->kind() != Kind::kFile || node->size() != at.entry.bytes) {
    return fail(Code::kCorruptNode, "the directory entry of '{}' does not fit the node {}",
                at.path.render(), at.entry.key.render());
  }
  return node;
}

namespace {

std::int64_t rendered_bytes(std::uint64_t index, const Entry& entry, const Rendering& rendering) {
  const auto label =
      std::string_view(R"("name":"","index":,)").size() + json_bytes(entry.name) + digits(index);
  return row_bytes(label, entry, rendering);
}

}  // namespace

Result<ListPage> list(const TreeView& tree, const Path& path, const ListOptions& options,
                      Budget& budget) {
  if (options.limit < 1 || options.limit > ListOptions::kMaxLimit) {
    return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to {}", options.limit,
                ListOptions::kMaxLimit);
  }
  auto at = TRY(locate(tree, path));
  auto dict = TRY(open_dir(tree, at));
  ListPage page{at.path, at.entry.key, {}, dict->totals().entries, std::nullopt};
  DictCursor cursor(tree.nodes, dict);
  std::uint64_t index = 0;
  if (options.cursor) {
    auto last = TRY(parse_cursor(*options.cursor));
    last.push_back('\0');  // the smallest name after it
    index = TRY(dict_rank(tree.nodes, dict, last));
  }
  TRY(cursor.seek_index(index));
  while (const Entry* entry = cursor.entry()) {
    bool fits = page.children.size() < options.limit && budget.in_time() && budget.take_entries() &&
                budget.take_bytes(rendered_bytes(index, *entry, options.rendering));
    // At least one child, whatever the budget says: otherwise a client that pages would never get
    // on.
    if (!fits && !page.children.empty()) {
      page.next_cursor = render_cursor(page.children.back().name);
      break;
    }
    page.children.push_back({index++, std::string(entry->name), EntryValue::of(*entry)});
    TRY(cursor.next());
  }
  return page;
}

namespace {

FileContent describe(const Located& at, const Node& file) {
  FileContent content;
  content.path = at.path;
  content.key = file.key();
  content.size = file.size();
  content.type = std::string(file.type());
  return content;
}

}  // namespace

Result<FileContent> read(const TreeView& tree, const Path& path, ByteRange range, Budget& budget) {
  auto at = TRY(locate(tree, path));
  auto file = TRY(open_file(tree, at));
  auto result = describe(at, *file);
  result.offset = std::min(range.offset, file->size());
  auto length = std::min(range.length, file->size() - result.offset);
  if (auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(budget.bytes_left(), 0));
      length > left) {
    length = left;
    result.truncated = true;
  }
  budget.take_bytes(static_cast<std::int64_t>(length));
  result.content.reserve(std::min<std::uint64_t>(length, kMaxReserved));
  TRY(read_file(tree.nodes, *file, result.offset, length, [&](ByteView part) -> Result<void> {
    result.content.append(part);
    return {};
  }));
  return result;
}

namespace {

// Collects the lines of a range from bytes that arrive in portions.
class LineCollector final {
 public:
  LineCollector(LineRange range, Budget& budget, FileContent& result)
      : range_(range), budget_(budget), result_(result) {}

  // False when nothing more is wanted.
  bool feed(ByteView bytes) {
    while (!bytes.empty()) {
      auto newline = bytes.find('\n');
      auto part = bytes.substr(0, newline == ByteView::npos ? bytes.size() : newline + 1);
      bytes.remove_prefix(part.size());
      const bool in_range = line_ >= range_.first && line_ <= range_.last;
      if (in_range && !take(wanted(part))) return false;
      offset_ += part.size();
      open_ = part.back() != '\n';
      if (!open_) ++line_;
      if (line_ > range_.last) return false;
    }
    return true;
  }

  // Lines seen when the whole file went through.
  std::uint64_t total() const { return open_ ? line_ : line_ - 1; }
  std::uint64_t bytes_seen() const { return offset_; }

 private:
  // Without what is to be left out of the first line.
  ByteView wanted(ByteView part) {
    lead_ = 0;
    if (line_ != range_.first || skipped_ >= range_.skip) return part;
    auto skip = std::min<std::uint64_t>(range_.skip - skipped_, part.size());
    // Never in the middle of a character.
    auto is_inside = [&] {
      return skip < part.size() && (static_cast<unsigned char>(part[skip]) & 0xC0) == 0x80;
    };
    while (is_inside()) ++skip;
    skipped_ += skip;
    lead_ = skip;
    return part.substr(skip);
  }

  bool take(ByteView part) {
    if (!budget_.take_bytes(static_cast<std::int64_t>(json_bytes(part)))) {
      result_.truncated = true;
      cut_line(part);
      return false;
    }
    append(part);
    return true;
  }

  void append(ByteView part) {
    if (result_.content.empty()) {
      result_.offset = offset_ + lead_;
      result_.first_line = line_;
    }
    if (result_.last_line != line_) line_begin_ = result_.content.size();
    result_.last_line = line_;
    result_.content.append(part);
  }

  // Whole lines only, unless the first alone is longer than the budget: then as many of its
  // characters as fit.
  void cut_line(ByteView part) {
    if (result_.content.empty() || (result_.last_line == line_ && line_begin_ == 0)) {
      auto left = static_cast<std::size_t>(std::max<std::int64_t>(budget_.bytes_left(), 0));
      auto fits = json_prefix(part, left);
      budget_.take_bytes(static_cast<std::int64_t>(json_bytes(fits)));
      if (!fits.empty()) append(fits);
      if (result_.content.empty()) return;
      result_.cut_at = (line_ == range_.first ? skipped_ : 0) + result_.content.size();
    } else if (result_.last_line == line_) {
      result_.content.resize(line_begin_);
      result_.last_line = line_ - 1;
    }
  }

  LineRange range_;
  Budget& budget_;
  FileContent& result_;
  std::uint64_t line_ = 1;
  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;  // of the first line
  std::uint64_t lead_ = 0;     // of that, in the portion at hand
  std::size_t line_begin_ = 0;
  bool open_ = false;
};

}  // namespace

Result<FileContent> read_lines(const TreeView& tree, const Path& path, LineRange range,
                               Budget& budget) {
  if (range.first < 1 || range.last < range.first) {
    return fail(Code::kInvalidArgument,
                "lines {} to {} are not a range; lines count from 1, both ends included",
                range.first, range.last);
  }
  auto at = TRY(locate(tree, path));
  auto file = TRY(open_file(tree, at));
  auto result = describe(at, *file);
  LineCollector lines(range, budget, result);
  constexpr std::uint64_t kPortion = 256 * 1024;
  bool wanted = true;
  std::uint64_t offset = 0;
  // In portions, so that the time is looked at now and then and the reading ends with the last
  // line.
  for (; wanted && offset < file->size(); offset += kPortion) {
    if (!budget.in_time()) {
      result.truncated = true;
      break;
    }
    TRY(read_file(tree.nodes, *file, offset, kPortion, [&](ByteView part) -> Result<void> {
      // The reader cannot be stopped within a portion; what follows is only not looked at.
      wanted = wanted && lines.feed(part);
      return {};
    }));
  }
  bool whole = lines.bytes_seen() == file->size();
  if (whole) result.total_lines = lines.total();
  bool past_the_end = whole && range.first > std::max<std::uint64_t>(lines.total(), 1);
  if (past_the_end) {
    return fail(Code::kInvalidArgument, "'{}' has {} lines; line {} is past its end",
                at.path.render(), lines.total(), range.first);
  }
  return result;
}

}  // namespace cairn
