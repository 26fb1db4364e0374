#!/usr/bin/env python3
"""History: what was can be read, compared, brought back and taken back, by one address on every surface.

history_test.py CAIRN [test names…]
"""

import http.client
import json
import os
import pathlib
import sys
import unittest
import urllib.parse

import program_test
from program_test import Base, Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import PATIENCE  # noqa: E402


class History(Base):
    def put(self, where, text):
        return self.cairn("put", "-", where, "-m", f"put {where}", given=text.encode()).line

    def cat(self, where):
        return self.cairn("cat", where).text

    def log(self, where):
        return self.cairn("log", where, "--json").json["entries"]


class Common:
    """What has to be the same over both ways."""

    def begin(self):
        self.cairn("depot", "create", "p")
        self.put("p:a", "1\n")
        self.put("p:b", "1\n")
        self.put("p:a", "2\n")
        self.put("p:c", "1\n")

    def test_a_commit_is_taken_back_and_the_later_ones_stay(self):
        self.begin()
        done = self.cairn("undo", "p", "#3")
        self.assertEqual(done.text, "took back #3\n  a\n")
        self.assertEqual((self.cat("p:a"), self.cat("p:b"), self.cat("p:c")), ("1\n", "1\n", "1\n"))
        self.assertEqual(self.log("p")[0]["undid"], {"from": 3, "to": 3})
        self.assertEqual(self.cairn("undo", "p", "5").text, "took back #5\n  a\n")
        self.assertEqual(self.cat("p:a"), "2\n")
        self.assertEqual(self.cairn("undo", "p", "#2..#3").text, "took back #2..#3\n  a\n  b\n")
        self.assertEqual(self.cat("p:a"), "1\n")
        self.fails(3, "PATH_NOT_FOUND", "cat", "p:b")
        self.assertEqual(self.cat("p:c"), "1\n")

    def test_without_a_number_it_is_ones_own_latest(self):
        self.begin()
        self.assertEqual(self.cairn("undo", "p").text, "took back #4\n  c\n")
        self.assertEqual(self.cairn("undo", "p").text, "took back #3\n  a\n")
        self.assertEqual(self.cat("p:a"), "1\n")

    def test_what_others_built_upon_is_refused_and_named(self):
        self.begin()
        self.put("p:a", "3\n")
        before = self.cairn("depot", "show", "p", "--json").json
        refused = self.fails(4, "CONFLICT", "undo", "p", "#3")
        self.assertIn("'a'", refused.err)
        self.assertEqual(self.cairn("depot", "show", "p", "--json").json, before)
        for code, name, changes in ((3, "HISTORY_NOT_FOUND", "#99"), (3, "HISTORY_NOT_FOUND", "#0"),
                                    (2, "INVALID_ARGUMENT", "x"), (2, "INVALID_ARGUMENT", "#3..#2")):
            self.fails(code, name, "undo", "p", changes)

    def test_log_is_a_line_for_each_commit(self):
        self.begin()
        lines = self.cairn("log", "p").text.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["#4", "#3", "#2", "#1", "#0"])
        self.assertTrue(lines[0].endswith("put p:c"), lines[0])
        self.assertEqual(len(self.cairn("log", "p", "-n", "2").text.splitlines()), 2)
        of_a = self.cairn("log", "p:a").text.splitlines()
        self.assertEqual([line.split()[0] for line in of_a], ["#3", "#1"])
        self.assertEqual([e["change"] for e in self.log("p:a")], [3, 1])
        for same in (("depot", "log", "p"), ("depot", "history", "p")):
            self.assertEqual(self.cairn(*same).text.splitlines(), lines)
        self.cairn("rm", "p:a")
        self.assertTrue(self.cairn("log", "p:a").text.splitlines()[0].endswith("(removed)"))
        self.assertEqual([(e["change"], e.get("removed", False)) for e in self.log("p:a")],
                         [(5, True), (3, False), (1, False)])
        self.fails(3, "DEPOT_NOT_FOUND", "log", "q")
        self.fails(3, "PATH_NOT_FOUND", "log", "p:none")

    def test_the_log_of_a_version_ends_with_it(self):
        self.begin()
        for where, wanted in (("p@~1", [3, 2, 1, 0]), ("p@#2", [2, 1, 0]), ("p@#2:a", [1]), ("p@~0:a", [3, 1])):
            self.assertEqual([e["change"] for e in self.log(where)], wanted, where)
        self.assertEqual(len(self.cairn("log", "p@~1", "-n", "2").text.splitlines()), 2)
        self.fails(3, "HISTORY_NOT_FOUND", "log", "p@#99")
        long_ago = self.fails(3, "HISTORY_NOT_FOUND", "log", "p@2020-01-01")
        self.assertRegex(long_ago.err, r"the history begins \d+ years later, with #0")

    def test_what_would_be_taken_back_is_said_and_nothing_happens(self):
        self.begin()
        before = self.log("p")
        self.assertIn("would take back #3", self.cairn("undo", "p", "#3", "--dry-run").text)
        self.assertIn("would change the depot", self.cairn("depot", "revert", "p", "~1", "--dry-run").text)
        self.assertIn("would change nothing", self.cairn("depot", "revert", "p", "~0", "--dry-run").text)
        self.fails(3, "HISTORY_NOT_FOUND", "undo", "p", "#99", "--dry-run")
        self.assertEqual(self.log("p"), before)

    def test_a_version_is_read_by_its_address(self):
        self.begin()
        depot = self.cairn("depot", "show", "p", "--json").json["depotId"]
        for version in ("~2", "#2", "2", "#1"):
            self.assertEqual(self.cat(f"p@{version}:a"), "1\n", version)
            self.assertEqual(self.cat(f"{depot}@{version}:a"), "1\n", version)
        self.assertEqual(self.cat("p@0s:a"), "2\n")
        self.assertEqual(self.cairn("ls", "p@#1").text.split()[-1], "a")
        self.assertEqual(self.run_cairn("diff", "p@#1", "p", "--stat").code, 1)
        self.cairn("export", "p@#1", str(self.dir / "then"))
        self.assertEqual([path.name for path in (self.dir / "then").iterdir()], ["a"])
        self.assertEqual((self.dir / "then/a").read_text(), "1\n")
        self.cairn("cp", "p@#1:a", "p:old")
        self.assertEqual(self.cat("p:old"), "1\n")
        self.fails(3, "HISTORY_NOT_FOUND", "cat", "p@~9:a")
        self.fails(3, "HISTORY_NOT_FOUND", "cat", "p@2020-01-01:a")
        self.fails(3, "HISTORY_NOT_FOUND", "cat", "p@2020-01-01T10:30:a")
        self.fails(2, "INVALID_ARGUMENT", "cat", "p@?:a")
        self.fails(3, "DEPOT_NOT_FOUND", "cat", "q@~1:a")
        refused = self.fails(2, "INVALID_ARGUMENT", "put", "-", "p@~1:a", given=b"x")
        self.assertIn("does not change", refused.err)
        self.assertEqual(self.cat("p:a"), "2\n")

    def test_a_title_with_an_at_goes_first(self):
        self.begin()
        refused = self.fails(2, "INVALID_ARGUMENT", "depot", "create", "p@~1")
        self.assertIn("would hide that version", refused.err)
        self.cairn("depot", "create", "p@home")
        self.put("p@home:mine", "x")
        self.assertEqual(self.cat("p@home:mine"), "x")
        self.assertEqual(self.cat("p@~2:a"), "1\n")

    def test_one_path_comes_back_and_the_rest_stays(self):
        self.begin()
        self.cairn("depot", "revert", "p:a", "#1")
        self.assertEqual((self.cat("p:a"), self.cat("p:c")), ("1\n", "1\n"))
        self.cairn("depot", "revert", "p", "#3")
        self.assertEqual(self.cat("p:a"), "2\n")
        self.fails(3, "PATH_NOT_FOUND", "cat", "p:c")

    def test_tags_name_versions(self):
        self.begin()
        self.assertEqual(self.cairn("depot", "tag", "p", "v1", "#1").text, "v1  #1\n")
        self.assertEqual(self.cat("p@v1:a"), "1\n")
        self.assertEqual(self.cairn("depot", "tag", "p").text, "v1  #1\n")
        self.assertIn("[v1] put p:a", self.cairn("log", "p").text)
        self.cairn("depot", "keep", "p", "last=1")
        self.assertIn("dropped 3 old commits", self.cairn("gc").text)
        self.assertEqual([e["change"] for e in self.log("p")], [4, 1])
        self.assertEqual(self.cat("p@v1:a"), "1\n")
        self.fails(3, "HISTORY_NOT_FOUND", "cat", "p@#2:a")
        self.cairn("depot", "tag", "p", "v1", "--remove")
        self.fails(3, "HISTORY_NOT_FOUND", "cat", "p@v1:a")
        self.fails(2, "INVALID_ARGUMENT", "depot", "tag", "p", "2h")

    def test_what_is_kept_is_said_and_set(self):
        self.cairn("depot", "create", "k", "--keep", "7d,daily=2y")
        self.assertEqual(self.cairn("depot", "keep", "k").text, "7d,daily=730d\n")
        self.assertEqual(self.cairn("depot", "keep", "k", "all").text, "all\n")
        self.fails(2, "INVALID_ARGUMENT", "depot", "keep", "k", "weekly")
        self.fails(2, "INVALID_ARGUMENT", "depot", "create", "l", "--keep", "weekly")
        self.cairn("depot", "create", "l")
        self.assertEqual(self.cairn("depot", "keep", "l").text, "30d,daily=365d,last=100\n")


