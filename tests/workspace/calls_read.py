"""Calls that read files: (name, tool, arguments[, setup]), by the session they are made in."""

TEXT, OLD, MEDIA, MANY = "read_text_file", "read_file", "read_media_file", "read_multiple_files"


def simple():
    """Every text as a whole, by both names of the tool."""
    for path in ("a.txt", "b.md", "empty.txt", "one-newline.txt", "newlines.txt", "crlf.txt",
                 "mixed.txt", "cr.txt", "no-newline.txt", "bom.txt", "emoji.txt", "big.txt",
                 "long.txt", ".hidden", ".config/settings.json", "deep/1/2/3/4/5/6/leaf.md",
                 "latin1.txt", "utf16.txt", "nul.txt", "late-nul.txt", "binary.bin", "cut.txt",
                 "surrogate.txt", "media/p.png", "media/v.svg"):
        yield (f"read {path}", TEXT, {"path": f"<tree>/{path}"})
    for path in ("a.txt", "crlf.txt", "bom.txt", "binary.bin", "nul.txt", "latin1.txt"):
        yield (f"old read {path}", OLD, {"path": f"<tree>/{path}"})


def ends():
    """The first and the last lines."""
    for path in ("twenty.txt", "no-newline.txt", "empty.txt", "newlines.txt", "crlf.txt",
                 "big.txt", "wide.txt", "long.txt"):
        for count in (1, 3):
            yield (f"head {count} {path}", TEXT, {"path": f"<tree>/{path}", "head": count})
            yield (f"tail {count} {path}", TEXT, {"path": f"<tree>/{path}", "tail": count})
    for way in ("head", "tail"):
        for count in (0, 20, 21, 1000, 2**31, 2**53, 1e300):
            yield (f"{way} {count:g} twenty.txt", TEXT, {"path": "<tree>/twenty.txt", way: count})
        for count in (-1, -3, 1.5, 2.9, 0.5, -0.0):
            yield (f"{way} {count} twenty.txt", TEXT, {"path": "<tree>/twenty.txt", way: count})
        for path in ("mixed.txt", "cr.txt", "bom.txt", "emoji.txt", "latin1.txt", "binary.bin",
                     "nul.txt", "late-nul.txt", "cut.txt", "utf16.txt"):
            yield (f"{way} 2 {path}", TEXT, {"path": f"<tree>/{path}", way: 2})
        yield (f"old {way} 2", OLD, {"path": "<tree>/twenty.txt", way: 2})
        yield (f"{way} of a directory", TEXT, {"path": "<tree>/src", way: 2})
        yield (f"{way} of nothing", TEXT, {"path": "<tree>/none.txt", way: 2})
    for head, tail in ((1, 1), (0, 1), (1, 0), (0, 0), (100, 100)):
        yield (f"head {head} and tail {tail}", TEXT,
               {"path": "<tree>/twenty.txt", "head": head, "tail": tail})
    yield ("old head and tail", OLD, {"path": "<tree>/a.txt", "head": 1, "tail": 1})
    yield ("head and tail of nothing", TEXT, {"path": "<tree>/none", "head": 1, "tail": 1})


def names():
    for path in ("with space.txt", "quo\"te's.txt", "back\\slash.txt", "new\nline.txt",
                 "tab\there.txt", " leading", "trailing ", "caf\u00e9.txt", "cafe\u0301.txt",
                 "nai\u0308ve.txt", "na\u00efve.txt", "日本語.txt", "🏔.md", "[x].txt", "{a,b}.txt",
                 "*star?.txt", "#hash.txt", "-dash.txt", "~tilde.txt", "100%.txt", "%2e%2e",
                 "n" * 255, "n" * 256, "caf\u00e9 dir/in.txt", "cafe\u0301 dir/in.txt",
                 "../both/\u00e9.txt", "../both/e\u0301.txt",
                 "../ambiguous/q\u0323\u0307\u031b.txt",
                 "../ambiguous/\u1e43.txt", "../odd/latin\ufffd.txt", "../odd/latin\u00e9.txt"):
        yield (f"name {path[:40]}{'…' + str(len(path)) if len(path) > 40 else ''}", TEXT,
               {"path": f"<tree>/names/{path}"})
    # Three marks in two orders: each is the same text to Unicode, neither is what is asked for.
    yield ("name that two files could be", TEXT,
           {"path": "<tree>/ambiguous/q\u031b\u0323\u0307.txt"})


