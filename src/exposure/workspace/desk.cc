#include "exposure/workspace/desk.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"

namespace cairn::workspaces {
namespace {

Result<std::set<std::string, std::less<>>> names_in(const work::FileTools& tools,
                                                    std::string_view list) {
  std::vector<std::string> known = {std::string(kOneTool)};
  for (const auto& row : tools.rows()) known.emplace_back(row.tool.name);
  std::set<std::string, std::less<>> out;
  while (!list.empty()) {
    const auto end = list.find(',');
    auto name = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.empty()) continue;
    if (std::ranges::find(known, name) == known.end()) {
      const auto near = most_similar(name, known);
      return fail(Code::kInvalidArgument, "there is no file tool '{}'{}", shown(name),
                  near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    }
    out.emplace(name);
  }
  return out;
}

}  // namespace

Result<Choice> Choice::make(const work::FileTools& tools, const agent::SelectionRequest& request) {
  if (request.toolsets) {
    return fail(Code::kInvalidArgument,
                "a workspace has no sets of tools; name tools to offer or to leave out");
  }
  Choice out;
  if (request.tools) out.named_ = TRY(names_in(tools, *request.tools));
  if (request.exclude_tools) out.excluded_ = TRY(names_in(tools, *request.exclude_tools));
  out.read_only_ = request.read_only;
  return out;
}

bool Choice::offers(const work::FileTool& tool) const {
  if (named_ && !named_->contains(tool.name)) return false;
  return !excluded_.contains(tool.name) && !(read_only_ && tool.changes());
}

bool Choice::offers_one_tool() const {
  return named_ && named_->contains(kOneTool) && !excluded_.contains(kOneTool);
}

bool Choice::has_method(const work::FileTool& tool) const {
  return tool.in_manual && !excluded_.contains(tool.name) && !(read_only_ && tool.changes());
}

}  // namespace cairn::workspaces
