// read_text_file, read_file, read_media_file, read_multiple_files.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/budget.h"
#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/text/lines.h"
#include "tools/executor/shape.h"
#include "tools/workspace/file_errors.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"
#include "tools/workspace/loose_edit.h"

namespace cairn::work {
namespace {

constexpr std::size_t kPortion = 64 << 10;

// The last line of a text needs no end.
void drop_last_newline(Bytes& text) {
  if (text.ends_with('\n')) text.pop_back();
}

// The portions of a file from its beginning.
class Portions final {
 public:
  explicit Portions(const WorkFile& file) : file_(file) {}

  // Empty at the end.
  Result<ByteView> next() {
    buffer_.resize(kPortion);
    buffer_.resize(TRY(file_.read(at_, buffer_)));
    at_ += buffer_.size();
    return ByteView(buffer_);
  }

 private:
  const WorkFile& file_;
  std::uint64_t at_ = 0;
  Bytes buffer_;
};

Result<void> check_room(const WorkFile& file, const Bytes& text, std::uint64_t most) {
  if (text.size() <= most) return {};
  return fail(Code::kFileTooLarge,
              "these lines of '{}' have over {} bytes; ask for fewer with limit, head or tail",
              file.place(), most);
}

struct Lines {
  Bytes text;
  bool more = false;       // lines follow
  std::uint64_t seen = 0;  // lines of the file that were looked at
};

// Lines from `first`, counted from 1, as they are; without the end of the last one.
Result<Lines> lines_of(const Work& work, const WorkFile& file, std::uint64_t first,
                       std::uint64_t count) {
  Lines out;
  Portions portions(file);
  std::uint64_t line = 1;  // of what comes next
  bool begun = false;      // something of that line was seen
  const auto last = count > UINT64_MAX - first ? UINT64_MAX : first + count - 1;
  for (bool start = true;; start = false) {
    auto portion = TRY(portions.next());
    if (portion.empty()) break;
    if (start) TRY(check_text(file, portion));
    while (!portion.empty()) {
      if (line > last) {
        out.more = true;
        out.seen = last;
        drop_last_newline(out.text);
        return out;
      }
      const auto end = portion.find('\n');
      const auto piece = portion.substr(0, end == ByteView::npos ? end : end + 1);
      if (line >= first) out.text += piece;
      TRY(check_room(file, out.text, work.content_bytes.text));
      portion.remove_prefix(piece.size());
      begun = end == ByteView::npos;
      if (!begun) ++line;
    }
  }
  out.seen = begun ? line : line - 1;
  drop_last_newline(out.text);
  return out;
}

// The line that the end of a text makes: an empty one after it, as the reference server counts, or
// none.
enum class LastEnd { kBeginsALine, kEndsTheLast };

// The last lines, as they are.
Result<Bytes> tail_of(const Work& work, const WorkFile& file, std::uint64_t count) {
  const auto last_end = work.manual() ? LastEnd::kEndsTheLast : LastEnd::kBeginsALine;
  Bytes sample(std::min<std::uint64_t>(file.info().size, kContentTypeSample), '\0');
  sample.resize(TRY(file.read(0, sample)));
  TRY(check_text(file, sample));
  Bytes out;
  std::uint64_t ends = 0;
  for (auto at = file.info().size; at > 0;) {
    const auto size = std::min<std::uint64_t>(at, kPortion);
    Bytes portion(size, '\0');
    portion.resize(TRY(file.read(at - size, portion)));
    const bool at_end = at == file.info().size;
    at -= size;
    std::size_t begin = portion.size();
    if (at_end && last_end == LastEnd::kEndsTheLast && portion.ends_with('\n')) --begin;
    while (begin > 0) {
      if (portion[begin - 1] == '\n' && ++ends == count) break;
      --begin;
    }
    out.insert(0, portion, begin);
    TRY(check_room(file, out, work.content_bytes.text));
    if (begin > 0) break;
  }
  return without_cr(out);
}

struct Part {
  Bytes text;
  std::vector<std::string> notes;
};

Result<Part> range_of(const Work& work, const WorkFile& file, const Arguments& arguments) {
  const auto offset = static_cast<std::uint64_t>(arguments.number("offset", 1));
  const auto limit = static_cast<std::uint64_t>(arguments.number("limit", INT64_MAX));
  auto lines = TRY(lines_of(work, file, offset, limit));
  if (lines.seen < offset && offset > 1) {
    return fail(Code::kInvalidArgument, "'{}' has {} lines; offset {} is past its end",
                file.place(), lines.seen, offset);
  }
  Part out{std::move(lines.text), {}};
  if (lines.more) {
    out.notes.push_back(fmt::format("lines {} to {}; more follow from offset {}", offset,
                                    lines.seen, lines.seen + 1));
  }
  return out;
}

Result<Part> part_of(const Work& work, const WorkFile& file, const Arguments& arguments) {
  const auto head = arguments.number("head");
  const auto tail = arguments.number("tail");
  const bool range = arguments.has("offset") || arguments.has("limit");
  if (range && (head != 0 || tail != 0)) {
    return fail(Code::kInvalidArgument,
                "offset and limit name a range of lines, head and tail another; give one of them");
  }
  if (range) return range_of(work, file, arguments);
  if (tail != 0) {
    return Part{TRY(tail_of(work, file, static_cast<std::uint64_t>(tail))), {}};
  }
  if (head != 0) {
    return Part{std::move(TRY(lines_of(work, file, 1, static_cast<std::uint64_t>(head))).text), {}};
  }
  auto text = TRY(read_all(file, work.content_bytes.text));
  TRY(check_text(file, text));
  return Part{std::move(text), {}};
}

bool is_whole(const Arguments& arguments) {
  return arguments.number("head") == 0 && arguments.number("tail") == 0 &&
         !arguments.has("offset") && !arguments.has("limit");
}

Result<json::Object> run_read_text(const Work& work, const Arguments& arguments) {
  auto opened = work.files.open_file(arguments.text("path"));
  const bool inside = opened || opened.error().code == Code::kPathNotFound;
  if (inside && arguments.number("head") != 0 && arguments.number("tail") != 0) {
    return fail(Code::kInvalidArgument,
                "Cannot specify both head and tail parameters simultaneously");
  }
  const auto file = TRY(std::move(opened));
  const auto part = TRY(part_of(work, *file, arguments));
  auto text = as_text(part.text);
  if (is_whole(arguments)) work.files.seen(*file);
  return work.manual() ? result(json::Value(text), part.notes) : said(std::move(text), part.notes);
}

constexpr std::string_view kUnknownType = "application/octet-stream";

// As the reference server tells it: by the extension alone.
std::string_view media_type(std::string_view place) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes = {{
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".jpeg", "image/jpeg"},
      {".gif", "image/gif"},
      {".webp", "image/webp"},
      {".bmp", "image/bmp"},
      {".svg", "image/svg+xml"},
      {".mp3", "audio/mpeg"},
      {".wav", "audio/wav"},
      {".ogg", "audio/ogg"},
      {".flac", "audio/flac"},
  }};
  const auto name = name_of(place);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return kUnknownType;
  const auto extension = lowered(name.substr(dot));
  const auto found =
      std::ranges::find(kTypes, extension, [](const auto& row) { return row.first; });
  return found == kTypes.end() ? kUnknownType : found->second;
}