def media():
    for path in ("p.png", "P.PNG", "j.jpg", "j.jpeg", "g.gif", "w.webp", "b.bmp", "v.svg", "m.mp3",
                 "w.wav", "o.ogg", "f.flac", "u.xyz", "noext", "d.pdf", "empty.png", ".png",
                 "sp ace#é%.bin", "big.png", "t.txt"):
        yield (f"media {path}", MEDIA, {"path": f"<tree>/media/{path}"})
    for path in ("links/rel", "a.txt", "names/new\nline.txt", "names/back\\slash.txt",
                 "names/quo\"te's.txt", "names/[x].txt", "names/{a,b}.txt", "names/~tilde.txt",
                 "names/caf\u00e9.txt", "names/🏔.md", "names/*star?.txt"):
        yield (f"media at {path}", MEDIA, {"path": f"<tree>/{path}"})
    yield ("media missing", MEDIA, {"path": "<tree>/media/none.png"})
    yield ("media of a directory", MEDIA, {"path": "<tree>/media"})
    yield ("media outside", MEDIA, {"path": "<base>/outside/secret.txt"})


def many():
    yield ("many", MANY, {"paths": ["<tree>/a.txt", "<tree>/b.md", "<tree>/empty.txt"]})
    yield ("many of one", MANY, {"paths": ["<tree>/no-newline.txt"]})
    yield ("many of none", MANY, {"paths": []})
    yield ("many of one twice", MANY, {"paths": ["<tree>/a.txt", "<tree>/a.txt"]})
    yield ("many with missing", MANY,
           {"paths": ["<tree>/a.txt", "<tree>/none.txt", "<tree>/b.md", "<tree>/no/such.txt"]})
    yield ("many with outside", MANY, {"paths": ["<tree>/a.txt", "<base>/outside/secret.txt"]})
    yield ("many with a directory", MANY, {"paths": ["<tree>/src", "<tree>/a.txt"]})
    yield ("many relative", MANY, {"paths": ["a.txt", "src/../b.md", "./deep/1/2/mid.md"]})
    yield ("many with CRLF", MANY, {"paths": ["<tree>/crlf.txt", "<tree>/bom.txt"]})
    yield ("many with binary", MANY, {"paths": ["<tree>/a.txt", "<tree>/binary.bin"]})
    yield ("many with a link out", MANY, {"paths": ["<tree>/links/out", "<tree>/links/rel"]})
    yield ("many with a loop", MANY, {"paths": ["<tree>/links/loop", "<tree>/links/dangling"]})
    yield ("many with odd names", MANY,
           {"paths": ["<tree>/names/new\nline.txt", "<tree>/names/with space.txt", ""]})
    yield ("many, all failing", MANY, {"paths": ["<tree>/x", "<tree>/y"]})
    yield ("many, large", MANY, {"paths": ["<tree>/big.txt", "<tree>/long.txt"]})


def links():
    for path in ("rel", "abs", "chain", "chain2", "dir", "dir/app.ts", "dir-abs/guide.md", "out",
                 "out-abs", "out-dir/secret.txt", "out-dir-abs/dir/deep.md", "out-chain",
                 "dangling", "dangling-out", "dangling-dir", "loop", "loop1", "second",
                 "second-dir/c.txt", "up/a.txt", "up/links/up/links/rel", "back-in", "null",
                 "dir/../a.txt", "out-dir/../tree/a.txt", "rel/", "rel/x", "proc"):
        yield (f"link {path}", TEXT, {"path": f"<tree>/links/{path}"})


def paths():
    for path in ("a.txt", "./a.txt", "src/app.ts", "src/../a.txt", "src//app.ts", "src/./app.ts",
                 "../tree/a.txt", "../outside/secret.txt", "..", ".", "", " ", "/", "/etc/hostname",
                 "<tree>", "<tree>/", "<tree>/.", "<tree>/..", "<tree>/../outside/secret.txt",
                 "<tree>//a.txt", "<tree>/a.txt/", "<tree>/a.txt/.", "<tree>/a.txt/..",
                 "<tree>/a.txt/b", "<tree>/src", "<tree>/none.txt", "<tree>/no/such/file.txt",
                 "<tree>-sibling/s.txt", "<tree>sibling", "<tree>/none/../a.txt",
                 "<tree>/../tree/../tree/a.txt", "<base>/alias/a.txt", "<base>", "~", "~/notes.txt",
                 "~/../outside/secret.txt", "~nobody/x", "~tilde", "C:\\Users\\x", "C:/x", "c:",
                 "C:x", "\\\\host\\share", "..\\outside\\secret.txt", "%2e%2e/outside/secret.txt",
                 "a.txt\u0000.png", "\u0000", "file://<tree>/a.txt", "<tree>/a.txt?x=1",
                 "'<tree>/a.txt'", "\"<tree>/a.txt\"", " <tree>/a.txt", "<tree>/a.txt ",
                 "<tree>'", "<tree>/'", "A.TXT", "/proc/self/root<tree>/a.txt", "/dev/null",
                 "/proc/self/environ", "x/" * 2100, "x" * 5000, "<tree>/" + "./" * 2100 + "a.txt",
                 "a.txt\n"):
        shown = path if len(path) < 60 else f"{path[:8]}…{len(path)}"
        yield (f"path {shown!r}", TEXT, {"path": path})


