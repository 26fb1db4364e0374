#!/usr/bin/env python3
"""Callers who want everybody's share, or the evidence gone: each attack with the figure it must stay under.

hostile_test.py CAIRN [test names…]

Each test has a server of its own and attacks it for a second or two, while somebody honest works. What is measured is
counts and bytes, or held against the same on the quiet server, so that a busy neighbour does not matter.
"""

import http.client
import json
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from fair import Pair, most_of, p99  # noqa: E402
from server import Failed, Server  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402

CAIRN = ""
JSON = {"Content-Type": "application/json"}
MCP = {**JSON, "Accept": "application/json, text/event-stream"}
MB = 1 << 20


def status_of(client, *request, headers=None):
    return client.request(*request, headers=headers)[0]


class McpSession:
    """A legacy session of a token."""

    def __init__(self, server, token, path="/mcp", revision="2025-03-26", more=None):
        self.client, self.path = server.client(token), path
        params = {"protocolVersion": revision, "capabilities": more or {},
                  "clientInfo": {"name": "x", "version": "1"}}
        self.status, headers, body = self.post(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, {})
        self.session = headers.get("Mcp-Session-Id")

    def post(self, message, session=None):
        head = {**MCP, **({"Mcp-Session-Id": self.session} if session is None else {})}
        return self.client.request("POST", self.path, json.dumps(message), head)

    def ask(self, method, params=None):
        status, _, body = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        return status, json.loads(body)


class Hostile(unittest.TestCase):
    options = ()

    def setUp(self):
        self.server = Server(CAIRN, *self.options)
        self.server.start()
        self.addCleanup(lambda: self.server.__exit__())
        self.owner = self.server.client()

    def depot(self, client, files):
        depot = client.call("create_depot", title=f"d{time.monotonic_ns()}")["depotId"]
        root = depot
        for path, content in files.items():
            root = client.call("fs_write", nodeKey=root, path=path, content=content)["newRoot"]
        client.call("depot_commit", depotId=depot, root=root)
        return depot

    def reader(self, client, depot, **more):
        return client.call("create_delegate", name="reader", scope=[depot], **more)["accessToken"]

    def somebody_else(self, name="bob", password="correct horse"):
        return self.server.client(self.owner.call("add_user", name=name, role="authorized",
                                                  password=password)["accessToken"])

    def each_in_a_thread(self, count, work):
        threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(count)]
        for thread in threads:
            thread.start()
        return threads


class Workers(Hostile):
    def setUp(self):
        super().setUp()
        # Nobody attacks this one: see fair.py.
        self.calm = Server(CAIRN)
        self.calm.start()
        self.addCleanup(self.calm.__exit__)

    def reads(self, client, depot, count):
        """Of a depot with a.txt, at the server and at one like it."""
        owner = self.calm.client()
        like = self.depot(owner, {"a.txt": "hello"})
        other = self.calm.client(self.reader(owner, like))
        pair = Pair(lambda: client.call("fs_read", nodeKey=depot, path="a.txt"),
                    lambda: other.call("fs_read", nodeKey=like, path="a.txt"))
        end = time.monotonic() + 20  # nobody has to wait longer to know
        while len(pair.measured) < count and (time.monotonic() < end or len(pair.measured) < 2):
            pair.measure()
        return pair.take()

    def test_the_greps_of_one_reader_leave_others_their_threads(self):
        # Letters that the pattern goes over again and again, and never matches.
        text = ("abcdefghijklmnopqrstuvwxy" * 40 + "a\n") * 300
        mine = self.depot(self.owner, {f"f{i}.txt": text for i in range(12)})
        token = self.reader(self.owner, mine)
        bob = self.somebody_else()
        yours = self.depot(bob, {"a.txt": "hello"})
        # With a scope, so that reading takes a thread too.
        honest = self.server.client(self.reader(bob, yours))
        quiet = p99(self.reads(honest, yours, 200).ours)

        def attack(_):
            try:
                self.server.client(token).call("fs_grep", nodeKey=mine, pattern="(?:[a-y]{1,50}){1,19}[B-Z]")
            except (Failed, OSError, http.client.HTTPException, ValueError):
                pass  # the server ends before they do

        self.each_in_a_thread(48, attack)
        time.sleep(0.5)  # all of them are there
        reads = self.reads(honest, yours, 400)
        took, same = p99(reads.ours), p99(reads.others)
        print(f"another's p99 read: {quiet * 1000:.1f} ms quiet, {took * 1000:.1f} ms beside 48 greps, "
              f"{same * 1000:.1f} ms at another server meanwhile")
        self.assertLessEqual(took, most_of(quiet, same))

    def test_the_scripts_of_one_reader_leave_others_their_slots(self):
        mine = self.depot(self.owner, {"a.json": "[]"})
        token = self.reader(self.owner, mine)
        bob = self.somebody_else()

        def endpoint(client, script, count):
            bindings = [{"tool": {"operationType": "custom", "config": {
                "script": script, "inputSchema": {"type": "object"}, "limits": {"timeMs": 3000}}},
                "toolName": f"t{i}"} for i in range(count)]
            return client.call("create_endpoint", name="e", type="rest", bindings=bindings)["apiKey"]

        hogs = endpoint(self.server.client(token), "while true do end", 6)
        honest = endpoint(bob, "return 1", 1)

        def run(key, tool):
            return self.server.client("").request("POST", f"/api/v2/rest/{key}/{tool}", "{}", JSON)[0]

        threads = self.each_in_a_thread(24, lambda i: run(hogs, f"t{i % 6}"))
        time.sleep(0.3)
        self.assertEqual([run(honest, "t0") for _ in range(20)], [200] * 20)
        for thread in threads:
            thread.join(PATIENCE)

    def test_the_list_of_tools_is_made_once(self):
        client = self.owner
        bodies = {client.request("GET", "/api/realm/me/tools")[2] for _ in range(3)}
        self.assertEqual(len(bodies), 1)
        self.assertIn(b'"fs_read"', bodies.pop())


