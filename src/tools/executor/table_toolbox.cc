#include "tools/executor/table_toolbox.h"

namespace cairn {

std::vector<const Tool*> TableToolbox::offered() const {
  // With the rights of now: a client that listens for changes was let in long ago.
  const auto caller = executor_.as_now(caller_).value_or(caller_);
  std::vector<const Tool*> out;
  for (const auto* tool : selection_.tools()) {
    if (executor_.may_use(caller, *tool)) out.push_back(tool);
  }
  return out;
}

Result<const Tool*> TableToolbox::find(std::string_view name) const {
  if (const auto* tool = selection_.find(name)) return tool;
  return no_such_tool(name, selection_.tools());
}

bool TableToolbox::is_quick(const Tool& tool, const json::Object& arguments) const {
  return runs_here(caller_, tool, &arguments);
}

Result<Reply> TableToolbox::run(const Tool& tool, json::Object arguments,
                                const std::stop_token& stop) const {
  return executor_.run(caller_, tool, json::Value(std::move(arguments)), {}, stop);
}

}  // namespace cairn
