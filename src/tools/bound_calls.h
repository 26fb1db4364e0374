// BoundCalls: from an endpoint's key to the executor.
//
//   key → endpoint → binding → tool → its operation's arguments → Executor::run
//
// An endpoint acts for its owner, and its rights are its bindings and nothing else: every change of
// a tool, binding or endpoint is in force for the next call.
// Threads  every function may be called from any thread.
#pragma once

#include "tools/bound_tool.h"
#include "tools/executor.h"

namespace cairn {

// An endpoint that a key opens, with the tools it shows.
struct OpenEndpoint {
  EndpointPtr endpoint;
  std::vector<BoundTool> tools;  // in the order they were bound
  std::string stamp;             // changes when what a client sees does

  // TOOL_NOT_FOUND with the nearest name.
  Result<const BoundTool*> find(std::string_view name) const;
};
using OpenEndpointPtr = std::shared_ptr<const OpenEndpoint>;

class BoundCalls final {
 public:
  explicit BoundCalls(Executor& executor) : executor_(executor) {}
  BoundCalls(const BoundCalls&) = delete;
  BoundCalls& operator=(const BoundCalls&) = delete;

  // ENDPOINT_NOT_FOUND unless it can be used now.
  Result<OpenEndpointPtr> open(std::string_view key);
  // One call of a tool that the endpoint shows.
  Result<Reply> call(const OpenEndpoint& endpoint, std::string_view tool,
                     const json::Object& arguments, Entrance entrance, std::stop_token stop = {});
  // For front ends that are trusted: a tool as it is, or as a binding shows it.
  Result<Reply> execute(const ToolId& tool, std::optional<std::string_view> binding,
                        const json::Object& arguments, std::stop_token stop = {});

  Executor& executor() { return executor_; }

 private:
  Result<Reply> run(const Caller& caller, const BoundTool& bound, const json::Object& arguments,
                    const std::stop_token& stop);
  // An operation on a context, as the caller.
  Result<Reply> perform(const Caller& caller, const Context& context, const Operation& operation,
                        const ToolId& tool, json::Object arguments, const std::stop_token& stop);
  Result<Reply> perform_files(const Caller& caller, const Context& context,
                              const Operation& operation, const ToolId& tool,
                              json::Object arguments, const std::stop_token& stop);
  // A script holds a thread for as long as it runs: few at once, of one endpoint and of all.
  Result<Reply> run_script_in_turn(const Caller& caller, const BoundTool& bound,
                                   const json::Object& arguments, const std::stop_token& stop);
  Result<Reply> run_script(const Caller& caller, const BoundTool& bound,
                           const json::Object& arguments, const std::stop_token& stop);
  // Whether the context leads to something: what else there is, is nobody's business.
  bool is_there(const Caller& caller, const Context& context);
  Result<std::pair<EndpointId, Binding>> find_binding(const ContextTool& tool,
                                                      const BindingId& wanted);
  Result<OpenEndpointPtr> put_together(const EndpointPtr& endpoint);

  struct Known {
    OpenEndpointPtr open;
    std::uint64_t generation = 0;
  };
  static constexpr std::size_t kMaxKnown = 1000;
  static constexpr int kMaxScriptsOfOne = 4;
  static constexpr int kMaxScripts = 12;
  struct Scripts {
    std::map<BindingId, int> of_one;
    int all = 0;
  };

  Executor& executor_;
  Guarded<std::map<EndpointId, Known>> known_;
  Guarded<Scripts> scripts_;
};

// Whether the tool's owner may do what the tool would: the context exists and its rights suffice.
// REQUIRES: the tool's form was accepted.
Result<void> check_context(Call& call, const ContextTool& tool);

}  // namespace cairn
