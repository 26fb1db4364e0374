#include "tools/workspace/line_diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "data/text/lines.h"

namespace cairn::work {
namespace {

using Kind = LineStep::Kind;

constexpr std::size_t kMaxChanged = 2000;
constexpr std::size_t kContext = 4;

// Myers' greedy search: round d holds, for each diagonal k = x - y, how far x the best way with d
// changes gets. Rounds are kept to find the way back.
class Search final {
 public:
  Search(std::span<const ByteView> before, std::span<const ByteView> after)
      : before_(before), after_(after) {}

  // The rounds, the last of which has arrived; empty when there are too many changes.
  bool run() {
    const auto most =
        static_cast<std::ptrdiff_t>(std::min(before_.size() + after_.size(), kMaxChanged));
    rounds_.push_back({follow(0, 0)});
    if (arrived(rounds_.back().front(), 0)) return true;
    for (std::ptrdiff_t d = 1; d <= most; ++d) {
      rounds_.emplace_back(static_cast<std::size_t>(2 * d + 1), kNowhere);
      for (auto k = -d; k <= d; k += 2) {
        const auto x = step(d, k);
        if (x == kNowhere) continue;
        at(d, k) = follow(x, x - k);
        if (arrived(at(d, k), k)) return true;
      }
    }
    return false;
  }

  std::vector<LineStep> way() {
    std::vector<LineStep> out;
    auto x = static_cast<std::ptrdiff_t>(before_.size());
    auto y = static_cast<std::ptrdiff_t>(after_.size());
    for (auto d = static_cast<std::ptrdiff_t>(rounds_.size()) - 1; d > 0; --d) {
      const auto k = x - y;
      const bool removes = removes_here(d, k);
      const auto from = removes ? get(d - 1, k - 1) : get(d - 1, k + 1);
      const auto begin = removes ? from + 1 : from;  // where the equal lines of this round begin
      for (; x > begin; --x, --y) out.push_back({Kind::kSame, static_cast<std::size_t>(x - 1)});
      if (removes) {
        out.push_back({Kind::kRemoved, static_cast<std::size_t>(--x)});
      } else {
        out.push_back({Kind::kAdded, static_cast<std::size_t>(--y)});
      }
    }
    for (; x > 0; --x) out.push_back({Kind::kSame, static_cast<std::size_t>(x - 1)});
    std::ranges::reverse(out);
    return out;
  }

 private:
  static constexpr std::ptrdiff_t kNowhere = -1;

  std::ptrdiff_t get(std::ptrdiff_t d, std::ptrdiff_t k) const {
    if (k < -d || k > d) return kNowhere;
    return rounds_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }
  std::ptrdiff_t& at(std::ptrdiff_t d, std::ptrdiff_t k) {
    return rounds_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }

  bool can_remove(std::ptrdiff_t d, std::ptrdiff_t k) const {
    const auto x = get(d - 1, k - 1);
    return x != kNowhere && x < static_cast<std::ptrdiff_t>(before_.size());
  }
  bool can_add(std::ptrdiff_t d, std::ptrdiff_t k) const {
    const auto x = get(d - 1, k + 1);
    return x != kNowhere && x - k - 1 < static_cast<std::ptrdiff_t>(after_.size());
  }
  bool removes_here(std::ptrdiff_t d, std::ptrdiff_t k) const {
    if (!can_remove(d, k)) return false;
    return !can_add(d, k) || get(d - 1, k - 1) >= get(d - 1, k + 1);
  }
  std::ptrdiff_t step(std::ptrdiff_t d, std::ptrdiff_t k) const {
    if (removes_here(d, k)) return get(d - 1, k - 1) + 1;
    return can_add(d, k) ? get(d - 1, k + 1) : kNowhere;
  }

