#!/usr/bin/env python3
"""cairn mirror: what goes where, what is a conflict, and that nothing is lost.

mirror_test.py CAIRN [test names…]
"""

import json
import os
import pathlib
import random
import shutil
import sys
import threading
import time
import unittest

import program_test
from program_test import Base, Server


class MirrorBase(Base):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": str(self.dir / "state")}
        self.here = self.dir / "here"
        self.here.mkdir()
        self.outside = self.dir / "outside"
        self.outside.mkdir()
        self.cairn("depot", "create", "d")

    def mirror(self, *words, code=0, where="d", env=None):
        """The lines it prints, the last of which counts; fails unless it ends with the code."""
        done = self.run_cairn("mirror", str(self.here), where, *words, env={**self.env, **(env or {})})
        self.assertEqual(done.code, code, f"mirror {words}: {done.text}{done.err}")
        self.err = done.err
        return done.text.splitlines()

    def write(self, path, text):
        file = self.here / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def put(self, path, text):
        self.cairn("put", "-", f"d:{path}", given=text.encode())

    def rm(self, *paths):
        self.cairn("rm", f"d:{paths[0]}", *paths[1:])

    def root(self):
        return self.cairn("depot", "show", "d", "--json").json["root"]

    def cat(self, path):
        done = self.run_cairn("cat", f"d:{path}")
        return done.text if done.code == 0 else None

    def depot(self, where="d"):
        """All of it, as a directory has it."""
        target = self.dir / f"exported{random.random()}"
        self.cairn("export", where, str(target))
        self.addCleanup(shutil.rmtree, target, ignore_errors=True)
        return tree(target)

    def assertInStep(self, where="d"):
        self.assertEqual(tree(self.here), self.depot(where))

    def states(self):
        return sorted((self.dir / "state/cairn/mirrors").glob("*.json"))

    def state(self):
        return json.loads(self.states()[0].read_text())

    def in_step(self):
        """Both sides with a.txt, b.txt and docs/c.md, and a state that says so."""
        for path in ("a.txt", "b.txt", "docs/c.md"):
            self.write(path, f"{path}\n")
        self.mirror()


def tree(root):
    """Paths and contents; links by where they lead."""
    out = {}
    for top, directories, files in os.walk(root):
        for name in directories + files:
            path = pathlib.Path(top, name)
            key = str(path.relative_to(root))
            out[key] = (f"link to {os.readlink(path)}" if path.is_symlink() else
                        "directory" if path.is_dir() else path.read_bytes())
    return out


