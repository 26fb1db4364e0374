#!/usr/bin/env python3
"""Endpoints as outsiders meet them: endpoints_test.py CAIRN

Keys that are wrong, disabled, expired, replaced, revoked; tools unbound, renamed, narrowed; mapped
arguments; two endpoints of one owner, two owners, two delegates; MCP, REST, the command line, the
skill's script and the internal listener; keys in no log, endpoint and binding in the audit log;
thirty-two writers of one document.
"""

import concurrent.futures
import itertools
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mcp"))
from ways import CLEAN, PATIENCE, ended, until  # noqa: E402

CAIRN = str(pathlib.Path(sys.argv[1]).resolve())
ORDERS = """{
  "orders": [
    {"id": 1, "total": 1.50, "state": "open"},
    {"id": 12345678901234567890, "total": 80, "state": "paid"}
  ],
  "prices": {"tea": 2.00, "coffee": 3}
}
"""

TITLES = itertools.count(1)  # no two depots have the same


def ask(url, body=None, token=None, method=None, headers=None):
    """(status, answer) of a request; the answer parsed when it is JSON."""
    data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
    request = urllib.request.Request(url, data, method=method)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            status, text = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text.decode(errors="replace")


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.secret = "a secret of more than sixteen letters"
        cls.folder = tempfile.mkdtemp(prefix="cairn-test-")
        folder = pathlib.Path(cls.folder)
        (folder / "secret").write_text(cls.secret + "\n")
        (folder / "secret").chmod(0o600)
        cls.log, greeting = folder / "log", folder / "greeting"
        with open(cls.log, "w") as log, open(greeting, "w") as out:
            cls.process = subprocess.Popen(
                [CAIRN, "serve", "--data", str(folder / "data"), "--listen", "127.0.0.1:0",
                 "--internal-listen", "127.0.0.1:0", "--internal-secret", str(folder / "secret")],
                env=CLEAN, stdout=out, stderr=log)

        def ready():
            assert cls.process.poll() is None, cls.log.read_text()
            return "curl" in greeting.read_text()

        until(ready, "a server")
        said = dict(re.findall(r"^  (\w+) +(http\S+)$", greeting.read_text(), re.M))
        cls.url, cls.internal = said["address"], said["internal"].removesuffix("/internal")
        cls.owner = (folder / "data/owner.token").read_text().strip()

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        code = ended(cls.process)
        shutil.rmtree(cls.folder, ignore_errors=True)
        assert code == 0, code

    def tool(self, name, arguments=None, token=None, expect=200):
        status, answer = ask(f"{self.url}/api/realm/me/tools/{name}", arguments or {},
                             token or self.owner)
        self.assertEqual(status, expect, answer)
        return answer

    def a_depot(self, files=None, token=None):
        depot = self.tool("create_depot", {"title": f"d {next(TITLES)}"}, token)["depotId"]
        root = depot
        for path, text in (files or {"orders.json": ORDERS}).items():
            root = self.tool("fs_write", {"nodeKey": root, "path": path, "content": text},
                             token)["newRoot"]
        self.tool("depot_commit", {"depotId": depot, "root": root}, token)
        return depot

    def a_tool(self, depot, operation, token=None, expect=200, **more):
        definition = {"operationType": operation, "depotId": depot, "path": "orders.json",
                      "jsonPath": "/orders", **more}
        definition = {k: v for k, v in definition.items() if v is not None}
        answer = self.tool("create_tool", definition, token, expect)
        return answer["toolId"] if expect == 200 else answer

    def an_endpoint(self, bindings, token=None, expect=200, **more):
        return self.tool("create_endpoint", {"bindings": bindings, **more}, token, expect)

    def rest(self, key, tool, arguments=None):
        return ask(f"{self.url}/api/v2/rest/{key}/{tool}", {} if arguments is None else arguments)

    def text(self, depot, path="orders.json"):
        return self.tool("fs_read", {"nodeKey": depot, "path": path})["content"]

    # Keys.

    def test_a_key_opens_its_endpoint_until_it_does_not(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}])
        key, endpoint = made["apiKey"], made["endpointId"]
        query = {"expression": "[].id"}
        self.assertEqual(self.rest(key, "q", query)[0], 200)
        wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
        for bad in (wrong, "cek_", "x", key + "0", key[:-1], self.owner.replace("/", "_")):
            status, answer = self.rest(bad, "q", query)
            self.assertEqual((status, answer["error"]), (404, "ENDPOINT_NOT_FOUND"), bad)
        self.tool("update_endpoint", {"endpointId": endpoint, "status": "disabled"})
        self.assertEqual(self.rest(key, "q", query)[0], 404)
        self.tool("update_endpoint", {"endpointId": endpoint, "status": "active"})
        self.assertEqual(self.rest(key, "q", query)[0], 200)
        rotated = self.tool("rotate_endpoint_key", {"endpointId": endpoint})["apiKey"]
        self.assertEqual(self.rest(key, "q", query)[0], 404)
        self.assertEqual(self.rest(rotated, "q", query)[0], 200)
        self.tool("update_endpoint", {"endpointId": endpoint, "expiresIn": 1})
        until(lambda: self.rest(rotated, "q", query)[0] == 404, "its end", pause=0.02)
        self.tool("rotate_endpoint_key", {"endpointId": endpoint}, expect=400)
        self.assertNotIn("expiresAt", self.tool("update_endpoint", {"endpointId": endpoint,
                                                                    "expiresIn": None}))
        self.assertEqual(self.rest(rotated, "q", query)[0], 200)
        self.tool("update_endpoint", {"endpointId": endpoint, "status": "revoked"})
        self.assertEqual(self.rest(rotated, "q", query)[0], 404)
        self.tool("update_endpoint", {"endpointId": endpoint, "status": "active"}, expect=400)
        self.tool("rotate_endpoint_key", {"endpointId": endpoint}, expect=400)

    def test_the_key_is_shown_once(self):
        made = self.an_endpoint([])
        for tool in ("get_endpoint", "update_endpoint"):
            self.assertNotIn("apiKey", self.tool(tool, {"endpointId": made["endpointId"]}))
        self.assertNotIn(made["apiKey"], json.dumps(self.tool("list_endpoints")))

    def test_keys_are_in_no_log(self):
        made = self.an_endpoint([])
        self.rest(made["apiKey"], "nothing")
        ask(f"{self.url}/api/v2/mcp/server/{made['apiKey']}", {"jsonrpc": "2.0"})
        ask(f"{self.url}/api/mcp/server/{made['apiKey']}", {"jsonrpc": "2.0"})
        key = made["apiKey"]
        for odd in ("/api/v2/rest//{}/q", "//api/v2/rest/{}", "/api/v2/mcp/servers/{}",
                    "/api/v2/mcp/{}", "/mcp/server/{}", "/API/v2/rest/{}", "/api/v2/%72est/{}",
                    "/api/v2/rest/-/{}", "/api/mcp/server//{}", "/api/v2/rest/x/{}/y",
                    "/internal/aei/mcp/{}/config", "/%63ek_" + key[4:] + "{}"):
            ask(self.url + odd.format(key))
        log = self.log.read_text()
        self.assertIn("/api/v2/rest/(key)/nothing", log)
        found = [line for line in log.splitlines() if "cek_" in line or key[4:] in line]
        self.assertEqual(found, [])

    def test_a_call_that_began_before_is_too_late(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "create"), "toolName": "c"}])
        body = json.dumps({"items": [{"id": 9}]}).encode()
        host = self.url.removeprefix("http://")
        with socket.create_connection(tuple(host.rsplit(":", 1))) as connection:
            connection.sendall((f"POST /api/v2/rest/{made['apiKey']}/c HTTP/1.1\r\nHost: {host}\r\n"
                                "Content-Type: application/json\r\nConnection: close\r\n"
                                "Expect: 100-continue\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n").encode())
            # It has found what is to be called, and waits for the rest.
            self.assertEqual(connection.recv(4096), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(body[:5])
            self.tool("update_endpoint", {"endpointId": made["endpointId"], "status": "disabled"})
            connection.sendall(body[5:])
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 404 "), answer)
        self.assertEqual(self.text(depot), ORDERS)

    # What an endpoint shows.

    def test_names(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "query")
        made = self.an_endpoint([{"toolId": tool}])
        name = made["bindings"][0]["toolName"]
        self.assertRegex(name, r"^query_[0-9a-f]{8}$")
        self.assertEqual(self.rest(made["apiKey"], name, {"expression": "@"})[0], 200)
        for bad in ("", "a b", "é", "x" * 65, "a/b"):
            answer = self.an_endpoint([{"toolId": tool, "toolName": bad}], expect=400)
            self.assertIn("bindings[0]", answer["message"])
        answer = self.an_endpoint([{"toolId": tool}, {"toolId": tool}], expect=409)
        self.assertEqual(answer["error"], "NAME_TAKEN")
        status, answer = self.rest(made["apiKey"], name[:-1] + "x")
        self.assertEqual((status, answer["error"]), (404, "TOOL_NOT_FOUND"))
        self.assertIn(name, answer["message"])

    def test_unbound_renamed_narrowed(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "preview")
        made = self.an_endpoint([{"toolId": tool, "toolName": "look"}])
        key, endpoint = made["apiKey"], made["endpointId"]
        binding = {"endpointId": endpoint, "bindingId": made["bindings"][0]["bindingId"]}
        self.assertEqual(self.rest(key, "look", {"limit": 5})[1]["total"], 2)
        self.tool("update_binding", {**binding, "toolName": "see"})
        self.assertEqual(self.rest(key, "look")[0], 404)
        self.assertEqual(self.rest(key, "see")[0], 200)
        narrow = {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1,
                                                             "maximum": 3}}}
        self.tool("update_binding", {**binding, "inputSchema": narrow})
        self.assertEqual(self.rest(key, "see", {"limit": 3})[0], 200)
        status, answer = self.rest(key, "see", {"limit": 4})
        self.assertEqual((status, answer["error"]), (400, "INVALID_ARGUMENT"))
        self.assertEqual(self.rest(key, "see", {"offset": 1})[0], 400)
        wide = {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 10 ** 6}}}
        answer = self.tool("update_binding", {**binding, "inputSchema": wide}, expect=400)
        self.assertEqual(answer["error"], "SCHEMA_TOO_WIDE")
        self.assertIn("limit", answer["details"]["schema"])
        self.assertEqual(self.rest(key, "see", {"limit": 3})[0], 200)
        self.tool("unbind_tool", binding)
        self.assertEqual(self.rest(key, "see")[0], 404)

    def test_arguments_are_renamed_fixed_and_hidden(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "preview")
        rules = {"limit": {"name": "count", "description": "how many"},
                 "keys": {"value": ["id"]}, "offset": {"hidden": True}}
        made = self.an_endpoint([{"toolId": tool, "toolName": "p", "arguments": rules}])
        listed = ask(f"{self.url}/api/v2/rest/{made['apiKey']}")[1]["tools"][0]["inputSchema"]
        self.assertEqual(set(listed["properties"]), {"count", "maxBytes"})
        self.assertEqual(listed["properties"]["count"]["description"], "how many")
        status, answer = self.rest(made["apiKey"], "p", {"count": 1})
        self.assertEqual((status, answer["items"]), (200, [{"id": 1}]))
        for bad in ({"limit": 1}, {"keys": ["total"]}, {"offset": 1}, {"count": "1"}):
            self.assertEqual(self.rest(made["apiKey"], "p", bad)[0], 400, bad)
        for wrong, why in (({"nothing": {}}, "no argument"), ({"limit": {"value": "x"}}, "fit"),
                           ({"limit": {"name": "keys"}}, "keys")):
            answer = self.an_endpoint([{"toolId": tool, "arguments": wrong}], expect=400)
            self.assertIn(why, answer["message"])
        binding = {"endpointId": made["endpointId"],
                   "bindingId": made["bindings"][0]["bindingId"]}
        for wrong in ({"limit": {"hidden": "yes"}}, {"limit": {"name": 5}},
                      {"limit": {"bogus": True}}):
            self.tool("update_binding", {**binding, "arguments": wrong}, expect=400)
        query = self.a_tool(depot, "query")
        answer = self.an_endpoint([{"toolId": query, "arguments": {"expression": {"hidden": True}}}],
                                  expect=400)
        self.assertIn("requires", answer["message"])

    def test_config_fixes_and_defaults(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "preview", config={"preview_keys": ["state"],
                                                     "fixed": {"limit": 1}})
        key = self.an_endpoint([{"toolId": tool, "toolName": "p"}])["apiKey"]
        self.assertEqual(self.rest(key, "p")[1]["items"], [{"state": "open"}])
        self.assertEqual(self.rest(key, "p", {"keys": ["id"]})[1]["items"], [{"id": 1}])
        self.assertEqual(self.rest(key, "p", {"limit": 2})[0], 400)
        for bad in ({"fixed": {"nothing": 1}}, {"fixed": {"limit": "x"}}, {"other": 1},
                    {"defaults": 5}):
            answer = self.a_tool(depot, "preview", config=bad, expect=400)
            self.assertIn("config.", answer["message"])
        self.a_tool(depot, "query", config={"fixed": {"expression": "[0"}}, expect=400)

    def test_all_or_nothing(self):
        depot = self.a_depot()
        before = (len(self.tool("list_tools", {"limit": 1000})["tools"]),
                  len(self.tool("list_endpoints", {"limit": 1000})["endpoints"]))
        good = {"operationType": "query", "depotId": depot, "path": "orders.json"}
        answer = self.an_endpoint([{"tool": good}, {"tool": {**good, "path": "none.json"}}],
                                  expect=404)
        self.assertIn("bindings[1]", answer["message"])
        self.an_endpoint([{"tool": good, "toolName": "a"}, {"tool": good, "toolName": "a"}],
                         expect=409)
        after = (len(self.tool("list_tools", {"limit": 1000})["tools"]),
                 len(self.tool("list_endpoints", {"limit": 1000})["endpoints"]))
        self.assertEqual(before, after)

    def test_the_preview_is_what_a_client_sees(self):
        depot = self.a_depot()
        bindings = [{"toolId": self.a_tool(depot, "query"), "toolName": "q"},
                    {"toolId": self.a_tool(depot, "update"), "toolName": "u"}]
        preview = self.tool("preview_endpoint", {"bindings": bindings})
        made = self.an_endpoint(bindings)
        self.assertEqual(self.tool("preview_endpoint", {"endpointId": made["endpointId"]}), preview)
        listed = self.mcp(made["apiKey"], "tools/list")["result"]["tools"]
        self.assertEqual(listed, preview["tools"])
        self.assertEqual(ask(f"{self.url}/api/v2/rest/{made['apiKey']}")[1]["tools"],
                         preview["tools"])

    # Owners.

    def test_two_endpoints_of_one_owner(self):
        depot = self.a_depot()
        read = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}])
        write = self.an_endpoint([{"toolId": self.a_tool(depot, "create"), "toolName": "c"}])
        self.assertEqual(self.rest(read["apiKey"], "c", {"items": [1]})[0], 404)
        self.assertEqual(self.rest(write["apiKey"], "c", {"items": [{"id": 3}]})[0], 200)
        self.assertEqual(self.rest(read["apiKey"], "q", {"expression": "length(@)"})[1]["result"], 3)

    def test_two_owners(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "query")
        made = self.an_endpoint([{"toolId": tool}])
        ann = self.tool("add_user", {"name": f"ann{time.time_ns()}"})["accessToken"]
        self.an_endpoint([{"toolId": tool}], ann, expect=404)
        self.a_tool(depot, "query", ann, expect=404)
        for name, arguments in (("get_tool", {"toolId": tool}), ("delete_tool", {"toolId": tool}),
                                ("update_tool", {"toolId": tool, "name": "x"}),
                                ("get_endpoint", {"endpointId": made["endpointId"]}),
                                ("rotate_endpoint_key", {"endpointId": made["endpointId"]}),
                                ("delete_endpoint", {"endpointId": made["endpointId"]})):
            self.tool(name, arguments, ann, expect=404)
        self.assertEqual(self.tool("list_tools", token=ann)["tools"], [])
        self.assertEqual(self.tool("list_endpoints", token=ann)["endpoints"], [])

    def test_a_delegate_gives_no_more_than_it_has(self):
        depot = self.a_depot({"in/a.json": "[1]", "out/b.json": "[2]"})
        made = self.tool("create_delegate", {"scope": [depot + "/in"]})
        token, delegate = made["accessToken"], made["delegate"]["delegateId"]
        self.a_tool(depot, "query", token, expect=404, path="out/b.json", jsonPath=None)
        self.a_tool(depot, "update", token, expect=403, path="a.json", jsonPath=None)
        tool = self.a_tool(depot, "query", token, path="a.json", jsonPath=None)
        endpoint = self.an_endpoint([{"toolId": tool, "toolName": "q"}], token)
        self.assertEqual(self.rest(endpoint["apiKey"], "q", {"expression": "@"})[1]["result"], [1])
        # The realm's owner sees it, but cannot put tools of its own into it.
        self.tool("get_endpoint", {"endpointId": endpoint["endpointId"]})
        own = self.a_tool(depot, "query", path="out/b.json", jsonPath=None)
        self.tool("bind_tools", {"endpointId": endpoint["endpointId"],
                                 "bindings": [{"toolId": own}]}, expect=404)
        # What it changes for its owner has to be possible for the owner.
        self.tool("update_tool", {"toolId": tool, "path": "in/a.json"}, expect=404)
        self.tool("update_tool", {"toolId": tool, "path": "a.json"})
        self.tool("revoke_delegate", {"delegateId": delegate})
        key = endpoint["apiKey"]
        self.assertEqual(self.rest(key, "q", {"expression": "@"})[0], 404)
        for target in ("", "/openapi.json"):
            self.assertEqual(ask(f"{self.url}/api/v2/rest/{key}{target}")[0], 404)
        self.assertEqual(self.mcp(key, "tools/list")["status"], 404)

    # Operations.

    def test_every_operation(self):
        depot = self.a_depot()
        names = ["get_schema", "get_all", "query", "preview", "select", "create", "update", "delete",
                 "move", "copy"]
        made = self.an_endpoint([{"toolId": self.a_tool(depot, name), "toolName": name}
                                 for name in names])
        call = lambda name, **arguments: self.rest(made["apiKey"], name, arguments)  # noqa: E731
        self.assertEqual(call("get_schema")[1]["arrayLength"], 2)
        self.assertEqual(len(call("get_all")[1]["value"]), 2)
        self.assertIsNone(call("query", expression="nothing")[1]["result"])
        self.assertEqual(call("preview", limit=1, keys=["state"])[1]["items"], [{"state": "open"}])
        self.assertEqual(call("select", field="id", keys=[1])[1]["matched"], 1)
        self.assertEqual(call("create", items=[{"id": 3}])[1]["created"], [2])
        self.assertEqual(call("update", items=[{"index": 2, "value": {"n": 1}}],
                              merge=True)[1]["updated"], [2])
        self.assertEqual(call("copy", **{"from": "/2", "to": "/0"})[1]["to"], "/0")
        self.assertEqual(call("move", **{"from": "/0", "to": "/-"})[0], 200)
        self.assertEqual(call("delete", keys=[-1, -2])[0], 200)
        self.assertEqual(self.text(depot), ORDERS)  # to the byte
        log = self.tool("depot_history", {"depotId": depot})["entries"]
        self.assertTrue(log[0]["message"].startswith("json_delete orders.json#/orders"), log[0])
        # Neither what stands beside the context nor its own place can be written to.
        element = self.an_endpoint([
            {"toolId": self.a_tool(depot, op, jsonPath="/orders/1"), "toolName": op}
            for op in ("move", "copy")])["apiKey"]
        for op, pair in (("copy", {"from": "/id", "to": ""}), ("move", {"from": "", "to": "/x"}),
                         ("move", {"from": "/id", "to": ""})):
            status, answer = self.rest(element, op, pair)
            self.assertEqual((status, answer["error"]), (400, "INVALID_ARGUMENT"), (op, pair))
        self.assertEqual(self.text(depot), ORDERS)
        # toPath is outside of the context unless the owner says otherwise.
        self.assertEqual(call("copy", **{"from": "/0", "to": "/x", "toPath": "b.json"})[0], 400)

    def test_what_is_not_there_names_the_nearest(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "update", jsonPath="/prices"),
                                  "toolName": "u"}])
        status, answer = self.rest(made["apiKey"], "u", {"items": {"coffe": 1}})
        self.assertEqual((status, answer["error"]), (404, "KEY_NOT_FOUND"))
        self.assertIn("coffee", answer["message"])
        answer = self.a_tool(depot, "query", jsonPath="/price", expect=404)
        self.assertEqual(answer["error"], "JSON_PATH_NOT_FOUND")
        self.assertIn("prices", answer["message"])

    def test_outsiders_hear_of_nothing_around_their_context(self):
        depot = self.a_depot({"pub/data.json": '{"orders": {"a": 1}, "salaries": {}}'})
        tools = {op: self.a_tool(depot, op, path="pub/data.json") for op in ("query", "update")}
        key = self.an_endpoint([{"toolId": tool, "toolName": op}
                                for op, tool in tools.items()])["apiKey"]
        answer = self.rest(key, "update", {"items": {"b": 1}})[1]
        self.assertEqual(answer["error"], "KEY_NOT_FOUND")
        for word in ("orders", "pub", "salaries"):
            self.assertNotIn(word, answer["message"])
        self.tool("json_delete", {"depotId": depot, "path": "pub/data.json", "keys": ["orders"]})
        status, answer = self.rest(key, "query", {"expression": "@"})
        self.assertEqual((status, answer["error"]), (404, "NOT_FOUND"))
        for word in ("orders", "pub", "salaries", "data.json"):
            self.assertNotIn(word, json.dumps(answer))
        # What is only for people can be changed all the same.
        self.tool("update_tool", {"toolId": tools["query"], "name": "renamed"})

    def test_between_files(self):
        depot = self.a_depot({"a.json": '{"x": 1.50}\n', "b.json": '{\n  "y": []\n}\n'})
        tool = self.a_tool(depot, "move", path="a.json", jsonPath=None,
                           config={"acrossFiles": True})
        key = self.an_endpoint([{"toolId": tool, "toolName": "m"}])["apiKey"]
        status, answer = self.rest(key, "m", {"from": "/x", "to": "/y/-", "toPath": "b.json"})
        self.assertEqual(status, 200, answer)
        self.assertEqual(json.loads(self.text(depot, "a.json")), {})
        self.assertIn("1.50", self.text(depot, "b.json"))

    def test_files_are_chrooted_and_committed(self):
        depot = self.a_depot({"in/a.txt": "alpha\n", "out/secret.txt": "secret\n"})
        names = ["fs_ls", "fs_read", "fs_write", "fs_grep", "fs_rewrite", "fs_mv", "fs_rm"]
        made = self.an_endpoint([{"toolId": self.a_tool(depot, name, path="in", jsonPath=None),
                                  "toolName": name} for name in names])
        call = lambda name, **arguments: self.rest(made["apiKey"], name, arguments)  # noqa: E731
        self.assertEqual([c["name"] for c in call("fs_ls")[1]["children"]], ["a.txt"])
        self.assertEqual(call("fs_write", path="b.txt", content="b")[0], 200)
        self.assertEqual(self.text(depot, "in/b.txt"), "b")
        self.assertEqual(call("fs_mv", **{"from": "b.txt", "to": "c.txt"})[0], 200)
        self.assertEqual(self.text(depot, "in/c.txt"), "b")
        for path in ("../out/secret.txt", "out/secret.txt", "/out/secret.txt", "in/a.txt"):
            self.assertIn(call("fs_read", path=path)[0], (400, 404), path)
        self.assertNotIn("out/", json.dumps(call("fs_grep", pattern="secret")[1]))
        self.assertIn("a.txt", json.dumps(call("fs_grep", pattern="alpha")[1]))
        self.assertEqual(call("fs_read", path="a.txt", nodeKey=depot)[0], 400)
        key = self.tool("fs_stat", {"nodeKey": depot, "path": "out"})["key"]
        status, answer = call("fs_rewrite", entries={"stolen": {"link": key}})
        self.assertEqual((status, answer["error"]), (403, "NODE_NOT_AUTHORIZED"))
        self.assertEqual(self.text(depot, "out/secret.txt"), "secret\n")
        # What was refused because its directory went away is in the audit log, too.
        self.tool("delete_depot", {"depotId": depot})
        status, answer = call("fs_ls")
        self.assertEqual(status, 404, answer)
        self.assertNotIn("in", answer["message"].split("'"))
        entry = self.tool("get_audit", {"endpointId": made["endpointId"], "limit": 1})["entries"][0]
        self.assertEqual((entry["tool"], entry["outcome"]), ("fs_ls", answer["error"]))

    def test_custom_tools(self):
        depot = self.a_depot()
        script = ("local r = contexts.orders.query{expression = '[].total'}\n"
                  "local sum = 0\nfor _, t in ipairs(r.result) do sum = sum + t end\n"
                  "print('adding')\n"
                  "contexts.log.create{items = {[args.name] = sum}}\n"
                  "return {sum = sum}")
        contexts = {"orders": {"depotId": depot, "path": "orders.json", "jsonPath": "/orders",
                               "operations": ["query"]},
                    "log": {"depotId": depot, "path": "orders.json", "jsonPath": "/prices",
                            "operations": ["create"]}}
        schema = {"type": "object", "properties": {"name": {"type": "string"}},
                  "required": ["name"]}
        config = {"script": script, "inputSchema": schema, "contexts": contexts}
        tool = self.tool("create_tool", {"operationType": "custom", "config": config})["toolId"]
        made = self.an_endpoint([{"toolId": tool, "toolName": "sum"}])
        status, answer = self.rest(made["apiKey"], "sum", {"name": "all"})
        self.assertEqual((status, answer), (200, {"result": {"sum": 81.5}, "log": ["adding"]}))
        self.assertIn('"all": 81.5', self.text(depot))
        self.assertEqual(self.rest(made["apiKey"], "sum", {})[0], 400)
        for body, code, says in (
                ("return contexts.orders.delete{keys={0}}", "SCRIPT_ERROR", "line 1"),
                ("\n\nerror('no')", "SCRIPT_ERROR", "line 3"),
                ("while true do end", "SCRIPT_LIMIT", ""),
                ("return contexts.orders.query{expression='@', path='x'}", "SCRIPT_ERROR", "fixed"),
                ("return io.open('/etc/passwd')", "SCRIPT_ERROR", "line 1")):
            self.tool("update_tool", {"toolId": tool, "config": {**config, "script": body}})
            status, answer = self.rest(made["apiKey"], "sum", {"name": "x"})
            self.assertEqual((status, answer["error"]), (422, code), body)
            self.assertIn(says, answer["message"])
        # Renaming does not get around what the tool's own schema says of names.
        strict = {**schema, "patternProperties": {"^name$": {"maxLength": 3}}}
        body = {**config, "script": "return args.name", "inputSchema": strict,
                "outputSchema": {"enum": ["ab", 5]}}
        self.tool("update_tool", {"toolId": tool, "config": body})
        binding = {"endpointId": made["endpointId"],
                   "bindingId": made["bindings"][0]["bindingId"]}
        self.tool("update_binding", {**binding, "arguments": {"name": {"name": "n"}}})
        self.assertEqual(self.rest(made["apiKey"], "sum", {"n": "ab"})[1], {"result": "ab"})
        self.assertEqual(self.rest(made["apiKey"], "sum", {"n": "abcd"})[0], 400)
        status, answer = self.rest(made["apiKey"], "sum", {"n": "abc"})
        self.assertEqual((status, answer["error"]), (422, "SCRIPT_ERROR"))
        self.assertIn("outputSchema", answer["message"])
        answer = self.tool("update_tool", {"toolId": tool, "config": {**config, "script": "x ="}},
                           expect=422)
        self.assertIn("line 1", answer["message"])

    def test_a_tool_in_use_stays_and_stays_possible(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "preview")
        made = self.an_endpoint([{"toolId": tool, "toolName": "p",
                                  "arguments": {"limit": {"name": "n"}}}])
        answer = self.tool("delete_tool", {"toolId": tool}, expect=409)
        self.assertEqual(answer["details"]["endpoints"], [made["endpointId"]])
        answer = self.tool("update_tool", {"toolId": tool, "operationType": "get_all"}, expect=400)
        self.assertIn("limit", answer["message"])
        self.tool("update_tool", {"toolId": tool, "jsonPath": "/prices"})
        self.assertEqual(self.rest(made["apiKey"], "p", {"n": 1})[1]["items"], {"tea": 2.0})
        self.tool("delete_endpoint", {"endpointId": made["endpointId"]})
        self.tool("delete_tool", {"toolId": tool})

    # Ways in.

    def mcp(self, key, method, params=None, path="/api/v2/mcp/server/", token=None, id=1):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}
        params = {**(params or {}), "_meta": meta}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
                   "Accept": "application/json, text/event-stream"}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        url = self.url + (path + key if token is None else path)
        status, answer = ask(url, {"jsonrpc": "2.0", "id": id, "method": method, "params": params},
                             token, headers=headers)
        if isinstance(answer, str) and "data:" in answer:
            answer = json.loads(answer.rsplit("data:", 1)[1])
        return {"status": status, **(answer if isinstance(answer, dict) else {"text": answer})}

    def test_mcp(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}],
                                description="Orders of the shop")
        key = made["apiKey"]
        for way in ({"path": "/api/v2/mcp/server/"}, {"path": "/api/v2/mcp", "token": key}):
            tools = self.mcp(key, "tools/list", **way)["result"]["tools"]
            self.assertEqual([t["name"] for t in tools], ["q"])
            answer = self.mcp(key, "tools/call", {"name": "q", "arguments": {"expression": "[0].id"}},
                              **way)["result"]
            self.assertEqual(answer["structuredContent"]["result"], 1)
            answer = self.mcp(key, "tools/call", {"name": "q", "arguments": {}}, **way)["result"]
            self.assertTrue(answer["isError"])
            self.assertIn("INVALID_ARGUMENT", answer["content"][0]["text"])
            answer = self.mcp(key, "tools/call", {"name": "fs_read", "arguments": {}}, **way)
            self.assertIn("error", answer)
        found = self.mcp(key, "server/discover")["result"]
        self.assertEqual(found["instructions"], "Orders of the shop")
        self.assertEqual(set(found["capabilities"]), {"tools"})
        self.assertEqual(self.mcp(key, "tools/list", path="/api/mcp/server/")["status"], 404)
        self.assertEqual(self.mcp("", "tools/list", path="/api/v2/mcp", token="nonsense")["status"],
                         404)
        self.tool("update_endpoint", {"endpointId": made["endpointId"], "status": "disabled"})
        self.assertEqual(self.mcp(key, "tools/list")["status"], 404)

    def test_single_context_keys(self):
        depot = self.a_depot()
        status, made = ask(f"{self.url}/api/realm/me/mcp-instances",
                           {"depotId": depot, "path": "orders.json", "jsonPath": "/orders"},
                           self.owner)
        self.assertEqual(status, 200, made)
        key = made["apiKey"]
        self.assertEqual(made["url"], "/api/mcp/server/" + key)
        tools = self.mcp(key, "tools/list", path="/api/mcp/server/")["result"]["tools"]
        self.assertEqual(len(tools), 10)
        self.assertEqual(self.mcp(key, "tools/list")["status"], 404)
        bind = {"endpointId": made["endpointId"],
                "bindings": [{"toolId": self.a_tool(depot, "query"), "toolName": "more"}]}
        self.tool("bind_tools", bind, expect=400)
        self.tool("upgrade_endpoint", {"endpointId": made["endpointId"]})
        for path in ("/api/mcp/server/", "/api/v2/mcp/server/"):
            self.assertEqual(self.mcp(key, "tools/list", path=path)["status"], 200)
        self.tool("bind_tools", bind)
        self.assertEqual(len(self.mcp(key, "tools/list")["result"]["tools"]), 11)
        self.tool("upgrade_endpoint", {"endpointId": self.an_endpoint([])["endpointId"]},
                  expect=400)

    def test_rest(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}],
                                type="rest", name="shop")
        key = made["apiKey"]
        self.assertEqual(made["url"], "/api/v2/rest/" + key)
        by_header = f"{self.url}/api/v2/rest/-/q"
        self.assertEqual(ask(by_header, {"expression": "@"}, key)[0], 200)
        self.assertEqual(ask(by_header, {"expression": "@"})[0], 401)
        self.assertEqual(ask(by_header, {"expression": "@"}, self.owner)[0], 404)
        document = ask(f"{self.url}/api/v2/rest/{key}/openapi.json")[1]
        self.assertEqual(list(document["paths"]), ["/q"])
        self.assertEqual(document["servers"], [{"url": "/api/v2/rest/" + key}])
        self.assertEqual(ask(f"{self.url}/api/v2/rest/{key}/q")[0], 405)
        for body in (b"[]", b"{", b"\xff"):
            self.assertEqual(ask(f"{self.url}/api/v2/rest/{key}/q", body)[0], 400)

    def test_the_command_line(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}],
                                type="skill", name="The Shop!", description="Orders.")
        run = lambda *words, **more: subprocess.run(  # noqa: E731
            [CAIRN, *words], env={**CLEAN, **more}, capture_output=True, text=True)
        done = run("call", "--endpoint", self.url, "--key", made["apiKey"], "q",
                   '{"expression": "[].state"}')
        self.assertEqual(json.loads(done.stdout)["result"], ["open", "paid"], done.stderr)
        done = run("call", "--endpoint", self.url, "q", "{}", CAIRN_ENDPOINT_KEY=made["apiKey"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("expression", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            done = run("endpoint", "export-skill", made["endpointId"], "--to", folder, "--server",
                       self.url, "--token", self.owner)
            self.assertEqual(done.returncode, 0, done.stderr)
            skill = pathlib.Path(folder) / "the-shop"
            page = (skill / "SKILL.md").read_text()
            self.assertTrue(page.startswith("---\nname: the-shop\ndescription: "), page)
            self.assertIn("### q\n", page)
            self.assertNotIn("cek_", page)
            script = str(skill / "scripts/call.sh")
            environment = {**CLEAN, "CAIRN_ENDPOINT_KEY": made["apiKey"]}
            done = subprocess.run([script, "q", '{"expression": "[0].id"}'], env=environment,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, json.loads(done.stdout)["result"]), (0, 1))
            done = subprocess.run([script, "q", "-"], env=environment, capture_output=True,
                                  text=True, input='{"expression": "[0"}')
            self.assertEqual((done.returncode, json.loads(done.stdout)["error"]),
                             (1, "INVALID_QUERY"))
            self.assertEqual(subprocess.run([script, "q"], env=CLEAN).returncode, 2)
            (skill / ".key").write_text(made["apiKey"] + "\n")
            done = subprocess.run([script, "q", '{"expression": "@"}'], env=CLEAN,
                                  capture_output=True)
            self.assertEqual(done.returncode, 0)

    def test_the_internal_listener(self):
        depot = self.a_depot()
        tool = self.a_tool(depot, "preview")
        made = self.an_endpoint([{"toolId": tool, "toolName": "p",
                                  "arguments": {"limit": {"value": 1}}}])
        internal = self.internal
        config = f"{internal}/internal/aei/mcp/{made['apiKey']}/config"
        execute = f"{internal}/internal/adi/{tool}/execute"
        for token in (None, "wrong", self.owner, made["apiKey"]):
            self.assertEqual(ask(config, token=token)[0], 401)
            self.assertEqual(ask(execute, {"arguments": {}}, token)[0], 401)
        self.assertEqual(ask(f"{self.url}/internal/adi/{tool}/execute", {}, self.secret)[0], 404)
        status, found = ask(config, token=self.secret)
        self.assertEqual(status, 200, found)
        self.assertEqual(found["aei"]["id"], made["endpointId"])
        binding = found["bindings"][0]
        self.assertEqual((binding["tool_name"], binding["adi_ref"]["operation_type"],
                          binding["adi_ref"]["json_path"]), ("p", "preview", "/orders"))
        self.assertEqual(ask(execute, {"arguments": {"limit": 2}}, self.secret)[1]["shown"], 2)
        bound = {"arguments": {}, "binding_id": binding["id"]}
        self.assertEqual(ask(execute, bound, self.secret)[1]["shown"], 1)
        bound["arguments"] = {"limit": 2}
        self.assertEqual(ask(execute, bound, self.secret)[0], 400)
        self.assertEqual(ask(execute, {"argument": {}}, self.secret)[0], 400)
        self.assertEqual(ask(execute, {"binding_id": 17}, self.secret)[0], 400)
        self.assertEqual(ask(execute.replace(tool, "adi_" + "0" * 26), {}, self.secret)[0], 404)
        self.tool("update_endpoint", {"endpointId": made["endpointId"], "status": "disabled"})
        self.assertEqual(ask(config, token=self.secret)[0], 404)
        self.assertEqual(ask(execute, bound, self.secret)[0], 404)

    def test_the_audit_log_names_endpoint_and_binding(self):
        depot = self.a_depot()
        made = self.an_endpoint([{"toolId": self.a_tool(depot, "query"), "toolName": "q"}])
        self.rest(made["apiKey"], "q", {"expression": "@"})
        self.rest(made["apiKey"], "q", {"wrong": 1})
        entries = self.tool("get_audit", {"endpointId": made["endpointId"]})["entries"]
        self.assertEqual([(e["tool"], e["outcome"], e["binding"]) for e in entries],
                         [("json_query", code, made["bindings"][0]["bindingId"])
                          for code in ("INVALID_ARGUMENT", "ok")])
        self.assertNotIn(made["apiKey"], json.dumps(self.tool("get_audit", {"limit": 1000})))

    def test_few_scripts_at_once(self):
        config = {"script": "while true do end", "limits": {"timeMs": 500}}
        tool = self.tool("create_tool", {"operationType": "custom", "config": config})["toolId"]
        key = self.an_endpoint([{"toolId": tool, "toolName": "spin"}])["apiKey"]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            codes = [answer["error"] for _, answer in
                     pool.map(lambda _: self.rest(key, "spin"), range(16))]
        # The rest waits for its turn, or is told to come again.
        self.assertIn("SCRIPT_LIMIT", codes)
        self.assertLessEqual(set(codes), {"SCRIPT_LIMIT", "RATE_LIMITED"})

    # Writers.

    def test_thirty_two_writers_lose_nothing(self):
        depot = self.a_depot({"list.json": "[]\n", "dict.json": "{}\n"})
        made = self.an_endpoint(
            [{"toolId": self.a_tool(depot, "create", path="list.json", jsonPath=None),
              "toolName": "append"},
             {"toolId": self.a_tool(depot, "create", path="dict.json", jsonPath=None),
              "toolName": "put"}])
        barrier = threading.Barrier(32)

        def write(writer):
            barrier.wait()
            done = []
            for i in range(6):
                name = f"{writer}.{i}"
                way = ("append", {"items": [name]}) if i % 2 else ("put", {"items": {name: i}})
                status, answer = self.rest(made["apiKey"], *way)
                if status == 200:
                    done.append((way[0], name))
                else:
                    self.fail(answer)
            return done

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            done = [one for all in pool.map(write, range(32)) for one in all]
        appended = json.loads(self.text(depot, "list.json"))
        put = json.loads(self.text(depot, "dict.json"))
        self.assertEqual(sorted(appended), sorted(n for way, n in done if way == "append"))
        self.assertEqual(sorted(put), sorted(n for way, n in done if way == "put"))
        self.assertEqual(len(done), 32 * 6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
