// Tool: one operation, as every surface shows it. A tool is an entry of the table (table.h); what
// it may do is decided by the executor, from what the entry says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/cas/node_io.h"
#include "data/json/json.h"
#include "tools/arguments.h"

namespace cairn {

class Call;

// What a caller needs to have.
enum class Right {
  kRead,          // any valid token
  kUpload,        // canUpload
  kManageDepots,  // canManageDepot
  kOwn,           // the realm's root delegate
  kAdmin,         // the root delegate of an admin
};
std::string_view name(Right right);

// Who gets to see a tool.
enum class Audience {
  kAgents,      // MCP, REST, command line
  kPrograms,    // not MCP: bytes, or management
  kWorkspaces,  // behind the file tools of a workspace
};

// Hints for clients, as MCP names them.
struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
};

// A file to be sent as it is, of any size. Nothing of it is read before it is asked for.
struct FileBody {
  const NodeReader* nodes = nullptr;  // the realm's, which outlives every call
  NodeKey key;
  std::uint64_t size = 0;
  std::string type;
};

struct Reply {
  json::Value value;             // an object; what agents and REST get
  std::optional<FileBody> file;  // instead of the value: a file's content
  NodePtr node = nullptr;        // instead of the value: a node's own bytes
  // The node the answer is about, and whether the same request will always have this answer.
  std::optional<NodeKey> about = std::nullopt;
  bool immutable = false;
  // The same node means the same answer, so that who has it need not get it again.
  bool cacheable = true;

  Reply() = default;
  Reply(json::Object object) : value(std::move(object)) {}
};

// A body that is taken in portions.
class Intake {
 public:
  virtual ~Intake() = default;
  virtual Result<void> append(ByteView portion) = 0;
  virtual Result<Reply> finish() = 0;
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  json::Value input;
  json::Value output;
  Annotations annotations;
  Right right = Right::kRead;
  Audience audience = Audience::kAgents;
  // Reads little and never waits for the disk to sync: may run where others wait for it.
  bool quick = false;
  // The same as long as none of these arguments is given; empty: it is not.
  std::vector<std::string_view> quick_without = {};
  std::function<Result<Reply>(Call& call, const Arguments& arguments)> run;
  // Instead of run, for a body of any size.
  std::function<Result<std::unique_ptr<Intake>>(Call& call, const Arguments& arguments)> take = {};

  // What a call is called in the audit log and the metrics, when that is not the tool's name.
  std::function<std::string_view(const json::Object& arguments)> label = {};

  // Whether a call may change something, so that its audit entry comes before its answer.
  bool changes() const { return !annotations.read_only; }
  bool is_quick(const json::Object& arguments) const;
};

}  // namespace cairn
