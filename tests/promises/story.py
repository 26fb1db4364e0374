"""Stories: who takes part, what they do in which order, and playing one on a server."""

import collections
import random
import shutil
import tempfile

from agents import BOX, TEXTS
from contents import Pen, fresh
from desk_agent import DeskAgent
from hands import Desk, Mcp, Rest, Shell
from import_agent import ImportAgent
from ledger import Broken
from scene import LegacyDesk, ModernDesk
from stage import Place, Script
from tool_agent import ToolAgent
from ways import LegacyHttp, ModernHttp

NAMES = ("ann", "bob", "cleo", "dan", "eve")
KINDS = {"tools": 6, "scoped tools": 1.5, "workspace": 2, "scoped workspace": 0.5, "import": 1}


def drawn(dice, weights):
    return dice.choices(list(weights), list(weights.values()))[0]


def class_of(kind):
    return DeskAgent if "workspace" in kind else ImportAgent if kind == "import" else ToolAgent


class Plan:
    """A story before it is played: everything in it comes from its seed and number."""

    def __init__(self, seed, number):
        dice = random.Random(f"{seed}/{number}")
        self.seed, self.number = seed, number
        self.depots = dice.choice([1, 1, 2])
        self.kinds = ["tools"] + [drawn(dice, KINDS) for _ in range(dice.randint(2, 4))]
        self.ways = [dice.choice(["REST", "MCP", "session", "mixed"]) for _ in self.kinds]
        self.steps = []
        for step in range(1, dice.randint(20, 50) + 1):
            who = dice.randrange(len(self.kinds))
            self.steps.append((step, who, drawn(dice, class_of(self.kinds[who]).STEPS), dice.random()))

    def only(self, steps):
        """The same story with some of its steps."""
        short = Plan.__new__(Plan)
        short.__dict__ = {**self.__dict__, "steps": list(steps)}
        return short


class Stage:
    """A story while it is played."""

    def __init__(self, world, plan, counts=None):
        self.world, self.counts = world, collections.Counter() if counts is None else counts
        self.script = Script()
        self.folder = tempfile.mkdtemp(prefix="cairn-story-")
        world.stories += 1
        dice = random.Random(f"{plan.seed}/{plan.number}/files")
        pen = Pen(0)
        self.hot = dice.choice(TEXTS)  # what most of them work on
        self.places = []
        for number in range(plan.depots):
            files = {path: fresh(dice, pen, path, size=6) for path in (*TEXTS, f"{BOX}/first.txt")}
            place = Place(world, f"story-{world.stories}-{number}", files)
            self.script.name(place.depot, f"depot-{number}")
            self.places.append(place)
        self.agents = [self.agent(*who) for who in zip(NAMES, plan.kinds, plan.ways)]

    def count(self, what):
        self.counts[what] += 1

    def agent(self, name, kind, way):
        prefix = "docs/" if kind.startswith("scoped") else ""
        rights = {"scope": [f"{place.depot}/docs" for place in self.places]} if prefix else {}
        made = self.world.owner.call("create_delegate", canUpload=True,
                                     canManageDepot=not prefix, name=name, **rights)
        hands = [self.world.hand(hand) for hand in self.hands(kind, way, made["accessToken"])]
        if kind == "import":
            return ImportAgent(self, name, hands, tempfile.mkdtemp(dir=self.folder))
        return class_of(kind)(self, name, hands, prefix)

    def hands(self, kind, way, token):
        server = self.world.server
        if kind == "import":
            return [Shell(server, token)]
        if "workspace" in kind:
            desk = LegacyDesk if way == "session" else ModernDesk
            return [Desk(server, token, place.depot, desk) for place in self.places]
        return {"REST": [Rest(server, token)], "MCP": [Mcp(server, token)],
                "session": [Mcp(server, token, LegacyHttp)],
                "mixed": [Rest(server, token), Mcp(server, token, ModernHttp)]}[way]

    def play(self, plan):
        try:
            for number, who, kind, seed in plan.steps:
                self.agents[who].step(number, kind, seed)
            for place in self.places:
                place.ended()
        finally:
            for agent in self.agents:
                agent.close()
            shutil.rmtree(self.folder)


def play(world, plan, counts=None):
    """Plays a story; what went wrong, if something did, and its script."""
    stage = Stage(world, plan, counts)
    try:
        stage.play(plan)
    except Broken as broken:
        return broken, stage.script
    return None, stage.script


def shrunk(world, plan, kind, enough):
    """The shortest story found that ends as badly: steps are left out as long as it does."""
    steps, size = plan.steps, max(1, len(plan.steps) // 2)
    while size and not enough():
        at = 0
        while at < len(steps) and not enough():
            fewer = steps[:at] + steps[at + size:]
            broken, _ = play(world, plan.only(fewer))
            if broken and broken.kind == kind:
                steps = fewer
            else:
                at += size
        size //= 2
    return plan.only(steps)
