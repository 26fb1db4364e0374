// Service: what an MCP server offers, without anything of the protocol. The server (server.h) asks
// it on behalf of a client whose principal the transport has established.
//
// Threads  every function may be called from any thread, several at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fair_queue.h"
#include "exposure/mcp/rpc.h"

namespace cairn::mcp {

class Exchange;

// The caller, as the transport established it. A service makes its own and gets them back.
class Principal {
 public:
  virtual ~Principal() = default;
  // The same id: the same one. Sessions and round trips are bound to it.
  virtual std::string_view id() const = 0;
  // Whose share of the threads its requests take.
  virtual Share share() const { return {std::string(id()), std::string(id())}; }
};
using PrincipalPtr = std::shared_ptr<const Principal>;

struct Offer {
  std::string name;
  std::string title;
  std::string version;
  std::string website = {};
  json::Array icons = {};
  std::string instructions = {};
  bool tools = true;
  bool resources = true;
  bool prompts = true;
  bool completions = true;
  bool logging = false;
  // Whether lists may change, and resources can be subscribed to.
  bool tools_change = false;
  bool resources_change = false;
  bool prompts_change = false;
  bool subscriptions = false;
  // The answer to `server/discover` is for one principal only.
  bool personal = false;
};

// How long an answer is good, and for whom.
struct Caching {
  static constexpr std::int64_t kLongest = 365LL * 24 * 3600 * 1000;
  std::int64_t ttl_ms = 0;
  bool for_all = false;  // `public`: the same whoever asks
};

struct Page {
  json::Array items;
  std::optional<std::string> next_cursor = std::nullopt;
  Caching caching = {};
};

struct ToolOutcome {
  json::Array content;
  std::optional<json::Value> structured = std::nullopt;  // an object
  bool is_error = false;
};

struct ResourceContents {
  json::Array contents;
  Caching caching = {};
};

struct Completion {
  std::vector<std::string> values;
  std::optional<std::int64_t> total = std::nullopt;
  bool has_more = false;
};

struct CompletionRequest {
  bool prompt = false;        // of a prompt; else of a resource template
  std::string of;             // the prompt's name, or the template
  std::string argument;       // the argument's name
  std::string value;          // what was typed so far
  json::Object context = {};  // the values of other arguments
};

// How a tool will behave, known before it runs.
struct Manner {
  bool quick = false;  // short, and never waits: may run on a connection's own thread
  bool talks = false;  // may send messages before its result
};

// A tool's argument that modern HTTP clients repeat as the header `Mcp-Param-<header>`.
struct ParamHeader {
  std::vector<std::string> path;  // of property names
  std::string header;
};

// The lists that can be watched for changes.
enum class ListKind { kTools, kResources, kPrompts };
using Subject = std::variant<ListKind, std::string>;  // a list, or the URI of a resource

struct Watched {
  std::string topic;  // what changes of it are announced under
  std::string stamp;  // changes exactly when what the principal sees does
};

// Takes announcements. Any thread; quick; never calls back.
class Changes {
 public:
  virtual ~Changes() = default;
  virtual void changed(std::string topic) = 0;
};

class Service {
 public:
  virtual ~Service() = default;

  virtual const Offer& offer() const = 0;
  // Instructions for a model. They differ by who asks when the offer says that it is personal.
  virtual std::string instructions(const Principal&) const { return offer().instructions; }

  // The cursor is empty for the first page; a bad one is kInvalidParams.
  virtual Rpc<Page> list_tools(Exchange& exchange, std::string_view cursor) = 0;
  virtual Manner manner(const Principal& principal, std::string_view tool,
                        const json::Object& arguments) const = 0;
  virtual std::span<const ParamHeader> param_headers(const Principal& principal,
                                                     std::string_view tool) const = 0;
  // kInvalidParams for a tool that does not exist; what goes wrong in the tool, bad arguments
  // included, is an outcome with is_error. The arguments may be moved from, but not by a tool that
  // asks its client in rounds: the next round is held against them.
  virtual Rpc<ToolOutcome> call_tool(Exchange& exchange, std::string_view tool,
                                     json::Object&& arguments) = 0;

  virtual Rpc<Page> list_resources(Exchange& exchange, std::string_view cursor) = 0;
  virtual Rpc<Page> list_templates(Exchange& exchange, std::string_view cursor) = 0;
  // kResourceNotFound for one that does not exist or cannot be seen.
  virtual Rpc<ResourceContents> read_resource(Exchange& exchange, std::string_view uri) = 0;

  virtual Rpc<Page> list_prompts(Exchange& exchange, std::string_view cursor) = 0;
  // `{description, messages}`.
  virtual Rpc<json::Object> get_prompt(Exchange& exchange, std::string_view name,
                                       const json::Object& arguments) = 0;

  virtual Rpc<Completion> complete(Exchange& exchange, const CompletionRequest& request) = 0;

  // The topic and stamp that a subscription watches. kResourceNotFound when it cannot be seen, or
  // no longer.
  virtual Rpc<Watched> watch(const Principal& principal, const Subject& subject) = 0;
  // The principal's turn by the rate limit, for whatever is asked of the server itself: calls and
  // reads take it by themselves. kRateLimited.
  virtual Rpc<void> take_turn(const Principal&) { return {}; }
  // Whether the principal would still be let in: an open stream outlives the request that opened
  // it.
  virtual bool still_valid(const Principal& principal) const = 0;
  // The client says that its roots are others now.
  virtual void roots_changed(const Principal&) {}
  // Where to announce changes from now on; nullptr: nowhere. When it returns, the earlier one is no
  // longer used.
  virtual void announce_to(Changes* changes) = 0;
};

// A part of a list: `size` items from where the cursor says, which is ours to make.
Rpc<Page> page_of(const json::Array& items, std::string_view cursor, std::size_t size,
                  Caching caching = {});

}  // namespace cairn::mcp
