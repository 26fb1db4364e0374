"""Agents with a directory of their own."""

import os

from agents import Agent
from contents import fresh, revised
from hands import Refusal
from ledger import Change, marks_in


class ImportAgent(Agent):
    """Has a directory of its own, works in that, and imports it now and then by the command line."""

    STEPS = {"work": 6, "bring": 6, "bring_by_force": 0.3}
    OWN = ("docs/c.txt", "own/a.txt", "own/b.txt", "pool-1.txt", "own/conf.json")

    def __init__(self, stage, name, hands, folder):
        super().__init__(stage, name, hands)
        self.folder, self.place = folder, stage.places[0]
        self.brought = {}  # what the directory held when it was last imported

    def files(self):
        found = {}
        for where, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, self.folder)] = file.read()
        return found

    def save(self, path, content):
        place = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(content)
        self.stage.script.say(self.name, "directory", "writes", path, content)

    def work(self, dice, pen):
        """Makes, changes or deletes a file of the directory."""
        files = self.files()
        path = dice.choice(self.OWN)
        if path not in files:
            self.save(path, fresh(dice, pen, path))
        elif dice.random() < 0.2:
            os.remove(os.path.join(self.folder, path))
            self.stage.script.say(self.name, "directory", "deletes", path, "")
        else:
            self.save(path, revised(dice, pen, path, files[path]))

    def bring(self, dice, pen):
        files = self.files()
        if not files:
            self.work(dice, pen)
            return
        self.imported()
        held, had = frozenset(marks_in(files)), frozenset(marks_in(self.brought))
        self.place.committed(Change(held, had - held), f"{self.name}'s import")
        self.brought = files

    def bring_by_force(self, dice, pen):
        """Where both changed a file its own is taken; with --delete nothing else stays."""
        option = dice.choice(["--force", "--delete"])
        files, had = self.files(), self.place.ledger.state
        if not files:
            return
        self.imported(option)
        own = set(files) | set(self.brought) if option == "--force" else set(had)
        gone = set(marks_in({path: had[path] for path in own if path in had}))
        held = frozenset(marks_in(files))
        self.place.committed(Change(held, frozenset(gone - held)), f"{self.name}'s import {option}")
        self.brought = files
        self.stage.count("forced")

    def imported(self, *options):
        try:
            said = "".join(self.hands[0].run("import", self.folder, self.place.depot, *options))
        except Refusal as refusal:
            self.stage.script.say(self.name, "cairn", "import", options, str(refusal))
            raise
        self.stage.script.say(self.name, "cairn", "import", options, said)
        self.stage.count("imported")
