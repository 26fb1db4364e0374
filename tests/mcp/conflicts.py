#!/usr/bin/env python3
"""conflicts.py CAIRN: nobody's update is lost, as agents and programs come upon it.

Each story is told over MCP, in sessions and in single requests, and over REST, with another who commits in between.
"""

import http.client
import json
import sys

from ways import Report
from world import HTTP_WAYS, World

LINES = "1\n2\n3\n4\n5\n6\n7\n"


class Agent:
    def __init__(self, report, host, token=None):
        self.report, self.host, self.token = report, host, token

    def check(self, what, condition, *seen):
        return self.report.check(f"{self.host.name}: {what}", condition, *seen)

    def ask(self, tool, **arguments):
        message = self.host.caller(self.token).request("tools/call",
                                                       {"name": tool, "arguments": arguments})
        return message["result"]

    def call(self, tool, **arguments):
        result = self.ask(tool, **arguments)
        self.check(f"{tool} goes well", not result.get("isError"), result)
        return result.get("structuredContent", {})

    def refused(self, tool, code, **arguments):
        result = self.ask(tool, **arguments)
        text = result["content"][0]["text"]
        self.check(f"{tool} is refused with {code}", result.get("isError") is True
                   and text.startswith(f"Error: {code} — "), result)
        return text

    def put(self, depot, path, content):
        root = self.call("fs_write", nodeKey=depot, path=path, content=content)["newRoot"]
        return self.call("depot_commit", depotId=depot, root=root)

    def content(self, depot, path):
        return self.call("fs_read", nodeKey=depot, path=path)["content"]


def details(text):
    return json.loads(text[text.rindex("\n{") + 1:])


def stories(report, host):
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="stories")["depotId"]
    made = owner.call("create_delegate", name="other", canUpload=True)
    other = Agent(report, host, made["accessToken"])
    owner.put(depot, "a.txt", LINES)

    # Read, another commits, write the whole file.
    owner.content(depot, "a.txt")
    other.put(depot, "a.txt", LINES.replace("3", "three"))
    done = owner.put(depot, "a.txt", LINES.replace("7", "seven"))
    owner.check("both lines are there", done["changed"], done)
    owner.check("of a file written whole",
                owner.content(depot, "a.txt") == LINES.replace("3", "three").replace("7", "seven"))

    # The same line: refused with it, and read again it goes through.
    other.content(depot, "a.txt")
    other.put(depot, "a.txt", "theirs\n")
    text = owner.refused("fs_write", "CONFLICT", nodeKey=depot, path="a.txt", content="mine\n")
    owner.check("the lines are shown", "\ntheirs\n" in text and "\nmine\n" in text, text)
    owner.content(depot, "a.txt")
    owner.put(depot, "a.txt", "mine\n")

    # A conflict is put right in one turn.
    first = owner.call("fs_write", nodeKey=depot, path="b.txt", content="mine\n")["newRoot"]
    root = owner.call("fs_write", nodeKey=first, path="a.txt", content="one\n")["newRoot"]
    other.content(depot, "a.txt")
    other.put(depot, "a.txt", "two\n")
    text = owner.refused("depot_commit", "CONFLICT", depotId=depot, root=root)
    owner.check("no word of force", "force" not in text, text)
    told = details(text)
    owner.check("the current root again does not help",
                owner.refused("depot_commit", "CONFLICT", depotId=depot, root=root,
                              expectedRoot=told["currentRoot"]))
    edited = owner.call("fs_edit", nodeKey=told["mergedRoot"], path="a.txt",
                        edits=[{"oldText": "two", "newText": "one and two"}])
    done = owner.call("depot_commit", depotId=depot, root=edited["newRoot"])
    owner.check("it goes straight through", done["changed"] and not done["merged"], done)
    owner.check("with all of it", owner.content(depot, "a.txt") == "one and two\n"
                and owner.content(depot, "b.txt") == "mine\n")

    # Two writes from the depot, one commit.
    one = owner.call("fs_write", nodeKey=depot, path="c.txt", content="1\n")["newRoot"]
    two = owner.call("fs_write", nodeKey=depot, path="d.txt", content="2\n")["newRoot"]
    done = owner.call("depot_commit", depotId=depot, root=two)
    owner.check("the other root is named", done.get("uncommitted") ==
                [{"root": one, "paths": ["c.txt"]}], done)
    owner.call("depot_commit", depotId=depot, root=one)
    owner.check("and brought in", owner.content(depot, "c.txt") + owner.content(depot, "d.txt")
                == "1\n2\n")

    # Removing what another has changed.
    owner.content(depot, "d.txt")
    other.put(depot, "d.txt", "changed\n")
    owner.refused("fs_rm", "CONFLICT", nodeKey=depot, path="d.txt")

    # A key as condition.
    key = owner.call("fs_read", nodeKey=depot, path="d.txt")["key"]
    owner.call("fs_rm", nodeKey=depot, path="d.txt", ifKey=key)
    owner.refused("fs_rm", "PRECONDITION_FAILED", nodeKey=depot, path="c.txt", ifKey=key)


def rest(report, host):
    """The same for programs: conditions instead of memory, and hunks as data."""
    server = host.server
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)

    def ask(method, target, body=None, **headers):
        head = {"Authorization": f"Bearer {server.token}", **headers}
        if isinstance(body, dict):
            body, head["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, target, body, head)
        answer = connection.getresponse()
        return answer.status, answer.headers, json.loads(answer.read() or b"null")

    base = "/api/realm/me"
    _, _, depot = ask("POST", f"{base}/depots", {"title": "rest"})
    files = f"{base}/nodes/fs/{depot['depotId']}"
    commit = f"{base}/depots/{depot['depotId']}/commit"

    def put(content, **headers):
        return ask("PUT", f"{files}/file?path=a.txt", content,
                   **{"Content-Type": "text/plain", **headers})

    status, _, made = put(b"1\n", **{"If-None-Match": "*"})
    report.check("a file that is not there is made", status == 200, made)
    ask("POST", commit, {"root": made["newRoot"]})
    status, _, refused = put(b"2\n", **{"If-None-Match": "*"})
    report.check("and not made again", status == 412 and refused["error"] == "PRECONDITION_FAILED",
                 refused)
    connection.request("GET", f"{files}/file?path=a.txt",
                       headers={"Authorization": f"Bearer {server.token}"})
    answer = connection.getresponse()
    answer.read()
    tag = answer.headers["ETag"]
    status, _, mine = put(b"mine\n", **{"If-Match": tag})
    report.check("what was read is overwritten", status == 200, mine)
    _, _, theirs = put(b"theirs\n", **{"If-Match": tag})
    ask("POST", commit, {"root": theirs["newRoot"]})
    status, _, refused = put(b"mine\n", **{"If-Match": tag})
    report.check("what was not read is not", status == 412, refused)
    status, _, refused = ask("POST", commit, {"root": mine["newRoot"]})
    rows = refused.get("details", {}).get("conflicts", [])
    report.check("a conflict has its lines as data", status == 409 and rows and rows[0]["hunks"][0] == {
        "base": "1\n", "baseLine": 1, "theirs": "theirs\n", "theirsLine": 1, "yours": "mine\n",
        "yoursLine": 1, "mergedLine": 1}, refused)


def main():
    report = Report()
    world = World(sys.argv[1])
    for host_of, way in HTTP_WAYS:
        host = host_of(world, way)
        stories(report, host)
        rest(report, host)
        report.check("the server stops well", host.close() == 0)
    world.remove()
    report.done()


if __name__ == "__main__":
    sys.exit(main())
