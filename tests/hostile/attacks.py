"""What one hostile caller does to a server, each for a moment: what `soak` plays at random.

An attack is a function of a Target and a random number generator. It returns by itself within a few seconds, leaves no
connection behind, and does not care what it is answered: what has to hold is looked at by others. The caller has what
the weakest have: a delegate that reads one depot, the key of an endpoint that this delegate made, and no token at all.
"""

import http.client
import json
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Client, Failed  # noqa: E402

JSON = {"Content-Type": "application/json"}
MCP = {**JSON, "Accept": "application/json, text/event-stream"}
MB = 1 << 20
# One attack lasts about as long; calls that are still running then are left by closing their connections.
MOMENT = 1.5
# What a server that defends itself may do to a caller.
REFUSED = (Failed, OSError, http.client.HTTPException, ValueError)
# Nearly as long as a path can be.
LONG_PATH = "/".join(["f" * 250] * 15)
# Goes over the letters of prepare() again and again, and never matches.
SLOW_PATTERN = "(?:[a-y]{1,50}){1,19}[B-Z]"


class Target:
    """A server as the attacker sees it."""

    def __init__(self, host, port, token, depot, key, bob):
        self.host, self.port, self.token, self.depot, self.key, self.bob = host, port, token, depot, key, bob

    def client(self, token=None):
        return Client(self, self.token if token is None else token)

    def raw(self, data, timeout=2.0):
        link = socket.create_connection((self.host, self.port), timeout=timeout)
        try:
            link.sendall(data)
        except OSError:
            link.close()
            raise
        return link

    def head(self, method, path, length, token=None):
        return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token or self.token}\r\n"
                f"Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
                f"Content-Length: {length}\r\n\r\n").encode()

    def post(self, path, message, more=None):
        """Sends a call and does not wait for its answer."""
        body = json.dumps(message).encode()
        lines = "".join(f"{name}: {value}\r\n" for name, value in (more or {}).items()).encode()
        return self.raw(self.head("POST", path, len(body))[:-2] + lines + b"\r\n" + body)


def prepare(owner):
    """What the attacks need in the realm of `owner`: a depot, a reader of it, an endpoint of the reader."""
    text = ("abcdefghijklmnopqrstuvwxy" * 40 + "a\n") * 300
    depot = owner.call("create_depot", title="bait")["depotId"]
    root = depot
    for i in range(8):
        root = owner.call("fs_write", nodeKey=root, path=f"f{i}.txt", content=text)["newRoot"]
    root = owner.call("fs_write", nodeKey=root, path="big.log", content="\x01" * (MB * 3 // 2))["newRoot"]
    for path in ("a.json", LONG_PATH):
        root = owner.call("fs_write", nodeKey=root, path=path, content="[]")["newRoot"]
    owner.call("depot_commit", depotId=depot, root=root)
    token = owner.call("create_delegate", name="reader", scope=[depot])["accessToken"]
    reader = Client(owner.server, token)
    loop = {"operationType": "custom", "config": {"script": "while true do end", "limits": {"timeMs": 1500},
                                                  "inputSchema": {"type": "object"}}}
    choice = {"operationType": "custom", "config": {"script": "return 1", "inputSchema": {
        "type": "object", "properties": {"x": {"type": "array", "items": {"enum": [
            "a" * 40 + str(i) for i in range(2000)]}}}}}}
    key = reader.call("create_endpoint", name="hog", type="rest", bindings=[
        *({"tool": loop, "toolName": f"loop{i}"} for i in range(4)), {"tool": choice, "toolName": "choice"}])["apiKey"]
    return token, depot, key


def for_a_moment(count, work):
    """`work` again and again in so many threads, whatever it is refused with."""
    end = time.monotonic() + MOMENT

    def run(number):
        while time.monotonic() < end:
            try:
                work(number)
            except REFUSED:
                pass

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def hold(links_of):
    """Connections that are held for a moment and then dropped."""
    links = []
    end = time.monotonic() + MOMENT
    for make in links_of:
        if time.monotonic() > end:
            break
        try:
            links.append(make())
        except REFUSED:
            pass
    time.sleep(max(0.0, end - time.monotonic()))
    for link in links:
        link.close()


def initialize(more=None, revision="2025-03-26"):
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": more or {}, "clientInfo": {"name": "x", "version": "1"}}}


def call(tool, **arguments):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def session(at, client, path="/mcp"):
    """Headers of a session of its own."""
    _, headers, _ = client.request("POST", path, json.dumps(initialize()), MCP)
    return {"Mcp-Session-Id": headers.get("Mcp-Session-Id") or "none"}


def idle_strangers(at, _):
    hold([lambda: at.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")] * 600)


def half_heads(at, _):
    hold([lambda: at.raw(b"GET /healthz HTTP/1.1\r\nHost: loc")] * 200)


def large_handshakes(at, _):
    body = json.dumps(initialize({"experimental": {"x": "A" * (4 * MB)}}))
    for_a_moment(2, lambda _: at.client().request("POST", "/mcp", body, MCP))


def many_sessions(at, _):
    body = json.dumps(initialize())
    clients = [at.client() for _ in range(4)]
    for_a_moment(4, lambda i: clients[i].request("POST", "/mcp", body, MCP))


def long_ids(at, _):
    """Streams that stay, each with an id that would stay with it."""
    message = {"jsonrpc": "2.0", "id": "x" * (4 * MB), "method": "subscriptions/listen", "params": {
        "notifications": {"resourcesListChanged": True},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}}}}
    hold([lambda: at.post("/mcp", message, {"MCP-Protocol-Version": "2026-07-28",
                                            "Mcp-Method": "subscriptions/listen"})] * 12)


def long_addresses(at, _):
    """Subscriptions to one thing under many long names."""
    client = at.client()
    opened = {**MCP, **session(at, client)}
    uri = f"cas://depot:{at.depot.removeprefix('dpt_')}/" + LONG_PATH.replace("f", "%66")

    numbers = iter(range(1, 10**6))

    def subscribe(_):
        i = next(numbers)
        client.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": i, "method": "resources/subscribe",
            "params": {"uri": uri.replace("%66", "f", i)}}), opened)

    for_a_moment(1, subscribe)


