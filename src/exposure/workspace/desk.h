// Desk: who uses the file tools, on which workspace, and which of them it is offered.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exposure/agent/selection_request.h"
#include "exposure/mcp/service.h"
#include "tools/workspace/file_tool.h"

namespace cairn::workspaces {

// All file tools in one, with the method as an argument. It is offered when it is named.
inline constexpr std::string_view kOneTool = "filesystem";

// Which tools are offered.
class Choice final {
 public:
  // INVALID_ARGUMENT for names that there are not, and for toolsets.
  static Result<Choice> make(const work::FileTools& tools, const agent::SelectionRequest& request);

  bool offers(const work::FileTool& tool) const;
  bool offers_one_tool() const;
  // Whether `filesystem` has it as a method.
  bool has_method(const work::FileTool& tool) const;

 private:
  std::optional<std::set<std::string, std::less<>>> named_;
  std::set<std::string, std::less<>> excluded_;
  bool read_only_ = false;
};

class Desk : public mcp::Principal {
 public:
  explicit Desk(Choice choice) : choice_(std::move(choice)) {}

  const Choice& choice() const { return choice_; }

  virtual bool has_history() const = 0;
  // What a model should know before it begins.
  virtual std::string introduction() const = 0;
  // Whether everything is there to run a tool. False: the client was asked something, and will send
  // the request again.
  virtual mcp::Rpc<bool> ready(mcp::Exchange&) const { return true; }
  virtual Result<json::Object> run(const work::FileTools::Row& row, work::Style style,
                                   const json::Value& arguments,
                                   const std::stop_token& stop) const = 0;
  virtual bool still_valid() const { return true; }
  // The client's roots are others now.
  virtual void roots_changed() const {}

 private:
  Choice choice_;
};

}  // namespace cairn::workspaces
