// Scopes, held against everything a delegate can think of: whatever it calls, nothing outside its
// place is shown to it or changed by it, and nothing it acknowledged inside is lost.

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "world.h"

namespace cairn::rest_testing {
namespace {

using Files = std::map<std::string, std::string>;

Files files_of(World& world, const std::string& depot) {
  Files out;
  auto found =
      world.must("fs_find", world.owner,
                 {{"nodeKey", depot}, {"pattern", "*"}, {"type", "file"}, {"maxResults", 1000}});
  for (const auto& match : found.at("matches").get_array()) {
    auto path = text(match.get_object(), "path");
    out[path] =
        text(world.must("fs_read", world.owner, {{"nodeKey", depot}, {"path", path}}), "content");
  }
  return out;
}

Files outside(const Files& files, const std::string& place) {
  Files out;
  for (const auto& [path, content] : files) {
    if (!path.starts_with(place + "/")) out[path] = content;
  }
  return out;
}

class Attack final {
 public:
  explicit Attack(unsigned seed) : dice_(seed) {
    Files files;
    // Names and contents outside the place carry a mark that no answer may show.
    for (int i = 0; i < 12; ++i) {
      auto dir = i % 3 == 0 ? "docs/in" : i % 3 == 1 ? "docs/SECRET" : "SECRETdir";
      auto name = i % 3 == 0 ? fmt::format("f{}.txt", i) : fmt::format("SECRET{}.txt", i);
      auto content = i % 3 == 0 ? fmt::format("open {}\n", i) : fmt::format("SECRET {}\n", i);
      files[fmt::format("{}/d{}/{}", dir, pick(2), name)] = content;
    }
    files["docs/in/keep.txt"] = "keep\n";
    site_ = world_.depot("site", files);
    other_ = world_.depot("SECRET depot", {{"SECRET.txt", "SECRET"}});
    token_ = text(world_.must("create_delegate", world_.owner,
                              {{"canUpload", true},
                               {"canManageDepot", true},
                               {"scope", json::Array{site_ + "/docs/in"}}}),
                  "accessToken");
    learn();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto before = outside(files_of(world_, site_), "docs/in");
      step();
      EXPECT_EQ(outside(files_of(world_, site_), "docs/in"), before) << "after: " << last_;
      EXPECT_EQ(files_of(world_, other_), (Files{{"SECRET.txt", "SECRET"}})) << "after: " << last_;
      // The owner goes on working meanwhile, outside and inside.
      if (pick(4) == 0) owner_commits();
    }
  }

 private:
  std::size_t pick(std::size_t below) { return dice_() % below; }
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[pick(all.size())];
  }

  // Every key of the realm, as if the attacker had overheard them all.
  void learn() {
    keys_ = {site_,       other_, site_ + "/docs", site_ + "/docs/in", site_ + "/SECRETdir",
             world_.realm};
    for (const auto& depot : {site_, other_}) {
      auto root = world_.root(depot);
      keys_.push_back(root);
      auto found = world_.must("fs_find", world_.owner, {{"nodeKey", depot}, {"pattern", "*"}});
      for (const auto& match : found.at("matches").get_array()) {
        keys_.push_back(text(match.get_object(), "key"));
      }
    }
  }

  std::string path() {
    static const std::vector<std::string> all{"",
                                              "keep.txt",
                                              "d0",
                                              "d1",
                                              "docs",
                                              "docs/in",
                                              "docs/SECRET",
                                              "SECRETdir",
                                              "..",
                                              "../..",
                                              "~0",
                                              "~1/~0",
                                              "../SECRETdir/d0",
                                              "/docs",
                                              "d0/../../x",
                                              "%2e%2e",
                                              "new/n.txt",
                                              "docs/in/keep.txt",
                                              "./keep.txt",
                                              "d0/f0.txt",
                                              "d1/f3.txt",
                                              "d0/f6.txt"};
    return one_of(all);
  }

  std::string key() { return pick(3) == 0 && !mine_.empty() ? one_of(mine_) : one_of(keys_); }

