#include "data/endpoint/endpoint.h"

#include <algorithm>
#include <array>

#include "base/base32.h"
#include "base/base64.h"
#include "base/quote.h"

namespace cairn {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kKeyBytes = 32;
// 256 bits in digits of five.
constexpr std::size_t kKeyDigits = 52;
// Deeper than what clients may send (json::kFromClients), which is stored here some levels further
// down.
constexpr json::ParseLimits kStored{.max_depth = 200};

constexpr std::array<std::string_view, 4> kTypes{"mcp", "rest", "cli", "skill"};
constexpr std::array<std::string_view, 3> kStatuses{"active", "disabled", "revoked"};

// Reads the members of a record. A member that is missing or of another type makes the whole record
// damaged: reading goes on with an empty value, and sound() tells at the end, so that no member
// needs a check of its own.
class RecordReader final {
 public:
  explicit RecordReader(const json::Object& object) : object_(object) {}

  const json::Value* find(std::string_view name) const { return json::find(object_, name); }
  std::string text(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr || !value->is_string()) return damaged(std::string());
    return std::string(json::text(*value));
  }
  std::int64_t number(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr || !value->is_int64()) return damaged(std::int64_t{0});
    return value->get_int64();
  }
  std::optional<std::int64_t> maybe_number(std::string_view name) {
    return find(name) == nullptr ? std::nullopt : std::optional(number(name));
  }
  std::optional<std::string> maybe_text(std::string_view name) {
    return find(name) == nullptr ? std::nullopt : std::optional(text(name));
  }
  // Written only when true, so presence is the value.
  bool flag(std::string_view name) { return find(name) != nullptr; }
  template <typename Id>
  Id id(std::string_view name) {
    auto parsed = Id::parse(text(name));
    return parsed ? *parsed : damaged(Id());
  }
  template <typename Enum, std::size_t N>
  Enum choice(std::string_view name, const std::array<std::string_view, N>& names) {
    const auto found = std::ranges::find(names, text(name));
    if (found == names.end()) return damaged(Enum{});
    return static_cast<Enum>(found - names.begin());
  }
  json::Object object(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr || !value->is_object()) return damaged(json::Object());
    return value->get_object();
  }
  template <typename T>
  T damaged(T instead) {
    sound_ = false;
    return instead;
  }
  bool sound() const { return sound_; }

 private:
  const json::Object& object_;
  bool sound_ = true;
};

Failure damaged(std::string_view what) {
  return fail(Code::kIoError, "the record of {} in the store is damaged; run cairn fsck", what);
}

Result<json::Object> read_record(ByteView value, std::string_view what) {
  if (value.empty() || value.front() != kVersion) return damaged(what);
  auto parsed = json::parse(value.substr(1), kStored);
  if (!parsed || !parsed->is_object()) return damaged(what);
  return std::move(parsed->get_object());
}

Bytes write_record(const json::Object& object) {
  Bytes out(1, kVersion);
  out += json::write(json::Value(object));
  return out;
}

json::Object rule_record(const ArgumentRule& rule) {
  json::Object out;
  if (rule.name) out["name"] = *rule.name;
  if (rule.value) out["value"] = *rule.value;
  if (rule.description) out["description"] = *rule.description;
  if (rule.hidden) out["hidden"] = true;
  return out;
}

json::Object binding_record(const Binding& binding) {
  json::Object out;
  out["id"] = binding.id.render();
  out["tool"] = binding.tool.render();
  out["name"] = binding.name;
  if (binding.description) out["description"] = *binding.description;
  if (binding.input) out["input"] = *binding.input;
  json::Object rules;
  for (const auto& [name, rule] : binding.arguments) rules[name] = rule_record(rule);
  out["arguments"] = std::move(rules);
  return out;
}

// Marks `whole` as damaged too: an endpoint with a binding that cannot be read is not shown with
// fewer tools than it has.
Binding read_binding(RecordReader& whole, const json::Value& value) {
  Binding out;
  if (!value.is_object()) return whole.damaged(out);
  RecordReader in(value.get_object());
  out.id = in.id<BindingId>("id");
  out.tool = in.id<ToolId>("tool");
  out.name = in.text("name");
  out.description = in.maybe_text("description");
  if (const auto* input = in.find("input")) out.input = *input;
  const auto rules = in.object("arguments");
  for (const auto& member : rules) {
    if (!member.value().is_object()) return whole.damaged(out);
    RecordReader one(member.value().get_object());
    ArgumentRule rule{.name = one.maybe_text("name"),
                      .value = std::nullopt,
                      .description = one.maybe_text("description"),
                      .hidden = one.flag("hidden")};
    if (const auto* fixed = one.find("value")) rule.value = *fixed;
    out.arguments.emplace(member.key(), std::move(rule));
    if (!one.sound()) return whole.damaged(out);
  }
  if (!in.sound()) return whole.damaged(out);
  return out;
}

std::optional<Context> read_context(RecordReader& in) {
  const auto depot = in.text("depot");
  const auto path = in.text("path");
  const auto pointer = in.text("jsonPath");
  // A script has contexts of its own in its config.
  if (depot.empty()) return std::nullopt;
  auto context = Context::parse(depot, path, pointer);
  return context ? std::optional(std::move(*context)) : in.damaged(std::optional<Context>());
}

}  // namespace

