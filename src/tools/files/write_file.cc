#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// Stores pieces as they come, some at a time.
class StoringSink final : public NodeSink {
 public:
  explicit StoringSink(NodeStore& nodes) : nodes_(nodes) {}

  Result<void> add(NodePtr node) override {
    bytes_ += node->bytes().size();
    pending_.push_back(std::move(node));
    return bytes_ < kBatch ? Result<void>() : flush();
  }
  Result<void> flush() {
    if (pending_.empty()) return {};
    TRY(nodes_.put(pending_));
    pending_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  static constexpr std::size_t kBatch = 4 << 20;
  NodeStore& nodes_;
  std::vector<NodePtr> pending_;
  std::size_t bytes_ = 0;
};

class FileIntake final : public Intake {
 public:
  FileIntake(Call& call, fs::Opened opened, Path path, std::optional<std::string> type)
      : call_(call),
        opened_(std::move(opened)),
        path_(std::move(path)),
        type_(std::move(type)),
        protected_(call.realm()),
        sink_(call.realm().nodes()),
        writer_(sink_) {}

  Result<void> append(ByteView portion) override {
    if (sample_.size() < kContentTypeSample) {
      sample_.append(portion.substr(0, kContentTypeSample - sample_.size()));
    }
    return writer_.append(portion);
  }

  Result<Reply> finish() override {
    const std::string type =
        type_ ? *type_ : std::string(content_type(path_.is_root() ? "" : path_.name(), sample_));
    auto file = TRY(writer_.finish(type));
    TRY(sink_.flush());
    Stage stage(call_.realm().nodes());
    auto written = TRY(write_node(stage, opened_.tree.root, path_, file));
    return fs::save_written(call_, opened_, stage, written);
  }

 private:
  Call& call_;
  fs::Opened opened_;
  Path path_;
  std::optional<std::string> type_;
  Realm::Upload protected_;
  StoringSink sink_;
  FileWriter writer_;
  Bytes sample_;
};

Result<std::unique_ptr<Intake>> take(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  std::optional<std::string> type;
  if (auto given = arguments.maybe_text("contentType")) type = TRY(parse_content_type(*given));
  auto path = TRY(resolve_target(opened.tree, TRY(fs::path_of(arguments))));
  if (path.is_root()) {
    return fail(Code::kInvalidPath, "the path is empty; name the file to write");
  }
  TRY(fs::check_if_key(arguments, opened.tree, path));
  // Tried out on an empty file: a write that cannot succeed is refused before gigabytes were sent.
  Stage probe(call.realm().nodes());
  TRY(write(probe, opened.tree.root, path, ByteView()));
  return std::make_unique<FileIntake>(call, std::move(opened), std::move(path), std::move(type));
}

}  // namespace

Tool write_file_tool() {
  return {
      .name = "write_file",
      .title = "Write a file of any size",
      .description =
          "Creates or overwrites a file with the request's body, of any size up to the quota. "
          "Gives a newRoot; the depot changes with depot_commit.",
      .input = shape::object(
          {fs::node_key(),
           fs::path("e.g. 'img/logo.png'"),
           {"contentType", shape::text("Default: by name and content"), shape::kOptional},
           fs::if_key()}),
      .output = fs::written_shape(),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audience = Audience::kPrograms,
      .body = Body::kStream,
      .audited = {"nodeKey", "path"},
      .run = {},
      .take = take,
  };
}

}  // namespace cairn
