"""Agents that use the tools of files: what they read, and the roots they make."""

from agents import BOX, Agent, an_edit, new_name
from contents import fresh, is_binary, revised, with_text_replaced
from hands import Refusal
from ledger import Change, marks


class Chain:
    """Roots that grew from each other by an agent's writes, until they are committed."""

    def __init__(self, owner, place, views, at=None):
        self.owner, self.place, self.views, self.at = owner, place, views, at
        self.began = at  # the root it grew from, where the agent knows it
        self.root = None  # of the last write
        self.change, self.mine, self.touched = Change(), {}, set()
        self.committed = self.told = False

    def key(self):
        return self.root or self.at or self.place.depot

    def files(self):
        """What is really there, as the server has it."""
        key = self.root or self.at
        return self.place.world.tree(key) if key else None

    def wrote(self, root, path, content, removed, added=None):
        """A write on it: what its author knows of the file is `content`; all of it was written, or some of it."""
        added = marks(content or "") if added is None else added
        removed = self.left_out(path, content, set(removed))
        self.root = root
        self.change = self.change.then(added, removed)
        for other in self.owner.chains:
            if other is not self and other.place is self.place:
                self.place.ledger.written_again |= set(added) & other.change.added
        self.owner.has_written(self.place, path, added)
        self.touched.add(path)
        if content is None:
            self.views.pop(path, None)
            self.mine.pop(path, None)
        else:
            self.views[path] = content
            self.mine.setdefault(path, set()).update(set(added))
            self.mine[path] -= set(removed)

    def left_out(self, path, content, removed):
        """What the write leaves out of what its author had seen: also what it left out before, in a root that it
        did not commit."""
        left = self.owner.left[self.place].get(path, set()) | removed
        if self.root is None and self.at is None and content is not None:
            self.owner.seen[self.place][path] = content
            self.owner.left[self.place][path] = left
        return left - set(marks(content or ""))


