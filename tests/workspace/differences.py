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
        r"sizes by (''|'date'|'NAME'|None|1|\['name'\])", "tree excludePatterns is .*",
        r"(find|write|move|edit) with \{.*", r"make (None|5|\['x'\])"], "INVALID_ARGUMENT"),
    2: Difference("verdict content", ["unknown tool", "tool of another case", "tool with no name"],
                  "no tool"),
    3: Difference("verdict content", ["arguments (null|a list|a string)"]),
    4: Difference("verdict content structured tree", [
        r"(old )?read (nul\.txt|binary\.bin|utf16\.txt|media/p\.png)",
        r"(head|tail) 2 (nul\.txt|binary\.bin|utf16\.txt)", "many with binary", "edit binary"],
        "NOT_TEXT"),
    5: Difference("tree", ["edit CRLF( word| by LF| by CRLF|, lines in|, flexibly|, nothing)",
                           "edit mixed ends"]),
    6: Difference("content structured", [
        "edit repeated( lines| twice|, dry)?", "edit first of several",
        "edit only blanks in blank"], r"matched \d+ times"),
    7: Difference("content", ["tools/list"], "copy_file.*delete_file.*search_content"),
    8: Difference("content", ["tools/list (read_text_file|read_file|directory_tree|search_files|"
                              "write_file|edit_file|create_directory|move_file) input"],
                  "offset|maxEntries|maxResults|dryRun"),
    9: Difference("verdict content structured tree", [
        "(write|make) quoted root", "write root and space", "move to quoted root",
        "path \"<tree>'\""], "Access denied"),
    10: Difference("verdict content structured tree", [
        "move link", "move link to directory"], "Successfully moved"),
    11: Difference("content structured", ["sizes links( by name| by size)?"]),
    12: Difference("content structured", ["start with roots, the client has others"]),
    13: Difference("verdict content structured tree", [
        "start with a missing one", "start with a file too"]),
    14: Difference("content structured", ["sizes sort( by name)?", "sizes names"]),
    15: Difference("content", [
        r"link (out|second)(?!-dir/\.\.).*", "link (null|proc)", "move link out",
        "(list|sizes|tree|info) of link out",
        "find ts in '<tree>/links/out-dir'", "write link (out|second).*",
        "make (through )?link out", "move through link out", "edit at link out",
        "(read|write) where a link came", "write in a directory that is a link now",
        "list a directory that is a link now"],
        "Access denied - symlink target outside allowed directories: <base>/tree/"),
    16: Difference("content", [
        "(write )?link dangling.*", "(list|sizes|tree|info) of dangling link",
        "make (under )?dangling", "edit at dangling", "move dangling"],
        "ENOENT: no such file|Access denied - symlink target outside"),
    17: Difference("content", [
        r"tail of nothing", "(write )?link loop1?", "link rel/x", "name n+…256",
        "path '<tree>/a.txt/b'",
        "(list|sizes|tree|info) of (through a file|loop)", "find ts in '<tree>/links/loop'",
        "write name 'n…256'", "write (to a directory|to the root|under a file|nothing|dot)",
        "write link (dir|up)", "write where a directory came", "make (under a file|loop|long name)",
        "edit at (loop|under a file)", "may not read dir-000/in.txt", "bare info in none",
        "bare write dir-(555/in|000/new).txt", "bare make in none", "bare edit in 555"],
        "^.{0,40}E[A-Z]+: "),
    18: Difference("content structured", [
        "sizes odd", r"find ('\*\*'|'\*\*/\*'|'!\*\.txt'|'odd/\*')",
        "name ../odd/latin\ufffd.txt"]),
    19: Difference("verdict content structured tree", ["write name 'n…255'"], "Successfully wrote"),
    20: Difference("content", [
        r"path '(a\.txt)?\\x00(\.png)?'", "(list|sizes|tree|info) of NUL", "(write|make|move) NUL",
        "edit at NUL"], "Access denied - path outside.*\ufffd"),
    21: Difference("verdict content structured", [
        r"path '(x/x/|xxxx|<tree>/\.).*…\d+'", "write long path"], "INVALID_PATH"),
    22: Difference("content structured", [
        "many with (missing|a directory|a link out|a loop|odd names)", "many, all failing",
        "may not read one of many"], "Error - "),
    23: Difference("tree", ["edit Latin-1"]),
    24: Difference("content structured", ["start twice with one"]),
    25: Difference("verdict content structured tree", ["move (a )?root", "move nothing"], "EACCES"),
    26: Difference("verdict content structured", ["bare tree modes", "bare find"],
                   "truncated|could not be read"),
    27: Difference("verdict content structured", [
        "(head|tail) (-1|-3|1.5|2.9|0.5) twenty.txt"], "INVALID_ARGUMENT"),
    28: Difference("content", [
        "move onto (link|link out|dangling|dangling out|loop)"], "Destination already exists"),
    29: Difference("verdict content structured", [
        "(media |many |list |sizes |tree |find )?extra arguments?",
        ".*: allowed with arguments"], "was ignored|did you mean"),
    30: Difference("verdict content structured tree", ["edit empty old.*"], "empty oldText"),
    31: Difference("content structured", ["zone info"], "Coordinated Universal Time"),
    32: Difference("content", ["alias <base>/alias/(none|no/such)"], "<base>/alias/"),
    33: Difference("verdict content structured", [r"find '\*\*/@\(!\(a\)\|b\)'"], "one is the most"),
    34: Difference("content structured", [r"find '\*\*/deep/1/2/3/\*\*/4/\*\*'"], "3/4/5/6"),
    35: Difference("verdict content structured tree", [
        "(write|move|edit) extra argument( in an edit)?"], "unknown (argument|field)"),
}


def in_the_docs():
    """The numbers in the table of the documentation."""
    for path in TABLES:
        if path.exists() and HEAD in path.read_text():
            rows = path.read_text().split(HEAD, 1)[1].split("\n\n", 1)[0]
            return {int(n) for n in re.findall(r"^\| *(\d+) *\|", rows, re.M)}
    return set()
