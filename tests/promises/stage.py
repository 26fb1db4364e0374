"""Where a story plays: a server, depots with their ledgers, and a script of all that was said."""

import json

from hands import Rest, Server
from ledger import Commit, Ledger, marks_in

SHOWN = 300


class World:
    """One server for many stories, looked at by its owner."""

    def __init__(self, cairn):
        self.server = Server(cairn)
        self.server.start()
        self.owner = Rest(self.server, self.server.token)
        self.contents = {}  # by the key of a file, which never changes
        self.trees = {}
        self.stories = 0

    def close(self):
        self.owner.close()
        self.server.__exit__()

    def hand(self, hand):
        """A hand of an agent, before it gets it."""
        return hand

    def root(self, depot):
        return self.owner.call("get_depot", depotId=depot)["root"]

    def tree(self, root):
        """The files of a tree: path to bytes."""
        if root not in self.trees:
            found = self.owner.call("fs_find", nodeKey=root, pattern="*", type="file", maxResults=10_000)
            assert not found["truncated"], found
            files = {}
            for one in found["matches"]:
                if one["key"] not in self.contents:
                    self.contents[one["key"]] = self.owner.get(root, one["path"])[0]
                files[one["path"]] = self.contents[one["key"]]
            self.trees[root] = files
        return self.trees[root]

    def history(self, depot):
        """The depot's commits, newest first."""
        entries, cursor = [], {}
        while True:
            page = self.owner.call("depot_history", depotId=depot, limit=1000, **cursor)
            entries += page["entries"]
            if page["nextCursor"] is None:
                return entries
            cursor = {"cursor": page["nextCursor"]}

    def forget(self):
        self.contents.clear()
        self.trees.clear()


class Place:
    """One depot of a story."""

    def __init__(self, world, title, files):
        self.world, self.title = world, title
        owner = world.owner
        self.depot = owner.call("create_depot", title=title)["depotId"]
        root = self.depot
        for path, content in files.items():
            if isinstance(content, bytes):
                root = owner.put(root, path, content)["newRoot"]
            else:
                root = owner.call("fs_write", nodeKey=root, path=path, content=content)["newRoot"]
        owner.call("depot_commit", depotId=self.depot, root=root, message="begin")
        self.ledger = Ledger(world.root(self.depot), world.tree(root))

    def look(self):
        """Its root and all files, as they are now."""
        root = self.world.root(self.depot)
        return root, self.world.tree(root)

    def committed(self, change, why):
        self.ledger.committed(change, *self.look(), why)

    def undone(self, first, last=None, why="undo"):
        """Commits, by their numbers, were taken back: what they brought may be gone, and nothing else."""
        roots = {entry["change"]: entry["root"] for entry in self.world.history(self.depot)}
        self.ledger.undone([self.commit(roots, number) for number in range(first, (last or first) + 1)],
                           *self.look(), why)

    def commit(self, roots, number):
        before, after = (frozenset(marks_in(self.world.tree(roots[n]))) for n in (number - 1, number))
        return Commit(roots[number], before, after)

    def settled(self, why):
        """Everything that changed it is accounted for."""
        root = self.world.root(self.depot)
        self.ledger.refused(root, why)

    def ended(self):
        self.ledger.ends([entry["root"] for entry in self.world.history(self.depot)])


class Script:
    """What was said in a story, to be read when it ends badly. Roots get short names as they appear."""

    def __init__(self):
        self.lines, self.names = [], {}

    def name(self, depot, title):
        self.names[depot] = title

    def short(self, value):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key in sorted(self.names, key=len, reverse=True):
            text = text.replace(key, self.names[key])
        return text if len(text) <= SHOWN else text[:SHOWN] + " …"

    def roots(self, answer):
        """Gives names to the roots in an answer."""
        for field in ("newRoot", "root", "currentRoot", "mergedRoot"):
            root = answer.get(field) if isinstance(answer, dict) else None
            if isinstance(root, str) and root.startswith("nod_") and root not in self.names:
                self.names[root] = f"R{sum(n.startswith('R') for n in self.names.values()) + 1}"

    def say(self, who, way, what, arguments, answer):
        self.roots(answer)
        if isinstance(answer, dict):
            answer = {k: v for k, v in answer.items() if k not in BORING}
        self.lines.append(f"{who:5} {way:9} {what} {self.short(arguments)}\n"
                          f"                -> {self.short(answer)}")

    def note(self, text):
        self.lines.append(f"                   {self.short(text)}")

    def __str__(self):
        return "\n".join(self.lines)


BORING = {"history", "createdAt", "updatedAt", "maxHistory", "contentType", "title", "depotId"}
