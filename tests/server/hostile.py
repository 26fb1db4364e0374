#!/usr/bin/env python3
"""hostile.py CAIRN: what clients who mean harm can send to a whole server.

Each piece gets its clear error, memory stays bounded, others are served meanwhile, and nothing in
the depot changes.
"""

import contextlib
import json
import socket
import sys
import threading
import time

from server import Report, Server
from waiting import PATIENCE

JSON = {"Content-Type": "application/json"}


def raw(server, data):
    """The status line's number and all that follows, of bytes sent as they are."""
    with socket.create_connection((server.host, server.port), timeout=PATIENCE) as link:
        try:
            for piece in [data] if isinstance(data, bytes) else data:
                link.sendall(piece)
        except OSError:
            pass  # refused before all of it was sent
        answer = b""
        try:
            while True:
                piece = link.recv(65536)
                if not piece:
                    break
                answer += piece
                if b"\r\n\r\n" in answer and b'"error"' in answer and answer.endswith(b"}"):
                    break
        except OSError:
            pass
    head = answer.split(b"\r\n", 1)[0].split(b" ")
    return (int(head[1]) if len(head) > 1 else 0), answer


def code_of(body):
    try:
        return json.loads(body).get("error")
    except ValueError:
        return None


def bodies(report, server, depot):
    """JSON that is wrong, or too much."""
    client = server.client()
    cases = {
        "not JSON": (b"{", "INVALID_JSON"),
        "trailing text": (b"{} {}", "INVALID_JSON"),
        "a list": (b"[]", "INVALID_JSON"),
        "deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "INVALID_JSON"),
        "deep lists": (b'{"path":' + b"[" * 1_000_000, "INVALID_JSON"),
        "equal keys": (b'{"path":"a","path":"b"}', "INVALID_JSON"),
        "a lone surrogate": (b'{"path":"\\ud800"}', "INVALID_JSON"),
        "two wrong surrogates": (b'{"path":"\\udc00\\ud800"}', "INVALID_JSON"),
        "invalid UTF-8": (b'{"path":"\xff\xfe"}', "INVALID_JSON"),
        "NUL in a path": (b'{"path":"a\\u0000b"}', "INVALID_PATH"),
        "a huge number": (b'{"path":1e999}', "INVALID_JSON"),
        "a wrong type": (b'{"path":7}', "INVALID_ARGUMENT"),
        "an unknown argument": (b'{"pth":"a"}', "INVALID_ARGUMENT"),
        "dots": (b'{"path":"../../etc/passwd"}', "INVALID_PATH"),
        "a leading slash": (b'{"path":"/etc/passwd"}', "INVALID_PATH"),
        "an empty segment": (b'{"path":"a//b"}', "INVALID_PATH"),
        "a long path": (json.dumps({"path": "a/" * 5000 + "b"}).encode(), "INVALID_ARGUMENT"),
        "a long name": (json.dumps({"path": "n" * 300}).encode(), "INVALID_PATH"),
    }
    for name, (body, code) in cases.items():
        status, _, answer = client.request(
            "POST", f"/api/realm/me/nodes/fs/{depot}/mkdir", body, JSON)
        report.check(name, status == 400 and code_of(answer) == code, status, answer)
        report.check(f"{name}: the message is short", len(answer) < 2000, len(answer))
    status, _, answer = client.request("POST", f"/api/realm/me/nodes/fs/{depot}/mkdir",
                                       b"path=a", {"Content-Type": "application/x-www-form-urlencoded"})
    report.check("a form", status == 415, status, answer)
    report.check("a misspelt argument is named",
                 b"did you mean 'path'" in client.request(
                     "POST", f"/api/realm/me/nodes/fs/{depot}/mkdir", b'{"pth":"a"}', JSON)[2])


def paths(report, server, depot):
    """Percent-encoding, and other ways to say another path."""
    client = server.client()
    base = f"/api/realm/me/nodes/fs/{depot}"
    cases = {
        f"{base}/read?path=%2e%2e%2fsecret": "INVALID_PATH",
        f"{base}/read?path=..%2f..": "INVALID_PATH",
        f"{base}/read?path=a%00b": "BAD_REQUEST",
        f"{base}/read?path=%ff": "INVALID_PATH",
        f"{base}/read?path=%zz": "BAD_REQUEST",
        f"{base}/read?path=a&path=b": "BAD_REQUEST",
        f"{base}/read?path=%2Fetc": "INVALID_PATH",
        f"{base}/read?pth=a": "INVALID_ARGUMENT",
        f"{base}/ls?limit=ten": "INVALID_ARGUMENT",
        f"{base}/ls?limit=-1": "INVALID_ARGUMENT",
        f"{base}/ls?limit=99999999999999999999": "INVALID_ARGUMENT",
        f"{base}/../{depot}/stat": "NOT_FOUND",
        f"/api/realm/me/nodes/fs/{depot}%2Fdocs/stat": "INVALID_ARGUMENT",
        "/api/realm/me/nodes/fs/..%2f..%2fme/stat": "INVALID_KEY",
        "/api//realm/me": "NOT_FOUND",
        "/api/realm/me/": "NOT_FOUND",
        "/api/realm/usr_00000000000000000000000000": "REALM_NOT_FOUND",
        "/nothing": "NOT_FOUND",
    }
    for target, code in cases.items():
        status, _, answer = client.request("GET", target)
        report.check(target, code_of(answer) == code, status, answer)
    status, headers, _ = client.request("DELETE", "/api/realm/me")
    report.check("a wrong method", status == 405 and headers["Allow"] == "GET, HEAD", status)


