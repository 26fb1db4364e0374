#!/usr/bin/env python3
"""noticed.py CAIRN: the model of lost updates notices a server that loses some.

The same random stories as in lost_updates.py, with somebody between the agents and the server who makes it lossy in one
way: each has to be noticed within a few stories, and by its name.
"""

import random
import sys

from hands import Refusal, Report
from stage import World
from story import Plan, play

ENOUGH = 60  # stories in which a loss has to be noticed


class Lossy:
    """A hand that somebody tampers with."""

    def __init__(self, hand, world):
        self.hand, self.world = hand, world
        self.name = hand.name

    def __getattr__(self, name):
        return getattr(self.hand, name)

    def call(self, tool, **arguments):
        return self.hand.call(tool, **arguments)


class LastWriterWins(Lossy):
    """Every commit overwrites what is there."""

    kind = "lost"

    def call(self, tool, **arguments):
        more = {"force": True} if tool == "depot_commit" else {}
        if more:
            arguments.pop("exact", None)
        return self.hand.call(tool, **{**arguments, **more})


class ForgetsWhatWasRead(Lossy):
    """A whole file is taken for one that its writer has seen."""

    kind = "lost"

    def call(self, tool, **arguments):
        if tool == "fs_write":
            arguments.pop("ifKey", None)
            try:
                self.hand.call("fs_read", nodeKey=arguments["nodeKey"], path=arguments["path"])
            except Refusal:
                pass
        return self.hand.call(tool, **arguments)


class DropsALine(Lossy):
    """A commit that was merged lost a line on the way."""

    kind = "lost"

    def call(self, tool, **arguments):
        answer = self.hand.call(tool, **arguments)
        if tool == "depot_commit" and answer["merged"]:
            self.drop(arguments["depotId"])
        return answer

    def drop(self, depot):
        owner = self.world.owner
        texts = [path for path, content in self.world.tree(self.world.root(depot)).items()
                 if path.endswith(".txt") and content.count(b"\n") > 1]
        if texts:
            line = self.world.tree(self.world.root(depot))[texts[0]].decode().splitlines(keepends=True)[0]
            root = owner.call("fs_edit", nodeKey=depot, path=texts[0],
                              edits=[{"oldText": line, "newText": ""}])["newRoot"]
            owner.call("depot_commit", depotId=depot, root=root)


class ChangesOnConflict(Lossy):
    """What is refused is done all the same."""

    kind = "changed"

    def call(self, tool, **arguments):
        try:
            return self.hand.call(tool, **arguments)
        except Refusal as refusal:
            if tool == "depot_commit" and refusal.code == "CONFLICT":
                arguments.pop("exact", None)
                self.hand.call(tool, **{**arguments, "force": True})
            raise


class SaysNothingOfSiblings(Lossy):
    """Writes that are not committed are not mentioned."""

    kind = "untold"

    def call(self, tool, **arguments):
        answer = self.hand.call(tool, **arguments)
        answer.pop("uncommitted", None)
        return answer


class ForgetsCommits(Lossy):
    """A commit is missing in the history."""

    kind = "history"


class Tampered(World):
    """A world in which every hand is tampered with."""

    how = Lossy

    def hand(self, hand):
        return self.how(hand, self) if hasattr(hand, "call") else hand

    def history(self, depot):
        entries = super().history(depot)
        return entries[1:] if self.how is ForgetsCommits else entries


def main():
    report, seed = Report(), random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    world = Tampered(sys.argv[1])
    try:
        for how in (LastWriterWins, ForgetsWhatWasRead, DropsALine, ChangesOnConflict, SaysNothingOfSiblings,
                    ForgetsCommits):
            report.check(f"{how.__name__} is noticed", noticed(world, seed, how))
    finally:
        world.close()
    report.done()


def noticed(world, seed, how):
    for number in range(ENOUGH):
        world.how = how
        broken, _ = play(world, Plan(seed, number))
        if not broken or broken.kind != how.kind:
            continue
        world.how = Lossy  # which does nothing: the story itself is good
        if play(world, Plan(seed, number))[0] is None:
            print(f"{how.__name__}: in story {number}, {broken}"[:200], flush=True)
            return True
    return False


if __name__ == "__main__":
    main()
