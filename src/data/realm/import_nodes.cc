#include "data/realm/import_nodes.h"

#include <utility>

namespace cairn {
namespace {

// Every commit has a fixed cost, which a mebibyte of nodes outweighs.
constexpr std::size_t kFlushBytes = 1 << 20;
// So much may wait before the threads are asked to flush.
constexpr std::size_t kWaitingBytes = 4 << 20;

}  // namespace

// What is left could not be stored, and its number stays: so no directory is stored without it.
ImportNodes::Files::~Files() = default;

Result<void> ImportNodes::Files::add(NodePtr node) {
  if (nodes_.keep_ == Keep::kNothing) return {};
  if (batch_.empty()) {
    auto shelf = nodes_.shelf_.lock();
    since_ = ++shelf->numbers;
    shelf->unstored.insert(since_);
  }
  bytes_ += node->bytes().size();
  batch_.push_back(std::move(node));
  return bytes_ < kFlushBytes ? Result<void>() : flush();
}

Result<void> ImportNodes::Files::flush() {
  if (!batch_.empty()) {
    TRY(nodes_.store_.put(batch_));
    batch_.clear();
    bytes_ = 0;
    auto shelf = nodes_.shelf_.lock();
    shelf->unstored.erase(shelf->unstored.find(std::exchange(since_, 0)));
  }
  return nodes_.store_directories();
}

Result<void> ImportNodes::Files::relieve() { return nodes_.pressed_ ? flush() : Result<void>(); }

Result<void> ImportNodes::add_directory(std::vector<NodePtr> nodes) {
  if (keep_ == Keep::kNothing) {
    auto kept = kept_.lock();
    for (auto& node : nodes) kept->try_emplace(node->key(), node);
    return {};
  }
  auto shelf = shelf_.lock();
  const auto number = ++shelf->numbers;
  for (auto& node : nodes) {
    shelf->bytes += node->bytes().size();
    shelf->directories.push_back({number, std::move(node)});
  }
  pressed_ = shelf->bytes > kWaitingBytes;
  return {};
}

Result<void> ImportNodes::finish() { return store_directories(); }

std::vector<NodePtr> ImportNodes::next_directories() {
  std::vector<NodePtr> out;
  std::size_t bytes = 0;
  auto shelf = shelf_.lock();
  auto& waiting = shelf->directories;
  while (!waiting.empty() && bytes < kFlushBytes) {
    if (!shelf->unstored.empty() && waiting.front().number > *shelf->unstored.begin()) break;
    bytes += waiting.front().node->bytes().size();
    out.push_back(std::move(waiting.front().node));
    waiting.pop_front();
  }
  shelf->bytes -= bytes;
  pressed_ = shelf->bytes > kWaitingBytes;
  return out;
}

Result<void> ImportNodes::store_directories() {
  const MutexLock one(storing_);
  while (true) {
    const auto nodes = next_directories();
    if (nodes.empty()) return {};
    TRY(store_.put(nodes));
  }
}

NodePtr ImportNodes::kept(const NodeKey& key) const {
  auto kept = kept_.lock();
  const auto found = kept->find(key);
  return found == kept->end() ? nullptr : found->second;
}

Result<NodePtr> ImportNodes::get(const NodeKey& key) const {
  if (auto node = kept(key)) return node;
  return store_.get(key);
}

}  // namespace cairn