def framing(report, server, token):
    """Requests whose end two readers could see at different places."""
    head = f"Host: localhost\r\nAuthorization: Bearer {token}\r\n".encode()
    post = b"POST /api/realm/me/tools/get_usage HTTP/1.1\r\n" + head
    cases = {
        "both lengths": post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "two lengths": post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "a list of lengths": post + b"Content-Length: 2, 3\r\n\r\n{}",
        "a signed length": post + b"Content-Length: +2\r\n\r\n{}",
        "a negative length": post + b"Content-Length: -2\r\n\r\n{}",
        "a hex length": post + b"Content-Length: 0x2\r\n\r\n{}",
        "an endless length": post + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        "an unknown coding": post + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "chunked twice": post + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "not quite chunked": post + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "a space before the colon": post + b"Content-Length : 2\r\n\r\n{}",
        "a folded header": post + b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
        "a bare LF": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
        "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
        "two hosts": b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "no version": b"GET /healthz\r\n\r\n",
        "nonsense": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n",
        "a control character": b"GET /health\x01z HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "a bad chunk": post + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
    }
    for name, data in cases.items():
        status, answer = raw(server, data)
        report.check(name, status in (400, 501, 505), status, answer[:300])
    big = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-Long: " + b"a" * 100_000 + b"\r\n\r\n"
    report.check("a long header", raw(server, big)[0] == 431)
    many = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"".join(
        b"X-%d: 1\r\n" % i for i in range(20_000)) + b"\r\n"
    report.check("many headers", raw(server, many)[0] == 431)
    target = b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
    report.check("a long target", raw(server, target)[0] in (414, 431))
    huge = post + b"Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"
    report.check("a body that is too large, before it is sent", raw(server, huge)[0] == 413)
    unknown = huge.replace(token.encode(), b"A" * 44)
    report.check("a body of somebody unknown is not read", raw(server, unknown)[0] == 401)
    pipelined = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
    status, answer = raw(server, pipelined + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    report.check("pipelined requests are all answered", answer.count(b"HTTP/1.1 200") == 51)


def endless_upload(report, server, depot):
    """A chunked upload that stops in the middle leaves nothing behind."""
    head = (f"PUT /api/realm/me/nodes/fs/{depot}/file?path=half.bin HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {server.token}\r\nTransfer-Encoding: chunked\r\n\r\n").encode()
    with socket.create_connection((server.host, server.port)) as link:
        link.sendall(head)
        for _ in range(20):
            link.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")


class Trickle(threading.Thread):
    """A header that never ends, a line a second: the server gives it ten of them, whatever comes."""

    def __init__(self, server):
        super().__init__()
        self.link = socket.create_connection((server.host, server.port), timeout=1)
        self.lines, self.answer = 0, b""
        self.start()

    def run(self):
        with self.link, contextlib.suppress(ConnectionError):
            self.link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            while self.lines < 30:
                self.link.sendall(b"X: y\r\n")
                self.lines += 1
                with contextlib.suppress(TimeoutError):
                    while piece := self.link.recv(4096):
                        self.answer += piece
                    return

    def check(self, report):
        self.join()
        report.check("a slow header is told", b"408" in self.answer.split(b"\r\n")[0], self.answer)
        report.check("and ended in time", self.lines < 16, self.lines)


def slow(report, server, depot):
    """Hundreds of clients that dawdle, while one is served."""
    links = []
    for number in range(300):
        link = socket.create_connection((server.host, server.port))
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" if number % 2 else
                     (f"POST /api/realm/me/tools/get_usage HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                      f"Bearer {server.token}\r\nContent-Type: application/json\r\n"
                      f"Content-Length: 1000\r\n\r\n{{").encode())
        links.append(link)
    # Beside one that nobody bothers: whatever else this machine does, it does to both.
    with Server(server.cairn) as calm:
        target = f"/api/realm/me/nodes/fs/{depot}/stat?path=a.txt"
        clients = {"busy": (server.client(), target), "calm": (calm.client(), "/api/realm/me")}
        times = {name: [] for name in clients}
        for _ in range(200):
            for name, (client, where) in clients.items():
                began = time.monotonic()
                status, _, _ = client.request("GET", where)
                times[name].append(time.monotonic() - began)
                report.check("others are served meanwhile", status == 200, status)
    busy, quiet = (sorted(times[name])[190] for name in ("busy", "calm"))
    report.check("and quickly", busy < max(0.5, 10 * quiet), busy, quiet)
    for link in links:
        link.close()


def main():
    report = Report()
    with Server(sys.argv[1]) as server:
        client = server.client()
        depot = client.call("create_depot", title="target")["depotId"]
        root = client.call("fs_write", nodeKey=depot, path="a.txt", content="a")["newRoot"]
        client.call("depot_commit", depotId=depot, root=root)
        before = client.call("get_depot", depotId=depot)
        start = server.rss()
        trickle = Trickle(server)
        for attack in (lambda: bodies(report, server, depot), lambda: paths(report, server, depot),
                       lambda: framing(report, server, server.token),
                       lambda: endless_upload(report, server, depot),
                       lambda: slow(report, server, depot)):
            attack()
        # Much at once, from many.
        def flood():
            for _ in range(5):
                raw(server, b"POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            b"application/json\r\nContent-Length: 16000\r\n\r\n" + b"[" * 16000)
        threads = [threading.Thread(target=flood) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        trickle.check(report)
        report.check("memory stays bounded", server.rss() - start < 150e6, start, server.rss())
        after = server.client().call("get_depot", depotId=depot)
        report.check("nothing changed", before == after, before, after)
        report.check("the store is clean", server.client().call("check_store")["clean"])
        report.check("it stops when asked", server.stop() == 0)
    report.done()


if __name__ == "__main__":
    main()
