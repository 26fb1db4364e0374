#!/usr/bin/env python3
"""Several depots: copies and moves between them, their titles, their end and their return; what is purged.

depots_test.py CAIRN [test names…]
"""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest
import urllib.parse

import program_test
from program_test import Base, Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import CLEAN, PATIENCE, ended  # noqa: E402

SECRET = "SSN 123-45-6789 xK8#qPz!mW2@vLr9$tY6^nB4&hJ1*cF7(dG3)sA5"


class Depots(Base):
    def setUp(self):
        super().setUp()
        for title in ("a", "b"):
            self.cairn("depot", "create", title)

    def put(self, where, text):
        return self.cairn("put", "-", where, given=text.encode()).line

    def files(self, depot):
        return self.cairn("find", depot, "*", "--type", "file").text.split()

    def key(self, where):
        depot, path = where.split(":", 1)
        node = self.cairn("depot", "show", depot, "--json").json["depotId"]
        return self.cairn("call", "fs_stat", f"nodeKey={node}", f"path={path}").json["key"]


class Common:
    """What has to be the same over both ways."""

    def test_a_copy_goes_into_the_other_depot(self):
        self.put("a:x/f.md", "one\n")
        before = self.cairn("depot", "show", "a", "--json").json["root"]
        root = self.cairn("cp", "a:x/f.md", "b:y/g.md", "-m", "copied").line
        self.assertEqual(self.files("b"), ["y/g.md"])
        self.assertEqual(self.files("a"), ["x/f.md"])
        self.assertEqual(self.cairn("cat", "b:y/g.md").text, "one\n")
        self.assertEqual(self.cairn("depot", "show", "b", "--json").json["root"], root)
        self.assertEqual(self.cairn("depot", "show", "a", "--json").json["root"], before)
        self.assertIn("copied", self.cairn("depot", "log", "b").text)
        self.cairn("cp", "a:x", "b:")
        self.assertEqual(self.files("b"), ["x/f.md", "y/g.md"])
        self.cairn("cp", "a:", "b:all")
        self.assertIn("all/x/f.md", self.files("b"))
        self.cairn("cp", "a:x/f.md", "b:into/")
        self.assertIn("into/f.md", self.files("b"))
        self.fails(4, "TARGET_EXISTS", "cp", "a:x/f.md", "b:y/g.md")

    def test_a_move_goes_into_the_other_depot_in_two_commits(self):
        self.put("a:x/f.md", "one\n")
        self.put("a:rest", "rest\n")
        roots = self.cairn("mv", "a:x/f.md", "b:f.md").text.split()
        self.assertEqual(roots, [self.cairn("depot", "show", d, "--json").json["root"] for d in "ba"])
        self.assertEqual(self.files("a"), ["rest"])
        self.assertEqual(self.files("b"), ["f.md"])
        done = self.cairn("mv", "b:f.md", "a:f.md", "--json").json
        self.assertTrue(done["target"]["changed"] and done["source"]["changed"])
        self.assertEqual(self.files("b"), [])
        # What cannot be put there is not taken away either.
        self.put("b:f.md", "other\n")
        self.fails(4, "TARGET_EXISTS", "mv", "a:f.md", "b:f.md")
        self.assertIn("f.md", self.files("a"))

    def test_a_mistyped_depot_never_becomes_a_file(self):
        self.put("a:f", "1")
        for how in ("cp", "mv"):
            done = self.fails(3, "DEPOT_NOT_FOUND", how, "a:f", "bb:f")
            self.assertIn("did you mean 'b'", done.err)
            self.assertIn("a:bb:f", done.err)
        self.assertEqual(self.files("a"), ["f"])
        # Written in full, a name may have a colon.
        self.cairn("cp", "a:f", "a:10:30")
        self.assertEqual(self.files("a"), ["10:30", "f"])
        self.fails(2, "INVALID_ARGUMENT", "cp", "a:", "x")
        self.fails(2, "INVALID_ARGUMENT", "mv", "a:", "b:x")

    def test_nodes_are_copied_from_and_to(self):
        root = self.put("a:f", "1")
        self.cairn("cp", f"{root}:f", "b:g")
        self.assertEqual(self.files("b"), ["g"])
        grown = self.cairn("cp", "b:g", f"{root}:h").line
        self.assertEqual(self.cairn("cat", f"{grown}:h").text, "1")
        self.assertEqual(self.files("a"), ["f"])

    def test_a_version_is_copied_from_and_never_moved(self):
        self.put("a:f", "old")
        self.put("a:f", "new")
        change = self.cairn("depot", "log", "a", "--json").json["entries"][1]["change"]
        self.cairn("cp", f"a@#{change}:f", "again")
        self.cairn("cp", f"a@#{change}:f", "b:f")
        self.assertEqual([self.cairn("cat", w).text for w in ("a:f", "a:again", "b:f")], ["new", "old", "old"])
        self.fails(2, "INVALID_ARGUMENT", "mv", f"a@#{change}:f", "b:g")
        self.fails(2, "INVALID_ARGUMENT", "mv", f"a@#{change}:f", "g")
        self.assertEqual(self.files("a"), ["again", "f"])

    def test_a_title_is_one_depots(self):
        first = self.cairn("depot", "create", "t").line
        done = self.fails(4, "TARGET_EXISTS", "depot", "create", "t")
        self.assertIn(first, done.err)
        self.assertEqual(self.cairn("depot", "create", "t", "--if-not-exists").line, first)
        self.assertTrue(self.cairn("depot", "create", "u", "--if-not-exists", "--json").json["created"])
        self.fails(4, "TARGET_EXISTS", "depot", "rename", "u", "t")
        for title in ("x:y", "dpt_foo", "nod_x", " x"):
            self.fails(2, "INVALID_ARGUMENT", "depot", "create", title)
            self.fails(2, "INVALID_ARGUMENT", "depot", "rename", "u", title)

    def test_a_deleted_depot_comes_back(self):
        self.put("a:f", "1")
        before = self.cairn("depot", "show", "a", "--json").json
        done = self.cairn("depot", "delete", "a", "--yes")
        self.assertIn(f"cairn depot restore {before['depotId']}", done.err)
        self.fails(3, "DEPOT_NOT_FOUND", "ls", "a")
        self.fails(3, "DEPOT_NOT_FOUND", "ls", before["depotId"])
        self.assertIn(before["depotId"], self.cairn("depot", "list", "--deleted").text)
        self.assertIn("1 deleted depot can be restored", self.cairn("gc").err)
        self.cairn("depot", "create", "a")
        self.assertIn("--title", self.fails(4, "TARGET_EXISTS", "depot", "restore", "a").err)
        self.assertEqual(self.cairn("depot", "restore", "a", "--title", "old").line, before["depotId"])
        after = self.cairn("depot", "show", "old", "--json").json
        self.assertEqual(after, {**before, "title": "old"})
        self.assertEqual(self.cairn("cat", "old:f").text, "1")
        self.assertEqual(self.cairn("depot", "list", "--deleted", "--json").json["depots"], [])
        self.fails(3, "DEPOT_NOT_FOUND", "depot", "restore", "nothing")

    def test_a_secret_is_gone_for_good(self):
        self.put("a:other", "stays")
        self.put("a:notes/secret.txt", SECRET)
        self.put("a:more", "m")
        self.cairn("rm", "a:notes/secret.txt")
        self.cairn("cp", "a:more", "b:more")
        key = self.cairn("call", "fs_stat", "nodeKey=" + self.version("a", 1), "path=notes/secret.txt").json["key"]
        self.assertEqual(self.cairn("cat", key).text, SECRET)
        planned = self.cairn("purge", "a:notes/secret.txt", "--dry-run")
        self.assertIn("would take it from 2 versions in 1 depot", planned.text)
        self.assertIn("nothing of it would be stored", planned.text)
        self.assertEqual(self.cairn("cat", key).text, SECRET)
        done = self.cairn("purge", "a:notes/secret.txt")
        self.assertIn("took it from 2 versions in 1 depot", done.text)
        self.assertIn("nothing of it is stored any more", done.text)
        self.assertIn("backups", done.err)
        self.fails(3, "NODE_NOT_FOUND", "cat", key)
        log = self.cairn("depot", "log", "a", "--json").json["entries"]
        self.assertEqual([entry.get("purged", False) for entry in log], [False, True, True, False, False])
        self.assertEqual(self.cairn("depot", "log", "a").text.count("(purged)"), 2)
        self.assertEqual(self.files("a"), ["more", "other"])
        self.assertIn("clean", self.cairn("fsck").text)
        self.fails(3, "PATH_NOT_FOUND", "purge", "a:notes/secret.txt")
        self.fails(2, "INVALID_ARGUMENT", "purge", "a")
        self.fails(3, "NODE_NOT_FOUND", "purge", key)

    def version(self, depot, back):
        return self.cairn("depot", "log", depot, "--json").json["entries"][back]["root"]

    def test_what_still_holds_it_is_said(self):
        self.put("a:secret", SECRET)
        self.cairn("cp", "a:secret", "b:copy")
        self.cairn("cp", "a:secret", "again")
        key = self.key("a:secret")
        self.assertIn("--everywhere", self.cairn("purge", "a:secret", "--dry-run").err)
        done = self.run_cairn("purge", "a:secret")
        self.assertEqual(done.code, 4)
        self.assertIn("  a:again\n", done.text)
        self.assertIn("  b:copy\n", done.text)
        self.assertIn(f"cairn purge {key}", done.err)
        self.assertEqual(self.cairn("cat", "b:copy").text, SECRET)
        self.cairn("depot", "delete", "b", "--yes")
        report = self.run_cairn("purge", "a:again", "--json").json
        self.assertEqual([h["kind"] for h in report["holders"]], ["deleted depot"])
        self.assertFalse(report["gone"])
        self.assertTrue(self.cairn("purge", key, "--json").json["gone"])
        self.fails(3, "NODE_NOT_FOUND", "cat", key)
        self.cairn("depot", "restore", "b")
        self.assertEqual(self.files("b"), [])

    def test_a_delegate_that_was_revoked_holds_nothing(self):
        self.put("a:dir/secret", SECRET)
        self.put("a:dir/f", "1")
        directory = self.cairn("call", "fs_stat", "nodeKey=" + self.version("a", 0), "path=dir").json["key"]
        key = self.key("a:dir/secret")
        made = self.cairn("delegate", "create", "--name", "reader", "--scope", directory, "--json").json
        done = self.run_cairn("purge", "a:dir/secret")
        self.assertIn("the scope of the delegate", done.text)
        self.cairn("delegate", "revoke", made["delegate"]["delegateId"])
        self.assertTrue(self.cairn("purge", key, "--json").json["gone"])

    def test_garbage_says_what_it_spared(self):
        root = self.put("a:f", "1")
        draft = self.put(f"{root}:draft", "a draft")
        done = self.cairn("gc")
        self.assertRegex(done.err, r"the grace time spared [1-9]\d* nodes?, .* until ")
        self.assertEqual(self.cairn("cat", f"{draft}:draft").text, "a draft")
        self.assertRegex(self.cairn("gc", "--grace", "0", "--dry-run").text, "would remove [1-9]")
        self.cairn("cat", f"{draft}:draft")
        self.assertRegex(self.cairn("gc", "--grace", "0").text, "^removed [1-9]")
        self.fails(3, "NODE_NOT_FOUND", "cat", f"{draft}:draft")
        self.assertEqual(self.cairn("cat", "a:f").text, "1")
        self.fails(2, "INVALID_ARGUMENT", "gc", "--grace", "soon")

    def test_a_user_goes_with_its_realm(self):
        self.cairn("user", "add", "ada")
        self.fails(2, "INVALID_ARGUMENT", "user", "delete", "ada")
        self.assertIn("would delete ada", self.cairn("user", "delete", "ada", "--dry-run").text)
        self.assertIn("ada", self.cairn("user", "list").text)
        self.assertIn("deleted ada", self.cairn("user", "delete", "ada", "--yes").text)
        self.assertNotIn("ada", self.cairn("user", "list").text)
        self.fails(7, "FORBIDDEN", "user", "delete", "owner", "--yes")
        self.fails(3, "USER_NOT_FOUND", "user", "delete", "ada", "--yes")


