"""A client at the other end of a program that speaks MCP on its standard input and output."""

import json
import pathlib
import queue
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import CLEAN, PATIENCE, ended  # noqa: E402

MODERN = "2026-07-28"
ABOUT_ME = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


class Client:
    """Every line the program writes has to be one message; those nobody waited for are kept."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**CLEAN, **(env or {})})
        self.lines = queue.Queue()
        self.kept = []
        self.next_id = 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def post(self, method, params=None):
        """Sends a request, and gives its id."""
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}})
        return self.next_id

    def next(self, timeout=PATIENCE):
        """The next message; None at the end."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            self.lines.put(None)
            return None
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            assert one["jsonrpc"] == "2.0", line
        return message

    def wait_for(self, fits, timeout=PATIENCE):
        for i, message in enumerate(self.kept):
            if fits(message):
                return self.kept.pop(i)
        while True:
            message = self.next(timeout)
            assert message is not None, "the program ended: " + self.process.stderr.read().decode()
            if fits(message):
                return message
            self.kept.append(message)

    def answer(self, number):
        return self.wait_for(lambda m: isinstance(m, dict) and m.get("id") == number and
                             ("result" in m or "error" in m))

    def notification(self, method, timeout=PATIENCE):
        return self.wait_for(lambda m: isinstance(m, dict) and m.get("method") == method, timeout)

    def ask(self, method, params=None):
        answer = self.answer(self.post(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def refused(self, method, params=None):
        answer = self.answer(self.post(method, params))
        assert "error" in answer, answer
        return answer["error"]

    def ask_modern(self, method, **params):
        return self.ask(method, {**params, "_meta": ABOUT_ME})

    def begin(self, revision="2025-11-25"):
        result = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return result

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result["structuredContent"]

    def tools(self):
        return [tool["name"] for tool in self.ask("tools/list")["tools"]]

    def leave(self):
        """Ends the input; the exit code and what was said on standard error."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = ended(self.process)
        self.reader.join(PATIENCE)
        err = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, err

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        if not self.process.stderr.closed:
            self.leave()