class Memory(Hostile):
    def test_a_handshake_keeps_only_what_is_used(self):
        token = self.reader(self.owner, self.depot(self.owner, {"a": "1"}))
        McpSession(self.server, token)
        before = self.server.rss()
        for _ in range(40):
            said = McpSession(self.server, token, more={"experimental": {"x": "A" * 5_000_000}})
            self.assertEqual(said.status, 200)
            said.client.connection.close()
        grown = (self.server.rss() - before) / MB
        print(f"40 handshakes of 5 MB: +{grown:.0f} MB")
        self.assertLess(grown, 64)

    def test_stalled_bodies_are_held_up_to_a_budget(self):
        token = self.reader(self.owner, self.depot(self.owner, {"a": "1"}))
        before = self.server.rss()
        links, refused = [], 0
        body = b" " * (11 * MB)
        for _ in range(30):
            link = socket.create_connection((self.server.host, self.server.port), timeout=PATIENCE)
            links.append(link)
            head = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                    f"Accept: application/json, text/event-stream\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body) + 9}\r\n\r\n").encode()
            try:
                link.sendall(head + body)
            except OSError:
                refused += 1
        # The last of it is on its way: another's call has been answered since.
        self.owner.call("list_depots")
        held = (self.server.rss() - before) / MB
        print(f"30 stalled bodies of 11 MB: +{held:.0f} MB")
        self.assertLess(held, 64 + 64)
        honest = self.somebody_else()
        self.assertEqual(honest.call("list_depots")["depots"], [])
        for link in links:
            link.close()


    def test_files_that_are_read_whole_are_answered_up_to_a_budget(self):
        # Each byte takes six in the answer.
        depot = self.depot(self.owner, {"small.txt": "x"})
        status, _, body = self.owner.request(
            "POST", f"/api/realm/me/nodes/fs/{depot}/write?path=big.log", b"\x01" * (20 * MB),
            {"Content-Type": "application/octet-stream"})
        self.assertLess(status, 300, body)
        self.owner.call("depot_commit", depotId=depot, root=json.loads(body)["newRoot"])
        title = self.owner.call("get_depot", depotId=depot)["title"]
        token = self.reader(self.owner, depot)
        path = f"/mcp/workspaces/{title}"
        session = McpSession(self.server, token, path)
        self.assertEqual(session.status, 200)
        before, links, over = self.server.rss(), [], threading.Event()
        most = [before]

        def watch(_):
            while not over.wait(0.01):
                most[0] = max(most[0], self.server.rss())

        watching = self.each_in_a_thread(1, watch)
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "read_text_file", "arguments": {"path": "big.log"}}}).encode()
        for _ in range(8):
            link = socket.create_connection((self.server.host, self.server.port), timeout=PATIENCE)
            self.addCleanup(link.close)
            link.sendall((f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                          f"Mcp-Session-Id: {session.session}\r\nAccept: application/json, text/event-stream\r\n"
                          f"Content-Type: application/json\r\nContent-Length: {len(message)}\r\n\r\n").encode()
                         + message)
            links.append(link)
        # All of them have been answered, as far as they are.
        for link in links:
            self.assertTrue(link.recv(1))
        over.set()
        watching[0].join()
        grown = (most[0] - before) / MB
        print(f"8 answers of a file of 20 MB that nobody reads: +{grown:.0f} MB")
        self.assertLess(grown, 64 + 64)

    def test_sessions_and_what_they_watch_are_small(self):
        path = "/".join(["d" * 250] * 15)
        depot = self.depot(self.owner, {f"{path}/{i}": "x" for i in range(2)})
        token = self.reader(self.owner, depot)
        McpSession(self.server, token)
        before = self.server.rss()
        for _ in range(500):
            said = McpSession(self.server, token)
            self.assertEqual(said.status, 200)
            said.client.connection.close()
        each = (self.server.rss() - before) / 500
        print(f"a session: {each / 1024:.1f} KB")
        # All that one may have, and all there may be, stay within 64 MB and 128 MB.
        self.assertLess(each * 20_000, 64 * MB)
        # Addresses of files that are as long as they can be, in as many sessions as it takes.
        before, refused = self.server.rss(), False
        uri = f"cas://depot:{depot.removeprefix('dpt_')}/" + "".join(
            f"%{ord(c):02x}" if c != "/" else c for c in path) + "/0"
        watched = 0
        while not refused and watched < 6000:
            session = McpSession(self.server, token)
            for i in range(250):
                # A number of other addresses of the same file.
                one = uri.replace("%64", "d", i + 1)
                answer = session.ask("resources/subscribe", {"uri": one})[1]
                refused = "error" in answer
                if refused:
                    break
                watched += 1
            self.assertTrue(watched > 0, answer)
            session.client.connection.close()
        grown = (self.server.rss() - before) / MB
        print(f"{watched} subscriptions of 11 KB each: +{grown:.0f} MB")
        self.assertTrue(refused, watched)
        self.assertLess(grown, 64)

    def test_ids_of_requests_that_stay_are_short(self):
        token = self.reader(self.owner, self.depot(self.owner, {"a": "1"}))
        message = {"jsonrpc": "2.0", "id": "x" * 5_000_000, "method": "subscriptions/listen", "params": {
            "notifications": {"resourcesListChanged": True},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}}}}
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST", "/mcp", json.dumps(message), {
            **MCP, "Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "subscriptions/listen"})
        # Otherwise it is a stream, which stays.
        answer = connection.getresponse()
        self.assertEqual(answer.status, 400)
        self.assertIn(b"'id'", answer.read())


