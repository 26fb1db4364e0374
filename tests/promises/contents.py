"""Random contents with marks, and random revisions of them: text, JSON and bytes."""

import json

from ledger import marks

WORDS = "stone path rain hill cairn wind moss lake ridge scree".split()


class Pen:
    """Makes marks that nobody else makes: they are numbered by the step they are made in."""

    def __init__(self, step):
        self.step, self.count = step, 0

    def mark(self):
        self.count += 1
        return f"mark-{self.step}-{self.count}"

    def line(self, dice):
        return f"{self.mark()} {dice.choice(WORDS)}\n"


def is_json(path):
    return path.endswith(".json")


def is_binary(path):
    return path.endswith(".bin")


def fresh(dice, pen, path, size=None):
    """Content for a new file of this name."""
    if is_binary(path):
        return b"\x00\xff" + pen.mark().encode() + bytes(dice.randrange(256) for _ in range(8))
    size = size or dice.randint(1, 4)
    if is_json(path):
        return written({pen.mark(): pen.mark() for _ in range(size)})
    return "".join(pen.line(dice) for _ in range(size))


def written(value):
    return json.dumps(value, indent=2) + "\n"


def revised(dice, pen, path, content):
    """The content after somebody has worked on it."""
    if is_binary(path):
        return fresh(dice, pen, path)
    return revised_json(dice, pen, content) if is_json(path) else revised_text(dice, pen, content)


def revised_text(dice, pen, content):
    lines = content.splitlines(keepends=True)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(lines) + 1)
        deed = dice.choice(["insert", "insert", "replace", "delete"])
        if deed == "insert" or at == len(lines):
            lines.insert(at, pen.line(dice))
        elif deed == "replace":
            lines[at] = pen.line(dice)
        else:
            del lines[at]
    return "".join(lines)


def objects(value):
    """Every object in a JSON value, the outermost first."""
    found = [value]
    for child in value.values():
        if isinstance(child, dict):
            found += objects(child)
    return found


def revised_json(dice, pen, content):
    value = json.loads(content)
    for _ in range(dice.randint(1, 2)):
        where = dice.choice(objects(value))
        key = dice.choice(sorted(where)) if where else None
        deed = dice.choice(["add", "add", "inner", "change", "delete"])
        if deed == "inner":
            where[pen.mark()] = {pen.mark(): pen.mark()}
        elif deed == "add" or key is None:
            where[pen.mark()] = pen.mark()
        elif deed == "delete":
            del where[key]
        elif not isinstance(where[key], dict):
            where[key] = pen.mark()
    return written(value)


def with_these(path, content, names):
    """The content with these marks put into it, as somebody does who redoes its change on what is there now."""
    missing = sorted(set(names) - set(marks(content)))
    if is_binary(path):
        return b"\x00\xff" + " ".join(sorted(set(marks(content)) | set(missing))).encode()
    if is_json(path):
        value = json.loads(content)
        value.update({name: 0 for name in missing})
        return written(value)
    return content + "".join(f"{name} again\n" for name in missing)


def with_text_replaced(content, old, new):
    return content.replace(old, new, 1)
