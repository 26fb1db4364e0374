// FileToolbox: the file tools on one workspace, one by one or as the one tool `filesystem`, for a
// caller that has chosen some of them.
//
// Threads  every function may be called from any thread.
#pragma once

#include <optional>

#include "tools/executor/selection.h"
#include "tools/executor/toolbox.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {

class FileToolbox : public Toolbox {
 public:
  std::vector<const Tool*> offered() const override;
  Result<const Tool*> find(std::string_view name) const override;
  // Errors carry the detail `operation`: what failed, as the operating system calls it.
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override;

 protected:
  enum class History { kNone, kHas };
  FileToolbox(FileToolsPtr tools, Selection selection, History history);

  // Checks the arguments and does the work, in the style that is asked for.
  virtual Result<json::Object> work(const FileTool& file, Style style, json::Value arguments,
                                    const std::stop_token& stop) const = 0;

 private:
  bool is_here(const FileTool& file) const;
  bool is_method(const FileTool& file) const;
  Tool one_tool() const;
  Result<Reply> run_method(json::Object arguments, const std::stop_token& stop) const;
  Result<Reply> run_file(const FileTool& file, Style style, json::Object arguments,
                         const std::stop_token& stop) const;

  FileToolsPtr tools_;
  Selection selection_;
  History history_;
  std::optional<Tool> one_tool_;  // when it was chosen
};

}  // namespace cairn::work
