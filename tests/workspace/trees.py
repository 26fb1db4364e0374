"""The tree that calls are made on: the same for every server, made from one seed.

Under a base directory there are `tree` and `tree2`, which servers are given; `tree-sibling`, whose
name begins the same; `outside`; `home`; and `alias`, a link to `tree`.
"""

import functools
import os
import pathlib
import random
import shutil
import stat
import time

SECRET = "nobody-may-see-this-7f3a"
WHEN = 1_700_000_000
SEED = 6
TOPS = ("tree", "tree2", "tree-sibling", "outside", "home")

CODE = """\
import os


def walk(top):
    for name in os.listdir(top):
        if name.startswith("."):
            continue
        yield name


def main():
    for name in walk("."):
        print(name)


main()
"""
TS = """\
import { greet } from './lib/greet';

export function app(words: string[]) {
\tfor (const word of words) {
\t\tgreet(word);
\t}
  return words.length;
}
"""
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000"
                    "1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd4"
                    "0000000049454e44ae426082")


def lines(count, word="line"):
    return "".join(f"{word} {n}\n" for n in range(1, count + 1))


def texts(draw):
    words = ("tree", "stone", "cairn", "path", "snow", "grüße", "日本", "moss")
    big = "".join(f"{n:05d} {' '.join(draw.choices(words, k=draw.randrange(4, 14)))}\n"
                  for n in range(1, 5400))
    return {
        "a.txt": "alpha\nbeta\ngamma\n",
        "b.md": "# B\n\nSome *text* with `code`.\n",
        "empty.txt": "",
        "one-newline.txt": "\n",
        "newlines.txt": "\n\n\n",
        "crlf.txt": "one\r\ntwo\r\nthree\r\n",
        "mixed.txt": "one\r\ntwo\nthree\r\nfour\n",
        "cr.txt": "one\rtwo\rthree\r",
        "no-newline.txt": "first\nsecond\nlast without end",
        "bom.txt": "\ufeffwith a mark\nsecond\n",
        "emoji.txt": "plain\n🏔️ mountain\n👩‍👩‍👧 family\n𝒳\n",
        "twenty.txt": lines(20),
        "big.txt": big,
        "long.txt": "é" * 20_000 + "\n" + "x" * 30_000 + "\nshort\n" + "日" * 9_999,
        "wide.txt": "".join(("ü" * 341 + "\n") for _ in range(9)),
        ".hidden": "hidden\n",
        ".config/settings.json": "{\"a\": 1}\n",
        "docs/readme.md": "# Read me\n",
        "docs/guide.md": "# Guide\n\n1. Read.\n2. Write.\n",
        "docs/img/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
        "docs/.draft.md": "draft\n",
        "src/app.ts": TS,
        "src/walk.py": CODE,
        "src/lib/greet.ts": "export const greet = (w: string) => console.log(w);\n",
        "src/lib/old.js": "// old\n",
        "src/test/app.test.ts": "test\n",
        "src/node_modules/x/index.js": "module.exports = 1;\n",
        "src/node_modules/x/readme.md": "x\n",
        "deep/1/2/3/4/5/6/leaf.md": "leaf\n",
        "deep/1/2/mid.md": "mid\n",
        "names/with space.txt": "space\n",
        "names/quo\"te's.txt": "quotes\n",
        "names/back\\slash.txt": "backslash\n",
        "names/new\nline.txt": "newline\n",
        "names/tab\there.txt": "tab\n",
        "names/ leading": "leading\n",
        "names/trailing ": "trailing\n",
        "names/caf\u00e9.txt": "composed\n",
        "names/nai\u0308ve.txt": "decomposed\n",
        "names/日本語.txt": "japanese\n",
        "names/🏔.md": "astral\n",
        "names/[x].txt": "brackets\n",
        "names/{a,b}.txt": "braces\n",
        "names/*star?.txt": "star\n",
        "names/#hash.txt": "hash\n",
        "names/!bang.txt": "bang\n",
        "names/-dash.txt": "dash\n",
        "names/~tilde.txt": "tilde\n",
        "names/100%.txt": "percent\n",
        "names/%2e%2e": "encoded\n",
        "names/" + "n" * 255: "long name\n",
        "names/cafe\u0301 dir/in.txt": "in a decomposed directory\n",
        "both/e\u0301.txt": "decomposed\n",
        "both/\u00e9.txt": "composed\n",
        "ambiguous/q\u0307\u0323\u031b.txt": "one order\n",
        "ambiguous/q\u0323\u0307\u031b.txt": "another order\n",
        **{f"sort/{name}": name * 3 + "\n" for name in (
            "B.txt", "a.txt", "A.txt", "b.txt", "_x", "-y", ".z", "10", "9", "é", "z", "Z", "a b",
            "a-b", "ab", "ä")},
        **{f"sizes/{size}.dat": "x" * size for size in (
            0, 1, 1023, 1024, 1025, 1536, 10_240, 104_857, 1_048_576)},
        "sizes/same-a": "1234", "sizes/same-b": "1234",
        "edit/plain.txt": "alpha\nbeta\ngamma\n",
        "edit/repeat.txt": "x = 1\ny = 2\nx = 1\ny = 2\nx = 1\n",
        "edit/indent.py": CODE,
        "edit/tabs.ts": TS,
        "edit/crlf.txt": "one\r\ntwo\r\nthree\r\nfour\r\n",
        "edit/mixed.txt": "one\r\ntwo\nthree\r\nfour\n",
        "edit/end.txt": "first\nsecond\nlast without end",
        "edit/ticks.md": "text\n```js\ncode\n```\nmore\n",
        "edit/ticks4.md": "text\n````md\n```\n````\nmore\n",
        "edit/dollar.txt": "price: 5\nname: x\n",
        "edit/unicode.txt": "Grüße\ncafé\n日本語\n🏔️\n",
        "edit/bom.txt": "\ufeffone\ntwo\n",
        "edit/blank.txt": "a\n\n\nb\n   \nc\n",
        "edit/long.txt": lines(200),
        "edit/empty.txt": "",
        "edit/trailing.txt": "one  \ntwo\t\nthree\n",
        "edit/nested.json": "{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ]\n  }\n}\n",
    }


