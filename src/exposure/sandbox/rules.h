// The changes that a sandboxed command may make in a depot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "data/text/glob.h"
#include "exposure/client/local_tree.h"

namespace cairn::sandbox {

using client::EntryKind;

// One difference between the tree that went into the sandbox and what came out.
struct SandboxChange {
  enum class Kind { kAdded, kModified, kRemoved };

  Kind kind = Kind::kAdded;
  EntryKind entry = EntryKind::kFile;
  std::string path;          // from the depot's root
  std::uint64_t before = 0;  // bytes
  std::uint64_t after = 0;
};

// Where a depot has its rules; what is in this directory only changes with the owner's word.
inline constexpr std::string_view kRulesDirectory = ".cairn";
inline constexpr std::string_view kRulesFile = ".cairn/rules.json";

struct SandboxRules {
  static constexpr std::uint64_t kDefaultMaxBytes = 1ULL << 30;

  // Every list that is not empty needs a glob that matches the path.
  std::vector<std::vector<Glob>> allow{};
  std::vector<Glob> deny{};
  std::uint64_t max_bytes = kDefaultMaxBytes;  // of all files that are added or modified
  std::optional<std::uint64_t> max_file_bytes{};
  bool json = true;         // *.json has to stay JSON
  bool may_change = false;  // the rules themselves

  // `{"allow": ["docs/**"], "deny": ["*.key"], "maxBytes": 1000000, "maxFileBytes": 10000,
  // "json": true}`, all optional. INVALID_ARGUMENT says what is wrong where in the file.
  static Result<SandboxRules> parse(std::string_view text);
};

// The changes that are against the rules, a line each; as many as `most`. Contents are not looked
// at.
std::vector<std::string> broken_rules(const SandboxRules& rules,
                                      const std::vector<SandboxChange>& changes, std::size_t most);

// Files of this name have to be JSON.
bool is_json_name(std::string_view path);
// Why a file may not become this: it was JSON, or is new, and is not JSON now. Nullopt: it may.
std::optional<std::string> broken_json(std::string_view path, std::optional<ByteView> before,
                                       ByteView after);

}  // namespace cairn::sandbox
