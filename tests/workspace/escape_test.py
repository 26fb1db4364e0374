#!/usr/bin/env python3
"""escape_test.py CAIRN [--swaps N] [--seed N] [--reference]: nothing gets out of a workspace.

Every row of escape_rows.py by reading, writing, listing and moving, through the separate tools and
through the tool `filesystem`, with one root and with two. After each call everything outside is as
it was; no answer ever holds what is outside. Then the same while a directory and a file are swapped
with links to outside. --reference does it with npm's server, to see that the test can fail.
"""

import argparse
import base64
import os
import pathlib
import shutil
import socket
import stat
import sys
import tempfile
import time

import race
import trees
from doors import DENIED, EXTRA, MISSING, REFUSED, SERVED, Door, OneTool
from escape_rows import ALPHA, DELETIONS, DIRECTORIES, FILES, MOVES
from normalise import placed
from servers import PATIENCE, Cairn, Reference, environment

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Report, Server  # noqa: E402

OUTCOMES = {DENIED, MISSING, REFUSED, SERVED}
LEAKS = (trees.SECRET, base64.b64encode(trees.SECRET.encode()).decode(), race.HIDDEN)
INSIDE = (b"tree", b"tree2")
# The reference opens pipes, and does not answer any more.
PATIENCE_WITH_REFERENCE = 10


