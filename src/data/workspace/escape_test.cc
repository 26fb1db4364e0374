// Every way out of a workspace that is known, tried with every operation.
//
// A test of a wall must do no harm where the wall is broken: whatever changes something is aimed at
// the test's own directory only, also by way of /proc. What else the machine has is only read.
#include <optional>
#include <span>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "never to be seen";

// The outcome of each operation: `ok` or the name of a code.
struct Outcomes {
  std::string read, list, info, write, edit, mkdir, move_from, move_to, copy_from, copy_to, remove;

  static Outcomes all(const std::string& o) { return {o, o, o, o, o, o, o, o, o, o, o}; }
  // Those that take the last link itself can have it.
  static Outcomes of_link(const std::string& o) {
    return {o, o, o, o, o, o, "ok", "TARGET_EXISTS", o, "TARGET_EXISTS", "ok"};
  }
  static Outcomes of_file() {
    return {"ok", "NOT_A_DIRECTORY", "ok", "ok", "ok", "TARGET_EXISTS", "ok", "TARGET_EXISTS",
            "ok", "TARGET_EXISTS",   "ok"};
  }
  static Outcomes of_directory() {
    return {
        "NOT_A_FILE",    "ok", "ok", "NOT_A_FILE", "NOT_A_FILE", "ok", "ok", "TARGET_EXISTS", "ok",
        "TARGET_EXISTS", "ok"};
  }
  static Outcomes of_device() {
    return {"NOT_A_FILE",       "NOT_A_DIRECTORY", "ok", "NOT_A_FILE",
            "NOT_A_FILE",       "TARGET_EXISTS",   "ok", "TARGET_EXISTS",
            "INVALID_ARGUMENT", "TARGET_EXISTS",   "ok"};
  }
  // A name that is free: what makes something there works.
  static Outcomes of_nothing() {
    const std::string none = "PATH_NOT_FOUND";
    return {none, none, none, "ok", none, "ok", none, "ok", none, "ok", none};
  }
  // Nor is its directory there.
  static Outcomes of_nothing_in_nothing() {
    auto outcomes = all("PATH_NOT_FOUND");
    outcomes.mkdir = "ok";
    return outcomes;
  }
};

struct Row {
  std::string path;
  Outcomes outcomes;
};

struct Operation {
  const char* name;
  std::string Outcomes::* expected;
  Result<void> (*run)(Workspace&, const std::string& path);
};

template <typename T>
Result<void> only_whether(const Result<T>& result) {
  if (result) return {};
  return Failure(result.error());
}

Result<void> read_it(Workspace& workspace, const std::string& path) {
  const auto file = TRY(workspace.open_file(path));
  std::string room(100, '\0');
  room.resize(TRY(file->read(0, room)));
  EXPECT_THAT(room, Not(HasSubstr(kSecret))) << path;
  return {};
}

Result<void> list_it(Workspace& workspace, const std::string& path) {
  const auto directory = TRY(workspace.open_directory(path));
  for (const auto& entry : TRY(directory->entries())) EXPECT_NE(entry.name, "secret") << path;
  return {};
}

Result<void> edit_it(Workspace& workspace, const std::string& path) {
  return only_whether(workspace.edit(path, [&](ByteView before, const std::string&) {
    EXPECT_THAT(Bytes(before), Not(HasSubstr(kSecret))) << path;
    return Result<Bytes>("edited");
  }));
}

const Operation kOperations[] = {
    {"read", &Outcomes::read, read_it},
    {"list", &Outcomes::list, list_it},
    {"info", &Outcomes::info,
     [](Workspace& w, const std::string& path) { return only_whether(w.info(path)); }},
    {"write", &Outcomes::write,
     [](Workspace& w, const std::string& path) { return only_whether(w.write(path, "new")); }},
    {"edit", &Outcomes::edit, edit_it},
    {"mkdir", &Outcomes::mkdir,
     [](Workspace& w, const std::string& path) { return only_whether(w.make_directory(path)); }},
    {"move from", &Outcomes::move_from,
     [](Workspace& w, const std::string& path) { return only_whether(w.move(path, "to")); }},
    {"move to", &Outcomes::move_to,
     [](Workspace& w, const std::string& path) { return only_whether(w.move("spare", path)); }},
    {"copy from", &Outcomes::copy_from,
     [](Workspace& w, const std::string& path) { return only_whether(w.copy(path, "to")); }},
    {"copy to", &Outcomes::copy_to,
     [](Workspace& w, const std::string& path) { return only_whether(w.copy("spare", path)); }},
    {"remove", &Outcomes::remove,
     [](Workspace& w, const std::string& path) { return only_whether(w.remove(path, true)); }},
};

