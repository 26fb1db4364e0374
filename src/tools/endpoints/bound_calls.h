// BoundCalls: from an endpoint's key to the tools it shows, and their calls.
//
//   key → endpoint → its bindings as tools → Executor::run
//
// An endpoint acts for its owner, and its rights are its bindings and nothing else: every change of
// a tool, binding or endpoint is in force for the next call.
// Threads     every function may be called from any thread.
// Fails with  ENDPOINT_NOT_FOUND for a key that opens nothing now, whatever the reason.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/endpoints/bound_tool.h"
#include "tools/executor/executor.h"
#include "tools/executor/toolbox.h"

namespace cairn {

class BoundCalls;

// An endpoint with its tools, as they were at one time.
struct OpenEndpoint {
  EndpointPtr endpoint;
  std::vector<BoundTool> tools;  // in the order they were bound
  std::string stamp;             // changes when what a client sees does
};
using OpenEndpointPtr = std::shared_ptr<const OpenEndpoint>;

// The tools that the holder of an endpoint's key may call.
class EndpointToolbox final : public Toolbox {
 public:
  // REQUIRES: the executor outlives it.
  EndpointToolbox(Executor& executor, OpenEndpointPtr open, Caller owner)
      : executor_(executor), open_(std::move(open)), owner_(std::move(owner)) {}

  const Endpoint& endpoint() const { return *open_->endpoint; }
  const std::vector<BoundTool>& bound() const { return open_->tools; }
  const std::string& stamp() const { return open_->stamp; }

  std::string introduction() const override { return endpoint().description; }
  std::vector<const Tool*> offered() const override;
  Result<const Tool*> find(std::string_view name) const override;
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override;
  // The endpoint's own: its callers are not its owner.
  Share share() const override {
    return {std::string(endpoint().realm.bytes()), std::string(endpoint().id.bytes())};
  }
  Result<void> take_turn() const override { return executor_.take_turn(endpoint().id); }
  bool still_valid() const override { return executor_.still_valid(owner_); }

 private:
  Executor& executor_;
  OpenEndpointPtr open_;
  Caller owner_;
};
using EndpointToolboxPtr = std::shared_ptr<const EndpointToolbox>;

class BoundCalls final {
 public:
  // REQUIRES: both outlive it.
  BoundCalls(Executor& executor, Services& services) : executor_(executor), services_(services) {}
  BoundCalls(const BoundCalls&) = delete;
  BoundCalls& operator=(const BoundCalls&) = delete;

  // `request` is what the log calls the request that it is opened for.
  Result<EndpointToolboxPtr> open(std::string_view key, Entrance entrance,
                                  std::string_view request = {});
  // For front ends that are trusted: a tool as it is, or as a binding shows it.
  Result<Reply> execute(const ToolId& tool, std::optional<std::string_view> binding,
                        json::Object arguments, std::stop_token stop = {});

  Observer& observer() { return executor_.observer(); }

 private:
  // Does what the tool of a binding is made for.
  Result<Reply> perform(Call& call, const BoundTool& bound, json::Object given);
  // A script holds a thread for as long as it runs: few at once, of one binding, of one owner, of
  // one realm and of all.
  Result<Reply> run_script_in_turn(Call& call, const BoundTool& bound, json::Object arguments);
  Result<Reply> run_script(Call& call, const BoundTool& bound, json::Object arguments);
  bool is_rehearsal(Call& call) const;
  Result<Reply> rehearsed_step(Call& call, const Tool& tool, json::Object given);
  Result<std::pair<EndpointId, Binding>> find_binding(const ContextTool& tool,
                                                      const BindingId& wanted);
  OpenEndpointPtr put_together(const EndpointPtr& endpoint);
  void set_to_work(BoundTool& bound);

  // An endpoint that was put together, and its owner, who was let in then.
  struct Known {
    OpenEndpointPtr open;
    Caller owner;
    std::uint64_t generation = 0;
  };
  std::optional<Known> known(const EndpointId& endpoint, std::uint64_t generation);

  static constexpr std::size_t kMaxKnown = 1000;
  static constexpr int kMaxScriptsOfOne = 4;    // of a binding, and of whoever made its endpoint
  static constexpr int kMaxScriptsOfRealm = 8;  // whatever its delegates have made
  static constexpr int kMaxScripts = 24;
  // By the bytes of an id: of a binding, a delegate or a realm.
  struct Scripts {
    std::map<std::string, int> of_one;
    int all = 0;
  };

  Executor& executor_;
  Services& services_;
  Guarded<std::map<EndpointId, Known>> known_;
  Guarded<Scripts> scripts_;
};

// Whether the tool's owner may do what the tool would: the context exists and its rights suffice.
// REQUIRES: the tool's form was accepted.
Result<void> check_context(Call& call, const ContextTool& tool);

}  // namespace cairn
