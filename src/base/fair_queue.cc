#include "base/fair_queue.h"

#include <algorithm>
#include <utility>

namespace cairn {
namespace {

constexpr std::size_t kMostLines = 4096;

}  // namespace

void FairQueue::Window::learn(std::chrono::nanoseconds took) {
  if (took <= kShort && now < most) ++now;
  if (took >= kLong) now = std::max(now / 2, least);
}

// A quarter of the threads is left to others, whoever comes first.
FairQueue::FairQueue(unsigned threads) : most_(std::max(1U, threads - threads / 4)) {}

FairQueue::Line& FairQueue::line_of(const Share& share) {
  const auto limits = [&](unsigned least) {
    least = std::min(least, most_);
    if (share.none()) least = UINT32_MAX;
    return Window{.now = least, .least = least, .most = std::max(least, most_)};
  };
  auto [group, new_group] = groups_.try_emplace(share.group);
  if (new_group) group->second.window = limits(kLeastOfGroup);
  auto [line, new_line] = group->second.lines.try_emplace(share.who);
  if (!new_line) return line->second;
  lines_ += 1;
  line->second.window = limits(kLeastOfShare);
  line->second.group = &group->second;
  return line->second;
}

void FairQueue::push(const Share& share, Job job) {
  // Whoever is forgotten begins with a narrow window again.
  if (lines_ >= kMostLines) forget_idle();
  Line& line = line_of(share);
  line.waiting.push_back(std::move(job));
  waiting_ += 1;
  list(line);
}

void FairQueue::list(Line& line) {
  if (!line.listed && !line.waiting.empty() && line.running.size() < line.window.now) {
    line.listed = true;
    line.group->ready.push_back(&line);
  }
  list(*line.group);
}

void FairQueue::list(Group& group) {
  if (group.listed || group.ready.empty() || group.running >= group.window.now) return;
  group.listed = true;
  groups_ready_.push_back(&group);
}

std::optional<FairQueue::Taken> FairQueue::pop(Time now) {
  while (!groups_ready_.empty()) {
    Group& group = *groups_ready_.front();
    groups_ready_.pop_front();
    group.listed = false;
    Line& line = *group.ready.front();
    group.ready.pop_front();
    line.listed = false;
    // A wide window was earned with short ones: once as many as the least turn out to be long, the
    // rest waits until one of them ends.
    const bool slow = line.running.size() >= line.window.least &&
                      now - line.running[line.window.least - 1] >= kLong;
    if (slow) {
      list(group);
      continue;
    }
    Taken taken{std::move(line.waiting.front()), &line, now};
    line.waiting.pop_front();
    waiting_ -= 1;
    line.running.push_back(now);
    group.running += 1;
    list(line);
    return taken;
  }
  return std::nullopt;
}

void FairQueue::done(Line& line, Time began, Time now) {
  line.running.erase(std::ranges::find(line.running, began));
  line.group->running -= 1;
  line.window.learn(now - began);
  line.group->window.learn(now - began);
  list(line);
}

void FairQueue::forget_idle() {
  for (auto& [name, group] : groups_) {
    lines_ -= std::erase_if(group.lines, [](const auto& entry) {
      return entry.second.waiting.empty() && entry.second.running.empty();
    });
  }
  std::erase_if(groups_, [](const auto& entry) { return entry.second.lines.empty(); });
}

}  // namespace cairn