  void step() {
    const std::vector<std::function<void()>> moves{
        [&] { ask("fs_ls", {{"nodeKey", key()}, {"path", path()}}); },
        [&] { ask("fs_tree", {{"nodeKey", key()}, {"depth", -1}}); },
        [&] { ask("fs_read", {{"nodeKey", key()}, {"path", path()}}); },
        [&] { ask("fs_find", {{"nodeKey", key()}, {"pattern", "*"}, {"path", path()}}); },
        [&] { ask("fs_grep", {{"nodeKey", key()}, {"pattern", "."}, {"path", path()}}); },
        [&] { ask("fs_diff", {{"from", key()}, {"to", key()}, {"unified", true}}); },
        [&] { ask("node_metadata", {{"nodeKey", key()}}); },
        [&] { ask("get_node", {{"nodeKey", key()}}); },
        [&] { ask("get_depot", {{"depotId", key()}}); },
        [&] { ask("depot_history", {{"depotId", key()}}); },
        [&] { ask("list_depots", {}); },
        [&] { write("fs_write", {{"nodeKey", key()}, {"path", path()}, {"content", "mine\n"}}); },
        [&] { write("fs_rm", {{"nodeKey", key()}, {"path", path()}}); },
        [&] { write("fs_mv", {{"nodeKey", key()}, {"from", path()}, {"to", path()}}); },
        [&] { write("fs_cp", {{"nodeKey", key()}, {"from", path()}, {"to", "copy" + path()}}); },
        [&] {
          write("fs_rewrite",
                {{"nodeKey", key()},
                 {"entries", json::Object{{"linked", json::Object{{"link", key()}}}}}});
        },
        [&] { commit(); },
        [&] { commit(); },
        [&] { ask("depot_revert", {{"depotId", site_}, {"root", key()}}); },
        [&] { ask("update_depot", {{"depotId", key()}, {"title", "taken"}}); },
        [&] { ask("delete_depot", {{"depotId", key()}}); },
        [&] { ask("create_depot", {{"title", "x"}, {"root", key()}}); },
        [&] {
          ask("claim_nodes", {{"claims", json::Array{json::Object{
                                             {"key", key()}, {"from", key()}, {"path", "~0"}}}}});
        },
        [&] { ask("check_nodes", {{"keys", json::Array{key(), key()}}}); },
        [&] { child(); },
    };
    moves[pick(moves.size())]();
  }

  // Nothing that is answered may show a mark, unless the question had it.
  Answer ask(std::string_view tool, json::Object arguments) {
    last_ = fmt::format("{} {}", tool, json::write(arguments));
    auto answer = world_.call(tool, token_, arguments);
    auto body = answer.body;
    const auto question = json::write(arguments);
    if (question.find("SECRET") == std::string::npos) {
      EXPECT_EQ(body.find("SECRET"), std::string::npos) << last_ << "\n" << body;
    } else {
      EXPECT_NE(answer.code, "ok") << last_ << "\n" << body;
    }
    EXPECT_LT(answer.status, 500) << last_ << "\n" << body;
    return answer;
  }

  void write(std::string_view tool, json::Object arguments) {
    auto answer = ask(tool, std::move(arguments));
    if (answer.code == "ok") mine_.push_back(text(answer.value.get_object(), "newRoot"));
  }

  void commit() {
    json::Object arguments{{"depotId", pick(4) == 0 ? key() : site_}, {"root", key()}};
    if (pick(3) == 0) arguments["force"] = true;
    if (pick(3) == 0) arguments["expectedRoot"] = key();
    ask("depot_commit", std::move(arguments));
  }

  // A child with whatever scope it can get must not see more either; it takes over.
  void child() {
    static const std::vector<std::string> scopes{"0", "0:0", "0:1", "1", "."};
    const auto scope = pick(2) == 0 ? one_of(scopes) : key() + (pick(2) == 0 ? "" : "/" + path());
    auto answer = ask("create_delegate", {{"canUpload", true}, {"scope", json::Array{scope}}});
    if (answer.code != "ok" || scope != ".") return;
    token_ = text(answer.value.get_object(), "accessToken");
    mine_.clear();
  }

  void owner_commits() {
    const std::vector<std::string> places{"docs/in/own", "docs/SECRET/own", "SECRETdir/own"};
    auto place = one_of(places);
    auto mark = place.starts_with("docs/in") ? "open" : "SECRET";
    auto root = text(world_.must("fs_write", world_.owner,
                                 {{"nodeKey", site_},
                                  {"path", fmt::format("{}/{}.txt", place, pick(5))},
                                  {"content", fmt::format("{} {}\n", mark, pick(100))}}),
                     "newRoot");
    world_.must("depot_commit", world_.owner, {{"depotId", site_}, {"root", root}});
  }

  std::mt19937 dice_;
  World world_;
  std::string site_;
  std::string other_;
  std::string token_;
  std::vector<std::string> keys_;
  std::vector<std::string> mine_;
  std::string last_;
};