std::string_view name(EndpointType type) { return kTypes[static_cast<std::size_t>(type)]; }
std::string_view name(EndpointStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

EndpointKey EndpointKey::make(Random& random) {
  return EndpointKey(std::string(kPrefix) + base32_encode(random.bytes(kKeyBytes)));
}

bool EndpointKey::is_one(std::string_view text) {
  // Only the shape: what looks wrong is refused without asking the store.
  return text.size() == kPrefix.size() + kKeyDigits && text.starts_with(kPrefix) &&
         std::ranges::all_of(text.substr(kPrefix.size()),
                             [](char c) { return base32_digit(c).has_value(); });
}

std::string Context::table_id() const {
  constexpr std::size_t kDigits = 26;
  const auto hash = sha256(fmt::format("{}/{}", depot.render(), path.render()));
  const ByteView bytes(reinterpret_cast<const char*>(hash.data()), hash.size());
  return "tbl_" + base32_encode(bytes).substr(0, kDigits);
}

Result<Context> Context::parse(std::string_view depot, std::string_view path,
                               std::string_view pointer) {
  if (!depot.starts_with(DepotTag::kPrefix)) {
    return fail(Code::kInvalidArgument, "a context is in a depot (dpt_…), not '{}'", shown(depot));
  }
  Context out{TRY(DepotAddress::parse(depot)), TRY(Path::parse(path)),
              TRY(json::Pointer::parse(pointer))};
  TRY(check_place(out.path));
  if (out.depot.version) {
    return fail(Code::kInvalidArgument,
                "a context is in a depot as it is now; '{}' is a version of one", shown(depot));
  }
  return out;
}

namespace endpoint_records {

Bytes encode(const ContextTool& tool) {
  const auto& context = tool.context;
  return write_record({{"id", tool.id.render()},
                       {"realm", tool.realm.render()},
                       {"owner", tool.owner.render()},
                       {"name", tool.name},
                       {"description", tool.description},
                       {"depot", context ? context->depot.render() : ""},
                       {"path", context ? context->path.render() : ""},
                       {"jsonPath", context ? context->pointer.render() : ""},
                       {"operation", tool.operation},
                       {"config", tool.config},
                       {"createdAt", tool.created_at},
                       {"updatedAt", tool.updated_at}});
}

Result<ContextTool> decode_tool(ByteView value) {
  const auto record = TRY(read_record(value, "a tool"));
  RecordReader in(record);
  ContextTool tool;
  tool.id = in.id<ToolId>("id");
  tool.realm = in.id<RealmId>("realm");
  tool.owner = in.id<DelegateId>("owner");
  tool.name = in.text("name");
  tool.description = in.text("description");
  tool.context = read_context(in);
  tool.operation = in.text("operation");
  tool.config = in.object("config");
  tool.created_at = in.number("createdAt");
  tool.updated_at = in.number("updatedAt");
  if (!in.sound()) return damaged("a tool");
  return tool;
}

Bytes encode(const Endpoint& endpoint) {
  json::Object out{
      {"id", endpoint.id.render()},
      {"realm", endpoint.realm.render()},
      {"owner", endpoint.owner.render()},
      {"type", name(endpoint.type)},
      {"name", endpoint.name},
      {"description", endpoint.description},
      {"status", name(endpoint.status)},
      {"keyHash", base64_encode({reinterpret_cast<const char*>(endpoint.key_hash.data()),
                                 endpoint.key_hash.size()})},
      {"createdAt", endpoint.created_at},
      {"updatedAt", endpoint.updated_at},
      {"keyMadeAt", endpoint.key_made_at}};
  if (endpoint.legacy) out["legacy"] = true;
  if (endpoint.upgraded) out["upgraded"] = true;
  if (endpoint.expires_at) out["expiresAt"] = *endpoint.expires_at;
  json::Array bindings;
  for (const auto& binding : endpoint.bindings) bindings.emplace_back(binding_record(binding));
  out["bindings"] = std::move(bindings);
  return write_record(out);
}

Result<Endpoint> decode_endpoint(ByteView value) {
  const auto record = TRY(read_record(value, "an endpoint"));
  RecordReader in(record);
  Endpoint out;
  out.id = in.id<EndpointId>("id");
  out.realm = in.id<RealmId>("realm");
  out.owner = in.id<DelegateId>("owner");
  out.type = in.choice<EndpointType>("type", kTypes);
  out.name = in.text("name");
  out.description = in.text("description");
  out.status = in.choice<EndpointStatus>("status", kStatuses);
  const auto hash = base64_decode(in.text("keyHash"));
  if (hash && hash->size() == out.key_hash.size()) {
    std::ranges::copy(*hash, reinterpret_cast<char*>(out.key_hash.data()));
  } else {
    in.damaged(0);
  }
  out.created_at = in.number("createdAt");
  out.updated_at = in.number("updatedAt");
  out.key_made_at = in.number("keyMadeAt");
  out.expires_at = in.maybe_number("expiresAt");
  out.legacy = in.flag("legacy");
  out.upgraded = in.flag("upgraded");
  const auto* bindings = in.find("bindings");
  if (bindings == nullptr || !bindings->is_array()) return damaged("an endpoint");
  for (const auto& binding : bindings->get_array()) {
    out.bindings.push_back(read_binding(in, binding));
  }
  if (!in.sound()) return damaged("an endpoint");
  return out;
}

}  // namespace endpoint_records

}  // namespace cairn
