#!/usr/bin/env python3
"""Keys that last, and delegates that are changed while they work: keys_test.py CAIRN

The program as its users run it: keys made, mistyped, replaced, over a restart and a kill; what was
last used; a delegate narrowed and widened while its client is connected over MCP, in both eras.
"""

import http.client
import json
import pathlib
import re
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mcp"))
from ways import ACCEPT, CLEAN, MODERN, PATIENCE, LegacyHttp, ModernHttp, Server, events, meta  # noqa: E402, I001
from ways import until  # noqa: E402

CAIRN = str(pathlib.Path(sys.argv[1]).resolve())
KEY = re.compile(r"cairn_[0-9A-HJKMNP-TV-Z]{46}")
DAY = 24 * 3600


class Keys(unittest.TestCase):
    def setUp(self):
        self.server = Server(CAIRN)
        self.addCleanup(self.server.__exit__)
        self.server.start()
        self.owner = self.server.client()
        self.depot = self.owner.call("create_depot", title="handbook")["depotId"]
        for path in ("docs/a.md", "src/b.ts"):
            root = self.owner.call("fs_write", nodeKey=self.depot, path=path, content=path)
            self.owner.call("depot_commit", depotId=self.depot, root=root["newRoot"])

    def cairn(self, *words, token=None, code=0):
        """What a command says, on both channels."""
        where = ["--server", self.server.url, "--token", token] if token else \
            ["--data", self.server.data]
        done = subprocess.run([CAIRN, *words, *where], env=CLEAN, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def made(self, *words):
        issued = json.loads(self.cairn("delegate", "create", "--key", *words, "--json"))
        return issued["delegate"]["delegateId"], issued["accessToken"]

    def shown(self, delegate):
        return json.loads(self.cairn("delegate", "show", delegate, "--json"))

    # ---- keys ---------------------------------------------------------------------------------

    def test_a_key_is_shown_once_and_works_as_a_token_does(self):
        said = self.cairn("delegate", "create", "--name", "ci", "--key", "--expires-in", "30d")
        key = KEY.search(said)
        self.assertTrue(key, said)
        self.assertIn("the key is shown this once", said)
        self.assertNotIn("refresh", said)
        self.assertIn("docs", self.cairn("ls", "handbook", token=key[0]))
        listed = self.cairn("delegate", "list")
        self.assertRegex(listed, r"ci\s+key\s+read")
        self.assertNotIn(key[0], listed + self.cairn("audit", "--json"))

    def test_what_is_wrong_is_said(self):
        delegate, key = self.made()
        swapped = key[:20] + ("1" if key[20] != "1" else "2") + key[21:]
        self.assertIn("mistyped", self.cairn("ls", "handbook", token=swapped, code=7))
        self.assertIn("51 characters", self.cairn("ls", "handbook", token=key[:-1], code=7))
        self.assertIn("366 days", self.cairn("delegate", "create", "--key", "--expires-in", "400d",
                                             code=2))
        self.assertIn("overlap", self.cairn("delegate", "rotate", delegate, "--overlap", "2d", code=2))
        self.assertIn("366 days", self.cairn("delegate", "rotate", delegate, "--expires-in", "400d",
                                             code=2))
        self.assertIn("nothing is to be changed", self.cairn("delegate", "update", delegate, code=2))
        self.assertIn("opposite", self.cairn("delegate", "update", delegate, "--read-only",
                                             "--can-upload", code=2))
        self.assertIn("opposite", self.cairn("delegate", "update", delegate, "--all-depots",
                                             "--depot", "handbook", code=2))
        self.assertIn("soon", self.cairn("delegate", "update", delegate, "--expires-in", "soon", code=2))
        plain = json.loads(self.cairn("delegate", "create", "--json"))["delegate"]["delegateId"]
        self.assertIn("has no key", self.cairn("delegate", "rotate", plain, code=2))
        self.assertIn("--key", self.cairn("delegate", "create", "--kee", code=2))
        self.cairn("delegate", "update", "dlt_00000000000000000000000000", "--name", "x", code=3)

    def test_one_key_takes_the_place_of_another(self):
        delegate, first = self.made("--expires-in", "30d")
        ends = self.shown(delegate)["expiresAt"]
        said = self.cairn("delegate", "rotate", delegate)
        second = KEY.search(said)[0]
        self.assertIn("old key  until", said)
        for key in (first, second):
            self.cairn("ls", "handbook", token=key)
        self.assertEqual(self.shown(delegate)["expiresAt"], ends)
        third = KEY.search(self.cairn("delegate", "rotate", delegate, "--overlap", "0",
                                      "--expires-in", "60d"))[0]
        for key in (first, second):
            self.cairn("ls", "handbook", token=key, code=7)
        self.cairn("ls", "handbook", token=third)
        self.assertGreater(self.shown(delegate)["expiresAt"], ends + 29 * DAY * 1000)
        # By itself, with the key it has, and no longer.
        fourth = KEY.search(self.cairn("delegate", "rotate", token=third))[0]
        self.cairn("delegate", "rotate", "--expires-in", "90d", token=fourth, code=7)
        self.assertIn("replaced already", self.cairn("delegate", "rotate", token=third, code=7))

    def test_a_new_key_that_was_answered_is_there_after_a_kill(self):
        delegate, first = self.made()
        second = json.loads(self.cairn("delegate", "rotate", delegate, "--json"))["accessToken"]
        self.server.kill()
        self.server.start()
        for key in (first, second):
            self.cairn("ls", "handbook", token=key)
        self.assertIsNotNone(self.shown(delegate)["oldKeyUntil"])

    def test_when_it_was_last_used_is_known_after_a_restart(self):
        delegate, key = self.made()
        self.assertIsNone(self.shown(delegate)["lastUsedAt"])
        self.cairn("ls", "handbook", token=key)
        used = self.shown(delegate)["lastUsedAt"]
        self.assertEqual(used % 60_000, 0)
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        self.assertEqual(self.shown(delegate)["lastUsedAt"], used)
        self.assertNotRegex(self.cairn("delegate", "show", delegate), r"used\s+never")

    def test_routes_are_the_same_tools(self):
        delegate, key = self.made()
        at = f"/api/realm/me/delegates/{delegate}"
        head = {"Content-Type": "application/json"}
        status, _, body = self.owner.request("PATCH", at, '{"name": "renamed"}', head)
        self.assertEqual((status, json.loads(body)["name"]), (200, "renamed"))
        status, _, body = self.owner.request("POST", at + "/rotate", '{"overlap": 0}', head)
        self.assertEqual(status, 200, body)
        self.assertRegex(json.loads(body)["accessToken"], KEY)
        status, _, body = self.server.client(key).request("GET", "/api/realm/me/depots")
        self.assertEqual((status, json.loads(body)["error"]), (401, "INVALID_TOKEN"))

    # ---- changes ------------------------------------------------------------------------------

    def test_a_change_is_in_force_with_the_next_call(self):
        delegate, key = self.made("--can-upload")
        self.assertIn("src", self.cairn("ls", "handbook", token=key))
        self.cairn("delegate", "update", delegate, "--read-only", "--scope", "handbook:docs",
                   "--name", "reader", "--expires-in", "1d")
        self.assertNotIn("src", self.cairn("ls", "handbook", token=key))
        self.cairn("cat", "handbook:a.md", token=key)
        self.cairn("rm", "handbook:a.md", token=key, code=7)
        self.cairn("delegate", "update", delegate, "--can-upload", "--all-places", "--expires-in", "parent")
        self.assertIn("src", self.cairn("ls", "handbook", token=key))
        self.cairn("delegate", "update", delegate, "--name", "n" * 201, code=2)
        self.assertEqual(self.shown(delegate)["name"], "reader")

    def test_what_was_seen_before_is_not_named_any_more(self):
        delegate, key = self.made("--can-upload", "--scope", "handbook")
        worker = self.server.client(key)
        draft = worker.call("fs_write", nodeKey=self.depot, path="x", content="x")["newRoot"]
        self.assertEqual(worker.call("fs_stat", nodeKey=draft)["type"], "dir")
        self.owner.call("update_delegate", delegateId=delegate, scope=[self.depot + "/docs"])
        status, _, body = worker.request("POST", "/api/realm/me/tools/fs_stat",
                                         json.dumps({"nodeKey": draft}),
                                         {"Content-Type": "application/json"})
        self.assertEqual((status, json.loads(body)["error"]), (403, "NODE_NOT_AUTHORIZED"))

    def listen(self, caller):
        """The messages of an open stream, as they come."""
        link = http.client.HTTPConnection(self.server.host, self.server.port, timeout=PATIENCE)
        self.addCleanup(link.close)
        head = {"Authorization": f"Bearer {caller.token}", "Accept": ACCEPT,
                "Content-Type": "application/json"}
        if caller.era == "legacy":
            caller.request("tools/list")
            link.request("GET", "/mcp", None, {**head, **caller.its_headers()})
        else:
            body = {"jsonrpc": "2.0", "id": "watch", "method": "subscriptions/listen",
                    "params": {"_meta": meta(), "notifications": {"toolsListChanged": True,
                                                                  "resourcesListChanged": True}}}
            link.request("POST", "/mcp", json.dumps(body),
                         {**head, "MCP-Protocol-Version": MODERN,
                          "Mcp-Method": "subscriptions/listen"})
        response = link.getresponse()
        self.assertEqual(response.status, 200)
        told = []

        def read():
            try:
                for message in events(iter(lambda: response.readline().decode(), "")):
                    told.append(message.get("method"))
            except (OSError, ValueError, AttributeError):
                pass  # the connection was closed

        threading.Thread(target=read, daemon=True).start()
        if caller.era == "modern":
            until(lambda: told, "an acknowledgement")
        return told

    def hear(self, caller_class):
        delegate, key = self.made("--can-upload")
        caller = caller_class(self.server, key)
        self.addCleanup(caller.close)
        names = lambda: {one["name"] for one in caller.request("tools/list")["result"]["tools"]}  # noqa: E731
        before = names()
        told = self.listen(caller)
        self.owner.call("update_delegate", delegateId=delegate, canUpload=False)
        until(lambda: "notifications/tools/list_changed" in told, lambda: told)
        after = names()
        self.assertIn("fs_write", before - after)
        self.assertIn("fs_read", after)
        answer = caller.request("tools/call", {"name": "fs_write", "arguments": {
            "nodeKey": self.depot, "path": "x", "content": "x"}})["result"]
        self.assertIn("UPLOAD_NOT_ALLOWED", answer["content"][0]["text"])
        # Another depot is taken away, and no tool with it.
        del told[:]
        self.owner.call("update_delegate", delegateId=delegate, delegatedDepots=[])
        until(lambda: "notifications/resources/list_changed" in told, lambda: told)
        self.assertNotIn("notifications/tools/list_changed", told)
        # What others are given is not told here.
        del told[:]
        other, _ = self.made()
        self.owner.call("update_delegate", delegateId=other, canUpload=True)
        self.owner.call("update_delegate", delegateId=delegate, canUpload=True)
        until(lambda: told, "word of its own change")
        self.assertEqual(told.count("notifications/tools/list_changed"), 1)
        self.assertEqual(names(), before)

    def test_a_legacy_client_that_is_connected_is_told_of_other_tools(self):
        self.hear(LegacyHttp)

    def test_a_modern_client_that_listens_is_told_of_other_tools(self):
        self.hear(ModernHttp)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
