#!/usr/bin/env python3
"""differential.py CAIRN [--only REGEX] [--list] [--same]: Cairn's file tools beside the reference.

npm's @modelcontextprotocol/server-filesystem and `cairn mcp --root` get the same calls on the same
trees. Results are equal but for times and the tree's own place; of errors, the first lines. After a
call the trees are equal too: names, bytes, mode bits, links. What differs on purpose is in the
table of docs/workspaces.md by its number, and in differences.py by the calls that show it.

--only does a part, --list prints every difference, intended or not, and --same puts the reference
on both sides, which has to find nothing.
"""

import argparse
import os
import pathlib
import queue
import re
import shutil
import sys
import tempfile

import calls_edit
import calls_list
import calls_read
import calls_write
import trees
from differences import DIFFERENCES, in_the_docs
from normalise import about, differing, excerpt, neutral, outcome, placed
from servers import Cairn, Client, Reference, RootedClient, bare, end, environment

TABLES = (calls_read, calls_list, calls_write, calls_edit)
# By the session: the roots, and what else is special about it.
SESSIONS = {
    "one": {"roots": ["<tree>"]},
    "two": {"roots": ["<tree>", "<base>/tree2"]},
    "two that move": {"roots": ["<tree>", "<base>/tree2"]},
    "home": {"roots": ["<base>/home"]},
    "alias": {"roots": ["<base>/alias"]},
    "zone": {"roots": ["<tree>"], "env": {"TZ": "Asia/Tokyo"}},
    "bare": {"roots": ["<tree>"], "bare": True},
}
# What may be accessed, by what the servers are started with and what roots the client has.
STARTS = {
    "start with a slash": {"roots": ["<tree>/"]},
    "start with dots": {"roots": ["<tree>/src/../docs"]},
    "start with home": {"roots": ["~"]},
    "start under home": {"roots": ["~/sub"]},
    "start twice with one": {"roots": ["<tree>", "<tree>"]},
    "start with one in another": {"roots": ["<tree>", "<tree>/src"]},
    "start with a link": {"roots": ["<base>/alias", "<tree>/links/dir"]},
    "start with a missing one": {"roots": ["<tree>", "<base>/none"]},
    "start with only a missing one": {"roots": ["<base>/none"]},
    "start with a file": {"roots": ["<tree>/a.txt"]},
    "start with a file too": {"roots": ["<tree>", "<tree>/a.txt"]},
    "start with the client's roots": {"roots": [], "client": ["<tree>", "<base>/tree2"]},
    "start with roots, the client has others": {"roots": ["<tree>"], "client": ["<base>/tree2"]},
    "start with roots, the client has none": {"roots": ["<tree>"], "client": []},
    "start with the client's file": {"roots": ["<tree>"], "client": ["<tree>/a.txt"]},
}


class Side:
    """One of the two: a server, and the tree that it works on."""

    def __init__(self, server, base):
        self.server, self.base = server, base
        base.mkdir()
        self.tree = trees.Tree(base)
        self.client = self.session = None

    def start(self, session):
        """The server for this session, on a tree made anew."""
        self.session = session
        self.tree.put_back()
        command = self.server.command(placed(session["roots"], self.base))
        env = environment(self.base, **session.get("env", {}))
        if "client" in session:
            self.client = RootedClient(command, env, placed(session["client"], self.base))
        else:
            self.client = Client([*(bare() if session.get("bare") else ()), *command], env)
        self.client.begin()

    def stop(self):
        if self.client:
            end(self.client)
        self.client = None

    def call(self, tool, arguments, set_up=None):
        before = self.tree.made
        if set_up:
            set_up(self.base)
            before = self.tree.look()
        params = {"name": tool, "arguments": placed(arguments, self.base)}
        try:
            answer = self.client.answer(self.client.post("tools/call", params))
        except (queue.Empty, AssertionError, OSError) as trouble:
            answer = f"no answer: {type(trouble).__name__} {str(trouble)[:200]}"
        seen = outcome(answer, self.base)
        now = self.tree.look()
        seen["tree"] = neutral({os.fsdecode(path): str(change) for path, change
                                in trees.changes(before, now).items()}, self.base)
        if seen["verdict"].startswith("no answer"):
            self.stop()
            self.start(self.session)
        else:
            self.tree.put_back(now)
        return seen

    def begins(self, session):
        """What may be accessed after a start; or that there is none."""
        try:
            self.start(session)
            if "client" in session:
                return outcome(self.client.settle(self.server.roots_taken), self.base)
            return self.call("list_allowed_directories", {})
        except (AssertionError, OSError):
            return {"verdict": "refuses to start", "content": None, "structured": None}
        finally:
            self.stop()

    def tools(self):
        return {tool["name"]: about(tool) for tool in self.client.ask("tools/list")["tools"]}


