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


DIFFERENCES = {
    1: Difference("content", [
        "no arguments", "many of none", r"(old |media )?path is .*", r"paths is (None|5|True|\{.*)",
        "(head|tail) is .*", "paths with (a number|null)", "argument of another case",
        "(list|sizes|tree|info) path is .*", "(list|sizes|tree|info|make) without path",
        "sizes by (''|'date'|'NAME'|None|1|\\['name'\\])", "tree excludePatterns is .*",
        "(find|write|move|edit) with .*", r"make (None|5|\['x'\])"]),
    2: Difference("verdict content", ["unknown tool", "tool of another case", "tool with no name"]),
    3: Difference("verdict content", ["arguments (null|a list|a string)"]),
    4: Difference("verdict content structured", [
        r"(old )?read (nul\.txt|late-nul\.txt|binary\.bin|utf16\.txt|media/p\.png)",
        r"(head|tail) 2 (nul\.txt|binary\.bin|utf16\.txt)", "many with binary"]),
    5: Difference("tree", ["edit CRLF( word| by LF| by CRLF|, lines in|, flexibly|, nothing)",
                           "edit mixed ends.*"]),
    6: Difference("content", ["edit repeated( lines| twice|, dry)?", "edit overlapping",
                              "edit first of several"]),
    7: Difference("content", ["tools/list"], says="copy_file.*delete_file.*search_content"),
    8: Difference("content", ["tools/list (read_text_file|read_file|directory_tree|search_files) "
                              "input"]),
    9: Difference("verdict content structured tree", [
        "(write|make) quoted root", "write root and space", "move to quoted root",
        "path \"<tree>'\""]),
    10: Difference("verdict content structured tree", [
        "move link", "move link to directory", "move link out", "move dangling", "move loop"]),
    11: Difference("content structured", ["sizes links( by name| by size)?"]),
    12: Difference("content structured", ["start with roots, the client has others"]),
    13: Difference("verdict content structured tree", [
        "start with a missing one", "start with a file too"]),
    14: Difference("content structured", ["sizes sort( by name)?"]),
}


def in_the_docs():
    """The numbers in the table of the documentation."""
    for path in TABLES:
        if path.exists() and HEAD in path.read_text():
            rows = path.read_text().split(HEAD, 1)[1].split("\n\n", 1)[0]
            return {int(n) for n in re.findall(r"^\| *(\d+) *\|", rows, re.M)}
    return set()
