"""How agents reach a server: the same tools over REST and MCP, a workspace, and the command line.

Every hand answers a call with what the tool gave, or raises Refusal with its code.
"""

import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
for neighbour in ("server", "mcp", "workspace"):
    sys.path.append(str(HERE.parent / neighbour))
from scene import LegacyDesk, ModernDesk, use  # noqa: E402
from server import Failed, Report, Server  # noqa: E402, F401
from ways import CLEAN, PATIENCE, LegacyHttp, ModernHttp  # noqa: E402

SAID = re.compile(r"(?:Error: )?([A-Z][A-Z_]+)(?: — |: )")


# What the file tools of a workspace say as those of the reference server do.
AS_THE_REFERENCE = {"Could not find exact match": "EDIT_NO_MATCH", "Destination already exists": "TARGET_EXISTS",
                    "Parent directory does not exist": "PATH_NOT_FOUND"}


def code_of(text):
    """The code of a refusal, by its text."""
    said = SAID.match(text)
    if said:
        return said[1]
    for words, code in AS_THE_REFERENCE.items():
        if text.startswith(words):
            return code
    return text[:60]


def details_of(text):
    """What follows a refusal as its last line, behind the lines of a conflict."""
    try:
        details = json.loads(text.rsplit("\n", 1)[-1])
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


class Refusal(Exception):
    """A call that the server refused, in a way that its author can act on."""

    def __init__(self, code, text, details):
        super().__init__(f"{code}: {text}")
        self.code, self.details = code, details or {}


class Rest:
    """The tools over REST; files that are no text as they are."""

    name = "REST"

    def __init__(self, server, token):
        self.client = server.client(token)

    def call(self, tool, **arguments):
        try:
            return use(self.client, tool, arguments)
        except Failed as failure:
            if failure.status >= 500:
                raise
            raise Refusal(failure.code, str(failure), failure.details) from None

    def bytes(self, method, root, path, body=None, headers=None):
        target = f"/api/realm/me/nodes/fs/{root}/file?path={urllib.parse.quote(path)}"
        status, head, answer = self.client.request(method, target, body, headers or {})
        if status >= 500:
            raise Failed(status, answer)
        if status >= 400:
            said = json.loads(answer)
            raise Refusal(said["error"], said["message"], said.get("details"))
        return head, answer

    def get(self, root, path):
        """The bytes of a file, and its key."""
        head, answer = self.bytes("GET", root, path)
        return answer, head["ETag"].strip('"')

    def put(self, root, path, body, key="any"):
        """Writes bytes where the file has this key; "none": where there is none, "any": in any case."""
        headers = {"Content-Type": "application/octet-stream"}
        if key == "none":
            headers["If-None-Match"] = "*"
        elif key != "any":
            headers["If-Match"] = f'"{key}"'
        return json.loads(self.bytes("PUT", root, path, body, headers)[1])

    def close(self):
        if self.client.connection:
            self.client.connection.close()


class Mcp:
    """The tools over MCP, in one of its eras."""

    def __init__(self, server, token, way=ModernHttp):
        self.way = way(server, token, {"toolsets": "all"})
        self.name = "MCP" if way is ModernHttp else "MCP (session)"

    def call(self, tool, **arguments):
        answer = self.way.request("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result")
        if result is None:
            raise Failed(400, answer)
        text = result["content"][0]["text"]
        if not result.get("isError"):
            return result["structuredContent"]
        raise Refusal(code_of(text), text, details_of(text))

    def close(self):
        self.way.close()


class Desk:
    """The file tools of a workspace over MCP."""

    def __init__(self, server, token, depot, way=ModernDesk):
        self.way = way(server, depot, token)
        self.name = "workspace" if way is ModernDesk else "workspace (session)"

    def call(self, tool, **arguments):
        answer = self.way.request("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result")
        if result is None:
            raise Failed(400, answer)
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise Refusal(code_of(text), text, {})
        return result["structuredContent"]

    def close(self):
        self.way.close()


class Shell:
    """The command line, through the server."""

    name = "cairn"

    def __init__(self, server, token):
        self.cairn = server.cairn
        self.env = {**CLEAN, "CAIRN_SERVER": server.url, "CAIRN_TOKEN": token}

    def run(self, *words, body=None):
        """What it printed, results and notes; a refusal has the code of its error."""
        done = subprocess.run([self.cairn, *words], env=self.env, input=body, capture_output=True,
                              timeout=PATIENCE, check=False)
        said = done.stderr.decode(errors="replace")
        if done.returncode:
            code = re.search(r"^cairn: ([A-Z_]+): ", said, re.M)
            raise Refusal(code[1] if code else f"exit {done.returncode}", said, {})
        return done.stdout.decode(errors="replace"), said

    def close(self):
        pass
