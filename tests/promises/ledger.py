"""The checker of "nothing is overwritten silently": what has to be in a depot, and what may be gone.

Everything that is written carries marks, each made once: `mark-17-2` in a line, in a key or value of JSON, in the
bytes of a file. A mark that was committed, and acknowledged, has to stay in the depot. It may go when somebody takes
it out who had seen it, or was told; when a root is forced or reverted to; and when the commit that brought it is
undone. Everything else is a loss.

Knows nothing of servers: it is told what was done and what is there afterwards.
"""

import collections
import re
from typing import NamedTuple

MARK = re.compile(r"mark-\d+-\d+")


def marks(content):
    """The marks in a content, text or bytes, as often as they are there."""
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    return collections.Counter(MARK.findall(text))


def marks_in(state):
    """The marks in a tree: path to content."""
    found = collections.Counter()
    for content in state.values():
        found += marks(content)
    return found


class Broken(Exception):
    """A promise that was not kept. `kind` is one word for it, the same whatever was lost."""

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Change(NamedTuple):
    """What somebody means to do to a tree: the marks it writes, and those it has seen and leaves out."""

    added: frozenset = frozenset()
    removed: frozenset = frozenset()

    def then(self, added=(), removed=()):
        added, removed = frozenset(added), frozenset(removed)
        return Change((self.added - removed) | added, (self.removed - added) | removed)


class Commit(NamedTuple):
    """A commit as it was acknowledged: the root that was told, and the marks before and after."""

    root: str
    before: frozenset
    after: frozenset


class Ledger:
    """What one depot has to hold. `state` is always the whole tree, path to content."""

    def __init__(self, root, state):
        self.root, self.state = root, state
        self.live = set(marks_in(state))
        self.ever = set(self.live)  # everything that was acknowledged
        self.copied = set()  # what may be in several files, as it was moved or copied
        self.written_again = set()  # what its author has put into several roots of its own, on other lines
        self.commits = []

    def present(self):
        return set(marks_in(self.state))

    def holds(self, why):
        """All that has to be there is there, and once."""
        found = marks_in(self.state)
        lost = sorted(self.live - set(found))
        if lost:
            raise Broken("lost", f"{', '.join(lost)} after {why}")
        for path, content in self.state.items():
            twice = sorted(mark for mark, count in marks(content).items()
                           if count > 1 and mark not in self.written_again)
            if twice:
                raise Broken("doubled", f"{', '.join(twice)} in {path} after {why}")
        twice = sorted(m for m, count in found.items()
                       if count > 1 and m not in self.copied | self.written_again)
        if twice:
            raise Broken("doubled", f"{', '.join(twice)} in several files after {why}")

    def moved(self, names):
        """These may be found at several places from now on: two may move one file to two places."""
        self.copied |= set(names)

    def took(self, root, state, why, may_go, must_come=()):
        """The depot is at `root` now. Of what it had `may_go` may be gone, and `must_come` has to be there."""
        before = self.present()
        if root != self.root:
            self.commits.append(Commit(root, frozenset(before), frozenset(marks_in(state))))
        self.root, self.state = root, state
        new = set(must_come) - self.ever
        self.live = (self.live - set(may_go)) | new
        self.holds(why)
        self.live |= self.present()  # what was taken out and came back
        self.ever |= self.present()

    def committed(self, change, root, state, why="a commit"):
        """Somebody's change was acknowledged."""
        self.took(root, state, why, change.removed, change.added)

    def replaced(self, wanted, root, state, why):
        """By force, or by a revert: the depot is what was asked for, whatever was there."""
        if marks_in(state) != marks_in(wanted):
            raise Broken("another", f"{why} gave something else than the root that was asked for")
        self.took(root, state, why, self.live)

    def undone(self, commits, root, state, why="undo"):
        """Commits were taken back: what they brought may go, and nothing else."""
        brought = set()
        for commit in commits:
            brought |= commit.after - commit.before
        self.took(root, state, why, brought)

    def refused(self, root, why):
        """Something was refused: nothing has changed."""
        if root != self.root:
            raise Broken("changed", f"{why} was refused, and the depot went from {self.root} to {root}")

    def looked(self, root, why):
        """Something that changes no depot was done: a read, or a write that is not committed."""
        if root != self.root:
            raise Broken("changed", f"{why} moved the depot from {self.root} to {root}")

    def told(self, siblings, answer, why):
        """A commit was acknowledged while its author has other writes that are not committed: it says so."""
        listed = [one.get("root", "") for one in answer.get("uncommitted", [])]
        for root in siblings:
            if not any(one and root.startswith(one) for one in listed):
                raise Broken("untold", f"{why} says nothing of the uncommitted {root}: {listed}")

    def ends(self, roots):
        """The history of the depot, at the end: every acknowledged commit is in it."""
        missing = [commit.root for commit in self.commits if commit.root not in roots]
        if missing:
            raise Broken("history", f"acknowledged and not in the history: {', '.join(missing)}")
        self.holds("the story")
