#!/usr/bin/env python3
"""workflows.py CAIRN: what agents do, from the first call to the last, over every way to talk MCP.

The workflows are those of the specification of the tools, and the fields of every answer are the
ones it shows; what an answer has besides is listed here.
"""

import http.client
import json
import sys
import threading

from ways import ACCEPT, MODERN, PATIENCE, Report, events, meta, until
from world import HTTP_WAYS, STDIO_WAYS, OnHttp, World

FILES = {
    "README.md": "# Hello\n",
    "src/main.ts": "import { App } from './app';\n\nconst app = new App();\napp.start();\n",
    "src/config.ts": "export const port = 80;\n",
    "src/core.ts": "core\n",
    "src/utils.ts": "utils\n",
    "src/deprecated/a.ts": "a\n",
    "src/deprecated/b.ts": "b\n",
    "src/tools/helper.ts": "helper\n",
}

FILE = {"name", "index", "type", "key", "size", "contentType"}
DIRECTORY = {"name", "index", "type", "key", "childCount"}
# Of a commit, and with the depot itself what it keeps and its tags.
AT_COMMIT = {"depotId", "title", "root", "maxHistory", "history", "createdAt", "updatedAt"} | {"change", "historyCount"}
DEPOT = AT_COMMIT | {"keep", "tags"}
# What a commit says besides: whether anything changed, and whether others' changes are in it.
COMMITTED = AT_COMMIT | {"changed", "merged"}
WRITTEN = {"newRoot", "file", "created"}
DELEGATE = {"delegateId", "name", "kind", "realm", "parentId", "depth", "canUpload", "canManageDepot",
            "expiresAt", "createdAt"} | {"scope", "delegatedDepots", "revokedAt"}


