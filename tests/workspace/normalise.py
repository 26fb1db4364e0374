"""What of an answer is compared: everything but times and where the tree is."""

import re

DATE = (r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4} "
        r"\([A-Za-z ]+\)")
# Of the three times only the last change is set by the tree.
TIMES = re.compile(rf"^(created|accessed): {DATE}$", re.M)
TEMPORARY = re.compile(r"\.[0-9a-f]{32}\.tmp")
ASPECTS = ("verdict", "content", "structured", "tree")


def placed(value, base):
    """Arguments with the placeholders `<tree>` and `<base>` filled in."""
    if isinstance(value, str):
        return value.replace("<tree>", f"{base}/tree").replace("<base>", str(base))
    if isinstance(value, list):
        return [placed(one, base) for one in value]
    if isinstance(value, dict):
        return {key: placed(one, base) for key, one in value.items()}
    return value


def neutral(value, base):
    """The value without the tree's own place and without times."""
    if isinstance(value, str):
        value = TIMES.sub(r"\1: <time>", value.replace(str(base), "<base>"))
        return TEMPORARY.sub(".<random>.tmp", value)
    if isinstance(value, list):
        return [neutral(one, base) for one in value]
    if isinstance(value, dict):
        return {neutral(key, base): neutral(one, base) for key, one in value.items()}
    return value


def first_line(block):
    """Of an error only its first line counts: more may follow that helps."""
    if block.get("type") != "text":
        return block
    return {**block, "text": block["text"].split("\n", 1)[0]}


def outcome(answer, base):
    """An answer as what is compared: verdict, content, structured."""
    if isinstance(answer, str):
        return {"verdict": answer, "content": None, "structured": None}
    if "error" in answer:
        error = answer["error"]
        return {"verdict": f"protocol error {error['code']}",
                "content": neutral(error["message"], base).split("\n", 1)[0], "structured": None}
    result = answer["result"]
    failed = bool(result.get("isError"))
    content = neutral(result.get("content"), base)
    if failed:
        content = [first_line(block) for block in content]
    return {"verdict": "error" if failed else "ok", "content": content,
            "structured": neutral(result.get("structuredContent"), base)}


def differing(theirs, ours):
    """The aspects in which two outcomes differ."""
    return {aspect for aspect in ASPECTS if theirs.get(aspect) != ours.get(aspect)}


def shape(schema):
    """What a schema says about values: types, names, what is required, choices, defaults."""
    kept = {key: schema[key] for key in ("type", "enum", "default", "const") if key in schema}
    if "properties" in schema:
        kept["properties"] = {name: shape(one) for name, one in schema["properties"].items()}
    if "items" in schema:
        kept["items"] = shape(schema["items"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kept["anyOf"] = [shape(one) for one in schema[key]]
    if schema.get("required"):
        kept["required"] = sorted(schema["required"])
    return kept


def about(tool):
    """A tool of tools/list, as what is compared."""
    return {"title": tool.get("title"), "annotations": tool.get("annotations"),
            "input": shape(tool["inputSchema"]), "output": shape(tool.get("outputSchema", {}))}


def excerpt(value, other, most=300):
    """A piece of one value's text around where it first differs from the other's."""
    text, beside = (one if isinstance(one, str) else repr(one) for one in (value, other))
    at = next((i for i, (a, b) in enumerate(zip(text, beside)) if a != b),
              min(len(text), len(beside)))
    begin = max(0, min(at - 60, len(text) - most + 2))
    piece = text[begin:begin + most - 2]
    return ("…" if begin else "") + piece + ("…" if begin + len(piece) < len(text) else "")
