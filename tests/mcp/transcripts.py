#!/usr/bin/env python3
"""transcripts.py CAIRN [FILE…]: every transcript over every way to talk MCP.

A transcript (transcripts/*/*.json) is a list of steps: what is asked, and what the answer is. Each
begins in a world of its own (world.py) and is run in both eras over HTTP, over stdio, and over stdio
through a server that has the directory open; the answers have to be the same but for what only one
era has. What differs from run to run stands in braces:
`{site}` is the id of the depot of that title, `{depot 1}` the first other depot that appears, and
`{time}`, `{token}` and `{cursor}` are whatever stands there. Arguments can use them too, and what a
step keeps by name.

CAIRN_ACCEPT=1 writes the answers anew. A tool without a transcript fails.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import sys

import schema
from ways import Report
from world import HTTP_WAYS, STDIO_WAYS, OnHttp, World

HERE = pathlib.Path(__file__).resolve().parent / "transcripts"
ID = re.compile(r"(dpt|dlt|usr)_[0-9A-HJKMNP-TV-Z]{26}")
KINDS = {"dpt": "depot", "dlt": "delegate", "usr": "user"}
TIMES = {"createdAt", "updatedAt", "time", "expiresAt", "revokedAt", "accessTokenExpiresAt",
         "keyMadeAt", "oldKeyUntil"}
HIDDEN = {"accessToken": "{token}", "refreshToken": "{token}", "nextCursor": "{cursor}",
          "lastModified": "{time}", "version": "{version}", "physicalBytes": "{bytes}",
          "logicalBytes": "{bytes}"}
# Longer texts stand with their beginning and their hash.
MAX_TEXT = 600
# What a complete result has in the modern era only.
MODERN_ONLY = ("ttlMs", "cacheScope")

# The hints of the specification's table: read-only, destructive, idempotent.
HINTS = {
    "list_depots": (True, False, True),
    "get_depot": (True, False, True),
    "fs_stat": (True, False, True),
    "fs_ls": (True, False, True),
    "fs_read": (True, False, True),
    "node_metadata": (True, False, True),
    "fs_write": (False, False, True),
    "fs_mkdir": (False, False, True),
    "fs_rm": (False, True, False),
    "fs_mv": (False, True, False),
    "fs_cp": (False, False, True),
    "fs_rewrite": (False, True, False),
    "depot_commit": (False, True, False),
    "create_delegate": (False, False, False),
    "get_realm_info": (True, False, True),
    "get_usage": (True, False, True),
    # Those that the table does not have.
    "fs_tree": (True, False, True),
    "fs_read_many": (True, False, True),
    "fs_find": (True, False, True),
    "fs_grep": (True, False, True),
    "fs_diff": (True, False, True),
    "fs_edit": (False, False, False),
    "depot_history": (True, False, True),
    "depot_revert": (False, True, False),
    "depot_undo": (False, True, False),
    "depot_tag": (False, False, True),
    "create_depot": (False, False, False),
    "list_delegates": (True, False, True),
    "get_delegate": (True, False, True),
    "update_delegate": (False, True, True),
    "rotate_key": (False, True, False),
    "revoke_delegate": (False, True, True),
    "json_get_schema": (True, False, True),
    "json_get_all": (True, False, True),
    "json_query": (True, False, True),
    "json_preview": (True, False, True),
    "json_select": (True, False, True),
    "json_create": (False, False, False),
    "json_update": (False, True, True),
    "json_delete": (False, True, False),
    "json_move": (False, True, False),
    "json_copy": (False, False, False),
}


def hints_of(definition):
    """As a client takes them: destructive and not idempotent, unless they say otherwise."""
    given = definition.get("annotations", {})
    read_only = given.get("readOnlyHint", False)
    return (read_only, not read_only and given.get("destructiveHint", True),
            given.get("idempotentHint", False))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def shortened(text):
    if len(text) <= MAX_TEXT:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text[:100]}… {{{len(text)} characters, {digest}}}"


class Names:
    """What the ids of one run are called, both ways."""

    def __init__(self, known):
        self.known = dict(known)  # name: what stands for it
        self.counts = {}

    def fill(self, value):
        """The value with every `{name}` replaced."""
        if isinstance(value, dict):
            return {self.fill(k): self.fill(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if not isinstance(value, str):
            return value
        for name, meant in self.known.items():
            if "{" + name + "}" == value:
                return meant
            if isinstance(meant, str):
                value = value.replace("{" + name + "}", meant)
                value = value.replace("{" + name + ".bare}", meant[4:])
        return value

    def name_of(self, found):
        for name, meant in self.known.items():
            if meant == found.group(0):
                return "{" + name + "}"
        if set(found.group(0)[4:]) == {"0"}:
            return found.group(0)  # made up by a step
        kind = KINDS[found.group(1)]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        name = f"{kind} {self.counts[kind]}"
        self.known[name] = found.group(0)
        return "{" + name + "}"

    def hide(self, value, key=None):
        """The value with whatever differs from run to run replaced by its name."""
        if isinstance(value, dict):
            return {k: self.hide(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [self.hide(item, key) for item in value]
        if key == "lastUsedAt":
            return "{time or null}"  # over stdio nobody needs a token
        if key in TIMES and isinstance(value, int):
            return "{time}"
        if key in HIDDEN and value is not None:
            return HIDDEN[key]
        if not isinstance(value, str):
            return value
        value = ID.sub(self.name_of, value)
        for name, meant in self.known.items():
            if isinstance(meant, str) and meant.startswith("dpt_"):
                value = value.replace(meant[4:], "{" + name + ".bare}")
        return shortened(value)


def taken(value, path):
    """`delegate.delegateId`, `entries.1.root`."""
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


class Run:
    """One transcript over one way."""

    def __init__(self, host, report, full_schemas):
        self.host, self.report, self.full_schemas = host, report, full_schemas
        self.schemas = {}

    def check(self, name, condition, *seen):
        return self.report.check(f"{self.host.name}: {self.file}: {name}", condition, *seen)

    def call(self, tool, arguments, caller=None):
        caller = caller or self.host.caller()
        return caller.request("tools/call", {"name": tool, "arguments": arguments})

    def begin(self):
        """The names of the world this run is in."""
        depots = self.call("list_depots", {})["result"]["structuredContent"]["depots"]
        about = self.call("get_realm_info", {})["result"]["structuredContent"]
        known = {depot["title"]: depot["depotId"] for depot in depots}
        known |= {f"{depot['title']} root": depot["root"] for depot in depots}
        known |= {"realm": about["realm"], "me": about["delegateId"]}
        self.names = Names(known)
        listed = self.host.caller(None, {"toolsets": "all"}).request("tools/list")["result"]
        self.schemas = {tool["name"]: tool["outputSchema"] for tool in listed["tools"]}

    def play(self, file, transcript):
        """What each step was answered."""
        self.file = file
        self.begin()
        answers = []
        for step in transcript["steps"]:
            self.step = step
            only = step.get("only")
            answers.append(None if only and only != self.host.era else
                           self.take(step, transcript.get("tool")))
        return answers

    def take(self, step, tool):
        token = self.names.known[step["as"]] if "as" in step else None
        selection = step.get("selection", {"toolsets": "all"} if tool else None)
        caller = self.host.caller(token, selection, step.get("fresh", False))
        method = step.get("method", "tools/call")
        tool = step.get("tool", tool) if method == "tools/call" else None
        if tool and "params" not in step:
            params = {"name": tool, "arguments": self.names.fill(step["arguments"])}
        else:
            params = self.names.fill(step.get("params", {}))
        message = caller.request(method, params)
        self.check(step["it"], message.get("jsonrpc") == "2.0", message)
        if "error" in message:
            return self.error(step, message["error"])
        result = dict(message["result"])
        if self.host.era == "modern":
            self.check(f"{step['it']}: it is complete",
                       result.pop("resultType", None) == "complete", result)
            about = result.pop("_meta", {})
            self.check(f"{step['it']}: says whose it is",
                       "io.modelcontextprotocol/serverInfo" in about, about)
        else:
            self.check(f"{step['it']}: nothing of the other era",
                       not {"resultType", "_meta", *MODERN_ONLY} & result.keys(), result)
        special = {name: result.pop(name) for name in MODERN_ONLY if name in result}
        if tool:
            self.tool_result(step, tool, result)
        for content in result.get("contents", []):
            self.resource_content(step, content)
        for name, path in step.get("keep", {}).items():
            self.names.known[name] = taken(result.get("structuredContent", result), path)
        for path in step.get("names", []):
            *way, last = path.split(".")
            where = taken(result, ".".join(way)) if way else result
            where[last] = [item["name"] for item in where[last]]
        return self.names.hide(result), special

    def error(self, step, error):
        self.check(f"{step['it']}: the message is short", len(error["message"]) < 2000)
        special = {}
        if error["code"] == -32002:
            # The legacy era has a code of its own for resources that are not there.
            self.check(f"{step['it']}: of its era", self.host.era == "legacy")
            error["code"], special = -32602, {"code": -32002}
        return {"error": self.names.hide(error)}, special

    def resource_content(self, step, content):
        """JSON is shown as what it says."""
        if content["mimeType"] != "application/json":
            return
        value = json.loads(content["text"])
        self.check(f"{step['it']}: it is compact", content.pop("text") == compact(value), value)
        content["json"] = value

    def tool_result(self, step, tool, result):
        content = result.pop("content")
        self.check(f"{step['it']}: one text block",
                   [block["type"] for block in content] == ["text"], content)
        text = content[0]["text"]
        if result.get("isError"):
            self.check(f"{step['it']}: an error names its code",
                       re.match(r"Error: [A-Z_]+ — .", text), text)
            self.check(f"{step['it']}: and nothing else", result.keys() == {"isError"}, result)
            result["text"] = text
            return
        value = result["structuredContent"]
        self.check(f"{step['it']}: the text is the compact JSON", text == compact(value), text)
        for of, schemas in (("tools/list", self.schemas), ("the table", self.full_schemas)):
            wrong = list(schema.faults(schemas[tool], value))
            self.check(f"{step['it']}: as the schema of {of} says", not wrong, wrong)


def accepted(transcript, by_era):
    """The transcript with the answers of the modern era, and what is special to either."""
    steps = []
    for at, step in enumerate(transcript["steps"]):
        step = {k: v for k, v in step.items() if k not in ("answer", "modern", "legacy")}
        for era, answers in by_era.items():
            if answers[at] is None:
                continue
            step.setdefault("answer", answers[at][0])
            if answers[at][1]:
                step[era] = answers[at][1]
        steps.append(step)
    return {**transcript, "steps": steps}


def dump(value, depth=0):
    """JSON for people: what fits in a line is in one."""
    flat = json.dumps(value, ensure_ascii=False)
    pad = "  " * depth
    if len(flat) + len(pad) <= 98 and depth > 1 or not isinstance(value, (dict, list)):
        return flat
    if isinstance(value, dict):
        inner = [f"{pad}  {json.dumps(k, ensure_ascii=False)}: {dump(v, depth + 1)}"
                 for k, v in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{pad}}}"
    return "[\n" + ",\n".join(f"{pad}  {dump(v, depth + 1)}" for v in value) + f"\n{pad}]"


def compare(run, transcript, answers):
    for step, answer in zip(transcript["steps"], answers):
        if answer is None:
            continue
        run.check(f"{step['it']}: the answer", step.get("answer") == answer[0],
                  f"\n  expected {compact(step.get('answer'))}\n  got      {compact(answer[0])}")
        run.check(f"{step['it']}: what only the {run.host.era} era has",
                  step.get(run.host.era, {}) == answer[1], answer[1])


def play(world, host_class, way, file, report, full_schemas):
    transcript = json.loads(file.read_text())
    host = host_class(world, way)
    try:
        run = Run(host, report, full_schemas)
        answers = run.play(file.stem, transcript)
    finally:
        code = host.close()
    report.check(f"{host.name}: {file.stem}: ends well", code == 0, code)
    return run, transcript, answers


def definitions(world, report):
    """Of every tool there is: hints, transcripts; and the full schemas of their answers."""
    host = OnHttp(world, HTTP_WAYS[0][1])
    try:
        listed = host.caller(None, {"toolsets": "all"}).request("tools/list")["result"]["tools"]
        _, _, body = host.server.client().request("GET", "/api/realm/me/tools")
    finally:
        host.close()
    names = [tool["name"] for tool in listed]
    report.check("each tool is listed once", len(set(names)) == len(names), names)
    have = {file.stem for file in (HERE / "tools").glob("*.json")}
    report.check("every tool has a transcript", set(names) <= have, set(names) - have)
    report.check("every transcript has a tool", have <= set(names), have - set(names))
    for tool in listed:
        report.check(f"the hints of {tool['name']}",
                     hints_of(tool) == HINTS.get(tool["name"]), tool["annotations"])
        report.check(f"{tool['name']} stays in its world",
                     tool["annotations"].get("openWorldHint") is False, tool["annotations"])
    return {tool["name"]: tool["outputSchema"] for tool in json.loads(body)["tools"]}


def complete(report, file, transcript):
    """At least one success and one error of a tool."""
    tool = transcript.get("tool")
    if tool is None:
        return
    report.check(f"{file.stem} is of its tool", tool == file.stem, tool)
    own = [step.get("answer") or {} for step in transcript["steps"]
           if step.get("tool", tool) == tool]
    report.check(f"{tool} succeeds in its transcript",
                 any("structuredContent" in answer for answer in own))
    report.check(f"{tool} fails in its transcript", any("isError" in answer for answer in own))


def main():
    report = Report()
    cairn = sys.argv[1]
    files = [pathlib.Path(word) for word in sys.argv[2:]] or sorted(HERE.glob("*/*.json"))
    ways = HTTP_WAYS + STDIO_WAYS
    world = World(cairn)
    try:
        full_schemas = definitions(world, report)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            jobs = {(file, *way): pool.submit(play, world, *way, file, report, full_schemas)
                    for file in files for way in ways}
            for file in files:
                played = [jobs[file, *way].result() for way in ways]
                transcript = played[0][1]
                if os.environ.get("CAIRN_ACCEPT"):
                    by_era = {run.host.era: answers for run, _, answers in played[:2]}
                    transcript = accepted(transcript, by_era)
                    file.write_text(dump(transcript) + "\n")
                for run, _, answers in played:
                    compare(run, transcript, answers)
                complete(report, file, transcript)
    finally:
        world.remove()
    report.done()


if __name__ == "__main__":
    main()
