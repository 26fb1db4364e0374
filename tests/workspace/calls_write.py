"""Calls that write, make and move: (name, tool, arguments[, setup]), by session."""

import os

WRITE, MAKE, MOVE = "write_file", "create_directory", "move_file"


def writes():
    for what, content in (("text", "new\n"), ("nothing", ""), ("no newline", "new"),
                          ("CRLF", "a\r\nb\r\n"), ("Unicode", "Grüße 日本語 🏔\n"),
                          ("NUL", "a\u0000b"), ("a mark", "\ufeffx\n"), ("300 KB", "x" * 300_000),
                          ("controls", "\u0001\u001b[0m\u007f\u0085\u2028")):
        yield (f"write new: {what}", WRITE, {"path": "<tree>/new.txt", "content": content})
        yield (f"overwrite with {what}", WRITE, {"path": "<tree>/a.txt", "content": content})
    for path in ("crlf.txt", "mixed.txt", "bom.txt", "empty.txt", "binary.bin", "no-newline.txt"):
        yield (f"overwrite {path}", WRITE, {"path": f"<tree>/{path}", "content": "a\nb\n"})
    yield ("overwrite with the same", WRITE,
           {"path": "<tree>/a.txt", "content": "alpha\nbeta\ngamma\n"})
    for path in ("with space.txt", "new \"quotes'.txt", "back\\slash.txt", "new\nline2.txt",
                 "caf\u00e9.txt", "cafe\u0301.txt", "na\u00efve.txt", "fre\u0301sh.txt",
                 "日本.txt", " x", "x ", "*", "-", "n" * 255, "n" * 256, "n" * 230,
                 "caf\u00e9 dir/new.txt", "~", "100%"):
        shown = path if len(path) < 60 else f"n…{len(path)}"
        yield (f"write name {shown!r}", WRITE, {"path": f"<tree>/names/{path}", "content": "w\n"})


def wrong_writes():
    for what, path in (("in a missing directory", "<tree>/no/such/new.txt"),
                       ("in one missing directory", "<tree>/no/new.txt"),
                       ("to a directory", "<tree>/src"), ("to the root", "<tree>"),
                       ("under a file", "<tree>/a.txt/new.txt"), ("outside", "<base>/outside/new"),
                       ("beside", "<base>/new.txt"), ("sibling", "<tree>-sibling/new.txt"),
                       ("by dots", "../new.txt"), ("by dots inside", "src/../new.txt"),
                       ("with slash", "<tree>/new.txt/"), ("over with slash", "<tree>/a.txt/"),
                       ("with dot", "<tree>/new.txt/."), ("relative", "new.txt"),
                       ("relative deep", "src/lib/new.ts"), ("nothing", ""), ("dot", "."),
                       ("NUL", "new\u0000.txt"), ("windows", "C:\\new.txt"),
                       ("windows slash", "c:/new.txt"), ("backslashes", "..\\new.txt"),
                       ("home", "~/new.txt"), ("tilde name", "~new"),
                       ("quoted root", "<tree>'"), ("root and space", "<tree> "),
                       ("proc", "/proc/self/cwd/new.txt"),
                       ("long path", "x/" * 2100), ("encoded", "%2e%2e/new.txt")):
        yield (f"write {what}", WRITE, {"path": path, "content": "w\n"})
    for name in ("rel", "abs", "chain2", "out", "out-abs", "out-chain", "dangling",
                 "dangling-out", "dangling-dir", "loop", "dir", "up", "second", "back-in",
                 "dir/app.ts", "dir/new.ts", "out-dir/new.txt", "out-dir/secret.txt",
                 "out-dir-abs/dir/new", "second-dir/new.txt", "dir/../made.txt", "up/made.txt"):
        yield (f"write link {name}", WRITE, {"path": f"<tree>/links/{name}", "content": "w\n"})
    for name in ("exec.sh", "private.txt", "group.txt", "read-only.txt", "odd.txt", "setuid.sh",
                 "nothing.txt"):
        yield (f"write mode {name}", WRITE, {"path": f"<tree>/modes/{name}", "content": "w\n"})
    for name in ("a.txt", "outside.txt"):
        yield (f"write hard link {name}", WRITE, {"path": f"<tree>/hard/{name}", "content": "w\n"})
    for arguments in ({}, {"path": "<tree>/x"}, {"content": "x"},
                      {"path": "<tree>/x", "content": 5}, {"path": 5, "content": "x"}, {"path": "<tree>/x", "content": None},
                      {"path": "<tree>/x", "content": ["x"]}):
        yield (f"write with {arguments}", WRITE, arguments)
    yield ("write extra argument", WRITE, {"path": "<tree>/x", "content": "x", "mode": "755"})