class Connections(Hostile):
    def setUp(self):
        # Of the server, which raises its own as far as it may: this is how far.
        self.most = 400
        popen = subprocess.Popen
        most = self.most

        def limited(*args, **more):
            return popen(*args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)), **more)

        subprocess.Popen = limited
        try:
            super().setUp()
        finally:
            subprocess.Popen = popen

    def test_idle_strangers_give_way(self):
        depot = self.depot(self.owner, {"a": "1"})
        links = []
        self.addCleanup(lambda: [link.close() for link in links])
        for _ in range(self.most * 2):
            try:
                link = socket.create_connection((self.server.host, self.server.port), timeout=PATIENCE)
                link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                links.append(link)
            except OSError:
                pass
        # Whoever was there stays, and whoever comes with a token is let in.
        self.owner.call("fs_read", nodeKey=depot, path="a")
        for i in range(20):
            client = self.server.client()
            root = client.call("fs_write", nodeKey=depot, path=f"n{i}", content="x")["newRoot"]
            client.call("depot_commit", depotId=depot, root=root)


class SignIn(Hostile):
    def sign_in(self, name, password):
        status, _, body = self.server.client("").request(
            "POST", "/api/auth/login", json.dumps({"name": name, "password": password}), JSON)
        return status, json.loads(body)

    def test_others_failures_hold_no_right_password(self):
        self.somebody_else("ann")
        over = threading.Event()

        def flood(thread):
            guess = 0
            while not over.is_set():
                guess += 1
                self.sign_in(f"guess{thread}-{guess}", "wrong password")

        threads = self.each_in_a_thread(8, flood)
        time.sleep(0.5)
        tried = [self.sign_in("ann", "correct horse")[0] for _ in range(10)]
        over.set()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(tried, [200] * 10)

    def test_guesses_at_one_name_are_few(self):
        self.somebody_else("ann")
        began = time.monotonic()
        tried = [self.sign_in("ann", "wrong password")[0] for _ in range(40)]
        # Five, and one more every two seconds.
        self.assertLessEqual(tried.count(401), 5 + (time.monotonic() - began) / 2 + 1)
        self.assertEqual(self.sign_in("owner", "whatever it is")[0], 401)

    def test_signs_of_theft_are_in_the_log(self):
        self.somebody_else()
        self.sign_in("bob", "wrong password")
        status, issued = self.sign_in("bob", "correct horse")
        self.assertEqual(status, 200)
        for expected in (200, 401):
            status, _, _ = self.server.client("").request(
                "POST", "/api/auth/refresh", json.dumps({"refreshToken": issued["refreshToken"]}), JSON)
            self.assertEqual(status, expected)
        bob = self.server.client(self.sign_in("bob", "correct horse")[1]["accessToken"])
        seen = [(e["tool"], e["outcome"]) for e in bob.call("get_audit")["entries"]]
        self.assertIn(("sign_in", "INVALID_TOKEN"), seen)
        self.assertIn(("refresh", "TOKEN_REPLAYED"), seen)
        # A changed password ends what the old one opened.
        self.owner.call("update_user", userId="bob", password="another horse")
        self.assertEqual(status_of(bob, "GET", "/api/realm/me/depots"), 401)

    def test_a_replay_leaves_the_owners_token(self):
        self.owner.call("update_user", userId="owner", password="correct horse")
        issued = self.sign_in("owner", "correct horse")[1]
        for _ in range(2):
            self.server.client("").request(
                "POST", "/api/auth/refresh", json.dumps({"refreshToken": issued["refreshToken"]}), JSON)
        self.assertEqual(status_of(self.server.client(issued["accessToken"]), "GET", "/api/realm/me/depots"), 401)
        self.assertEqual(status_of(self.server.client(), "GET", "/api/realm/me/depots"), 200)


