#!/usr/bin/env python3
"""Answers that are complete, or say how to go on: a search that finds 25,001 lines and 5,001 files
on the command line, over REST and through the cursors of MCP, each compared with a plain count.

answers_test.py CAIRN [test names…]
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mcp"))
from server import Server  # noqa: E402
from waiting import CLEAN, PATIENCE, until  # noqa: E402
from ways import ModernHttp  # noqa: E402

CAIRN = ""


def fill(root):
    """5,001 files with 25,001 lines that match, and others."""
    for number in range(5001):
        file = root / f"d{number % 40:02}" / f"{number:04}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        count = 5 if number < 5000 else 1
        file.write_text("hay\n" + "".join(f"a needle {number}.{i}\n" for i in range(count)))


def matches(root):
    """The lines that grep has to find, in the order of the tree."""
    found = []
    for file in sorted(root.rglob("*.txt"), key=lambda f: f.relative_to(root).parts):
        path = file.relative_to(root).as_posix()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if "needle" in line:
                found.append((path, number, line))
    return found


class Complete(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-answers-"))
        cls.source = cls.dir / "source"
        fill(cls.source)
        cls.lines = matches(cls.source)
        assert len(cls.lines) == 25_001
        cls.paths = sorted({path for path, _, _ in cls.lines}, key=lambda p: p.split("/"))
        cls.server = Server(CAIRN)
        cls.data = cls.server.data
        # Before the server runs: the command line has the store to itself.
        cls.cairn("import", str(cls.source), "big")
        cls.directly = {words: cls.cairn(*words).stdout.decode() for words in (
            ("grep", "needle", "big"), ("find", "big", "*.txt"), ("tree", "big", "--depth", "-1"))}
        cls.server.start()
        cls.client = cls.server.client()
        cls.depot = cls.client.call("list_depots")["depots"][0]["depotId"]

    @classmethod
    def tearDownClass(cls):
        cls.client.connection.close()
        cls.server.stop()
        shutil.rmtree(cls.data, ignore_errors=True)
        shutil.rmtree(cls.dir, ignore_errors=True)

    @classmethod
    def cairn(cls, *words, code=0):
        done = subprocess.run([CAIRN, *words, "--data", cls.data], capture_output=True, env=CLEAN,
                              timeout=PATIENCE)
        assert done.returncode == code, (words, done.returncode, done.stderr)
        return done

    def printed(self):
        return "".join(f"{path}:{number}:{line}\n" for path, number, line in self.lines)

    def test_the_command_line_prints_every_line_it_finds(self):
        self.assertEqual(self.directly["grep", "needle", "big"], self.printed())
        self.assertEqual(self.cairn("grep", "needle", "big").stdout.decode(), self.printed())
        few = self.cairn("grep", "needle", "big", "--max-count", "7").stdout.decode()
        self.assertEqual(few, "".join(self.printed().splitlines(keepends=True)[:7]))
        answer = json.loads(self.cairn("grep", "needle", "big", "--json").stdout)
        self.assertEqual(answer["matches"], 25_001)
        self.assertFalse(answer["truncated"])
        self.assertEqual(sum(len(file["lines"]) for file in answer["files"]), 25_001)
        self.cairn("grep", "no such thing", "big", code=1)

    def test_the_command_line_finds_every_file(self):
        expected = "".join(path + "\n" for path in self.paths)
        self.assertEqual(self.directly["find", "big", "*.txt"], expected)
        self.assertEqual(self.cairn("find", "big", "*.txt").stdout.decode(), expected)
        self.assertEqual(self.cairn("find", "big", "*.txt", "--max-count", "3").stdout.decode(),
                         "".join(path + "\n" for path in self.paths[:3]))
        answer = json.loads(self.cairn("find", "big", "*.txt", "--json").stdout)
        self.assertEqual([match["path"] for match in answer["matches"]], self.paths)

    def test_the_command_line_shows_the_whole_tree(self):
        shown = self.directly["tree", "big", "--depth", "-1"]
        self.assertEqual(len(shown.splitlines()), 1 + 40 + 5001)
        self.assertNotIn("…", shown)
        self.assertEqual(self.cairn("tree", "big", "--depth", "-1").stdout.decode(), shown)
        tree = json.loads(self.cairn("tree", "big", "--depth", "-1", "--json").stdout)
        self.assertFalse(tree["truncated"])
        self.assertEqual(sum(len(below["children"]) for below in tree["children"].values()), 5001)

    def rows(self, tool, **arguments):
        status, headers, body = self.client.request(
            "POST", f"/api/realm/me/tools/{tool}", json.dumps(arguments),
            {"Content-Type": "application/json", "Accept": "application/x-ndjson"})
        self.assertEqual(status, 200, body)
        self.assertEqual(headers["Content-Type"], "application/x-ndjson")
        rows = [json.loads(line) for line in body.splitlines() if line]
        return rows[:-1], rows[-1]["summary"]

    def test_rest_gives_rows_as_they_come(self):
        rows, summary = self.rows("fs_grep", nodeKey=self.depot, pattern="needle")
        self.assertEqual([(r["path"], r["line"], r["text"]) for r in rows], self.lines)
        self.assertEqual((summary["matches"], summary["truncated"]), (25_001, False))
        rows, summary = self.rows("fs_find", nodeKey=self.depot, pattern="*.txt")
        self.assertEqual([r["path"] for r in rows], self.paths)
        self.assertEqual(len(rows[0]["key"]), 56)
        rows, summary = self.rows("fs_tree", nodeKey=self.depot, depth=-1)
        self.assertEqual(summary, {"entries": 5041, "truncated": False})
        rows, summary = self.rows("fs_grep", nodeKey=self.depot, pattern="needle", maxResults=10)
        self.assertEqual((len(rows), summary["stoppedBy"]), (10, "matches"))

    def test_rest_gives_what_was_asked_for_at_once(self):
        client = self.client
        found = client.call("fs_grep", nodeKey=self.depot, pattern="needle", maxResults=100_000)
        self.assertEqual([(file["path"], line["line"], line["text"])
                          for file in found["files"] for line in file["lines"]], self.lines)
        self.assertFalse(found["truncated"])
        found = client.call("fs_find", nodeKey=self.depot, pattern="*.txt", maxResults=100_000)
        self.assertEqual([match["path"] for match in found["matches"]], self.paths)
        tree = client.call("fs_tree", nodeKey=self.depot, maxEntries=10_000)
        self.assertFalse(tree["truncated"])
        page = client.call("fs_ls", nodeKey=self.depot, path="d00", limit=1000)
        self.assertEqual(len(page["children"]), 126)

    def test_an_error_before_the_first_row_is_an_answer(self):
        for tool, arguments, code in (
                ("fs_grep", {"nodeKey": self.depot, "pattern": "("}, "INVALID_PATTERN"),
                ("fs_find", {"nodeKey": self.depot, "pattern": "*", "path": "no"},
                 "PATH_NOT_FOUND"),
                ("fs_tree", {"nodeKey": self.depot, "unknown": 1}, "INVALID_ARGUMENT")):
            status, _, body = self.client.request(
                "POST", f"/api/realm/me/tools/{tool}", json.dumps(arguments),
                {"Content-Type": "application/json", "Accept": "application/x-ndjson"})
            self.assertGreaterEqual(status, 400, tool)
            self.assertEqual(json.loads(body)["error"], code)

    def test_cursors_lead_an_agent_through_all_of_it(self):
        agent = ModernHttp(self.server)
        self.addCleanup(agent.close)

        def pages(tool, **arguments):
            while True:
                result = agent.request("tools/call", {"name": tool, "arguments": arguments})
                result = result["result"]
                self.assertFalse(result.get("isError"), result)
                answer = result["structuredContent"]
                self.assertLess(len(json.dumps(answer, ensure_ascii=False,
                                               separators=(",", ":"))), 61_000)
                yield answer
                if "nextCursor" not in answer:
                    return
                self.assertIn("nextCursor", answer["hint"])
                arguments["cursor"] = answer["nextCursor"]

        found = [(file["path"], line["line"], line["text"])
                 for page in pages("fs_grep", nodeKey=self.depot, pattern="needle",
                                   maxResults=5000)
                 for file in page["files"] for line in file["lines"]]
        self.assertEqual(found, self.lines)
        found = [match["path"] for page in pages("fs_find", nodeKey=self.depot, pattern="*.txt",
                                                 maxResults=5000) for match in page["matches"]]
        self.assertEqual(found, self.paths)

    def test_whoever_leaves_ends_the_search(self):
        connection = http.client.HTTPConnection(self.server.host, self.server.port,
                                                timeout=PATIENCE)
        body = json.dumps({"nodeKey": self.depot, "pattern": "[a-z]"})
        connection.request("POST", "/api/realm/me/tools/fs_grep", body, {
            "Authorization": f"Bearer {self.server.token}", "Content-Type": "application/json",
            "Accept": "application/x-ndjson"})
        response = connection.getresponse()
        self.assertTrue(response.read(100))
        response.close()
        connection.close()
        until(lambda: self.client.call("get_audit", outcome="ABANDONED")["entries"],
              "an audit entry that it was abandoned", 0.1)

    def test_a_stream_of_a_large_depot_takes_little_memory(self):
        client = self.client
        # 120 MB of lines that all match: 30 files of 4 MB.
        root = self.dir / "large"
        root.mkdir()
        line = "needle " + "x" * 992 + "\n"
        for number in range(30):
            (root / f"{number:02}.txt").write_text(f"{number} " + line * 4000)
        self.cairn("import", str(root), "large")
        depot = [d for d in client.call("list_depots")["depots"] if d["title"] == "large"][0]
        connection = http.client.HTTPConnection(self.server.host, self.server.port,
                                                timeout=PATIENCE)
        self.addCleanup(connection.close)
        before = self.server.rss()
        connection.request("POST", "/api/realm/me/tools/fs_grep",
                           json.dumps({"nodeKey": depot["depotId"], "pattern": "needle"}), {
                               "Authorization": f"Bearer {self.server.token}",
                               "Content-Type": "application/json",
                               "Accept": "application/x-ndjson"})
        response = connection.getresponse()
        most, size, lines = before, 0, 0
        while part := response.read(1 << 20):
            size += len(part)
            lines += part.count(b"\n")
            most = max(most, self.server.rss())
        self.assertGreater(lines, 30 * 4000)
        self.assertGreater(size, 120_000_000)
        grown = (most - before) / 1e6
        print(f"{size / 1e6:.0f} MB streamed, the server grew by {grown:.0f} MB")
        self.assertLess(grown, 150)


class Commands(unittest.TestCase):
    """stat, du, write, edit, mkdir, ls of a file: on a data directory, and over its server."""

    def setUp(self):
        self.server = Server(CAIRN)
        self.addCleanup(shutil.rmtree, self.server.data, ignore_errors=True)
        self.cairn("depot", "create", "d")

    def cairn(self, *words, given=b"", code=0):
        done = subprocess.run([CAIRN, *words, "--data", self.server.data], input=given,
                              capture_output=True, env=CLEAN, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr.decode()}")
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    def the_story(self):
        self.cairn("write", "d:notes/a.md", "one\ntwo\none\n")
        self.cairn("write", "d:notes/b.md", given=b"from standard input")
        self.assertEqual(self.cairn("cat", "d:notes/b.md"), "from standard input")
        self.assertIn("names a directory", self.cairn("write", "d:notes/", "x", code=2))
        self.cairn("mkdir", "d:empty/deep")
        self.assertIn("deep/", self.cairn("ls", "d:empty"))

        shown = self.cairn("edit", "d:notes/a.md", "--old", "two", "--new", "2", "--dry-run")
        self.assertIn("-two\n+2\n", shown)
        self.assertEqual(self.cairn("cat", "d:notes/a.md"), "one\ntwo\none\n")
        self.assertIn("-two\n+2\n", self.cairn("edit", "d:notes/a.md", "--old", "two", "--new", "2"))
        self.assertIn("--all", self.cairn("edit", "d:notes/a.md", "--old", "one", "--new", "1",
                                          code=4))
        self.cairn("edit", "d:notes/a.md", "--old", "one", "--new", "1", "--all")
        self.assertEqual(self.cairn("cat", "d:notes/a.md"), "1\n2\n1\n")
        self.cairn("edit", "d:notes/a.md", "--old-file", "-", "--new", "", given=b"2\n")
        self.assertEqual(self.cairn("cat", "d:notes/a.md"), "1\n1\n")
        self.assertIn("choose one", self.cairn("edit", "d:notes/a.md", "--old", "1", "--old-file",
                                               "x", "--new", "", code=2))

        self.assertRegex(self.cairn("stat", "d:notes/a.md"),
                         r"(?s)path +notes/a.md\n.*size +4 .*content +text/markdown\n.*key +nod_")
        self.assertRegex(self.cairn("stat", "d"), r"(?s)type +directory\n.*files +2\n")
        self.assertEqual(json.loads(self.cairn("stat", "d:notes", "--json"))["fileCount"], 2)
        self.assertRegex(self.cairn("ls", "d:notes/a.md"), r"^ *4 B +text/markdown +a.md\n$")
        self.cairn("ls", "d:notes/a.md/below", code=2)

        sizes = [line.split() for line in self.cairn("du", "d", "-b").splitlines()]
        self.assertEqual(sizes, [["23", "d/"], ["0", "empty/"], ["0", "empty/deep/"],
                                 ["23", "notes/"]])
        self.assertEqual(self.cairn("du", "d", "-d", "0").split(), ["23", "B", "d/"])
        self.assertIn("notes/b.md", self.cairn("du", "d:notes", "-a"))
        self.assertEqual(self.cairn("du", "d:notes/b.md", "-b").split(), ["19", "notes/b.md"])

        self.cairn("put", "-", "d:c", given=b"1")
        self.cairn("cp", "d:c", "e")
        self.cairn("mv", "d:e", "f")
        self.cairn("rm", "d:c", "f")
        messages = [e["message"] for e in
                    json.loads(self.cairn("depot", "log", "d", "--json"))["entries"]]
        for message in ("write notes/a.md", "mkdir empty/deep", "edit notes/a.md", "put c",
                        "cp c e", "mv e f", "rm c, f"):
            self.assertIn(message, messages)

    def test_on_a_data_directory(self):
        self.the_story()

    def test_over_a_server(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        self.the_story()


class Imports(unittest.TestCase):
    """Two people and a depot, on a data directory and over its server."""

    def setUp(self):
        self.server = Server(CAIRN)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-imports-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.addCleanup(shutil.rmtree, self.server.data, ignore_errors=True)
        self.cairn("depot", "create", "before")  # makes the data directory

    def run_cairn(self, *words, given=b""):
        return subprocess.run([CAIRN, *words, "--data", self.server.data], input=given,
                              capture_output=True, env=CLEAN, timeout=PATIENCE)

    def cairn(self, *words, given=b"", code=0):
        done = self.run_cairn(*words, given=given)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr.decode()}")
        return done.stdout.decode(), done.stderr.decode()

    def write(self, path, text):
        file = self.dir / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Another size or time each time: what has just been imported is not taken for unchanged.
        file.write_text(text)

    def files(self, depot):
        target = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        self.cairn("export", depot, str(target))
        return {f.relative_to(target).as_posix(): f.read_text()
                for f in target.rglob("*") if f.is_file()}

    def the_story(self):
        ann, bob = str(self.dir / "ann"), str(self.dir / "bob")
        self.write("ann/README.md", "hello\n")
        self.write("ann/docs/a.md", "1\n2\n3\n4\n5\n")
        self.write("ann/docs/old.md", "old")
        self.cairn("import", ann, "shared")
        self.cairn("put", "-", "shared:notes/today.md", given=b"a note")
        # Once more: the note stays, and it is said.
        _, said = self.cairn("import", ann, "shared")
        self.assertIn("0 added, 0 changed, 0 removed; 1 of others kept", said)
        self.assertEqual(self.cairn("cat", "shared:notes/today.md")[0], "a note")

        # What the directory lost goes, and is named.
        os.remove(self.dir / "ann/docs/old.md")
        self.write("ann/docs/new.md", "new")
        _, said = self.cairn("import", ann, "shared", "--dry-run")
        for line in ("add  docs/new.md", "remove  docs/old.md", "keep  notes/",
                     "nothing was committed"):
            self.assertIn(line, said)
        self.assertIn("docs/old.md", self.files("shared"))
        _, said = self.cairn("import", ann, "shared")
        self.assertIn("removed  docs/old.md", said)
        self.assertIn("1 added, 0 changed, 1 removed", said)
        self.assertNotIn("docs/old.md", self.files("shared"))

        # Both have changed one file: merged, or told.
        self.cairn("put", "-", "shared:docs/a.md", given=b"1\n2\n3\n4\nfive\n")
        self.write("ann/docs/a.md", "one\n2\n3\n4\n5\n")
        self.cairn("import", ann, "shared")
        self.assertEqual(self.files("shared")["docs/a.md"], "one\n2\n3\n4\nfive\n")
        self.cairn("put", "-", "shared:README.md", given=b"theirs\n")
        self.write("ann/README.md", "mine, and longer\n")
        before = self.files("shared")
        _, said = self.cairn("import", ann, "shared", code=4)
        self.assertIn("CONFLICT", said)
        self.assertIn("'README.md'", said)
        self.assertEqual(self.files("shared"), before)
        answer = json.loads(self.cairn("import", ann, "shared", "--dry-run", "--json", code=4)[0])
        self.assertEqual(answer["conflicts"], {"files": 1, "paths": ["README.md"]})
        _, said = self.cairn("import", ann, "shared", "--force")
        self.assertIn("overwritten  README.md", said)
        self.assertEqual(self.files("shared")["README.md"], "mine, and longer\n")

        # Another's directory in the same depot: it only adds.
        self.write("bob/bob.md", "bob's")
        self.write("bob/README.md", "bob's too")
        self.assertIn("never came from this directory",
                      self.cairn("import", bob, "shared", code=4)[1])
        os.remove(self.dir / "bob/README.md")
        self.cairn("import", bob, "shared")
        self.cairn("import", ann, "shared")
        self.assertEqual(self.files("shared")["bob.md"], "bob's")

        # At a path, and exactly.
        self.cairn("import", bob, "shared:people/bob")
        self.assertEqual(self.files("shared")["people/bob/bob.md"], "bob's")
        answer = json.loads(self.cairn("import", ann, "shared", "--delete", "--json")[0])
        self.assertEqual(answer["removed"]["files"], 3)
        self.assertEqual(sorted(answer["removed"]["paths"]), ["bob.md", "notes/", "people/"])
        self.assertEqual(self.files("shared"),
                         {"README.md": "mine, and longer\n", "docs/a.md": "one\n2\n3\n4\n5\n",
                          "docs/new.md": "new"})

        # A dry run makes no depot, and one that fails leaves none.
        _, said = self.cairn("import", ann, "nowhere", "--dry-run")
        self.assertIn("3 added", said)
        os.chmod(self.dir / "ann", 0o777)
        titles = [d["title"] for d in
                  json.loads(self.cairn("depot", "list", "--json")[0])["depots"]]
        self.assertEqual(titles, ["before", "shared"])

    def test_on_a_data_directory(self):
        self.the_story()

    def test_over_a_server(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        self.the_story()

    def begun(self, *words):
        return subprocess.Popen([CAIRN, *words, "--data", self.server.data],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN)

    def test_an_import_that_is_interrupted_says_so_and_leaves_no_depot(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        for number in range(3000):
            self.write(f"many/{number}", f"{number}\n")
        process = self.begun("import", str(self.dir / "many"), "many")
        client = self.server.client()
        self.addCleanup(lambda: client.connection.close())

        def titles():
            return [depot["title"] for depot in client.call("list_depots")["depots"]]

        until(lambda: "many" in titles(), "the depot of the import")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn(b"interrupted; nothing was imported", said)
        self.assertNotIn("many", titles())

    def test_an_export_that_is_interrupted_can_be_tried_again(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        (self.dir / "big").mkdir()
        for number in range(1500):
            self.write(f"big/{number}", f"{number}\n" * 1000)
        self.cairn("import", str(self.dir / "big"), "big")
        target = self.dir / "out"
        process = self.begun("export", "big", str(target))
        until(lambda: target.exists() and any(target.iterdir()), "the first file")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(list(target.iterdir()), [])
        self.cairn("export", "big", str(target))
        self.assertEqual(len(list(target.iterdir())), 1500)


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