class Direct(Common, History):
    pass


class OverAServer(Common, History):
    def setUp(self):
        super().setUp()
        self.server = Server(self.data)
        self.addCleanup(self.server.stop)
        self.way = ["--server", self.server.url, "--token", self.server.token]

    def ask(self, method, path, body=None, headers=None):
        """Status and JSON of an answer."""
        where = urllib.parse.urlsplit(self.server.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.server.token}", **(headers or {})}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text or b"{}") if text[:1] in (b"{", b"") else text.decode()

    def agent(self, tool, **arguments):
        """A tool's answer over MCP, in a request of its own."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}}
        status, answer = self.ask("POST", "/mcp", {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta}},
            {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
             "Mcp-Method": "tools/call", "Mcp-Name": tool})
        self.assertEqual(status, 200, answer)
        return answer["result"]

    def test_the_same_number_on_every_surface(self):
        self.begin()
        depot = self.cairn("depot", "show", "p", "--json").json["depotId"]
        base = f"/api/realm/me/depots/{depot}"
        status, page = self.ask("GET", f"{base}/history?limit=2")
        self.assertEqual((status, [e["change"] for e in page["entries"]]), (200, [4, 3]))
        told = self.agent("depot_history", depotId=depot, limit=2)["structuredContent"]
        self.assertEqual([e["change"] for e in told["entries"]], [4, 3])
        status, done = self.ask("POST", f"{base}/undo", {"change": 3, "message": "no"})
        self.assertEqual((status, done["paths"], done["change"]), (200, ["a"], 5))
        self.assertEqual(self.cat("p:a"), "1\n")
        undone = self.agent("depot_undo", depotId=depot, change=5)["structuredContent"]
        self.assertEqual(undone["undid"], {"from": 5, "to": 5})
        self.assertEqual(self.cat("p:a"), "2\n")
        status, text = self.ask("GET", f"/api/realm/me/nodes/fs/{depot}@%231/file?path=a")
        self.assertEqual((status, text), (200, "1\n"))
        status, text = self.ask("GET", f"/api/realm/me/nodes/fs/{depot}@~1/file?path=a")
        self.assertEqual((status, text), (200, "1\n"))
        read = self.agent("fs_read", nodeKey=f"{depot}@#1", path="a")["structuredContent"]
        self.assertEqual(read["content"], "1\n")
        status, tagged = self.ask("POST", f"{base}/tag", {"name": "v1", "version": "~1"})
        self.assertEqual((status, tagged["change"]), (200, 5))
        status, refused = self.ask("POST", f"/api/realm/me/nodes/fs/{depot}@v1/write",
                                   {"path": "a", "content": "x"})
        self.assertEqual((status, refused["error"]), (400, "INVALID_ARGUMENT"))
        refused = self.agent("depot_undo", depotId=depot, change=99)
        self.assertIn("HISTORY_NOT_FOUND", refused["content"][0]["text"])

    def test_history_does_not_end_at_a_hundred(self):
        self.cairn("depot", "create", "long")
        depot = self.cairn("depot", "show", "long", "--json").json["depotId"]
        for i in range(120):
            status, made = self.ask("POST", f"/api/realm/me/nodes/fs/{depot}/write",
                                    {"path": "n", "content": str(i)})
            self.assertEqual(status, 200, made)
            self.ask("POST", f"/api/realm/me/depots/{depot}/commit", {"root": made["newRoot"]})
        self.assertEqual(len(self.log("long")), 121)
        self.assertEqual(self.cat("long@#1:n"), "0")
        shown = self.ask("GET", f"/api/realm/me/depots/{depot}")[1]
        self.assertEqual((len(shown["history"]), shown["historyCount"]), (100, 120))
        told = self.agent("get_depot", depotId=depot)["structuredContent"]
        self.assertEqual((len(told["history"]), told["historyCount"]), (10, 120))


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
