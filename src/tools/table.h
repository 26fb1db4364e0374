// The tool table: every operation of Cairn, once.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "data/json/schema.h"
#include "tools/tool.h"

namespace cairn {

class ToolTable final {
 public:
  // All of them. A schema of ours that does not compile is an INTERNAL error.
  static Result<ToolTable> make();

  struct Row {
    Tool tool;
    json::Schema input;
  };

  // TOOL_NOT_FOUND with the nearest name.
  Result<const Row*> find(std::string_view name) const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace cairn
