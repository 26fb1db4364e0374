// What an import remembers: where it lies, what it costs, and how long it is kept.

#include "data/realm/import_index.h"

#include <algorithm>
#include <fstream>

#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/import.h"
#include "data/realm/purge.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// The clock is ten minutes ahead of the disk's, so that every file has settled.
class ImportIndexTest : public ::testing::Test {
 protected:
  ImportIndexTest() {
    fs::create_directory(source);
    world.clock.advance(std::chrono::milliseconds(SystemClock().now() - world.clock.now()) + 10min);
  }

  void write_file(const std::string& path, ByteView content) {
    fs::create_directories((source / path).parent_path());
    std::ofstream(source / path, std::ios::binary) << content;
  }
  // So many in each of so many directories.
  void write_files(int directories, int files) {
    for (int i = 0; i < directories * files; ++i) {
      write_file(fmt::format("d{}/e/f{}", i % directories, i), fmt::format("content {}", i));
    }
  }
  ImportResult import() {
    Progress progress;
    return must(import_directory(world.realm, depot.id, source, {}, progress));
  }
  Bytes record_key() const {
    return records::import_key(world.realm.id(), depot.id, fs::canonical(source).string());
  }
  ImportRecord record() const {
    return ImportRecord::decode(must(world.store->kv().get(record_key())).value()).value();
  }
  void put_record(const Bytes& key, const Bytes& value) {
    world.plant(Table::kPointers, key, value);
  }
  std::size_t largest_record() const {
    std::size_t largest = 0;
    must(world.backend->scan(Table::kPointers, {}, Direction::kForward,
                             [&](ByteView, ByteView value) {
                               largest = std::max(largest, value.size());
                               return Scan::kContinue;
                             }));
    return largest;
  }
  std::uint64_t nodes() { return must(world.realm.usage()).node_count; }

  World world;
  DepotStory depot = world.a_depot();
  const fs::path source = world.dir / "source";
};

TEST_F(ImportIndexTest, IsNoLargeRecordWhateverTheNumberOfFiles) {
  write_files(20, 100);
  import();
  EXPECT_LT(largest_record(), 1000U);
}

TEST_F(ImportIndexTest, CostsAFewBytesForAFile) {
  write_files(5, 400);
  import();
  const auto index = must(indexed_root(world.realm.nodes(), record()));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->tree.files, 2000U);
  EXPECT_LT(index->index.bytes, 2000U * 24) << "of stamps; the rest is the tree's";
}

// For each level: the directory, its part of the index and its stamps.
TEST_F(ImportIndexTest, OfOneChangedFileIsWrittenForTheDirectoriesAboveItAlone) {
  write_files(30, 20);
  import();
  const auto before = nodes();
  write_file("d3/e/f3", "something else");
  const auto again = import();
  EXPECT_EQ(again.unchanged, again.files - 1);
  EXPECT_LE(nodes() - before, 1U + 3 * 3);
}

TEST_F(ImportIndexTest, OfADirectoryWithManyFilesIsWrittenInParts) {
  IndexedDirectory directory;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    IndexedFile file{
        .name = fmt::format("f{:06}", i), .stamp = {}, .key = {}, .type = "text/plain"};
    file.stamp.modified = 1'700'000'000'000'000'000 + i * 7'919'123;
    file.stamp.changed = file.stamp.modified + i % 1000;
    file.stamp.inode = 12'345 + static_cast<std::uint64_t>(i);
    directory.files.push_back(std::move(file));
  }
  const auto bytes_of = [](const std::vector<NodePtr>& nodes) {
    std::size_t bytes = 0;
    for (const auto& node : nodes) bytes += node->bytes().size();
    return bytes;
  };
  Stage stage(world.realm.nodes());
  const auto first = must(write_indexed(stage, directory));
  const auto all = stage.reachable(first->key());
  must(world.realm.nodes().put(all));
  directory.files[50'000].stamp.modified += 5;
  Stage second(world.realm.nodes());
  const auto again = must(write_indexed(second, directory));
  std::size_t written = 0;
  for (const auto& node : second.reachable(again->key())) {
    written += world.has(node->key()) ? 0 : node->bytes().size();
  }
  EXPECT_NE(again->key(), first->key());
  EXPECT_LT(written, bytes_of(all) / 2);
}

TEST_F(ImportIndexTest, IsKeptAsLongAsTheRecordAndCollectedAfterIt) {
  write_files(4, 10);
  import();
  write_file("d1/e/new", "1");
  import();
  world.clock.advance(48h);
  must(collect_garbage(world.realm));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
  const auto again = import();
  EXPECT_EQ(again.unchanged, again.files);
  const auto index = record().index.value();
  EXPECT_TRUE(world.has(index));
  must(world.realm.delete_depot(depot.id));
  must(collect_garbage(world.realm, {}, {.grace = 0ms}));
  EXPECT_FALSE(world.has(index));
  EXPECT_EQ(nodes(), 0U);
}

TEST_F(ImportIndexTest, GoesWithWhatIsPurged) {
  write_files(4, 10);
  import();
  const auto index = record().index.value();
  must(purge(world.realm, Place(depot.id, must(Path::parse("d2"))), {}));
  EXPECT_FALSE(must(world.store->kv().get(record_key())));
  EXPECT_FALSE(world.has(index));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// With everything in one record, under a key of its own or of the depot.
TEST_F(ImportIndexTest, OfARecordAsTheyWereOnceTheRootIsTheBaseAndAllIsReadOnce) {
  const auto of_depot = records::imports(world.realm.id(), depot.id).begin;
  for (const auto& key : {record_key(), of_depot}) {
    fs::remove_all(source);
    write_files(2, 10);
    const auto root = import().root;
    put_record(record_key(), Bytes());
    Bytes old(1, '\1');
    put_text(old, fs::canonical(source).string());
    old.append(root.bytes()).append(100'000, 'x');
    world.plant(Table::kPointers, record_key(), std::nullopt);
    put_record(key, old);

    fs::remove(source / "d1/e/f1");
    const auto again = import();
    EXPECT_EQ(again.unchanged, 0U);
    EXPECT_EQ(again.changes.removed.paths, std::vector<std::string>{"d1/e/f1"});
    EXPECT_LT(largest_record(), 1000U) << "the old one is gone";
    EXPECT_EQ(import().unchanged, again.files);
  }
}

TEST_F(ImportIndexTest, ThatIsDamagedIsReadFromTheDirectoryAgain) {
  World bare(uncached());
  auto target = bare.a_depot();
  bare.clock.advance(std::chrono::milliseconds(SystemClock().now() - bare.clock.now()) + 10min);
  write_files(3, 10);
  const auto import_there = [&] {
    Progress progress;
    return must(import_directory(bare.realm, target.id, source, {}, progress));
  };
  import_there();
  const auto found = must(load_import(bare.realm, target.id, fs::canonical(source).string()));
  const auto top = must(indexed_root(bare.realm.nodes(), found.value())).value();
  const auto below = must(read_indexed(bare.realm.nodes(), top)).value();
  bare.corrupt(below.directory("d1")->index.key);
  write_file("d1/e/new", "1");
  const auto again = import_there();
  EXPECT_EQ(again.unchanged, 20U);
  EXPECT_EQ(target.files().size(), 31U);
}

TEST_F(ImportIndexTest, OfAnImportThatBroughtNothingNewIsNotWrittenAgain) {
  write_files(3, 3);
  import();
  const auto before = world.everything();
  const auto again = import();
  EXPECT_EQ(again.unchanged, again.files);
  EXPECT_EQ(world.everything(), before);
}

}  // namespace
}  // namespace cairn::realm_testing