def bad():
    yield ("no arguments", TEXT, {})
    yield ("arguments null", TEXT, None)
    yield ("arguments a list", TEXT, [])
    yield ("arguments a string", TEXT, "a.txt")
    for value in (None, 5, True, ["a.txt"], {"path": "a.txt"}):
        yield (f"path is {value!r}", TEXT, {"path": value})
        yield (f"old path is {value!r}", OLD, {"path": value})
        yield (f"media path is {value!r}", MEDIA, {"path": value})
        yield (f"paths is {value!r}", MANY, {"paths": value})
    for value in ("3", None, True, [3], {}):
        yield (f"head is {value!r}", TEXT, {"path": "<tree>/a.txt", "head": value})
        yield (f"tail is {value!r}", TEXT, {"path": "<tree>/a.txt", "tail": value})
    yield ("paths with a number", MANY, {"paths": ["<tree>/a.txt", 5]})
    yield ("paths with null", MANY, {"paths": [None]})
    yield ("extra argument", TEXT, {"path": "<tree>/a.txt", "colour": "red"})
    yield ("extra arguments", TEXT, {"path": "<tree>/a.txt", "encoding": "utf-8", "": 1})
    yield ("media extra argument", MEDIA, {"path": "<tree>/media/p.png", "x": None})
    yield ("many extra argument", MANY, {"paths": ["<tree>/a.txt"], "path": 5})
    yield ("argument of another case", TEXT, {"Path": "<tree>/a.txt"})
    yield ("unknown tool", "read_everything", {"path": "<tree>/a.txt"})
    yield ("tool of another case", "Read_File", {"path": "<tree>/a.txt"})
    yield ("tool with no name", "", {})


def bare():
    """Without rights over the tree."""
    for path in ("nothing.txt", "read-only.txt", "private.txt", "dir-000/in.txt", "dir-555/in.txt"):
        yield (f"may not read {path}", TEXT, {"path": f"<tree>/modes/{path}"})
    yield ("may not read head", TEXT, {"path": "<tree>/modes/nothing.txt", "head": 1})
    yield ("may not read tail", TEXT, {"path": "<tree>/modes/nothing.txt", "tail": 1})
    yield ("may not read media", MEDIA, {"path": "<tree>/modes/nothing.txt"})
    yield ("may not read one of many", MANY, {"paths": ["<tree>/modes/nothing.txt",
                                                        "<tree>/a.txt"]})


def two():
    yield ("two: first", TEXT, {"path": "<tree>/a.txt"})
    yield ("two: second", TEXT, {"path": "<base>/tree2/c.txt"})
    yield ("two: relative in both", TEXT, {"path": "a.txt"})
    yield ("two: relative in the second only", TEXT, {"path": "c.txt"})
    yield ("two: relative in neither", TEXT, {"path": "none.txt"})
    yield ("two: relative across", TEXT, {"path": "../tree2/c.txt"})
    yield ("two: relative out", TEXT, {"path": "../outside/secret.txt"})
    yield ("two: link across", TEXT, {"path": "<tree>/links/second"})
    yield ("two: directory link across", TEXT, {"path": "<tree>/links/second-dir/sub/d.md"})
    yield ("two: outside", TEXT, {"path": "<base>/outside/secret.txt"})
    yield ("two: many", MANY, {"paths": ["<tree>/a.txt", "<base>/tree2/a.txt", "a.txt"]})


def home():
    for path in ("~", "~/", "~/notes.txt", "~/sub/more.txt", "~/../tree/a.txt", "~/none", "~x",
                 "sub/~/x", "notes.txt", "~/sub/../notes.txt"):
        yield (f"home {path}", TEXT, {"path": path})


def alias():
    for path in ("<base>/alias/a.txt", "<tree>/a.txt", "a.txt", "<base>/alias/links/rel",
                 "<base>/alias/links/abs", "<base>/alias/../tree/a.txt", "<base>/alias/none",
                 "<base>/alias/no/such", "<base>/alias"):
        yield (f"alias {path}", TEXT, {"path": path})


CALLS = {
    "one": [*simple(), *ends(), *names(), *media(), *many(), *links(), *paths(), *bad()],
    "two": [*two()],
    "home": [*home()],
    "alias": [*alias()],
    "bare": [*bare()],
}
