// Calling a handler's functions: whatever they throw goes no further.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "exposure/http/http.h"

namespace cairn::http {

// The result of `function`, or INTERNAL; the exception's text is for the log only.
template <typename Function>
std::invoke_result_t<Function&> contained(Function&& function) {
  std::string cause;
  try {
    return function();
  } catch (const std::exception& exception) {
    cause = exception.what();
  } catch (...) {
    cause = "something unknown was thrown";
  }
  Response response = error_response(Error(Code::kInternal, "the request could not be handled"));
  response.log_cause = std::move(cause);
  return response;
}

}  // namespace cairn::http
