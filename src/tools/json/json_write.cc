// Changing JSON contexts: create, update, delete, move, copy.
#include "tools/json/json_context.h"
#include "tools/json/tools.h"

namespace cairn {
namespace {

// The element that a key or an index names, in what is there now: -1 is the last.
std::string token_of(const json::Value& now, std::int64_t index) {
  const auto size = now.is_array() ? static_cast<std::int64_t>(now.get_array().size()) : 0;
  return std::to_string(index < 0 ? index + size : index);
}

std::string token_of(const json::Value& now, const json::Value& key) {
  if (key.is_int64()) return token_of(now, key.get_int64());
  const std::string text(key.is_string() ? json::text(key) : "");
  if (now.is_array() && text.starts_with('-')) return token_of(now, std::atoll(text.c_str()));
  return text;
}

// What a patch puts in the place of something: with merging only the members it names.
void add_touched(const json::Value* now, const json::Value& patch, document::Update how,
                 const json::Pointer& place, std::vector<json::Pointer>& out) {
  const bool inside =
      how == document::Update::kMerge && patch.is_object() && now != nullptr && now->is_object();
  if (!inside) {
    out.push_back(place);
    return;
  }
  for (const auto& member : patch.get_object()) {
    const auto* below = now->get_object().if_contains(member.key());
    add_touched(below, member.value(), how, place.child(member.key()), out);
  }
}

std::vector<json::Pointer> touched_by(const json::Value& now, const json::Value& items,
                                      document::Update how) {
  std::vector<json::Pointer> out;
  const auto add = [&](const std::string& token, const json::Value& value) {
    const auto place = json::Pointer().child(token);
    add_touched(json::get(now, place), value, how, place, out);
  };
  if (items.is_object()) {
    for (const auto& member : items.get_object()) {
      add(token_of(now, json::Value(member.key())), member.value());
    }
    return out;
  }
  for (const auto& item : items.get_array()) {
    if (!item.is_object()) continue;
    const auto& row = item.get_object();
    const auto* name = row.if_contains(now.is_array() ? "index" : "key");
    const auto* value = row.if_contains("value");
    if (name != nullptr && value != nullptr) add(token_of(now, *name), *value);
  }
  return out;
}

Result<Reply> run_create(Call& call, const Arguments& arguments) {
  const auto& items = arguments.object().at("items");
  return json_context::change(
      call, arguments, "json_create",
      [&](const document::Document& document, const json::Pointer& pointer) {
        return document::create(document, pointer, items, arguments.maybe_number("index"));
      },
      {}, &items);
}

Result<Reply> run_update(Call& call, const Arguments& arguments) {
  const auto& items = arguments.object().at("items");
  const auto how = arguments.flag("merge") ? document::Update::kMerge : document::Update::kReplace;
  return json_context::change(
      call, arguments, "json_update",
      [&](const document::Document& document, const json::Pointer& pointer) {
        return document::update(document, pointer, items, how);
      },
      [&](const json::Value& now) { return touched_by(now, items, how); }, &items);
}

Result<Reply> run_delete(Call& call, const Arguments& arguments) {
  const auto& keys = arguments.object().at("keys");
  return json_context::change(
      call, arguments, "json_delete",
      [&](const document::Document& document, const json::Pointer& pointer) {
        return document::remove(document, pointer, keys);
      },
      [&](const json::Value& now) {
        std::vector<json::Pointer> out;
        for (const auto& key : keys.get_array()) {
          out.push_back(json::Pointer().child(token_of(now, key)));
        }
        return out;
      },
      nullptr);
}

Result<Reply> run_move(Call& call, const Arguments& arguments) {
  return json_context::transfer(call, arguments, true);
}

Result<Reply> run_copy(Call& call, const Arguments& arguments) {
  return json_context::transfer(call, arguments, false);
}

json::Value keys_list() {
  return shape::list_of(shape::any_of({"string", "integer"}), "Keys, or indices from 0");
}

std::vector<shape::Field> ends() {
  return {
      {"from", shape::text("Pointer below jsonPath, e.g. '/todo/0'", 5000)},
      {"to",
       shape::text("Pointer below jsonPath (in toPath: from its root): a new key, an index, or "
                   "'-' for the end of a list",
                   5000)},
      {"toPath", shape::text("Another JSON file of the depot; default: the same", Path::kMaxBytes),
       shape::kOptional}};
}

}  // namespace

Tool json_create() {
  return {
      .name = "json_create",
      .title = "Create JSON elements",
      .description =
          "Adds to the data and commits: to an object new keys, items {key: value}; to a list "
          "items [value, …] at its end or before index. All or nothing; an existing key is "
          "KEY_EXISTS (use json_update).",
      .input = json_context::change_input(
          {{"items",
            shape::any_of({"object", "array"}, "{key: value} for an object, [value] for a list")},
           {"index", shape::integer("Insert before this index of a list"), shape::kOptional}}),
      .output = json_context::changed_shape(
          {{"created", keys_list()}, {"total", shape::integer("Elements now")}}),
      .annotations = {},
      .right = Right::kUpload,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_create,
  };
}

Tool json_update() {
  return {
      .name = "json_update",
      .title = "Update JSON elements",
      .description =
          "Changes existing elements and commits: of an object items {key: value}, of a list "
          "[{index, value}]. Replaces each, or with merge: true merges objects (RFC 7396: null "
          "removes a member). All or nothing; a missing key is KEY_NOT_FOUND.",
      .input = json_context::change_input(
          {{"items",
            shape::any_of({"object", "array"}, "{key: value}, or [{index, value}] for a list")},
           {"merge", shape::flag("Merge into what is there instead of replacing it"),
            shape::kOptional}}),
      .output =
          json_context::changed_shape({{"updated", keys_list()}, {"total", shape::integer()}}),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kUpload,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_update,
  };
}

Tool json_delete() {
  return {
      .name = "json_delete",
      .title = "Delete JSON elements",
      .description =
          "Removes existing keys of an object, or indices of a list (as they are before the call; "
          "-1 is the last), and commits. All or nothing.",
      .input =
          json_context::change_input({{"keys", shape::list_of(shape::any_of({"string", "integer"}),
                                                              "Keys or indices", 1000)}}),
      .output =
          json_context::changed_shape({{"deleted", keys_list()}, {"total", shape::integer()}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_delete,
  };
}

Tool json_move() {
  return {
      .name = "json_move",
      .title = "Move a JSON value",
      .description =
          "Takes a value from one pointer to another and commits; also into another JSON file of "
          "the depot (toPath). The target's parent must exist; a key that is there is KEY_EXISTS.",
      .input = json_context::change_input(ends()),
      .output = json_context::changed_shape({{"from", shape::text()}, {"to", shape::text()}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "path", "jsonPath", "from", "to", "toPath"},
      .run = run_move,
  };
}

Tool json_copy() {
  return {
      .name = "json_copy",
      .title = "Copy a JSON value",
      .description =
          "Copies a value from one pointer to another and commits; also into another JSON file of "
          "the depot (toPath). Not into itself.",
      .input = json_context::change_input(ends()),
      .output = json_context::changed_shape({{"from", shape::text()}, {"to", shape::text()}}),
      .annotations = {},
      .right = Right::kUpload,
      .audited = {"depotId", "path", "jsonPath", "from", "to", "toPath"},
      .run = run_copy,
  };
}

}  // namespace cairn
