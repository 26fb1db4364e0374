#include "data/workspace/workspace.h"

namespace cairn {

Result<WorkHistory> Workspace::history(std::size_t, std::string_view) const {
  return fail(Code::kInvalidArgument, "this workspace keeps no history; a depot does");
}

Result<WorkChange> Workspace::undo(std::string_view, std::string_view) {
  return fail(Code::kInvalidArgument, "this workspace keeps no history; a depot does");
}

}  // namespace cairn
