#include "exposure/client/tree_writer.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "tools/executor/arguments.h"

namespace cairn::client {
namespace {

constexpr std::size_t kMostAtOnce = 100;  // as many as fs_rewrite takes in one call

bool is_below(std::string_view path, const std::set<std::string, std::less<>>& gone) {
  for (auto end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1)) {
    if (gone.contains(path.substr(0, end))) return true;
  }
  return false;
}

}  // namespace

Result<void> TreeWriter::remove(const std::string& path, bool is_directory) {
  if (!directories_.empty()) TRY(flush());
  if (is_below(path, gone_)) return {};
  if (is_directory) gone_.insert(path);
  removals_.emplace_back(path);
  return removals_.size() < kMostAtOnce ? Result<void>() : flush();
}

Result<void> TreeWriter::make_directory(const std::string& path) {
  if (!removals_.empty()) TRY(flush());
  gone_.clear();
  directories_[path] = json::Object{{"dir", true}};
  return directories_.size() < kMostAtOnce ? Result<void>() : flush();
}

Result<TreeWriter::Written> TreeWriter::write(const std::string& path,
                                              const Client::Source& source) {
  TRY(flush());
  gone_.clear();
  const auto answer = TRY(client_.write_file(root_, path, source));
  Arguments written(answer.as_object());
  Written out{.root = std::string(written.text("newRoot")), .key = {}};
  if (const auto* file = json::find(answer.as_object(), "file"); file && file->is_object()) {
    out.key = Arguments(file->get_object()).text("key");
  }
  return out;
}

Result<std::string> TreeWriter::finish() {
  TRY(flush());
  return root_;
}

Result<void> TreeWriter::flush() {
  if (!removals_.empty()) TRY(rewrite({{"deletes", std::exchange(removals_, {})}}));
  if (!directories_.empty()) TRY(rewrite({{"entries", std::exchange(directories_, {})}}));
  return {};
}

Result<void> TreeWriter::rewrite(json::Object change) {
  change["nodeKey"] = root_;
  const auto answer = TRY(client_.call("fs_rewrite", change));
  root_ = Arguments(answer.as_object()).text("newRoot");
  return {};
}

}  // namespace cairn::client
