// Random documents in random layouts, changed at random: the text says what the model says, in the
// same spelling and order.
#include <gtest/gtest.h>

#include "data/json/compare.h"
#include "data/json/document/change.h"
#include "data/json/document/testing.h"
#include "data/json/json_testing.h"

namespace cairn::document {
namespace {

using json::Pointer;
using json::Value;

constexpr int kDocuments = 1500;
constexpr int kSteps = 12;

void collect(const Spelled& value, const Pointer& at, bool containers, std::vector<Pointer>& out) {
  if (!containers || value.open != 0) out.push_back(at);
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const auto& child = value.children[i];
    const auto token =
        value.is_object() ? std::string(json::text(*json::parse(child.key))) : std::to_string(i);
    collect(child.value, at.child(token), containers, out);
  }
}

template <typename T>
T& erase(std::vector<T>& list, std::size_t i) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  return list.front();
}

class Session {
 public:
  Session(std::uint64_t seed, Whitespace whitespace) : random_(seed) {
    model_ = random_document(random_, 4);
    if (model_.open == 0) model_ = Spelled::empty('{');
    text_ = laid_out(model_, whitespace, random_);
  }

  void step() {
    before_ = text_;
    switch (below(random_, 6)) {
      case 0:
        return create_some();
      case 1:
        return update_some(Update::kReplace);
      case 2:
        return update_some(Update::kMerge);
      case 3:
        return remove_some();
      case 4:
        return relocate(true);
      case 5:
        return relocate(false);
    }
  }

  void check() const {
    const auto value = json::parse(text_);
    ASSERT_TRUE(value) << value.error().render() << "\n" << text_ << "\nbefore:\n" << before_;
    ASSERT_EQ(Spelled::read(text_).write(), model_.write()) << text_ << "\nbefore:\n" << before_;
    ASSERT_TRUE(json::same(*value, *json::parse(model_.write())));
  }

 private:
  Pointer any(bool container) {
    std::vector<Pointer> all;
    collect(model_, {}, container, all);
    return all[below(random_, all.size())];
  }

  // Different children of a container.
  std::vector<std::size_t> some_of(const Spelled& container) {
    std::vector<std::size_t> out;
    const auto dice = 1 + below(random_, 3);
    for (std::size_t i = 0; i < container.children.size(); ++i) {
      if (below(random_, dice) == 0) out.push_back(i);
    }
    return out;
  }

  static Value name_of(const Spelled& container, std::size_t i) {
    if (container.is_array()) return static_cast<std::int64_t>(i);
    return Value(*json::parse(container.children[i].key));
  }

  template <typename Call>
  void apply(Call call) {
    const auto value = json::parse(text_);
    ASSERT_TRUE(value);
    auto changed = call(Document{*value, text_});
    ASSERT_TRUE(changed) << changed.error().render() << "\n" << text_;
    text_ = std::move(changed->text);
  }