class Direct(Common, Depots):
    def stored(self, text):
        """Files of the data directory that have it."""
        found = []
        for path in pathlib.Path(self.data).rglob("*"):
            if path.is_file() and text.encode() in path.read_bytes():
                found.append(path.name)
        return found

    def test_the_bytes_leave_the_disk(self):
        self.put("a:secret", SECRET)
        self.put("a:f", "1")
        self.assertTrue(self.stored(SECRET))
        self.cairn("purge", "a:secret")
        self.assertEqual(self.stored(SECRET), [])

    def test_killed_in_between_it_is_finished_by_the_next(self):
        """With a history long enough that there is something to interrupt."""
        self.put("a:secret", SECRET)
        key = self.key("a:secret")
        source = self.dir / "source"
        source.mkdir()
        for i in range(40):
            (source / "f").write_text(str(i))
            (source / "secret").write_text(SECRET)
            self.cairn("import", str(source), "a")
        killed = 0
        for patience in range(1, 60):
            process = subprocess.Popen([program_test.CAIRN, "purge", "a:secret", *self.way], env=CLEAN,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(patience * 0.004)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                self.assertIn("clean", self.cairn("fsck").text)
        self.assertGreater(killed, 0)
        done = self.run_cairn("purge", "a:secret")
        self.assertIn(done.code, (0, 3), done.err)
        self.fails(3, "NODE_NOT_FOUND", "cat", key)
        self.assertEqual(self.stored(SECRET), [])
        self.assertEqual(self.files("a"), ["f"])
        self.assertEqual(len(self.cairn("depot", "log", "a", "--json").json["entries"]), 42)
        self.assertIn("clean", self.cairn("fsck").text)


class OverAServer(Common, Depots):
    def setUp(self):
        self.server = None
        Base.setUp(self)
        self.server = Server(self.data)
        self.addCleanup(self.server.stop)
        self.way = ["--server", self.server.url, "--token", self.server.token]
        for title in ("a", "b"):
            self.cairn("depot", "create", title)

    def ask(self, method, path, body=None, token=None):
        """Status and JSON of an answer over REST."""
        where = urllib.parse.urlsplit(self.server.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {token or self.server.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        value = json.loads(answer.read() or b"{}")
        connection.close()
        return answer.status, value

    def depot(self, title):
        return self.cairn("depot", "show", title, "--json").json["depotId"]

    def test_over_rest(self):
        self.put("a:f", SECRET)
        a, b = self.depot("a"), self.depot("b")
        status, moved = self.ask("POST", f"/api/realm/me/nodes/fs/{a}/mv",
                                 {"from": "f", "to": "g", "toNodeKey": b})
        self.assertEqual(status, 200, moved)
        for depot, root in ((b, moved["newRoot"]), (a, moved["sourceRoot"])):
            status, done = self.ask("POST", f"/api/realm/me/depots/{depot}/commit", {"root": root})
            self.assertEqual(status, 200, done)
        self.assertEqual((self.files("a"), self.files("b")), ([], ["g"]))
        status, found = self.ask("GET", "/api/realm/me/depots?title=b")
        self.assertEqual([d["depotId"] for d in found["depots"]], [b])
        status, taken = self.ask("POST", "/api/realm/me/depots", {"title": "b"})
        self.assertEqual((status, taken["error"], taken["details"]["depotId"]), (409, "TARGET_EXISTS", b))
        status, same = self.ask("POST", "/api/realm/me/depots", {"title": "b", "ifNotExists": True})
        self.assertEqual((same["depotId"], same["created"]), (b, False))

        self.assertEqual(self.ask("DELETE", f"/api/realm/me/depots/{b}")[0], 200)
        self.assertEqual(self.ask("GET", f"/api/realm/me/depots/{b}")[0], 404)
        status, listed = self.ask("GET", "/api/realm/me/depots?deleted=true")
        self.assertEqual([d["depotId"] for d in listed["depots"]], [b])
        status, back = self.ask("POST", f"/api/realm/me/depots/{b}/restore", {})
        self.assertEqual((status, back["title"]), (200, "b"))

        status, done = self.ask("POST", "/api/realm/me/purge",
                                {"depotId": b, "path": "g", "everywhere": True})
        self.assertEqual((status, done.get("gone")), (200, True), done)
        status, done = self.ask("POST", "/api/realm/me/gc", {"grace": 0, "dryRun": True})
        self.assertEqual((status, done.get("dryRun")), (200, True))

    def test_a_deleted_users_token_is_good_for_nothing(self):
        token = self.cairn("user", "add", "ada", "--json").json["accessToken"]
        self.assertEqual(self.ask("GET", "/api/realm/me/depots", token=token)[0], 200)
        status, gone = self.ask("DELETE", "/api/admin/users/ada")
        self.assertEqual((status, gone["name"]), (200, "ada"))
        self.assertEqual(self.ask("GET", "/api/realm/me/depots", token=token)[0], 401)

    def test_a_purge_while_others_commit(self):
        self.put("a:secret", SECRET)
        key = self.key("a:secret")
        depot = self.depot("a")
        stop = threading.Event()
        failures = []

        def write(who):
            i = 0
            while not stop.is_set():
                i += 1
                # Each its own content: the same root, made by two on different ones, would be a conflict.
                status, made = self.ask("POST", f"/api/realm/me/nodes/fs/{depot}/write",
                                        {"path": f"w{who}{i % 5}", "content": f"{who} {i}"})
                if status == 200:
                    status, made = self.ask("POST", f"/api/realm/me/depots/{depot}/commit",
                                            {"root": made["newRoot"]})
                # Begun before the content went, it is refused: it would bring it back.
                if status != 200 and made["error"] != "NODE_NOT_FOUND":
                    failures.append(made)

        threads = [threading.Thread(target=write, args=(who,)) for who in range(3)]
        for thread in threads:
            thread.start()
        report = self.run_cairn("purge", "a:secret", "--everywhere", "--json").json
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertNotIn("secret", self.files("a"))
        if not report["gone"]:
            self.assertTrue(report["holders"])
            self.assertTrue(self.cairn("purge", key, "--json").json["gone"])
        self.fails(3, "NODE_NOT_FOUND", "cat", key)
        self.assertIn("clean", self.cairn("fsck").text)


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
