#include "tools/executor/rehearsal.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/base32.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "data/access/token.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"

namespace cairn {
namespace {

constexpr std::string_view kInstead = "(dryRun)";
// Of an id: the prefix, and what its time and its random bytes are as characters (base/id.h).
constexpr std::size_t kPrefix = 4;
constexpr std::size_t kTime = 10;
constexpr std::size_t kIdRandomBytes = 10;
// Of the names that are made from an id.
constexpr std::size_t kHashDigits = 8;

// Every text in a value, also of objects and lists in it.
template <typename Visit>
void for_each_text(json::Value& value, const Visit& visit) {
  if (value.is_string()) {
    std::string text(json::text(value));
    if (visit(text)) value = text;
  } else if (value.is_array()) {
    for (auto& item : value.get_array()) for_each_text(item, visit);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) for_each_text(member.value(), visit);
  }
}

class Marks final {
 public:
  explicit Marks(const std::vector<Bytes>& made_up) : made_up_(made_up) {}

  // Ids and secrets; remembers the ids.
  bool mark(std::string& text) {
    bool found = false;
    for (const auto& bytes : made_up_) {
      if (bytes.size() == Token::kKeyRandomBytes) {
        found |= replace(text, Token::key_of(bytes).text());
      }
      found |= mark_id_or_key(text, bytes);
      found |= replace(text, base64_encode(bytes));
    }
    return found;
  }
  // Names with the hash of such an id.
  bool mark_names(std::string& text) const {
    bool found = false;
    for (const auto& id : ids_) {
      const auto hash = sha256(id);
      std::string digits = "_";
      for (std::size_t i = 0; i < kHashDigits / 2; ++i) digits += fmt::format("{:02x}", hash[i]);
      found |= replace(text, digits, fmt::format("_{}", kInstead));
    }
    return found;
  }

 private:
  static bool replace(std::string& text, std::string_view what,
                      std::string_view instead = kInstead) {
    bool found = false;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), instead);
      at += instead.size();
      found = true;
    }
    return found;
  }

  bool mark_id_or_key(std::string& text, const Bytes& bytes) {
    const auto digits = base32_encode(bytes);
    if (bytes.size() != kIdRandomBytes) return replace(text, digits);
    bool found = false;
    for (auto at = text.find(digits); at != std::string::npos; at = text.find(digits)) {
      const bool id = at >= kPrefix + kTime && text[at - kTime - 1] == '_';
      const auto begin = id ? at - kTime : at;
      const auto size = at + digits.size() - begin;
      if (id) ids_.insert(text.substr(begin - kPrefix, kPrefix + size));
      text.replace(begin, size, kInstead);
      found = true;
    }
    return found;
  }

  const std::vector<Bytes>& made_up_;
  std::set<std::string> ids_;
};

}  // namespace

void offer_rehearsal(Tool& tool) {
  auto& properties = tool.input.as_object()["properties"].as_object();
  if (!tool.changes() || properties.contains(kDryRun)) return;
  properties[kDryRun] = shape::flag("Only say what would happen");
  tool.rehearsal = kDryRun;
  if (auto* of_output = tool.output.as_object().if_contains("properties")) {
    of_output->as_object()[kDryRun] = shape::flag("Nothing was changed");
  }
}

Reply rehearsed(Reply reply, const Rehearsal& rehearsal) {
  const auto made_up = rehearsal.made_up();
  Marks marks(made_up);
  json::Value content(reply.content ? *std::move(reply.content) : json::Array());
  for (auto* value : {&reply.value, &content}) {
    for_each_text(*value, [&](std::string& text) { return marks.mark(text); });
  }
  for (auto* value : {&reply.value, &content}) {
    for_each_text(*value, [&](std::string& text) { return marks.mark_names(text); });
  }
  if (reply.content) reply.content = std::move(content.get_array());
  // Nothing has this key.
  reply.about = std::nullopt;
  if (reply.value.is_object()) reply.value.get_object()[kDryRun] = true;
  return reply;
}

}  // namespace cairn
