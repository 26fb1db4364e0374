#!/usr/bin/env python3
"""The official suite's scenarios for authorization servers, with a person who fills in the pages' forms.

conformance_test.py CAIRN [test names…]
"""

import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]
from person import Person  # noqa: E402
from server import Server  # noqa: E402
from waiting import CLEAN, PATIENCE, ended  # noqa: E402

CAIRN = ""
PASSWORD = "correct horse battery staple"
SCENARIOS = ("authorization-server-metadata", "authorization-code-grant")


def a_free_port():
    """The suite listens there; it cannot choose one itself."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Conformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        modules = subprocess.run([HERE.parent / "npm/install"], check=True, capture_output=True,
                                 text=True).stdout.strip()
        cls.suite = [f"{modules}/node_modules/.bin/node",
                     f"{modules}/node_modules/@modelcontextprotocol/conformance/dist/index.js"]
        cls.server = Server(CAIRN)
        cls.server.start()
        cls.addClassCleanup(cls.server.__exit__)
        subprocess.run([CAIRN, "user", "add", "ada", "--password-stdin", "--data", cls.server.data], check=True,
                       input=PASSWORD + "\n", text=True, capture_output=True, env=CLEAN)

    def add_client(self, port, *words):
        done = subprocess.run([CAIRN, "client", "add", "Suite", "--redirect", f"http://127.0.0.1:{port}/callback",
                               "--json", "--data", self.server.data, *words],
                              check=True, capture_output=True, text=True, env=CLEAN)
        return json.loads(done.stdout)

    def run_suite(self, *words):
        """Runs all of it to its end; its checks by their names."""
        out = tempfile.TemporaryDirectory(prefix="cairn-conformance-")
        self.addCleanup(out.cleanup)
        process = subprocess.Popen([*self.suite, "authorization", "--url", self.server.url,
                                    "--output-dir", out.name, *words],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=out.name)
        said = ""
        for line in process.stdout:
            said += line
            # The address that a person is to open stands on a line of its own.
            asked = re.search(rf"({re.escape(self.server.url)}/oauth/authorize\S*)", line)
            if asked:
                ada = Person(self.server.url, "ada", PASSWORD)
                there = ada.answers(asked.group(1))
                self.assertIsInstance(there, str, said)
                # The suite listens for the browser.
                Person(there[:there.index("/callback")], "", "").request("GET", there)
        process.stdout.close()
        self.assertEqual(ended(process), 0, said)
        checks = [check for file in pathlib.Path(out.name).rglob("checks.json")
                  for check in json.loads(file.read_text())]
        self.assertTrue(checks, said)
        self.assertEqual([c for c in checks if c["status"] == "FAILURE"], [], said)
        return {check["id"]: check["status"] for check in checks}

    def test_a_public_client_finds_the_server_and_gets_tokens_for_a_code(self):
        # Of a client with a secret the suite would send none: the server takes public ones as well.
        port = a_free_port()
        client = self.add_client(port)
        checks = self.run_suite("--client-id", client["clientId"], "--resource", self.server.url + "/mcp",
                                "--port", str(port))
        for scenario in SCENARIOS:
            self.assertEqual(checks.get(scenario), "SUCCESS", checks)


if __name__ == "__main__":
    CAIRN = sys.argv.pop(1)
    unittest.main()