  void create_some() {
    const auto context = any(true);
    auto& target = *model_.at(context);
    const auto count = 1 + below(random_, 3);
    auto at = target.children.size();
    std::optional<std::int64_t> index;
    if (target.is_array() && below(random_, 2) == 0) {
      at = below(random_, at + 1);
      index = static_cast<std::int64_t>(at);
    }
    json::Array list;
    json::Object object;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = random_value(random_, 2);
      list.push_back(value);
      const auto key = "new \"" + std::to_string(next_key_++);
      if (target.is_object()) object.emplace(key, value);
      const auto place = target.children.begin() + static_cast<std::ptrdiff_t>(at++);
      target.children.insert(place, {json::write(Value(key)), Spelled::of(value)});
    }
    const Value items = target.is_object() ? Value(object) : Value(list);
    apply([&](const Document& document) { return create(document, context, items, index); });
  }

  void update_some(Update how) {
    const auto context = any(true);
    auto& target = *model_.at(context);
    json::Array items;
    for (const auto i : some_of(target)) {
      const auto value = random_value(random_, 3);
      items.push_back(json::Object{{target.is_object() ? "key" : "index", name_of(target, i)},
                                   {"value", value}});
      if (how == Update::kMerge) {
        merge(target.children[i].value, value);
      } else {
        target.children[i].value = Spelled::of(value);
      }
    }
    if (items.empty()) return;
    apply([&](const Document& document) { return update(document, context, items, how); });
  }

  void remove_some() {
    const auto context = any(true);
    auto& target = *model_.at(context);
    const auto which = some_of(target);
    if (which.empty()) return;
    json::Array keys;
    for (auto i = which.size(); i-- > 0;) {
      keys.push_back(name_of(target, which[i]));
      erase(target.children, which[i]);
    }
    apply([&](const Document& document) { return remove(document, context, keys); });
  }

  // Moves or copies one value, when the model allows it.
  void relocate(bool moves) {
    const auto from = any(false);
    if (from.tokens().empty()) return;
    auto model = model_;
    const auto value = *model.at(from);
    if (moves) {
      Pointer parent;
      for (std::size_t i = 0; i + 1 < from.tokens().size(); ++i) {
        parent = parent.child(from.tokens()[i]);
      }
      auto& container = *model.at(parent);
      container.children.erase(container.children.begin() +
                               static_cast<std::ptrdiff_t>(*container.find(from.tokens().back())));
    }
    std::vector<Pointer> all;
    collect(model, {}, true, all);
    const auto parent = all[below(random_, all.size())];
    auto& target = *model.at(parent);
    const auto at =
        target.is_array() ? below(random_, target.children.size() + 1) : target.children.size();
    const auto token =
        target.is_array() ? std::to_string(at) : "moved/" + std::to_string(next_key_++);
    const auto to = parent.child(token);
    // The pointer names another place while the value is still there.
    if (to.render().starts_with(from.render() + "/") || to == from) return;
    target.children.insert(target.children.begin() + static_cast<std::ptrdiff_t>(at),
                           {json::write(Value(token)), value});
    model_ = std::move(model);
    apply([&](const Document& document) {
      return moves ? move(document, from, to) : copy(document, from, to);
    });
  }

  std::mt19937_64 random_;
  Spelled model_;
  std::string text_;
  std::string before_;
  int next_key_ = 0;
};

TEST(Model, SaysTheSameAsTheText) {
  const auto seed = json::a_seed();
  for (int i = 0; i < kDocuments; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", document " << i);
    Session session(seed + static_cast<std::uint64_t>(i),
                    static_cast<Whitespace>(i % kWhitespaces));
    for (int step = 0; step < kSteps; ++step) {
      session.step();
      ASSERT_NO_FATAL_FAILURE(session.check());
      if (testing::Test::HasFailure()) return;
    }
  }
}

// A value is replaced where it stands: nothing before or after it changes.
TEST(Model, ReplacesNothingButTheValue) {
  const auto seed = json::a_seed();
  std::mt19937_64 random(seed);
  for (int i = 0; i < kDocuments; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", document " << i);
    auto model = random_document(random, 4);
    const auto text = laid_out(model, static_cast<Whitespace>(i % kWhitespaces), random);
    const auto value = json::parse(text);
    ASSERT_TRUE(value);
    if (!value->is_array() || value->get_array().empty()) continue;
    const auto index = below(random, value->get_array().size());
    json::Object item{{"index", index}, {"value", "\x01new"}};
    const auto changed = update({*value, text}, {}, json::Array(1, item));
    ASSERT_TRUE(changed);
    const std::string written = R"("\u0001new")";
    const auto at = changed->text.find(written);
    ASSERT_NE(at, std::string::npos);
    const auto old = text.size() + written.size() - changed->text.size();
    EXPECT_EQ(text.substr(0, at), changed->text.substr(0, at));
    EXPECT_EQ(text.substr(at + old), changed->text.substr(at + written.size()));
    EXPECT_EQ(Spelled::read(text.substr(at, old)).write(), model.children[index].value.write());
  }
}

}  // namespace
}  // namespace cairn::document
