"""Calls that list, search and describe: (name, tool, arguments[, setup]), by session."""

LIST, SIZES, TREE = "list_directory", "list_directory_with_sizes", "directory_tree"
FIND, INFO, ALLOWED = "search_files", "get_file_info", "list_allowed_directories"
DIRECTORIES = ("src", "docs", "empty", "names", "links", "sizes", "sort", "odd", "special", "modes",
               "deep", "media", "hard", "both")
WRONG = (("missing", "<tree>/none"), ("a file", "<tree>/a.txt"), ("outside", "<base>/outside"),
         ("sibling", "<tree>-sibling"), ("through a file", "<tree>/a.txt/x"),
         ("link", "<tree>/links/dir"), ("link out", "<tree>/links/out-dir"),
         ("dangling link", "<tree>/links/dangling"), ("loop", "<tree>/links/loop"),
         ("relative", "src"), ("dot", "."), ("nothing", ""), ("dots", "deep/1/../1/2"),
         ("dots out", "../outside"), ("slash", "src/"), ("slashes", "<tree>//src//"),
         ("root", "/"), ("home", "~"), ("a pipe", "<tree>/special/pipe"), ("NUL", "src\u0000"),
         ("windows", "C:\\"))


def listings():
    for tool, word in ((LIST, "list"), (SIZES, "sizes"), (TREE, "tree")):
        for path in DIRECTORIES:
            yield (f"{word} {path}", tool, {"path": f"<tree>/{path}"})
        for what, path in WRONG:
            yield (f"{word} of {what}", tool, {"path": path})
        for value in (None, 5, ["src"]):
            yield (f"{word} path is {value!r}", tool, {"path": value})
        yield (f"{word} without path", tool, {})
        yield (f"{word} extra argument", tool, {"path": "<tree>/docs", "colour": 1})
    yield ("list root", LIST, {"path": "<tree>"})
    yield ("sizes root", SIZES, {"path": "<tree>"})
    yield ("tree root", TREE, {"path": "<tree>"})


def sorting():
    for path in ("sizes", "sort", "src", "links", "empty", "special"):
        for by in ("name", "size"):
            yield (f"sizes {path} by {by}", SIZES, {"path": f"<tree>/{path}", "sortBy": by})
    for value in ("date", "", "NAME", None, 1, ["name"]):
        yield (f"sizes by {value!r}", SIZES, {"path": "<tree>/src", "sortBy": value})


def excludes():
    for patterns in (["node_modules"], ["*.ts"], ["**/*.ts"], ["lib"], ["lib/**"], ["lib/*"],
                     ["**/node_modules/**"], ["**/node_modules"], ["*"], ["**"], [], ["app.ts"],
                     ["x"], ["node_modules/x"], ["index.js"], ["*.{ts,py}"], ["[a-m]*"], ["!lib"],
                     ["?ib"], ["lib", "test"], [".."], [""], ["/src"], ["LIB"], ["lib/"],
                     ["+(lib|test)"], ["#x"]):
        yield (f"tree src without {patterns}", TREE,
               {"path": "<tree>/src", "excludePatterns": patterns})
    yield ("tree relative without lib", TREE, {"path": "src", "excludePatterns": ["lib"]})
    yield ("tree relative without files", TREE, {"path": "src", "excludePatterns": ["*.py"]})
    yield ("tree with slash without lib", TREE, {"path": "<tree>/src/", "excludePatterns": ["lib"]})
    yield ("tree of link without lib", TREE,
           {"path": "<tree>/links/dir", "excludePatterns": ["lib"]})
    yield ("tree without hidden", TREE, {"path": "<tree>/docs", "excludePatterns": [".*"]})
    yield ("tree without names", TREE, {"path": "<tree>/names", "excludePatterns": ["*.txt"]})
    for value in ("lib", None, [1], {}, [["lib"]]):
        yield (f"tree excludePatterns is {value!r}", TREE,
               {"path": "<tree>/src", "excludePatterns": value})


