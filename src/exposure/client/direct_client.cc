#include "exposure/client/direct_client.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "data/cas/file.h"
#include "tools/engine/engine.h"

namespace cairn::client {
namespace {

class DirectClient final : public Client {
 public:
  DirectClient(std::unique_ptr<Engine> engine, Caller caller)
      : engine_(std::move(engine)), caller_(std::move(caller)) {}

  Result<json::Value> call(std::string_view tool, const json::Object& arguments) override {
    const auto& known = *TRY(engine_->executor().table().find(tool));
    if (known.body != Body::kArguments) {
      return fail(Code::kBadRequest, "{} takes bytes; use 'cairn put'", tool);
    }
    if (known.gives != Gives::kValue) {
      return fail(Code::kBadRequest, "{} gives bytes; use 'cairn cat'", tool);
    }
    auto reply = TRY(engine_->executor().run(caller_, known, json::Value(arguments)));
    json::use_signed_numbers(reply.value);
    return std::move(reply.value);
  }

  Result<json::Object> stream(std::string_view tool, const json::Object& arguments,
                              const RowSink& sink) override {
    const auto& known = *TRY(engine_->executor().table().find(tool));
    auto rows = TRY(engine_->executor().stream(caller_, known, json::Value(arguments)));
    while (auto portion = TRY(rows->next())) {
      for (auto& row : *portion) {
        json::use_signed_numbers(row);
        auto& object = row.as_object();
        if (auto* summary = object.if_contains("summary")) return std::move(summary->as_object());
        if (TRY(sink(object)) == More::kNo) return json::Object();
      }
    }
    return fail(Code::kInternal, "{} gave no summary", tool);
  }

  Result<void> read_file(std::string_view node, std::string_view path, const Sink& sink) override {
    json::Object arguments{{"nodeKey", node}, {"path", path}};
    auto reply = TRY(engine_->executor().run(caller_, "read_file", json::Value(arguments)));
    if (!reply.file) return fail(Code::kInternal, "read_file gave no file");
    const auto& file = *reply.file;
    return cairn::read_file(*file.nodes, *TRY(file.nodes->get(file.key)), 0, file.size, sink);
  }

  Result<json::Value> write_file(std::string_view node, std::string_view path,
                                 const Source& source) override {
    json::Object arguments{{"nodeKey", node}, {"path", path}};
    auto intake = TRY(engine_->executor().take(caller_, "write_file", json::Value(arguments)));
    Bytes room(kPortion, '\0');
    while (auto filled = TRY(source(room))) TRY(intake->append(ByteView(room).substr(0, filled)));
    auto reply = TRY(intake->finish());
    json::use_signed_numbers(reply.value);
    return std::move(reply.value);
  }

  Engine* engine() override { return engine_.get(); }

 private:
  static constexpr std::size_t kPortion = 256 * 1024;
  std::unique_ptr<Engine> engine_;
  Caller caller_;
};

}  // namespace

Result<std::unique_ptr<Client>> open_direct(std::unique_ptr<Engine> engine) {
  auto caller = TRY(engine->executor().trusted(engine->owner(), Entrance::kCli));
  return std::make_unique<DirectClient>(std::move(engine), std::move(caller));
}

}  // namespace cairn::client
