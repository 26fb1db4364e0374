#!/usr/bin/env python3
"""cairn mirror --watch: changes on either side as they come, others at the store, what goes wrong.

mirror_watch_test.py CAIRN [test names…]
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import unittest

import program_test
from mirror_test import MirrorBase
from program_test import Server
from waiting import PATIENCE, ended, own_address, until


class Watching:
    """A mirror that watches, and what it printed."""

    def __init__(self, test, *words, wrap=()):
        self.test = test
        self.out = open(test.dir / "watch.out", "w+")
        self.process = subprocess.Popen(
            [*wrap, program_test.CAIRN, "mirror", str(test.here), "d", "--watch", *words, *test.way], stdout=self.out,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env={**program_test.CLEAN, **test.env})
        test.addCleanup(self.end)
        self.until("watching")

    @property
    def text(self):
        return (self.test.dir / "watch.out").read_text()

    def until(self, part):
        until(lambda: part in self.text, lambda: f"{part!r} in {self.text!r}")

    def wait(self, good):
        until(good, lambda: f"what was to come after {self.text!r}", pause=0.02)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.out.close()
        return ended(self.process)


class Watch(MirrorBase):
    def file_is(self, path, text):
        file = self.here / path
        return lambda: file.exists() and file.read_text() == text

    def test_both_directions_with_a_second_writer(self):
        self.in_step()
        watching = Watching(self)
        # The store is not locked: others read and write through it.
        self.put("theirs.txt", "1\n")
        watching.wait(self.file_is("theirs.txt", "1\n"))
        self.write("mine/deep/new.txt", "2\n")
        watching.wait(lambda: self.cat("mine/deep/new.txt") == "2\n")
        self.write("mine/deep/new.txt", "3\n")
        watching.wait(lambda: self.cat("mine/deep/new.txt") == "3\n")
        self.rm("theirs.txt")
        watching.wait(lambda: not (self.here / "theirs.txt").exists())
        shutil.rmtree(self.here / "mine")
        watching.wait(lambda: self.cat("mine/deep/new.txt") is None)
        os.rename(self.here / "docs", self.here / "papers")
        watching.wait(lambda: self.cat("papers/c.md") == "docs/c.md\n" and self.cat("docs/c.md") is None)
        # It does not see its own writes as changes: it makes no commit but those that bring something.
        log = len(self.cairn("depot", "log", "d", "--json").json["entries"])
        for i in range(4):
            (self.dir / "new").write_text(f"{i}\n")
            os.replace(self.dir / "new", self.here / "more.txt")  # never half of it
            watching.wait(lambda: self.cat("more.txt") == f"{i}\n")
        self.assertEqual(len(self.cairn("depot", "log", "d", "--json").json["entries"]), log + 4)
        self.assertEqual(watching.end(signal.SIGINT), 0)
        self.assertInStep()
        self.assertEqual(self.mirror(), ["in step"])

    def test_a_conflict_is_said_once(self):
        self.in_step()
        watching = Watching(self)
        os.kill(watching.process.pid, signal.SIGSTOP)
        self.write("a.txt", "mine\n")
        os.kill(watching.process.pid, signal.SIGCONT)
        watching.wait(lambda: self.cat("a.txt") == "mine\n")
        watching.end()
        self.write("a.txt", "mine, again\n")
        self.put("a.txt", "theirs\n")
        watching = Watching(self)
        line = "!! a.txt changed in the directory and in the depot"
        watching.until(line)
        for i in range(3):
            self.write("b.txt", f"{i}\n")
            watching.wait(lambda: self.cat("b.txt") == f"{i}\n")
        self.assertEqual(watching.text.count(line), 1)
        self.assertEqual((self.here / "a.txt").read_text(), "mine, again\n")
        # Both are equal, and it knows.
        agreed = self.state()["agreed"]["a.txt"]
        self.write("a.txt", "theirs\n")
        watching.wait(lambda: self.state()["agreed"]["a.txt"] != agreed)
        self.write("a.txt", "theirs and mine\n")
        watching.wait(lambda: self.cat("a.txt") == "theirs and mine\n")

    def test_a_burst_of_files(self):
        watching = Watching(self)
        for i in range(300):
            self.write(f"{i % 7}/{i % 11}/{i}.txt", f"{i}\n")
        watching.wait(lambda: self.run_cairn("cat", "d:5/2/299.txt").code == 0)
        watching.wait(lambda: len(self.cairn("call", "fs_find", "--args", json.dumps(
            {"nodeKey": self.root(), "pattern": "*.txt", "maxResults": 1000}), "--json").json["matches"]) == 300)
        watching.end()
        self.assertInStep()

    def test_an_emptied_or_missing_directory_deletes_nothing(self):
        self.in_step()
        watching = Watching(self)
        before = self.root()
        self.here.rename(self.dir / "elsewhere")
        watching.until("NOT_FOUND")
        self.here.mkdir()
        watching.until("PRECONDITION_FAILED")
        self.assertEqual(self.root(), before)
        self.here.rmdir()
        (self.dir / "elsewhere").rename(self.here)
        watching.until("it works again")
        self.assertEqual(watching.text.count("PRECONDITION_FAILED"), 1)
        self.write("a.txt", "after\n")
        watching.wait(lambda: self.cat("a.txt") == "after\n")
        self.assertEqual(watching.end(), 0)

    def test_a_server_that_goes_and_comes(self):
        self.in_step()
        where = f"{own_address()}:8765"
        server = Server(self.data, listen=where)
        owner, self.way = self.way, ["--server", server.url, "--token", server.token]
        watching = Watching(self)
        server.stop(signal.SIGKILL)
        self.write("a.txt", "while it was gone\n")
        watching.until("UNAVAILABLE")
        # Said once, however often it tries: three times somebody listens, and does not answer.
        with socket.create_server((own_address(), 8765)) as nobody:
            nobody.settimeout(PATIENCE)
            for _ in range(3):
                with nobody.accept()[0] as link:
                    link.recv(65536)
        said = [line for line in watching.text.splitlines() if line.endswith("trying again")]
        self.assertEqual(len(said), 2, said)
        again = Server(self.data, listen=where)
        self.addCleanup(again.stop)
        watching.until("it works again")
        watching.wait(lambda: self.cat("a.txt") == "while it was gone\n")
        self.assertEqual(watching.end(), 0)
        self.way = owner

    def test_it_takes_over_from_who_had_the_store_open(self):
        self.in_step()
        server = Server(self.data)
        watching = Watching(self)
        self.put("b.txt", "through the server\n")
        watching.wait(self.file_is("b.txt", "through the server\n"))
        server.stop()
        self.put("b.txt", "through the mirror\n")
        watching.wait(self.file_is("b.txt", "through the mirror\n"))
        self.assertEqual(watching.end(), 0)

    def test_one_at_a_time(self):
        self.in_step()
        watching = Watching(self)
        self.mirror(code=6)
        self.assertIn("another 'cairn mirror'", self.err)
        watching.end(signal.SIGKILL)
        self.mirror()

    def test_killed_while_it_watches(self):
        self.in_step()
        watching = Watching(self)
        self.write("a.txt", "2\n")
        watching.end(signal.SIGKILL)
        self.put("b.txt", "2\n")
        self.mirror()
        self.assertInStep()

    def test_too_many_directories_to_watch(self):
        script = 'echo 5 > /proc/sys/user/max_inotify_watches && exec "$@"'
        wrap = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"]
        if subprocess.run([*wrap, "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespaces here")
        for i in range(20):
            self.write(f"{i}/x", "1\n")
        watching = Watching(self, wrap=wrap)
        watching.until("max_user_watches")
        for i in (0, 19):
            self.write(f"{i}/x", "2\n")
            watching.wait(lambda: self.cat(f"{i}/x") == "2\n")
        self.assertEqual(watching.end(), 0)

    def test_json_lines(self):
        watching = Watching(self, "--json")
        self.write("a.txt", "1\n")
        watching.wait(lambda: self.cat("a.txt") == "1\n")
        watching.until('"a.txt"')
        watching.end()
        lines = [json.loads(line) for line in watching.text.splitlines() if line.startswith("{")]
        self.assertEqual([s["path"] for s in lines[-1]["toDepot"]], ["a.txt"])


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
