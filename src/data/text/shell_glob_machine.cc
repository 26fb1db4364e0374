#include "data/text/shell_glob_machine.h"

#include <ranges>
#include <utility>

namespace cairn::shell_glob {

// ---- Writer -----------------------------------------------------------------------------------

class MachineWriter final {
 public:
  explicit MachineWriter(std::vector<Machine::Part>& parts) : parts_(parts) {}

  // The parts it uses, then the part itself; which number that has.
  std::size_t part(const std::vector<Sequence>& alternatives) {
    Part part;
    either(part, alternatives);
    part.push_back({Kind::kAccept});
    parts_.push_back(std::move(part));
    return parts_.size() - 1;
  }

 private:
  using Part = Machine::Part;
  using Step = Machine::Step;
  using Kind = Machine::Step::Kind;

  void either(Part& part, const std::vector<Sequence>& alternatives) {
    std::vector<std::size_t> jumps;
    for (std::size_t i = 0; i + 1 < alternatives.size(); ++i) {
      auto split = add(part, {Kind::kSplit});
      sequence(part, alternatives[i]);
      jumps.push_back(add(part, {Kind::kJump}));
      part[split].target = part.size();
    }
    if (!alternatives.empty()) sequence(part, alternatives.back());
    for (auto jump : jumps) part[jump].target = part.size();
  }

  void sequence(Part& part, const Sequence& items) {
    for (const auto& item : std::views::reverse(items)) write(part, item);
  }

  void write(Part& part, const Item& item) {
    switch (item.kind) {
      case Item::Kind::kCharacter:
        part.push_back({.kind = Kind::kCharacter, .code = item.code});
        return;
      case Item::Kind::kAny:
        part.push_back({Kind::kAny});
        return;
      case Item::Kind::kRun:
        return run(part);
      case Item::Kind::kSet:
        part.push_back({.kind = Kind::kSet, .set = item.set});
        return;
      case Item::Kind::kNever:
        part.push_back({Kind::kNever});
        return;
      case Item::Kind::kNotDots:
        part.push_back({Kind::kNotDots});
        return;
      case Item::Kind::kGroup:
        return group(part, item);
    }
  }

  void run(Part& part) {
    auto split = add(part, {Kind::kSplit});
    part.push_back({Kind::kAny});
    part.push_back({.kind = Kind::kJump, .target = split});
    part[split].target = part.size();
  }

  void group(Part& part, const Item& item) {
    if (item.type == '!') {
      auto unless = this->part(item.alternatives);
      run(part);
      part.push_back({.kind = Kind::kUnless, .target = unless});
      return;
    }
    const auto begin = part.size();
    const bool optional = item.type == '?' || item.type == '*';
    const bool repeated = item.type == '+' || item.type == '*';
    if (optional) part.push_back({Kind::kSplit});
    either(part, item.alternatives);
    if (repeated) part.push_back({.kind = Kind::kSplit, .target = begin});
    if (optional) part[begin].target = part.size();
  }

  static std::size_t add(Part& part, Step step) {
    part.push_back(std::move(step));
    return part.size() - 1;
  }

  std::vector<Machine::Part>& parts_;
};

// ---- Run --------------------------------------------------------------------------------------

class MachineRun final {
 public:
  MachineRun(const std::vector<Machine::Part>& parts, std::u32string_view name)
      : parts_(parts), name_(name), states_(parts.size()) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      states_[i].seen.resize(parts[i].size(), name.size() + 1);
      states_[i].next.push_back(0);
    }
  }

  bool matches() {
    for (auto at = name_.size();; --at) {
      for (std::size_t part = 0; part < parts_.size(); ++part) settle(part, at);
      if (at == 0) return states_.back().accepts;
      if (states_.back().waiting.empty()) return false;
      for (std::size_t part = 0; part < parts_.size(); ++part) advance(part, name_[at - 1]);
    }
  }

 private:
  using Step = Machine::Step;

  struct State {
    std::vector<std::size_t> next;     // steps to take up
    std::vector<std::size_t> waiting;  // steps that want a character
    std::vector<std::size_t> seen;     // where each step was last taken up
    bool accepts = false;              // the part matches what has been read
  };

  // Follows what takes no character.
  void settle(std::size_t part, std::size_t at) {
    auto& state = states_[part];
    state.waiting.clear();
    state.accepts = false;
    while (!state.next.empty()) {
      const auto index = state.next.back();
      state.next.pop_back();
      if (std::exchange(state.seen[index], at) != at) follow(state, parts_[part][index], index, at);
    }
  }

  void follow(State& state, const Step& step, std::size_t index, std::size_t at) const {
    switch (step.kind) {
      case Step::Kind::kCharacter:
      case Step::Kind::kAny:
      case Step::Kind::kSet:
        state.waiting.push_back(index);
        return;
      case Step::Kind::kNever:
        return;
      case Step::Kind::kNotDots:
        if (at > 0 || (name_ != U"." && name_ != U"..")) state.next.push_back(index + 1);
        return;
      case Step::Kind::kSplit:
        state.next.push_back(step.target);
        state.next.push_back(index + 1);
        return;
      case Step::Kind::kJump:
        state.next.push_back(step.target);
        return;
      case Step::Kind::kUnless:
        if (!states_[step.target].accepts) state.next.push_back(index + 1);
        return;
      case Step::Kind::kAccept:
        state.accepts = true;
        return;
    }
  }

  void advance(std::size_t part, char32_t code) {
    auto& state = states_[part];
    for (auto index : state.waiting) {
      const auto& step = parts_[part][index];
      const bool takes = step.kind == Step::Kind::kCharacter ? step.code == code
                         : step.kind == Step::Kind::kSet     ? step.set->has(code)
                                                             : true;
      if (takes) state.next.push_back(index + 1);
    }
  }

  const std::vector<Machine::Part>& parts_;
  std::u32string_view name_;
  std::vector<State> states_;
};

Machine::Machine(const Sequence& sequence) { MachineWriter(parts_).part({sequence}); }

bool Machine::matches(std::u32string_view name) const { return MachineRun(parts_, name).matches(); }

}  // namespace cairn::shell_glob
