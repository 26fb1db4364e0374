"""Agents that use the tools of files, depots and JSON."""

import json

from contents import is_binary, is_json, with_these, written
from hands import Refusal
from ledger import Broken, Change, marks, marks_in
from writer import Chain, Writer

LATE = {"CONFLICT", "PRECONDITION_FAILED"}


class ToolAgent(Writer):
    """Commits the roots it made, with conditions that are true, stale or missing, and does something about a
    CONFLICT."""

    STEPS = {"read": 8, "read_part": 1, "pin": 2, "write": 8, "edit": 6, "create": 2, "remove": 1, "move": 2,
             "rewrite": 2, "look_into_box": 2, "remove_box": 3, "commit": 12, "retry": 6, "commit_again": 2, "json_add": 2, "json_change": 1,
             "json_remove": 1, "move_across": 1, "dry_run": 1, "undo": 1, "revert": 0.3, "force": 0.3}

    # Publishing.

    def commit(self, dice, pen):
        ready = [chain for chain in self.chains if chain.root and not chain.committed]
        if self.trouble and dice.random() < 0.5:
            self.retry(dice, pen)
        elif ready:
            chain = dice.choice(ready)
            self.publish(dice, chain, **self.conditions(dice, chain))
        else:
            self.write(dice, pen)

    def dry_run(self, dice, pen):
        """Only looks at what a commit would do, by force as well: nothing happens."""
        ready = [chain for chain in self.chains if chain.root]
        if ready:
            chain = dice.choice(ready)
            self.call(self.hand(dice), "depot_commit", depotId=chain.place.depot, root=chain.root, dryRun=True,
                      **dice.choice([{}, {"force": True}]))

    def conditions(self, dice, chain):
        """What an agent says of where the depot should be: nothing, the truth, or something stale."""
        say = dice.choice(["nothing", "nothing", "nothing", "began", "now", "stale", "exact"])
        if say == "began" and chain.began:
            return {"expectedRoot": chain.began}
        if say == "stale":
            return {"expectedRoot": self.earlier(dice, chain.place)}
        if say in ("now", "exact"):
            now = self.call(self.hand(dice), "get_depot", depotId=chain.place.depot)["root"]
            if now is None:
                return {}
            return {"expectedRoot": now, **({"exact": True} if say == "exact" else {})}
        return {}

    def earlier(self, dice, place):
        """A root that the depot had, as this agent sees it."""
        entries = self.call(self.hand(dice), "depot_history", depotId=place.depot)["entries"]
        return dice.choice(entries)["root"]

    def publish(self, dice, chain, **conditions):
        place = chain.place
        # Others that hold something which is nowhere else.
        siblings = [other for other in self.chains
                    if other.root and not other.committed and not other.told and other.place is place
                    and other.change.added - place.ledger.ever - chain.change.added]
        try:
            answer = self.call(self.hand(dice), "depot_commit", depotId=place.depot, root=chain.root,
                               **conditions)
        except Refusal as refusal:
            if refusal.code in LATE:
                if "currentRoot" not in refusal.details and not self.prefix:  # whose directory may be gone
                    raise Broken("refusal", f"{self.name}'s commit is told nothing of where the depot is: {refusal}") from None
                self.trouble = (chain, refusal)
                chain.told = chain.told or refusal.code == "CONFLICT"  # that it is not committed
            raise
        self.published(chain, answer)
        place.ledger.told([other.root for other in siblings if not other.told], answer, f"{self.name}'s commit")

    def published(self, chain, answer, why="commit"):
        chain.committed = True
        self.is_told(answer)
        if self.trouble and self.trouble[0] is chain:
            self.trouble = None
        chain.place.committed(chain.change, f"{self.name}'s {why}")
        self.stage.count("merged" if answer["merged"] else "committed")
        seen = chain.owner.seen[chain.place]
        for path in chain.touched:
            if path in chain.views:
                seen[path] = chain.views[path]
            else:
                seen.pop(path, None)

    def is_told(self, answer):
        """Of each of its roots once."""
        listed = {one["root"] for one in answer.get("uncommitted", [])}
        for other in self.chains:
            other.told = other.told or other.root in listed

    def retry(self, dice, pen):
        """After a CONFLICT: what an agent makes of the answer."""
        if self.trouble is None or self.trouble[0].committed:
            self.trouble = None
            self.write(dice, pen)
            return
        chain, refusal = self.trouble
        merged = refusal.details.get("mergedRoot")
        how = dice.choice(["insist", "again", "redo", "redo"] + (["edit what is merged"] * 3 if merged else []))
        self.stage.count(how)
        if how == "insist":
            now = refusal.details.get("currentRoot")
            self.publish(dice, chain, **({"expectedRoot": now} if now else {}))
        elif how == "again":
            self.publish(dice, chain)
        elif how == "redo":
            self.redo(dice, chain)
        else:
            self.edit_merged(dice, chain, merged, refusal.details)

    def redo(self, dice, chain):
        """Reads what it had changed again from the depot, puts its own into that, and commits."""
        self.drop(chain)
        anew = Chain(self, chain.place, dict(self.seen[chain.place]))
        for path, mine in sorted(chain.mine.items()):
            if mine:
                self.put_again(dice, anew, path, mine)
        self.trouble = None
        if anew.root:
            self.publish(dice, anew)

    def drop(self, chain):
        """It goes on without it. One that was made for a retry, and refused, is in no list."""
        if chain in self.chains:
            self.chains.remove(chain)

    def put_again(self, dice, chain, path, mine):
        try:
            chain.views[path] = self.look(self.hand(dice), chain.key(), path, dice)
            self.has_read(chain.place, path, chain.views[path])
        except Refusal as refusal:
            if refusal.code != "PATH_NOT_FOUND":
                raise
            chain.views.pop(path, None)
        # On lines of their own; somebody else may have brought what was missing meanwhile.
        chain.place.ledger.written_again |= set(mine)
        empty = b"" if is_binary(path) else "{}" if is_json(path) else ""
        self.write_file(dice, chain, path, with_these(path, chain.views.get(path, empty), mine))

    def edit_merged(self, dice, chain, root, details):
        """Works on the root in which everything else is merged, and commits that."""
        self.drop(chain)
        self.trouble = None
        anew = Chain(self, chain.place, {}, root)
        anew.root, anew.began = root, None
        here = set(marks_in(chain.place.world.tree(root)))
        anew.change = Change(chain.change.added & here, chain.change.removed)
        for path in details.get("paths", []):
            if chain.mine.get(path):
                self.put_again(dice, anew, path, chain.mine[path])
        self.publish(dice, anew)

    def commit_again(self, dice, pen):
        """A root of before: its own, another's, or one that the depot had."""
        place = dice.choice(self.stage.places)
        what = dice.choice(["own", "another's", "the depot's"])
        others = [agent for agent in self.stage.agents
                  if isinstance(agent, ToolAgent) and agent.prefix == self.prefix]
        if what == "another's":
            # Whoever sees all may commit what anybody wrote.
            chains = [c for agent in others for c in agent.chains if c.root] if not self.prefix else []
        else:
            chains = [c for c in self.chains if c.root and c.committed]
        if what == "the depot's" or not chains:
            chain = Chain(self, place, {}, self.earlier(dice, place))
            chain.root = chain.at
        else:
            chain = dice.choice(chains)
        conditions = self.conditions(dice, chain)
        try:
            answer = self.call(self.hand(dice), "depot_commit", depotId=chain.place.depot, root=chain.root,
                               **conditions)
        except Refusal as refusal:
            # Who is told that its root does not fit is told that it is not committed.
            chain.told = chain.told or (refusal.code == "CONFLICT" and chain.owner is self)
            raise
        self.published(chain, answer, "commit of an old root")

    def revert(self, dice, pen):
        place = dice.choice(self.stage.places)
        if self.prefix:
            return
        root = self.earlier(dice, place)
        self.call(self.hand(dice), "depot_revert", depotId=place.depot, root=root)
        place.ledger.replaced(place.world.tree(root), *place.look(), "revert")
        self.stage.count("reverted")

    def undo(self, dice, pen):
        """Takes back a commit of anybody's, or a run of two."""
        place = dice.choice(self.stage.places)
        entries = self.call(self.hand(dice), "depot_history", depotId=place.depot)["entries"]
        numbers = [entry["change"] for entry in entries if entry["change"] > 0]
        first = dice.choice(numbers)
        last = first + 1 if first + 1 in numbers and dice.random() < 0.3 else first
        which = {"change": first} if first == last else {"from": first, "to": last}
        try:
            self.call(self.hand(dice), "depot_undo", depotId=place.depot, **which)
        except Refusal as refusal:
            if refusal.code == "INVALID_ARGUMENT":  # there is nothing to take back
                return
            raise
        place.undone(first, last)
        self.stage.count("undone")

    def force(self, dice, pen):
        ready = [chain for chain in self.chains if chain.root and not chain.committed]
        if not ready or self.prefix:
            return
        chain = dice.choice(ready)
        place = chain.place
        answer = self.call(self.hand(dice), "depot_commit", depotId=place.depot, root=chain.root, force=True)
        chain.committed = True
        self.is_told(answer)
        place.ledger.replaced(place.world.tree(chain.root), *place.look(), "force")
        self.stage.count("forced")

    # JSON: every change is a commit.

    def json_file(self, dice):
        place = dice.choice(self.stage.places)
        paths = [path for path in self.paths(place) if is_json(path)]
        return (place, dice.choice(paths)) if paths else (place, None)

    def json_read(self, dice):
        """A JSON file as this agent has seen it last. A program says nothing of that, so it reads it again."""
        place, path = self.json_file(dice)
        if path is None:
            return place, path, {}
        is_remembered = not any(hasattr(hand, "put") for hand in self.hands)
        if is_remembered and path in self.seen[place] and dice.random() < 0.7:
            return place, path, json.loads(self.seen[place][path])
        self.seen[place][path] = self.look(self.hand(dice), place.depot, path, dice)
        self.has_read(place, path, self.seen[place][path])
        return place, path, json.loads(self.seen[place][path])

    def json_add(self, dice, pen):
        place, path = self.json_file(dice)
        if path is not None:
            self.json_call(dice, "json_create", place, path, items={pen.mark(): pen.mark()})

    def json_change(self, dice, pen):
        """Gives another value to a key."""
        place, path, value = self.json_read(dice)
        keys = [key for key in sorted(value) if not isinstance(value[key], dict)]
        if keys:
            key = dice.choice(keys)
            self.json_call(dice, "json_update", place, path, self.known_of(place, path, value, key)
                           - set(marks(key)), items={key: pen.mark()})

    def json_remove(self, dice, pen):
        place, path, value = self.json_read(dice)
        if value:
            key = dice.choice(sorted(value))
            self.json_call(dice, "json_delete", place, path, self.known_of(place, path, value, key), keys=[key])

    def known_of(self, place, path, value, key):
        """The marks of an element that this agent has seen, on whatever root, and what it has left out itself since."""
        known = set(marks(json.dumps({key: value[key]}))) | self.left[place].get(path, set())
        last = json.loads(self.last_text[place].get(path, "{}"))
        return known | set(marks(json.dumps(last.get(key, ""))))

    def json_call(self, dice, tool, place, path, removed=frozenset(), **more):
        self.call(self.hand(dice), tool, depotId=place.depot, path=path, **more)
        if path in self.seen[place]:
            value = json.loads(self.seen[place][path])
            value.update(more.get("items", {}))
            for key in more.get("keys", []):
                value.pop(key, None)
            self.seen[place][path] = written(value)
        self.has_written(place, path, marks(json.dumps(more.get("items", {}))))
        place.committed(Change(frozenset(marks(json.dumps(more.get("items", {})))) - removed,
                               frozenset(removed)), f"{self.name}'s {tool}")
        self.stage.count("json")
