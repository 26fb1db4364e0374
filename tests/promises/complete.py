#!/usr/bin/env python3
"""complete.py CAIRN: every answer is complete, or says how to go on.

A store that is larger than any answer: wide and deep directories, a long file, long lines, many depots, many commits,
many changes. Each tool is asked for all of it, over REST and MCP, with no limit, with small ones and with large ones;
where an answer is not all there is, what it says is followed. In the end everything was given, and once.
"""

import json
import os
import random
import re
import sys
import tempfile

from hands import Mcp, Report, Rest, Server, Shell

AGENTS = 64_000  # what an answer to an agent may have, in bytes
PAGES = 2_000  # more than any of these takes


def files(dice):
    """What is in the depot: path to text."""
    made = {"long.txt": "".join(f"{n} needle {'x' * dice.randint(0, 90)}\n" for n in range(3_000)),
            "lines.txt": "".join(f"{n} " + "é" * 40_000 + "\n" for n in range(4)),
            "one.json": json.dumps({"a": 1})}
    for n in range(1_200):
        made[f"wide/a file of a wide directory {n:05}.txt"] = f"needle {n}\n"
    for n in range(60):
        made["/".join(["deep"] + [f"level {k} of many" for k in range(n % 12)] + [f"file {n}.md"])] = "hay\n"
    return made


class Library:
    """The server with its store."""

    def __init__(self, server, seed):
        dice = random.Random(seed)
        self.server, self.owner = server, Rest(server, server.token)
        self.files = files(dice)
        with tempfile.TemporaryDirectory() as folder:
            for path, text in self.files.items():
                place = os.path.join(folder, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "w", encoding="utf-8") as file:
                    file.write(text)
            Shell(server, server.token).run("import", folder, "library", "-m", "all of it")
        self.depot = next(d["depotId"] for d in self.owner.call("list_depots")["depots"] if d["title"] == "library")
        self.before = self.owner.call("get_depot", depotId=self.depot)["root"]
        self.after = self.many_changes()
        self.busy, self.messages = self.many_commits()
        self.titles = {"library", "busy"}
        for n in range(150):
            title = f"a depot with a title that is not short at all, number {n:04}"
            self.owner.call("create_depot", title=title)
            self.titles.add(title)

    def many_changes(self):
        """A root in which every file of the wide directory is another."""
        root = self.before
        wide = [path for path in self.files if path.startswith("wide/")]
        for at in range(0, len(wide), 100):
            root = self.owner.call("fs_rewrite", nodeKey=root, deletes=wide[at:at + 100])["newRoot"]
        return self.owner.call("fs_write", nodeKey=root, path="long.txt", content="short\n")["newRoot"]

    def many_commits(self):
        depot = self.owner.call("create_depot", title="busy")["depotId"]
        messages = ["created"]
        for n in range(260):
            root = self.owner.call("fs_write", nodeKey=depot, path="n", content=f"{n}\n")["newRoot"]
            messages.append(f"commit number {n}, with a message that takes some room " + "z" * (n % 300))
            self.owner.call("depot_commit", depotId=depot, root=root, message=messages[-1])
        return depot, messages


