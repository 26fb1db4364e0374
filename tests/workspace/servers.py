"""The servers that are compared: how each is started, and a client that may have roots."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from stdio_client import CLEAN, PATIENCE, Client  # noqa: E402
from waiting import until  # noqa: E402

# What root runs with these has no rights over files but those of their owner.
BARE = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


class Reference:
    """npm's server, on the Node that is pinned beside it."""

    # What it says when it has taken over the client's roots, or has not.
    roots_taken = re.compile("(allowed directories from MCP roots|No valid root directories).*\n")

    def __init__(self):
        modules = subprocess.run([HERE.parent / "npm" / "install"], check=True, text=True,
                                 stdout=subprocess.PIPE)
        found = pathlib.Path(modules.stdout.strip(), "node_modules")
        self.program = os.path.realpath(found / ".bin" / "node")
        package = found / "@modelcontextprotocol" / "server-filesystem"
        self.script = str(package / "dist" / "index.js")

    def command(self, roots, tools=None):
        assert tools is None, "the reference has one set of tools"
        return [self.program, self.script, *roots]


class Cairn:
    roots_taken = None  # it answers nothing before

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


def bare():
    """What to put before a command so that it has no more rights over a tree than its owner; None
    where that cannot be."""
    if os.geteuid() != 0:
        return ()
    done = subprocess.run([*BARE, "true"], capture_output=True, stdin=subprocess.DEVNULL)
    return BARE if done.returncode == 0 else None


class RootedClient(Client):
    """A client with roots of its own, which it tells to a server that asks."""

    def __init__(self, command, env, roots):
        super().__init__(command, env)
        self.roots = [pathlib.Path(root).as_uri() for root in roots]
        self.said = ""
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in self.process.stderr:
                self.said += line.decode()

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
            self.send({"jsonrpc": "2.0", "id": message["id"],
                       "result": {"roots": [{"uri": uri} for uri in self.roots]}})

    def settle(self, taken):
        """What may be accessed after the roots were told; `taken` is what the server says then."""
        def settled():
            known = taken is None or taken.search(self.said)
            answer = self.answer(self.post("tools/call", {"name": "list_allowed_directories",
                                                          "arguments": {}}))
            return answer if known else None

        return until(settled, lambda: f"{taken.pattern} in {self.said!r}")
