"""A server with depots, and agents that use them as workspaces over every way in."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
sys.path.insert(0, str(HERE.parent / "server"))
from server import Failed, Server  # noqa: E402, F401
from ways import CLEAN, PATIENCE, LegacyHttp, LegacyStdio, ModernHttp, ModernStdio  # noqa: E402


class Refused(AssertionError):
    """A tool that answered with an error, where none was expected."""


class Agent:
    """Whoever sits at a workspace: `way` carries its requests."""

    def __init__(self, way):
        self.way = way

    def request(self, method, params=None):
        return self.way.request(method, params)

    def result(self, tool, **arguments):
        """The whole result of a call, be it an error of the tool."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool, **arguments):
        """structuredContent of a call that has to succeed."""
        result = self.result(tool, **arguments)
        if result.get("isError"):
            raise Refused(result["content"][0]["text"])
        return result["structuredContent"]

    def text(self, tool, **arguments):
        return self.call(tool, **arguments)["content"]

    def notes(self, tool, **arguments):
        return " ".join(self.call(tool, **arguments).get("notes", []))

    def error(self, tool, **arguments):
        """What is said of a call that has to fail as a tool does."""
        result = self.result(tool, **arguments)
        assert result.get("isError"), f"{tool} did not fail: {str(result)[:500]}"
        return result["content"][0]["text"]

    def read(self, path):
        return self.text("read_text_file", path=path)

    def write(self, path, content):
        return self.call("write_file", path=path, content=content)

    def edit(self, path, old, new):
        return self.call("edit_file", path=path, edits=[{"oldText": old, "newText": new}])

    def tools(self):
        return [tool["name"] for tool in self.request("tools/list")["result"]["tools"]]

    def changes(self, **arguments):
        return self.call("history", **arguments)["changes"]

    def close(self):
        return self.way.close()


def over_http(kind):
    """One of the ways over HTTP, at a depot instead of at /mcp."""

    class Way(kind):
        def __init__(self, server, depot, token=None, headers=None):
            super().__init__(server, token)
            self.target = "/mcp/workspaces/" + urllib.parse.quote(depot, safe="")
            self.more = headers or {}

        def exchange(self, method, body, headers):
            return super().exchange(method, body, {**headers, **self.more})

    return Way


ModernDesk = over_http(ModernHttp)
LegacyDesk = over_http(LegacyHttp)


class FarStdio(LegacyStdio):
    """`cairn mcp` without a data directory, at the server with this address."""

    def __init__(self, cairn, url, token, selection):
        words = [word for name, value in selection.items() for word in ("--" + name, value)]
        self.process = subprocess.Popen([cairn, "mcp", "--server", url, *words],
                                        env={**CLEAN, "CAIRN_TOKEN": token}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.next_id, self.said = 0, []


def use(client, tool, arguments):
    """A tool over REST; `name` may be one of its arguments."""
    status, _, body = client.request("POST", f"/api/realm/me/tools/{tool}", json.dumps(arguments),
                                     {"Content-Type": "application/json"})
    if status >= 400:
        raise Failed(status, json.loads(body))
    return json.loads(body)


class Scene:
    """A server of its own, talked to by its owner; agents are made on demand."""

    def __init__(self, cairn, *options):
        self.cairn = cairn
        self.server = Server(cairn, *options)
        self.server.start()
        self.owner = self.server.client()
        self.open = []
        self.count = 0

    def close(self):
        try:
            for agent in self.open:
                agent.close()
        finally:
            if self.owner.connection:
                self.owner.connection.close()
            code = self.server.stop()
            shutil.rmtree(self.server.data, ignore_errors=True)
        return code

    def tool(self, tool_name, /, **arguments):
        return use(self.owner, tool_name, arguments)

    def depot(self, files=None, title=None, token=None, **more):
        """A depot with these files in one commit; its id."""
        client = self.server.client(token) if token else self.owner
        self.count += 1
        depot = client.call("create_depot", title=title or f"depot {self.count}",
                            **more)["depotId"]
        root = depot
        for path, text in (files or {}).items():
            root = client.call("fs_write", nodeKey=root, path=path, content=text)["newRoot"]
        if files:
            client.call("depot_commit", depotId=depot, root=root, message="begin")
        return depot

    def delegate(self, **arguments):
        """(token, id) of a delegate of the owner's."""
        made = use(self.owner, "create_delegate", arguments)
        return made["accessToken"], made["delegate"]["delegateId"]

    def agent(self, depot, token=None, headers=None, way=ModernDesk):
        agent = Agent(way(self.server, depot, token, headers))
        self.open.append(agent)
        return agent

    def stdio(self, depot, token=None, way=LegacyStdio, **selection):
        """`cairn mcp --depot` on the server's data directory, through the server."""
        agent = Agent(way(self.cairn, self.server.data, token, {"depot": depot, **selection}))
        self.open.append(agent)
        return agent

    def far(self, depot, token):
        """`cairn mcp --server`, as from another machine."""
        agent = Agent(FarStdio(self.cairn, self.server.url, token, {"depot": depot}))
        self.open.append(agent)
        return agent

    def two(self, depot, way=ModernDesk):
        """Two agents with a token each."""
        return [self.agent(depot, self.delegate(name=name, canUpload=True)[0], way=way)
                for name in ("ann", "bob")]

    def log(self, depot):
        """The depot's commits, newest first, as REST has them."""
        return self.tool("depot_history", depotId=depot, limit=1000)["entries"]

    def file(self, depot, path):
        return self.tool("fs_read", nodeKey=depot, path=path)["content"]

    def run(self, *words):
        return subprocess.run([self.cairn, *words, "--data", self.server.data], env=CLEAN,
                              capture_output=True, text=True, timeout=PATIENCE)


FILES = {
    "a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "docs/guide.md": "# Guide\n",
    "shop.json": '{"tea": 1, "coffee": 2}\n',
}


class DepotTest(unittest.TestCase):
    """Tests that share a server; each makes depots of its own."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.scene = Scene(str(pathlib.Path(sys.argv[1]).resolve()), *cls.options)

    @classmethod
    def tearDownClass(cls):
        code = cls.scene.close()
        assert code == 0, code

    def at(self, files=None, way=ModernDesk):
        """A new depot, and its owner at it."""
        depot = self.scene.depot(FILES if files is None else files)
        return depot, self.scene.agent(depot, way=way)

    def ann_and_bob(self, files=None, way=ModernDesk):
        depot = self.scene.depot(FILES if files is None else files)
        return depot, *self.scene.two(depot, way)

    def messages(self, depot):
        return [entry["message"] for entry in self.scene.log(depot)]

    def assertConflict(self, said, path):
        self.assertTrue(said.startswith("CONFLICT: "), said)
        self.assertIn(f"'{path}'", said)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


