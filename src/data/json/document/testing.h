// Shared by the tests of documents: a slow, obvious model of a JSON text and its changes.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/json/json.h"
#include "data/json/pointer.h"

namespace cairn::document {

// A JSON text without its white space: every scalar and key as it is spelled.
struct Spelled {
  struct Member;

  std::string scalar{};  // anything but a container
  char open = 0;         // '[' or '{' for what is one
  std::vector<Member> children;

  // REQUIRES: valid JSON.
  static Spelled read(std::string_view text);
  static Spelled of(const json::Value& value);
  static Spelled of_scalar(std::string lexeme);
  static Spelled empty(char open);

  std::string write() const;

  bool is_object() const { return open == '{'; }
  bool is_array() const { return open == '['; }
  // The child's place; none when there is none.
  std::optional<std::size_t> find(std::string_view key) const;
  // nullptr when the pointer leads nowhere.
  Spelled* at(const json::Pointer& pointer);
};

struct Spelled::Member {
  std::string key;  // with its quotes; empty in an array
  Spelled value;
};

// RFC 7396; a value that is the same already keeps its spelling.
void merge(Spelled& target, const json::Value& patch);

// White space as somebody may have written it.
enum class Whitespace { kCompact, kSpaced, kTwo, kFour, kTabs, kReturns, kHugging, kMixed };
inline constexpr int kWhitespaces = 8;

// A document of random values in odd spellings.
Spelled random_document(std::mt19937_64& random, int depth);
json::Value random_value(std::mt19937_64& random, int depth);
std::string laid_out(const Spelled& document, Whitespace whitespace, std::mt19937_64& random);

std::size_t below(std::mt19937_64& random, std::size_t limit);

}  // namespace cairn::document
