#include "tools/json/documents.h"

#include "base/explain.h"
#include "base/quote.h"
#include "data/cas/file.h"
#include "data/json/arena_document.h"

namespace cairn {
namespace {

// Texts above this are parsed one at a time: a value takes several times the room of its text.
constexpr std::uint64_t kLarge = 1 << 20;
// As far as is known before it is parsed: so many times the text, and the text itself.
constexpr std::uint64_t kRoomForText = 5;
// What is needed to find a document again, besides itself.
constexpr std::size_t kToFindIt = 256;

// Those that are kept are bounded all together.
struct InUse {
  explicit InUse(std::size_t text_size) : arena(text_size) {}
  json::ArenaDocument arena;
  std::unique_ptr<DocumentRoom::Hold> room;
};

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
  if (found == state->by_key.end()) {
    const auto used = state->in_use.find(key);
    return used == state->in_use.end() ? nullptr : used->second.lock();
  }
  state->order.splice(state->order.begin(), state->order, found->second);
  return found->second->value;
}

void Documents::keep(const NodeKey& key, std::shared_ptr<const json::Value> value,
                     std::size_t bytes) {
  std::list<Kept> dropped;  // destroyed when the lock is free again
  auto state = state_.lock();
  if (bytes > capacity_) {
    std::erase_if(state->in_use, [](const auto& row) { return row.second.expired(); });
    state->in_use.insert_or_assign(key, value);
    return;
  }
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
  if (at.entry.bytes <= kLarge) {
    out.value = TRY(parse(tree, out, nullptr));
    return out;
  }
  auto room = TRY(room_->take(at.entry.bytes * kRoomForText));
  const MutexLock one_at_a_time(large_);
  // Somebody else may have parsed it meanwhile.
  out.value = find(out.key);
  if (!out.value) out.value = TRY(parse(tree, out, std::move(room)));
  return out;
}

Result<std::shared_ptr<const json::Value>> Documents::parse(
    const TreeView& tree, const OpenDocument& document, std::unique_ptr<DocumentRoom::Hold> room) {
  auto source = TRY(text(tree, document));
  auto made = std::make_shared<InUse>(source.size());
  auto& arena = made->arena;
  auto parsed = arena.parse(source, kLimits);
  if (!parsed) {
    return Failure(explained(std::move(parsed).error(),
                             fmt::format("{} is not JSON", file_in_message(document.path))));
  }
  parsed_.fetch_add(1);
  const auto bytes = arena.memory() + kToFindIt;
  if (room && bytes > capacity_) {
    source = {};
    room->become(bytes);
    made->room = std::move(room);
  }
  std::shared_ptr<const json::Value> value{made, &arena.value()};
  keep(document.key, value, bytes);
  return value;
}

Result<std::string> Documents::text(const TreeView& tree, const OpenDocument& document) const {
  auto node = document.path.is_root() ? tree.root : TRY(tree.nodes.get(document.key));
  return read_file(tree.nodes, *node);
}

}  // namespace cairn