constexpr std::size_t kReading = 3;

void bind_socket(const std::string& path) {
  // The address of a socket is short; the path of a test's directory may not be.
  const auto here = fs::current_path();
  fs::current_path(fs::path(path).parent_path());
  const os::Handle socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  fs::path(path).filename().string().copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  fs::current_path(here);
}

class Escapes : public testing::TestWithParam<KernelCase> {
 protected:
  static void plant(const TempTree& tree) {
    tree.file("../outside/secret", kSecret);
    tree.file("../root-evil/secret", kSecret);
    tree.file("file", "inside");
    tree.file("spare", "spare");
    tree.file("dir/in", "inside");
    tree.link("../outside/secret", "out-file");
    tree.link("../outside", "out-dir");
    tree.link("../../outside", "dir/out-dir");
    tree.link(tree.outside(), "out-absolute");
    tree.link("chain-2", "chain");
    tree.link("dir/../chain-3", "chain-2");
    tree.link("out-dir", "chain-3");
    tree.link("../outside/none", "out-dangling");
    tree.link("../root-evil", "sibling");
    tree.link("loop-b", "loop-a");
    tree.link("loop-a", "loop-b");
    tree.link("none", "dangling");
    tree.link(tree.at("dir"), "in-absolute");
    tree.link("dir", "in-relative");
    tree.link("dir/../in-relative/../dir/.", "in-round");
    tree.link("../root/dir", "in-by-name");
    tree.link("../outside/../root/dir", "in-by-outside");
    tree.link("dir/in", "in-file");
    tree.link("/proc/self/root" + tree.outside(), "proc-root");
    tree.link("/proc/self/fd", "proc-fd");
    EXPECT_EQ(::mkfifo(tree.at("pipe").c_str(), 0666), 0);
    bind_socket(tree.at("socket"));
  }

  void try_all(const Row& row) { try_each(row, kOperations); }
  // For what is not the test's own.
  void try_reading(const Row& row) { try_each(row, std::span(kOperations).first(kReading)); }

  void try_each(const Row& row, std::span<const Operation> operations) {
    for (const auto& operation : operations) {
      SCOPED_TRACE(std::string(operation.name) + " " + row.path.substr(0, 100));
      if (!tree_) plant(tree_.emplace());
      // An operation that failed has changed nothing; after any other the tree is made anew.
      if (!try_one(row, operation, *tree_)) tree_.reset();
    }
  }

  // Whether it was refused.
  bool try_one(const Row& row, const Operation& operation, const TempTree& tree) const {
    const auto outside = tree.picture("../outside"), evil = tree.picture("../root-evil");
    const auto inside = tree.picture(".");
    const auto path = filled(row.path, tree);
    const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
    const auto result = operation.run(*workspace, path);
    EXPECT_EQ(outcome(result), row.outcomes.*operation.expected)
        << (result ? "" : result.error().message);
    EXPECT_EQ(tree.picture("../outside"), outside);
    EXPECT_EQ(tree.picture("../root-evil"), evil);
    if (result) return false;
    EXPECT_EQ(tree.picture("."), inside);
    EXPECT_THAT(result.error().message, Not(HasSubstr(kSecret)));
    // Where a link leads is not told, nor what is there.
    if (!path.contains("outside")) {
      EXPECT_THAT(result.error().message, Not(HasSubstr("/outside")));
      EXPECT_THAT(detail_of(result.error(), "place"), Not(HasSubstr("/outside")));
    }
    return true;
  }

