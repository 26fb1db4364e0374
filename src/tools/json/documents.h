// Documents: JSON files as values, parsed once.
//
// A file's node says all about its content, so what was parsed from it is kept by its key, the
// least recently used going first. What is too large to be kept is shared by those who use it at
// the same time; of different ones there are no more at once than a DocumentRoom has room for.
// Threads  every function may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/guarded.h"
#include "base/id.h"
#include "base/mutex.h"
#include "base/turn.h"
#include "data/json/json.h"
#include "data/tree/view.h"
#include "tools/json/document_room.h"

namespace cairn {

struct OpenDocument {
  Path path;  // with names in place of child indices
  NodeKey key;
  std::string type;
  std::shared_ptr<const json::Value> value;
};

// `'orders.json'`, as the subject of a message.
Subject file_in_message(const Path& path);

class Documents final {
 public:
  static constexpr std::uint64_t kMaxBytes = 32 << 20;
  static constexpr json::ParseLimits kLimits{.max_depth = 100, .max_values = 4'000'000};

  // `capacity`: how many bytes of memory are kept; `in_use`: how many more are taken by large ones
  // that are parsed and used, and how long one is waited for.
  explicit Documents(std::size_t capacity = 256 << 20, std::size_t in_use = 256 << 20,
                     std::chrono::milliseconds patience = std::chrono::seconds(20))
      : capacity_(capacity), room_(std::make_shared<DocumentRoom>(in_use, patience)) {}
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  // A JSON file in a tree. FILE_TOO_LARGE, INVALID_JSON with the place, RATE_LIMITED when others
  // leave no room, and as reading fails.
  Result<OpenDocument> open(const TreeView& tree, const Path& path);
  // Its text as it is stored.
  Result<std::string> text(const TreeView& tree, const OpenDocument& document) const;

  // Those who change documents of one depot take turns, so that few have to try again. Nothing
  // relies on it but speed.
  Turn& turn(const DepotId& depot);

  std::uint64_t parsed() const { return parsed_.load(); }
  // The bytes that are kept.
  std::size_t memory() const { return state_.lock()->bytes; }
  DocumentRoom& room() { return *room_; }

 private:
  struct Kept {
    NodeKey key;
    std::shared_ptr<const json::Value> value;
    std::size_t bytes = 0;
  };
  struct State {
    std::list<Kept> order;  // the last used first
    std::unordered_map<NodeKey, std::list<Kept>::iterator> by_key;
    std::size_t bytes = 0;
    // Large ones that somebody may be using.
    std::map<NodeKey, std::weak_ptr<const json::Value>> in_use;
  };

  std::shared_ptr<const json::Value> find(const NodeKey& key) EXCLUDES(state_);
  Result<std::shared_ptr<const json::Value>> parse(const TreeView& tree,
                                                   const OpenDocument& document,
                                                   std::unique_ptr<DocumentRoom::Hold> room)
      EXCLUDES(state_);
  void keep(const NodeKey& key, std::shared_ptr<const json::Value> value, std::size_t bytes)
      EXCLUDES(state_);

  const std::size_t capacity_;
  std::atomic<std::uint64_t> parsed_ = 0;
  mutable Guarded<State> state_;
  const std::shared_ptr<DocumentRoom> room_;
  Mutex large_;  // one large document is parsed at a time
  std::array<Turn, 256> turns_;
};

}  // namespace cairn
