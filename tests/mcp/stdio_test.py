#!/usr/bin/env python3
"""cairn mcp as MCP clients run it: alone, several on one directory, as a delegate, as a bridge.

stdio_test.py CAIRN [test names…]
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

from stdio_client import ABOUT_ME, CLEAN, Client
from waiting import PATIENCE, ended, own_address, until

CAIRN = ""


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-mcp-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.data = str(self.dir / "data")

    def mcp(self, *options, env=None):
        client = Client([CAIRN, "mcp", "--data", self.data, *options], env)
        self.addCleanup(client.stop)
        return client

    def cairn(self, *words, code=0, env=None, way=None):
        done = subprocess.run([CAIRN, *words, *(way or ["--data", self.data])], capture_output=True,
                              env={**CLEAN, **(env or {})}, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def refuses_to_start(self, code, message, *options, env=None):
        client = self.mcp(*options, env=env)
        got, err = client.leave()
        self.assertEqual(got, code, err)
        self.assertRegex(err, message)
        self.assertIsNone(client.next())

    def serve(self):
        """On the same address each time."""
        server = subprocess.Popen([CAIRN, "serve", "--data", self.data, "--listen",
                                   f"{own_address()}:8765", "--log-format", "none"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=CLEAN)
        self.addCleanup(self.end, server)
        file = pathlib.Path(self.data, "server.json")
        until(lambda: file.exists() and file.read_text().endswith("\n"), "a server")
        return server, json.loads(file.read_text())["url"]

    @staticmethod
    def end(server):
        if server.poll() is None:
            server.terminate()
        ended(server)
        server.stderr.close()

    def owner_token(self):
        return pathlib.Path(self.data, "owner.token").read_text().strip()

    def a_delegate(self, *options):
        made = self.cairn("delegate", "create", *options, "--json")
        return json.loads(made.stdout)["accessToken"]

    def commit(self, client, depot, path, content):
        written = client.call("fs_write", nodeKey=depot, path=path, content=content)
        client.call("depot_commit", depotId=depot, root=written["newRoot"])


class Alone(Base):
    def test_answers_and_ends(self):
        client = self.mcp()
        greeting = client.begin()
        self.assertEqual(greeting["protocolVersion"], "2025-11-25")
        self.assertEqual(greeting["serverInfo"]["name"], "cairn")
        self.assertIn("fs_read", client.tools())
        depot = client.call("create_depot", title="notes")["depotId"]
        self.commit(client, depot, "a.txt", "hello")
        self.assertEqual(client.call("fs_read", nodeKey=depot, path="a.txt")["content"], "hello")
        code, err = client.leave()
        self.assertEqual((code, err), (0, ""))
        # That there is a new depot may be said at any time; nothing else is left to say.
        while (told := client.next()) is not None:
            self.assertEqual(told["method"], "notifications/resources/list_changed")
        self.assertFalse(pathlib.Path(self.data, "server.json").exists())
        self.assertEqual(self.cairn("cat", "notes:a.txt").stdout, b"hello")

    def test_what_was_asked_before_the_end_is_answered(self):
        client = self.mcp()
        lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                  "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"}]
        lines += [{"jsonrpc": "2.0", "id": i, "method": "tools/call",
                   "params": {"name": "create_depot", "arguments": {"title": f"d{i}"}}}
                  for i in range(2, 30)]
        client.send_bytes("\n".join(json.dumps(line) for line in lines).encode())
        code, _ = client.leave()
        self.assertEqual(code, 0)
        ids = set()
        while (message := client.next()) is not None:
            if "id" in message:
                self.assertIn("result", message)
                ids.add(message["id"])
        self.assertEqual(ids, set(range(1, 30)))

    def test_modern(self):
        client = self.mcp()
        found = client.ask_modern("server/discover")
        self.assertIn("2026-07-28", found["supportedVersions"])
        made = client.ask_modern("tools/call", name="create_depot", arguments={"title": "n"})
        depot = made["structuredContent"]["depotId"]
        uri = "cas://depot:" + depot.removeprefix("dpt_")
        listening = client.post("subscriptions/listen", {
            "_meta": ABOUT_ME, "notifications": {"resourceSubscriptions": [uri],
                                                 "resourcesListChanged": True}})
        acknowledged = client.notification("notifications/subscriptions/acknowledged")
        self.assertEqual(acknowledged["params"]["notifications"]["resourceSubscriptions"], [uri])
        # From another program, through the server that this one is.
        self.cairn("put", "/dev/null", f"{depot}:a.txt")
        told = client.notification("notifications/resources/updated")
        self.assertEqual(told["params"]["uri"], uri)
        self.assertEqual(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], listening)
        client.notify("notifications/cancelled", requestId=listening)
        self.assertEqual(client.leave()[0], 0)

    def test_hostile_lines(self):
        client = self.mcp()
        client.begin()
        client.send_bytes(b"x" * (17 << 20) + b"\n")
        self.assertEqual(client.wait_for(lambda m: m.get("id") is None)["error"]["code"], -32600)
        client.send_bytes(b"{\n\xff\xfe\n\n[]\n7\n")
        codes = [client.wait_for(lambda m: m.get("id", 0) is None)["error"]["code"] for _ in range(4)]
        self.assertEqual(sorted(codes), [-32700, -32700, -32600, -32600])
        self.assertEqual(client.ask("ping"), {})
        self.assertEqual(client.leave()[0], 0)

    def test_an_id_that_is_in_use(self):
        client = self.mcp()
        client.begin()
        depot = client.call("create_depot", title="n")["depotId"]
        call = {"jsonrpc": "2.0", "id": "same", "method": "tools/call",
                "params": {"name": "fs_tree", "arguments": {"nodeKey": depot}}}
        client.send(call)
        client.send(call)
        # Both are answered: the second with a result when the first was done already.
        answers = [client.answer("same"), client.answer("same")]
        self.assertIn("result", answers[0] if "result" in answers[0] else answers[1])
        for answer in answers:
            if "error" in answer:
                self.assertEqual(answer["error"]["code"], -32600)

    def test_batches_are_of_one_revision(self):
        batch = [{"jsonrpc": "2.0", "id": "a", "method": "ping"},
                 {"jsonrpc": "2.0", "id": "b", "method": "tools/list"},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}]
        client = self.mcp()
        client.begin("2025-03-26")
        client.send(batch)
        answers = client.wait_for(lambda m: isinstance(m, list))
        self.assertEqual([one["id"] for one in answers], ["a", "b"])
        later = self.mcp("--toolsets", "minimal")
        later.begin("2025-06-18")
        later.send(batch)
        self.assertEqual(later.wait_for(lambda m: m.get("id", 0) is None)["error"]["code"], -32600)

    def test_ends_when_it_is_told_to(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            client = self.mcp()
            client.begin()
            client.process.send_signal(number)
            self.assertEqual(ended(client.process), 0)
            self.assertFalse(pathlib.Path(self.data, "server.json").exists())


class Selecting(Base):
    def test_tools(self):
        minimal = self.mcp("--toolsets", "minimal")
        minimal.begin()
        few = minimal.tools()
        self.assertLess(len(few), 12)
        # Through the one that has the directory open: the same.
        second = self.mcp("--toolsets", "minimal", "--exclude-tools", "fs_read")
        second.begin()
        self.assertEqual(second.tools(), [name for name in few if name != "fs_read"])
        third = self.mcp("--tools", "fs_stat,fs_ls")
        third.begin()
        self.assertEqual(sorted(third.tools()), ["fs_ls", "fs_stat"])

    def test_read_only(self):
        for _ in ("here", "through another"):
            client = self.mcp("--read-only")
            client.begin()
            self.assertIn("fs_read", client.tools())
            self.assertNotIn("fs_write", client.tools())
            error = client.refused("tools/call", {"name": "create_depot", "arguments": {"title": "x"}})
            self.assertEqual(error["code"], -32602)

    def test_what_there_is_not(self):
        def refuse():
            self.refuses_to_start(2, "^cairn: INVALID_ARGUMENT: .*'nonsense'", "--toolsets", "nonsense")
            self.refuses_to_start(2, "fs_read", "--tools", "fs_raed")
            self.refuses_to_start(2, "names nothing", "--tools", "")
        refuse()
        first = self.mcp()
        first.begin()
        refuse()


class AsADelegate(Base):
    def setUp(self):
        super().setUp()
        self.cairn("depot", "create", "notes")
        self.token = self.a_delegate("--name", "reader")

    def check_reader(self, client):
        client.begin()
        tools = client.tools()
        self.assertIn("fs_read", tools)
        self.assertNotIn("fs_write", tools)
        self.assertNotIn("create_depot", tools)
        self.assertEqual([d["title"] for d in client.call("list_depots")["depots"]], ["notes"])

    def test_by_the_environment(self):
        here = self.mcp(env={"CAIRN_TOKEN": self.token})
        self.check_reader(here)
        # Through the first one, which is the delegate's: still each with its own rights.
        self.check_reader(self.mcp("--token", self.token))
        owner = self.mcp()
        owner.begin()
        self.assertIn("fs_write", owner.tools())

    def test_a_token_of_no_use(self):
        def refuse():
            self.refuses_to_start(7, "^cairn: INVALID_TOKEN: ", env={"CAIRN_TOKEN": "nonsense"})
            self.refuses_to_start(2, "cannot read the token from '/nowhere'", "--token-file", "/nowhere")
        refuse()
        owner = self.mcp()
        owner.begin()
        refuse()


class Together(Base):
    def test_two_clients_on_one_directory(self):
        first, second = self.mcp(), self.mcp()
        first.begin()
        second.begin()
        depot = first.call("create_depot", title="shared")["depotId"]
        uri = "cas://depot:" + depot.removeprefix("dpt_")
        for client in (first, second):
            client.ask("resources/subscribe", {"uri": uri})
        self.commit(first, depot, "a.txt", "one")
        self.assertEqual(second.notification("notifications/resources/updated")["params"]["uri"], uri)
        self.commit(second, depot, "b.txt", "two")
        self.assertEqual(first.notification("notifications/resources/updated")["params"]["uri"], uri)
        self.assertIn(b"a.txt", self.cairn("ls", "shared").stdout)
        for client in (second, first):
            self.assertEqual(client.leave(), (0, ""))
        self.assertIn(b"b.txt", self.cairn("ls", "shared").stdout)

    def takes_over(self, leave):
        first = self.mcp()
        first.begin()
        depot = first.call("create_depot", title="shared")["depotId"]
        uri = "cas://depot:" + depot.removeprefix("dpt_")
        second, third = self.mcp(), self.mcp()
        for client in (second, third):
            client.begin()
            client.ask("resources/subscribe", {"uri": uri})
        listening = third.post("subscriptions/listen", {
            "_meta": ABOUT_ME, "notifications": {"resourceSubscriptions": [uri]}})
        third.notification("notifications/subscriptions/acknowledged")
        leave(first)
        # The sessions go on, whoever has the directory now.
        self.commit(second, depot, "a.txt", "one")
        self.assertEqual(third.call("fs_read", nodeKey=depot, path="a.txt")["content"], "one")
        # Its subscription and its stream come over as well, once it has noticed.
        third.kept.clear()
        told = set()

        def is_told():
            self.commit(second, depot, "b.txt", f"{time.monotonic_ns()}")
            third.ask("ping")
            told.update(m["params"].get("_meta", {}).get("io.modelcontextprotocol/subscriptionId")
                        for m in third.kept
                        if m.get("method") == "notifications/resources/updated")
            return told == {None, listening}

        until(is_told, lambda: f"word by both, and not just by {told}", pause=0.05)
        self.assertIn(b"b.txt", self.cairn("ls", "shared").stdout)
        for client in (second, third):
            self.assertEqual(client.leave(), (0, ""))

    def test_one_leaves(self):
        self.takes_over(lambda client: self.assertEqual(client.leave(), (0, "")))

    def test_one_is_killed(self):
        self.takes_over(lambda client: client.stop())

    def test_a_server_comes_and_goes(self):
        server, _ = self.serve()
        client = self.mcp()
        client.begin()
        client.call("create_depot", title="shared")
        self.end(server)
        self.assertEqual(len(client.call("list_depots")["depots"]), 1)
        self.assertEqual(client.leave(), (0, ""))

    def test_many_begin_at_once(self):
        clients = [self.mcp() for _ in range(6)]
        for client in clients:
            client.begin()
        for i, client in enumerate(clients):
            client.call("create_depot", title=f"d{i}")
        self.assertEqual(len(clients[0].call("list_depots")["depots"]), 6)
        for client in clients:
            self.assertEqual(client.leave(), (0, ""))


class ThroughAServer(Base):
    def bridge(self, url, token, *options):
        client = Client([CAIRN, "mcp", "--server", url, *options],
                        {"CAIRN_TOKEN": token} if token else {})
        self.addCleanup(client.stop)
        return client

    def test_a_server_that_restarts(self):
        server, url = self.serve()
        client = self.bridge(url, self.owner_token(), "--toolsets", "minimal")
        client.begin()
        depots = len(client.call("list_depots")["depots"])
        self.end(server)
        self.serve()
        self.assertEqual(len(client.call("list_depots")["depots"]), depots)
        self.assertEqual(client.leave(), (0, ""))

    def test_refusals(self):
        _, url = self.serve()
        for code, message, way in ((7, "INVALID_TOKEN: .*refused the token", [url, "nonsense"]),
                                   (6, "UNAVAILABLE: ", [f"http://{own_address()}:1", "t"]),
                                   (2, "INVALID_ARGUMENT: ", ["nonsense", "t"])):
            client = self.bridge(*way)
            got, err = client.leave()
            self.assertEqual(got, code, err)
            self.assertRegex(err, message)
        none = self.bridge(url, "")
        self.assertEqual(none.leave()[0], 7)


class Settings(Base):
    CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode", "zed", "codex", "windsurf"]

    def block(self, client, *options):
        done = subprocess.run([CAIRN, "mcp", "config", "--client", client, *options], capture_output=True,
                              env={**CLEAN, "XDG_CONFIG_HOME": str(self.dir / "config")}, timeout=PATIENCE,
                              cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        value = tomllib.loads(text) if client == "codex" else json.loads(text)
        (section, servers), = value.items()
        (name, server), = servers.items()
        return section, name, server, done.stderr.decode()

    def start(self, server, env=None):
        client = Client([server["command"], *server["args"]], env=env)
        self.addCleanup(client.stop)
        client.begin()
        return client

    def key_file(self, server):
        return pathlib.Path(server["args"][server["args"].index("--token-file") + 1])

    def test_each_starts_a_server(self):
        sections = set()
        for client in self.CLIENTS:
            section, name, server, err = self.block(
                client, "--data", "data", "--toolsets", "minimal", "--name", "my-cairn")
            sections.add(section)
            self.assertEqual(name, "my-cairn")
            self.assertIn("cairn: this belongs into ", err)
            self.assertTrue(os.path.isabs(server["command"]))
            self.assertIn(str(self.dir / "data"), server["args"])
            started = self.start(server)
            self.assertIn("fs_read", started.tools())
            self.assertEqual(started.leave(), (0, ""))
        self.assertEqual(sections, {"mcpServers", "servers", "context_servers", "mcp_servers"})

    def test_each_is_a_delegate_of_its_own(self):
        self.cairn("depot", "create", "notes")
        self.cairn("depot", "create", "other")
        _, _, server, err = self.block("cursor", "--data", "data", "--depot", "notes", "--expires-in", "2d")
        key = self.key_file(server)
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        self.assertEqual(key.parent.stat().st_mode & 0o777, 0o700)
        secret = key.read_text().strip()
        owner = self.cairn("token", "show").stdout.decode().strip()
        for text in (json.dumps(server), err):
            self.assertNotIn(secret, text)
            self.assertNotIn(owner, text)
        delegate = re.search(r"made the delegate (dlt_\w+) for it", err).group(1)
        about = json.loads(self.cairn("delegate", "show", delegate, "--json").stdout)
        self.assertEqual((about["kind"], about["canUpload"], about["canManageDepot"], len(about["delegatedDepots"])),
                         ("key", True, False, 1))
        self.assertAlmostEqual(about["expiresAt"] - about["createdAt"], 2 * 86_400_000, delta=60_000)
        # The tools of a depot; and what else the key opens.
        self.assertIn("write_file", self.start(server).tools())
        mine = Client([CAIRN, "mcp", "--data", str(self.dir / "data"), "--token-file", str(key)])
        self.addCleanup(mine.stop)
        mine.begin()
        self.assertEqual([d["title"] for d in mine.call("list_depots")["depots"]], ["notes"])
        self.assertNotIn("create_depot", mine.tools())

    def test_rights_that_are_asked_for(self):
        self.cairn("depot", "create", "notes")
        reader = self.start(self.block("zed", "--data", "data", "--read-only")[2]).tools()
        self.assertNotIn("fs_write", reader)
        writer = self.start(self.block("zed", "--data", "data", "--scope", "notes:")[2])
        self.assertIn("fs_write", writer.tools())
        manager = self.start(self.block("zed", "--data", "data", "--can-manage-depot")[2])
        self.assertIn("create_depot", manager.tools())
        # A delegate that is revoked is out.
        _, _, server, err = self.block("zed", "--data", "data")
        self.cairn("delegate", "revoke", re.search(r"dlt_\w+", err).group())
        refused = Client([server["command"], *server["args"]])
        self.addCleanup(refused.stop)
        self.assertEqual(refused.leave()[0], 7)

    def test_as_the_owner_when_it_is_said(self):
        _, _, server, err = self.block("cursor", "--data", "data", "--as-owner")
        self.assertNotIn("--token-file", server["args"])
        self.assertFalse((self.dir / "config").exists())
        self.assertIn("create_depot", self.start(server).tools())
        for more in (["--http"], ["--scope", "x:"], ["--server", "http://127.0.0.1:1"]):
            way = more if "--server" in more else [*more, "--data", "data"]
            done = subprocess.run([CAIRN, "mcp", "config", "--client", "cursor", "--as-owner", *way],
                                  capture_output=True, env=CLEAN, cwd=self.dir, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_endpoints_have_no_secret(self):
        for client in self.CLIENTS[1:]:
            _, _, server, err = self.block(client, "--http", "--server", "https://cairn.example")
            self.assertEqual(server.get("url", server.get("serverUrl")), "https://cairn.example/mcp")
            self.assertNotIn("headers", server)
            self.assertIn("no secret in it", err)
        self.cairn("mcp", "config", "--client", "claude-desktop", "--http", code=2)

    def test_endpoints_with_a_key(self):
        for client in ("zed", "cursor", "codex"):
            _, _, server, err = self.block(client, "--http", "--key", "--data", "data")
            key, = (self.dir / "config/cairn/keys").glob(f"{client}-*")
            secret = key.read_text().strip()
            self.assertRegex(secret, "^cairn_")
            self.assertEqual(secret in json.dumps(server), client == "zed")
            self.assertIn("stands in this block" if client == "zed" else f"CAIRN_TOKEN=$(cat {key})", err)

    def test_a_server_where_nobody_is_signed_in(self):
        _, _, server, err = self.block("cursor", "--server", "http://127.0.0.1:1")
        self.assertNotIn("--token-file", server["args"])
        self.assertIn("run 'cairn login --server http://127.0.0.1:1' before", err)

    def test_unknown_clients(self):
        done = self.cairn("mcp", "config", "--client", "cursr", code=2)
        self.assertIn(b"did you mean 'cursor'?", done.stderr)
        self.assertIn(b"windsurf", done.stderr)
        self.cairn("mcp", "config", code=2)


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
