#!/usr/bin/env python3
"""cairn mirror: what becomes of the directory: links, modes, files that change meanwhile, being killed.

mirror_directory_test.py CAIRN [test names…]
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time
import unittest

import program_test
from mirror_test import MirrorBase, tree
from waiting import until


class Directory(MirrorBase):
    def test_links_are_skipped_and_never_followed(self):
        (self.outside / "file").write_text("outside\n")
        (self.outside / "dir").mkdir()
        (self.here / "to-file").symlink_to(self.outside / "file")
        (self.here / "to-dir").symlink_to(self.outside / "dir")
        (self.here / "loop").symlink_to("loop")
        os.mkfifo(self.here / "pipe")
        self.write("a.txt", "a\n")
        lines = self.mirror()
        self.assertEqual(lines[0], "-> a.txt")
        self.assertEqual([line.split(" (skipped")[0] for line in lines[1:-1]],
                         ["-- loop", "-- pipe", "-- to-dir", "-- to-file"])
        self.assertEqual(sorted(self.depot()), ["a.txt"])
        # What the depot has in a link's place does not go through the link.
        before = tree(self.outside)
        self.put("to-file", "theirs\n")
        self.put("to-dir/x", "theirs\n")
        self.put("loop/y", "theirs\n")
        self.put("pipe", "theirs\n")
        lines = self.mirror()
        self.assertIn("-- to-dir (skipped: symbolic links are not followed; the depot keeps its own)", lines)
        self.assertEqual(tree(self.outside), before)
        self.assertTrue((self.here / "to-file").is_symlink())
        self.mirror("--keep", "depot")
        self.assertEqual(tree(self.outside), before)

    def test_a_link_in_the_place_of_something_is_not_a_deletion(self):
        self.write("a.txt", "a\n")
        self.write("d/x", "x\n")
        self.mirror()
        (self.outside / "x").write_text("outside\n")
        (self.here / "a.txt").unlink()
        (self.here / "a.txt").symlink_to(self.outside / "x")
        shutil.rmtree(self.here / "d")
        (self.here / "d").symlink_to(self.outside)
        self.mirror()
        self.assertEqual((self.cat("a.txt"), self.cat("d/x")), ("a\n", "x\n"))
        self.put("d/x", "theirs\n")
        self.rm("a.txt")
        self.mirror()
        self.assertEqual((self.outside / "x").read_text(), "outside\n")
        self.assertTrue((self.here / "a.txt").is_symlink())

    def test_names_a_depot_cannot_hold(self):
        for name in (b"no\xffutf8", b"~12"):
            (pathlib.Path(os.fsdecode(os.fsencode(self.here))) / os.fsdecode(name)).write_text("x")
        self.write("ok", "x")
        lines = self.mirror()
        self.assertEqual(lines[-1], "1 to the depot, 2 skipped")
        self.assertEqual(self.mirror()[-1], "2 skipped")

    def test_a_depots_file_with_the_name_of_a_leftover(self):
        name = ".cairn-mirror-0123456789ABCDEFGHJKMNPQRS"
        self.put(name, "theirs\n")
        for _ in range(3):
            self.assertEqual(self.mirror()[-1], "1 skipped")
        self.assertEqual((self.cat(name), tree(self.here)), ("theirs\n", {}))

    def test_modes_are_kept(self):
        self.write("run.sh", "1\n")
        (self.here / "run.sh").chmod(0o751)
        self.mirror()
        self.put("run.sh", "2\n")
        self.put("new.sh", "2\n")
        self.mirror()
        self.assertEqual((self.here / "run.sh").read_text(), "2\n")
        self.assertEqual((self.here / "run.sh").stat().st_mode & 0o777, 0o751)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual((self.here / "new.sh").stat().st_mode & 0o777, 0o666 & ~mask)

    def test_unchanged_files_are_not_read_again(self):
        self.write("a.txt", "aaa\n")
        old = time.time() - 100
        os.utime(self.here / "a.txt", (old, old))
        self.mirror()
        # Its time of change has to be older than file systems are coarse.
        until(lambda: self.mirror() and self.state()["seen"], pause=0.2)
        state = self.state()
        self.assertEqual(list(state["seen"]), ["a.txt"])
        # What was seen is believed: with another key in the state, the file seems to have changed.
        key = state["seen"]["a.txt"][0]
        other = key[:-2] + ("10" if key[-2:] != "10" else "20")
        state["seen"]["a.txt"][0] = other
        self.states()[0].write_text(json.dumps(state))
        self.assertEqual(self.mirror("--dry-run")[0], "-> a.txt")
        state["seen"]["a.txt"][0] = key
        self.states()[0].write_text(json.dumps(state))
        self.assertEqual(self.mirror(), ["in step"])
        # The same size and time of modification, another content.
        (self.here / "a.txt").write_text("bbb\n")
        os.utime(self.here / "a.txt", (old, old))
        self.assertEqual(self.mirror()[0], "-> a.txt")
        self.assertEqual(self.cat("a.txt"), "bbb\n")

    def test_a_file_that_is_written_to_all_the_time_is_left(self):
        self.write("log", "x" * 20_000_000)
        self.write("a.txt", "a\n")
        stop = threading.Event()

        def append():
            with open(self.here / "log", "a", buffering=1) as out:
                while not stop.is_set():
                    out.write("more\n")

        thread = threading.Thread(target=append)
        thread.start()
        try:
            lines = self.mirror(code=4)
        finally:
            stop.set()
            thread.join()
        self.assertIn("-> a.txt", lines)
        self.assertTrue(any(line.startswith("-- log (left: ") for line in lines), lines)
        self.mirror()
        self.assertInStep()

    def test_what_is_not_in_the_depots_history_is_not_overwritten(self):
        """An older store was brought back: it never had what the directory has."""
        self.write("a.txt", "1\n")
        self.write("b.txt", "1\n")
        self.mirror()
        old = str(self.dir / "old")
        self.cairn("backup", old)
        self.write("a.txt", "2, which took a day to write\n")
        self.write("c.txt", "3, which did too\n")
        self.mirror()
        shutil.rmtree(self.data)
        self.cairn("restore", old, self.data, way=[])
        self.mirror(code=4)
        self.assertEqual((self.here / "a.txt").read_text(), "2, which took a day to write\n")
        self.assertEqual((self.here / "c.txt").read_text(), "3, which did too\n")
        self.assertEqual(self.cat("c.txt"), "3, which did too\n")

    def test_the_data_directory_and_the_states_are_not_mirrored(self):
        home = self.dir / "home"
        home.mkdir()
        shutil.move(self.data, home / "data")
        self.way = ["--data", str(home / "data")]
        self.here = home
        self.write("a.txt", "a\n")
        env = {"XDG_STATE_HOME": str(home / "state")}
        for _ in range(2):
            lines = self.mirror(env=env)
        self.assertIn("-- data (skipped: it is the data directory)", lines)
        self.assertIn("-- state/cairn/mirrors (skipped: the states of mirrors are there)", lines)
        self.assertEqual(sorted(self.depot()), ["a.txt", "state", "state/cairn"])
        self.here = home / "data"
        self.mirror(code=2)

    def test_states(self):
        self.in_step()
        state = self.states()[0]
        self.assertEqual(state.stat().st_mode & 0o777, 0o600)
        other = self.dir / "own/state.json"
        self.write("a.txt", "2\n")
        self.assertEqual(self.mirror("--state", str(other), code=4)[0],
                         "!! a.txt is new in the directory and in the depot, and differs")
        self.assertTrue(other.exists())
        self.mirror("--state", str(self.here / "state.json"), code=2)
        # Of another mirror, or none at all.
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir()
        before = tree(elsewhere)
        done = self.run_cairn("mirror", str(elsewhere), "d", "--state", str(other), env=self.env)
        self.assertEqual(done.code, 2, done.err)
        state.write_text(state.read_text()[:-20])
        self.mirror(code=2)
        self.assertIn(str(state), self.err)
        self.assertEqual(tree(elsewhere), before)

    def test_wrong_words(self):
        for words, part in ((["--keep", "mine"], "--keep"), (["--to", "nowhere"], "--to"), (["--path", "x"], "--keep"),
                            (["--to", "depot", "--keep", "depot"], "leave one out"),
                            (["--watch", "--dry-run"], "--dry-run"), (["--exclude", "[a"], "PATTERN"),
                            (["--keep", "depot", "--path", "{"], "PATTERN")):
            self.mirror(*words, code=2)
            self.assertIn(part, self.err)
        self.mirror(where="nobody", code=3)
        self.mirror(where=self.root(), code=2)
        (self.dir / "file").write_text("x")
        self.assertEqual(self.run_cairn("mirror", str(self.dir / "file"), "d", env=self.env).code, 2)
        self.assertEqual(self.run_cairn("mirror", str(self.here), "d", way=["--data", str(self.dir / "none")]).code, 3)
        self.assertFalse((self.dir / "none").exists())

    def test_killed_at_any_moment_it_heals(self):
        files = 200
        generator = random.Random(7)

        def text(whose, turn, i):
            return f"{whose} {turn} {i}\n" * 500

        def theirs(turn):
            """As somebody else commits it, without a mirror."""
            source = self.dir / "source"
            for i in range(files):
                file = source / f"{i % 10}/{i}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text("theirs", turn, i))
            self.cairn("import", str(source), "other")
            other = self.cairn("depot", "show", "other", "--json").json["root"]
            change = {"nodeKey": self.root(), "entries": {"theirs": {"link": other}}}
            root = self.cairn("call", "fs_rewrite", "--args", json.dumps(change), "--json").json["newRoot"]
            self.cairn("depot", "commit", "d", root)

        killed = 0
        for turn in range(3):
            self.mirror()
            theirs(turn)
            for i in range(files):
                self.write(f"mine/{i % 10}/{i}.txt", text("mine", turn, i))
            for _ in range(5):
                process = subprocess.Popen([program_test.CAIRN, "mirror", str(self.here), "d", *self.way],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           env={**program_test.CLEAN, **self.env})
                time.sleep(generator.uniform(0.02, 0.25))
                killed += process.poll() is None
                process.kill()
                process.wait()
                for path, content in tree(self.here).items():
                    if isinstance(content, bytes) and ".cairn-mirror-" not in path:
                        self.assertEqual(len(content.splitlines()), 500, f"{path} is half a file")
        self.assertGreater(killed, 0)
        self.mirror()
        self.assertInStep()
        here = tree(self.here)
        for i in range(files):
            self.assertEqual(here[f"theirs/{i % 10}/{i}.txt"].decode(), text("theirs", 2, i))
            self.assertEqual(here[f"mine/{i % 10}/{i}.txt"].decode(), text("mine", 2, i))
        self.assertFalse([p for p in here if ".cairn-mirror-" in p])
        self.assertEqual(self.mirror(), ["in step"])


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