  std::ptrdiff_t follow(std::ptrdiff_t x, std::ptrdiff_t y) const {
    while (x < static_cast<std::ptrdiff_t>(before_.size()) &&
           y < static_cast<std::ptrdiff_t>(after_.size()) &&
           before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)]) {
      ++x;
      ++y;
    }
    return x;
  }
  bool arrived(std::ptrdiff_t x, std::ptrdiff_t k) const {
    return x == static_cast<std::ptrdiff_t>(before_.size()) &&
           x - k == static_cast<std::ptrdiff_t>(after_.size());
  }

  std::span<const ByteView> before_;
  std::span<const ByteView> after_;
  std::vector<std::vector<std::ptrdiff_t>> rounds_;
};

// Within one change, what is removed first.
void removed_first(std::vector<LineStep>& steps) {
  const auto same = [](const LineStep& step) { return step.kind == Kind::kSame; };
  for (auto begin = steps.begin(); begin != steps.end();) {
    begin = std::find_if_not(begin, steps.end(), same);
    const auto end = std::find_if(begin, steps.end(), same);
    std::sort(begin, end, [](const LineStep& a, const LineStep& b) {
      return a.kind != b.kind ? a.kind == Kind::kRemoved : a.line < b.line;
    });
    begin = end;
  }
}

std::vector<LineStep> one_change(std::span<const ByteView> before,
                                 std::span<const ByteView> after) {
  const auto change = whole_change(before, after);
  std::vector<LineStep> out;
  for (std::size_t i = 0; i < change.first; ++i) out.push_back({Kind::kSame, i});
  for (std::size_t i = 0; i < change.removed; ++i) {
    out.push_back({Kind::kRemoved, change.first + i});
  }
  for (std::size_t i = 0; i < change.added; ++i) out.push_back({Kind::kAdded, change.first + i});
  for (auto i = change.first + change.removed; i < before.size(); ++i) {
    out.push_back({Kind::kSame, i});
  }
  return out;
}

// A run of steps that is shown together: first and one past the last.
struct Hunk {
  std::size_t begin;
  std::size_t end;
};

std::vector<Hunk> hunks_of(std::span<const LineStep> steps) {
  std::vector<Hunk> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == Kind::kSame) continue;
    const auto begin = i < kContext ? 0 : i - kContext;
    const auto end = std::min(steps.size(), i + 1 + kContext);
    if (!out.empty() && begin <= out.back().end) {
      out.back().end = end;
    } else {
      out.push_back({begin, end});
    }
  }
  return out;
}

void add_line(std::string& out, char mark, ByteView line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::vector<LineStep> line_steps(std::span<const ByteView> before,
                                 std::span<const ByteView> after) {
  Search search(before, after);
  if (!search.run()) return one_change(before, after);
  auto out = search.way();
  removed_first(out);
  return out;
}

std::string patch_of(std::string_view name, std::span<const ByteView> before,
                     std::span<const ByteView> after, std::span<const LineStep> steps) {
  auto out =
      fmt::format("Index: {}\n{:=>67}\n--- {}\toriginal\n+++ {}\tmodified\n", name, "", name, name);
  std::size_t old_line = 0;  // of the step that comes next
  std::size_t new_line = 0;
  std::size_t next = 0;
  for (const auto& hunk : hunks_of(steps)) {
    for (; next < hunk.begin; ++next, ++old_line, ++new_line) {
    }
    std::string body;
    auto old_end = old_line;
    auto new_end = new_line;
    for (; next < hunk.end; ++next) {
      const auto& step = steps[next];
      const bool added = step.kind == Kind::kAdded;
      const char mark = added ? '+' : step.kind == Kind::kRemoved ? '-' : ' ';
      add_line(body, mark, added ? after[step.line] : before[step.line]);
      if (!added) ++old_end;
      if (step.kind != Kind::kRemoved) ++new_end;
    }
    const auto old_count = old_end - old_line;
    const auto new_count = new_end - new_line;
    out += fmt::format("@@ -{},{} +{},{} @@\n", old_count == 0 ? old_line : old_line + 1, old_count,
                       new_count == 0 ? new_line : new_line + 1, new_count);
    out += body;
    old_line = old_end;
    new_line = new_end;
  }
  return out;
}

}  // namespace cairn::work