  static std::string filled(std::string path, const TempTree& tree) {
    if (path.starts_with("$root")) path.replace(0, 5, tree.root());
    if (const auto top = path.find("$top"); top != path.npos) path.replace(top, 4, tree.top());
    return path;
  }

  std::optional<TempTree> tree_;
};
INSTANTIATE_TEST_SUITE_P(Kernels, Escapes, testing::ValuesIn(kKernels), kernel_name);

TEST_P(Escapes, ByTheirNamesAreOutside) {
  using namespace std::string_literals;
  for (const auto& path : {".."s,
                           "../"s,
                           "../outside/secret"s,
                           "dir/../../outside/secret"s,
                           "$top"s,
                           "$top/outside"s,
                           "$top/outside/secret"s,
                           "/$top/outside/secret"s,
                           "$root/../outside/secret"s,
                           "$root/dir/../../outside/none"s,
                           "../root-evil/secret"s,
                           "$root-evil/secret"s,
                           "$root-evil"s,
                           "/proc/self/root$top/outside/secret"s,
                           "file\0"s,
                           "file\0/../dir"s,
                           "\0"s,
                           "C:\\Windows"s,
                           "c:/x"s,
                           "C:"s,
                           "z:\\..\\x"s}) {
    try_all({path, Outcomes::all("PATH_OUTSIDE")});
  }
}

TEST_P(Escapes, IntoTheRestOfTheMachineAreOutside) {
  for (const auto* path : {"/", "/etc/passwd", "//etc/passwd", "/proc/self/root/etc/passwd",
                           "/proc/self/cwd", "/dev/null", "proc-fd", "proc-fd/0"}) {
    try_reading({path, Outcomes::all("PATH_OUTSIDE")});
  }
}

TEST_P(Escapes, ByALinkOnTheWayAreOutside) {
  for (const auto* path :
       {"out-dir/secret", "out-dir/none", "out-dir/none/none", "out-file/x", "dir/out-dir/secret",
        "out-absolute/secret", "chain/secret", "out-dangling/x", "sibling/secret",
        "in-relative/out-dir/secret", "in-absolute/out-dir/none", "in-by-outside/out-dir/secret",
        "proc-root/secret", "proc-root/none", "$root/out-dir/secret"}) {
    try_all({path, Outcomes::all("PATH_OUTSIDE")});
  }
}

TEST_P(Escapes, ByALinkAtTheEndAreOutside) {
  for (const auto* path : {"out-file", "out-dir", "out-dir/", "dir/out-dir", "out-absolute",
                           "chain", "out-dangling", "sibling", "proc-root", "in-round/out-dir"}) {
    try_all({path, Outcomes::of_link("PATH_OUTSIDE")});
  }
}

TEST_P(Escapes, ThatAreNoneAreServed) {
  for (const auto* path : {"file", "$root/file", "dir/../file", "dir/in", "in-absolute/in",
                           "in-relative/in", "in-round/in", "in-by-name/in", "in-by-outside/in"}) {
    try_all({path, Outcomes::of_file()});
  }
  try_all({"dir", Outcomes::of_directory()});
  // A link to a file: what replaces or removes takes the link, what reads or writes the file.
  try_all({"in-file", Outcomes::of_file()});
  auto directory = Outcomes::of_directory();
  for (const auto* path : {"in-absolute", "in-relative", "in-round", "in-by-name"})
    try_all({path, directory});
  for (const auto* path :
       {"..\\outside\\secret", "\\\\server\\share", "%2e%2e", "~x", "...", "new"})
    try_all({path, Outcomes::of_nothing()});
  for (const auto* path : {"%2e%2e/outside/secret", "..%2foutside/secret", "new/new"})
    try_all({path, Outcomes::of_nothing_in_nothing()});
}

TEST_P(Escapes, ByLinksThatLeadNowhere) {
  try_all({"dangling", Outcomes::of_link("PATH_NOT_FOUND")});
  try_all({"dangling/x", Outcomes::all("PATH_NOT_FOUND")});
  try_all({"loop-a", Outcomes::of_link("INVALID_PATH")});
  try_all({"loop-a/x", Outcomes::all("INVALID_PATH")});
  TempTree tree;
  plant(tree);
  const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
  EXPECT_EQ(detail_of(workspace->info("loop-a").error(), "errno"), "ELOOP");
}

