// For this module's tests: a service that offers one of each kind, and a principal of any name.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <set>
#include <string>

#include "base/guarded.h"
#include "exposure/mcp/exchange.h"
#include "exposure/mcp/service.h"

namespace cairn::mcp::testing {

class TestPrincipal final : public Principal {
 public:
  explicit TestPrincipal(std::string id) : id_(std::move(id)) {}
  std::string_view id() const override { return id_; }

 private:
  std::string id_;
};

PrincipalPtr a_principal(std::string id = "tester");

// Tools      echo (quick: its `text` back), slow (until it is stopped or released), chatty (three
//            progress messages and a log message, then its answer), ask (puts an elicitation to the
//            client and answers with what came back), detour (ends its connection before it
//            answers), broken (is_error), and `extra` when shown.
// Resources  test://thing, whose text can be changed, and the template test://{name}.
// Prompts    greet, with the argument `name`; completed from a few names.
// Threads    any.
class TestService final : public Service {
 public:
  static constexpr std::string_view kThing = "test://thing";

  TestService();

  // Announced to whoever watches.
  void change_thing(std::string text);
  void show_extra_tool();
  // The principal with this id is no longer let in.
  void revoke(std::string_view principal);

  // Lets the calls of `slow` that run now return.
  void release_slow();
  // Waits, up to ten seconds, until so many calls of `slow` run, or were stopped.
  bool wait_for_slow_running(int count);
  bool wait_for_slow_stopped(int count);

  const Offer& offer() const override { return offer_; }
  Rpc<Page> list_tools(Exchange& exchange, std::string_view cursor) override;
  Manner manner(const Principal& principal, std::string_view tool,
                const json::Object& arguments) const override;
  std::span<const ParamHeader> param_headers(const Principal& principal,
                                             std::string_view tool) const override;
  Rpc<ToolOutcome> call_tool(Exchange& exchange, std::string_view tool,
                             json::Object&& arguments) override;
  Rpc<Page> list_resources(Exchange& exchange, std::string_view cursor) override;
  Rpc<Page> list_templates(Exchange& exchange, std::string_view cursor) override;
  Rpc<ResourceContents> read_resource(Exchange& exchange, std::string_view uri) override;
  Rpc<Page> list_prompts(Exchange& exchange, std::string_view cursor) override;
  Rpc<json::Object> get_prompt(Exchange& exchange, std::string_view name,
                               const json::Object& arguments) override;
  Rpc<Completion> complete(Exchange& exchange, const CompletionRequest& request) override;
  Rpc<Watched> watch(const Principal& principal, const Subject& subject) override;
  bool still_valid(const Principal& principal) const override;
  void announce_to(Changes* changes) override { *changes_.lock() = changes; }

 private:
  struct State {
    std::string thing = "first";
    bool extra_tool = false;
    std::set<std::string, std::less<>> revoked;
    int slow_running = 0;
    int slow_stopped = 0;
    int releases = 0;
  };

  Rpc<ToolOutcome> slow(Exchange& exchange);
  Rpc<ToolOutcome> chatty(Exchange& exchange);
  Rpc<ToolOutcome> ask(Exchange& exchange);
  bool wait_until(const std::function<bool(const State&)>& condition);
  void announce(std::string topic);
  bool shows_extra_tool() const { return state_.lock()->extra_tool; }

  Offer offer_;
  mutable Guarded<State> state_;
  std::condition_variable changed_;
  Guarded<Changes*> changes_{nullptr};
};

}  // namespace cairn::mcp::testing