def searches():
    for pattern in ("*.md", "**/*.md", "**", "*", "**/*", "*.txt", "src/*.ts", "src/**", "src/**/*",
                    "**/lib/**", "**/lib", "lib", "**/*.{ts,js}", "**/[a-c]*", "**/[!a-m]*.md",
                    "**/?.txt", "**/.*", ".hidden", "**/.*/**", "deep/*/*/mid.md",
                    "deep/**/leaf.md", "**/leaf.md", "deep/**/2/**", "{docs,src}/*.md", "!*.txt",
                    "#x", "**/@(app|walk).*", "**/!(*.ts|*.md|*.txt)", "**/+([0-9])*",
                    "**/*(a|b).txt", "A.TXT", "./a.txt", "/a.txt", "<tree>/a.txt", "../*", "a.txt/",
                    "docs/", "", " ", "**/caf\u00e9*", "**/cafe\u0301*", "**/na*",
                    "names/\\[x\\].txt",
                    "names/[[]x].txt", "names/\\*star\\?.txt", "names/{a,b}.txt",
                    "names/\\{a,b\\}.txt", "names/*\n*", "names/* *", "names/🏔*", "names/?.md",
                    "names/??.md", "[", "{", "{a", "a{,b}.txt", "sizes/{1..3}*", "***", "**.md",
                    "a**", "**/deep", "links/*", "links/out*", "links/**", "special/*", "odd/*",
                    "**/[[:digit:]]*", "none*", "a" * 3000, "**/@(!(a)|b)",
                    "**/deep/1/2/3/**/4/**"):
        shown = pattern if len(pattern) < 60 else f"{pattern[:8]}…{len(pattern)}"
        yield (f"find {shown!r}", FIND, {"path": "<tree>", "pattern": pattern})
    for path in ("src", "<tree>/src", "<tree>/src/", "", ".", "<tree>/links/dir", "<tree>/none",
                 "<tree>/a.txt", "<base>/outside", "<tree>/links/out-dir", "<tree>/links/loop",
                 "../outside", "<tree>/empty"):
        yield (f"find ts in {path!r}", FIND, {"path": path, "pattern": "**/*.ts"})
    for patterns in (["**/node_modules/**"], ["**/node_modules"], ["node_modules"],
                     ["src/node_modules"], ["src/node_modules/**"], ["**"], ["*"], ["**/*.md"],
                     ["*.md"], [], ["docs/**", "deep/**"], ["docs"], ["!docs"], ["**/.*"],
                     ["**/{x,lib}/**"], [""], ["DOCS"]):
        yield (f"find md without {patterns}", FIND,
               {"path": "<tree>", "pattern": "**/*.md", "excludePatterns": patterns})
    for arguments in ({"path": "<tree>"}, {"pattern": "*"}, {}, {"path": "<tree>", "pattern": 5},
                      {"path": "<tree>", "pattern": None}, {"path": 5, "pattern": "*"},
                      {"path": "<tree>", "pattern": "*", "excludePatterns": "x"},
                      {"path": "<tree>", "pattern": "*", "excludePatterns": [5]},
                      {"path": "<tree>", "pattern": ["*"]}):
        yield (f"find with {arguments}", FIND, arguments)
    yield ("find extra argument", FIND, {"path": "<tree>", "pattern": "*.md", "depth": 1})


def infos():
    for path in ("a.txt", "empty.txt", "big.txt", "src", "empty", "links/rel", "links/dir",
                 "links/chain2", "modes/exec.sh", "modes/private.txt", "modes/read-only.txt",
                 "modes/nothing.txt", "modes/odd.txt", "modes/setuid.sh", "modes/dir-555",
                 "special/pipe", "hard/a.txt", "names/new\nline.txt", "names/cafe\u0301.txt",
                 "sizes/1048576.dat", ".hidden"):
        yield (f"info {path}", INFO, {"path": f"<tree>/{path}"})
    yield ("info root", INFO, {"path": "<tree>"})
    for what, path in WRONG:
        yield (f"info of {what}", INFO, {"path": path})
    for value in (None, 5, True):
        yield (f"info path is {value!r}", INFO, {"path": value})
    yield ("info without path", INFO, {})


def allowed(session):
    yield (f"{session}: allowed", ALLOWED, {})
    yield (f"{session}: allowed with arguments", ALLOWED, {"path": 5})


def bare():
    for tool, word in ((LIST, "list"), (SIZES, "sizes"), (TREE, "tree")):
        for path in ("dir-000", "dir-555", "dir-700"):
            yield (f"bare {word} {path}", tool, {"path": f"<tree>/modes/{path}"})
        yield (f"bare {word} modes", tool, {"path": "<tree>/modes"})
    yield ("bare find", FIND, {"path": "<tree>/modes", "pattern": "**"})
    yield ("bare find in none", FIND, {"path": "<tree>/modes/dir-000", "pattern": "**"})
    yield ("bare info nothing", INFO, {"path": "<tree>/modes/nothing.txt"})
    yield ("bare info in none", INFO, {"path": "<tree>/modes/dir-000/in.txt"})


def two():
    for path in ("", ".", "sub", "<base>/tree2", "<tree>/links/second-dir", "<base>", "../tree2"):
        yield (f"two: list {path!r}", LIST, {"path": path})
        yield (f"two: find in {path!r}", FIND, {"path": path, "pattern": "*.md"})
    yield ("two: tree of the second", TREE, {"path": "<base>/tree2"})
    yield ("two: find links", FIND, {"path": "<tree>/links", "pattern": "*"})


def zone():
    yield ("zone info", INFO, {"path": "<tree>/a.txt"})


CALLS = {
    "one": [*listings(), *sorting(), *excludes(), *searches(), *infos(), *allowed("one")],
    "two": [*two(), *allowed("two")],
    "home": [*allowed("home"), ("home list", LIST, {"path": "~"}),
             ("home tree", TREE, {"path": "~/sub"}), ("home info", INFO, {"path": "~/notes.txt"})],
    "alias": [*allowed("alias"), ("alias list", LIST, {"path": "<base>/alias/src"}),
              ("alias find", FIND, {"path": "<base>/alias", "pattern": "*.md"}),
              ("alias find in tree", FIND, {"path": "<tree>", "pattern": "*.md"}),
              ("alias tree", TREE, {"path": "<base>/alias/src", "excludePatterns": ["lib"]})],
    "bare": [*bare()],
    "zone": [*zone()],
}