TEST(Scope, IsNeverLeftHoweverTheCallIsMade) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Attack(seed).run(120);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Scope, LetsADelegateWorkAsIfItsPlaceWereTheWholeDepot) {
  World world;
  auto site = world.depot("site", {{"docs/a.txt", "a\n"}, {"src/b.txt", "b\n"}});
  auto token = text(world.must("create_delegate", world.owner,
                               {{"canUpload", true}, {"scope", json::Array{site + "/docs"}}}),
                    "accessToken");
  EXPECT_EQ(text(world.must("fs_read", token, {{"nodeKey", site}, {"path", "a.txt"}}), "content"),
            "a\n");
  auto root =
      text(world.must("fs_write", token, {{"nodeKey", site}, {"path", "n.txt"}, {"content", "n"}}),
           "newRoot");
  // Chained on its own root, by a whole and by a short key.
  root = text(world.must("fs_write", token,
                         {{"nodeKey", root.substr(0, 20)}, {"path", "m.txt"}, {"content", "m"}}),
              "newRoot");
  auto done = world.must("depot_commit", token, {{"depotId", site}, {"root", root}});
  EXPECT_EQ(text(done, "root"), root);
  EXPECT_EQ(
      files_of(world, site),
      (Files{
          {"docs/a.txt", "a\n"}, {"docs/m.txt", "m"}, {"docs/n.txt", "n"}, {"src/b.txt", "b\n"}}));
}

TEST(Scope, MergesWithWhatOthersCommitOutsideAndInside) {
  World world;
  auto site = world.depot("site", {{"docs/a.txt", "a\n"}, {"src/b.txt", "b\n"}});
  auto token = text(world.must("create_delegate", world.owner,
                               {{"canUpload", true}, {"scope", json::Array{"0:0"}}}),
                    "accessToken");
  auto mine =
      text(world.must("fs_write", token, {{"nodeKey", site}, {"path", "n.txt"}, {"content", "n"}}),
           "newRoot");
  for (std::string path : {"src/c.txt", "docs/theirs.txt"}) {
    auto theirs = text(
        world.must("fs_write", world.owner, {{"nodeKey", site}, {"path", path}, {"content", "t"}}),
        "newRoot");
    world.must("depot_commit", world.owner, {{"depotId", site}, {"root", theirs}});
  }
  auto done = world.must("depot_commit", token, {{"depotId", site}, {"root", mine}});
  EXPECT_TRUE(done.at("merged").get_bool());
  EXPECT_EQ(json::write(done.at("fromOthers")), R"(["theirs.txt"])");
  EXPECT_EQ(files_of(world, site).size(), 5U);
}

TEST(Scope, NamesSeveralPlacesOfOneDepotByTheirAddress) {
  World world;
  auto site =
      world.depot("site", {{"docs/a.txt", "a\n"}, {"src/b.txt", "b\n"}, {"hidden/c.txt", "c\n"}});
  auto token =
      text(world.must("create_delegate", world.owner,
                      {{"canUpload", true}, {"scope", json::Array{site + "/docs", site + "/src"}}}),
           "accessToken");
  auto depots = world.must("list_depots", token, {}).at("depots").get_array();
  ASSERT_EQ(depots.size(), 2U);
  EXPECT_EQ(text(depots[0].get_object(), "depotId"), site + "/docs");
  EXPECT_EQ(world.call("fs_ls", token, {{"nodeKey", site}}).code, "INVALID_ARGUMENT");
  EXPECT_EQ(world.call("fs_ls", token, {{"nodeKey", site + "/hidden"}}).code, "DEPOT_NOT_FOUND");
  auto root = text(world.must("fs_write", token,
                              {{"nodeKey", site + "/src"}, {"path", "n.txt"}, {"content", "n"}}),
                   "newRoot");
  world.must("depot_commit", token, {{"depotId", site + "/src"}, {"root", root}});
  EXPECT_EQ(files_of(world, site).at("src/n.txt"), "n");
}

TEST(Scope, OwnsWhatItAndThoseBelowItWroteAndNothingElse) {
  World world;
  auto site = world.depot("site", {{"docs/a.txt", "a\n"}});
  auto make = [&](const std::string& parent) {
    return text(
        world.must("create_delegate", parent, {{"canUpload", true}, {"scope", json::Array{"."}}}),
        "accessToken");
  };
  auto parent = text(world.must("create_delegate", world.owner,
                                {{"canUpload", true}, {"scope", json::Array{site + "/docs"}}}),
                     "accessToken");
  auto child = make(parent);
  auto sibling = make(parent);
  auto write = [&](const std::string& who, std::string_view content) {
    return text(
        world.must("fs_write", who, {{"nodeKey", site}, {"path", "n.txt"}, {"content", content}}),
        "newRoot");
  };
  auto by_child = write(child, "child");
  auto by_parent = write(parent, "parent");
  auto code = [&](const std::string& who, const std::string& key) {
    return world.call("fs_ls", who, {{"nodeKey", key}}).code;
  };
  EXPECT_EQ(code(child, by_child), "ok");
  EXPECT_EQ(code(parent, by_child), "ok");
  EXPECT_EQ(code(world.owner, by_child), "ok");
  EXPECT_EQ(code(sibling, by_child), "NODE_NOT_AUTHORIZED");
  EXPECT_EQ(code(child, by_parent), "NODE_NOT_AUTHORIZED");
}

}  // namespace
}  // namespace cairn::rest_testing
