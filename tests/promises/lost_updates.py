#!/usr/bin/env python3
"""lost_updates.py CAIRN [--seconds S | --stories N] [--seed S] [--story N]: nothing is overwritten silently.

Random stories on a real server: three to five agents read, write, edit, move, rewrite, change JSON, work in
workspaces, import directories, commit with and without conditions, and try again after a CONFLICT as somebody does
who has not read the manual; over REST and MCP, with rights to all of a depot or to a directory of it. After every
step nothing that was acknowledged is gone, but by force, revert, undo, or a deletion whose author had seen it
(ledger.py says what that means).

A story that ends badly is made as short as possible and printed as a script, with the words that play it again.
"""

import argparse
import collections
import random
import sys
import time

from stage import World
from story import Plan, play, shrunk

# What has to happen in a run of some length: without it the stories would prove nothing.
WANTED = ("box removed", "CONFLICT", "PRECONDITION_FAILED", "again", "committed", "forced", "imported", "insist", "json", "merged",
          "merged by a write", "redo", "edit what is merged", "reverted", "told", "undone", "workspace")
SOME = 100


def main():
    options = argparse.ArgumentParser()
    options.add_argument("cairn")
    options.add_argument("--seconds", type=float, default=45, help="begin no story after these")
    options.add_argument("--stories", type=int, help="so many, however long they take")
    options.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options.add_argument("--story", type=int, help="only this one")
    options.add_argument("--whole", action="store_true", help="do not shorten what fails")
    options.add_argument("--go-on", action="store_true", help="play all, and print every kind of failure once")
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    world = World(options.cairn)
    try:
        return run(world, options)
    finally:
        world.close()


def run(world, options):
    began, counts, seen = time.monotonic(), collections.Counter(), collections.Counter()
    numbers = [options.story] if options.story is not None else range(options.stories or 1_000_000)
    for number in numbers:
        if options.story is None and options.stories is None and time.monotonic() - began > options.seconds:
            break
        plan = Plan(options.seed, number)
        broken, script = play(world, plan, counts)
        counts["stories"] += 1
        world.forget()
        if broken:
            seen[broken.kind] += 1
            if seen[broken.kind] == 1 or not options.go_on:
                report(world, plan, broken, script, options)
            if not options.go_on:
                return 1
    print(", ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    missing = [what for what in WANTED if not counts[what]] if counts["stories"] >= SOME else []
    if seen or missing:
        print(f"FAILED {dict(seen)}; never happened: {missing}")
        return 1
    return 0


def report(world, plan, broken, script, options):
    if not options.whole:
        end = time.monotonic() + 60
        short = shrunk(world, plan, broken.kind, lambda: time.monotonic() > end)
        again, shorter = play(world, short)
        if again:
            broken, script = again, shorter
    print(f"\n{script}\n\nFAILED {broken}\n"
          f"again: lost_updates.py CAIRN --seed {plan.seed} --story {plan.number}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