def stalled_bodies(at, _):
    body = b" " * (11 * MB)
    hold([lambda: at.raw(at.head("POST", "/mcp", len(body) + 9) + body)] * 12)


def unread_answers(at, random):
    where = random.choice((
        lambda: ("/api/realm/me/tools/fs_read", {"nodeKey": at.depot, "path": "big.log"}),
        lambda: ("/mcp/workspaces/bait", call("read_text_file", path="big.log"),
                 session(at, at.client(), "/mcp/workspaces/bait"))))()
    hold([lambda: at.post(*where)] * 8)


def greps(at, random):
    count = random.choice((8, 48))
    hold([lambda: at.post("/api/realm/me/tools/fs_grep", {"nodeKey": at.depot, "pattern": SLOW_PATTERN})] * count)


def endless_scripts(at, _):
    for_a_moment(12, lambda i: at.client("").request("POST", f"/api/v2/rest/{at.key}/loop{i % 4}", "{}", JSON))


def large_enums(at, _):
    body = json.dumps({"x": ["a" * 40 + "1999"] * 10_000})
    for_a_moment(2, lambda _: at.client("").request("POST", f"/api/v2/rest/{at.key}/choice", body, JSON))


def lists_of_tools(at, _):
    asked = at.head("GET", "/api/realm/me/tools", 0) * 20

    def pipeline(_):
        link = at.raw(asked)
        try:
            while link.recv(1 << 16):
                pass
        finally:
            link.close()

    for_a_moment(2, pipeline)


def refused_calls(at, _):
    moved = call("fs_mv", nodeKey=at.depot, **{"from": "a.json", "to": "b" * 200})
    body = json.dumps([{**moved, "id": i} for i in range(100)])
    clients = [at.client(), at.client()]

    def batches(number):
        client = clients[number]
        opened = session(at, client)
        for _ in range(20):
            client.request("POST", "/mcp", body, {**MCP, **opened})

    for_a_moment(2, batches)


def forged_names(at, random):
    name = random.choice(("x\n2026-01-01T00:00:00.000Z FORGED\x1b[2J", "m" * MB))
    body = json.dumps(call(name))
    client = at.client()
    opened = {**MCP, **session(at, client)}
    for_a_moment(1, lambda _: client.request("POST", "/mcp", body, opened))


def wrong_passwords(at, random):
    names = [f"guess{random.randrange(10**9)}" for _ in range(50)] + ["owner"]

    def guess(number):
        at.client("").request("POST", "/api/auth/login", json.dumps(
            {"name": random.choice(names), "password": "wrong password"}), JSON)

    for_a_moment(4, guess)


def everything_made(at, random):
    """Delegates, tools and endpoints until no more are given, and away with them again is nobody's duty."""
    client = [at.client() for _ in range(2)]
    text = "-- " + "x" * random.choice((10, 20_000))

    def make(number):
        tool = random.choice(("create_delegate", "create_tool", "create_endpoint"))
        what = {"create_delegate": {"name": text[:200]},
                "create_tool": {"operationType": "custom",
                                "config": {"script": text, "inputSchema": {"type": "object"}}},
                "create_endpoint": {"name": "e", "type": "rest", "bindings": []}}[tool]
        client[number].call(tool, **what)

    for_a_moment(2, make)


def foreign_nodes(at, random):
    """What is not the caller's: roots that it cannot see, and claims of them."""
    def ask(_):
        node = "nod_" + "".join(random.choice("0123456789ABCDEFGHJKMNPQRSTVWXYZ") for _ in range(52))
        client = at.client()
        client.request("POST", "/api/realm/me/tools/fs_ls", json.dumps({"nodeKey": node}), JSON)
        client.request("POST", "/api/realm/me/tools/fs_read", json.dumps({"nodeKey": at.bob, "path": "log.txt"}), JSON)
        client.request("POST", "/api/realm/me/nodes/claim", json.dumps({"claims": [{"key": node, "pop": "x"}]}), JSON)

    for_a_moment(2, ask)


def wrong_hosts(at, _):
    for_a_moment(2, lambda _: at.client("").request("GET", "/metrics", None, {"Host": "evil.com"}))


def garbage(at, random):
    def send(_):
        link = at.raw(random.randbytes(random.randrange(1, 20_000)) + b"\r\n\r\n")
        link.close()

    for_a_moment(2, send)


ALL = (idle_strangers, half_heads, large_handshakes, many_sessions, long_ids, long_addresses, stalled_bodies,
       unread_answers, greps, endless_scripts, large_enums, lists_of_tools, refused_calls, forged_names, wrong_passwords, everything_made,
       foreign_nodes, wrong_hosts, garbage)
