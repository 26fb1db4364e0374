#include "base/explain.h"

#include <utility>

namespace cairn {
namespace {

// The message as fail() was given it, with its subjects marked.
std::string sentence(const Error& error) {
  return error.said([](const Subject& subject) { return subject.marked(); });
}

}  // namespace

Error explained(Error error, std::string_view where) {
  auto message = std::string(where) + ": " + sentence(error);
  return retold(std::move(error), std::move(message));
}

Error advised(Error error, std::string_view advice) {
  auto message = sentence(error).append("; ").append(advice);
  return retold(std::move(error), std::move(message));
}

Error retold(Error error, std::string message) {
  Error out(error.code, std::move(message));
  out.details = std::move(error.details);
  return out;
}

}  // namespace cairn
