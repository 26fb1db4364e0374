#include "data/realm/import_rehearsal.h"

#include <utility>

namespace cairn {

RehearsedFiles::RehearsedFiles(const ImportNodes& nodes, const NodeKey& root, Read read)
    : nodes_(nodes), root_(root), read_(std::move(read)), state_(nodes) {}

Result<NodePtr> RehearsedFiles::get(const NodeKey& key) const {
  auto found = nodes_.get(key);
  if (found || found.error().code != Code::kNodeNotFound) return found;
  const MutexLock one(one_);
  if (auto read = state_.read.get(key)) return read;
  if (!state_.paths) {
    state_.paths.emplace();
    find_paths(root_, "", *state_.paths);
  }
  const auto path = state_.paths->find(key);
  if (path == state_.paths->end()) return found;
  auto node = TRY(read_(path->second, state_.read));
  if (node->key() == key) return node;
  return fail(Code::kIoError, "'{}' was changed while it was read; try again", path->second);
}

// What is not kept is stored, with all below it.
void RehearsedFiles::find_paths(const NodeKey& directory, const std::string& prefix,
                                Paths& out) const {
  const auto node = nodes_.kept(directory);
  if (!node) return;
  for (const auto& branch : node->branches()) find_paths(branch.key, prefix, out);
  for (const auto& entry : node->entries()) {
    auto path = prefix + std::string(entry.name);
    if (entry.is_dir()) {
      find_paths(entry.key, path + "/", out);
    } else {
      out.try_emplace(entry.key, std::move(path));
    }
  }
}

}  // namespace cairn
