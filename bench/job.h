// What the programs under bench/compare share: arguments as name=value, a stopwatch, and answers as
// one line of JSON.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/result.h"

namespace cairn {

class Stopwatch final {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// The arguments after the job's name.
class Arguments final {
 public:
  static Result<Arguments> parse(std::span<char*> arguments) {
    Arguments result;
    for (std::string_view argument : arguments) {
      const auto equals = argument.find('=');
      if (equals == std::string_view::npos) {
        return fail(Code::kInvalidArgument, "'{}' is not name=value", argument);
      }
      result.values_.emplace(argument.substr(0, equals), argument.substr(equals + 1));
    }
    return result;
  }

  Result<std::string> text(const std::string& name) const {
    auto found = values_.find(name);
    if (found == values_.end()) return fail(Code::kInvalidArgument, "{}=… is missing", name);
    return found->second;
  }

  Result<std::uint64_t> number(const std::string& name) const {
    const auto value = TRY(text(name));
    std::uint64_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size()) {
      return fail(Code::kInvalidArgument, "{}={} is not a number", name, value);
    }
    return result;
  }

  bool has(const std::string& name) const { return values_.contains(name); }

 private:
  std::map<std::string, std::string> values_;
};

// An object of JSON, member by member. REQUIRES: texts need no escapes.
class Answer final {
 public:
  Answer& add(std::string_view name, std::string_view text) {
    return raw(name, fmt::format("\"{}\"", text));
  }
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  Answer& add(std::string_view name, Number number) {
    return raw(name, fmt::format("{}", number));
  }
  Answer& add(std::string_view name, std::span<const double> numbers) {
    return raw(name, fmt::format("[{}]", fmt::join(numbers, ", ")));
  }

  std::string render() const { return "{" + members_ + "}"; }

 private:
  Answer& raw(std::string_view name, std::string_view value) {
    members_ += fmt::format("{}\"{}\": {}", members_.empty() ? "" : ", ", name, value);
    return *this;
  }

  std::string members_;
};

using Job = Result<Answer> (*)(const Arguments& arguments);
struct NamedJob {
  std::string_view name;
  Job run;
};

// Runs the job named by the first argument and prints its answer.
inline int run_job(std::span<const NamedJob> jobs, std::span<char*> arguments) {
  for (const auto& job : jobs) {
    if (arguments.size() < 2 || job.name != arguments[1]) continue;
    auto parsed = Arguments::parse(arguments.subspan(2));
    auto answer = parsed ? job.run(*parsed) : Failure(parsed.error());
    if (!answer) {
      fmt::print(stderr, "{}: {}\n", job.name, answer.error().render());
      return 1;
    }
    fmt::print("{}\n", answer->render());
    return 0;
  }
  fmt::print(stderr, "usage: {} JOB name=value…\njobs:", arguments[0]);
  for (const auto& job : jobs) fmt::print(stderr, " {}", job.name);
  fmt::print(stderr, "\n");
  return 2;
}

}  // namespace cairn
