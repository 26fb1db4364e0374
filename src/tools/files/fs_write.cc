#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/tree/conflict.h"
#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

using State = fs::Known::State;

// The content with what others did to the file since the caller read it; CONFLICT when the two do
// not fit.
Result<Bytes> merged_content(const NodeReader& nodes, const Path& path,
                             const fs::Known::Standing& standing, ByteView content) {
  const auto is_small_file = [](const std::optional<EntryValue>& value) {
    return value && value->kind == Kind::kFile && value->bytes <= kMaxMergeBytes;
  };
  if (!is_small_file(standing.now)) return Failure(fs::changed_since_read(path, standing));
  auto theirs = TRY(read_file(nodes, *TRY(nodes.get(standing.now->key))));
  if (theirs == content) return theirs;
  if (!is_small_file(standing.known)) return Failure(fs::changed_since_read(path, standing));
  const auto base = TRY(read_file(nodes, *TRY(nodes.get(standing.known->key))));
  auto merged = merge_contents(standing.known->type, base, content, theirs);
  if (merged) return std::move(*merged);
  return Failure(fs::changed_since_read(path, standing,
                                        {describe_conflict(path.render(), base, content, theirs)}));
}

Result<Reply> run_fs_write(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  const auto content = arguments.text("content");
  if (content.size() > kMaxNodeBytes) {
    return fail(Code::kFileTooLarge,
                "the content has {} bytes; fs_write takes up to {}, larger files go over REST or "
                "the command line",
                content.size(), kMaxNodeBytes);
  }
  std::optional<std::string> type;
  if (auto given = arguments.maybe_text("contentType")) type = TRY(parse_content_type(*given));
  const auto path = TRY(resolve_target(opened.tree, TRY(fs::path_of(arguments))));
  const auto known = TRY(fs::Known::of(call, opened));
  const bool conditional = TRY(fs::check_if_key(arguments, opened.tree, path));
  fs::Known::Standing standing;
  if (!conditional && !path.is_root()) standing = TRY(known.standing(path));
  const bool stale = standing.state == State::kStale;
  Bytes together;
  if (stale) together = TRY(merged_content(call.realm().nodes(), path, standing, content));
  Stage stage(call.realm().nodes());
  auto written =
      TRY(write(stage, opened.tree.root, path, stale ? ByteView(together) : content, type));
  auto reply = TRY(fs::save_written(call, opened, stage, written));
  auto& answer = reply.value.get_object();
  if (stale) {
    // The caller knows what it wrote, and not what that became.
    answer["merged"] = true;
    answer["note"] =
        "others have changed it since you read it, and their change was merged in; read it before "
        "you write it again";
    return reply;
  }
  const bool replaces = standing.now && standing.now->key != written.file.key;
  if (replaces && (standing.state == State::kUnseen || standing.part)) {
    answer["note"] =
        fmt::format("it takes the place of {}, {}", standing.now->key.render_short(),
                    standing.part ? "which you had not read to the end" : "which you had not read");
  }
  known.made(written.path, written.root->key());
  return reply;
}

}  // namespace

Tool fs_write() {
  return {
      .name = "fs_write",
      .title = "Write a text file",
      .description =
          "Creates or overwrites one text file, with its directories. Gives a newRoot and does "
          "NOT change the depot: pass newRoot as nodeKey to the next write, at the end to "
          "depot_commit. To change a part use fs_edit. What others did to it since you read it "
          "is merged in, or CONFLICT.",
      .input = shape::object({fs::node_key(),
                              fs::path("e.g. 'src/main.ts'"),
                              {"content", shape::text("All of it, UTF-8")},
                              {"contentType", shape::text("Default: by name"), shape::kOptional},
                              fs::if_key()}),
      .output = fs::written_shape(),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run_fs_write,
  };
}

}  // namespace cairn
