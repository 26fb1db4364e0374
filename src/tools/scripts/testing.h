// How the tests run scripts.
#pragma once

#include <string>
#include <string_view>

#include "tools/scripts/script.h"

namespace cairn::script {

inline Result<json::Value> no_host(std::string_view handle, std::string_view operation,
                                   const json::Object&) {
  return fail(Code::kInternal, "nobody answers {}.{}", handle, operation);
}

// Sanitizers are slow: time matters in tests of limits only, and there it is the script's own.
inline constexpr auto kNoHurry = std::chrono::seconds(60);

inline Result<Outcome> run_script(std::string_view source,
                                  const Limits& limits = {.time = kNoHurry},
                                  const json::Value& arguments = json::Object()) {
  const WorkClock clock;
  return run(source, arguments, {}, no_host, clock, limits);
}

// The result as JSON, or `CODE: message`.
inline std::string outcome_of(std::string_view source, const Limits& limits = {.time = kNoHurry},
                              const json::Value& arguments = json::Object()) {
  const auto outcome = run_script(source, limits, arguments);
  return outcome ? json::write(outcome->value) : outcome.error().render();
}

}  // namespace cairn::script
