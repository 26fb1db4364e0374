#include "tools/json/documents.h"

#include "base/explain.h"
#include "base/quote.h"
#include "data/cas/file.h"
#include "data/json/arena_document.h"

namespace cairn {
namespace {

// About what a value takes of memory for each byte of its text.
constexpr std::size_t kBytesForOne = 4;

}  // namespace

Subject file_in_message(const Path& path) {
  auto text = path.render();
  auto said = text.empty() ? "the root" : fmt::format("'{}'", shown(text, 300));
  return {Subject::Kind::kPath, std::move(text), std::move(said)};
}

Turn& Documents::turn(const DepotId& depot) {
  // The last bytes of an id are random.
  return turns_[static_cast<unsigned char>(depot.bytes().back()) % turns_.size()];
}

std::shared_ptr<const json::Value> Documents::find(const NodeKey& key) {
  auto state = state_.lock();
  auto found = state->by_key.find(key);
  if (found == state->by_key.end()) return nullptr;
  state->order.splice(state->order.begin(), state->order, found->second);
  return found->second->value;
}

void Documents::keep(const NodeKey& key, std::shared_ptr<const json::Value> value,
                     std::size_t bytes) {
  if (bytes > capacity_) return;
  std::list<Kept> dropped;  // destroyed when the lock is free again
  auto state = state_.lock();
  if (state->by_key.contains(key)) return;
  state->order.push_front({key, std::move(value), bytes});
  state->by_key.emplace(key, state->order.begin());
  state->bytes += bytes;
  while (state->bytes > capacity_) {
    state->bytes -= state->order.back().bytes;
    state->by_key.erase(state->order.back().key);
    dropped.splice(dropped.begin(), state->order, std::prev(state->order.end()));
  }
}

Result<OpenDocument> Documents::open(const TreeView& tree, const Path& path) {
  const auto at = TRY(locate(tree, path));
  if (at.entry.is_dir()) {
    return fail(Code::kNotAFile, "{} is a directory; a JSON context is one JSON file",
                file_in_message(at.path));
  }
  OpenDocument out{at.path, at.entry.key, std::string(at.entry.type), find(at.entry.key)};
  if (out.value) return out;
  if (at.entry.bytes > kMaxBytes) {
    return fail(Code::kFileTooLarge, "{} has {} bytes; a JSON document may have up to {}",
                file_in_message(at.path), at.entry.bytes, kMaxBytes);
  }
  const auto source = TRY(text(tree, out));
  auto document = std::make_shared<json::ArenaDocument>();
  auto parsed = document->parse(source, kLimits);
  if (!parsed) {
    return Failure(explained(std::move(parsed).error(),
                             fmt::format("{} is not JSON", file_in_message(at.path))));
  }
  parsed_.fetch_add(1);
  out.value = {document, &document->value()};
  keep(out.key, out.value, source.size() * kBytesForOne + 1000);
  return out;
}

Result<std::string> Documents::text(const TreeView& tree, const OpenDocument& document) const {
  auto node = document.path.is_root() ? tree.root : TRY(tree.nodes.get(document.key));
  return read_file(tree.nodes, *node);
}

}  // namespace cairn
