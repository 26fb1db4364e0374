"""Ways to talk MCP to cairn: over stdio and over HTTP, each in both eras.

A way answers a request with the message that answers it, as it came. Python's standard library is
all it needs.
"""

import base64
import http.client
import json
import pathlib
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Report, Server  # noqa: E402, F401
from waiting import CLEAN, PATIENCE, ended, until  # noqa: E402, F401

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
ACCEPT = "application/json, text/event-stream"


def meta(**more):
    """What a modern request carries in `_meta`."""
    return {"io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "proof", "version": "1"}, **more}


def in_header(value):
    """A header's value: as it is when it is plain ASCII, else in base64."""
    plain = value.isascii() and value.isprintable() and value == value.strip() and value
    if plain and not value.startswith("=?base64?"):
        return value
    return "=?base64?" + base64.b64encode(value.encode()).decode() + "?="


def modern_headers(method, params):
    name = params.get("uri") if method == "resources/read" else params.get("name")
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if method in ("tools/call", "prompts/get", "resources/read") and isinstance(name, str):
        headers["Mcp-Name"] = in_header(name)
    return headers


def hello(version=LEGACY):
    return {"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "proof", "version": "1"}}


def events(lines):
    """The data of server-sent events, each parsed; those without data are left out."""
    data = []
    for line in lines:
        line = line.rstrip("\r\n")
        if line.startswith("data:"):
            data.append(line[5:].lstrip(" "))
        elif not line:
            if any(data):
                yield json.loads("\n".join(data))
            data = []


class Http:
    """One caller over HTTP."""

    era = "modern"

    def __init__(self, server, token=None, selection=None):
        self.server = server
        self.token = server.token if token is None else token
        self.target = "/mcp"
        if selection:
            self.target += "?" + urllib.parse.urlencode(selection)
        self.connection = None
        self.next_id = 0
        self.said = []  # notifications that came before answers

    def close(self):
        if self.connection:
            self.connection.close()

    def exchange(self, method, body, headers):
        """Status, headers and body of an HTTP request to the endpoint."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.server.host, self.server.port,
                                                         timeout=PATIENCE)
        head = {"Authorization": f"Bearer {self.token}", "Accept": ACCEPT, **headers}
        if body is not None:
            head.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, self.target, body, head)
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def send(self, message, headers):
        """The answering message, or nothing; the status and headers are kept."""
        self.status, self.headers, body = self.exchange(
            "POST", json.dumps(message).encode(), headers)
        if not body:
            return None
        if self.headers.get_content_type() != "text/event-stream":
            return json.loads(body)
        for seen in events(body.decode().splitlines(keepends=True)):
            if "id" in seen and "method" not in seen:
                return seen
            self.said.append(seen)
        raise AssertionError(f"a stream without an answer: {body[:500]}")

    def number(self):
        self.next_id += 1
        return self.next_id


class ModernHttp(Http):
    name = "HTTP, modern"
    era = "modern"

    def request(self, method, params=None):
        params = {**(params or {}), "_meta": meta()}
        return self.send({"jsonrpc": "2.0", "id": self.number(), "method": method,
                          "params": params}, modern_headers(method, params))


class LegacyHttp(Http):
    name = "HTTP, legacy"
    era = "legacy"

    def __init__(self, server, token=None, selection=None, version=LEGACY):
        super().__init__(server, token, selection)
        self.version = version
        self.session = None

    def open(self):
        greeting = self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                              "params": hello(self.version)}, {})
        self.session = self.headers.get("Mcp-Session-Id")
        assert self.session, greeting
        self.notify("notifications/initialized")
        return greeting

    def its_headers(self):
        return {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version}

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params}, self.its_headers())

    def request(self, method, params=None):
        if method == "initialize":
            return self.send({"jsonrpc": "2.0", "id": self.number(), "method": method,
                              "params": params}, {})
        if self.session is None:
            self.open()
        return self.send({"jsonrpc": "2.0", "id": self.number(), "method": method,
                          "params": params or {}}, self.its_headers())


class Stdio:
    """One caller at the other end of `cairn mcp`."""

    def __init__(self, cairn, data, token=None, selection=None):
        options = []
        for name, value in (selection or {}).items():
            options += [f"--{name}"] if value == "true" else [f"--{name}", value]
        env = {**CLEAN, **({"CAIRN_TOKEN": token} if token else {})}
        self.process = subprocess.Popen([cairn, "mcp", "--data", data, *options], env=env,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.next_id = 0
        self.said = []

    def close(self):
        """Its exit code once its input has ended."""
        self.process.stdin.close()
        code = ended(self.process)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.write(message)
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"cairn mcp ended: {self.process.stderr.read().decode()}")
            seen = json.loads(line)
            if seen.get("id") == message["id"] and "method" not in seen:
                return seen
            self.said.append(seen)

    def number(self):
        self.next_id += 1
        return self.next_id


class ModernStdio(Stdio):
    name = "stdio, modern"
    era = "modern"

    def request(self, method, params=None):
        return self.send({"jsonrpc": "2.0", "id": self.number(), "method": method,
                          "params": {**(params or {}), "_meta": meta()}})


class LegacyStdio(Stdio):
    name = "stdio, legacy"
    era = "legacy"
    greeted = False

    def open(self):
        greeting = self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                              "params": hello()})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.greeted = True
        return greeting

    def request(self, method, params=None):
        if method != "initialize" and not self.greeted:
            self.open()
        return self.send({"jsonrpc": "2.0", "id": self.number(), "method": method,
                          "params": params or {}})