class Agent:
    """Somebody with tools, who checks the fields of what they give."""

    def __init__(self, report, host, token=None):
        self.report, self.host, self.token = report, host, token

    def check(self, what, condition, *seen):
        return self.report.check(f"{self.host.name}: {what}", condition, *seen)

    def request(self, method, params):
        return self.host.caller(self.token).request(method, params)

    def call(self, tool, fields, **arguments):
        message = self.request("tools/call", {"name": tool, "arguments": arguments})
        value = message.get("result", {}).get("structuredContent")
        self.check(f"{tool} goes well", value is not None, message)
        self.check(f"the fields of {tool}", set(value) == fields, set(value) ^ fields)
        return value

    def refused(self, tool, code, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        text = result["content"][0]["text"]
        self.check(f"{tool} is refused with {code}",
                   result.get("isError") is True and text.startswith(f"Error: {code} — "), result)

    def write(self, at, path, content):
        value = self.call("fs_write", WRITTEN, nodeKey=at, path=path, content=content)
        self.check("the fields of the file", set(value["file"]) == {"path", "key", "size",
                                                                    "contentType"}, value["file"])
        self.check("it is the file that was written",
                   value["file"]["path"] == path
                   and value["file"]["size"] == len(content.encode()), value["file"])
        return value["newRoot"]

    def commit(self, depot, root):
        done = self.call("depot_commit", COMMITTED, depotId=depot, root=root)
        self.check("the commit is what was asked for",
                   (done["root"], done["changed"], done["merged"]) == (root, True, False), done)
        return done

    def read(self, at, path):
        value = self.call("fs_read", {"path", "key", "size", "contentType", "content"},
                          nodeKey=at, path=path)
        return value["content"]

    def paths(self, at):
        found = self.call("fs_find", {"matches", "visited", "truncated"}, nodeKey=at, pattern="*",
                          type="file")
        return {match["path"] for match in found["matches"]}

    def a_project(self, title):
        depot = self.call("create_depot", DEPOT, title=title)["depotId"]
        root = depot
        for path, content in FILES.items():
            root = self.write(root, path, content)
        self.commit(depot, root)
        return depot


def browse(agent):
    mine = agent.a_project("my-project")
    listed = agent.call("list_depots", {"depots", "nextCursor", "hasMore"})
    found = [depot for depot in listed["depots"] if depot["title"] == "my-project"]
    agent.check("the depot is found by its title", [d["depotId"] for d in found] == [mine], found)
    agent.check("the fields of a listed depot",
                set(found[0]) == {"depotId", "title", "root", "createdAt", "updatedAt"}, found)
    listing = {"path", "key", "children", "total", "nextCursor"}
    root = agent.call("fs_ls", listing, nodeKey=mine)
    names = {child["name"]: child for child in root["children"]}
    agent.check("the root is listed", list(names) == ["README.md", "src"], names)
    agent.check("the fields of a file", set(names["README.md"]) == FILE, names)
    agent.check("the fields of a directory", set(names["src"]) == DIRECTORY, names)
    src = agent.call("fs_ls", listing, nodeKey=mine, path="src")
    agent.check("and src", [child["name"] for child in src["children"]] ==
                ["config.ts", "core.ts", "deprecated", "main.ts", "tools", "utils.ts"], src)
    agent.check("the last is read", agent.read(mine, "src/main.ts") == FILES["src/main.ts"])


def edit_and_commit(agent):
    mine = agent.a_project("edited")
    before = agent.call("get_depot", DEPOT, depotId=mine)
    content = agent.read(mine, "src/config.ts").replace("80", "8080")
    root = agent.write(mine, "src/config.ts", content)
    agent.check("until it is committed, nothing changes",
                agent.read(mine, "src/config.ts") == FILES["src/config.ts"])
    done = agent.commit(mine, root)
    agent.check("the old root is in the history", done["history"][0] == before["root"], done)
    agent.check("and the depot has the new content", agent.read(mine, "src/config.ts") == content)


def chain(agent):
    mine = agent.a_project("chained")
    at = mine
    for name in "abc":
        at = agent.write(at, f"src/{name}.ts", f"export const {name} = 1;\n")
    history = len(agent.call("get_depot", DEPOT, depotId=mine)["history"])
    done = agent.commit(mine, at)
    agent.check("three files", {f"src/{name}.ts" for name in "abc"} <= agent.paths(mine))
    agent.check("in one commit", len(done["history"]) == history + 1, done)


def refactor(agent):
    mine = agent.a_project("restructured")
    done = agent.call("fs_rewrite", {"newRoot", "entriesApplied", "deleted"}, nodeKey=mine,
                      entries={"lib/core.ts": {"from": "src/core.ts"},
                               "lib/utils.ts": {"from": "src/utils.ts"}},
                      deletes=["src/core.ts", "src/utils.ts", "src/deprecated"])
    agent.check("all of it was done", (done["entriesApplied"], done["deleted"]) == (2, 3), done)
    agent.commit(mine, done["newRoot"])
    agent.check("it is as described", agent.paths(mine) == {
        "README.md", "lib/core.ts", "lib/utils.ts", "src/main.ts", "src/config.ts",
        "src/tools/helper.ts"}, agent.paths(mine))
    agent.check("content moved along", agent.read(mine, "lib/core.ts") == "core\n")


def mixed(agent):
    mine = agent.a_project("mixed")
    root = agent.write(mine, "src/new-module/index.ts", "export * from './helper';\n")
    done = agent.call("fs_rewrite", {"newRoot", "entriesApplied", "deleted"}, nodeKey=root,
                      entries={"src/new-module/helper.ts": {"from": "src/tools/helper.ts"}},
                      deletes=["src/tools/helper.ts"])
    agent.commit(mine, done["newRoot"])
    paths = agent.paths(mine)
    agent.check("the new and the moved file are there, the old one is not",
                {"src/new-module/index.ts", "src/new-module/helper.ts"} <= paths
                and "src/tools/helper.ts" not in paths, paths)


def hand_on(agent):
    mine = agent.a_project("handed-on")
    made = agent.call("create_delegate",
                      {"delegate", "accessToken", "accessTokenExpiresAt", "refreshToken"},
                      name="code-review-bot", canUpload=False, expiresIn=7200)
    delegate = made["delegate"]
    agent.check("the fields of a delegate", set(delegate) == DELEGATE, set(delegate) ^ DELEGATE)
    agent.check("it has what was given", (delegate["name"], delegate["canUpload"],
                                          delegate["canManageDepot"]) ==
                ("code-review-bot", False, False), delegate)
    agent.check("for as long as was said",
                0 <= delegate["expiresAt"] - delegate["createdAt"] - 7_200_000 < 1000, delegate)
    helper = Agent(agent.report, agent.host, made["accessToken"])
    helper.call("fs_ls", {"path", "key", "children", "total", "nextCursor"}, nodeKey=mine)
    helper.check("the helper reads", helper.read(mine, "README.md") == FILES["README.md"])
    helper.refused("fs_write", "UPLOAD_NOT_ALLOWED", nodeKey=mine, path="x.ts", content="x")
    about = helper.call("get_realm_info", {"realm", "nodeLimit", "maxNameBytes", "delegateId",
                                           "canUpload", "canManageDepot"})
    helper.check("it is told who it is", about["delegateId"] == delegate["delegateId"], about)
    agent.check("nothing was written", "x.ts" not in agent.paths(mine))


class Listener(threading.Thread):
    """Reads a stream of events until one has the method it waits for."""

    def __init__(self, response, wanted):
        super().__init__(daemon=True)
        self.response, self.wanted, self.seen, self.ready = response, wanted, [], threading.Event()
        self.start()

    def run(self):
        for message in events(iter(lambda: self.response.readline().decode(), "")):
            self.seen.append(message)
            self.ready.set()
            if message.get("method") == self.wanted:
                return


def listen_over_http(agent, uri):
    """The stream on which changes of the resource are told, as the era has it."""
    caller = agent.host.caller(agent.token)
    link = http.client.HTTPConnection(caller.server.host, caller.server.port,
                                      timeout=PATIENCE)
    head = {"Authorization": f"Bearer {caller.token}", "Accept": ACCEPT,
            "Content-Type": "application/json"}
    if caller.era == "legacy":
        caller.request("resources/subscribe", {"uri": uri})
        link.request("GET", "/mcp", None, {**head, **caller.its_headers()})
    else:
        body = {"jsonrpc": "2.0", "id": "watch", "method": "subscriptions/listen",
                "params": {"_meta": meta(), "notifications": {"resourceSubscriptions": [uri]}}}
        link.request("POST", "/mcp", json.dumps(body),
                     {**head, "MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"})
    response = link.getresponse()
    agent.check("a stream opens", (response.status, response.headers.get_content_type()) ==
                (200, "text/event-stream"), response.status)
    return link, Listener(response, "notifications/resources/updated")


def told_over_http(agent, uri, change):
    """What was said on a stream until the change was told."""
    link, listener = listen_over_http(agent, uri)
    if agent.host.era == "modern":
        listener.ready.wait(PATIENCE)
    change()
    listener.join(PATIENCE)
    link.close()
    return listener.seen


def told_over_stdio(agent, uri, change):
    """The same, between the answers of one process."""
    caller = agent.host.caller(agent.token)
    if agent.host.era == "legacy":
        caller.request("resources/subscribe", {"uri": uri})
    else:
        caller.write({"jsonrpc": "2.0", "id": "watch", "method": "subscriptions/listen",
                      "params": {"_meta": meta(),
                                 "notifications": {"resourceSubscriptions": [uri]}}})
        until(lambda: caller.request("prompts/list") and caller.said)
    change()
    until(lambda: caller.request("prompts/list") and updates(caller.said))
    return caller.said


def updates(seen):
    return [one for one in seen if one.get("method") == "notifications/resources/updated"]


def be_told(agent):
    """Somebody watches a depot while it is committed to."""
    mine = agent.a_project("watched")
    uri = f"cas://depot:{mine[4:]}"
    roots = []

    def change():
        roots.append(agent.write(mine, "news.txt", "new\n"))
        agent.commit(mine, roots[0])

    tell = told_over_http if isinstance(agent.host, OnHttp) else told_over_stdio
    seen = tell(agent, uri, change)
    if agent.host.era == "modern":
        agent.check("it is acknowledged first", seen and seen[0]["method"] ==
                    "notifications/subscriptions/acknowledged", seen)
    told = updates(seen)
    agent.check("it is told of the commit, once", [one["params"]["uri"] for one in told] == [uri],
                seen)
    read = agent.request("resources/read", {"uri": uri})["result"]["contents"][0]
    depot = json.loads(read["text"])
    agent.check("the fields of the resource",
                set(depot) == {"depotId", "title", "root", "updatedAt"}, depot)
    agent.check("and reads the new root", depot["root"] == roots[0], depot)


def main():
    report = Report()
    cairn = sys.argv[1]
    ways = HTTP_WAYS + STDIO_WAYS
    world = World(cairn)
    try:
        for host_class, way in ways:
            host = host_class(world, way)
            try:
                agent = Agent(report, host)
                for workflow in (browse, edit_and_commit, chain, refactor, mixed, hand_on,
                                 be_told):
                    workflow(agent)
            finally:
                code = host.close()
            report.check(f"{host.name}: ends well", code == 0, code)
    finally:
        world.remove()
    report.done()


if __name__ == "__main__":
    main()
