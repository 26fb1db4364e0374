// libgit2's side of the commit job: one small file a commit, nothing synced.
//
// Each client has its own repository handle and works as a program that embeds libgit2 would: blob,
// new trees along the path from the parent's tree, commit, branch moved if it is still at the
// parent, again from the new parent otherwise.

#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <git2.h>

#include "base/guarded.h"
#include "job.h"

namespace cairn {
namespace {

template <typename T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};
template <typename T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Deleter<T, Free>>;
using Repository = Owned<git_repository, git_repository_free>;
using Reference = Owned<git_reference, git_reference_free>;
using Commit = Owned<git_commit, git_commit_free>;
using Tree = Owned<git_tree, git_tree_free>;
using Signature = Owned<git_signature, git_signature_free>;

Result<void> check(int code) {
  if (code == 0) return {};
  const auto* error = git_error_last();
  return fail(Code::kInternal, "libgit2: {}", error != nullptr ? error->message : "failed");
}

// The object that a libgit2 function hands out through its first parameter.
template <typename Handle, typename Function, typename... Args>
Result<Handle> make(Function function, Args... args) {
  typename Handle::pointer object = nullptr;
  TRY(check(function(&object, args...)));
  return Handle(object);
}

class Client final {
 public:
  static Result<Client> open(const std::string& path, const std::string& branch, unsigned number,
                             const std::vector<std::string>& directories) {
    Client client(number, directories);
    client.branch_ = "refs/heads/" + branch;
    client.repository_ = TRY(make<Repository>(git_repository_open, path.c_str()));
    client.author_ = TRY(make<Signature>(git_signature_now, "bench", "bench@localhost"));
    return client;
  }

  // Points the branch at the commit where everybody starts.
  Result<void> reset(const std::string& start) {
    git_oid id;
    TRY(check(git_oid_fromstr(&id, start.c_str())));
    TRY(make<Reference>(git_reference_create, repository_.get(), branch_.c_str(), &id, 1, nullptr));
    return {};
  }

  Result<void> run(std::uint64_t commits) {
    for (std::uint64_t i = 0; i < commits; ++i) TRY(commit_one(i));
    return {};
  }

 private:
  Client(unsigned number, const std::vector<std::string>& directories)
      : number_(number), directories_(&directories) {}

  Result<void> commit_one(std::uint64_t i) {
    const auto& directory = (*directories_)[(i * 31 + number_ * 7919) % directories_->size()];
    auto path =
        fmt::format("{}{}note_{}_{}.txt", directory, directory.empty() ? "" : "/", number_, i);
    auto content = fmt::format("client {} wrote note {}\n{:*<170}\n", number_, i, "");
    git_oid blob;
    TRY(check(
        git_blob_create_from_buffer(&blob, repository_.get(), content.data(), content.size())));
    while (!TRY(move_branch(path, blob))) {
    }
    return {};
  }

  // False when another client moved it first.
  Result<bool> move_branch(const std::string& path, const git_oid& blob) {
    auto branch = TRY(make<Reference>(git_reference_lookup, repository_.get(), branch_.c_str()));
    auto parent =
        TRY(make<Commit>(git_commit_lookup, repository_.get(), git_reference_target(branch.get())));
    auto before = TRY(make_tree_of(parent.get()));
    git_tree_update update{GIT_TREE_UPDATE_UPSERT, blob, GIT_FILEMODE_BLOB, path.c_str()};
    git_oid tree_id;
    TRY(check(git_tree_create_updated(&tree_id, repository_.get(), before.get(), 1, &update)));
    auto tree = TRY(make<Tree>(git_tree_lookup, repository_.get(), &tree_id));
    const git_commit* parents[] = {parent.get()};
    git_oid commit;
    TRY(check(git_commit_create(&commit, repository_.get(), nullptr, author_.get(), author_.get(),
                                nullptr, "note", tree.get(), 1, parents)));
    git_reference* moved = nullptr;
    const int code = git_reference_set_target(&moved, branch.get(), &commit, nullptr);
    git_reference_free(moved);
    if (code == GIT_EMODIFIED || code == GIT_ELOCKED) return false;
    TRY(check(code));
    return true;
  }

  static Result<Tree> make_tree_of(const git_commit* commit) {
    return make<Tree>(git_commit_tree, commit);
  }

  std::string branch_;
  unsigned number_;
  const std::vector<std::string>* directories_;
  Repository repository_;
  Signature author_;
};

// Every directory of the commit's tree.
Result<std::vector<std::string>> directories_of(const std::string& path, const std::string& start) {
  auto repository = TRY(make<Repository>(git_repository_open, path.c_str()));
  git_oid id;
  TRY(check(git_oid_fromstr(&id, start.c_str())));
  auto commit = TRY(make<Commit>(git_commit_lookup, repository.get(), &id));
  auto tree = TRY(make<Tree>(git_commit_tree, commit.get()));
  std::vector<std::string> directories{""};
  auto visit = [](const char* root, const git_tree_entry* entry, void* out) {
    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
      static_cast<std::vector<std::string>*>(out)->push_back(std::string(root) +
                                                             git_tree_entry_name(entry));
    }
    return 0;
  };
  TRY(check(git_tree_walk(tree.get(), GIT_TREEWALK_PRE, visit, &directories)));
  return directories;
}

Result<Answer> commit_files(const Arguments& arguments) {
  const auto path = TRY(arguments.text("repository"));
  const auto start = TRY(arguments.text("start"));
  const auto count = TRY(arguments.number("clients"));
  const auto commits = TRY(arguments.number("commits"));
  const bool shared = TRY(arguments.number("shared")) != 0;
  auto directories = TRY(directories_of(path, start));
  std::vector<Client> clients;
  for (unsigned i = 0; i < count; ++i) {
    auto branch = fmt::format("client-{}", shared ? 0 : i);
    clients.push_back(TRY(Client::open(path, branch, i, directories)));
    if (i == 0 || !shared) TRY(clients.back().reset(start));
  }
  Guarded<std::optional<Error>> error;
  std::latch ready(static_cast<std::ptrdiff_t>(count) + 1);
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      ready.arrive_and_wait();
      auto done = client.run(commits);
      if (!done) *error.lock() = done.error();
    });
  }
  ready.arrive_and_wait();
  Stopwatch watch;
  threads.clear();
  const double seconds = watch.seconds();
  if (auto failed = error.lock(); *failed) return Failure(**failed);
  return Answer()
      .add("seconds", seconds)
      .add("commits", count * commits)
      .add("rate", static_cast<double>(count * commits) / seconds);
}

constexpr auto kJobs = std::to_array<NamedJob>({{"commits", commit_files}});

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  git_libgit2_init();
  const int code = cairn::run_job(cairn::kJobs, {argv, static_cast<std::size_t>(argc)});
  git_libgit2_shutdown();
  return code;
}