class Logs(Hostile):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.log = os.path.join(directory.name, "requests.log")
        self.options = ("--log-format", "text", "--log-file", self.log)
        super().setUp()

    def audit(self, **query):
        return json.loads(self.owner.request("POST", "/api/realm/me/tools/get_audit", json.dumps(query), JSON)[2])

    def test_refusals_are_counted_and_changes_stay(self):
        depot = self.depot(self.owner, {"a": "1"})
        self.owner.call("depot_commit", depotId=depot, root=self.owner.call(
            "fs_rm", nodeKey=depot, path="a")["newRoot"], message="evidence")
        session = McpSession(self.server, self.reader(self.owner, depot))
        call = {"name": "fs_mv", "arguments": {"nodeKey": depot, "from": "a", "to": "b" * 200}}
        for _ in range(50):
            session.post([{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": call} for i in range(100)])
        entries, cursor = [], None
        while True:
            page = self.audit(tool="fs_mv", limit=1000, **({"cursor": cursor} if cursor else {}))
            entries += page["entries"]
            cursor = page["nextCursor"]
            if not cursor:
                break
        print(f"5000 refused calls: {len(entries)} entries")
        self.assertLess(len(entries), 2500)
        self.assertEqual(sum(e.get("count", 1) for e in entries), 5000)
        self.assertTrue(self.audit(tool="depot_commit")["entries"])

    def test_names_make_no_lines_of_their_own(self):
        token = self.reader(self.owner, self.depot(self.owner, {"a": "1"}))
        session = McpSession(self.server, token)
        forged = "x\n2026-01-01T00:00:00.000Z 10.0.0.1 POST /api/admin/users 200 FORGED\x1b[2J"
        session.ask("tools/call", {"name": forged, "arguments": {}})
        session.ask(forged)
        session.ask("m" * 5_000_000)
        lines = until(lambda: (text := open(self.log, "rb").read()).count(b"/mcp") >= 4 and text.split(b"\n"))
        self.assertFalse([line for line in lines if line.startswith(b"2026-01-01")])
        self.assertNotIn(b"\x1b", b"".join(lines))
        self.assertLess(max(len(line) for line in lines), 2000)


class Rates(Hostile):
    options = ("--rate", "20")

    def test_every_method_counts(self):
        token = self.reader(self.owner, self.depot(self.owner, {"a": "1"}))
        session = McpSession(self.server, token)
        for method in ("ping", "tools/list", "prompts/list", "no/such/method"):
            time.sleep(0.2)
            limited = sum("RATE_LIMITED" in json.dumps(session.ask(method)[1]) for _ in range(150))
            self.assertGreater(limited, 20, method)
        batch = [{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in range(100)]
        answers = json.loads(session.post(batch)[2])
        self.assertGreater(sum("RATE_LIMITED" in json.dumps(one) for one in answers), 20)
        client = self.server.client(token)
        self.assertIn(429, {status_of(client, "GET", "/api/realm/me/tools") for _ in range(150)})
        self.assertIn(429, {McpSession(self.server, token).status for _ in range(60)})


class Hosts(Hostile):
    def test_only_names_of_this_machine_are_served(self):
        for method, target in (("GET", "/metrics"), ("POST", "/api/auth/login"), ("GET", "/healthz"),
                               ("GET", "/api/v2/rest/key"), ("GET", "/api/realm/me/depots")):
            for host, good in (("evil.com", False), ("localhost", True), ("127.0.0.1:80", True)):
                status = status_of(self.owner, method, target, headers={"Host": host})
                self.assertEqual(status != 403, good, (target, host, status))


if __name__ == "__main__":
    CAIRN = sys.argv[1]
    unittest.main(argv=["hostile_test.py", *sys.argv[2:]], verbosity=2, warnings="ignore")
