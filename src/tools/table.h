// The tool table: every operation of Cairn, once.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "data/json/lazy_schema.h"
#include "tools/tool.h"

namespace cairn {

class ToolTable final {
 public:
  // All of them.
  static ToolTable make();

  struct Row {
    Tool tool;
    json::LazySchema input = {};

    // Whether these are arguments for the tool: INVALID_ARGUMENT as json::Schema says it.
    Result<void> check(const json::Value& arguments) const {
      return input.check(tool.input, arguments);
    }
  };

  // TOOL_NOT_FOUND with the nearest name.
  Result<const Row*> find(std::string_view name) const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace cairn
