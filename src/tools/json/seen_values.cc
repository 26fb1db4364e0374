#include "tools/json/seen_values.h"

#include <algorithm>
#include <deque>
#include <functional>

#include "base/quote.h"
#include "data/cas/file.h"

namespace cairn::json_context {
namespace {

constexpr std::size_t kMostValues = 1000;

std::uint64_t fingerprint(std::string_view where, const json::Value& value) {
  return std::hash<std::string>()(fmt::format("{}\n{}", where, json::write(value)));
}

// A pointer begins with a slash, or is nothing: no name does.
std::string by_name(std::string_view name) { return fmt::format("name {}", name); }
constexpr std::string_view kNameless = "nameless";

struct Placed {
  std::string where;
  json::Pointer place;
  const json::Value* value = nullptr;
};

// `name_of` says what a child of a value is known by: its place, its name in it, and whether it is
// an element of a list.
template <typename NameOf>
std::vector<std::uint64_t> all_in(Placed first, NameOf name_of) {
  std::vector<std::uint64_t> out;
  std::deque<Placed> waiting;
  waiting.push_back(std::move(first));
  while (!waiting.empty() && out.size() < kMostValues) {
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    out.push_back(fingerprint(next.where, *next.value));
    const auto add = [&](const std::string& token, bool element, const json::Value& value) {
      auto place = next.place.child(token);
      waiting.push_back({name_of(place, token, element), std::move(place), &value});
    };
    if (next.value->is_object()) {
      for (const auto& member : next.value->get_object()) {
        add(std::string(member.key()), false, member.value());
      }
    } else if (next.value->is_array()) {
      std::size_t index = 0;
      for (const auto& element : next.value->get_array()) {
        add(std::to_string(index++), true, element);
      }
    }
  }
  return out;
}

bool was_shown(const fs::Known& known, const Path& path, const json::Pointer& place,
               const json::Value& value) {
  const std::string name = place.tokens().empty() ? "" : place.tokens().back();
  return std::ranges::any_of(
      std::vector<std::string>{place.render(), by_name(name), std::string(kNameless)},
      [&](const std::string& where) { return known.was_shown(path, fingerprint(where, value)); });
}

// The document as the caller knows it; nothing when it was none then.
std::optional<json::Value> document_then(Call& call, const fs::Known::Standing& standing) {
  const auto& known = standing.known;
  if (!known || known->kind != Kind::kFile || known->bytes > Documents::kMaxBytes) {
    return std::nullopt;
  }
  const auto& nodes = call.realm().nodes();
  const auto node = nodes.get(known->key);
  if (!node) return std::nullopt;
  const auto text = read_file(nodes, **node);
  if (!text) return std::nullopt;
  auto value = json::parse(*text, Documents::kLimits);
  if (!value) return std::nullopt;
  return std::move(*value);
}

Failure changed_since(const Path& path, const std::vector<std::string>& pointers) {
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(pointers.size(), kShown); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", shown(pointers[i], 200));
  }
  if (pointers.size() > kShown) names += fmt::format(" and {} more", pointers.size() - kShown);
  return Failure(
      Error(
          Code::kConflict,
          fmt::format("others have changed {} of '{}' since you read it; nothing was changed: "
                      "read it again (json_get_all with jsonPath '{}'), then change what is there",
                      names, shown(path.render(), 300), shown(pointers.front(), 200)))
          .with("paths", std::vector<std::string>{path.render()})
          .with("pointers", pointers));
}

}  // namespace

std::vector<std::uint64_t> fingerprints_at(const json::Pointer& place, const json::Value& value) {
  return all_in({place.render(), place, &value}, [](const json::Pointer& below, const std::string&,
                                                    bool) { return below.render(); });
}

std::vector<std::uint64_t> fingerprints(const json::Value& value) {
  return all_in({std::string(kNameless), {}, &value},
                [](const json::Pointer&, const std::string& name, bool element) {
                  return element ? std::string(kNameless) : by_name(name);
                });
}

Result<void> check_seen(Call& call, const fs::Known& known, const OpenDocument& now,
                        const json::Pointer& pointer, const Touched& touched) {
  if (!known.remembers()) return {};
  const auto standing = TRY(known.standing(now.path));
  const auto* at = json::get(*now.value, pointer);
  if (standing.state != fs::Known::State::kStale || at == nullptr) return {};
  const auto then = document_then(call, standing);
  std::vector<std::string> changed;
  for (const auto& inner : touched(*at)) {
    auto place = pointer;
    for (const auto& token : inner.tokens()) place = place.child(token);
    const auto* is = json::get(*now.value, place);
    const auto* was = then ? json::get(*then, place) : nullptr;
    // What others have removed is not lost once more.
    if (is == nullptr || (was != nullptr && *was == *is)) continue;
    if (!was_shown(known, now.path, place, *is)) changed.push_back(place.render());
  }
  if (changed.empty()) return {};
  return changed_since(now.path, changed);
}

Result<void> note_written(const fs::Known& known, const Path& path, const json::Pointer& pointer,
                          const json::Value& written) {
  if (!known.remembers()) return {};
  if (TRY(known.standing(path)).state != fs::Known::State::kStale) return {};
  std::vector<std::uint64_t> all;
  const auto add = [&](std::string_view token, const json::Value& value) {
    std::ranges::copy(fingerprints_at(pointer.child(token), value), std::back_inserter(all));
  };
  if (written.is_object()) {
    for (const auto& member : written.get_object()) add(member.key(), member.value());
  } else {
    for (const auto& item : written.get_array()) {
      if (!item.is_object()) continue;
      const auto* key = item.get_object().if_contains("key");
      const auto* index = item.get_object().if_contains("index");
      const auto* value = item.get_object().if_contains("value");
      if (value == nullptr) continue;
      if (key != nullptr && key->is_string()) add(json::text(*key), *value);
      if (index != nullptr && index->is_int64()) add(std::to_string(index->get_int64()), *value);
    }
  }
  known.shown(path, all);
  return {};
}

}  // namespace cairn::json_context
