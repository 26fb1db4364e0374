#include "tools/read_text.h"

#include "base/utf8.h"

namespace cairn {

shape::Field start_line_field() {
  return {"startLine", shape::integer("First line to give, counted from 1", 1), shape::kOptional};
}

shape::Field end_line_field() {
  return {"endLine", shape::integer("Last line to give, itself included", 1), shape::kOptional};
}

Result<FileContent> read_text(const TreeView& tree, const Path& path, const Arguments& arguments,
                              Budget& budget) {
  LineRange range;
  range.first = static_cast<std::uint64_t>(arguments.number("startLine", 1));
  range.last = static_cast<std::uint64_t>(arguments.number("endLine", INT64_MAX));
  if (range.last < range.first) {
    return fail(Code::kInvalidArgument, "endLine is {}, before startLine {}", range.last,
                range.first);
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
  const bool part = content.truncated || arguments.has("startLine") || arguments.has("endLine");
  if (part) {
    out["firstLine"] = content.first_line;
    out["lastLine"] = content.last_line;
    if (content.total_lines) out["totalLines"] = *content.total_lines;
  }
  if (content.truncated) {
    out["truncated"] = true;
    out["hint"] = fmt::format("the rest follows with startLine {}", content.last_line + 1);
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
