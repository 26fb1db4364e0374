#!/usr/bin/env python3
"""hostile.py CAIRN [ATTACK…]: what MCP clients who mean harm can do to a whole server.

Each attack gets its clear refusals; after each the server answers a good request at once, and its
memory is bounded. In the end nothing in the depot has changed that was not meant to.
"""

import contextlib
import http.client
import itertools
import json
import random
import resource
import socket
import struct
import sys
import threading
import time

from ways import (ACCEPT, LEGACY, MODERN, PATIENCE, LegacyHttp, ModernHttp, Report, Server, hello,
                  meta)

MB = 1_000_000
MOST_MEMORY = 300 * MB
# For a moment, while large bodies are read.
MOST_AT_PEAK = 400 * MB
# With ten thousand sessions that nobody uses.
MOST_WITH_SESSIONS = 200 * MB


class Field:
    """A server under attack, and one client that means well."""

    def __init__(self, report, server, calm):
        self.report, self.server = report, server
        # Whatever else this machine does, it does to the calm server as well.
        self.calm = calm
        self.depot = self.tool("create_depot", title="target")["depotId"]
        root = self.tool("fs_write", nodeKey=self.depot, path="a.txt", content="a\n")["newRoot"]
        root = self.tool("fs_write", nodeKey=root, path="big.txt",
                         content="".join(f"line {n} of many\n" for n in range(40_000)))["newRoot"]
        self.tool("depot_commit", depotId=self.depot, root=root)
        self.uri = f"cas://depot:{self.depot[4:]}"
        # Whoever means harm has a token, but is not the owner.
        self.token = self.tool("create_delegate", name="enemy", canUpload=True)["accessToken"]

    def check(self, *things):
        return self.report.check(*things)

    def tool(self, tool, /, **arguments):
        # A connection of its own: one that is idle through an attack is closed by the server.
        answer = ModernHttp(self.server).request("tools/call", {"name": tool, "arguments": arguments})
        return answer["result"]["structuredContent"]

    def commit(self, number):
        root = self.tool("fs_write", nodeKey=self.depot, path="nnnnnn",
                         content=f"{number}\n")["newRoot"]
        self.tool("depot_commit", depotId=self.depot, root=root)

    def still_well(self, attack):
        # The machine may be busy with others just then: what an attack left behind stays.
        for _ in range(3):
            began = time.monotonic()
            read = self.tool("fs_read", nodeKey=self.depot, path="a.txt")["content"]
            took = time.monotonic() - began
            ModernHttp(self.calm).request("tools/list")
            usual = time.monotonic() - began - took
            if took < max(5, 10 * usual):
                break
        self.check(f"{attack}: a good request is answered", read == "a\n", read)
        self.check(f"{attack}: at once", took < max(5, 10 * usual), took, usual)
        self.check(f"{attack}: memory is bounded", self.server.rss() < MOST_MEMORY,
                   self.server.rss() // MB)

    def peak(self):
        with open(f"/proc/{self.server.process.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmHWM"].split()[0]) * 1024

    def link(self):
        return socket.create_connection((self.server.host, self.server.port), timeout=PATIENCE)

    def head(self, method="POST", **headers):
        """The beginning of a request, as bytes; headers with `_` for `-`."""
        lines = {"Host": f"{self.server.host}:{self.server.port}", "Accept": ACCEPT,
                 "Authorization": f"Bearer {self.token}",
                 "Content-Type": "application/json",
                 **{name.replace("_", "-"): value for name, value in headers.items()}}
        text = f"{method} /mcp HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        return text.encode()

    def post(self, body, **headers):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.head(**headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body

    def raw(self, data):
        """The status and the body's JSON, of bytes sent as they are."""
        with self.link() as link:
            with contextlib.suppress(OSError):  # refused before all of it was sent
                for piece in [data] if isinstance(data, bytes) else data:
                    link.sendall(piece)
            response = http.client.HTTPResponse(link)
            try:
                response.begin()
                body = response.read()
            except (OSError, http.client.HTTPException) as broken:
                return 0, repr(broken)
        try:
            return response.status, json.loads(body)
        except ValueError:
            return response.status, body

    def session(self, version=LEGACY):
        opened = LegacyHttp(self.server, self.token, version=version)
        opened.open()
        return opened


def message(method, params=None, number=1, **more):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}, **more}