def makes():
    for what, path in (("new", "<tree>/new"), ("nested", "<tree>/new/a/b/c/d"),
                       ("existing", "<tree>/src"), ("root", "<tree>"), ("relative", "new"),
                       ("relative nested", "src/new/x"), ("with slash", "<tree>/new/"),
                       ("nothing", ""), ("dots inside", "new/../other"), ("over a file", "a.txt"),
                       ("under a file", "a.txt/x"), ("outside", "<base>/outside/new"),
                       ("beside", "<base>/new"), ("by dots", "../new"), ("link", "links/dir"),
                       ("through link", "links/dir/new"), ("through link out", "links/out-dir/new"),
                       ("link out", "links/out-dir"), ("dangling", "links/dangling"),
                       ("under dangling", "links/dangling/x"), ("loop", "links/loop"),
                       ("name", "names/new \"dir'\n"), ("composed", "names/caf\u00e9 dir/new"),
                       ("long name", "n" * 256), ("NUL", "a\u0000b"), ("windows", "C:\\new"),
                       ("home", "~/new"), ("quoted root", "<tree>'"), ("hidden", ".new"),
                       ("existing part", "deep/1/2/new/x"), ("empty parts", "new//x///y")):
        yield (f"make {what}", MAKE, {"path": path})
    for value in (None, 5, ["x"]):
        yield (f"make {value!r}", MAKE, {"path": value})
    yield ("make without path", MAKE, {})


def moves():
    for what, source, destination in (
            ("file", "a.txt", "moved.txt"), ("into a directory", "a.txt", "src/a.txt"),
            ("absolute", "<tree>/a.txt", "<tree>/moved.txt"), ("directory", "src", "source"),
            ("directory into another", "src", "docs/src"), ("empty directory", "empty", "e2"),
            ("onto a file", "a.txt", "b.md"), ("onto itself", "a.txt", "a.txt"),
            ("onto a directory", "a.txt", "src"), ("directory onto one", "src", "docs"),
            ("directory onto an empty one", "src", "empty"),
            ("directory onto a file", "src", "a.txt"),
            ("directory into itself", "src", "src/lib/src"),
            ("directory onto itself", "src", "src"),
            ("missing", "none", "moved"), ("to a missing directory", "a.txt", "no/such/a.txt"),
            ("under a file", "a.txt", "b.md/x"), ("missing onto a file", "none", "a.txt"),
            ("outside in", "<base>/outside/secret.txt", "got.txt"),
            ("out", "a.txt", "<base>/outside/a.txt"), ("by dots", "a.txt", "../a.txt"),
            ("by dots in", "../outside/secret.txt", "got.txt"), ("root", "<tree>", "<tree>/x"),
            ("root away", "<tree>", "<base>/elsewhere"), ("onto root", "a.txt", "<tree>"),
            ("link", "links/rel", "moved"), ("link to directory", "links/dir", "moved"),
            ("link out", "links/out", "moved"), ("dangling", "links/dangling", "moved"),
            ("loop", "links/loop", "moved"), ("onto link", "a.txt", "links/rel"),
            ("onto link out", "a.txt", "links/out"), ("onto dangling", "a.txt", "links/dangling"),
            ("onto dangling out", "a.txt", "links/dangling-out"),
            ("onto loop", "a.txt", "links/loop"), ("through link", "a.txt", "links/dir/a.txt"),
            ("through link out", "a.txt", "links/out-dir/a.txt"), ("rename case", "a.txt", "A.TXT"),
            ("names", "names/new\nline.txt", "names/old 'n\" \\x"),
            ("composed", "names/cafe\u0301.txt", "names/x.txt"),
            ("onto composed", "a.txt", "names/cafe\u0301.txt"),
            ("to composed", "names/caf\u00e9.txt", "names/cafe\u0301.txt"),
            ("mode", "modes/exec.sh", "exec.sh"), ("hard link", "hard/a.txt", "hard/b.txt"),
            ("hard away", "hard/a.txt", "hard/c.txt"), ("pipe", "special/pipe", "pipe"),
            ("slash", "src/", "source/"), ("file slash", "a.txt/", "moved.txt"),
            ("file to slash", "a.txt", "moved.txt/"), ("nothing", "", "x"),
            ("to nothing", "a.txt", ""),
            ("NUL", "a.txt", "x\u0000y"), ("windows", "a.txt", "C:\\x"), ("home", "a.txt", "~/x"),
            ("to quoted root", "a.txt", "<tree>'"), ("hidden", ".hidden", "shown")):
        yield (f"move {what}", MOVE, {"source": source, "destination": destination})
    for arguments in ({}, {"source": "a.txt"}, {"destination": "x"},
                      {"source": 5, "destination": "x"}, {"source": "a.txt", "destination": None}):
        yield (f"move with {arguments}", MOVE, arguments)
    yield ("move extra argument", MOVE,
           {"source": "a.txt", "destination": "x.txt", "overwrite": True})


