#!/usr/bin/env python3
"""take_back.py CAIRN [--seed S]: every write can be taken back.

* Each way to change a depot, over REST, MCP, in a workspace and on the command line: undone, the depot has the root
  that it had before, to the bit; undone again, the root after it; and a revert brings either back.
* Of many random commits to several files any one is undone, in any order: the depot holds what the others made, in a
  model that knows every line; or it is a CONFLICT and nothing changes. At last all is reverted, root by root.
"""

import argparse
import json
import os
import random
import tempfile

from contents import Pen
from hands import Desk, Mcp, Refusal, Report, Rest, Server, Shell

FILES = {"a.txt": "".join(f"line {n}\n" for n in range(9)), "docs/b.txt": "b\n", "docs/c.txt": "c\n",
         "shop.json": '{\n  "tea": 1,\n  "list": [1, 2]\n}\n'}


class Scene:
    """A server, and a depot that is looked at by its owner."""

    def __init__(self, server, report):
        self.server, self.report = server, report
        self.rest, self.mcp = Rest(server, server.token), Mcp(server, server.token)
        self.shell = Shell(server, server.token)
        self.count = 0

    def depot(self, files):
        self.count += 1
        self.id = self.rest.call("create_depot", title=f"depot-{self.count}")["depotId"]
        root = self.id
        for path, text in files.items():
            root = self.rest.call("fs_write", nodeKey=root, path=path, content=text)["newRoot"]
        self.commit(root)
        self.desk = Desk(self.server, self.server.token, self.id)

    def commit(self, root, **more):
        return self.rest.call("depot_commit", depotId=self.id, root=root, **more)

    def root(self):
        return self.rest.call("get_depot", depotId=self.id)["root"]

    def files(self):
        found = self.rest.call("fs_find", nodeKey=self.id, pattern="*", type="file", maxResults=10_000)
        return {one["path"]: self.rest.get(self.id, one["path"])[0].decode() for one in found["matches"]}

    def roots(self):
        """Number of a commit to its root, oldest first."""
        entries, cursor = [], {}
        while True:
            page = self.rest.call("depot_history", depotId=self.id, limit=1000, **cursor)
            entries += page["entries"]
            if page["nextCursor"] is None:
                return {entry["change"]: entry["root"] for entry in entries[::-1]}
            cursor = {"cursor": page["nextCursor"]}

    def latest(self):
        return max(self.roots())

    def undo(self, number, way):
        """Takes one commit back; whether that went well."""
        try:
            if way == "workspace":
                self.desk.call("undo", change=str(number))
            else:
                hand = self.rest if way == "REST" else self.mcp
                hand.call("depot_undo", depotId=self.id, change=number)
        except Refusal as refusal:
            if refusal.code != "CONFLICT":
                raise
            return False
        return True


def by_tools(scene, hand):
    """Deeds by the tools that give a new root, each committed."""

    def committed(tool, **arguments):
        return lambda: scene.commit(hand.call(tool, nodeKey=scene.id, **arguments)["newRoot"])

    def forced():
        root = scene.roots()[1]
        other = hand.call("fs_write", nodeKey=root, path="other.txt", content="other\n")["newRoot"]
        hand.call("depot_commit", depotId=scene.id, root=other, force=True)

    return {
        "fs_write": committed("fs_write", path="a.txt", content="another\n"),
        "fs_write, new": committed("fs_write", path="new/n.txt", content="new\n"),
        "fs_edit": committed("fs_edit", path="a.txt", edits=[{"oldText": "line 4", "newText": "four"}]),
        "fs_rm": committed("fs_rm", path="docs"),
        "fs_mv": committed("fs_mv", **{"from": "docs"}, to="papers"),
        "fs_cp": committed("fs_cp", **{"from": "docs"}, to="copies"),
        "fs_mkdir": committed("fs_mkdir", path="empty"),
        "fs_rewrite": committed("fs_rewrite", entries={"x/a.txt": {"from": "a.txt"}, "dir": {"dir": True}},
                                deletes=["a.txt", "docs/b.txt"]),
        "force": forced,
    }


