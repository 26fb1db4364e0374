// Tool: one operation, as every surface shows it, and everything that is to be known about it. What
// a tool says of itself is what the executor, REST, MCP, the command line and the documents of the
// API go by; nothing about a tool is written down elsewhere by its name.
//
// Most tools are rows of the table (table.h). Others are made: an endpoint's from a tool of the
// table (endpoints/bound_tool.h), a workspace's for one depot or directory
// (workspace/file_toolbox.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "data/cas/node_io.h"
#include "data/json/json.h"
#include "data/json/lazy_schema.h"
#include "tools/executor/arguments.h"

namespace cairn {

class Call;

// The right that a caller needs to have.
enum class Right {
  kRead,          // any valid token
  kUpload,        // canUpload
  kManageDepots,  // canManageDepot
  kCreateDepots,  // the same of a delegate that sees all depots: a new one would be outside a part
  kOwn,           // the realm's root delegate
  kAdmin,         // the root delegate of an admin
  // The use of the directory at the caller's desk, to read and also to write.
  kReadDirectory,
  kWriteDirectory,
};
std::string_view name(Right right);

// Where a tool of the table is offered.
enum class Audience {
  kAgents,    // MCP, REST, command line
  kPrograms,  // not MCP: bytes, or management
};

// How answers, errors and definitions are worded.
enum class Voice {
  kCairn,      // for agents: short definitions, `Error: CODE — message`
  kOutsider,   // for callers of an endpoint: whole definitions
  kReference,  // as the reference server for files says it
  kManual,     // as the manual of the tool `filesystem` says it
};

// Hints for clients, as MCP names them.
struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
};

// The body that a request carries beside its arguments.
enum class Body {
  kArguments,  // nothing else: the arguments as JSON
  kBytes,      // bytes that are taken whole (Call::body)
  kStream,     // bytes of any size, taken in portions (Tool::take)
};

// The form of a tool's answer.
enum class Gives { kValue, kFile, kNode };

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
  // The value as blocks of content for MCP clients, where that is not its JSON.
  std::optional<json::Array> content = std::nullopt;
  // The node the answer is about, and whether the same request will always have this answer.
  std::optional<NodeKey> about = std::nullopt;
  bool immutable = false;
  // The same node means the same answer: a caller that has it need not get it again.
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

// An answer as rows, made while they are taken: for programs, which read on while more is found.
// The last row is `{"summary": {…}}`: what was found and looked at in all.
//
// Threads  one at a time.
class Rows {
 public:
  virtual ~Rows() = default;
  // The rows that come next: some tens of kilobytes of them at most, none yet, or at the end
  // nothing.
  virtual Result<std::optional<json::Array>> next() = 0;
};

// Threads  immutable once made; run(), take() and rows() from any thread.
struct Tool {
  std::string name;
  std::string title;
  std::string description;
  json::Value input;
  json::Value output;
  Annotations annotations = {};
  Right right = Right::kRead;
  Audience audience = Audience::kAgents;
  Voice voice = Voice::kCairn;
  Body body = Body::kArguments;
  std::size_t max_body = kMaxBodyBytes;
  Gives gives = Gives::kValue;
  // The arguments that the audit log shows: ids and paths, never content.
  std::vector<std::string> audited = {};
  // The prefix that the audit log shows before them: where a tool with a fixed place works.
  std::string audited_place = {};
  // Reads little and never waits for the disk to sync: may run where others wait for it.
  bool quick = false;
  // The same as long as none of these arguments is given; empty: it is not.
  std::vector<std::string_view> quick_without = {};
  // The flag with which a call changes nothing and needs no more than reading; empty: it has none.
  std::string_view dry_run = {};
  // The flag with which the executor lets the tool run where nothing of it lasts (rehearsal.h);
  // empty: it has none.
  std::string_view rehearsal = {};
  // Shown only to callers that ask for it by its name.
  bool only_when_named = false;
  // The tool of the table that this one was made from: what the audit log and the metrics call it.
  std::string made_from = {};
  std::function<Result<Reply>(Call& call, Arguments& arguments)> run = {};
  // Instead of run, for a body of any size.
  std::function<Result<std::unique_ptr<Intake>>(Call& call, Arguments& arguments)> take = {};
  // Beside run, for answers of any length. The call outlives the rows.
  std::function<Result<std::unique_ptr<Rows>>(Call& call, Arguments& arguments)> rows = {};
  json::LazySchema compiled = {};

  const std::string& operation() const { return made_from.empty() ? name : made_from; }
  // Whether a call may change something, so that its audit entry comes before its answer.
  bool changes() const { return !annotations.read_only; }
  bool changes(const json::Object& arguments) const;
  // Whether a call with these arguments is only tried out.
  bool rehearses(const json::Object& arguments) const;
  // The right that a call with these arguments needs.
  Right right_for(const json::Object& arguments) const;
  // Without arguments: whatever they will be.
  bool is_quick(const json::Object* arguments) const;
  // INVALID_ARGUMENT as json::Schema says it.
  Result<void> check(const json::Value& arguments) const;
};

// `there is no tool 'x'; did you mean 'y'?`
Failure no_such_tool(std::string_view name, const std::vector<const Tool*>& known);

}  // namespace cairn