def binaries(draw):
    noise = bytes(draw.randrange(256) for _ in range(3000))
    return {
        "latin1.txt": "caf\u00e9 na\u00efve\nsecond\n".encode("latin-1"),
        "utf16.txt": "wide text\n".encode("utf-16"),
        "nul.txt": b"text\0with a NUL\nsecond\n",
        "late-nul.txt": b"a line of text\n" * 4000 + b"\0\n",
        "binary.bin": noise,
        "cut.txt": "grüße 日".encode()[:-1],
        "surrogate.txt": b"\xed\xa0\x80 is no text\n",
        "edit/latin1.txt": "caf\u00e9\nsecond\n".encode("latin-1"),
        "edit/binary.bin": b"alpha\0" + noise[:100],
        "media/p.png": PNG, "media/P.PNG": PNG, "media/j.jpg": noise[:500],
        "media/j.jpeg": noise[500:600], "media/g.gif": b"GIF89a" + noise[:40],
        "media/w.webp": b"RIFF" + noise[:40], "media/b.bmp": b"BM" + noise[:40],
        "media/v.svg": b"<svg/>\n", "media/m.mp3": b"ID3" + noise[:60],
        "media/w.wav": b"RIFF" + noise[:61], "media/o.ogg": b"OggS" + noise[:62],
        "media/f.flac": b"fLaC" + noise[:63], "media/u.xyz": noise[:64], "media/noext": noise[:1],
        "media/d.pdf": b"%PDF-1.4" + noise[:20], "media/empty.png": b"", "media/.png": PNG,
        "media/sp ace#é%.bin": noise[:2], "media/big.png": noise * 40, "media/t.txt": b"text\n",
    }


def link(base, path, target):
    os.symlink(target, base / "tree" / "links" / path)


def links(base):
    (base / "tree/links").mkdir()
    for path, target in {
            "rel": "../a.txt", "abs": base / "tree/a.txt", "dir": "../src",
            "dir-abs": base / "tree/docs", "chain": "rel", "chain2": "chain", "up": "..",
            "out": "../../outside/secret.txt", "out-abs": base / "outside/secret.txt",
            "out-dir": "../../outside", "out-dir-abs": base / "outside",
            "out-chain": "out", "dangling": "nothing", "dangling-out": "../../outside/nothing",
            "dangling-dir": "../no/such/place", "loop": "loop", "loop1": "loop2", "loop2": "loop1",
            "second": "../../tree2/c.txt", "second-dir": "../../tree2",
            "back-in": "../../tree/a.txt", "null": "/dev/null",
            "proc": f"/proc/self/root{base}/outside/secret.txt"}.items():
        link(base, path, target)
    os.symlink(base / "tree", base / "alias")


def modes(base):
    top = base / "tree/modes"
    top.mkdir()
    for name, mode in {"exec.sh": 0o755, "private.txt": 0o600, "group.txt": 0o664,
                       "read-only.txt": 0o444, "nothing.txt": 0o000, "odd.txt": 0o741,
                       "setuid.sh": 0o4755}.items():
        (top / name).write_text(f"mode {mode:o}\n")
        (top / name).chmod(mode)
    for name, mode in {"dir-555": 0o555, "dir-000": 0o000, "dir-700": 0o700}.items():
        (top / name).mkdir()
        (top / name / "in.txt").write_text("in\n")
        (top / name).chmod(mode)
    os.mkfifo(base / "tree/special/pipe")
    (base / "tree/hard").mkdir()
    (base / "tree/hard/a.txt").write_text("shared\n")
    os.link(base / "tree/hard/a.txt", base / "tree/hard/b.txt")
    os.link(base / "outside/linked.txt", base / "tree/hard/outside.txt")


@functools.cache
def contents():
    draw = random.Random(SEED)
    return {path: text.encode() for path, text in texts(draw).items()} | binaries(draw)