def by_json(scene, hand):
    def changed(tool, **arguments):
        return lambda: hand.call(tool, depotId=scene.id, path="shop.json", **arguments)

    return {
        "json_create": changed("json_create", items={"coffee": 2}),
        "json_update": changed("json_update", items={"tea": 9}),
        "json_delete": changed("json_delete", keys=["tea"]),
        "json_move": changed("json_move", **{"from": "/tea"}, to="/herb"),
        "json_copy": changed("json_copy", **{"from": "/tea"}, to="/herb"),
    }


def by_desk(scene):
    def changed(tool, **arguments):
        return lambda: scene.desk.call(tool, **arguments)

    return {
        "write_file": changed("write_file", path="a.txt", content="another\n"),
        "write_file, new": changed("write_file", path="n.txt", content="new\n"),
        "edit_file": changed("edit_file", path="a.txt", edits=[{"oldText": "line 4", "newText": "four"}]),
        "delete_file": changed("delete_file", path="docs", recursive=True),
        "move_file": changed("move_file", source="docs", destination="papers"),
        "copy_file": changed("copy_file", source="docs", destination="copies"),
        "create_directory": changed("create_directory", path="empty/inner"),
    }


def by_shell(scene):
    def imported():
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "imported.txt"), "w", encoding="utf-8") as file:
                file.write("imported\n")
            scene.shell.run("import", folder, scene.id)

    return {
        "cairn put": lambda: scene.shell.run("put", "-", f"{scene.id}:a.txt", body=b"another\n"),
        "cairn rm": lambda: scene.shell.run("rm", f"{scene.id}:docs"),
        "cairn mv": lambda: scene.shell.run("mv", f"{scene.id}:docs", "papers"),
        "cairn import": imported,
    }


def deeds(scene):
    for hand in (scene.rest, scene.mcp):
        for name, deed in {**by_tools(scene, hand), **by_json(scene, hand)}.items():
            yield f"{hand.name} {name}", deed
    for name, deed in {**by_desk(scene), **by_shell(scene)}.items():
        yield name, deed


def each_way(scene, ways):
    """Every way to write, taken back in every way."""
    for way in ways:
        for name, deed in deeds(scene):
            scene.depot(FILES)
            taken_back(scene, f"{name}, by {way}", deed, way)


def taken_back(scene, what, deed, way):
    check, before = scene.report.check, scene.root()
    deed()
    after, number = scene.root(), scene.latest()
    check(f"{what}: it changed something", after != before)
    check(f"{what}: undone", scene.undo(number, way) and scene.root() == before, scene.root(), before)
    check(f"{what}: and the undo undone", scene.undo(number + 1, way) and scene.root() == after)
    scene.rest.call("depot_revert", depotId=scene.id, root=before)
    check(f"{what}: reverted", scene.root() == before)
    scene.rest.call("depot_revert", depotId=scene.id, root=after)
    check(f"{what}: and the revert reverted", scene.root() == after)


class Model:
    """What a depot should hold: path to lines. Every line is written once, so an undo is clear: the lines a commit
    brought go, and those it took come back."""

    def __init__(self, files):
        self.files = {path: text.splitlines(keepends=True) for path, text in files.items()}
        self.changes = {}  # number of a commit to (brought, took), sets of lines

    def lines(self):
        return {line for lines in self.files.values() for line in lines}


