// Other threads and processes that come in between.
#include <atomic>
#include <chrono>
#include <thread>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kSecret = "never to be seen";

class Races : public WorkspaceTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, Races, testing::ValuesIn(kKernels), kernel_name);

TEST_P(Races, LoseNoEdit) {
  tree.file("log", "");
  constexpr int kThreads = 4, kEdits = 50;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < kEdits; ++k) {
          const auto edited = workspace->edit("log", [](ByteView before, const std::string&) {
            return Result<Bytes>(Bytes(before) + "x");
          });
          EXPECT_TRUE(edited) << edited.error().render();
        }
      });
    }
  }
  EXPECT_EQ(tree.content("log"), std::string(kThreads * kEdits, 'x'));
}

TEST_P(Races, ShowEitherTheOldOrTheNew) {
  const std::string contents[] = {std::string(200'000, 'a'), std::string(150'000, 'b')};
  tree.file("f", contents[0]);
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(workspace->write("f", contents[i % 2]));
    stop = true;
  });
  while (!stop) {
    const auto text = read("f");
    ASSERT_TRUE(text == contents[0] || text == contents[1]) << text.substr(0, 40);
    ASSERT_EQ(list("."), "f");
  }
}

TEST_P(Races, GiveAFreeNameToOneOnly) {
  for (int round = 0; round < 100; ++round) {
    tree.file("a", "a");
    tree.file("b", "b");
    std::atomic<int> moved = 0;
    {
      std::vector<std::jthread> threads;
      for (const auto* source : {"a", "b"}) {
        threads.emplace_back([&, source] {
          // Another workspace: nothing of this process keeps them apart.
          const auto other = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
          const auto result = other->move(source, "c");
          if (result) ++moved;
          if (!result) {
            EXPECT_EQ(outcome(result), "TARGET_EXISTS");
          }
        });
      }
    }
    ASSERT_EQ(moved, 1);
    ASSERT_TRUE(tree.has("a") || tree.has("b"));
    fs::remove(tree.at("c"));
    fs::remove(tree.at("a"));
    fs::remove(tree.at("b"));
  }
}

// A directory and a link to outside change places all the time; so do a file and a link.
class Swapper final {
 public:
  Swapper(const TempTree& tree, long times, std::chrono::seconds longest)
      : tree_(tree), thread_([this, times, longest] { run(times, longest); }) {}

  bool done() const { return done_; }
  long swaps() const { return swaps_; }

 private:
  void run(long times, std::chrono::seconds longest) {
    const os::Handle root(::open(tree_.root().c_str(), O_PATH | O_DIRECTORY));
    const auto end = std::chrono::steady_clock::now() + longest;
    for (long i = 0; i < times; ++i) {
      ::renameat2(root.fd(), "d", root.fd(), "d2", RENAME_EXCHANGE);
      ::renameat2(root.fd(), "f", root.fd(), "f2", RENAME_EXCHANGE);
      ++swaps_;
      if (i % 256 != 0) continue;
      plant_again(root.fd());
      if (std::chrono::steady_clock::now() > end) break;
    }
    done_ = true;
  }

  // A write puts a file where the link was: then there is no link any more.
  static void plant_again(int root) {
    ::symlinkat("../outside/secret", root, "f3");
    ::renameat(root, "f3", root, "f2");
  }

  const TempTree& tree_;
  std::atomic<bool> done_ = false;
  std::atomic<long> swaps_ = 0;
  std::jthread thread_;
};

struct Tally {
  std::atomic<long> served = 0, refused = 0;

  template <typename T>
  void count(const Result<T>& result) {
    ++(result ? served : refused);
    if (result) return;
    EXPECT_THAT(result.error().message, Not(HasSubstr(kSecret)));
    EXPECT_THAT(result.error().message, Not(HasSubstr("/outside")));
  }
};

