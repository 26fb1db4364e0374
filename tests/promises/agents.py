"""Random agents: each holds what it has seen, writes from that, and acts as agents do who have not read the manual.

A step draws everything it decides from dice of its own, so a story of fewer steps is played the same way where it can
be; a step for which there is nothing to do does nothing. What an agent means by a write is worked out from what it had
seen of the file: the marks it leaves out are those it removes, and no others.
"""

import random

from contents import Pen, is_binary, is_json
from hands import Refusal
from ledger import Broken, marks

# What may be said to an agent that is late, or in somebody's way. Anything else is no answer to these calls.
EXPECTED = {"CONFLICT", "PRECONDITION_FAILED", "EDIT_NO_MATCH", "EDIT_AMBIGUOUS", "PATH_NOT_FOUND",
            "TARGET_EXISTS", "KEY_EXISTS", "KEY_NOT_FOUND", "POINTER_NOT_FOUND", "NOT_A_FILE", "ENOENT",
            "EXISTS_AS_FILE", "HISTORY_NOT_FOUND"}
TEXTS = ("a.txt", "docs/b.txt", "docs/c.txt", "data.json", "docs/conf.json", "logo.bin")
BOX = "box"  # a directory that some fill and others remove
POOL = ("pool-1.txt", "docs/pool-2.txt", "pool-3.json", f"{BOX}/pool-4.txt", f"{BOX}/deep/pool-5.txt")


class Agent:
    """What all agents share: a name, a part of a depot that they see, and their dice."""

    def __init__(self, stage, name, hands, prefix=""):
        self.stage, self.name, self.hands, self.prefix = stage, name, hands, prefix
        self.reads_bytes = hasattr(hands[0], "put")  # over REST; MCP is for texts
        self.seen = {place: {} for place in stage.places}  # path to content, as it was last seen
        self.boxes = {}  # place to what was in the box when it was last listed: path to content

    def call(self, hand, tool, **arguments):
        try:
            answer = hand.call(tool, **arguments)
        except Refusal as refusal:
            self.stage.script.roots(refusal.details)
            self.stage.script.say(self.name, hand.name, tool, arguments, str(refusal))
            raise
        self.stage.script.say(self.name, hand.name, tool, arguments, answer)
        return answer

    def step(self, number, kind, seed):
        """One step. Whatever is refused has changed nothing."""
        why = f"{self.name}'s {kind}"
        try:
            getattr(self, kind)(random.Random(seed), Pen(number))
        except Refusal as refusal:
            if refusal.code not in EXPECTED:
                raise Broken("refusal", f"{why}: {refusal}") from None
            self.stage.count(refusal.code)
        for place in self.stage.places:
            place.settled(why)

    def paths(self, place):
        """The paths there are, as this agent names them."""
        return sorted(path[len(self.prefix):] for path in place.ledger.state
                      if path.startswith(self.prefix) and (self.reads_bytes or not is_binary(path)))

    def pick(self, dice, place, known=None):
        """A path: one that it knows, or any."""
        paths = self.paths(place)
        if known is not None:
            paths = [path for path in paths if path in known] or sorted(known)
        if self.stage.hot in paths and dice.random() < 0.5:
            return self.stage.hot
        return dice.choice(paths) if paths else None

    def box(self, place):
        """What is in the box now, for those who see all of the depot."""
        return {path: content for path, content in place.ledger.state.items()
                if path.startswith(BOX + "/") and not self.prefix}

    def of_pool(self, dice):
        names = [name[len(self.prefix):] for name in POOL if name.startswith(self.prefix)]
        return dice.choice(names)

    def close(self):
        for hand in self.hands:
            hand.close()


def new_name(path, pen):
    folder, _, name = path.rpartition("/")
    ending = name.rpartition(".")[2]
    return (folder + "/" if folder else "") + f"moved-{pen.step}.{ending}"


def an_edit(dice, pen, path, view):
    """A text that is there, and what comes in its place."""
    if is_json(path):
        return dice.choice(sorted(marks(view))), pen.mark()
    line = dice.choice([line for line in view.splitlines(keepends=True) if marks(line)])
    deed = dice.choice(["replace", "insert", "delete"])
    return line, {"replace": pen.line(dice), "insert": line + pen.line(dice), "delete": ""}[deed]
