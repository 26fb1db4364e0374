"""Two doors to the same files: the separate tools, and the one tool `filesystem`.

Both take an operation and its arguments, and say what came of it: served, denied, missing or
refused otherwise.
"""

import queue
import re

from servers import Client, end

SERVED, DENIED, MISSING, REFUSED = "served", "denied", "missing", "refused"
OPERATIONS = {
    "read": ("read_text_file", lambda path: {"path": path}),
    "media": ("read_media_file", lambda path: {"path": path}),
    "many": ("read_multiple_files", lambda path: {"paths": [path]}),
    "info": ("get_file_info", lambda path: {"path": path}),
    "write": ("write_file", lambda path: {"path": path, "content": "written\n"}),
    "edit": ("edit_file", lambda path: {"path": path, "edits": [
        {"oldText": "e", "newText": "e."}]}),
    "dry": ("edit_file", lambda path: {"path": path, "dryRun": True, "edits": [
        {"oldText": "e", "newText": "E"}]}),
    "make": ("create_directory", lambda path: {"path": path}),
    "list": ("list_directory", lambda path: {"path": path}),
    "sizes": ("list_directory_with_sizes", lambda path: {"path": path}),
    "tree": ("directory_tree", lambda path: {"path": path}),
    "find": ("search_files", lambda path, pattern="**": {"path": path, "pattern": pattern}),
    "move": ("move_file", lambda source, destination: {"source": source,
                                                       "destination": destination}),
    "copy": ("copy_file", lambda source, destination: {"source": source,
                                                       "destination": destination}),
    "delete": ("delete_file", lambda path: {"path": path}),
    "grep": ("search_content", lambda path, pattern: {"path": path, "pattern": pattern}),
}
EXTRA = {"copy", "delete", "grep"}


class Door:
    """A client of one server; every answer is kept as it came."""

    def __init__(self, command, env, patience):
        self.command, self.env, self.patience = command, env, patience
        self.answers = []
        self.start()

    def start(self):
        self.client = Client(self.command, self.env)
        self.client.begin()
        self.offered = set(self.client.tools())

    def stop(self):
        end(self.client)

    def has(self, operation):
        return OPERATIONS[operation][0] in self.offered

    def request(self, operation, *words):
        tool, arguments = OPERATIONS[operation]
        return tool, arguments(*words)

    def post(self, operation, *words):
        """Sends it, and gives its number."""
        tool, arguments = self.request(operation, *words)
        return self.client.post("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, number):
        """The answer as it came; nothing where none did."""
        try:
            answer = self.client.wait_for(lambda m: m.get("id") == number, self.patience)
        except (queue.Empty, AssertionError, OSError):
            end(self.client)
            self.start()
            return None
        self.answers.append(str(answer))
        return answer

    def ask(self, operation, *words):
        """What came of it, and the text of the answer."""
        try:
            number = self.post(operation, *words)
        except OSError:
            number = 0
        answer = self.answer(number)
        if answer is None:
            return "no answer", ""
        if "error" in answer:
            return REFUSED, answer["error"]["message"]
        result = answer["result"]
        return self.kind(operation, result), self.text(operation, result)

    def text(self, operation, result):
        return "".join(str(block.get("text", block)) for block in result["content"])

    def kind(self, operation, result):
        text = self.text(operation, result)
        failed = result.get("isError")
        if operation == "many" and ": Error - " in text:
            failed, text = True, text.split(": Error - ", 1)[1]
        if not failed:
            return SERVED
        if text.startswith("Access denied"):
            return DENIED
        return MISSING if re.match("ENOENT|ENOTDIR|Parent directory does not", text) else REFUSED


class OneTool(Door):
    """By the tool `filesystem`, as the manual has it."""

    def has(self, operation):
        return operation not in EXTRA

    def request(self, operation, *words):
        method, arguments = OPERATIONS[operation]
        return "filesystem", {"method": method, **arguments(*words)}

    def text(self, operation, result):
        value = result.get("structuredContent") or {}
        value = value.get("result", value)
        if operation == "many" and isinstance(value, list):
            value = value[0]
        if isinstance(value, dict):
            value = value.get("content", value)
        return value if isinstance(value, str) else str(value)

    def kind(self, operation, result):
        value = result.get("structuredContent") or {}
        if operation == "many" and isinstance(value.get("result"), list):
            value = value["result"][0]
        if not (result.get("isError") or value.get("success") is False):
            return SERVED
        error = str(value.get("error"))
        if error.startswith("路径越权"):
            return DENIED
        return MISSING if error.startswith("文件不存在") else REFUSED
