#!/usr/bin/env python3
"""Runs the program as its users do: every command, on a data directory and against a server.

program_test.py CAIRN [test names…]
"""

import hashlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Client  # noqa: E402
from waiting import CLEAN, PATIENCE, ended, own_address, until  # noqa: E402

CAIRN = ""


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def text(self):
        return self.out.decode()

    @property
    def line(self):
        return self.text.strip()

    @property
    def json(self):
        return json.loads(self.out)


class Server:
    """cairn serve on a free port; stopped with SIGTERM."""

    def __init__(self, data, *options, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [CAIRN, "serve", "--data", data, "--listen", listen, "--log-format", "none", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN)
        self.greeting = ""
        for line in self.process.stdout:
            self.greeting += line.decode()
            if line.decode().strip().startswith("curl"):
                break
        found = re.search(r"address +(\S+)", self.greeting)
        if not found:
            raise AssertionError(f"no server: {self.greeting}{self.process.stderr.read().decode()}")
        self.url = found.group(1)
        self.token = (pathlib.Path(data) / "owner.token").read_text().strip()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = ended(self.process)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-cli-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.data = str(self.dir / "data")
        self.way = ["--data", self.data]

    def run_cairn(self, *words, given=b"", env=None, way=None):
        done = subprocess.run([CAIRN, *words, *(self.way if way is None else way)], input=given,
                              capture_output=True, env={**CLEAN, **(env or {})}, timeout=PATIENCE)
        return Outcome(done.returncode, done.stdout, done.stderr.decode())

    def cairn(self, *words, **more):
        """A command that has to work."""
        done = self.run_cairn(*words, **more)
        self.assertEqual(done.code, 0, f"cairn {' '.join(words)}: {done.err}")
        return done

    def fails(self, code, name, *words, **more):
        done = self.run_cairn(*words, **more)
        self.assertEqual(done.code, code, f"cairn {' '.join(words)}: {done.text}{done.err}")
        self.assertRegex(done.err, rf"^cairn: {name}: ")
        return done

    def on_a_terminal(self, *words, env=None):
        """What a command prints to a terminal, and its exit code."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([CAIRN, *words, *self.way], stdin=follower, stdout=follower,
                                   stderr=follower, env={**CLEAN, "TERM": "xterm", **(env or {})})
        os.close(follower)
        seen = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(leader)
        return seen, ended(process)

    def a_directory(self, name="source"):
        root = self.dir / name
        (root / "src/deep/er").mkdir(parents=True)
        (root / "empty").mkdir()
        (root / "README.md").write_text("# Hello\n\nthe needle is here\n")
        (root / "src/main.ts").write_text("export const answer = 42;\n")
        (root / "src/deep/er/ünï.txt").write_text("grüße\n")
        (root / "blob.bin").write_bytes(bytes(range(256)) * 500)
        (root / "zero").write_bytes(b"")
        return root

    def assertSameTree(self, a, b):
        done = subprocess.run(["diff", "-r", str(a), str(b)], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout.decode())


class Common:
    """What has to be the same over both ways."""

    def test_depots_from_their_making_to_their_end(self):
        made = self.cairn("depot", "create", "one").line
        self.assertRegex(made, r"^dpt_[0-9A-Z]{26}$")
        self.cairn("depot", "create", "two")
        listed = self.cairn("depot", "list").text
        self.assertIn(made, listed)
        self.assertIn("TITLE", listed)
        self.assertEqual([d["title"] for d in self.cairn("depot", "list", "--json").json["depots"]],
                         ["one", "two"])
        self.assertEqual(self.cairn("depot", "show", "one", "--json").json["depotId"], made)
        self.assertIn("root", self.cairn("depot", "show", made).text)
        self.cairn("depot", "rename", "two", "zwei")
        self.fails(3, "DEPOT_NOT_FOUND", "depot", "show", "two")
        self.fails(2, "INVALID_ARGUMENT", "depot", "delete", "zwei")
        self.cairn("depot", "delete", "zwei", "--yes")
        self.assertEqual(len(self.cairn("depot", "list", "--json").json["depots"]), 1)

    def test_an_unknown_depot_gets_a_suggestion(self):
        self.cairn("depot", "create", "my-project")
        done = self.fails(3, "DEPOT_NOT_FOUND", "ls", "my-projct")
        self.assertIn("did you mean 'my-project'", done.err)
        self.fails(3, "DEPOT_NOT_FOUND", "ls", "dpt_" + "0" * 26)
        self.fails(3, "PATH_NOT_FOUND", "cat", "my-project:nothing")

    def test_files(self):
        self.cairn("depot", "create", "d")
        root = self.cairn("put", "-", "d:src/a.txt", "-m", "first", given=b"alpha\nbeta\n").line
        self.assertRegex(root, r"^nod_[0-9A-Z]+$")
        self.assertEqual(self.cairn("cat", "d:src/a.txt").out, b"alpha\nbeta\n")
        self.assertEqual(self.cairn("cat", f"{root}:src/a.txt").out, b"alpha\nbeta\n")
        self.assertIn("a.txt", self.cairn("ls", "d:src").text)
        self.assertIn("a.txt", self.cairn("ls", "d:/src/").text)
        self.assertEqual(self.cairn("ls", "d:src", "--json").json["children"][0]["size"], 11)
        self.assertIn("└── a.txt", self.cairn("tree", "d").text)
        self.assertIn("children", self.cairn("tree", "d", "--json").json)
        self.assertIn("… 1 entry", self.cairn("tree", "d", "--depth", "1").text)
        self.cairn("cp", "d:src/a.txt", "src/b.txt")
        self.cairn("mv", "d:src/b.txt", "d:c.txt")
        self.assertEqual(self.cairn("find", "d", "*.txt").text.split(), ["c.txt", "src/a.txt"])
        self.assertEqual(self.cairn("find", "d", "src", "--type", "dir").text.split(), ["src/"])
        self.assertEqual(len(self.cairn("find", "d:src", "*", "--json").json["matches"]), 1)
        self.cairn("put", str(self.a_directory() / "README.md"), "d:docs/")
        self.assertEqual(self.cairn("cat", "d:docs/README.md").text[:7], "# Hello")
        self.cairn("cp", "d:c.txt", "e.txt")
        self.cairn("rm", "d:c.txt", "d:src", "e.txt")
        self.assertEqual(self.cairn("find", "d", "*.txt").text, "")
        self.fails(3, "PATH_NOT_FOUND", "rm", "d:src")
        self.fails(2, "INVALID_ARGUMENT", "rm", "d")
        self.fails(2, "INVALID_ARGUMENT", "put", "-", "d")
        self.fails(3, "NOT_FOUND", "put", str(self.dir / "no-such-file"), "d:x")
        self.fails(2, "INVALID_ARGUMENT", "put", str(self.dir), "d:x")
        self.fails(2, "NOT_A_FILE", "cat", "d:docs")
        self.cairn("depot", "revert", "d", root, "-m", "back")
        self.assertEqual(self.cairn("cat", "d:src/a.txt").out, b"alpha\nbeta\n")
        log = self.cairn("depot", "log", "d", "--json").json["entries"]
        self.assertEqual(log[0]["message"], "back")
        self.assertIn("first", self.cairn("depot", "log", "d").text)
        self.assertEqual(len(self.cairn("depot", "log", "d", "-n", "2", "--json").json["entries"]), 2)

    def test_a_node_grows_a_root_that_is_committed_by_hand(self):
        self.cairn("depot", "create", "d")
        start = self.cairn("put", "-", "d:a", given=b"1").line
        mine = self.cairn("put", "-", f"{start}:b", given=b"2").line
        self.fails(3, "PATH_NOT_FOUND", "cat", "d:b")
        theirs = self.cairn("put", "-", "d:c", given=b"3").line
        merged = self.cairn("depot", "commit", "d", mine, "-m", "both", "--expected", start)
        self.assertNotIn(merged.line, (mine, theirs))
        self.assertEqual([self.cairn("cat", f"d:{name}").text for name in "abc"], ["1", "2", "3"])
        mine = self.cairn("put", "-", f"{start}:c", given=b"other").line
        self.fails(4, "CONFLICT", "depot", "commit", "d", mine, "--expected", start)
        self.cairn("depot", "commit", "d", mine, "--force")
        self.assertEqual(self.cairn("cat", "d:c").text, "other")
        self.fails(2, "INVALID_ARGUMENT", "depot", "commit", start, mine)

    def test_grep_says_by_its_exit_code_whether_it_found(self):
        self.cairn("import", str(self.a_directory()), "d")
        self.assertEqual(self.cairn("grep", "NEEDLE", "d", "-i").line,
                         "README.md:3:the needle is here")
        self.assertEqual(self.cairn("grep", "needle", "d", "--json").json["matches"], 1)
        self.assertEqual(self.run_cairn("grep", "NEEDLE", "d").code, 1)
        self.assertEqual(self.run_cairn("grep", "need", "d", "-w").code, 1)
        self.assertEqual(self.run_cairn("grep", "n..dle", "d", "-F").code, 1)
        self.assertEqual(self.run_cairn("grep", "needle", "d", "--include", "*.ts").code, 1)
        around = self.cairn("grep", "needle", "d", "-C", "1").text.splitlines()
        self.assertEqual(around, ["README.md-2-", "README.md:3:the needle is here"])
        self.fails(2, "INVALID_PATTERN", "grep", "(", "d")

    def test_diff_says_by_its_exit_code_whether_something_differs(self):
        self.cairn("depot", "create", "d")
        old = self.cairn("put", "-", "d:x/a.txt", given=b"one\n").line
        self.assertEqual(self.run_cairn("diff", old, "d").code, 0)
        self.cairn("put", "-", "d:x/a.txt", given=b"two\n")
        self.cairn("put", "-", "d:b.bin", given=b"\0\1")
        done = self.run_cairn("diff", old, "d")
        self.assertEqual(done.code, 1)
        self.assertIn("--- a/x/a.txt\n+++ b/x/a.txt\n@@ -1 +1 @@\n-one\n+two\n", done.text)
        self.assertIn("File b.bin: added", done.text)
        stats = self.run_cairn("diff", old, "d", "--stat")
        self.assertEqual(stats.code, 1)
        self.assertEqual([line.split()[0] for line in stats.text.splitlines()], ["A", "M"])
        self.assertEqual(len(self.run_cairn("diff", f"{old}:x", "d", "--json").json["changes"]), 1)

    def test_import_and_export_give_the_same_tree_back(self):
        source = self.a_directory()
        (source / "link").symlink_to("/etc")
        done = self.cairn("import", str(source), "d", "-m", "in")
        self.assertIn("link: symbolic links are not followed", done.err)
        (source / "link").unlink()
        self.cairn("export", "d", str(self.dir / "out"))
        self.assertSameTree(source, self.dir / "out")
        again = self.cairn("import", str(source), "d", "--json").json
        self.assertEqual((again["changed"], again["files"]), (False, 5))
        # Changes of every kind: gone, new, a file that was a directory and the other way round.
        shutil.rmtree(source / "src/deep")
        (source / "src/deep").write_text("now a file")
        (source / "zero").unlink()
        (source / "zero").mkdir()
        (source / "zero/inside").write_text("now in a directory")
        (source / "README.md").unlink()
        (source / "empty").rmdir()
        (source / "another/empty/one").mkdir(parents=True)
        (source / "src/deep.d").mkdir()
        for number in range(250):
            (source / f"src/deep.d/{number}").write_text(str(number))
        self.cairn("import", str(source), "d")
        self.cairn("export", "d", str(self.dir / "out2"))
        self.assertSameTree(source, self.dir / "out2")
        shutil.rmtree(source / "src")
        (source / "src").mkdir()
        self.cairn("import", str(source), "d")
        self.cairn("export", "d", str(self.dir / "out3"))
        self.assertSameTree(source, self.dir / "out3")
        self.cairn("export", "d:another", str(self.dir / "part"))
        self.assertTrue((self.dir / "part/empty/one").is_dir())
        self.fails(4, "TARGET_EXISTS", "export", "d", str(self.dir / "out"))
        self.fails(2, "NOT_A_DIRECTORY", "export", "d:blob.bin", str(self.dir / "new"))
        self.fails(3, "NOT_FOUND", "import", str(self.dir / "nothing"), "d")
        self.fails(2, "INVALID_ARGUMENT", "import", str(source / "blob.bin"), "d")

    def test_import_into_a_node_commits_nothing(self):
        source = self.a_directory()
        self.cairn("depot", "create", "d")
        start = self.cairn("put", "-", "d:old", given=b"1").line
        root = self.cairn("import", str(source), start).line
        self.assertEqual(self.cairn("cat", "d:old").text, "1")
        self.cairn("export", root, str(self.dir / "out"))
        self.assertSameTree(source, self.dir / "out")

    def test_fifty_megabytes_through_pipes(self):
        self.cairn("depot", "create", "d")
        seed = os.urandom(1 << 20)
        content = b"".join(bytes([i]) + seed[1:] for i in range(50))
        self.cairn("put", "-", "d:big", given=content)
        out = self.cairn("cat", "d:big").out
        self.assertEqual(hashlib.sha256(out).hexdigest(), hashlib.sha256(content).hexdigest())

    def test_delegates(self):
        self.cairn("import", str(self.a_directory()), "d")
        made = self.cairn("delegate", "create", "--name", "writer", "--can-upload", "--scope",
                          "d:src", "--depot", "d", "--expires-in", "2h", "--json").json
        one = made["delegate"]["delegateId"]
        self.assertTrue(made["delegate"]["canUpload"])
        self.assertFalse(made["delegate"]["canManageDepot"])
        self.assertIn("writer", self.cairn("delegate", "list").text)
        self.assertEqual(self.cairn("delegate", "list", "--parent", one, "--json").json["delegates"], [])
        self.assertEqual(self.cairn("delegate", "show", one, "--json").json["name"], "writer")
        self.assertIn("everything", self.cairn("delegate", "show").text)
        self.assertIn("access ", self.cairn("delegate", "create", "--name", "reader").text)
        self.assertIn("revoked", self.cairn("delegate", "revoke", one).text)
        self.fails(2, "INVALID_ARGUMENT", "delegate", "create", "--expires-in", "soon")
        self.fails(3, "DELEGATE_NOT_FOUND", "delegate", "show", "dlt_" + "0" * 26)

    def test_users(self):
        self.cairn("depot", "create", "d")
        added = self.cairn("user", "add", "ada", "--quota", "10MB", "--password-stdin", "--json",
                           given=b"correct horse\n").json
        self.assertTrue(added["hasPassword"])
        self.assertTrue(added["accessToken"])
        self.cairn("user", "add", "bob", "--admin")
        self.assertIn("ada", self.cairn("user", "list").text)
        self.assertEqual([u["role"] for u in self.cairn("user", "list", "--json").json["users"]],
                         ["admin", "authorized", "admin"])
        self.assertIn("unauthorized", self.cairn("user", "role", "bob", "unauthorized").text)
        self.cairn("user", "password", "ada", "--password-stdin", given=b"another horse\n")
        self.assertNotEqual(self.cairn("user", "token", "ada", "--json").json["accessToken"],
                            added["accessToken"])
        self.fails(4, "USER_EXISTS", "user", "add", "ada")
        self.fails(3, "USER_NOT_FOUND", "user", "role", "eve", "admin")
        self.fails(2, "INVALID_ARGUMENT", "user", "role", "ada", "king")
        self.fails(2, "INVALID_ARGUMENT", "user", "password", "ada")
        self.fails(2, "INVALID_ARGUMENT", "user", "add", "eve", "--quota", "lots")

    def test_care(self):
        self.cairn("import", str(self.a_directory()), "d")
        self.assertIn("stored", self.cairn("usage").text)
        self.assertGreater(self.cairn("usage", "--json").json["nodeCount"], 5)
        entries = self.cairn("audit", "--since", "1h", "--tool", "create_depot", "--json").json["entries"]
        self.assertEqual([e["outcome"] for e in entries], ["ok"])
        self.assertIn("create_depot", self.cairn("audit", "--limit", "500").text)
        self.assertEqual(len(self.cairn("audit", "-n", "1", "--json").json["entries"]), 1)
        self.assertEqual(self.cairn("gc", "--json").json["removed"], 0)
        self.assertIn("in use", self.cairn("gc").text)
        self.assertIn("clean", self.cairn("fsck").text)
        self.assertTrue(self.cairn("fsck", "--json").json["clean"])
        target = str(self.dir / "backup")
        self.assertEqual(self.cairn("backup", target).line, target)
        self.fails(4, "TARGET_EXISTS", "backup", target)
        restored = str(self.dir / "restored")
        self.cairn("restore", target, restored, way=[])
        self.cairn("export", "d", str(self.dir / "out"), way=["--data", restored])
        self.assertSameTree(self.dir / "source", self.dir / "out")
        self.fails(2, "INVALID_ARGUMENT", "restore", str(self.dir / "out"), str(self.dir / "x"), way=[])

    def test_any_tool(self):
        depot = self.cairn("depot", "create", "d").line
        self.cairn("put", "-", "d:a.txt", given=b"one\ntwo\n")
        read = self.cairn("call", "fs_read", f"nodeKey={depot}", "path=a.txt", "startLine=2").json
        self.assertEqual(read["content"], "two\n")
        arguments = json.dumps({"nodeKey": depot, "path": "a.txt"})
        self.assertEqual(self.cairn("call", "fs_stat", "--args", arguments).json["size"], 8)
        self.assertEqual(self.cairn("call", "fs_stat", "--args", "-", given=arguments.encode()).json["size"], 8)
        self.fails(3, "TOOL_NOT_FOUND", "call", "fs_reed", "nodeKey=x")
        self.fails(3, "TOOL_NOT_FOUND", "call", "fs_reed")
        self.fails(2, "INVALID_ARGUMENT", "call", "fs_read", "nodeKey")
        self.fails(2, "INVALID_JSON", "call", "fs_read", "--args", "{")
        self.fails(2, "INVALID_ARGUMENT", "call", "fs_read", f"nodeKey={depot}", "pth=a.txt")
        self.fails(2, "BAD_REQUEST", "call", "read_file", f"nodeKey={depot}", "path=a.txt")
        self.fails(2, "BAD_REQUEST", "call", "write_file", f"nodeKey={depot}", "path=a.txt")

    def test_a_reader_that_leaves_is_no_error(self):
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:big", given=b"a line of text\n" * 500_000)
        process = subprocess.Popen([CAIRN, "cat", "d:big", *self.way], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=CLEAN)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertIn(ended(process), (0, 141))

    def test_output_that_cannot_be_written_is_an_error(self):
        self.cairn("depot", "create", "d")
        with open("/dev/full", "w") as full:
            done = subprocess.run([CAIRN, "depot", "list", *self.way], stdout=full,
                                  stderr=subprocess.PIPE, env=CLEAN)
        self.assertEqual(done.returncode, 6)
        self.assertIn(b"IO_ERROR", done.stderr)


class Direct(Common, Base):
    def test_no_data_directory(self):
        done = self.fails(3, "NOT_FOUND", "ls", "d")
        self.assertIn(self.data, done.err)
        self.assertFalse(os.path.exists(self.data))

    def test_where_the_data_is(self):
        where = {"XDG_DATA_HOME": str(self.dir / "xdg")}
        self.cairn("depot", "create", "d", way=[], env=where)
        self.assertTrue((self.dir / "xdg/cairn/store").is_dir())
        home = {"HOME": str(self.dir / "home"), "XDG_DATA_HOME": ""}
        self.cairn("depot", "create", "d", way=[], env=home)
        self.assertTrue((self.dir / "home/.local/share/cairn/store").is_dir())
        self.cairn("depot", "create", "d", way=[], env={**where, "CAIRN_DATA": self.data})
        self.assertEqual(self.cairn("depot", "list", "--json").json["depots"][0]["title"], "d")
        self.fails(2, "INVALID_ARGUMENT", "ls", "d", "--server", "http://localhost:1")

    def test_the_owners_token(self):
        self.fails(3, "NOT_FOUND", "token", "show")
        self.cairn("depot", "create", "d")
        first = self.cairn("token", "show").line
        file = pathlib.Path(self.data) / "owner.token"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(self.cairn("token", "show").line, first)
        second = self.cairn("token", "rotate").line
        self.assertNotEqual(second, first)
        self.assertEqual(file.read_text().strip(), second)
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)

    def test_commands_wait_for_each_other(self):
        self.cairn("depot", "create", "d")
        processes = [subprocess.Popen([CAIRN, "put", "-", f"d:{i}", *self.way], stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, env=CLEAN) for i in range(5)]
        for process in processes:
            process.stdin.close()
        self.assertEqual([ended(process) for process in processes], [0] * 5)
        self.assertEqual(len(self.cairn("ls", "d", "--json").json["children"]), 5)

    def test_wrong_words(self):
        self.assertIn("did you mean 'grep'", self.fails(2, "INVALID_ARGUMENT", "gre").err)
        self.assertIn("did you mean 'list'", self.fails(2, "INVALID_ARGUMENT", "depot", "lis").err)
        self.assertIn("did you mean '--depth'",
                      self.fails(2, "INVALID_ARGUMENT", "tree", "d", "--dept", "1").err)
        self.fails(2, "INVALID_ARGUMENT", "ls")
        self.fails(2, "INVALID_ARGUMENT", "ls", "a", "b")
        self.fails(2, "INVALID_ARGUMENT", "depot")
        self.fails(2, "INVALID_ARGUMENT", "tree", "d", "--depth", "many")
        self.assertEqual(self.run_cairn(way=[]).code, 2)

    def test_help(self):
        main = self.cairn("--help", way=[]).text
        self.assertIn("Exit codes:", main)
        self.assertIn("cairn ", self.cairn("--version", way=[]).text)
        groups = {"depot", "delegate", "user", "token"}
        for command in re.findall(r"^  ([a-z]+)  ", main, re.M):
            text = self.cairn(command, "--help", way=[]).text
            self.assertIn("Example:\n  cairn " + command, text)
            for below in re.findall(r"^  ([a-z]+)  ", text, re.M) if command in groups else []:
                self.assertIn(f"Example:\n  cairn {command} {below}",
                              self.cairn(command, below, "--help", way=[]).text)

    def test_colours_are_for_terminals(self):
        self.cairn("import", str(self.a_directory()), "d")
        seen, code = self.on_a_terminal("ls", "d")
        self.assertEqual(code, 0)
        self.assertIn(b"\x1b[34msrc/", seen)
        self.assertNotIn(b"\x1b", self.on_a_terminal("ls", "d", env={"NO_COLOR": "1"})[0])
        self.assertNotIn(b"\x1b", self.on_a_terminal("ls", "d", "--no-color")[0])
        self.assertNotIn(b"\x1b", self.cairn("ls", "d").out)

    def test_binary_files_stay_away_from_terminals(self):
        self.cairn("import", str(self.a_directory()), "d")
        seen, code = self.on_a_terminal("cat", "d:blob.bin")
        self.assertEqual(code, 2)
        self.assertIn(b"NOT_TEXT", seen)
        self.assertEqual(self.on_a_terminal("cat", "d:blob.bin", "--force")[1], 0)
        self.assertIn("grüße".encode(), self.on_a_terminal("cat", "d:src/deep/er/ünï.txt")[0])

    def test_names_do_not_command_the_terminal(self):
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:evil\x1b[2J", given=b"")
        self.assertNotIn(b"\x1b[2J", self.on_a_terminal("ls", "d")[0])
        self.assertNotIn(b"\x1b[2J", self.on_a_terminal("tree", "d")[0])
        self.assertNotIn(b"\x1b[2J", self.on_a_terminal("find", "d", "*")[0])

    def test_progress_is_erased(self):
        seen, code = self.on_a_terminal("import", str(self.a_directory()), "d")
        self.assertEqual(code, 0)
        self.assertIn(b"importing", seen)
        self.assertIn(b"\r\x1b[K", seen)
        self.assertNotIn(b"importing", seen[seen.rfind(b"\r\x1b[K"):])

    def test_deleting_asks_on_a_terminal(self):
        self.cairn("depot", "create", "d")
        leader, follower = pty.openpty()
        process = subprocess.Popen([CAIRN, "depot", "delete", "d", *self.way], stdin=follower,
                                   stdout=follower, stderr=follower, env=CLEAN)
        os.close(follower)
        os.write(leader, b"no\n")
        self.assertEqual(ended(process), 2)
        os.close(leader)
        self.cairn("depot", "show", "d")

    def test_damage_is_found(self):
        # fsck's own tests damage nodes; here the exit code of a store that cannot be opened.
        self.cairn("depot", "create", "d")
        current = next((pathlib.Path(self.data) / "store").glob("**/CURRENT"))
        current.write_text("MANIFEST-999999\n")
        self.assertEqual(self.run_cairn("fsck").code, 6)


class OverAServer(Common, Base):
    def setUp(self):
        super().setUp()
        self.server = Server(self.data)
        self.addCleanup(self.server.stop)
        self.way = ["--server", self.server.url, "--token", self.server.token]

    def test_who_one_is(self):
        self.fails(7, "INVALID_TOKEN", "depot", "list",
                   way=["--server", self.server.url, "--token", "wrong"])
        self.fails(7, "INVALID_TOKEN", "depot", "list", way=["--server", self.server.url])
        self.cairn("depot", "list", way=["--server", self.server.url, "--token-file",
                                         str(pathlib.Path(self.data) / "owner.token")])
        self.cairn("depot", "list", way=[], env={"CAIRN_SERVER": self.server.url,
                                                 "CAIRN_TOKEN": self.server.token})
        self.fails(2, "INVALID_ARGUMENT", "depot", "list",
                   way=["--server", self.server.url, "--token-file", str(self.dir / "none")])

    def test_a_server_that_is_not_there(self):
        self.fails(6, "UNAVAILABLE", "ls", "d", way=["--server", f"http://{own_address()}:8765", "--token", "t"])
        self.fails(2, "INVALID_ARGUMENT", "ls", "d", way=["--server", "ftp://x", "--token", "t"])

    def test_a_delegate_sees_its_scope(self):
        self.cairn("import", str(self.a_directory()), "d")
        made = self.cairn("delegate", "create", "--can-upload", "--scope", "d:src", "--json").json
        theirs = ["--server", self.server.url, "--token", made["accessToken"]]
        self.assertEqual([c["name"] for c in self.cairn("ls", "d", "--json", way=theirs).json["children"]],
                         ["deep", "main.ts"])
        self.cairn("put", "-", "d:new.ts", given=b"1", way=theirs)
        self.assertEqual(self.cairn("cat", "d:src/new.ts").text, "1")
        self.cairn("export", "d", str(self.dir / "out"), way=theirs)
        self.assertEqual(sorted(p.name for p in (self.dir / "out").iterdir()), ["deep", "main.ts", "new.ts"])
        (self.dir / "out/new.ts").write_text("2")
        # The directory was never imported: that it is to overwrite has to be said.
        self.fails(4, "CONFLICT", "import", str(self.dir / "out"), "d", way=theirs)
        self.cairn("import", str(self.dir / "out"), "d", "--force", way=theirs)
        self.assertEqual(self.cairn("cat", "d:src/new.ts").text, "2")
        self.assertEqual(self.cairn("cat", "d:README.md").text[:7], "# Hello")
        self.fails(7, "DEPOT_MANAGE_NOT_ALLOWED", "depot", "create", "x", way=theirs)
        reader = self.cairn("delegate", "create", "--json").json["accessToken"]
        self.fails(7, "UPLOAD_NOT_ALLOWED", "put", "-", "d:x", given=b"1",
                   way=["--server", self.server.url, "--token", reader])
        self.fails(7, "FORBIDDEN", "audit", way=theirs)

    def test_the_data_directory_leads_to_the_server_that_has_it(self):
        here = ["--data", self.data]
        self.cairn("depot", "create", "d", way=here)
        self.cairn("put", "-", "d:a", given=b"1", way=here)
        self.assertEqual(self.cairn("cat", "d:a").text, "1")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        self.assertEqual(self.cairn("backup", "by-name", way=here).line, str(self.dir.resolve() / "by-name"))
        self.fails(2, "INVALID_ARGUMENT", "backup", "by-name")
        self.assertEqual(self.cairn("token", "show", way=here).line, self.server.token)
        self.fails(6, "STORE_LOCKED", "token", "rotate", way=here)

    def test_a_second_server_is_refused(self):
        self.fails(6, "STORE_LOCKED", "serve", "--listen", "127.0.0.1:0", way=["--data", self.data])

    def test_a_port_that_is_taken_is_refused(self):
        port = self.server.url.rsplit(":", 1)[1]
        done = self.run_cairn("serve", "--listen", f"127.0.0.1:{port}", way=["--data", self.data + "2"])
        self.assertEqual(done.code, 6, done.err)

    def test_stops_cleanly_and_keeps_everything(self):
        self.cairn("put", "-", f"{self.cairn('depot', 'create', 'd').line}:a", given=b"kept")
        self.assertEqual(self.server.stop(), 0)
        self.assertFalse((pathlib.Path(self.data) / "server.json").exists())
        self.assertEqual(self.cairn("cat", "d:a", way=["--data", self.data]).text, "kept")
        again = Server(self.data)
        try:
            self.assertEqual(again.token, self.server.token)
            self.assertEqual(self.cairn("cat", "d:a", way=["--server", again.url, "--token", again.token]).text,
                             "kept")
        finally:
            self.assertEqual(again.stop(signal.SIGINT), 0)

    def test_survives_being_killed(self):
        self.cairn("put", "-", f"{self.cairn('depot', 'create', 'd').line}:a", given=b"kept")
        self.server.stop(signal.SIGKILL)
        # server.json is still there and names a server that is not.
        self.assertEqual(self.cairn("cat", "d:a", way=["--data", self.data]).text, "kept")
        self.assertIn("clean", self.cairn("fsck", way=["--data", self.data]).text)

    def test_the_greeting_says_how_to_go_on(self):
        for word in (self.server.url, "owner.token", "usr_", "/api/docs", "curl"):
            self.assertIn(word, self.server.greeting)
        file = pathlib.Path(self.data) / "owner.token"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)


def ask_all_the_time(url, token, stop):
    where = urllib.parse.urlsplit(url)
    client = Client(types.SimpleNamespace(host=where.hostname, port=where.port), token)
    while not stop.is_set():
        client.request("GET", "/api/realm/me")
    client.connection.close()


class Serving(Base):
    def test_addresses_that_others_reach_need_more(self):
        done = self.fails(2, "INVALID_ARGUMENT", "serve", "--listen", "0.0.0.0:0")
        self.assertIn("--behind-proxy", done.err)
        self.fails(2, "INVALID_ARGUMENT", "serve", "--listen", "[::]:0")
        self.fails(2, "INVALID_ARGUMENT", "serve", "--listen", "nonsense")
        self.fails(2, "INVALID_ARGUMENT", "serve", "--tls-cert", "x")
        self.fails(2, "INVALID_ARGUMENT", "serve", "--log-format", "xml")
        self.fails(2, "INVALID_ARGUMENT", "serve", "--rate", "fast")
        self.assertFalse(os.path.exists(self.data))

    def test_behind_a_proxy(self):
        server = subprocess.Popen([CAIRN, "serve", "--listen", "0.0.0.0:0", "--behind-proxy", *self.way],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=CLEAN)
        self.assertIn(b"cairn", server.stdout.readline())
        server.terminate()
        self.assertEqual(ended(server), 0)
        server.stdout.close()

    def test_tls(self):
        key, certificate = str(self.dir / "key.pem"), str(self.dir / "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                        "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        server = Server(self.data, "--tls-cert", certificate, "--tls-key", key)
        try:
            self.assertTrue(server.url.startswith("https://"))
            way = ["--server", server.url, "--token", server.token]
            self.cairn("depot", "create", "d", way=[*way, "--ca-file", certificate])
            self.fails(6, "UNAVAILABLE", "depot", "list", way=way)
        finally:
            self.assertEqual(server.stop(), 0)

    def test_the_rate_of_a_delegate_is_limited(self):
        server = Server(self.data, "--rate", "2")
        try:
            way = ["--server", server.url, "--token"]
            token = self.cairn("delegate", "create", "--json", way=[*way, server.token]).json["accessToken"]
            # Commands of one's own start too slowly for that: somebody else uses the token as well.
            stop = threading.Event()
            thread = threading.Thread(target=ask_all_the_time, args=(server.url, token, stop))
            thread.start()
            try:
                until(lambda: self.run_cairn("usage", way=[*way, token]).code == 5, "exit code 5")
            finally:
                stop.set()
                thread.join()
        finally:
            server.stop()

    def test_requests_are_logged_as_json(self):
        server = subprocess.Popen([CAIRN, "serve", "--listen", "127.0.0.1:0", "--log-format", "json",
                                   *self.way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN)
        while not server.stdout.readline().decode().strip().startswith("curl"):
            pass
        self.cairn("usage")
        server.terminate()
        lines = server.stderr.read().decode().splitlines()
        ended(server)
        server.stdout.close()
        server.stderr.close()
        self.assertTrue(any("get_usage" in line and json.loads(line) for line in lines), lines)


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
