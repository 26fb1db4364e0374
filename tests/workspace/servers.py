"""The servers that are compared: how each is started, and a client that may have roots."""

import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from stdio_client import CLEAN, PATIENCE, Client  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


class Reference:
    """npm's server, on the Node that is pinned beside it."""

    def __init__(self):
        modules = subprocess.run([HERE / "modules"], check=True, capture_output=True, text=True)
        found = pathlib.Path(modules.stdout.strip(), "node_modules")
        self.program = os.path.realpath(found / ".bin" / "node")
        package = found / "@modelcontextprotocol" / "server-filesystem"
        self.script = str(package / "dist" / "index.js")

    def command(self, roots, tools=None):
        assert tools is None, "the reference has one set of tools"
        return [self.program, self.script, *roots]


class Cairn:
    def __init__(self, program, options=()):
        self.program = os.path.realpath(program)
        self.options = list(options)

    def command(self, roots, tools=None):
        chosen = ["--tools", tools] if tools else []
        named = [word for root in roots for word in ("--root", root)]
        # Without any it is those of the client, or the one it has by itself.
        return [self.program, "mcp", *chosen, *self.options, *(named or ["--root"])]


def environment(base, **more):
    """What both get: a home of their own, and nothing of the caller's taste."""
    taken = {name: "" for name in CLEAN if name.startswith(("XDG_", "NODE_", "LC_"))}
    return {**taken, "HOME": str(base / "home"), "TZ": "UTC", "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8", **more}


def end(client):
    """Stops a client's server, which may have ended by itself with something still to be read."""
    try:
        client.stop()
    except BrokenPipeError:
        client.stop()


def can_be_nobody(*programs):
    """Whether these programs can be run without rights over the tree."""
    if os.geteuid() != 0:
        return True
    return all(subprocess.run([*NOBODY, program, "--version"], capture_output=True,
                              stdin=subprocess.DEVNULL).returncode == 0 for program in programs)


class RootedClient(Client):
    """A client with roots of its own, which it tells to a server that asks."""

    def __init__(self, command, env, roots):
        super().__init__(command, env)
        self.roots = [pathlib.Path(root).as_uri() for root in roots]
        self.asked = False

    def begin(self, revision="2025-11-25"):
        result = self.ask("initialize", {
            "protocolVersion": revision, "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return result

    def next(self, timeout=PATIENCE):
        """The next message that is not about the roots: a server may hold back its answers until
        it knows them."""
        while True:
            message = super().next(timeout)
            if not isinstance(message, dict) or message.get("method") != "roots/list":
                return message
            self.asked = True
            self.send({"jsonrpc": "2.0", "id": message["id"],
                       "result": {"roots": [{"uri": uri} for uri in self.roots]}})

    def settle(self, seconds=1.5):
        """Asks until what may be accessed is as after the roots were told: theirs, or for good."""
        until = time.monotonic() + seconds
        while True:
            result = self.answer(self.post("tools/call", {"name": "list_allowed_directories",
                                                          "arguments": {}}))
            told = self.asked and all(uri.removeprefix("file://") in str(result)
                                      for uri in self.roots)
            if told or time.monotonic() > until:
                return result
            time.sleep(0.02)
