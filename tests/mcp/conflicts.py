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
        message = self.host.caller(self.token, {"toolsets": "all"}).request("tools/call",
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


def scoped(report, host):
    """Somebody who sees a directory as if it were the depot, and takes its root by the key."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="scoped")["depotId"]
    owner.put(depot, "docs/a.txt", "1\n")
    made = owner.call("create_delegate", canUpload=True, scope=[f"{depot}/docs"])
    scoped = Agent(report, host, made["accessToken"])
    for word in ("nothing", "the current root"):
        pinned = scoped.call("get_depot", depotId=depot)["root"]
        owner.put(depot, f"docs/{word}.txt", "theirs\n")
        root = scoped.call("fs_write", nodeKey=pinned, path=f"mine, {word}.txt", content="mine\n")["newRoot"]
        now = scoped.call("get_depot", depotId=depot)["root"]
        more = {} if word == "nothing" else {"expectedRoot": now}
        done = scoped.call("depot_commit", depotId=depot, root=root, **more)
        scoped.check(f"with {word} expected it is merged", done["merged"] and "hint" not in done, done)
        scoped.check("and both are there", owner.content(depot, f"docs/{word}.txt") == "theirs\n"
                     and owner.content(depot, f"docs/mine, {word}.txt") == "mine\n")
    # What it has read holds for a root that it takes later, too.
    scoped.content(depot, "a.txt")
    owner.content(depot, "docs/a.txt")
    owner.put(depot, "docs/a.txt", "1\n2\n3\n")
    pinned = scoped.call("get_depot", depotId=depot)["root"]
    made = scoped.call("fs_write", nodeKey=pinned, path="a.txt", content="0\n1\n")
    scoped.call("depot_commit", depotId=depot, root=made["newRoot"])
    owner.check("what it had not read is there", owner.content(depot, "docs/a.txt") == "0\n1\n2\n3\n", made)


def made_again(report, host):
    """A root of the history that another has made again, on another."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="made again")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    empty = owner.call("get_depot", depotId=depot)["root"]
    owner.put(depot, "a.txt", "1\n")
    other.call("fs_rm", nodeKey=depot, path="a.txt")
    now = owner.put(depot, "b.txt", "2\n")["root"]
    for more in ({}, {"expectedRoot": now}):
        owner.refused("depot_commit", "CONFLICT", depotId=depot, root=empty, **more)
    owner.check("nothing is gone", owner.content(depot, "a.txt") + owner.content(depot, "b.txt") == "1\n2\n")
    done = other.call("depot_commit", depotId=depot, root=empty)
    owner.check("who made it commits it", done["changed"] and owner.content(depot, "b.txt") == "2\n", done)


def told_once(report, host):
    """After a CONFLICT nobody is told of a root that it never made."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="told once")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    owner.put(depot, "a.txt", "1\n")
    one = owner.call("fs_write", nodeKey=depot, path="a.txt", content="mine\n")["newRoot"]
    root = owner.call("fs_write", nodeKey=one, path="b.txt", content="mine\n")["newRoot"]
    other.content(depot, "a.txt")
    other.put(depot, "a.txt", "theirs\n")
    owner.refused("depot_commit", "CONFLICT", depotId=depot, root=root)
    owner.content(depot, "a.txt")
    done = owner.put(depot, "a.txt", "both\n")
    owner.check("the merged root is not its other work", "uncommitted" not in done, done)


def undone_twice(report, host):
    """An undo that was undone has not taken anything back, whatever it had to touch."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="undone twice")["depotId"]

    def both(a, b):
        root = depot
        for path, content in (("a.txt", a), ("b.txt", b)):
            if content:
                root = owner.call("fs_write", nodeKey=root, path=path, content=content)["newRoot"]
        return owner.call("depot_commit", depotId=depot, root=root)["change"]

    both("1\n", "1\n")
    change = both("2\n", "2\n")
    undo = owner.call("depot_undo", depotId=depot, change=change)["change"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    other.put(depot, "b.txt", "2\n")  # brings a part of it back
    owner.call("depot_undo", depotId=depot, change=undo)
    done = owner.call("depot_undo", depotId=depot)
    owner.check("its own latest is the one that is there again", done["undid"] == {"from": change, "to": change},
                done)
    owner.check("and is taken back", owner.content(depot, "a.txt") + owner.content(depot, "b.txt") == "1\n1\n")


def moved(report, host):
    """Who moves a file has not read it."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="moved")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    owner.put(depot, "a.txt", LINES)
    for way in ("fs_mv", "fs_rewrite"):
        owner.content(depot, "a.txt")
        other.content(depot, "a.txt")
        theirs = LINES.replace("3", f"three by {way}")
        other.put(depot, "a.txt", theirs)
        how = {"from": "a.txt", "to": "b.txt"} if way == "fs_mv" else {
            "entries": {"b.txt": {"from": "a.txt"}}, "deletes": ["a.txt"]}
        if way == "fs_rewrite":  # which removes what it has not seen otherwise
            owner.refused(way, "CONFLICT", nodeKey=depot, **how)
            continue
        root = owner.call(way, nodeKey=depot, **how)["newRoot"]
        made = owner.call("fs_write", nodeKey=root, path="b.txt", content=LINES.replace("7", "seven"))
        owner.check("at its new place it is merged", made.get("merged") is True, made)
        owner.check("with theirs", owner.content(made["newRoot"], "b.txt") == theirs.replace("7", "seven"))
        done = owner.put(depot, "a.txt", LINES.replace("7", "seven"))
        owner.check("at the old one too", owner.content(depot, "a.txt") == theirs.replace("7", "seven"), done)
    # Never read at all.
    third = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    root = third.call("fs_rewrite", nodeKey=depot, entries={"c.txt": {"from": "a.txt"}}, deletes=["a.txt"])["newRoot"]
    made = third.call("fs_write", nodeKey=root, path="c.txt", content="x\n")
    third.check("it is told what it has not read", "not read" in made.get("note", ""), made)


def own_draft(report, host):
    """What was read in a root of one's own is what the depot had, with one's own in it."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="own draft")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    owner.put(depot, "a.txt", LINES)
    owner.content(depot, "a.txt")
    mine = LINES.replace("1", "one")
    draft = owner.call("fs_write", nodeKey=depot, path="a.txt", content=mine)["newRoot"]
    owner.content(draft, "a.txt")
    made = owner.call("fs_write", nodeKey=depot, path="a.txt", content=mine.replace("7", "seven"))
    owner.check("nobody has changed anything", "merged" not in made, made)
    owner.check("and what it wrote is there", owner.content(made["newRoot"], "a.txt") == mine.replace("7", "seven"))
    other.content(depot, "a.txt")
    other.put(depot, "a.txt", LINES.replace("4", "four"))
    owner.content(draft, "a.txt")
    made = owner.call("fs_write", nodeKey=depot, path="a.txt", content=mine.replace("7", "seven"))
    owner.check("all three are there", owner.content(made["newRoot"], "a.txt")
                == mine.replace("4", "four").replace("7", "seven"), made)


def values(report, host):
    """A change of a value is held against what its author has read of it."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="values")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    owner.put(depot, "d.json", json.dumps({"a": 1, "b": 1, "c": {"x": 1, "y": 1}, "l": [1, 2]}))
    at = {"depotId": depot, "path": "d.json"}

    def looks():
        owner.call("json_get_all", **at)

    def theirs(**items):
        other.call("json_update", **at, items=items)

    looks()
    theirs(a=2)
    owner.call("json_update", **at, items={"b": 2})
    text = owner.refused("json_update", "CONFLICT", **at, items={"a": 3})
    owner.check("the value is named", "/a" in text and "d.json" in text, text)
    owner.refused("json_delete", "CONFLICT", **at, keys=["a"])
    owner.call("json_update", **at, items={"b": 3})
    owner.call("json_query", **at, expression="length(@)")
    owner.refused("json_update", "CONFLICT", **at, items={"a": 3})
    owner.call("json_query", **at, expression="a")
    owner.call("json_update", **at, items={"a": 3})
    owner.call("json_update", **at, items={"a": 4})
    looks()
    other.call("json_update", **at, jsonPath="/c", items={"x": 2})
    owner.call("json_update", **at, items={"c": {"y": 2}}, merge=True)
    owner.refused("json_update", "CONFLICT", **at, items={"c": {"y": 3}})
    owner.refused("json_update", "CONFLICT", **at, items={"c": {"x": None}}, merge=True)
    looks()
    other.call("json_create", **at, jsonPath="/l", items=[0], index=0)
    owner.refused("json_delete", "CONFLICT", **at, jsonPath="/l", keys=[-1])
    # As a text it is the same file.
    owner.content(depot, "d.json")
    theirs(a=5)
    owner.refused("json_update", "CONFLICT", **at, items={"a": 6})
    owner.content(depot, "d.json")
    owner.call("json_update", **at, items={"a": 6})
    # Who has read nothing has nothing to be held against.
    owner.call("json_create", **at, items={"new": 1})
    third = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    third.call("json_update", **at, items={"a": 7})
    value = owner.call("json_get_all", **at)["value"]
    owner.check("all of it is there", value == {"a": 7, "b": 3, "c": {"x": 2, "y": 2}, "l": [0, 1, 2], "new": 1}, value)


def folders(report, host):
    """A directory that is removed holds no more than its remover has seen."""
    owner = Agent(report, host)
    depot = owner.call("create_depot", title="folders")["depotId"]
    other = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    for path in ("d/a.txt", "d/s/b.txt", "e/c.txt"):
        owner.put(depot, path, "1\n")
    for new, tool, how in (("1", "fs_ls", {"path": "d"}), ("2", "fs_tree", {}), ("3", "fs_ls", {"path": "d/s"})):
        owner.call(tool, nodeKey=depot, **how)
        other.put(depot, f"d/s/{new}.txt", "theirs\n")
        for remove in ({"path": "d"}, {"deletes": ["d"]}):
            text = owner.refused("fs_rm" if "path" in remove else "fs_rewrite", "CONFLICT", nodeKey=depot, **remove)
            owner.check("the new file is named", f"d/s/{new}.txt" in text, text)
    owner.call("fs_rm", nodeKey=depot, path="e")
    owner.call("fs_ls", nodeKey=depot, path="d")
    owner.put(depot, "d/own.txt", "mine\n")
    gone = owner.call("fs_rm", nodeKey=depot, path="d")["removed"]
    owner.check("it says how many files went", gone["files"] == 6, gone)
    third = Agent(report, host, owner.call("create_delegate", canUpload=True)["accessToken"])
    gone = third.call("fs_rm", nodeKey=depot, path="d")["removed"]
    third.check("also to one who never looked", gone["files"] == 6, gone)


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
        for story in (stories, scoped, made_again, told_once, undone_twice, moved, own_draft, values, folders):
            story(report, host)
        rest(report, host)
        report.check("the server stops well", host.close() == 0)
    world.remove()
    report.done()


if __name__ == "__main__":
    sys.exit(main())
