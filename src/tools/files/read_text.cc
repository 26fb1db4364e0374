#include "tools/files/read_text.h"

#include "base/quote.h"
#include "base/utf8.h"

namespace cairn {

shape::Field start_line_field() {
  return {"startLine", shape::integer("First line, from 1", 1), shape::kOptional};
}

shape::Field end_line_field() {
  return {"endLine", shape::integer("Last line, included", 1), shape::kOptional};
}

shape::Field start_byte_field() {
  return {"startByte", shape::integer("Bytes of startLine to skip"), shape::kOptional};
}

namespace {

// The bytes of an answer besides path and content: names, keys, numbers, a hint.
constexpr std::int64_t kAround = 350;

std::string rest_of(const FileContent& content) {
  if (content.cut_at) {
    return fmt::format("line {} is long: it goes on with startLine {} and startByte {}",
                       content.last_line, content.last_line, *content.cut_at);
  }
  return fmt::format("the rest follows with startLine {}", content.last_line + 1);
}

}  // namespace

Result<FileContent> read_text(const TreeView& tree, const Path& path, const Arguments& arguments,
                              Budget& budget) {
  LineRange range;
  range.first = static_cast<std::uint64_t>(arguments.number("startLine", 1));
  range.last = static_cast<std::uint64_t>(arguments.number("endLine", INT64_MAX));
  range.skip = static_cast<std::uint64_t>(arguments.number("startByte", 0));
  if (range.last < range.first) {
    return fail(Code::kInvalidArgument, "endLine is {}, before startLine {}", range.last,
                range.first);
  }
  if (!budget.take_bytes(static_cast<std::int64_t>(json_bytes(path.render())) + kAround)) {
    return fail(Code::kBudgetExceeded, "the answer is full; read this one with another call");
  }
  auto content = TRY(read_lines(tree, path, range, budget));
  if (!valid_utf8(content.content) || content.content.find('\0') != Bytes::npos) {
    return fail(Code::kNotText,
                "'{}' is not UTF-8 text ({}, {} bytes); its bytes can be fetched over REST or the "
                "command line",
                path.render(), content.type, content.size);
  }
  return content;
}

json::Object render_text(const FileContent& content, const Arguments& arguments) {
  json::Object out;
  out["path"] = content.path.render();
  out["key"] = content.key.render();
  out["size"] = content.size;
  out["contentType"] = content.type;
  out["content"] = content.content;
  const bool part = content.truncated || arguments.has("startLine") || arguments.has("endLine") ||
                    arguments.has("startByte");
  if (part) {
    out["firstLine"] = content.first_line;
    out["lastLine"] = content.last_line;
    if (content.total_lines) out["totalLines"] = *content.total_lines;
  }
  if (content.truncated) {
    out["truncated"] = true;
    out["hint"] = rest_of(content);
  }
  return out;
}

json::Value text_shape() {
  return shape::object({{"path", shape::text()},
                        {"key", shape::text()},
                        {"size", shape::integer("Bytes of the whole file")},
                        {"contentType", shape::text()},
                        {"content", shape::text()},
                        {"firstLine", shape::integer(), shape::kOptional},
                        {"lastLine", shape::integer(), shape::kOptional},
                        {"totalLines", shape::integer(), shape::kOptional},
                        {"truncated", shape::flag("A part was left out"), shape::kOptional},
                        {"hint", shape::text(), shape::kOptional}});
}

}  // namespace cairn