Result<json::Object> run_read_media(const Work& work, const Arguments& arguments) {
  const auto file = TRY(work.files.open_file(arguments.text("path")));
  const auto most = work.content_bytes.media;
  if (file->info().size > most) {
    return fail(Code::kFileTooLarge,
                "'{}' has {} bytes, more than the {} that read_media_file gives; a text is read in "
                "parts with read_text_file and offset, limit, head or tail",
                shown(file->place(), 300), file->info().size, most);
  }
  const auto content = TRY(read_all(*file, most));
  const auto data = base64_encode(content);
  work.files.seen(*file);
  const auto type = media_type(file->place());
  if (work.manual()) {
    const auto told = type == kUnknownType ? content_type(name_of(file->place()), content) : type;
    return json::Object{{"base64", data}, {"mimeType", told}};
  }
  json::Object item;
  if (type.starts_with("image/") || type.starts_with("audio/")) {
    item = {{"type", type.substr(0, 5)}, {"data", data}, {"mimeType", type}};
  } else {
    item = {{"type", "resource"},
            {"resource",
             json::Object{{"uri", file_uri(file->place())}, {"mimeType", type}, {"blob", data}}}};
  }
  return json::Object{{"content", json::Array{std::move(item)}}};
}

// Within the room that is left.
Result<Bytes> whole_text(const Work& work, std::string_view path, std::uint64_t& room,
                         Budget& budget) {
  if (!budget.in_time()) {
    return fail(Code::kBudgetExceeded, "the files before it took all the time; read it by itself");
  }
  const auto file = TRY(work.files.open_file(path));
  const auto size = file->info().size;
  const auto most = work.content_bytes.text;
  if (size > room && size <= most) {
    return fail(Code::kFileTooLarge, "the files before it fill the answer; read it by itself");
  }
  auto text = TRY(read_all(*file, most));
  TRY(check_text(*file, text));
  room -= std::min<std::uint64_t>(room, text.size());
  work.files.seen(*file);
  return text;
}

