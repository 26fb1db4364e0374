#!/usr/bin/env python3
"""What a scope, a binding and a token leave, from outside: nothing else is told, and nothing is left behind.

scope_test.py CAIRN [test names…]
"""

import http.client
import json
import pathlib
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Failed, Server  # noqa: E402
from waiting import CLEAN, PATIENCE  # noqa: E402

CAIRN = ""
JSON = {"Content-Type": "application/json"}


class Scope(unittest.TestCase):
    def setUp(self):
        self.server = Server(CAIRN)
        self.server.start()
        self.addCleanup(self.server.__exit__)
        self.owner = self.server.client()

    def depot(self, title):
        return self.owner.call("create_depot", title=title)["depotId"]

    def put(self, depot, path, content):
        root = self.owner.call("fs_write", nodeKey=depot, path=path, content=content)["newRoot"]
        return self.owner.call("depot_commit", depotId=depot, root=root)

    def delegate(self, **rights):
        return self.owner.call("create_delegate", **rights)

    def scoped(self, *scope, **rights):
        return self.server.client(self.delegate(scope=list(scope), **rights)["accessToken"])

    def test_hidden_depots_make_no_further_page(self):
        first = self.depot("first")
        self.put(first, "docs/a", "1")
        for i in range(3):
            self.depot(f"hidden {i}")
        page = self.scoped(f"{first}/docs").call("list_depots", limit=1)
        self.assertEqual([row["depotId"] for row in page["depots"]], [first])
        self.assertEqual((page["hasMore"], page["nextCursor"]), (False, None))

    def test_pages_of_a_delegate_with_several_depots_have_all_of_them(self):
        ids = []
        for i in range(5):
            depot = self.depot(f"d{i}")
            if i % 2 == 0:
                ids.append(depot)
        client = self.server.client(self.delegate(delegatedDepots=ids)["accessToken"])
        seen, cursor = [], None
        while True:
            page = client.call("list_depots", limit=1, **({"cursor": cursor} if cursor else {}))
            seen += [row["depotId"] for row in page["depots"]]
            cursor = page["nextCursor"]
            self.assertEqual(page["hasMore"], cursor is not None)
            if cursor is None:
                break
        self.assertEqual(seen, ids)
        with self.assertRaises(Failed) as refused:
            client.call("list_depots", cursor="AAAA")
        self.assertEqual(refused.exception.code, "INVALID_CURSOR")

    def test_times_tell_nothing_of_commits_elsewhere(self):
        depot = self.depot("d")
        self.put(depot, "docs/a", "1")
        client = self.scoped(f"{depot}/docs")
        before = client.call("get_depot", depotId=depot)["updatedAt"]
        self.assertEqual(before, self.owner.call("get_depot", depotId=depot)["updatedAt"])
        while self.owner.call("get_depot", depotId=depot)["updatedAt"] == before:
            self.put(depot, "secret/b", str(self.owner.call("get_usage")["updatedAt"]))
        self.assertEqual(client.call("get_depot", depotId=depot)["updatedAt"], before)
        self.assertEqual(client.call("list_depots")["depots"][0]["updatedAt"], before)
        after = self.put(depot, "docs/a", "2")["updatedAt"]
        self.assertEqual(client.call("get_depot", depotId=depot)["updatedAt"], after)

    def test_without_history_there_is_only_what_there_is_now(self):
        depot = self.depot("d")
        first = self.put(depot, "docs/password.txt", "secret")
        before = self.owner.call("fs_stat", nodeKey=depot, path="docs")["key"]
        root = self.owner.call("fs_rm", nodeKey=depot, path="docs/password.txt")["newRoot"]
        self.owner.call("depot_commit", depotId=depot, root=root)
        self.put(depot, "docs/a.txt", "now")
        for scope in ([f"{depot}/docs"], [depot], None):
            given = {"scope": scope} if scope else {}
            made = self.delegate(history=False, canUpload=True, canManageDepot=True, **given)
            self.assertIs(made["delegate"]["history"], False)
            client = self.server.client(made["accessToken"])
            within = "docs/" if scope != [f"{depot}/docs"] else ""
            old = f"{within}password.txt"
            for tool, arguments in (
                    ("depot_history", {"depotId": depot}),
                    ("depot_undo", {"depotId": depot, "change": 2}),
                    ("depot_revert", {"depotId": depot, "root": "~1"}),
                    ("depot_tag", {"depotId": depot, "name": "t", "version": "~1"}),
                    *(("fs_read", {"nodeKey": f"{depot}@{version}", "path": old}) for version in ("~1", "#1", "1h")),
                    *(("fs_ls", {"nodeKey": node}) for node in (before, before[:24], first["root"], root)),
                    ("fs_diff", {"from": f"{depot}@~2", "to": depot})):
                with self.assertRaises(Failed, msg=(tool, arguments, scope)) as refused:
                    client.call(tool, **arguments)
                self.assertIn(refused.exception.code, ("FORBIDDEN", "NODE_NOT_AUTHORIZED"), (tool, arguments))
            shown = client.call("get_depot", depotId=depot)
            self.assertEqual((shown["history"], shown.get("historyCount"), shown.get("tags")), ([], None, None))
            # What there is it works with as ever, and what it made itself it can name.
            self.assertEqual(client.call("fs_read", nodeKey=depot, path=f"{within}a.txt")["content"], "now")
            mine = client.call("fs_write", nodeKey=depot, path=f"{within}b.txt", content="x")["newRoot"]
            client.call("fs_ls", nodeKey=mine)
            client.call("depot_commit", depotId=depot, root=mine)
            # Nobody gives what it does not have.
            child = client.call("create_delegate", history=True)
            self.assertIs(child["delegate"].get("history"), False)
            with self.assertRaises(Failed):
                self.server.client(child["accessToken"]).call("depot_history", depotId=depot)

    def endpoint(self, depot, operation, path, pointer, **binding):
        tool = {"operationType": operation, "depotId": depot, "path": path, "jsonPath": pointer,
                **binding.pop("tool", {})}
        made = self.owner.call("create_endpoint", name="e", type="rest",
                               bindings=[{"tool": tool, "toolName": "t", **binding}])
        key = made["apiKey"]

        def call(**arguments):
            status, _, body = self.server.client("").request(
                "POST", f"/api/v2/rest/{key}/t", json.dumps(arguments), JSON)
            return status, json.loads(body)
        return call

    def test_across_files_stays_within_its_pointer_in_its_own(self):
        depot = self.depot("d")
        self.put(depot, "a.json", json.dumps({"mine": {"x": 1}, "secret": {}}))
        self.put(depot, "notes.txt", "Only words")
        call = self.endpoint(depot, "copy", "a.json", "/mine", tool={"config": {"acrossFiles": True}})
        call(**{"from": "/x", "to": "/secret/leak", "toPath": "a.json"})
        data = json.loads(self.owner.call("fs_read", nodeKey=depot, path="a.json")["content"])
        self.assertEqual(data["secret"], {})
        told = [call(**{"from": "/x", "to": "/y", "toPath": path}) for path in ("notes.txt", "nothing")]
        self.assertEqual(told[0][0], told[1][0])
        self.assertEqual(told[0][1]["message"].replace("notes.txt", "nothing"), told[1][1]["message"])

    def test_an_argument_that_is_left_out_stays_within_the_binding(self):
        depot = self.depot("d")
        self.put(depot, "a.json", json.dumps([{"id": i} for i in range(50)]))
        limit = {"type": "integer", "minimum": 1, "maximum": 5}
        call = self.endpoint(depot, "preview", "a.json", "",
                             inputSchema={"type": "object", "properties": {"limit": limit}})
        status, answer = call()
        self.assertEqual(status, 200, answer)
        self.assertEqual(len(answer["items"]), 5)

    def test_a_download_ends_with_its_token(self):
        depot = self.depot("d")
        size = 48 << 20
        status, _, body = self.owner.request(
            "POST", f"/api/realm/me/nodes/fs/{depot}/write?path=big.bin",
            bytes(range(256)) * (size // 256), {"Content-Type": "application/octet-stream"})
        self.assertLess(status, 300, body)
        root = json.loads(body)["newRoot"]
        self.owner.call("depot_commit", depotId=depot, root=root)
        made = self.delegate()
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=PATIENCE)
        connection.request("GET", f"/api/realm/me/nodes/fs/{depot}/read?path=big.bin",
                           headers={"Authorization": f"Bearer {made['accessToken']}"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        got = len(response.read(1 << 20))
        self.owner.call("revoke_delegate", delegateId=made["delegate"]["delegateId"])
        try:
            got += len(response.read())
        except http.client.IncompleteRead as broken:
            got += len(broken.partial)
        except OSError:
            pass
        self.assertLess(got, size)
        connection.close()


class Requests(unittest.TestCase):
    def setUp(self):
        self.server = Server(CAIRN)
        self.server.start()
        self.addCleanup(self.server.__exit__)
        self.owner = self.server.client()

    def test_every_answer_names_its_request(self):
        for method, path in (("GET", "/healthz"), ("GET", "/api/realm/me/nothing"), ("POST", "/mcp"),
                             ("GET", "/api/realm/me/depots"), ("POST", "/api/v2/rest/wrong/t")):
            _, headers, _ = self.owner.request(method, path)
            self.assertRegex(headers["X-Request-Id"], r"^[0-9a-f]{16}$", path)
            _, headers, _ = self.owner.request(method, path, headers={"X-Request-Id": "mine-1.a_B"})
            self.assertEqual(headers["X-Request-Id"], "mine-1.a_B", path)

    def test_one_that_cannot_be_logged_as_it_is_is_replaced(self):
        for bad in ("a b", "x" * 65, "a\tb", "é".encode().decode("latin-1"), "<script>"):
            _, headers, _ = self.owner.request("GET", "/healthz", headers={"X-Request-Id": bad})
            self.assertRegex(headers["X-Request-Id"], r"^[0-9a-f]{16}$")

    def test_errors_have_it_in_their_details(self):
        for arguments in ({"nodeKey": "dpt_nothing"}, {}):
            with self.assertRaises(Failed) as refused:
                self.owner.call("fs_ls", **arguments)
            self.assertRegex(refused.exception.details["requestId"], r"^[0-9a-f]{16}$")
        _, headers, body = self.server.client("wrong").request("GET", "/api/realm/me/depots")
        self.assertEqual(json.loads(body)["details"]["requestId"], headers["X-Request-Id"])


class Investigated(unittest.TestCase):
    def setUp(self):
        self.server = Server(CAIRN)
        self.server.start()
        self.addCleanup(self.server.__exit__)
        self.owner = self.server.client()
        self.depot = self.owner.call("create_depot", title="project")["depotId"]
        self.writer = None
        for name in ("writer", "other"):
            made = self.owner.call("create_delegate", name=name, canUpload=True)
            client = self.server.client(made["accessToken"])
            self.writer = self.writer or client
            for path in ("src/a.ts", "srcs/b.ts"):
                client.call("fs_write", nodeKey=self.depot, path=path, content=name)
            with self.assertRaises(Failed):
                client.call("fs_read", nodeKey=self.depot, path="src/nothing")

    def entries(self, *options):
        done = subprocess.run([CAIRN, "audit", "--data", self.server.data, "--json", *options],
                              env=CLEAN, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["entries"]

    def audit(self, *options):
        return [(row["tool"], row.get("who"), row.get("about", "")) for row in self.entries(*options)]

    def test_by_name_path_failure_and_kind(self):
        read = ("fs_read", "writer", "project src/nothing")
        a, b = [("fs_write", "writer", f"project {path}") for path in ("src/a.ts", "srcs/b.ts")]
        self.assertEqual(self.audit("--who", "writer"), [read, b, a])
        self.assertEqual(self.audit("--who", "writer", "--path", "src"), [read, a])
        self.assertEqual(self.audit("--who", "writer", "--failed"), [read])
        self.assertEqual(self.audit("--who", "writer", "--writes"), [b, a])
        self.assertEqual(self.audit("--who", "writer", "--writes", "-n", "1"), [b])
        self.assertEqual(self.audit("--who", "writer", "--until", "1h"), [])
        done = subprocess.run([CAIRN, "audit", "--data", self.server.data, "--who", "writr"], env=CLEAN,
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("writr", done.stderr)

    def test_an_entry_has_its_request_and_what_was_said(self):
        got = []
        for tool, path, mine in (("fs_read", "src/nothing", "look-here"), ("fs_ls", "", "and-here")):
            _, headers, _ = self.owner.request(
                "POST", f"/api/realm/me/tools/{tool}", json.dumps({"nodeKey": self.depot, "path": path}),
                {**JSON, "X-Request-Id": mine})
            got.append(headers["X-Request-Id"])
        self.assertEqual(got, ["look-here", "and-here"])
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "fs_ls", "arguments": {"nodeKey": self.depot}}}
        opened = self.owner.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}),
            {**JSON, "Accept": "application/json, text/event-stream"})[1]
        self.owner.request("POST", "/mcp", json.dumps(call), {
            **JSON, "Accept": "application/json, text/event-stream", "X-Request-Id": "by-mcp",
            "Mcp-Session-Id": opened["Mcp-Session-Id"]})
        for request, tool, outcome in (("look-here", "fs_read", "PATH_NOT_FOUND"), ("and-here", "fs_ls", "ok"),
                                       ("by-mcp", "fs_ls", "ok")):
            rows = self.entries("--request", request)
            self.assertEqual([(row["tool"], row["outcome"]) for row in rows], [(tool, outcome)], request)
        row, = self.entries("--request", "look-here")
        self.assertIn("nothing", row["message"])

    def test_what_comes_is_followed(self):
        process = subprocess.Popen([CAIRN, "audit", "--data", self.server.data, "--follow", "--who", "writer"],
                                   env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        # It may not have begun yet: something comes until it has.
        over = threading.Event()

        def work():
            while not over.wait(0.1):
                self.writer.call("fs_write", nodeKey=self.depot, path="new.ts", content="x")

        thread = threading.Thread(target=work)
        thread.start()
        line = process.stdout.readline()
        over.set()
        thread.join()
        self.assertRegex(line, r"writer +rest +fs_write +ok +project new.ts")

    def test_without_a_server_there_is_nothing_to_follow(self):
        self.assertEqual(self.server.stop(), 0)
        done = subprocess.run([CAIRN, "audit", "--data", self.server.data, "--follow"], env=CLEAN,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cairn serve", done.stderr)

    def test_people_see_names_and_seconds(self):
        done = subprocess.run([CAIRN, "audit", "--data", self.server.data, "--who", "writer"], env=CLEAN,
                              capture_output=True, text=True)
        self.assertRegex(done.stdout, r"\d\d:\d\d:\d\d +writer +rest +fs_read +PATH_NOT_FOUND.*project src/nothing")


if __name__ == "__main__":
    CAIRN = sys.argv.pop(1)
    unittest.main(verbosity=1, warnings="ignore")