def empty(base):
    """Away with what is in the directories; they themselves stay, servers have them open."""
    for top in TOPS:
        (base / top).mkdir(exist_ok=True)
        for path, names, _ in os.walk(base / top):
            for name in names:
                if not os.path.islink(os.path.join(path, name)):
                    os.chmod(os.path.join(path, name), 0o755)
        for entry in os.scandir(os.fsencode(base / top)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    for entry in os.scandir(os.fsencode(base)):
        if os.fsdecode(entry.name) not in TOPS:
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry)


def make(base):
    """Makes the tree anew."""
    base = pathlib.Path(base)
    empty(base)
    top = base / "tree"
    for path, content in contents().items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    for name in ("empty", "odd", "special", "deep/1/2/void"):
        (top / name).mkdir()
    with open(os.path.join(os.fsencode(top), b"odd", b"latin\xe9.txt"), "wb") as file:
        file.write(b"a name that is not UTF-8\n")
    for path, text in {"tree2/c.txt": "in the second\n", "tree2/sub/d.md": "# D\n",
                       "tree2/a.txt": "the second's alpha\n", "tree-sibling/s.txt": SECRET,
                       "outside/secret.txt": SECRET, "outside/linked.txt": "linked\n",
                       "outside/dir/deep.md": SECRET, "home/notes.txt": "notes\n",
                       "home/sub/more.txt": "more\n"}.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text)
    links(base)
    modes(base)
    for path, names, files in os.walk(os.fsencode(base), topdown=False):
        for name in (*names, *files):
            at = os.path.join(path, name)
            os.utime(at, (WHEN, WHEN), follow_symlinks=False)


def record(path, status):
    """Kind, mode bits, and bytes or where a link leads."""
    if stat.S_ISLNK(status.st_mode):
        return ("link", os.readlink(path))
    mode = f"{stat.S_IMODE(status.st_mode):o}"
    if stat.S_ISDIR(status.st_mode):
        return ("directory", mode)
    if not stat.S_ISREG(status.st_mode):
        return ("other", mode)
    try:
        with open(path, "rb") as file:
            return ("file", mode, file.read())
    except PermissionError:
        return ("file", mode, status.st_size)


def entries(directory):
    try:
        return list(os.scandir(directory))
    except PermissionError:
        return []


def changes(before, after):
    """What differs between two looks at a tree: by path, (before, after)."""
    return {path: (before.get(path), after.get(path)) for path in sorted({*before, *after})
            if before.get(path) != after.get(path)}


# A change of a file shows in its time of change, unless it follows the last one at once.
COARSE = 100_000_000


class Tree:
    """Everything under a base: made, looked at, and put back after a call."""

    def __init__(self, base, make=make):
        self.base, self.make = pathlib.Path(base), make
        self.seen = {}
        self.renew()

    def renew(self):
        self.make(self.base)
        self.made = self.look()
        self.twice = {path for path, (status, _, _) in self.seen.items() if status.st_nlink > 1
                      and not stat.S_ISDIR(status.st_mode)}

    def look(self):
        """Records of everything, by its path. What has not changed since the last look is not read
        again."""
        top = os.fsencode(self.base)
        known, self.seen = self.seen, {}

        def visit(directory):
            for entry in entries(directory):
                path, status = entry.path[len(top) + 1:], entry.stat(follow_symlinks=False)
                self.seen[path] = self.judged(known.get(path), entry.path, status)
                if stat.S_ISDIR(status.st_mode):
                    visit(entry.path)

        visit(top)
        return {path: found for path, (_, _, found) in self.seen.items()}

    @staticmethod
    def judged(known, path, status):
        if known:
            old, when, found = known
            same = all(getattr(old, name) == getattr(status, name) for name in (
                "st_ino", "st_mode", "st_size", "st_mtime_ns", "st_ctime_ns"))
            if same and old.st_ctime_ns + COARSE < when:
                return status, when, found
        return status, time.time_ns(), record(path, status)

    def put_back(self, now=None):
        """As it was made; `now` is what there is. Where single things will not do, made anew."""
        now = now or self.look()
        changed = changes(self.made, now)
        if not changed:
            return
        try:
            if self.twice.isdisjoint(changed):
                self.mend(changed)
        except OSError:
            pass
        if self.look() != self.made:
            self.renew()

    def mend(self, changed):
        at = {path: os.path.join(os.fsencode(self.base), path) for path in changed}
        for path in reversed(sorted(changed)):
            old, new = changed[path]
            if new and (not old or old[0] != new[0] or new[0] == "link"):
                os.rmdir(at[path]) if new[0] == "directory" else os.unlink(at[path])
        for path in sorted(changed):
            old, new = changed[path]
            match old:
                case ("link", target):
                    os.symlink(target, at[path])
                case ("directory", mode):
                    os.makedirs(at[path], exist_ok=True)
                    os.chmod(at[path], int(mode, 8))
                case ("file", mode, bytes(content)):
                    with open(at[path], "wb") as file:
                        file.write(content)
                    os.chmod(at[path], int(mode, 8))
        for path in changed:
            while path:
                where = os.path.join(os.fsencode(self.base), path)
                if os.path.lexists(where):
                    os.utime(where, (WHEN, WHEN), follow_symlinks=False)
                path = os.path.dirname(path)
