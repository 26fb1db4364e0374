// The parts of what an outsider is given: a tool is one operation on one context (an "ADI" to front
// ends), an endpoint is a way in with a key of its own (an "AEI"), a binding names one tool inside
// one endpoint.
//
// Threads     values: share them freely as long as nobody changes them.
// Fails with  INVALID_ARGUMENT and INVALID_PATH from parse(); IO_ERROR from a decoder whose record
//             is damaged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/sha256.h"
#include "data/json/json.h"
#include "data/json/pointer.h"
#include "data/realm/place.h"

namespace cairn {

// The place a tool works on.
struct Context {
  // From the texts of a definition or record. INVALID_ARGUMENT, INVALID_PATH: which of them is
  // wrong.
  static Result<Context> parse(std::string_view depot, std::string_view path,
                               std::string_view pointer);

  bool operator==(const Context&) const = default;

  // The file as front ends of old know it, a table: `tbl_` and 26 letters and digits, made of depot
  // and path and so the same for every tool on them.
  std::string table_id() const;

  DepotAddress depot;  // as the tool's owner addresses it
  Path path;           // of a JSON file, or of the directory that file tools see
  json::Pointer pointer;
};

struct ContextTool {
  static constexpr std::size_t kMaxNameBytes = 200;
  static constexpr std::size_t kMaxDescriptionBytes = 4000;
  static constexpr std::size_t kMaxConfigBytes = 256 << 10;

  ToolId id;
  RealmId realm;
  DelegateId owner;
  std::string name;                // for people
  std::string description;         // for whoever calls it; empty: the operation's
  std::optional<Context> context;  // nothing for a script, which has contexts of its own
  std::string operation;           // `query`, `fs_read`, `custom`
  json::Object config;
  Millis created_at = 0;
  Millis updated_at = 0;
};

// How one argument of a tool looks through a binding.
struct ArgumentRule {
  std::optional<std::string> name = std::nullopt;   // what callers call it
  std::optional<json::Value> value = std::nullopt;  // fixed: callers neither see nor set it
  std::optional<std::string> description = std::nullopt;
  bool hidden = false;  // callers cannot set it
};

struct Binding {
  static constexpr std::size_t kMaxNameBytes = 64;
  static constexpr std::size_t kMaxDescriptionBytes = 4000;
  static constexpr std::size_t kMaxSchemaBytes = 64 << 10;

  BindingId id;
  ToolId tool;
  std::string name;
  std::optional<std::string> description;
  std::optional<json::Value> input;               // narrower than the tool's
  std::map<std::string, ArgumentRule> arguments;  // by the tool's own names
};

enum class EndpointType : std::uint8_t { kMcp, kRest, kCli, kSkill };
enum class EndpointStatus : std::uint8_t { kActive, kDisabled, kRevoked };
std::string_view name(EndpointType type);
std::string_view name(EndpointStatus status);

struct Endpoint {
  static constexpr std::size_t kMaxBindings = 200;
  static constexpr std::size_t kMaxNameBytes = 200;

  EndpointId id;
  RealmId realm;
  DelegateId owner;
  EndpointType type = EndpointType::kMcp;
  std::string name;
  std::string description;
  EndpointStatus status = EndpointStatus::kActive;
  // Made by create_mcp_instance and served at the first address there was; an upgraded one at both.
  bool legacy = false;
  bool upgraded = false;
  Digest key_hash{};
  std::optional<Millis> expires_at;
  Millis created_at = 0;
  Millis updated_at = 0;
  Millis key_made_at = 0;
  std::vector<Binding> bindings;

  bool is_open(Millis now) const {
    return status == EndpointStatus::kActive && (!expires_at || *expires_at > now);
  }
};

// A key: `cek_` and 256 random bits. Only its hash is stored; so many random bits need neither salt
// nor a slow hash.
class EndpointKey final {
 public:
  static constexpr std::string_view kPrefix = "cek_";

  static EndpointKey make(Random& random);
  // Whether a string looks like one at all.
  static bool is_one(std::string_view text);
  static Digest hash(std::string_view text) { return sha256(text); }

  const std::string& text() const { return text_; }

 private:
  explicit EndpointKey(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Records as JSON behind a version byte; ids and hashes that the key holds are in it too.
namespace endpoint_records {

Bytes encode(const ContextTool& tool);
Bytes encode(const Endpoint& endpoint);
Result<ContextTool> decode_tool(ByteView value);
Result<Endpoint> decode_endpoint(ByteView value);

}  // namespace endpoint_records

}  // namespace cairn
