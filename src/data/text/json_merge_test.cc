#include "data/text/json_merge.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "data/text/lines.h"
#include "data/text/text_testing.h"

namespace cairn {
namespace {

struct MergeCase {
  std::string_view name;
  std::string_view base;
  std::string_view ours;
  std::string_view theirs;
  std::optional<std::string_view> merged;
};

TEST(MergeJson, MergesByKey) {
  const MergeCase cases[] = {
      {"change here, change there", R"({"a":1,"b":2})", R"({"a":3,"b":2})", R"({"a":1,"b":4})",
       R"({"a":3,"b":4})"},
      {"both add", R"({"a":1})", R"({"a":1,"b":2})", R"({"a":1,"c":3})", R"({"a":1,"c":3,"b":2})"},
      {"both add the same", R"({})", R"({"b": [1]})", R"({"b":[1.0]})", R"({"b": [1]})"},
      {"both add differently", R"({})", R"({"b":1})", R"({"b":2})", std::nullopt},
      {"both add objects", R"({})", R"({"b":{"x":1}})", R"({"b":{"y":1}})", std::nullopt},
      {"removed there", R"({"a":1,"b":2})", R"({"a":5,"b":2})", R"({"a":1})", R"({"a":5})"},
      {"removed here", R"({"a":1,"b":2})", R"({"a":1})", R"({"a":5,"b":2})", R"({"a":5})"},
      {"removed and changed", R"({"a":1,"b":2})", R"({"b":2})", R"({"a":5,"b":2})", std::nullopt},
      {"changed and removed", R"({"a":1,"b":2})", R"({"a":5,"b":2})", R"({"b":2})", std::nullopt},
      {"deep", R"({"a":{"b":{"x":1,"y":2}}})", R"({"a":{"b":{"x":3,"y":2}}})",
       R"({"a":{"b":{"x":1,"y":4}}})", R"({"a":{"b":{"x":3,"y":4}}})"},
      {"array changed there", R"({"a":[1],"b":1})", R"({"a":[1],"b":2})", R"({"a":[1,2],"b":1})",
       R"({"a":[1,2],"b":2})"},
      {"array changed on both", R"([1])", R"([1,2])", R"([1,3])", std::nullopt},
      {"same scalar", R"({"a":1,"b":0})", R"({"a":2,"b":1})", R"({"a":2e0,"b":0})",
       R"({"a":2,"b":1})"},
      {"kinds changed", R"({"a":1,"b":0})", R"({"a":{"x":1},"b":0})", R"({"a":{"y":1},"b":0})",
       std::nullopt},
      {"roots", "1", " 1.0 ", "2", " 2 "},
      {"not json", "{}", "{", "{}", std::nullopt},
      {"duplicate names", "{}", R"({"a":1,"a":2})", "{}", std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(merge_json(c.base, c.ours, c.theirs), c.merged) << c.name;
  }
}

TEST(MergeJson, KeepsTheLayoutOfOurs) {
  const MergeCase cases[] = {
      {"indented insertion", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 9,\n  \"b\": 2\n}\n",
       "{\n  \"a\": 1,\n  \"n\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}\n",
       "{\n  \"a\": 9,\n  \"n\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}\n"},
      {"at the end", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 2\n}", "{\"a\":1,\"z\":[1,2]}",
       "{\n\t\"a\": 2,\n\t\"z\": [1,2]\n}"},
      {"at the front", "{ \"a\": 1 }", "{ \"a\": 2 }", "{ \"z\": 0, \"a\": 1 }",
       "{ \"z\": 0, \"a\": 2 }"},
      {"first removed", "{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"a\": 1, \"b\": 5, \"c\": 3}",
       "{\"b\": 2, \"c\": 3}", "{\"b\": 5, \"c\": 3}"},
      {"last removed", "{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 3,\n  \"b\": 2\n}",
       "{\"a\":1}", "{\n  \"a\": 3\n}"},
      {"all removed", "{\"k\": {\n \"a\": 1\n}, \"b\": 1}", "{\"k\": {\n \"a\": 1\n}, \"b\": 2}",
       "{\"k\": {}, \"b\": 1}", "{\"k\": {}, \"b\": 2}"},
      {"into an empty object", "{\n    \"k\": {},\n    \"b\": 1\n}",
       "{\n    \"k\": {},\n    \"b\": 2\n}",
       "{\n  \"k\": {\n    \"x\": 1,\n    \"y\": 2\n  },\n  \"b\": 1\n}",
       "{\n    \"k\": {\n      \"x\": 1,\n      \"y\": 2\n    },\n    \"b\": 2\n}"},
      {"moved to another depth", "{\n \"k\": {\n  \"a\": 1\n }, \"b\": 1\n}",
       "{\r\n \"k\": {\r\n  \"a\": 1\r\n }, \"b\": 2\r\n}",
       "{\n    \"k\": {\n        \"a\": [\n            1\n        ]\n    }, \"b\": 1\n}",
       "{\r\n \"k\": {\r\n  \"a\": [\r\n      1\r\n  ]\r\n }, \"b\": 2\r\n}"},
      {"odd but ours", "{\"a\" : 1 ,\"b\":\n2,\"c\" :3 }", "{\"a\" : 7 ,\"b\":\n2,\"c\" :3 }",
       "{\"a\":1,\"b\":4,\"c\":3}", "{\"a\" : 7 ,\"b\":\n4,\"c\" :3 }"},
      {"several after one", "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 3}",
       "{\"a\": 1, \"x\": 1, \"y\": 2, \"b\": 2, \"z\": 3}",
       "{\"a\": 1, \"x\": 1, \"y\": 2, \"b\": 3, \"z\": 3}"},
      {"escapes stay", "{\"a\": \"\\u0041\", \"b\": 1}", "{\"a\": \"\\u0041\", \"b\": 2}",
       "{\"a\": \"A\", \"b\": 1, \"\\u0063\": 1}",
       "{\"a\": \"\\u0041\", \"b\": 2, \"\\u0063\": 1}"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(merge_json(c.base, c.ours, c.theirs), c.merged) << c.name;
  }
}

TEST(JsonValues, NumbersEqualValuesEqually) {
  const std::string source = R"([{"a":1,"b":[true]}, {"b":[true],"\u0061":1.0},
      {"a":1,"b":[false]}, ["a",1], ["a",[1]], "1", 1, {}, [], null, "", {"":""}])";
  const auto text = JsonText::parse(source);
  ASSERT_TRUE(text);
  JsonValues values;
  const auto ids = values.number(*text);
  const auto children = text->children(0);
  EXPECT_EQ(ids[children[0]], ids[children[1]]);
  for (std::size_t i = 2; i < children.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(ids[children[i]], ids[children[j]]) << i << j;
  }
}

// ---- a simple model of values, and a merge of them as the oracle ----

struct Value {
  enum class Kind { kScalar, kArray, kObject };
  Kind kind = Kind::kScalar;
  std::string scalar;  // canonical
  std::vector<Value> elements;
  std::map<std::string, Value> members;

