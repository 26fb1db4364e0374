"""As much of JSON Schema as tools' answers are described with. A keyword it does not know is an
error, so that nothing is taken for checked that was not."""

KINDS = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
IGNORED = {"title", "description"}


def faults(schema, value, where="$"):
    """What of the value does not fit, as sentences."""
    if isinstance(schema, bool):
        if not schema:
            yield f"{where} must not be there"
        return
    for keyword, wanted in schema.items():
        if keyword in IGNORED:
            continue
        elif keyword == "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            if not any(KINDS[kind](value) for kind in kinds):
                yield f"{where} is {value!r:.80}, not {' or '.join(kinds)}"
        elif keyword == "required":
            if isinstance(value, dict):
                yield from (f"{where} has no '{name}'" for name in wanted if name not in value)
        elif keyword == "properties":
            if isinstance(value, dict):
                for name, below in wanted.items():
                    if name in value:
                        yield from faults(below, value[name], f"{where}.{name}")
        elif keyword == "additionalProperties":
            if isinstance(value, dict):
                for name in value.keys() - schema.get("properties", {}).keys():
                    yield from faults(wanted, value[name], f"{where}.{name}")
        elif keyword == "items":
            if isinstance(value, list):
                for at, item in enumerate(value):
                    yield from faults(wanted, item, f"{where}[{at}]")
        elif keyword == "anyOf":
            found = [list(faults(choice, value, where)) for choice in wanted]
            if all(found):
                yield from (fault for choice in found for fault in choice)
        elif keyword == "enum":
            if value not in wanted:
                yield f"{where} is {value!r:.80}, none of {wanted}"
        elif keyword in ("minimum", "maximum"):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if number and (value < wanted if keyword == "minimum" else value > wanted):
                yield f"{where} is {value}, beyond its {keyword} {wanted}"
        else:
            yield f"the schema at {where} has a keyword unknown here: {keyword}"