class Verdict:
    """Holds what differs against what may."""

    def __init__(self, list_all):
        self.calls = self.equal = self.intended = 0
        self.problems = []
        self.used = set()
        self.list_all = list_all

    def complain(self, name, what, theirs=None, ours=None):
        self.problems.append(name)
        print(f"FAILED {name}: {what}")
        self.show(theirs, ours)

    @staticmethod
    def show(theirs, ours):
        for aspect in sorted(differing(theirs or {}, ours or {})):
            one, other = theirs.get(aspect), ours.get(aspect)
            print(f"    {aspect}, reference: {excerpt(one, other)}")
            print(f"    {aspect}, Cairn:     {excerpt(other, one)}")

    def take(self, name, theirs, ours):
        self.calls += 1
        aspects = differing(theirs, ours)
        number, listed = next(((n, d) for n, d in DIFFERENCES.items() if d.covers(name)),
                              (None, None))
        if listed:
            self.used.add(number)
        if not aspects and listed:
            self.complain(name, f"does not differ, but difference {number} says so")
        elif not aspects:
            self.equal += 1
        elif not listed:
            self.complain(name, "differs", theirs, ours)
        elif trouble := listed.trouble(aspects, ours):
            self.complain(name, f"differs otherwise than difference {number} says: {trouble}",
                          theirs, ours)
        else:
            self.intended += 1
            if self.list_all:
                print(f"difference {number}: {name}")
                self.show(theirs, ours)


def compare_tools(sides, verdict):
    theirs, ours = (side.tools() for side in sides)
    verdict.take("tools/list", {"content": sorted(theirs)}, {"content": sorted(ours)})
    for name in sorted(theirs):
        if name not in ours:
            verdict.complain(f"tools/list {name}", "is missing")
            continue
        for part in ("title", "annotations", "input", "output"):
            verdict.take(f"tools/list {name} {part}", {"content": theirs[name][part]},
                         {"content": ours[name][part]})


def all_calls():
    """By session, (name, tool, arguments[, setup]); every name is there once."""
    calls = {session: [call for table in TABLES for call in table.CALLS.get(session, ())]
             for session in SESSIONS}
    names = [call[0] for part in calls.values() for call in part]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"called twice: {twice}"
    return calls


def run(sides, only, verdict):
    """The number of calls left out."""
    left_out = 0
    for session, calls in all_calls().items():
        calls = [call for call in calls if only.search(call[0])]
        lists = session == "one" and only.search("tools/list")
        if not calls and not lists:
            continue
        if SESSIONS[session].get("bare") and bare() is None:
            left_out += len(calls)
            continue
        for side in sides:
            side.start(SESSIONS[session])
        if lists:
            compare_tools(sides, verdict)
        for name, tool, arguments, *set_up in calls:
            verdict.take(name, *(side.call(tool, arguments, *set_up) for side in sides))
        for side in sides:
            side.stop()
    for name, session in STARTS.items():
        if only.search(name):
            verdict.take(name, *(side.begins(session) for side in sides))
    return left_out


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cairn")
    options.add_argument("--only", type=re.compile, default=re.compile(""))
    options.add_argument("--list", action="store_true")
    options.add_argument("--same", action="store_true")
    options = options.parse_args()
    if options.same:
        DIFFERENCES.clear()
    os.umask(0o022)
    work = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="cairn-workspace-")))
    work.chmod(0o755)
    reference = Reference()
    # Equally long, so that what depends on a path's length is equal.
    sides = (Side(reference, work / "r"),
             Side(reference if options.same else Cairn(options.cairn), work / "c"))
    verdict = Verdict(options.list)
    os.chdir(work)  # a server that falls back to where it is started finds nothing of value
    try:
        left_out = run(sides, options.only, verdict)
    finally:
        for side in sides:
            side.stop()
            trees.empty(side.base)
        shutil.rmtree(work)
    if not options.only.pattern and not options.same:
        for number in sorted(set(DIFFERENCES) - verdict.used):
            verdict.complain(f"difference {number}", "no call shows it")
        for number in sorted(in_the_docs() ^ set(DIFFERENCES)):
            verdict.complain(f"difference {number}", "is not both in the table and in the test")
    print(f"{verdict.calls} calls: {verdict.equal} equal, {verdict.intended} different on purpose, "
          f"{len(verdict.problems)} wrong, {left_out} left out")
    sys.exit(1 if verdict.problems or not verdict.calls else 0)


if __name__ == "__main__":
    main()
