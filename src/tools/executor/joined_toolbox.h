// JoinedToolbox: the tools of two toolboxes as one. Where both have a name, the first one's counts.
#pragma once

#include "tools/executor/toolbox.h"

namespace cairn {

// Threads  immutable.
class JoinedToolbox final : public Toolbox {
 public:
  JoinedToolbox(ToolboxPtr first, ToolboxPtr second)
      : first_(std::move(first)), second_(std::move(second)) {}

  std::vector<const Tool*> offered() const override;
  Result<const Tool*> find(std::string_view name) const override;
  bool is_quick(const Tool& tool, const json::Object& arguments) const override;
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override;
  Share share() const override { return first_->share(); }
  Result<void> take_turn() const override { return first_->take_turn(); }
  // Either is enough: a tool of the other refuses by itself.
  bool still_valid() const override { return first_->still_valid() || second_->still_valid(); }

 private:
  const Toolbox& box_of(const Tool& tool) const;

  ToolboxPtr first_;
  ToolboxPtr second_;
};

}  // namespace cairn
