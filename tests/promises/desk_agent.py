"""Agents in a workspace."""

from agents import BOX, Agent, an_edit, new_name
from contents import fresh, is_binary, revised, with_text_replaced
from hands import Refusal
from ledger import Change, marks, marks_in


class DeskAgent(Agent):
    """Uses a workspace: every change is a commit."""

    STEPS = {"read": 8, "read_part": 1, "write": 8, "edit": 6, "create": 2, "remove": 1, "move": 2, "undo": 2,
             "dry_run": 1, "look_into_box": 2, "remove_box": 3}

    def __init__(self, stage, name, hands, prefix=""):
        super().__init__(stage, name, hands, prefix)
        self.ever = {place: {} for place in stage.places}  # path to all marks that it has read there or written
        self.left = {place: {} for place in stage.places}  # path to what it left out itself since it read it
        self.took_back = set()  # places where what it had seen before may be there again, by its own undo

    def has_seen(self, place, path, content):
        self.seen[place][path] = content
        self.ever[place].setdefault(path, set()).update(marks(content))

    def known_of(self, place, path):
        """The marks of a file that this agent has seen, as it is for all it knows."""
        known = set(marks(self.seen[place].get(path, ""))) | self.left[place].get(path, set())
        return known | self.ever[place].get(path, set()) if place in self.took_back else known

    def leaves_out(self, place, path, removed):
        """It means this to be gone, also when others bring it back."""
        self.left[place].setdefault(path, set()).update(removed)

    def desk(self, dice):
        at = dice.randrange(len(self.stage.places))
        return self.stage.places[at], self.hands[at]

    def files(self, place):
        return [path for path in self.paths(place) if not is_binary(path)]

    def known(self, dice, place):
        paths = [path for path in self.files(place) if path in self.seen[place]]
        if self.stage.hot in paths and dice.random() < 0.5:
            return self.stage.hot
        return dice.choice(paths) if paths else None

    def read(self, dice, pen):
        place, hand = self.desk(dice)
        paths = self.files(place)
        if paths:
            path = self.stage.hot if self.stage.hot in paths and dice.random() < 0.5 else dice.choice(paths)
            self.has_seen(place, path, self.call(hand, "read_text_file", path=path)["content"])
            self.left[place].pop(path, None)

    def read_part(self, dice, pen):
        place, hand = self.desk(dice)
        paths = self.files(place)
        if paths:
            self.call(hand, "read_text_file", path=dice.choice(paths), head=1)

    def change(self, place, hand, tool, added, removed, **arguments):
        self.call(hand, tool, **arguments)
        place.committed(Change(frozenset(added), frozenset(removed)), f"{self.name}'s {tool}")
        self.stage.count("workspace")

    def write_file(self, place, hand, path, content):
        there = place.ledger.state.get(self.prefix + path)
        answer = self.call(hand, "write_file", path=path, content=content)
        removed = self.known_of(place, path) - set(marks(content))
        if there is not None and "not read" in " ".join(answer.get("notes", [])):
            removed |= set(marks(there))
            self.stage.count("told")
        self.has_seen(place, path, content)
        self.leaves_out(place, path, removed)
        place.committed(Change(frozenset(marks(content)), frozenset(removed)), f"{self.name}'s write_file")
        self.stage.count("workspace")

    def write(self, dice, pen):
        place, hand = self.desk(dice)
        path = self.known(dice, place)
        if path is None:
            self.read(dice, pen)
        else:
            self.write_file(place, hand, path, revised(dice, pen, path, self.seen[place][path]))

    def create(self, dice, pen):
        place, hand = self.desk(dice)
        path = self.of_pool(dice)
        if path not in self.seen[place]:
            self.write_file(place, hand, path, fresh(dice, pen, path))

    def edit(self, dice, pen):
        place, hand = self.desk(dice)
        path = self.known(dice, place)
        if path is None or not marks(self.seen[place][path]):
            return
        old, new = an_edit(dice, pen, path, self.seen[place][path])
        removed = set(marks(old)) - set(marks(new))
        self.change(place, hand, "edit_file", marks(new), removed, path=path,
                    edits=[{"oldText": old, "newText": new}])
        self.leaves_out(place, path, removed)
        self.has_seen(place, path, with_text_replaced(self.seen[place][path], old, new))

    def remove(self, dice, pen):
        place, hand = self.desk(dice)
        path = self.known(dice, place)
        if path is not None:
            self.change(place, hand, "delete_file", (), self.known_of(place, path), path=path)
            del self.seen[place][path]

    def look_into_box(self, dice, pen):
        """Lists a directory; what is in it then is what its remover means."""
        place, hand = self.desk(dice)
        if self.box(place):
            self.call(hand, dice.choice(["list_directory", "directory_tree"]), path=BOX)
            self.boxes[place] = self.box(place)

    def remove_box(self, dice, pen):
        place, hand = self.desk(dice)
        if place not in self.boxes:
            self.look_into_box(dice, pen)
            return
        seen = {path: view for path, view in self.seen[place].items() if path.startswith(BOX + "/")}
        removed = set(marks_in(self.boxes[place])).union(*(self.known_of(place, path) for path in seen))
        self.change(place, hand, "delete_file", (), removed, path=BOX, recursive=True)
        for path in seen:
            del self.seen[place][path]
        self.stage.count("box removed")

    def move(self, dice, pen):
        place, hand = self.desk(dice)
        paths = self.files(place)
        if paths:
            path = dice.choice(paths)
            to = new_name(path, pen)
            place.ledger.moved(marks(place.ledger.state[self.prefix + path]))
            self.change(place, hand, "move_file", (), (), source=path, destination=to)
            if path in self.seen[place]:
                self.seen[place][to] = self.seen[place].pop(path)
                self.ever[place][to] = set(self.ever[place][path])
                self.left[place][to] = set(self.left[place].get(path, set()))

    def dry_run(self, dice, pen):
        """Only looks at what would happen: nothing does."""
        place, hand = self.desk(dice)
        path = self.known(dice, place)
        if path is None:
            return
        tool, arguments = dice.choice([("write_file", {"path": path, "content": pen.line(dice)}),
                                       ("delete_file", {"path": path}),
                                       ("move_file", {"source": path, "destination": new_name(path, pen)}),
                                       ("undo", {})])
        try:
            self.call(hand, tool, dryRun=True, **arguments)
        except Refusal as refusal:
            if tool != "undo" or refusal.code != "INVALID_ARGUMENT":  # there is nothing to take back
                raise

    def undo(self, dice, pen):
        place, hand = self.desk(dice)
        changes = self.call(hand, "history")["changes"]
        numbers = [one["change"] for one in changes if one["paths"]]
        own = {"change": dice.choice(numbers)} if numbers and dice.random() < 0.5 else {}
        try:
            answer = self.call(hand, "undo", **own)
        except Refusal as refusal:
            if refusal.code == "INVALID_ARGUMENT":  # there is nothing to take back
                return
            raise
        self.took_back.add(place)
        place.undone(int(answer["change"]["change"].lstrip("#")))
        self.stage.count("undone")