class Reader:
    """Somebody who wants all of it, and follows what answers say."""

    def __init__(self, report, hand, library):
        self.report, self.hand, self.library = report, hand, library
        self.is_agent = isinstance(hand, Mcp)

    def check(self, what, condition, *seen):
        return self.report.check(f"{self.hand.name}: {what}", condition, *seen)

    def call(self, tool, **arguments):
        answer = self.hand.call(tool, **arguments)
        size = len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode())
        if self.is_agent:
            self.check(f"{tool} is bounded", size <= AGENTS, size, arguments)
        return answer

    def pages(self, tool, items, **arguments):
        """All items of a tool that gives a cursor, page by page."""
        found, cursor = [], {}
        for _ in range(PAGES):
            answer = self.call(tool, **arguments, **cursor)
            found += answer[items]
            more = answer.get("nextCursor")
            said = answer.get("truncated") or answer.get("hasMore") or bool(answer.get("stoppedBy"))
            if said and not more:
                rest = {name: value for name, value in answer.items() if name != items}
                # Of a search: files that are marked, now or before, are to be asked for by themselves.
                marked = "maxPerFile" in answer.get("hint", "") and any(one.get("more") for one in found)
                self.check(f"{tool} says how to go on", marked, arguments, rest)
                return found
            if not more:
                return found
            if not self.check(f"{tool} goes on", answer[items] or more != cursor.get("cursor"), arguments):
                return found
            cursor = {"cursor": more}
        self.check(f"{tool} comes to an end", False, arguments)
        return found

    def same(self, what, found, wanted):
        """Everything, and nothing twice."""
        found = list(found)
        self.check(f"{what}: nothing twice", len(found) == len(set(found)), len(found), len(set(found)))
        missing, more = set(wanted) - set(found), set(found) - set(wanted)
        self.check(f"{what}: all of it", not missing, len(missing), sorted(missing)[:2])
        self.check(f"{what}: nothing else", not more, len(more), sorted(more)[:2])

    # The tools.

    def fs_ls(self):
        names = [path[5:] for path in self.library.files if path.startswith("wide/")]
        for limit in ({}, {"limit": 7}, {"limit": 1000}):
            found = self.pages("fs_ls", "children", nodeKey=self.library.depot, path="wide", **limit)
            self.same(f"fs_ls {limit}", [one["name"] for one in found], names)
        if not self.is_agent:
            page = self.call("fs_ls", nodeKey=self.library.depot, path="wide", limit=1000)
            self.check("a program gets as many as it asks for", len(page["children"]) == 1000, len(page["children"]))

    def fs_find(self):
        for pattern, limit in (("*", {}), ("*", {"maxResults": 50}), ("**/*.md", {"maxResults": 10_000}),
                               ("*.txt", {})):
            wanted = [path for path in self.library.files if pattern == "*" or path.endswith(pattern[-3:])]
            found = self.pages("fs_find", "matches", nodeKey=self.library.depot, pattern=pattern, type="file", **limit)
            self.same(f"fs_find {pattern} {limit}", [one["path"] for one in found], wanted)

    def fs_grep(self):
        wanted = [(path, number) for path, text in self.library.files.items()
                  for number, line in enumerate(text.splitlines(), 1) if "needle" in line]
        for limit in ({}, {"maxResults": 100}):
            found = self.pages("fs_grep", "files", nodeKey=self.library.depot, pattern="needle", **limit)
            lines = {(one["path"], line["line"]) for one in found for line in one["lines"]}
            for path in {one["path"] for one in found if one.get("more")}:
                # More than are shown of one file: then it is asked for by itself.
                found = self.pages("fs_grep", "files", nodeKey=self.library.depot, pattern="needle", path=path, **limit)
                lines |= {(path, line["line"]) for one in found for line in one["lines"]}
            self.same(f"fs_grep {limit}", lines, wanted)

    def fs_read(self):
        for path in ("long.txt", "lines.txt", "one.json"):
            text = self.read(path)
            self.check(f"fs_read gives all of {path}", text == self.library.files[path], len(text))

    def read(self, path):
        """A file, part by part, as the hints say: with the line, and the byte of a long one, to go on with."""
        text, where = "", {}
        while len(text) <= len(self.library.files[path]):
            answer = self.call("fs_read", nodeKey=self.library.depot, path=path, **where)
            text += answer["content"]
            if not answer.get("truncated"):
                break
            named = re.findall(r"(startLine|startByte)\W+(\d+)", answer.get("hint", ""))
            if not self.check("fs_read says how to go on", named and answer["content"], answer.get("hint")):
                break
            where = {name: int(value) for name, value in named}
        return text

    def fs_tree(self):
        for arguments in ({}, {"maxEntries": 40}, {"depth": 1}, {"depth": -1, "maxEntries": 100_000}):
            found, queue = [], [""]
            while queue:
                path = queue.pop()
                answer = self.call("fs_tree", nodeKey=self.library.depot, **arguments,
                                   **({"path": path} if path else {}))
                if answer.get("collapsed"):  # wider than the limit: then it is listed
                    children = self.pages("fs_ls", "children", nodeKey=self.library.depot, path=path)
                    for child in children:
                        below = f"{path}/{child['name']}" if path else child["name"]
                        (queue if child["type"] == "dir" else found).append(below)
                else:
                    self.walk(path, answer, found, queue)
            self.same(f"fs_tree {arguments}", found, self.library.files)

    def walk(self, path, node, found, queue):
        for name, child in node["children"].items():
            below = f"{path}/{name}" if path else name
            if child["kind"] == "file":
                found.append(below)
            elif child.get("collapsed"):
                queue.append(below)
            else:
                self.check("a directory has what it counts", len(child["children"]) == child["count"], below)
                self.walk(below, child, found, queue)

    def fs_diff(self):
        wanted = [path for path in self.library.files if path.startswith("wide/")] + ["long.txt"]
        for more in ({}, {"maxResults": 100}, {"unified": True}):
            found = self.pages("fs_diff", "changes", **{"from": self.library.before}, to=self.library.after, **more)
            self.same(f"fs_diff {more}", [one["path"] for one in found], wanted)
            for one in found:
                if one.get("cut"):
                    self.check("a diff that is cut says how to see it", bool(one.get("hint")), one["path"])

    def depot_history(self):
        for limit in ({}, {"limit": 9}, {"limit": 1000}):
            found = self.pages("depot_history", "entries", depotId=self.library.busy, **limit)
            self.check(f"depot_history {limit}: all of it, newest first",
                       [one["message"] for one in found] == self.library.messages[::-1], len(found))

    def list_depots(self):
        for limit in ({}, {"limit": 11}):
            found = self.pages("list_depots", "depots", **limit)
            self.same(f"list_depots {limit}", [one["title"] for one in found], self.library.titles)


TOOLS = ("fs_ls", "fs_find", "fs_grep", "fs_read", "fs_tree", "fs_diff", "depot_history", "list_depots")


def main():
    report = Report()
    seed = int(os.environ.get("CAIRN_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}")
    with Server(sys.argv[1]) as server:
        library = Library(server, seed)
        for hand in (Rest(server, server.token), Mcp(server, server.token)):
            reader = Reader(report, hand, library)
            for tool in TOOLS:
                getattr(reader, tool)()
    report.done()


if __name__ == "__main__":
    main()
