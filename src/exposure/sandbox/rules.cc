#include "exposure/sandbox/rules.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/quote.h"
#include "data/json/json.h"
#include "data/json/schema.h"
#include "exposure/client/human.h"

namespace cairn::sandbox {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "allow": {"type": "array", "items": {"type": "string"}},
    "deny": {"type": "array", "items": {"type": "string"}},
    "maxBytes": {"type": "integer", "minimum": 0, "maximum": 9000000000000000000},
    "maxFileBytes": {"type": "integer", "minimum": 0, "maximum": 9000000000000000000},
    "json": {"type": "boolean"}
  },
  "additionalProperties": false
})";

Failure broken_file(const Error& why) {
  auto error = Error(Code::kInvalidArgument,
                     fmt::format("the depot's rules in {} are broken: {}; correct the file with "
                                 "'cairn put'",
                                 kRulesFile, why.message));
  error.details = why.details;
  return Failure(std::move(error));
}

Result<std::vector<Glob>> globs(const json::Object& rules, std::string_view name) {
  std::vector<Glob> out;
  const auto* list = json::find(rules, name);
  if (list == nullptr) return out;
  for (const auto& pattern : list->as_array()) {
    auto glob = Glob::parse(json::text(pattern));
    if (!glob) {
      return fail(Code::kInvalidArgument, "'{}' in '{}': {}", shown(json::text(pattern)), name,
                  glob.error().message);
    }
    out.push_back(std::move(*glob));
  }
  return out;
}

std::optional<std::uint64_t> count(const json::Object& rules, std::string_view name) {
  const auto* value = json::find(rules, name);
  if (value == nullptr) return std::nullopt;
  // An integer may be written 1e6.
  return value->is_double() ? static_cast<std::uint64_t>(value->get_double())
                            : value->to_number<std::uint64_t>();
}

Result<SandboxRules> read(std::string_view text) {
  const auto value = TRY(json::parse(text));
  const auto schema = TRY(json::Schema::compile(TRY(json::parse(kSchema))));
  TRY(schema.check(value));
  const auto& given = value.as_object();
  SandboxRules rules;
  if (json::find(given, "allow") != nullptr) rules.allow.push_back(TRY(globs(given, "allow")));
  rules.deny = TRY(globs(given, "deny"));
  if (const auto bytes = count(given, "maxBytes")) rules.max_bytes = *bytes;
  rules.max_file_bytes = count(given, "maxFileBytes");
  if (const auto* json = json::find(given, "json")) rules.json = json->as_bool();
  return rules;
}

bool match_any(const std::vector<Glob>& list, std::string_view path) {
  return std::ranges::any_of(list, [&](const Glob& glob) { return glob.matches(path); });
}

bool is_rules_path(std::string_view path) {
  return path == kRulesDirectory || (path.starts_with(kRulesDirectory) &&
                                     path.substr(kRulesDirectory.size()).starts_with('/'));
}

std::optional<std::string> broken_path(const SandboxRules& rules, std::string_view path) {
  if (is_rules_path(path) && !rules.may_change) {
    return fmt::format("'{}' belongs to the rules, which only change with --allow-rules",
                       shown(path));
  }
  if (match_any(rules.deny, path)) return fmt::format("'{}' may not change", shown(path));
  const bool allowed = std::ranges::all_of(
      rules.allow, [&](const std::vector<Glob>& list) { return match_any(list, path); });
  if (!allowed) return fmt::format("'{}' is not among the paths that may change", shown(path));
  return std::nullopt;
}

std::string size(std::uint64_t bytes) {
  return client::human_size(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

}  // namespace

Result<SandboxRules> SandboxRules::parse(std::string_view text) {
  auto rules = read(text);
  if (!rules) return broken_file(rules.error());
  return rules;
}

std::vector<std::string> broken_rules(const SandboxRules& rules,
                                      const std::vector<SandboxChange>& changes, std::size_t most) {
  std::vector<std::string> out;
  const auto add = [&](std::string line) {
    if (out.size() < most) out.push_back(std::move(line));
  };
  std::uint64_t bytes = 0;
  for (const auto& change : changes) {
    // Sparse files claim any size: a sum must not come round to a small one.
    bytes = change.after > UINT64_MAX - bytes ? UINT64_MAX : bytes + change.after;
    if (auto line = broken_path(rules, change.path)) add(std::move(*line));
    if (rules.max_file_bytes && change.after > *rules.max_file_bytes) {
      add(fmt::format("'{}' has {}; a file may have {}", shown(change.path), size(change.after),
                      size(*rules.max_file_bytes)));
    }
  }
  if (bytes > rules.max_bytes) {
    add(fmt::format("the changed files have {} in all; they may have {}", size(bytes),
                    size(rules.max_bytes)));
  }
  return out;
}

bool is_json_name(std::string_view path) { return path.ends_with(".json"); }

std::optional<std::string> broken_json(std::string_view path, std::optional<ByteView> before,
                                       ByteView after) {
  const json::ParseLimits deep{.max_depth = 1000};
  const auto parsed = json::parse(after, deep);
  if (parsed) return std::nullopt;
  if (before && !json::parse(*before, deep)) return std::nullopt;
  return fmt::format("'{}' is not JSON{}: {}", shown(path), before ? " any more" : "",
                     parsed.error().message);
}

}  // namespace cairn::sandbox
