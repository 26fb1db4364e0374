"""A cairn server of its own for a test: started on a free port, talked to, killed, stopped."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

from waiting import CLEAN, PATIENCE, ended, until


class Server:
    """Starts on enter, stops on exit; keeps its data directory over restarts."""

    def __init__(self, cairn, *options):
        self.cairn = cairn
        self.options = list(options)
        self.listen = "127.0.0.1:0"
        self.data = tempfile.mkdtemp(prefix="cairn-test-")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)

    def start(self):
        state = os.path.join(self.data, "server.json")
        if os.path.exists(state):
            os.remove(state)
        self.process = subprocess.Popen(
            [self.cairn, "serve", "--data", self.data, "--listen", self.listen,
             *([] if "--log-format" in self.options else ["--log-format", "none"]), *self.options],
            stdout=subprocess.DEVNULL, env=CLEAN)
        began = time.monotonic()

        def running():
            assert self.process.poll() is None, "the server did not start"
            try:
                with open(state) as file:
                    return json.load(file)["url"]
            except (OSError, ValueError):
                return None

        self.url = until(running, "a server")
        self.started_in = time.monotonic() - began
        where = urllib.parse.urlsplit(self.url)
        self.host, self.port = where.hostname, where.port
        with open(os.path.join(self.data, "owner.token")) as file:
            self.token = file.read().strip()

    def stop(self):
        """Asks it to stop; its exit code."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return ended(self.process) if self.process else 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def rss(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def cpu(self):
        """Seconds of processors that it has used."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def client(self, token=None):
        return Client(self, self.token if token is None else token)


class Failed(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.code = body.get("error") if isinstance(body, dict) else None
        self.details = body.get("details", {}) if isinstance(body, dict) else {}


class Client:
    """One keep-alive connection."""

    def __init__(self, server, token):
        self.server, self.token, self.connection = server, token, None

    def request(self, method, target, body=None, headers=None):
        """Status, headers and body of the answer."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.server.host, self.server.port,
                                                         timeout=PATIENCE)
        head = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        head.update(headers or {})
        try:
            self.connection.request(method, target, body, head)
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def call(self, tool, **arguments):
        status, _, body = self.request("POST", f"/api/realm/me/tools/{tool}",
                                       json.dumps(arguments),
                                       {"Content-Type": "application/json"})
        value = json.loads(body)
        if status >= 400:
            raise Failed(status, value)
        return value


class Report:
    """Counts what was checked, and says the closing line."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, condition, *seen):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}", *[repr(s)[:500] for s in seen], file=sys.stderr)
        return condition

    def done(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)
