#include "exposure/cli/json_argument.h"

#include <iostream>
#include <iterator>
#include <utility>

#include "base/explain.h"
#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/quote.h"

namespace cairn::cli {

Result<std::string> read_whole(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator(std::cin), {});
  auto text = os::read_file(file);
  if (text) return *std::move(text);
  return fail(Code::kPathNotFound, "cannot read '{}': {}", shown(file),
              os::description(text.error()));
}

Result<json::Value> json_argument(const std::string& text, std::string_view option) {
  const bool from_file = text.starts_with('@') || text == "-";
  auto value = json::parse(from_file ? TRY(read_whole(text == "-" ? text : text.substr(1)))
                                     : std::string(text));
  if (value) return value;
  return Failure(explained(std::move(value).error(), fmt::format("{} is not JSON", option)));
}

}  // namespace cairn::cli