def modern(method, **params):
    return message(method, {**params, "_meta": meta()})


def call(tool, number=1, **arguments):
    return message("tools/call", {"name": tool, "arguments": arguments}, number)


def code_of(body):
    """The code of an error of JSON-RPC."""
    error = body.get("error") if isinstance(body, dict) else None
    return error.get("code") if isinstance(error, dict) else error


def bodies(field):
    """What is no message, or too much of one."""
    good = modern("tools/list")
    version = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/list"}
    cases = {
        "nothing": (b"", -32700),
        "not JSON": (b"{", -32700),
        "two": (b"{} {}", -32700),
        "a text": (b'"tools/list"', -32600),
        "null": (b"null", -32600),
        "deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, -32700),
        "deep lists": (b"[" * 1_000_000, -32700),
        "equal keys": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        "invalid UTF-8": (b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}', -32700),
        "a lone surrogate": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32700),
        "a huge number": (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32700),
        "no version": ({"id": 1, "method": "ping"}, -32600),
        "another version": ({**good, "jsonrpc": "1.0"}, -32600),
        "a null id": ({**good, "id": None}, -32600),
        "a fraction as id": ({**good, "id": 1.5}, -32600),
        "an object as id": ({**good, "id": {}}, -32600),
        "a list as id": ({**good, "id": [1]}, -32600),
        "a number as method": ({**good, "method": 7}, -32600),
        "a list as params": ({**good, "params": []}, -32600),
        "neither question nor answer": ({"jsonrpc": "2.0", "id": 1}, -32600),
        "a long method": ({**good, "method": "x" * 100_000}, -32020),
        "no method at all": ({"jsonrpc": "2.0"}, -32600),
    }
    for name, (body, code) in cases.items():
        status, answer = field.raw(field.post(body, **version))
        field.check(f"{name} is refused", status == 400 and code_of(answer) == code, status, answer)
        field.check(f"{name}: in short", len(json.dumps(answer)) < 2000)
    types = {"text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data": 415,
             "application/jsonp": 415, "": 415, None: 415, "application/json; charset=utf-8": 200}
    for kind, wanted in types.items():
        status, _ = field.raw(field.post(good, **{**version, "Content_Type": kind}))
        field.check(f"content as {kind!r}", status == wanted, status)
    status, _ = field.raw(field.post(good, **{**version, "Accept": "image/png"}))
    field.check("an answer as a picture", status == 406, status)
    for method, wanted in (("PUT", 405), ("PATCH", 405), ("OPTIONS", 405), ("GET", 405),
                           ("DELETE", 405), ("BREW", 405)):
        status, _ = field.raw(field.head(method) + b"Content-Length: 0\r\n\r\n")
        field.check(f"{method} without a session", status == wanted, status)