  bool operator==(const Value&) const = default;
};

using Maybe = std::optional<Value>;

struct Conflict {};

Maybe merge_values(const Maybe& base, const Maybe& ours, const Maybe& theirs) {
  if (theirs == base || ours == theirs) return ours;
  if (ours == base) return theirs;
  auto is_object = [](const Maybe& v) { return v && v->kind == Value::Kind::kObject; };
  if (!is_object(base) || !is_object(ours) || !is_object(theirs)) throw Conflict();
  auto names = base->members;
  names.insert(ours->members.begin(), ours->members.end());
  names.insert(theirs->members.begin(), theirs->members.end());
  auto get = [](const Value& value, const std::string& name) -> Maybe {
    const auto found = value.members.find(name);
    return found == value.members.end() ? Maybe() : Maybe(found->second);
  };
  Value merged{.kind = Value::Kind::kObject, .scalar = {}, .elements = {}, .members = {}};
  for (const auto& [name, _] : names) {
    auto member = merge_values(get(*base, name), get(*ours, name), get(*theirs, name));
    if (member) merged.members.emplace(name, *std::move(member));
  }
  return merged;
}

Maybe merged_or_conflict(const Value& base, const Value& ours, const Value& theirs) {
  try {
    return merge_values(base, ours, theirs);
  } catch (const Conflict&) {
    return std::nullopt;
  }
}

Value value_of(const JsonText& text, JsonText::Index i) {
  Value value;
  switch (text[i].kind) {
    case JsonText::Kind::kNull:
    case JsonText::Kind::kFalse:
    case JsonText::Kind::kTrue:
      value.scalar = text.lexeme(i);
      break;
    case JsonText::Kind::kNumber:
      value.scalar = canonical_number(text.lexeme(i));
      break;
    case JsonText::Kind::kString:
      value.scalar = "\"" + text.string_value(i);
      break;
    case JsonText::Kind::kArray:
      value.kind = Value::Kind::kArray;
      for (const auto child : text.children(i)) value.elements.push_back(value_of(text, child));
      break;
    case JsonText::Kind::kObject:
      value.kind = Value::Kind::kObject;
      for (const auto child : text.children(i)) {
        value.members.emplace(text[child].name, value_of(text, child));
      }
      break;
  }
  return value;
}

Maybe parsed(ByteView source) {
  const auto text = JsonText::parse(source);
  if (!text) return std::nullopt;
  return value_of(*text, 0);
}

// Random values, and random ways to write them down.
class RandomJson final {
 public:
  explicit RandomJson(std::uint64_t seed) : random_(seed) {}

  Value object(int depth) {
    Value value{.kind = Value::Kind::kObject, .scalar = {}, .elements = {}, .members = {}};
    for (auto count = below(5); count > 0; --count) value.members[name()] = any(depth - 1);
    return value;
  }

  Value any(int depth) {
    if (depth > 0 && below(2) == 0) return object(depth);
    Value value;
    if (depth > 0 && below(4) == 0) {
      value.kind = Value::Kind::kArray;
      for (auto count = below(3); count > 0; --count) value.elements.push_back(any(depth - 1));
    } else {
      value.scalar =
          std::vector<std::string>{"null", "true", "1e0", "25e-1", "\"s", "\"\n"}[below(6)];
    }
    return value;
  }