void read_all(const Workspace& workspace, Tally& tally) {
  for (const auto* path : {"d/secret", "f", "d/sub/secret"}) {
    const auto file = workspace.open_file(path);
    tally.count(file);
    if (!file) continue;
    std::string room(100, '\0');
    ASSERT_TRUE((*file)->read(0, room));
    ASSERT_THAT(room, Not(HasSubstr(kSecret)));
    ASSERT_THAT((*file)->place(), Not(HasSubstr("/outside")));
  }
  const auto info = workspace.info("d/secret");
  tally.count(info);
  if (info) {
    ASSERT_NE(info->info.size, std::string_view(kSecret).size());
  }
}

void list_all(const Workspace& workspace, Tally& tally) {
  for (const auto* path : {"d", "d/sub"}) {
    const auto directory = workspace.open_directory(path);
    tally.count(directory);
    if (!directory) continue;
    const auto entries = (*directory)->entries();
    ASSERT_TRUE(entries);
    for (const auto& entry : *entries) ASSERT_NE(entry.name, "only-outside");
    const auto file = (*directory)->open("secret");
    if (!file) continue;
    std::string room(100, '\0');
    ASSERT_TRUE((*file)->read(0, room));
    ASSERT_THAT(room, Not(HasSubstr(kSecret)));
  }
  const auto top = workspace.open_directory(".");
  ASSERT_TRUE(top);
  tally.count((*top)->enter("d"));
  tally.count((*top)->info("d"));
}

void change_all(Workspace& workspace, Tally& tally) {
  tally.count(workspace.write("d/new", "inside"));
  tally.count(workspace.write("d/sub/secret", "inside"));
  tally.count(workspace.write("f", "inside"));
  tally.count(workspace.edit("d/secret", [](ByteView before, const std::string&) {
    EXPECT_THAT(Bytes(before), Not(HasSubstr(kSecret)));
    return Result<Bytes>(Bytes(before.substr(0, 6)) + "!");
  }));
  tally.count(workspace.make_directory("d/made/deep"));
  tally.count(workspace.move("d/new", "d/moved"));
  tally.count(workspace.copy("d/secret", "d/copied"));
  tally.count(workspace.copy("d/sub", "copied-sub"));
  for (const auto* path : {"d/moved", "d/copied", "copied-sub", "d/made"})
    tally.count(workspace.remove(path, true));
}

TEST_P(Races, WithALinkToOutsideLeakNothing) {
  for (const auto* where : {"../outside", "d"}) {
    const bool outside = std::string_view(where) != "d";
    const std::string content = outside ? kSecret : "inside";
    for (const auto* name : {"secret", "sub/secret", "moved", "copied"})
      tree.file(fs::path(where) / name, content);
    tree.file(fs::path(where) / (outside ? "only-outside" : "only-inside"), content);
  }
  tree.link("../outside", "d2");
  tree.file("f", "inside");
  tree.link("../outside/secret", "f2");
  const auto before = tree.picture("../outside");
  const bool whole = GetParam().kernel.openat2 && GetParam().kernel.proc;
  const long times = kSanitized ? 50'000 : whole ? 1'000'000 : 100'000;
  Tally reads, lists, changes;
  Swapper swapper(tree, times, kSanitized ? 20s : 60s);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      while (!swapper.done()) read_all(*workspace, reads);
    });
    threads.emplace_back([&] {
      while (!swapper.done()) list_all(*workspace, lists);
    });
    threads.emplace_back([&] {
      while (!swapper.done()) change_all(*workspace, changes);
    });
  }
  EXPECT_EQ(tree.picture("../outside"), before);
  for (const auto& line : tree.picture(".")) EXPECT_THAT(line, Not(HasSubstr(kSecret)));
  // Else there was no race.
  for (const auto* tally : {&reads, &lists, &changes}) {
    EXPECT_GT(tally->served, 20);
    EXPECT_GT(tally->refused, 20);
  }
  RecordProperty("swaps", std::to_string(swapper.swaps()));
  std::printf("%ld swaps; served %ld + %ld + %ld, refused %ld + %ld + %ld\n", swapper.swaps(),
              reads.served.load(), lists.served.load(), changes.served.load(), reads.refused.load(),
              lists.refused.load(), changes.refused.load());
}

}  // namespace
}  // namespace cairn
