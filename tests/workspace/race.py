"""A directory and a file that turn into links to outside and back, while calls go on."""

import ctypes
import multiprocessing
import os
import random
import time

import trees

EXCHANGE = 2
AT_CWD = -100
# The names of both sides of an exchange, below the tree.
PAIRS = (("race/dir", "race/dir-link"), ("race/file", "race/file-link"))
HIDDEN = "hidden-name-91c2"
CALLS = [("read", "race/dir/f.txt"), ("read", "race/file"), ("many", "race/dir/sub/g.txt"),
         ("media", "race/dir/f.txt"), ("list", "race/dir"), ("list", "race/dir/sub"),
         ("tree", "race"), ("tree", "race/dir"), ("find", "race"), ("sizes", "race/dir"),
         ("write", "race/dir/w.txt"), ("write", "race/file"), ("write", "race/dir/sub/w.txt"),
         ("edit", "race/dir/f.txt"), ("edit", "race/file"), ("dry", "race/dir/sub/g.txt"),
         ("make", "race/dir/made"), ("make", "race/dir/sub/made/deep"),
         ("move", "race/dir/w.txt", "race/dir/sub/moved.txt"),
         ("move", "race/dir/sub/moved.txt", "race/dir/back.txt"),
         ("copy", "race/dir/f.txt", "race/copy.txt"), ("copy", "race/file", "race/dir/copy.txt"),
         ("delete", "race/dir/back.txt"), ("delete", "race/dir/copy.txt"),
         ("delete", "race/copy.txt"), ("delete", "race/dir/sub/moved.txt"),
         ("grep", "race", "nobody-may"), ("info", "race/dir/only-outside.txt"),
         ("read", "race/dir/only-outside.txt")]


KNOWN = {"dir", "dir-link", "file", "file-link", "f.txt", "g.txt", "sub", "w.txt", "made", "deep",
         "moved.txt", "back.txt", "copy.txt"}


def strays(base):
    """What is left inside that no call named: temporary files."""
    return [os.path.join(path, name) for path, names, files in os.walk(base / "tree/race")
            for name in (*names, *files) if name not in KNOWN]


def make(base):
    """Inside and outside look the same, but for what they say."""
    for top, text in ((base / "tree/race/dir", "inside\n"), (base / "outside/race", trees.SECRET)):
        (top / "sub").mkdir(parents=True)
        (top / "f.txt").write_text(text)
        (top / "sub/g.txt").write_text(text)
    (base / "outside/race" / HIDDEN).write_text(trees.SECRET)
    (base / "outside/race/only-outside.txt").write_text(trees.SECRET)
    (base / "tree/race/file").write_text("inside\n")
    os.symlink("../../outside/race", base / "tree/race/dir-link")
    os.symlink("../../outside/race/f.txt", base / "tree/race/file-link")


def swap(base, swaps, seed):
    """Exchanges one of the pairs, so often, with pauses that a call fits into or does not."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    pairs = [[os.fsencode(base / "tree" / name) for name in pair] for pair in PAIRS]
    draw = random.Random(seed)
    done = 0
    while done < swaps:
        for one, other in pairs:
            done += renameat2(AT_CWD, one, AT_CWD, other, EXCHANGE) == 0
        until = time.monotonic() + draw.choice((0, 0, 2e-5, 1e-4, 4e-4))
        while time.monotonic() < until:
            pass


def run(door, base, swaps, seed):
    """Calls while it is swapped so often; how many were made, by what came of them."""
    swapper = multiprocessing.Process(target=swap, args=(base, swaps, seed))
    counts = {}
    calls = [call for call in CALLS if door.has(call[0])]
    draw = random.Random(seed)
    swapper.start()
    try:
        while swapper.is_alive():
            numbers = [(door.post(*call), call) for call in draw.sample(calls, 8)]
            for number, call in numbers:
                answer = door.answer(number)
                result = (answer or {}).get("result")
                kind = door.kind(call[0], result) if result else "no answer"
                counts[kind] = counts.get(kind, 0) + 1
                if not result:
                    return counts
    finally:
        swapper.terminate()
        swapper.join()
    return counts