class Writer(Agent):
    """Reads and writes by the tools, over REST or MCP or now one and now the other. Writes make roots."""

    def __init__(self, stage, name, hands, prefix=""):
        super().__init__(stage, name, hands, prefix)
        self.chains, self.trouble = [], None
        self.keys = {}  # of contents it has seen
        self.last = {place: {} for place in stage.places}  # path to the marks it read last, or wrote since, on whatever root
        self.last_text = {place: {} for place in stage.places}  # and to the content
        self.left = {place: {} for place in stage.places}  # path to what it left out itself since it read it

    def hand(self, dice):
        return dice.choice(self.hands)

    def chain(self, dice):
        """Where it works: on a root it holds, or at the depot."""
        open_ones = [chain for chain in self.chains if not chain.committed]
        if open_ones and dice.random() < 0.6:
            return dice.choice(open_ones)
        place = dice.choice(self.stage.places)
        return Chain(self, place, dict(self.seen[place]))

    def keep(self, chain):
        if chain not in self.chains:
            self.chains.append(chain)

    def there(self, chain, path):
        """What the file really holds, where this agent writes; nothing where there is none."""
        files = chain.files()
        if files is None:
            files, path = chain.place.ledger.state, self.prefix + path
        return files.get(path)

    # Looking.

    def read(self, dice, pen):
        self.read_in(dice, self.chain(dice))

    def read_in(self, dice, chain):
        path = self.pick(dice, chain.place)
        if path is None:
            return
        content = self.look(self.hand(dice), chain.key(), path, dice)
        chain.views[path] = content
        self.has_read(chain.place, path, content)
        if chain.root is None and chain.at is None:
            self.seen[chain.place][path] = content
            self.left[chain.place].pop(path, None)

    def has_read(self, place, path, content):
        self.last[place][path] = set(marks(content))
        self.last_text[place][path] = content

    def has_written(self, place, path, added):
        """What it wrote itself it has seen: it may leave it out when it goes on from another of its roots."""
        self.last[place].setdefault(path, set()).update(set(added))

    def look(self, hand, key, path, dice):
        """The whole of a file; its key is kept, for those who have to name it."""
        if is_binary(path):
            content, tag = self.hands[0].get(key, path)
            self.stage.script.say(self.name, "REST", "GET file", {"nodeKey": key, "path": path}, repr(content))
            self.keys[content] = tag
            return content
        if dice.random() < 0.2:
            one = self.call(hand, "fs_read_many", nodeKey=key, paths=[path])["files"][0]
            if "content" not in one:
                raise Refusal("PATH_NOT_FOUND", str(one), {})
        else:
            one = self.call(hand, "fs_read", nodeKey=key, path=path)
        self.keys[one["content"]] = one["key"]
        return one["content"]

    def read_part(self, dice, pen):
        """Some lines of a file: of the others it has seen nothing."""
        place = dice.choice(self.stage.places)
        texts = [path for path in self.paths(place) if not is_binary(path)]
        if texts:
            self.call(self.hand(dice), "fs_read", nodeKey=place.depot, path=dice.choice(texts), startLine=1,
                      endLine=1)

    def pin(self, dice, pen):
        """Takes the depot's root, to work on that tree and no other."""
        place = dice.choice(self.stage.places)
        root = self.call(self.hand(dice), "get_depot", depotId=place.depot)["root"]
        if root is not None:
            self.keep(Chain(self, place, {}, root))

    # Writing.

    def condition(self, hand, view):
        """What this agent has seen of a file. Programs say it themselves; of agents over MCP the server knows."""
        if not hasattr(hand, "put"):
            return {}
        return {"ifKey": "none" if view is None else self.keys.get(view)}

    def put(self, hand, chain, path, content):
        view = chain.views.get(path)
        if is_binary(path):
            answer = self.hands[0].put(chain.key(), path, content, self.condition(self.hands[0], view)["ifKey"])
            self.stage.script.say(self.name, "REST", "PUT file",
                                  {"nodeKey": chain.key(), "path": path, "body": repr(content)}, answer)
            return answer
        return self.call(hand, "fs_write", nodeKey=chain.key(), path=path, content=content,
                         **self.condition(hand, view))

    def write_file(self, dice, chain, path, content):
        """Writes the whole of a file, held against what this agent has seen of it."""
        view, there, hand = chain.views.get(path), self.there(chain, path), self.hand(dice)
        if view is not None and self.condition(hand, view).get("ifKey", "") is None:
            # It knows what should be there, and not the key of that.
            chain.views[path] = self.look(hand, chain.key(), path, dice)
            return
        answer = self.put(hand, chain, path, content)
        removed = (set(marks(view or "")) | self.last[chain.place].get(path, set())) - set(marks(content))
        if there is not None and self.told(answer):
            removed |= set(marks(there))
            # It is told of a version once, whichever of its roots it writes next.
            self.last[chain.place].setdefault(path, set()).update(set(marks(there)))
            self.stage.count("told")
        if answer.get("merged"):
            self.stage.count("merged by a write")
        else:
            self.keys[content] = answer["file"]["key"]
        chain.wrote(answer["newRoot"], path, content, removed)
        self.keep(chain)

    @staticmethod
    def told(answer):
        """Whether the answer says that something was replaced which its author had not read."""
        return "not read" in answer.get("note", "")

    def write(self, dice, pen):
        chain = self.chain(dice)
        path = self.pick(dice, chain.place, chain.views)
        if path is None:
            self.read_in(dice, chain)
        else:
            self.write_file(dice, chain, path, revised(dice, pen, path, chain.views[path]))

    def create(self, dice, pen):
        """A file that others may make as well."""
        chain = self.chain(dice)
        path = self.of_pool(dice)
        if path not in chain.views:
            self.write_file(dice, chain, path, fresh(dice, pen, path))

    def edit(self, dice, pen):
        chain = self.chain(dice)
        known = {path: view for path, view in chain.views.items() if not is_binary(path) and marks(view)}
        path = self.pick(dice, chain.place, known)
        if path is None:
            self.read_in(dice, chain)
            return
        view = chain.views[path]
        old, new = an_edit(dice, pen, path, view)
        answer = self.call(self.hand(dice), "fs_edit", nodeKey=chain.key(), path=path,
                           edits=[{"oldText": old, "newText": new}])
        after = with_text_replaced(view, old, new)
        chain.wrote(answer["newRoot"], path, after, set(marks(old)) - set(marks(new)), marks(new))
        self.keep(chain)

    def remove(self, dice, pen):
        chain = self.chain(dice)
        path = self.pick(dice, chain.place, chain.views)
        if path is None:
            return
        hand = self.hand(dice)
        # What was read over REST nobody remembers: whoever uses both says it over MCP too.
        condition = self.condition(self.hands[0], chain.views[path])
        if condition.get("ifKey", "") is None:
            return
        answer = self.call(hand, "fs_rm", nodeKey=chain.key(), path=path, **condition)
        chain.wrote(answer["newRoot"], path, None, set(marks(chain.views[path])))
        self.keep(chain)

    def look_into_box(self, dice, pen):
        """Lists a directory; what is in it then is what its remover means."""
        place = dice.choice(self.stage.places)
        if not self.box(place):
            return
        tool = dice.choice(["fs_ls", "fs_tree"])
        answer = self.call(self.hand(dice), tool, nodeKey=place.depot, path=BOX)
        self.boxes[place] = dict(self.box(place)), answer.get("key") or answer["hash"]

    def remove_box(self, dice, pen):
        chain = self.chain(dice)
        hand = self.hand(dice)
        if chain.place not in self.boxes:
            self.look_into_box(dice, pen)
            return
        box, key = self.boxes[chain.place]
        condition = {"ifKey": key} if hasattr(hand, "put") or len(self.hands) > 1 else {}
        answer = self.call(hand, "fs_rm", nodeKey=chain.key(), path=BOX, **condition)
        removed = set()
        for path, content in box.items():
            removed |= set(marks(content))
        for path in {*self.last[chain.place], *chain.views}:
            if path.startswith(BOX + "/"):
                removed |= self.last[chain.place].get(path, set()) | set(marks(chain.views.get(path, "")))
                removed |= set(marks(self.seen[chain.place].get(path, "")))
                chain.views.pop(path, None)
                chain.mine.pop(path, None)
                chain.touched.add(path)
        chain.root = answer["newRoot"]
        chain.change = chain.change.then((), removed)
        self.keep(chain)
        self.stage.count("box removed")

    def move(self, dice, pen):
        chain = self.chain(dice)
        path = self.pick(dice, chain.place)
        if path is None:
            return
        to = new_name(path, pen)
        there = self.there(chain, path)
        if there is not None:
            chain.place.ledger.moved(marks(there))
        answer = self.call(self.hand(dice), "fs_mv", nodeKey=chain.key(), **{"from": path}, to=to)
        self.has_moved(chain, answer["newRoot"], path, to)

    def move_across(self, dice, pen):
        """To the other depot: a root for each, committed one by one, or not."""
        if len(self.stage.places) < 2:
            return
        places = list(self.stage.places)
        dice.shuffle(places)
        source, target = (Chain(self, place, dict(self.seen[place])) for place in places)
        path = self.pick(dice, source.place)
        if path is None:
            return
        to, there = new_name(path, pen), set(marks(self.there(source, path) or ""))
        answer = self.call(self.hand(dice), "fs_mv", nodeKey=source.key(), **{"from": path},
                           toNodeKey=target.key(), to=to)
        target.place.ledger.moved(there)  # it may be moved back and forth
        source.place.ledger.moved(there)
        # What was moved is what is there, whatever this agent has seen or means to commit.
        target.wrote(answer["newRoot"], to, source.views.get(path), (), ())
        target.change = target.change.then(there)
        source.wrote(answer["sourceRoot"], path, None, there)
        self.keep(source)
        self.keep(target)

    def has_moved(self, chain, root, path, to):
        view, mine = chain.views.pop(path, None), chain.mine.pop(path, None)
        chain.root = root
        chain.touched |= {path, to}
        chain.views.pop(to, None)
        # What it knows of the file, and has left out of it, it knows of it at its new path.
        for known in (self.left[chain.place], self.last[chain.place]):
            known.setdefault(to, set()).update(known.get(path, ()))
        if view is not None:
            chain.views[to] = view
        if mine is not None:
            chain.mine[to] = mine
        self.keep(chain)

    def rewrite(self, dice, pen):
        """A move, and sometimes a deletion or a file over another, in one call."""
        chain = self.chain(dice)
        path = self.pick(dice, chain.place)
        if path is None:
            return
        others = [other for other in sorted(chain.views)
                  if other != path and other.rpartition(".")[2] == path.rpartition(".")[2]]
        to, deletes, removed = new_name(path, pen), [path], set()
        deed = dice.choice(["move", "delete", "over"])
        other = dice.choice(others) if others else None
        if other is not None and deed == "delete":
            deletes.append(other)
            removed = set(marks(chain.views[other]))
        elif other is not None and deed == "over" and self.there(chain, other) is not None:
            to, removed = other, set(marks(chain.views[other]))
        hand, there = self.hand(dice), self.there(chain, path)
        if removed and hasattr(hand, "put") and marks(self.there(chain, other) or "") != marks(chain.views[other]):
            return  # a program could not say what it has seen of it
        if there is not None:
            chain.place.ledger.moved(marks(there))
        answer = self.call(hand, "fs_rewrite", nodeKey=chain.key(), entries={to: {"from": path}},
                           deletes=deletes)
        if removed:
            chain.wrote(answer["newRoot"], other, None, removed)
        self.has_moved(chain, answer["newRoot"], path, to)