Result<json::Object> run_read_many(const Work& work, const Arguments& arguments) {
  const auto paths = arguments.texts("paths").value_or(std::vector<std::string>{});
  std::string all;
  json::Array list;
  std::uint64_t room = work.content_bytes.text;
  Budget budget(work.clock, {.time = Work::kTime, .stop = work.stop});
  for (const auto& path : paths) {
    auto text = whole_text(work, path, room, budget);
    if (!text) text.error().details.try_emplace("operation", "open");
    if (work.manual()) {
      json::Object item{{"path", path}};
      item[text ? "content" : "error"] = text ? as_text(*text) : manual_error(text.error());
      item["success"] = text.has_value();
      list.emplace_back(std::move(item));
      continue;
    }
    if (!all.empty()) all += "\n---\n";
    all += text ? fmt::format("{}:\n{}\n", path, as_text(*text))
                : fmt::format("{}: Error - {}", path, reference_error(text.error()));
  }
  return work.manual() ? result(std::move(list)) : said(std::move(all));
}

json::Value lines_input() {
  return shape::object(
      {{"path", path_shape("File")},
       {"tail", shape::integer("Only so many lines at the end"), shape::kOptional},
       {"head", shape::integer("Only so many lines at the beginning"), shape::kOptional},
       {"offset", shape::integer("First line to read, from 1", 1), shape::kOptional},
       {"limit", shape::integer("How many lines from there", 1), shape::kOptional}});
}

FileTool read_text_tool(std::string_view name, std::string_view title,
                        std::string_view description) {
  return {
      .tool = {.name = std::string(name),
               .title = std::string(title),
               .description = std::string(description),
               .input = lines_input(),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "open",
      .work = run_read_text,
  };
}

json::Value constant(std::string_view text) {
  return json::Object{{"type", "string"}, {"const", text}};
}

json::Value media_output() {
  const auto text = shape::text();
  const auto media = shape::object(
      {{"type", shape::choice({"image", "audio"})}, {"data", text}, {"mimeType", text}});
  const auto resource = shape::object(
      {{"type", constant("resource")},
       {"resource",
        shape::object({{"uri", text}, {"mimeType", text, shape::kOptional}, {"blob", text}})}});
  return shape::object(
      {{"content", shape::list_of(json::Object{{"anyOf", json::Array{media, resource}}})}});
}

}  // namespace

std::vector<FileTool> read_tools() {
  std::vector<FileTool> out;
  out.push_back(read_text_tool("read_file", "Read File (Deprecated)",
                               "The old name of read_text_file: use that."));
  out.push_back(read_text_tool(
      "read_text_file", "Read Text File",
      "A file as text: all of it, its first lines (head), its last lines (tail), or a range of "
      "lines (offset and limit). Binary files are refused with their type; read_media_file reads "
      "those."));
  out.push_back({
      .tool = {.name = "read_media_file",
               .title = "Read Media File",
               .description = "Any file as base64 with its MIME type: images and audio as such, "
                              "everything else as an "
                              "embedded resource.",
               .input = shape::object({{"path", path_shape("File")}}),
               .output = media_output(),
               .annotations = {.read_only = true}},
      .operation = "open",
      .work = run_read_media,
  });
  out.push_back({
      .tool =
          {.name = "read_multiple_files",
           .title = "Read Multiple Files",
           .description =
               "Several text files in one call, each after its path. One that cannot be read is "
               "reported in its place; the others are read all the same.",
           .input = shape::object({{"paths",
                                    [] {
                                      auto list = shape::list_of(shape::text(), "Files to read");
                                      list.get_object()["minItems"] = 1;
                                      return list;
                                    }()}}),
           .output = said_shape(),
           .annotations = {.read_only = true}},
      .operation = "open",
      .work = run_read_many,
  });
  return out;
}

}  // namespace cairn::work