def large_bodies(field):
    """A hundred megabytes, said, hidden, and as many small values as fit."""
    status, _ = field.raw(field.head() + b"Content-Length: 100000000\r\n\r\n")
    field.check("100 MB are refused before they are sent", status == 413, status)
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    status, _ = field.raw([field.head(Transfer_Encoding="chunked") + b"\r\n"] + [chunk] * 100)
    field.check("100 MB in pieces are refused on the way", status in (413, 0), status)
    most = 11 * 1024 * 1024
    shapes = {"numbers": b"0,", "lists": b"[],", "objects": b"{},", "texts": b'"",'}
    for name, item in shapes.items():
        inner = b"[" + item * (most // len(item)) + b"0]"
        body = (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":' + inner
                + b',"_meta":' + json.dumps(meta()).encode() + b"}}")
        asked = field.post(body, MCP_Protocol_Version=MODERN, Mcp_Method="tools/list")
        seen = []
        together(lambda: seen.append(field.raw(asked)), 8)
        field.check(f"11 MB of {name}, eight times at once, are refused",
                    # Those that find no room in what one caller may have on its way are told so.
                    {status for status, _ in seen} <= {400, 429} and len(seen) == 8, seen)
    field.check("memory is bounded meanwhile", field.peak() < MOST_AT_PEAK, field.peak() // MB)


def batches(field):
    """Many messages at once."""
    many = [message("ping", number=n) for n in range(10_000)]
    newest, old = field.session(), field.session("2025-03-26")
    for name, session, batch, wanted in (
            ("of a revision without batches", newest, many[:2], -32600),
            ("of 10,000", old, many, -32600),
            ("of none", old, [], -32600)):
        status, answer = field.raw(field.post(batch, Mcp_Session_Id=session.session))
        field.check(f"a batch {name} is refused", code_of(answer) == wanted, status, answer)
    status, _ = field.raw(field.post(many[:100]))
    field.check("a batch without a session", status == 400, status)
    status, answer = field.raw(field.post(
        [hello_message()] + many[:2] + [[many[3]], 7, {"jsonrpc": "2.0", "method": "x"}],
        Mcp_Session_Id=old.session))
    field.check("a mixed batch is answered message by message",
                isinstance(answer, list) and len(answer) == 5, status, answer)
    status, answer = field.raw(field.post(
        [call("fs_grep", n, nodeKey=field.depot, pattern="line") for n in range(100)],
        Mcp_Session_Id=old.session))
    field.check("a hundred searches in a batch are answered",
                isinstance(answer, list) and len(answer) == 100, status, str(answer)[:300])


def hello_message():
    return message("initialize", hello(), 0)


def disguises(field):
    """Names, origins and headers that are not what they seem."""
    good = modern("tools/list")
    version = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/list"}
    for name, headers in {
            "a foreign origin": {"Origin": "https://evil.example.com"},
            "a null origin": {"Origin": "null"},
            "an origin that begins right": {"Origin": "http://localhost.evil.example"},
            "a foreign host": {"Host": "evil.example.com"},
            "a host that begins right": {"Host": "127.0.0.1.evil.example"},
            "a host that begins with digits": {"Host": "127.evil.example"}}.items():
        status, _ = field.raw(field.post(good, **{**version, **headers}))
        field.check(f"{name} is refused", status == 403, status)
    for name, headers in {
            "no version": {"MCP_Protocol_Version": None},
            "no method": {"Mcp_Method": None},
            "another method": {"Mcp_Method": "tools/call"},
            "another version": {"MCP_Protocol_Version": "2025-11-25"},
            "an unknown version": {"MCP_Protocol_Version": "2099-01-01"},
            "bad base64": {"Mcp_Method": "=?base64?!!?="}}.items():
        status, answer = field.raw(field.post(good, **{**version, **headers}))
        field.check(f"{name} in the headers", status == 400 and code_of(answer) == -32020, status,
                    answer)
    asked = modern("tools/call", name="fs_read", arguments={})
    for name, value in {"no name": None, "another name": "fs_rm", "a list of names": "fs_read, fs_rm",
                        "a name in base64 that is another": "=?base64?ZnNfcm0=?="}.items():
        status, answer = field.raw(field.post(asked, **{**version, "Mcp_Method": "tools/call",
                                                        "Mcp_Name": value}))
        field.check(f"{name} in the headers", status == 400 and code_of(answer) == -32020, status,
                    answer)
    strange = {"io.modelcontextprotocol/protocolVersion": {"a": 1}}
    for name, about in {"no meta": {}, "an object as version": strange,
                        "a version from the future":
                        {**meta(), "io.modelcontextprotocol/protocolVersion": "2099-01-01"},
                        "a list as capabilities":
                        {**meta(), "io.modelcontextprotocol/clientCapabilities": []}}.items():
        status, answer = field.raw(field.post(
            message("tools/list", {"_meta": about}), **version))
        field.check(f"{name} is refused", status == 400 and code_of(answer) in (-32602, -32020,
                                                                                -32022),
                    status, answer)
    for state in ("", "x", "a.b", "." * 1000, "A" * 1_000_000, 7, None, {"a": 1},
                  "eyJ1bnRpbCI6OTk5OTk5OTk5OTk5OX0=.AAAA"):
        body = modern("tools/call", name="fs_read", requestState=state, inputResponses={"x": 7},
                      arguments={"nodeKey": field.depot, "path": "a.txt"})
        status, answer = field.raw(field.post(body, **{
            **version, "Mcp_Method": "tools/call", "Mcp_Name": "fs_read"}))
        field.check(f"a state that was made up: {str(state)[:20]!r}",
                    code_of(answer) == -32602, status, str(answer)[:300])


def guesses(field):
    """Sessions and streams of others."""
    session = field.session()
    mine = session.session
    other = LegacyHttp(field.server, field.token)
    dice = random.Random(1)
    tries = [mine[:-1] + ("0" if mine[-1] != "0" else "1"), mine[:-1], mine + "0", mine.lower(),
             " ", "0" * 32, "x" * 8000, "../" + mine, "%00", "*"]
    tries += ["".join(dice.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=32)) for _ in range(300)]
    for guess in tries:
        if guess == mine:
            continue
        status, headers, _ = other.exchange(
            "POST", json.dumps(message("ping")).encode(), {"Mcp-Session-Id": guess})
        field.check(f"the session {guess[:40]!r}", status == (400 if not guess.strip() else 404),
                    status)
    for last in ("x", "1", "-1", "1-", "-", "1-1", "7-3", "99999999999999999999999-1", "1-1-1",
                 "0x1-2", "1 - 2", "-1--1", "y" * 5000, "%30-1"):
        status, _, _ = other.exchange("GET", None, {
            **session.its_headers(), "Last-Event-ID": last, "Accept": "text/event-stream"})
        field.check(f"the event {last[:30]!r}", status == 404, status)
    owners = LegacyHttp(field.server)
    owners.open()
    for method in ("POST", "GET", "DELETE"):
        status, _, _ = other.exchange(method, b"{}" if method == "POST" else None,
                                      owners.its_headers())
        field.check(f"{method} to the owner's session", status in (400, 404), status)
    field.check("the owner's session goes on", owners.request("ping")["result"] == {})
    field.check("one's own goes on", session.request("ping")["result"] == {})


def traversal(field):
    """Resources with paths that lead elsewhere."""
    paths = ["/..", "/../..", "/../../etc/passwd", "/%2e%2e", "/%2e%2e/%2e%2e/etc/passwd",
             "/%2E%2E%2Fx", "/..%2f..%2fx", "/a%00b", "/%00", "//etc/passwd", "/%2Fetc%2Fpasswd",
             "/./a.txt", "/%2e/a.txt", "/a.txt/..", "/a%", "/%zz", "/%ff%fe", "/\\..\\..\\x",
             "/" + "a/" * 5000, "/" + "n" * 300, "/~99999999999999999999", "/~-1", "%2F..",
             "%2F..%2F..", "%00", "?path=a.txt", "#a", "/a.txt?x=1", "/a.txt\u0000", "/\u202e"]
    uris = [field.uri + path for path in paths]
    uris += ["", "cas:", "cas://", "cas://depot:", "cas://depot:/", "cas://node:", "cas://node:/..",
             "cas://depot:..", "cas://depot:%2e%2e", "file:///etc/passwd", "/etc/passwd",
             "cas://owner.token", "CAS://DEPOT:X", "cas://depot:" + "0" * 8000]
    session = field.session()
    for uri in uris:
        read = ModernHttp(field.server).request("resources/read", {"uri": uri})
        code = code_of(read)
        field.check(f"reading {uri[:60]!r}", code == -32602, read)
        field.check(f"reading {uri[:60]!r}: says little", len(json.dumps(read)) < 2000 + 2 * len(uri))
        told = session.request("resources/subscribe", {"uri": uri})
        field.check(f"subscribing to {uri[:60]!r}", code_of(told) in (-32602, -32002), told)


def same_ids(field):
    """One id for many requests at once, and again."""
    session = field.session()
    slow = json.dumps(call("fs_grep", "same", nodeKey=field.depot, pattern="l.*e.*y",
                           maxResults=10_000)).encode()
    answers = []

    def ask():
        link = http.client.HTTPConnection(field.server.host, field.server.port,
                                          timeout=PATIENCE)
        link.request("POST", "/mcp", slow, {"Authorization": f"Bearer {field.token}",
                                            "Content-Type": "application/json",
                                            "Accept": "application/json",
                                            **session.its_headers()})
        response = link.getresponse()
        answers.append((response.status, json.loads(response.read())))
        link.close()

    together(ask, 32)
    good = [body for _, body in answers if "result" in body]
    refused = [body for _, body in answers if code_of(body) == -32600]
    field.check("each is answered once: with its result, or that its id is in use",
                len(answers) == 32 and len(good) + len(refused) == 32 and good, answers[:2])
    field.check("all by their id", all(body["id"] == "same" for _, body in answers))
    for _ in range(3):
        again = session.send(json.loads(slow), session.its_headers())
        field.check("one after another they are all carried out", "result" in again, again)


def together(work, count):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def names_of_one_file(field):
    """A file under as many names as an encoding gives it."""
    spellings = [(letter, f"%{ord(letter):02x}", f"%{ord(letter):02X}") for letter in "nnnnnn"]
    names = sorted({"".join(name) for name in itertools.product(*spellings)})
    return [f"{field.uri}/{name}" for name in names[:256]]


def deaf(field, request):
    """A connection that asks and never reads."""
    link = field.link()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    link.sendall(request)
    return link


def listen_to(field, uris):
    return field.post(modern("subscriptions/listen", notifications={
        "resourcesListChanged": True, "resourceSubscriptions": uris}),
        MCP_Protocol_Version=MODERN, Mcp_Method="subscriptions/listen")


class Listener:
    """Somebody who reads what is told of changes."""

    def __init__(self, field):
        self.link, self.read = field.link(), b""
        self.link.sendall(listen_to(field, [field.uri]))
        self.until(b"acknowledged", 1)
        self.told = 0

    def until(self, word, times):
        while self.read.count(word) < times:
            piece = self.link.recv(65536)
            assert piece, f"the stream ended after {self.read[-500:]}"
            self.read += piece

    def hears_of(self, change):
        """Makes a change, and waits for word of it: each is told by itself."""
        change()
        self.told += 1
        self.until(b"resources/updated", self.told)


def never_read(field):
    """Streams nobody reads, while changes pour in; others are told of them all the same."""
    field.commit("the first")
    uris = names_of_one_file(field)
    links = []
    for _ in range(30):
        links.append(deaf(field, listen_to(field, uris)))
        session = field.session()
        for uri in uris:
            session.request("resources/subscribe", {"uri": uri})
        session.close()
        links.append(deaf(field, field.head("GET", Mcp_Session_Id=session.session,
                                            Content_Type=None) + b"\r\n"))
    listener = Listener(field)
    # Whoever does not read is given up after 30 s; nobody else waits for that.
    slowest = 0
    for number in range(100):
        began = time.monotonic()
        listener.hears_of(lambda: field.commit(number))
        slowest = max(slowest, time.monotonic() - began)
    field.check("changes go on meanwhile, and who reads is told", slowest < 15, slowest)
    field.still_well("streams that nobody reads")
    field.check("memory is bounded meanwhile", field.peak() < MOST_AT_PEAK, field.peak() // MB)
    links.append(listener.link)
    # Answers that nobody reads, each a stream of its own.
    for number in range(50):
        asked = modern("tools/call", name="fs_read_many",
                       arguments={"nodeKey": field.depot, "paths": ["big.txt"]})
        links.append(deaf(field, field.post(
            asked, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="fs_read_many",
            Accept="text/event-stream")))
    field.still_well("answers that nobody reads")
    for link in links:
        link.close()


def open_and_drop(field):
    """Thousands of connections and streams, dropped at once."""
    session = field.session()
    watch = field.post(modern("subscriptions/listen",
                              notifications={"resourceSubscriptions": [field.uri]}),
                       MCP_Protocol_Version=MODERN, Mcp_Method="subscriptions/listen")
    listen = field.head("GET", Mcp_Session_Id=session.session, Content_Type=None) + b"\r\n"
    search = field.post(modern("tools/call", name="fs_grep",
                               arguments={"nodeKey": field.depot, "pattern": "l.*y"}),
                        MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="fs_grep")
    beginnings = [watch, listen, search, b"", b"P", watch[:100], search[:-10]]
    dropped = []

    def drop():
        dice = random.Random()
        for number in range(500):
            with field.link() as link:
                # Gone without a word.
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                link.sendall(dice.choice(beginnings))
                if number % 4 == 0:
                    time.sleep(0.005)  # and after a word
                dropped.append(1)

    together(drop, 8)
    field.check("thousands were taken", len(dropped) == 4000, len(dropped))


def floods(field):
    """As many requests as the connections carry."""
    asked = field.post(modern("tools/call", name="fs_stat",
                              arguments={"nodeKey": field.depot, "path": "a.txt"}),
                       MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="fs_stat")
    counts = []

    def flood():
        with field.link() as link:
            sender = threading.Thread(target=lambda: link.sendall(asked * 500))
            sender.start()
            got = b""
            seen = 0
            while seen < 500:
                piece = link.recv(1 << 20)
                if not piece:
                    break
                got += piece
                *whole, got = got.split(b'"jsonrpc":"2.0"')
                seen += len(whole)
            sender.join()
            counts.append(seen)

    together(flood, 16)
    field.check("every one of them is answered", counts == [500] * 16, counts)


def sessions(field):
    """Ten thousand sessions, each with a subscription, left behind."""
    asked = field.post(hello_message())
    subscribe = message("resources/subscribe", {"uri": field.uri})
    opened = []

    def open_many():
        with field.link() as link:
            source = link.makefile("rb")
            for _ in range(50):
                link.sendall(asked * 25)
                mine = [answered(source)["mcp-session-id"] for _ in range(25)]
                link.sendall(b"".join(field.post(subscribe, Mcp_Session_Id=name) for name in mine))
                for _ in mine:
                    answered(source)
                opened.extend(mine)

    owners = LegacyHttp(field.server)
    owners.open()
    together(open_many, 8)
    field.check("each is given a name of its own", len(set(opened)) == 10_000, len(set(opened)))
    field.check("they cost little", field.server.rss() < MOST_WITH_SESSIONS, field.server.rss() // MB)
    listener = Listener(field)
    for number in range(30):
        listener.hears_of(lambda: field.commit(number))
    listener.link.close()
    field.check("nor does what nobody hears", field.server.rss() < MOST_WITH_SESSIONS,
                field.server.rss() // MB)
    enemy = LegacyHttp(field.server, field.token)
    enemy.open()
    status, _, _ = enemy.exchange("POST", json.dumps(message("ping")).encode(),
                                  {"Mcp-Session-Id": opened[-1]})
    field.check("the last of them is still there", status == 200, status)
    field.check("and the owner's, who has few", owners.request("ping")["result"] == {})


def answered(source):
    """The headers of an answer that came, whose body is read."""
    headers = {}
    source.readline()
    while (line := source.readline().decode().strip()):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    source.read(int(headers.get("content-length", 0)))
    return headers


def dawdling(field):
    """Hundreds of bodies that come a byte at a time."""
    links = []
    for number in range(400):
        link = field.link()
        link.sendall(field.head() + b"Content-Length: 1000\r\n\r\n{")
        links.append(link)
    for _ in range(3):
        for link in links:
            link.sendall(b" ")
        field.still_well("bodies that take their time")
    for link in links:
        link.close()


# The sessions come first: what they cost is asked of a server that has done nothing else.
ATTACKS = [sessions, bodies, large_bodies, batches, disguises, guesses, traversal, same_ids,
           never_read, open_and_drop, floods, dawdling]


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    report = Report()
    chosen = set(sys.argv[2:])
    # Ten thousand sessions in a second are more than the rate limit lets through.
    with Server(sys.argv[1], "--rate", "0") as server, Server(sys.argv[1]) as calm:
        field = Field(report, server, calm)
        for attack in ATTACKS:
            if chosen and attack.__name__ not in chosen:
                continue
            began = time.monotonic()
            attack(field)
            field.still_well(attack.__name__)
            print(f"{attack.__name__}: {time.monotonic() - began:.1f} s, "
                  f"{server.rss() // MB} MB", flush=True)
        report.check("what was there is there", field.tool(
            "fs_read", nodeKey=field.depot, path="a.txt")["content"] == "a\n")
        report.check("the store is clean", server.client().call("check_store")["clean"])
        report.check("it stops when asked", server.stop() == 0)
    report.done()


if __name__ == "__main__":
    main()