def make(base):
    """The tree, and what is dangerous to open or changes while it is used."""
    trees.make(base)
    special = base / "tree/special"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(special / "socket"))
    os.symlink("pipe", special / "to-pipe")
    try:
        os.mknod(special / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        (special / "zero").mkdir()
    race.make(base)


class World(trees.Tree):
    """The tree, and all around it that has to stay as it is."""

    def __init__(self, base):
        super().__init__(base, make)
        self.before = self.made

    def changes(self, now):
        """Since it was last as it should be: (inside, outside)."""
        changed = trees.changes(self.before, now)
        inside = {os.fsdecode(path): change for path, change in changed.items()
                  if path.split(b"/", 1)[0] in INSIDE and b"/" in path}
        return inside, {path: change for path, change in changed.items()
                        if os.fsdecode(path) not in inside}


class Escapes:
    def __init__(self, report, world, door, name, roots):
        self.report, self.world, self.door, self.roots = report, world, door, roots
        self.name = name

    def check(self, what, condition, *seen):
        self.report.check(f"{self.name}: {what}", condition, *seen)

    def call(self, what, operation, *words):
        """One call; what came of it, its text, and what changed inside."""
        if not self.door.has(operation):
            return None, "", {}
        began = len(self.door.answers)
        kind, text = self.door.ask(operation, *placed(list(words), self.world.base))
        self.check(f"{operation} {what}: is answered", kind != "no answer")
        said = "".join(self.door.answers[began:])
        self.check(f"{operation} {what}: says nothing of what is outside",
                   not any(leak in said for leak in LEAKS), said[:300])
        now = self.world.look()
        inside, outside = self.world.changes(now)
        self.check(f"{operation} {what}: changes nothing outside", not outside, outside)
        if inside or outside:
            self.world.put_back(now)
        return kind, text, inside

    def expect(self, what, operation, wanted, *words):
        """An outcome among the wanted ones; what is refused changes nothing."""
        kind, text, inside = self.call(what, operation, *words)
        if kind is None:
            return
        self.check(f"{operation} {what}: is {wanted}", kind in wanted, kind, text)
        if kind != SERVED:
            self.check(f"{operation} {what}: changes nothing", not inside, inside)

    def for_roots(self, name, wanted):
        """With the second root, links to it stay inside."""
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        if len(self.roots) > 1 and "sibling root" in name:
            return ()
        # The manual's paths are relative: what begins with a slash may be refused as such.
        if isinstance(self.door, OneTool) and DENIED not in wanted and wanted:
            return (*wanted, DENIED)
        return wanted

    def read(self, name, path, wanted):
        bytes_wanted = [text for text in wanted if text not in OUTCOMES]
        outcomes = [kind for kind in wanted if kind in OUTCOMES]
        kind, text, inside = self.call(name, "read", path)
        if kind == SERVED:
            self.check(f"read {name}: gives the right bytes", text in bytes_wanted, text)
        else:
            self.check(f"read {name}: is {wanted}", kind in outcomes, kind, text)
        self.check(f"read {name}: changes nothing", not inside, inside)
        for operation in ("media", "many", "dry"):
            if not bytes_wanted:
                self.expect(name, operation, (kind,) if operation == "many" else
                            (DENIED, MISSING, REFUSED), path)
        self.call(name, "info", path)
        if not bytes_wanted and DENIED in wanted and len(wanted) == 1:
            self.expect(name, "info", (DENIED,), path)

    def write(self, name, path, wanted):
        places = [place for place in wanted if place not in OUTCOMES]
        outcomes = [kind for kind in wanted if kind in OUTCOMES]
        for operation in ("write", "edit"):
            kind, text, inside = self.call(name, operation, path)
            if kind == SERVED:
                # The one tool makes what is missing above a file; `call` has looked that all of it
                # is inside.
                makes = (isinstance(self.door, OneTool) and operation == "write" and
                         MISSING in outcomes)
                self.check(f"{operation} {name}: only where it should",
                           makes and inside or list(inside) in [[place] for place in places],
                           inside)
            else:
                # What can be written anew there may be nothing to be edited yet.
                fine = kind in outcomes or places and operation == "edit" and kind == MISSING
                self.check(f"{operation} {name}: is {wanted}", fine, kind, text)
                self.check(f"{operation} {name}: changes nothing", not inside, inside)
        if not places and set(outcomes) == {DENIED}:
            self.expect(name, "make", (DENIED,), path)

    def table(self):
        for name, path, reading, writing in FILES:
            if reading := self.for_roots(name, reading):
                self.read(name, path, reading)
            if writing := self.for_roots(name, writing):
                self.write(name, path, writing)
        for name, path, wanted in DIRECTORIES:
            if wanted := self.for_roots(name, wanted):
                for operation in ("list", "sizes", "tree", "find"):
                    self.expect(name, operation, wanted, path)
        for name, source, destination, wanted in MOVES:
            if len(self.roots) > 1 and "other root" in name:
                continue
            for operation in ("move", "copy"):
                self.moves(operation, name, self.for_roots(name, wanted), source, destination)
        for name, path in DELETIONS:
            self.expect(name, "delete", (DENIED, MISSING, REFUSED), path)

    def moves(self, operation, name, wanted, source, destination):
        if operation == "copy" and name == "of the root":
            return  # into itself: whether it is refused is not about getting out
        self.expect(name, operation, wanted, source, destination)

    def searches(self):
        """What walks does not walk out."""
        for pattern in ("**", "../*", "../**", "../../**", "<base>/**", "links/*/*",
                        "**/secret.txt", "links/out-dir/**", "{..,.}/**", "links/@(out-dir)/*"):
            kind, text, _ = self.call(repr(pattern), "find", "", pattern)
            self.check(f"find {pattern!r}: finds nothing outside",
                       not any(name in text for name in ("secret.txt", "deep.md")), text)
        for operation in ("tree", "list", "sizes"):
            self.call("the root", operation, "")
            self.call("links", operation, "links")
        self.call("the secret", "grep", "", "nobody-may")
        self.call("a link to outside", "delete", "links/out")
        self.call("a directory link to outside", "delete", "links/out-dir")

    def late_links(self):
        """A link that came after the server started."""
        for path, target in (("late.txt", "../outside/secret.txt"), ("late-dir", "../outside")):
            def linked():
                os.symlink(target, self.world.base / "tree" / path)
                self.world.before = self.world.look()

            for operation in ("read", "write", "edit") if path == "late.txt" else ("list", "tree"):
                linked()
                self.expect(f"late link {path}", operation, (DENIED,), path)
                self.world.put_back()
        self.world.before = self.world.made

    def served(self):
        """The test would be worth nothing if everything were refused."""
        kind, text, _ = self.call("a.txt", "read", "a.txt")
        self.check("a.txt can be read", (kind, text) == (SERVED, ALPHA), kind, text)
        if len(self.roots) > 1 and not isinstance(self.door, OneTool):
            for path, wanted in (("<base>/tree2/c.txt", "in the second\n"),
                                 ("links/second", "in the second\n")):
                kind, text, _ = self.call(path, "read", path)
                self.check(f"{path} can be read", (kind, text) == (SERVED, wanted), kind, text)

    def race(self, swaps, seed):
        began, start = len(self.door.answers), time.monotonic()
        counts = race.run(self.door, self.world.base, swaps, seed)
        said = self.door.answers[began:]
        leaked = [answer for answer in said if any(leak in answer for leak in LEAKS)]
        _, outside = self.world.changes(self.world.look())
        self.check("race: no answer says what is outside", not leaked, len(leaked), leaked[:1])
        self.check("race: nothing changes outside", not outside, outside)
        strays = race.strays(self.world.base)
        self.check("race: nothing is left lying about", not strays, strays)
        self.check("race: calls met both", counts.get(SERVED, 0) > 20 and
                   counts.get(DENIED, 0) > 20 and "no answer" not in counts, counts)
        print(f"{self.name}: {swaps} swaps, {len(said)} calls in {time.monotonic() - start:.1f} s: "
              f"{counts}")
        self.world.renew()
        self.world.before = self.world.made


class Far:
    """A server that was started with the tree, and the way to it for a client on stdio."""

    def __init__(self, cairn, base):
        self.cairn, self.base = os.path.realpath(cairn), base
        # Beside the tree nothing may appear, so its data is elsewhere.
        self.server = Server(cairn, "--root", f"tree={base / 'tree'}")
        self.server.start()

    def command(self, tools):
        chosen = ["--tools", tools] if tools else []
        return [self.cairn, "mcp", "--server", self.server.url, "--directory", "tree", *chosen]

    def environment(self):
        return environment(self.base, CAIRN_TOKEN=self.server.token)

    def stop(self):
        self.server.stop()
        shutil.rmtree(self.server.data, ignore_errors=True)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cairn")
    options.add_argument("--swaps", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--reference", action="store_true")
    options = options.parse_args()
    os.umask(0o022)
    base = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="cairn-escape-")))
    report, world = Report(), World(base)
    server = Reference() if options.reference else Cairn(options.cairn)
    near = None if options.reference else Far(options.cairn, base)
    os.chdir(base)
    try:
        for kind, tools in ((Door, None), (OneTool, "filesystem")):
            if options.reference and tools:
                continue
            for names in (("tree",), ("tree", "tree2")):
                roots = [str(base / name) for name in names]
                door = kind(server.command(roots, tools), environment(base),
                            PATIENCE_WITH_REFERENCE if options.reference else PATIENCE)
                escapes = Escapes(report, world, door, f"{kind.__name__}, {len(roots)}", roots)
                if kind is Door and not options.reference:
                    escapes.check("the extra tools are there", all(map(door.has, EXTRA)))
                escapes.served()
                escapes.table()
                escapes.searches()
                escapes.late_links()
                escapes.race(options.swaps, options.seed)
                door.stop()
            if near:
                # The same directory, by way of a server.
                door = kind(near.command(tools), near.environment(), PATIENCE)
                escapes = Escapes(report, world, door, f"{kind.__name__}, over HTTP",
                                  [str(base / "tree")])
                escapes.served()
                escapes.table()
                escapes.searches()
                escapes.late_links()
                escapes.race(options.swaps // 10, options.seed)
                door.stop()
    finally:
        if near:
            near.stop()
        trees.empty(base)
        shutil.rmtree(base)
    report.done()


if __name__ == "__main__":
    main()
