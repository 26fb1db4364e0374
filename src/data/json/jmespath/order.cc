// The functions that compare or add up elements.
#include <algorithm>
#include <cmath>
#include <utility>

#include "data/json/jmespath/search.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// No sum of as many 64-bit integers as fit into memory leaves it.
__extension__ using Int128 = __int128;

// Exact as long as there are only integers.
struct Total {
  Int128 whole = 0;
  double real = 0;
  bool exact = true;

  void add(Item number) {
    if (exact && number.tag() != Tag::kDouble) {
      whole += number.tag() == Tag::kInt ? Int128{number.integer} : Int128{number.natural};
      return;
    }
    if (exact) real = static_cast<double>(whole);
    exact = false;
    real += to_double(number);
  }

  double approximate() const { return exact ? static_cast<double>(whole) : real; }
};

Item integer(Int128 number) {
  if (number >= INT64_MIN && number <= INT64_MAX) {
    return Item::of(static_cast<std::int64_t>(number));
  }
  if (number > 0 && number <= Int128{UINT64_MAX}) {
    return Item::of(static_cast<std::uint64_t>(number));
  }
  return Item::of(static_cast<double>(number));
}

// The index of the first element that is not a number, or the size.
std::size_t add_all(Total& total, const Elements& elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto element = elements[i];
    if (!element.is_number()) return i;
    total.add(element);
  }
  return elements.size();
}

}  // namespace

Item Search::sum(const Node& node, Item array) {
  const Elements elements(array);
  if (!meter_.spend(elements.size())) return failed();
  Total total;
  const auto bad = add_all(total, elements);
  if (bad < elements.size()) {
    return wrong_type(node, fmt::format("wants an array of numbers, but element {} is {}", bad,
                                        phrase(elements[bad])));
  }
  if (node.function == Function::kSum) {
    return total.exact ? integer(total.whole) : Item::of(total.real);
  }
  if (elements.size() == 0) return {};
  const auto size = static_cast<std::int64_t>(elements.size());
  if (total.exact && total.whole % size == 0) return integer(total.whole / size);
  return Item::of(total.approximate() / static_cast<double>(size));
}

bool Search::comparable(const Node& node, Item key, Item first_key, std::size_t index) {
  const bool ordered = key.is_number() || key.is_string();
  if (ordered && key.is_number() == first_key.is_number()) return true;
  const bool by = signature(node.function).count() == 2;
  const auto what = by ? "the expression gives" : "the value is";
  wrong_type(node, ordered ? fmt::format("wants only numbers or only strings, but for element {} "
                                         "{} {} and for the first {}",
                                         index, what, phrase(key), phrase(first_key))
                           : fmt::format("wants numbers or strings, but for element {} {} {}",
                                         index, what, phrase(key)));
  return false;
}

Item Search::extreme(const Node& node, Item array, NodeId by) {
  const bool greatest = node.function == Function::kMax || node.function == Function::kMaxBy;
  const Elements elements(array);
  if (!meter_.spend(elements.size())) return failed();
  Keyed best;
  const auto next_ones = ahead(elements, by);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next_ones.at(i);
    Keyed next{evaluate(by, elements[i]), elements[i]};
    if (next.key.failed()) return next.key;
    if (i == 0) best.key = next.key;
    if (!comparable(node, next.key, best.key, i)) return failed();
    const bool better = greatest ? less(best, next) : less(next, best);
    if (i == 0 || better) best = next;
    if (meter_.stopped()) return failed();
  }
  return best.element;
}

Search::Keyed* Search::keyed(const Node& node, Item array, NodeId by) {
  const Elements elements(array);
  if (!meter_.spend(elements.size())) return nullptr;
  auto* all = arena_.make<Keyed>(elements.size());
  if (all == nullptr) return nullptr;
  const auto next = ahead(elements, by);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next.at(i);
    all[i] = {evaluate(by, elements[i]), elements[i]};
    if (all[i].key.failed() || !comparable(node, all[i].key, all[0].key, i)) return nullptr;
  }
  return all;
}

bool Search::less(const Keyed& a, const Keyed& b) {
  if (!a.key.is_string()) return compare_numbers(a.key, b.key) < 0;
  meter_.look(std::min(a.key.size(), b.key.size()));
  // Bytes of UTF-8 are in the order of the code points.
  return a.key.text() < b.key.text();
}

Item Search::sort(const Node& node, Item array, NodeId by) {
  const auto size = count(array);
  auto* from = keyed(node, array, by);
  auto* to = from == nullptr ? nullptr : arena_.make<Keyed>(size);
  if (to == nullptr) return failed();
  const auto* sorted = merge_sorted(from, to, size);
  auto* items = sorted == nullptr ? nullptr : arena_.make<Item>(size);
  if (items == nullptr) return failed();
  for (std::size_t i = 0; i < size; ++i) items[i] = sorted[i].element;
  return Item::list(items, size);
}

// Stable. Not the library's, for it can be stopped between any two comparisons.
const Search::Keyed* Search::merge_sorted(Keyed* from, Keyed* to, std::size_t size) {
  const auto before = [this](const Keyed& a, const Keyed& b) { return less(a, b); };
  for (std::size_t run = 1; run < size; run *= 2) {
    if (!meter_.spend(size)) return nullptr;
    for (std::size_t begin = 0; begin < size; begin += 2 * run) {
      const auto middle = std::min(begin + run, size);
      const auto end = std::min(begin + 2 * run, size);
      auto* left = from + begin;
      auto* right = from + middle;
      auto* out = to + begin;
      while (left != from + middle && right != from + end) {
        *out++ = before(*right, *left) ? *right++ : *left++;
        if (meter_.stopped()) return nullptr;
      }
      std::copy(right, from + end, std::copy(left, from + middle, out));
    }
    std::swap(from, to);
  }
  return from;
}

}  // namespace cairn::jmespath
