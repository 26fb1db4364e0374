#include "data/json/document/cut.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/quote.h"
#include "data/json/pointer.h"

namespace cairn::document {
namespace {

using json::Array;
using json::Object;
using json::Pointer;
using json::Value;

constexpr std::size_t kMinBytes = 64;
constexpr std::size_t kMaxLeftOut = 20;
constexpr std::size_t kMaxPointer = 200;
constexpr std::string_view kEllipsis = "…";

// The share that every child gets before the rest is divided: room for any number, or for a
// beginning.
constexpr std::size_t kMinShare = 32;
// How many large children are shown before the last ones are dropped: many members, which are the
// structure, but few elements, which are much like each other.
constexpr std::size_t kLargeMembers = 64;
constexpr std::size_t kLargeElements = 8;

std::size_t string_bytes(std::string_view text, std::size_t limit) {
  return 2 + json_bytes(text.substr(0, limit + 1));
}

// A member's key, its quotes and colon.
std::size_t key_bytes(std::string_view key, std::size_t limit) {
  return string_bytes(key, limit) + 1;
}

// Counts down from a limit, and stops there.
class Counter {
 public:
  explicit Counter(std::size_t limit) : left_(limit) {}

  // False when the limit is passed.
  bool count(const Value& value) {
    switch (value.kind()) {
      case json::Kind::string:
        return spend(string_bytes(value.get_string(), left_));
      case json::Kind::array:
        return count_array(value.get_array());
      case json::Kind::object:
        return count_object(value.get_object());
      case json::Kind::null:
      case json::Kind::bool_:
      case json::Kind::int64:
      case json::Kind::uint64:
      case json::Kind::double_:
        return spend(json::write(value).size());
    }
    return false;
  }

  std::size_t left() const { return left_; }

 private:
  bool spend(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  bool count_array(const Array& array) {
    return spend(2 + (array.empty() ? 0 : array.size() - 1)) &&
           std::ranges::all_of(array, [this](const auto& element) { return count(element); });
  }

  bool count_object(const Object& object) {
    return spend(2 + (object.empty() ? 0 : object.size() - 1)) &&
           std::ranges::all_of(object, [this](const auto& member) {
             return spend(key_bytes(member.key(), left_)) && count(member.value());
           });
  }

  std::size_t left_;
};

// A child that is shown: what it needs besides its value, and what its value takes.
struct Need {
  std::size_t fixed;
  std::size_t value;  // no more than the container's room, plus one
};

// The greatest level so that the needs, none taken above it, fit into the room.
std::size_t water_level(const std::vector<Need>& needs, std::size_t room) {
  std::vector<std::size_t> sizes;
  for (const auto& need : needs) {
    room -= std::min(room, need.fixed);
    sizes.push_back(need.value);
  }
  std::ranges::sort(sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto level = room / (sizes.size() - i);
    if (sizes[i] > level) return level;
    room -= sizes[i];
  }
  return sizes.empty() ? 0 : sizes.back();
}

// Takes children as long as there is room for each of them, reduced to `share` where it is larger.
class Needs {
 public:
  Needs(std::size_t room, std::size_t large)
      : room_(room), share_(std::max(room / large, kMinShare)) {}

  bool add(std::size_t fixed, const Value& value) {
    const auto bytes = written_bytes(value, room_);
    const auto least = fixed + std::min(bytes, share_);
    if (least > room_ - used_) return false;
    used_ += least;
    needs_.push_back({fixed, bytes});
    return true;
  }

  const std::vector<Need>& needs() const { return needs_; }
  std::size_t level() const { return water_level(needs_, room_); }

 private:
  const std::size_t room_;
  const std::size_t share_;
  std::size_t used_ = 0;
  std::vector<Need> needs_;
};

// Level by level, so that places near the root are named first.
class Cutter {
 public:
  Cut run(const Value& value, std::size_t max_bytes) {
    cut_.truncated = true;
    queue_.push_back({&value, &cut_.value, max_bytes, {}});
    while (!queue_.empty()) {
      auto task = std::move(queue_.front());
      queue_.pop_front();
      reduce(task);
    }
    return std::move(cut_);
  }

 private:
  // A value that is too large for its room.
  struct Task {
    const Value* from;
    Value* to;
    std::size_t room;
    Pointer place;
  };

  void reduce(const Task& task) {
    if (const auto* array = task.from->if_array()) {
      reduce_array(*array, task);
    } else if (const auto* object = task.from->if_object()) {
      reduce_object(*object, task);
    } else if (const auto* string = task.from->if_string()) {
      reduce_string(*string, task);
    } else {
      *task.to = *task.from;
    }
  }

  void reduce_array(const Array& array, const Task& task) {
    Needs needs(task.room - 2, kLargeElements);
    for (const auto& element : array) {
      if (!needs.add(1, element)) break;
    }
    const auto count = needs.needs().size();
    const auto level = needs.level();
    auto& out = task.to->emplace_array();
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      place(array[i], out[i], needs.needs()[i].value, level, task, std::to_string(i));
    }
    note(task, count, array.size(), "elements");
  }

  void reduce_object(const Object& object, const Task& task) {
    Needs needs(task.room - 2, kLargeMembers);
    for (const auto& member : object) {
      if (!needs.add(key_bytes(member.key(), task.room) + 1, member.value())) break;
    }
    const auto count = needs.needs().size();
    const auto level = needs.level();
    auto& out = task.to->emplace_object();
    out.reserve(count);
    for (const auto& member : object) {
      const auto i = out.size();
      if (i == count) break;
      auto& value = out.emplace(member.key(), nullptr).first->value();
      place(member.value(), value, needs.needs()[i].value, level, task, member.key());
    }
    note(task, count, object.size(), "members");
  }

  void reduce_string(std::string_view text, const Task& task) {
    const auto room = task.room - std::min(task.room, 2 + kEllipsis.size());
    const auto kept = json_prefix(text, room);
    *task.to = std::string(kept) + std::string(kEllipsis);
    note(task, kept.size(), text.size(), "bytes");
  }

  // A child that fits is copied; one that does not waits for its turn.
  void place(const Value& from, Value& to, std::size_t bytes, std::size_t level, const Task& parent,
             std::string_view token) {
    if (bytes <= level) {
      to = from;
      return;
    }
    queue_.push_back({&from, &to, level, parent.place.child(token)});
  }

  void note(const Task& task, std::size_t kept, std::size_t total, std::string_view what) {
    if (kept == total) return;
    auto at = task.place.render();
    if (cut_.left_out.size() == kMaxLeftOut || at.size() > kMaxPointer) {
      ++cut_.more_left_out;
      return;
    }
    cut_.left_out.emplace(at, fmt::format("shows {} of {} {}", kept, total, what));
  }

  Cut cut_;
  std::deque<Task> queue_;
};

}  // namespace

std::size_t written_bytes(const Value& value, std::size_t limit) {
  Counter counter(limit);
  return counter.count(value) ? limit - counter.left() : limit + 1;
}

Cut cut(const Value& value, std::size_t max_bytes) {
  max_bytes = std::max(max_bytes, kMinBytes);
  if (written_bytes(value, max_bytes) <= max_bytes) return {.value = value};
  return Cutter().run(value, max_bytes);
}

}  // namespace cairn::document