def set_up():
    """Where the tree is not as it was when the server started."""
    def gone(base):
        os.unlink(base / "tree/a.txt")

    def linked(base):
        os.unlink(base / "tree/a.txt")
        os.symlink("../outside/secret.txt", base / "tree/a.txt")

    def replaced(base):
        os.rename(base / "tree/src", base / "tree/src-old")
        os.symlink("../outside", base / "tree/src")

    def in_the_way(base):
        os.mkdir(base / "tree/new.txt")

    yield ("write where it was deleted", WRITE, {"path": "a.txt", "content": "w\n"}, gone)
    yield ("write where a link came", WRITE, {"path": "a.txt", "content": "w\n"}, linked)
    yield ("write in a directory that is a link now", WRITE,
           {"path": "src/secret.txt", "content": "w\n"}, replaced)
    yield ("write where a directory came", WRITE, {"path": "new.txt", "content": "w\n"}, in_the_way)
    yield ("read where a link came", "read_text_file", {"path": "a.txt"}, linked)
    yield ("list a directory that is a link now", "list_directory", {"path": "src"}, replaced)


def bare():
    for name in ("read-only.txt", "nothing.txt", "dir-555/in.txt", "dir-555/new.txt",
                 "dir-000/new.txt"):
        yield (f"bare write {name}", WRITE, {"path": f"<tree>/modes/{name}", "content": "w\n"})
    yield ("bare make", MAKE, {"path": "<tree>/modes/dir-555/new"})
    yield ("bare make in none", MAKE, {"path": "<tree>/modes/dir-000/new/x"})
    yield ("bare move in", MOVE, {"source": "a.txt", "destination": "modes/dir-555/a.txt"})
    yield ("bare move away", MOVE, {"source": "modes/dir-555/in.txt", "destination": "x.txt"})
    yield ("bare move none", MOVE, {"source": "modes/dir-000/in.txt", "destination": "x.txt"})
    yield ("bare edit", "edit_file", {"path": "modes/read-only.txt",
                                      "edits": [{"oldText": "mode", "newText": "was"}]})
    yield ("bare edit none", "edit_file", {"path": "modes/nothing.txt",
                                           "edits": [{"oldText": "mode", "newText": "was"}]})
    yield ("bare edit in 555", "edit_file", {"path": "modes/dir-555/in.txt",
                                             "edits": [{"oldText": "in", "newText": "out"}]})


def two():
    yield ("two: write relative", WRITE, {"path": "new.txt", "content": "w\n"})
    yield ("two: write relative to the second only", WRITE, {"path": "sub/new.md", "content": "w"})
    yield ("two: write second", WRITE, {"path": "<base>/tree2/new.txt", "content": "w\n"})
    yield ("two: write through a link across", WRITE,
           {"path": "<tree>/links/second", "content": "w\n"})
    yield ("two: make across", MAKE, {"path": "<tree>/links/second-dir/new"})
    yield ("two: move across", MOVE,
           {"source": "<tree>/a.txt", "destination": "<base>/tree2/moved.txt"})
    yield ("two: move directory across", MOVE,
           {"source": "<tree>/src", "destination": "<base>/tree2/src"})
    yield ("two: move across onto", MOVE,
           {"source": "<tree>/a.txt", "destination": "<base>/tree2/a.txt"})
    yield ("two: move out", MOVE,
           {"source": "<base>/tree2/a.txt", "destination": "<base>/outside/a.txt"})


CALLS = {
    "one": [*writes(), *wrong_writes(), *makes(), *moves(), *set_up()],
    "two": [*two()],
    # Alone, for what came after it would be about a root that is gone.
    "two that move": [("move a root", MOVE,
                       {"source": "<base>/tree2", "destination": "<tree>/second"})],
    "home": [("home write", WRITE, {"path": "~/new.txt", "content": "w\n"}),
             ("home make", MAKE, {"path": "~/a/b"}),
             ("home move", MOVE, {"source": "~/notes.txt", "destination": "~/sub/notes.txt"})],
    "alias": [("alias write", WRITE, {"path": "<base>/alias/new.txt", "content": "w\n"}),
              ("alias move", MOVE, {"source": "<base>/alias/a.txt", "destination": "<tree>/x"})],
    "bare": [*bare()],
}
