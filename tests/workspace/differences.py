"""What Cairn's file tools do otherwise than the reference's on purpose, by the table's numbers."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
TABLES = (HERE.parent.parent / "docs" / "workspaces.md", HERE / "differences.md")
HEAD = "| # | where | reference | Cairn | why |"


class Difference:
    """Calls that differ: by their names, in these aspects and no others.

    `says` has to be found in Cairn's answer, so that it differs in the way that is meant.
    """

    def __init__(self, aspects, calls, says=""):
        self.aspects, self.says = set(aspects.split()), re.compile(says)
        self.calls = re.compile("|".join(f"(?:{call})" for call in calls))

    def covers(self, name):
        return self.calls.fullmatch(name) is not None

    def trouble(self, aspects, ours):
        """What is wrong about a call that differs in these aspects; nothing if it may."""
        if more := aspects - self.aspects:
            return "also in " + ", ".join(sorted(more))
        if not self.says.search(str(ours["content"])):
            return f"Cairn does not say {self.says.pattern!r}"
        return ""


DIFFERENCES = {}


def in_the_docs():
    """The numbers in the table of the documentation."""
    for path in TABLES:
        if path.exists() and HEAD in path.read_text():
            rows = path.read_text().split(HEAD, 1)[1].split("\n\n", 1)[0]
            return {int(n) for n in re.findall(r"^\| *(\d+) *\|", rows, re.M)}
    return set()