class Common:
    """What has to be the same on a data directory and through a server."""

    def test_both_directions(self):
        self.write("a.txt", "mine\n")
        self.write("docs/ünï.md", "grüße\n")
        (self.here / "empty").mkdir()
        self.put("b.txt", "theirs\n")
        self.put("src/deep/er/x.c", "int x;\n")
        self.assertEqual(self.mirror(), ["-> a.txt", "<- b.txt", "-> docs/ünï.md", "-> empty/", "<- src/deep/er/x.c",
                                         "3 to the depot, 2 to the directory"])
        self.assertInStep()
        before = self.root()
        self.assertEqual(self.mirror(), ["in step"])
        self.assertEqual(self.root(), before)
        self.write("a.txt", "mine, again\n")
        self.put("b.txt", "theirs, again\n")
        self.assertEqual(self.mirror(), ["-> a.txt", "<- b.txt", "1 to the depot, 1 to the directory"])
        self.assertInStep()
        self.assertEqual(self.cat("a.txt"), "mine, again\n")

    def test_deletions(self):
        self.in_step()
        (self.here / "a.txt").unlink()
        self.rm("docs")
        self.assertEqual(self.mirror(), ["-> a.txt (deleted)", "<- docs/c.md (deleted)",
                                         "1 to the depot, 1 to the directory"])
        self.assertEqual(tree(self.here), {"b.txt": b"b.txt\n"})
        self.assertInStep()
        self.assertEqual(self.mirror(), ["in step"])

    def test_one_round_is_one_commit(self):
        self.in_step()
        before = len(self.cairn("depot", "log", "d", "--json").json["entries"])
        for i in range(20):
            self.write(f"more/{i}.txt", f"{i}\n")
        (self.here / "a.txt").unlink()
        self.mirror("-m", "twenty and one")
        entries = self.cairn("depot", "log", "d", "--json").json["entries"]
        self.assertEqual(len(entries), before + 1)
        self.assertEqual(entries[0]["message"], "twenty and one")

    def test_conflicts_stay_until_somebody_decides(self):
        self.in_step()
        self.write("a.txt", "mine\n")
        self.put("a.txt", "theirs\n")
        self.write("b.txt", "mine\n")
        self.rm("b.txt")
        (self.here / "docs/c.md").unlink()
        self.put("docs/c.md", "theirs\n")
        self.write("new.txt", "mine\n")
        expected = ["!! a.txt changed in the directory and in the depot",
                    "!! b.txt changed in the directory, deleted in the depot",
                    "!! docs/c.md changed in the depot, deleted in the directory"]
        self.assertEqual(self.mirror(code=4), ["-> new.txt", *expected, "1 to the depot, 3 conflicts"])
        self.assertIn("--keep", self.err)
        for _ in range(2):
            self.assertEqual(self.mirror(code=4), [*expected, "3 conflicts"])
        self.assertEqual((self.here / "a.txt").read_text(), "mine\n")
        self.assertEqual((self.here / "b.txt").read_text(), "mine\n")
        self.assertFalse((self.here / "docs/c.md").exists())
        self.assertEqual((self.cat("a.txt"), self.cat("b.txt"), self.cat("docs/c.md")),
                         ("theirs\n", None, "theirs\n"))
        # One is decided for one side, one for the other, one by hand.
        self.assertEqual(self.mirror("--keep", "depot", "--path", "*.md", code=4)[0], "<- docs/c.md")
        self.assertEqual(self.mirror("--keep", "directory", "--path", "b.*", code=4)[0], "-> b.txt")
        self.write("a.txt", "theirs\n")
        self.assertEqual(self.mirror(), ["in step"])
        self.assertInStep()
        self.assertEqual(self.cat("b.txt"), "mine\n")

    def test_keep_decides_all_of_them(self):
        for side, text in (("directory", "mine\n"), ("depot", "theirs\n")):
            with self.subTest(side):
                self.write("a.txt", f"{side}\n")
                self.write("p/x", f"{side}\n")
                self.mirror()
                self.write("a.txt", "mine\n")
                self.put("a.txt", "theirs\n")
                shutil.rmtree(self.here / "p")
                self.write("p", "mine\n")
                self.put("p/x", "theirs\n")
                self.assertEqual(self.mirror(code=4)[:2],
                                 ["!! a.txt changed in the directory and in the depot",
                                  "!! p is a file in the directory and a directory in the depot"])
                self.mirror("--keep", side)
                self.assertInStep()
                self.assertEqual(self.cat("a.txt"), text)
                self.assertEqual((self.here / "p").is_file(), side == "directory")
                self.cairn("rm", "d:p", "a.txt")
                self.mirror("--allow-empty")

    def test_the_first_time_nothing_is_deleted(self):
        self.write("same.txt", "same\n")
        self.put("same.txt", "same\n")
        self.write("differs.txt", "mine\n")
        self.put("differs.txt", "theirs\n")
        self.write("mine/a", "a\n")
        self.put("theirs/b", "b\n")
        self.assertEqual(self.mirror(code=4), ["-> mine/a", "<- theirs/b", "!! differs.txt is new in the directory "
                                               "and in the depot, and differs",
                                               "1 to the depot, 1 to the directory, 1 conflict"])

    def test_a_lost_state_deletes_nothing(self):
        self.in_step()
        (self.here / "a.txt").unlink()
        self.rm("b.txt")
        self.write("docs/c.md", "mine\n")
        for file in self.states():
            file.unlink()
        self.assertEqual(self.mirror(code=4), ["<- a.txt", "-> b.txt", "!! docs/c.md is new in the directory and in "
                                               "the depot, and differs",
                                               "1 to the depot, 1 to the directory, 1 conflict"])

    def test_a_file_for_a_directory(self):
        self.write("p/x", "1\n")
        self.write("q", "2\n")
        self.mirror()
        shutil.rmtree(self.here / "p")
        self.write("p", "a file now\n")
        self.cairn("rm", "d:q")
        self.put("q/y", "a directory now\n")
        self.mirror()
        self.assertEqual(tree(self.here), {"p": b"a file now\n", "q": "directory", "q/y": b"a directory now\n"})
        self.assertInStep()
        self.assertEqual(self.mirror(), ["in step"])

    def test_one_direction(self):
        self.in_step()
        self.write("a.txt", "mine\n")
        self.write("c.txt", "mine\n")
        self.put("b.txt", "theirs\n")
        self.put("c.txt", "theirs\n")
        self.rm("docs/c.md")
        before = tree(self.here)
        lines = self.mirror("--to", "depot", code=4)
        self.assertEqual(lines, ["-> a.txt", "!! c.txt is new in the directory and in the depot, and differs",
                                 "-- b.txt (not taken over: changed in the depot)",
                                 "-- docs/c.md (not taken over: deleted in the depot)",
                                 "1 to the depot, 1 conflict, 2 not taken over"])
        self.assertEqual(tree(self.here), before)
        self.assertEqual(self.cat("b.txt"), "theirs\n")
        self.write("a.txt", "mine, again\n")
        root = self.root()
        self.assertEqual(self.mirror("--to", "directory", "--keep", "depot"),
                         ["<- b.txt", "<- c.txt", "<- docs/c.md (deleted)",
                          "-- a.txt (not taken over: changed in the directory)",
                          "3 to the directory, 1 not taken over"])
        self.assertEqual(self.root(), root)
        self.mirror()
        self.assertInStep()

    def test_excluded_is_left_alone_on_both_sides(self):
        self.write("build/x.o", "mine\n")
        self.write("keep/a.txt", "a\n")
        self.write("keep/debug.log", "mine\n")
        self.write("z", "z\n")
        self.put("theirs.log", "theirs\n")
        self.put("build/y.o", "theirs\n")
        globs = ["--exclude", "*.log", "--exclude", "build/**"]
        self.assertEqual(self.mirror(*globs), ["-> keep/a.txt", "-> z", "2 to the depot"])
        # A directory goes with what is mirrored of it, and stays with what is not.
        self.rm("keep")
        self.assertEqual(self.mirror(*globs)[0], "<- keep/a.txt (deleted)")
        self.assertEqual(self.mirror(*globs), ["in step"])
        self.assertTrue((self.here / "keep/debug.log").exists())
        self.assertEqual(sorted(self.depot()), ["build", "build/y.o", "theirs.log", "z"])
        self.write("keep/b.txt", "b\n")
        self.mirror(*globs)
        shutil.rmtree(self.here / "keep")
        self.put("keep/own.log", "theirs\n")
        self.mirror(*globs)
        self.assertEqual(sorted(self.depot()), ["build", "build/y.o", "keep", "keep/own.log", "theirs.log", "z"])

    def test_a_dry_run_changes_nothing(self):
        self.write("a.txt", "mine\n")
        self.put("b.txt", "theirs\n")
        root, here = self.root(), tree(self.here)
        self.assertEqual(self.mirror("--dry-run"), ["-> a.txt", "<- b.txt",
                                                    "dry run: 1 to the depot, 1 to the directory"])
        self.assertEqual((self.root(), tree(self.here)), (root, here))
        self.assertFalse((self.dir / "state").exists())
        self.mirror()
        self.write("a.txt", "2\n")
        self.put("a.txt", "3\n")
        state = self.states()[0].read_bytes()
        self.mirror("--dry-run", code=4)
        self.assertEqual(self.states()[0].read_bytes(), state)

    def test_a_place_in_the_depot(self):
        self.put("notes/a.md", "a\n")
        self.put("other.txt", "not mine\n")
        self.mirror(where="d/notes")
        self.assertEqual(tree(self.here), {"a.md": b"a\n"})
        self.write("b.md", "b\n")
        self.mirror(where="d:notes/")
        self.assertInStep("d:notes")
        self.assertEqual(self.cat("other.txt"), "not mine\n")
        self.assertEqual(len(self.states()), 1)
        # One that is not there yet is made.
        self.mirror(where="d/new/place")
        self.assertInStep("d:new/place")
        self.assertEqual(len(self.states()), 2)
        done = self.run_cairn("mirror", str(self.here), "d/other.txt", env=self.env)
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("NOT_A_DIRECTORY", done.err)

    def test_an_emptied_side_stops_it(self):
        self.in_step()
        for path in list(self.here.iterdir()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        before = self.root()
        self.mirror(code=4)
        self.assertIn("--allow-empty", self.err)
        self.assertEqual(self.root(), before)
        for file in self.states():
            file.unlink()
        self.mirror()
        self.rm("a.txt", "b.txt", "docs")
        self.mirror(code=4)
        self.assertIn("--allow-empty", self.err)
        self.assertEqual(len(tree(self.here)), 4)
        self.mirror("--allow-empty")
        self.assertEqual(tree(self.here), {})

    def test_a_missing_directory_stops_it(self):
        self.in_step()
        before = self.root()
        self.here.rename(self.dir / "elsewhere")
        self.mirror(code=3)
        self.assertEqual(self.root(), before)

    def test_json(self):
        self.write("a.txt", "mine\n")
        self.put("b.txt", "theirs\n")
        self.write("c.txt", "mine\n")
        self.put("c.txt", "theirs\n")
        (self.here / "l").symlink_to("a.txt")
        done = json.loads("\n".join(self.mirror("--json", code=4)))
        self.assertEqual(done["toDepot"], [{"path": "a.txt", "type": "file", "deleted": False}])
        self.assertEqual(done["toDirectory"], [{"path": "b.txt", "type": "file", "deleted": False}])
        self.assertEqual([c["path"] for c in done["conflicts"]], ["c.txt"])
        self.assertEqual([c["path"] for c in done["skipped"]], ["l"])
        self.assertEqual((done["root"], done["committed"]), (self.root(), True))

    def test_the_same_bytes_of_another_type(self):
        """A file keeps its type when it is renamed in the depot, and so has another key than its name says."""
        self.put("a.txt", "text\n")
        self.cairn("mv", "d:a.txt", "a.md")
        self.mirror()
        self.assertEqual(self.mirror(), ["in step"])
        os.utime(self.here / "a.md")
        root = self.root()
        self.assertEqual(self.mirror(), ["in step"])
        for file in self.states():
            file.unlink()
        self.assertEqual(self.mirror(), ["in step"])
        self.assertEqual(self.root(), root)

    def test_large_and_odd_files(self):
        (self.here / "big.bin").write_bytes(random.Random(1).randbytes(5_000_000))
        (self.here / "zero").write_bytes(b"")
        self.write("a b\t\"c\".txt", "x\n")
        self.write("-rf", "x\n")
        deep = "/".join(["d"] * 60) + "/x"
        self.write(deep, "deep\n")
        self.mirror()
        self.assertInStep()
        content = bytearray((self.here / "big.bin").read_bytes())
        content[2_000_000] ^= 1
        self.cairn("put", "-", "d:big.bin", given=bytes(content))
        self.mirror()
        self.assertEqual((self.here / "big.bin").read_bytes(), bytes(content))

    def test_others_commit_all_the_time(self):
        self.in_step()
        stop = threading.Event()
        theirs = []

        def commit():
            while not stop.is_set():
                self.put(f"theirs/{len(theirs)}", "x\n")
                theirs.append(len(theirs))

        server = None if "--server" in self.way else Server(self.data)
        thread = threading.Thread(target=commit)
        thread.start()
        try:
            for i in range(60):
                self.write(f"mine/{i}", f"{i}\n")
            self.mirror()
            for i in range(0, 60, 2):
                (self.here / f"mine/{i}").unlink()
            self.mirror()
        finally:
            stop.set()
            thread.join()
            if server:
                server.stop()
        self.mirror()
        self.assertInStep()
        here = tree(self.here)
        self.assertEqual(sorted(p for p in here if p.startswith("mine/")), sorted(f"mine/{i}" for i in range(1, 60, 2)))
        self.assertEqual(len([p for p in here if p.startswith("theirs/")]), len(theirs))


class OnADataDirectory(Common, MirrorBase):
    pass


class OverAServer(Common, MirrorBase):
    def setUp(self):
        super().setUp()
        self.server = Server(self.data)
        self.addCleanup(self.server.stop)
        self.way = ["--server", self.server.url, "--token", self.server.token]

    def test_delegates(self):
        self.put("notes/a.md", "a\n")
        self.put("secret.txt", "not yours\n")
        owner = self.way
        made = self.cairn("delegate", "create", "--scope", "d:notes", "--can-upload", "--json").json
        depot = self.cairn("depot", "show", "d", "--json").json["depotId"]
        self.way = ["--server", self.server.url, "--token", made["accessToken"]]
        self.mirror(where=depot)
        self.assertEqual(tree(self.here), {"a.md": b"a\n"})
        self.write("b.md", "b\n")
        self.mirror(where=depot)
        self.way = owner
        self.assertEqual((self.cat("notes/b.md"), self.cat("secret.txt")), ("b\n", "not yours\n"))
        # What others replace goes to the directory, though the delegate cannot name all that was.
        self.put("notes/a.md", "a, again\n")
        self.rm("notes/b.md")
        made_ways = ["--server", self.server.url, "--token", made["accessToken"]]
        self.way = made_ways
        self.mirror(where=depot)
        self.assertEqual(tree(self.here), {"a.md": b"a, again\n"})
        self.way = owner
        reader = self.cairn("delegate", "create", "--scope", "d:notes", "--json").json
        self.way = ["--server", self.server.url, "--token", reader["accessToken"]]
        self.write("c.md", "c\n")
        self.mirror(where=depot, code=7)
        self.assertEqual(self.mirror("--to", "directory", where=depot)[0],
                         "-- c.md (not taken over: new in the directory)")
        self.way = owner


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
