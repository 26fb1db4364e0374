#include "exposure/cli/json_argument.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/quote.h"

namespace cairn::cli {

Result<std::string> read_whole(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator(std::cin), {});
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(Code::kPathNotFound, "the file '{}' cannot be read", shown(file));
  return std::string(std::istreambuf_iterator(in), {});
}

Result<json::Value> json_argument(const std::string& text, std::string_view option) {
  const bool from_file = text.starts_with('@') || text == "-";
  auto value = json::parse(from_file ? TRY(read_whole(text == "-" ? text : text.substr(1)))
                                     : std::string(text));
  if (value) return value;
  auto error = std::move(value).error();
  error.message = fmt::format("{} is not JSON: {}", option, error.message);
  return Failure(std::move(error));
}

}  // namespace cairn::cli
