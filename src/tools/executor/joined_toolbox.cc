#include "tools/executor/joined_toolbox.h"

#include <algorithm>
#include <iterator>

namespace cairn {

std::vector<const Tool*> JoinedToolbox::offered() const {
  auto out = first_->offered();
  std::ranges::copy(second_->offered(), std::back_inserter(out));
  return out;
}

Result<const Tool*> JoinedToolbox::find(std::string_view name) const {
  if (auto found = second_->find(name)) {
    const auto before = first_->find(name);
    return before ? before : found;
  }
  return first_->find(name);
}

const Toolbox& JoinedToolbox::box_of(const Tool& tool) const {
  const auto found = first_->find(tool.name);
  return found && *found == &tool ? *first_ : *second_;
}

bool JoinedToolbox::is_quick(const Tool& tool, const json::Object& arguments) const {
  return box_of(tool).is_quick(tool, arguments);
}

Result<Reply> JoinedToolbox::run(const Tool& tool, json::Object arguments,
                                 const std::stop_token& stop) const {
  return box_of(tool).run(tool, std::move(arguments), stop);
}

}  // namespace cairn