TEST_P(Escapes, ByDevicesPipesAndSockets) {
  try_all({"pipe", Outcomes::of_device()});
  try_all({"socket", Outcomes::of_device()});
  try_all({"pipe/x", Outcomes::all("NOT_A_DIRECTORY")});
}

TEST_P(Escapes, IntoADevice) {
  TempTree tree;
  if (::mknod(tree.at("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
    GTEST_SKIP() << "devices cannot be made here";
  const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
  EXPECT_EQ(outcome(workspace->open_file("null")), "NOT_A_FILE");
  EXPECT_EQ(outcome(workspace->write("null", "x")), "NOT_A_FILE");
  EXPECT_EQ(outcome(edit_it(*workspace, "null")), "NOT_A_FILE");
  EXPECT_EQ(outcome(workspace->copy("null", "copy")), "INVALID_ARGUMENT");
  EXPECT_EQ(workspace->info("null")->info.kind, WorkKind::kOther);
  EXPECT_TRUE(fs::is_character_file(tree.at("null")));
}

TEST_P(Escapes, ByLength) {
  try_all({std::string(256, 'n'), Outcomes::all("INVALID_PATH")});
  try_all({"none/" + std::string(256, 'n'), Outcomes::all("INVALID_PATH")});
  try_all({std::string(255, 'n'), Outcomes::of_nothing()});
  try_all({std::string(5000, '/'), Outcomes::all("INVALID_PATH")});
  std::string parts;
  while (parts.size() < 5000) parts += "d/";
  try_all({parts, Outcomes::all("INVALID_PATH")});
}

TEST_P(Escapes, ByThePathThatIsJustNotTooLong) {
  TempTree tree;
  const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
  auto path = tree.root();
  while (path.size() + 201 < kMaxPath) path += "/" + std::string(200, 'd');
  ASSERT_TRUE(workspace->make_directory(path));
  path += "/" + std::string(kMaxPath - path.size() - 1, 'f');
  ASSERT_EQ(path.size(), 4096U);
  EXPECT_EQ(outcome(workspace->open_file(path)), "PATH_NOT_FOUND");
  EXPECT_TRUE(workspace->write(path, "long"));
  EXPECT_EQ((*workspace->open_file(path))->info().size, 4U);
  EXPECT_EQ(outcome(workspace->write(path + "f", "long")), "INVALID_PATH");
  EXPECT_TRUE(workspace->remove(std::string(200, 'd'), true));
}

TEST_P(Escapes, TellNothingOfWhatIsOutside) {
  TempTree tree;
  plant(tree);
  const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
  const auto said = [&](const std::string& path) {
    auto message = workspace->info(path).error().render();
    return message.replace(message.find(path), path.size(), "…");
  };
  EXPECT_EQ(said("out-dir/secret"), said("out-dir/none"));
  EXPECT_EQ(said("out-file"), said("out-dangling"));
  EXPECT_EQ(said("out-file/x"), said("out-dir/secret"));
}

TEST_P(Escapes, AreCalledWhatTheReferenceServerCallsThem) {
  TempTree tree;
  plant(tree);
  const auto workspace = open_workspace({tree.root()}, {.kernel = GetParam().kernel});
  const auto said = [&](const std::string& path) { return workspace->info(path).error().message; };
  EXPECT_EQ(said("/etc/./passwd"),
            "Access denied - path outside allowed directories: /etc/passwd not in " + tree.root());
  EXPECT_EQ(said("../x"), "Access denied - path outside allowed directories: " + tree.top() +
                              "/x not in " + tree.root());
  EXPECT_EQ(said("C:\\x"), "Access denied - Windows-style path received on a POSIX host: C:\\x");
  EXPECT_EQ(said("out-dir/x"), "Access denied - symlink target outside allowed directories: " +
                                   tree.at("out-dir/x") + " not in " + tree.root());
}

}  // namespace
}  // namespace cairn
