// Fills a store for bench/scale without a tree on disk: files are made in memory and go the way of
// an import, so that ten million of them need neither inodes nor hours.
//
//   scale_store fill store=DIR files=N seed=N title=TEXT
//
// The tree is the one that bench/scale writes: a hundred files in a directory, a hundred
// directories in a directory, text of some hundred words each, none like another.
#include <array>
#include <random>

#include <sys/resource.h>

#include "data/cas/dict.h"
#include "data/cas/file.h"
#include "data/realm/import_commit.h"
#include "data/realm/import_nodes.h"
#include "data/realm/owner.h"
#include "data/store/open.h"
#include "job.h"

namespace cairn {
namespace {

constexpr std::uint64_t kFilesInADirectory = 100;
constexpr std::uint64_t kDirectoriesInADirectory = 100;

// Where the texts of all files are cut from.
std::string long_text(std::mt19937_64& dice) {
  std::array<std::string, 2000> words;
  for (auto& word : words) {
    for (auto left = 3 + dice() % 7; left > 0; --left) word += static_cast<char>('a' + dice() % 26);
  }
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += words[dice() % words.size()] + ' ';
  return text;
}

class Filler final {
 public:
  Filler(Realm& realm, ImportNodes& nodes, std::uint64_t seed)
      : realm_(realm), nodes_(nodes), sink_(nodes), seed_(seed), dice_(seed) {}

  // All files, and the directories above them; the root's entry.
  Result<EntryValue> fill(std::uint64_t files) {
    std::vector<DictEdit> tops;
    std::vector<DictEdit> leaves;
    for (std::uint64_t first = 0; first < files; first += kFilesInADirectory) {
      const auto leaf = first / kFilesInADirectory;
      leaves.push_back({fmt::format("e{:02}", leaf % kDirectoriesInADirectory),
                        TRY(leaf_directory(first, std::min(files, first + kFilesInADirectory)))});
      if (leaves.size() == kDirectoriesInADirectory || first + kFilesInADirectory >= files) {
        tops.push_back({fmt::format("d{:04}", leaf / kDirectoriesInADirectory),
                        TRY(directory(std::exchange(leaves, {})))});
      }
    }
    const auto root = TRY(directory(tops));
    TRY(sink_.flush());
    TRY(nodes_.finish());
    return root;
  }

 private:
  Result<EntryValue> leaf_directory(std::uint64_t first, std::uint64_t end) {
    std::vector<DictEdit> files;
    for (auto number = first; number < end; ++number) {
      const auto size = 150 + dice_() % 1600;
      const auto content =
          fmt::format("{} {}\n{}\n", seed_, number,
                      std::string_view(text_).substr(dice_() % (text_.size() - size), size));
      const auto node = TRY(write_file(sink_, "text/plain", content));
      files.push_back({fmt::format("f{:08}.txt", number), EntryValue::of(entry_for("", *node))});
    }
    auto made = TRY(directory(files));
    TRY(sink_.relieve());
    return made;
  }

  Result<EntryValue> directory(const std::vector<DictEdit>& entries) {
    Stage stage(realm_.nodes());
    const auto empty = empty_dict();
    TRY(stage.add(empty));
    const auto dict = TRY(dict_apply(stage, empty, entries));
    TRY(nodes_.add_directory(stage.reachable(dict->key())));
    return EntryValue::of(entry_for("", *dict));
  }

  Realm& realm_;
  ImportNodes& nodes_;
  ImportNodes::Files sink_;
  const std::uint64_t seed_;
  std::mt19937_64 dice_;
  const std::string text_ = long_text(dice_);
};

Result<Answer> fill(const Arguments& arguments) {
  Stopwatch watch;
  SystemClock clock;
  SystemRandom random;
  const auto store = TRY(open_rocks_store(TRY(arguments.text("store")), clock));
  const auto id = TRY(owner_realm(*store, clock, random));
  Realm realm(*store, id, clock, random);
  const auto title = TRY(arguments.text("title"));
  const auto depot = TRY(realm.create_depot(title));
  const Realm::Upload upload(realm);
  ImportNodes nodes(realm.nodes(), ImportNodes::Keep::kInStore);
  Filler filler(realm, nodes, TRY(arguments.number("seed")));
  const auto root = TRY(filler.fill(TRY(arguments.number("files"))));
  TRY(commit_import(
      realm, {.within = depot.id, .source = "bench/scale", .root = root.key, .message = "filled"}));
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return Answer()
      .add("import_s", watch.seconds())
      .add("import_mb", static_cast<double>(usage.ru_maxrss) / 1024)
      .add("files", root.files)
      .add("depot", depot.id.render());
}

constexpr auto kJobs = std::to_array<NamedJob>({{"fill", fill}});

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  return cairn::run_job(cairn::kJobs, {argv, static_cast<std::size_t>(argc)});
}