def some_commit(scene, dice, model, pen):
    """A random commit of a few lines in one or two files, by a random tool."""
    before = model.lines()
    root = scene.id
    for path in dice.sample(sorted(model.files), dice.randint(1, 2)):
        lines = list(model.files[path])
        for _ in range(dice.randint(1, 2)):
            at = dice.randrange(len(lines) + 1)
            if dice.random() < 0.3 and lines:
                del lines[min(at, len(lines) - 1)]
            else:
                lines.insert(at, pen.line(dice))
        model.files[path] = lines
        root = scene.rest.call("fs_write", nodeKey=root, path=path, content="".join(lines))["newRoot"]
    scene.commit(root)
    after = model.lines()
    model.changes[scene.latest()] = (after - before, before - after)


def any_of_many(scene, dice, ways):
    """Random commits, and undo of any of them; later ones stay."""
    check, pen = scene.report.check, Pen(1)
    texts = {f"f{n}.txt": "".join(pen.line(dice) for _ in range(12)) for n in range(4)}
    scene.depot(texts)
    model = Model(texts)
    done = conflicts = 0
    for _ in range(40):
        if dice.random() < 0.5 or not model.changes:
            some_commit(scene, dice, model, pen)
            continue
        number = dice.choice(sorted(model.changes))
        way, before = dice.choice(ways), scene.root()
        brought, took = model.changes[number]
        known = model.lines()
        if not (brought & known or took - known):
            continue  # nothing is left of it
        if not scene.undo(number, way):
            conflicts += 1
            check("a CONFLICT changes nothing", scene.root() == before)
            continue
        done += 1
        del model.changes[number]  # from here on the undo is what can be taken back
        kept_order(scene, model, (known - brought) | took, f"undo of {number} by {way}")
        model.changes[scene.latest()] = (model.lines() - known, known - model.lines())
    check("something was undone", done > 3, done, conflicts)
    return done, conflicts


def a_run(scene, dice):
    """The last commits, however many, in one undo: as if they had never been."""
    roots = scene.roots()
    first = dice.choice([number for number in sorted(roots) if number - 1 in roots][-8:])
    before = scene.latest()
    if roots[first - 1] == roots[before]:
        return  # they have taken each other back already
    scene.rest.call("depot_undo", depotId=scene.id, **{"from": first}, to=before)
    scene.report.check("a run is taken back at once", scene.root() == roots[first - 1], first, before)
    scene.report.check("in one commit", scene.latest() == before + 1)
    scene.mcp.call("depot_undo", depotId=scene.id, change=before + 1)
    scene.report.check("and comes back", scene.root() == roots[before])


def kept_order(scene, model, wanted, what):
    """The depot has exactly these lines; those that stayed are in the order they were in."""
    files = {path: text.splitlines(keepends=True) for path, text in scene.files().items()}
    found = [line for lines in files.values() for line in lines]
    scene.report.check(f"{what}: exactly the others' lines remain", sorted(found) == sorted(wanted),
                       sorted(set(found) ^ set(wanted))[:4])
    for path, lines in model.files.items():
        stayed = [line for line in lines if line in set(files.get(path, []))]
        scene.report.check(f"{what}: in their order",
                           stayed == [line for line in files.get(path, []) if line in set(lines)], path)
    model.files = files


def root_by_root(scene, dice):
    """Every root of the history comes back, as it was."""
    roots = sorted(set(scene.roots().values()))
    trees = {}
    for root in dice.sample(roots, min(12, len(roots))):
        scene.rest.call("depot_revert", depotId=scene.id, root=root)
        scene.report.check("a revert brings back the root", scene.root() == root)
        now = json.dumps(scene.files(), sort_keys=True)
        scene.report.check("with the same files each time", trees.setdefault(root, now) == now)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("cairn")
    options.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options.add_argument("--rounds", type=int, default=6)
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    report = Report()
    ways = ["workspace", "REST", "MCP"]
    with Server(options.cairn) as server:
        scene = Scene(server, report)
        each_way(scene, ways)
        for _ in range(options.rounds):
            print("undone {}, in conflict {}".format(*any_of_many(scene, dice, ways)))
            a_run(scene, dice)
            root_by_root(scene, dice)
    report.done()


if __name__ == "__main__":
    main()
