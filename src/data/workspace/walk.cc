#include "data/workspace/walk.h"

#include <algorithm>
#include <cerrno>

#include "base/explain.h"
#include "base/os/os_error.h"
#include "data/workspace/similar_names.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxLinks = 40;  // as the kernel has it
// Somebody may make and remove a directory as fast as it is looked for.
constexpr int kMakeAttempts = 8;

}  // namespace

Failure missing_failure(int directory, std::string_view directory_place, const std::string& name,
                        std::string_view asked) {
  const auto place = join_path(directory_place, name);
  const auto near = nearest_name(directory, name);
  const auto advice = near.empty() ? std::string("list its directory to see what does")
                                   : fmt::format("did you mean '{}'?",
                                                 os::shown_path(join_path(directory_place, near)));
  auto error = advised(os::path_failure(ENOENT, asked, place).error(), advice);
  return Failure(std::move(error).with("missing", place));
}

Walk::Walk(const Roots& roots, const ClientPath& path, WalkOptions options)
    : roots_(roots), path_(path), options_(options) {}

Result<Walked> Walk::run() {
  TRY(enter(path_.root));
  queue(path_.rest(), true);
  while (!pending_.empty()) {
    auto name = std::move(pending_.back());
    pending_.pop_back();
    if (auto stepped = step(std::move(name)); !stepped) {
      take_back();
      return Failure(std::move(stepped).error());
    }
  }
  if (!outside_.empty()) return roots_.paths().link_outside(path_.absolute);
  if (missing_.empty() && !end_) {
    const auto top = trail_->top();
    if (!top) return os_fail(top.error());
    const auto stat = os::stat(*top, roots_.kernel());
    if (!stat) return os_fail(stat.error());
    end_ = *stat;
  }
  return Walked{*std::move(trail_), end_, std::move(missing_)};
}

Result<void> Walk::step(Name name) {
  if (name.text.empty() || name.text == ".") return {};
  if (!outside_.empty()) return step_outside(name);
  if (name.text == "..") return up();
  return down(std::move(name));
}

// Names only: nobody may learn from the answer what is there.
Result<void> Walk::step_outside(const Name& name) {
  outside_ = lexically_normal(join_path(outside_, name.text));
  const auto root = roots_.paths().at(outside_);
  return root ? enter(*root) : Result<void>();
}

Result<void> Walk::enter(std::size_t root) {
  auto handle = roots_.handle(root);
  if (!handle) return os_fail(handle.error());
  trail_.emplace(*std::move(handle), root);
  outside_.clear();
  end_.reset();
  return {};
}

Result<void> Walk::up() {
  if (end_ && !os::is_directory(*end_)) return os_fail(ENOTDIR);
  end_.reset();
  if (!trail_->at_root()) {
    trail_->pop();
    return {};
  }
  const auto& real = roots_.paths()[trail_->root()].real;
  if (real == "/") return {};
  outside_ = lexically_normal(join_path(real, ".."));
  const auto root = roots_.paths().at(outside_);
  return root ? enter(*root) : Result<void>();
}

Result<void> Walk::down(Name name) {
  const auto top = trail_->top();
  if (!top) return os_fail(top.error());
  auto handle = os::open_name(*top, name.text, O_PATH, 0, roots_.kernel());
  if (handle) return arrive(std::move(name), *std::move(handle));
  if (handle.error() != ENOENT) return os_fail(handle.error());
  auto equivalent = equivalent_name(*top, name.text);
  if (equivalent.ambiguous) {
    return os::fail_at(path_.absolute, Code::kInvalidPath, "Ambiguous Unicode path component: {}",
                       os::shown_path(name.text));
  }
  if (!equivalent.name) return absent(std::move(name));
  handle = os::open_name(*top, *equivalent.name, O_PATH, 0, roots_.kernel());
  if (!handle) return os_fail(handle.error());
  name.text = *std::move(equivalent.name);
  return arrive(std::move(name), *std::move(handle));
}

Result<void> Walk::arrive(Name name, os::Handle handle) {
  const auto stat = os::stat(handle.fd(), roots_.kernel());
  if (!stat) return os_fail(stat.error());
  const bool last = pending_.empty();
  const bool itself = last && name.asked && options_.last == WalkOptions::Last::kLinkItself;
  if (os::is_link(*stat) && !itself) return follow(handle);
  trail_->push(std::move(name.text), std::move(handle));
  end_ = *stat;
  if (!last && !os::is_directory(*stat)) return os_fail(ENOTDIR);
  return {};
}

Result<void> Walk::follow(const os::Handle& link) {
  if (++links_ > kMaxLinks) return os_fail(ELOOP);
  if (os::on_proc(link.fd())) return roots_.paths().link_outside(path_.absolute);
  const auto target = os::read_link(link.fd());
  if (!target) return os_fail(target.error());
  queue(*target, false);
  end_.reset();
  if (!target->starts_with('/')) return {};
  outside_ = "/";
  const auto root = roots_.paths().at(outside_);
  return root ? enter(*root) : Result<void>();
}

Result<void> Walk::absent(Name name) {
  // The target of a link is not made: a dangling link stays one.
  if (name.asked && options_.missing == WalkOptions::Missing::kIsMade) return make(std::move(name));
  if (name.asked && options_.missing == WalkOptions::Missing::kIsAssumed) {
    for (; !pending_.empty(); pending_.pop_back()) name.text += "/" + pending_.back().text;
  }
  if (!name.asked || !pending_.empty()) return missing(name.text);
  missing_ = std::move(name.text);
  end_.reset();
  return {};
}

Result<void> Walk::make(Name name) {
  const auto top = trail_->top();
  if (!top) return os_fail(top.error());
  for (int i = 0; i < kMakeAttempts; ++i) {
    const auto made = os::make_directory(*top, name.text, 0777, roots_.kernel());
    if (!made && made.error() != EEXIST) return os_fail(made.error());
    auto handle = os::open_name(*top, name.text, O_PATH, 0, roots_.kernel());
    if (!handle && handle.error() == ENOENT) continue;
    if (!handle) return os_fail(handle.error());
    made_ = made ? made_ + 1 : 0;
    return arrive(std::move(name), *std::move(handle));
  }
  return os_fail(EBUSY);
}

// Removes the directories that were made before the walk failed, as far as they are still empty.
void Walk::take_back() {
  for (; made_ > 0 && outside_.empty() && !trail_->at_root(); --made_) {
    const auto name = trail_->name();
    trail_->pop();
    const auto top = trail_->top();
    if (!top || !os::remove_name(*top, name, AT_REMOVEDIR, roots_.kernel())) return;
  }
}

Failure Walk::missing(const std::string& name) {
  const auto top = trail_->top();
  if (!top) return os_fail(top.error());
  return missing_failure(*top, trail_->place(roots_.paths()), name, path_.absolute);
}

Failure Walk::os_fail(int error) {
  // The first name on the way that is not a directory is the one to name.
  if (error != ENOTDIR || !trail_) return os::path_failure(error, path_.absolute);
  return os::path_failure(error, path_.absolute, trail_->place(roots_.paths()));
}

void Walk::queue(std::string_view text, bool asked) {
  std::vector<Name> names;
  while (!text.empty()) {
    const auto name = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (!name.empty() && name != ".") names.push_back({std::string(name), asked});
  }
  std::ranges::move(names.rbegin(), names.rend(), std::back_inserter(pending_));
}

}  // namespace cairn