  Value changed(Value value, int depth) {
    if (value.kind != Value::Kind::kObject || below(8) == 0) return any(depth);
    for (auto count = below(3); count > 0; --count) {
      const auto chosen = name();
      const auto found = value.members.find(chosen);
      if (found == value.members.end()) {
        value.members.emplace(chosen, any(depth - 1));
      } else if (below(3) == 0) {
        value.members.erase(found);
      } else {
        found->second = changed(found->second, depth - 1);
      }
    }
    return value;
  }

  std::string written(const Value& value) {
    switch (value.kind) {
      case Value::Kind::kScalar:
        return scalar(value.scalar);
      case Value::Kind::kArray:
        return joined('[', value.elements, ']', [&](const Value& v) { return written(v); });
      case Value::Kind::kObject:
        break;
    }
    std::vector<std::pair<std::string, Value>> members(value.members.begin(), value.members.end());
    std::ranges::shuffle(members, random_);
    return joined('{', members, '}', [&](const auto& member) {
      return scalar("\"" + member.first) + space() + ":" + space() + written(member.second);
    });
  }

 private:
  std::string joined(char open, const auto& parts, char close, auto write) {
    std::string out(1, open);
    for (const auto& part : parts) {
      if (out.size() > 1) out += ',';
      out += space() + write(part) + space();
    }
    return out + close;
  }

  std::string scalar(const std::string& value) {
    if (value == "1e0") return std::vector<std::string>{"1", "1.0", "10e-1"}[below(3)];
    if (value == "\"\n") return below(2) == 0 ? "\"\\n\"" : "\"\\u000a\"";
    return value.starts_with('"') ? value + "\"" : value;
  }

  std::string space() {
    return std::vector<std::string>{"", "", " ", "\n  ", "\r\n", "\n\t"}[below(6)];
  }
  std::string name() { return std::string(1, static_cast<char>('a' + below(6))); }
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::mt19937 random_;
};

TEST(MergeJson, AgreesWithAMergeOfValuesOnRandomDocuments) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomJson json(seed);
  int clean = 0;
  for (int round = 0; round < 10000; ++round) {
    const auto base = json.object(3);
    const auto ours = json.changed(base, 3);
    const auto theirs = json.changed(base, 3);
    const auto base_text = json.written(base);
    const auto our_text = json.written(ours);
    const auto their_text = json.written(theirs);
    ASSERT_EQ(parsed(our_text), ours) << our_text;
    const auto expected = merged_or_conflict(base, ours, theirs);
    const auto merged = merge_json(base_text, our_text, their_text);
    SCOPED_TRACE(base_text + "\n---\n" + our_text + "\n---\n" + their_text);
    ASSERT_EQ(merged.has_value(), expected.has_value());
    const auto swapped = merge_json(base_text, their_text, our_text);
    ASSERT_EQ(swapped.has_value(), expected.has_value());
    if (!merged) continue;
    ASSERT_EQ(parsed(*merged), expected) << *merged;
    ASSERT_EQ(parsed(*swapped), expected) << *swapped;
    ++clean;
  }
  EXPECT_GT(clean, 1000);
}

TEST(MergeJson, ObeysItsLawsForRandomDocuments) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomJson json(seed);
  for (int round = 0; round < 3000; ++round) {
    const auto base = json.written(json.object(3));
    const auto x = json.written(json.object(3));
    ASSERT_EQ(merge_json(base, x, base), x);
    ASSERT_EQ(merge_json(base, base, x), x);
    ASSERT_EQ(merge_json(base, x, x), x);
  }
}

// Against merge_json(): there is a conflict exactly where that gives nothing.
TEST(JsonConflicts, AreThereWhenTheDocumentsCannotBeMerged) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomJson json(seed);
  for (int round = 0; round < 1000; ++round) {
    const auto base = json.written(json.object(3));
    const auto ours = json.written(json.object(3));
    const auto theirs = json.written(json.object(3));
    const auto found = json_conflicts(base, ours, theirs, 1);
    ASSERT_EQ(found.empty(), merge_json(base, ours, theirs).has_value()) << base << ours << theirs;
  }
}

// A difference at the bottom of a deep document is compared once, not once per level; a long line
// is not searched for its beginning again and again.
TEST(MergeJson, LargeDocumentsTakeTheirSizeInTime) {
  auto deep = [](std::string_view last) {
    std::string bottom;
    for (int i = 0; i < 100'000; ++i) bottom += "\"m" + std::to_string(i) + "\":[\n],";
    std::string text;
    for (int i = 0; i < 500; ++i) text += "{\"a\":";
    text += "{" + bottom + std::string(last) + "}";
    return text + std::string(500, '}');
  };
  const auto merged =
      merge_json(deep("\"x\":0,\"y\":0"), deep("\"x\":1,\"y\":0"), deep("\"x\":0,\"y\":1,\"z\":1"));
  EXPECT_EQ(merged, deep("\"x\":1,\"y\":1,\"z\":1"));
}

}  // namespace
}  // namespace cairn
