#!/usr/bin/env python3
"""A clock that is set wrong: nothing that was kept is lost, and nothing lives longer than it was given.

clock_test.py CAIRN [test names…]     The program runs under libfaketime; its monotonic clock stays the machine's.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import CLEAN, PATIENCE, ended  # noqa: E402

CAIRN = ""
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
HOUR, DAY, YEAR = 3_600_000, 86_400_000, 365 * 86_400_000


def now():
    return time.time() * 1000


class Clocks(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-clock-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.shift = self.dir / "shift"
        self.set("+0")
        self.env = {**CLEAN, "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.shift),
                    "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1", "CAIRN_DATA": str(self.dir / "data")}

    def set(self, shift):
        """The machine's clock, from now on."""
        new = self.dir / "shift.new"
        new.write_text(f"{shift}\n")
        os.replace(new, self.shift)

    def cairn(self, *words, given=""):
        done = subprocess.run([CAIRN, *words], input=given, capture_output=True, text=True, env=self.env,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, f"cairn {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def log(self):
        return json.loads(self.cairn("log", "d", "--json"))["entries"]

    def begin(self):
        self.cairn("depot", "create", "d")
        for i in range(3):
            self.cairn("put", "-", "d:f", given=str(i))

    def test_a_year_ahead_between_two_commands_removes_nothing(self):
        self.begin()
        draft = self.cairn("put", "-", f"{self.log()[0]['root']}:draft", given="not committed")
        before = len(json.loads(self.cairn("audit", "--json"))["entries"])
        self.set("+365d")
        self.cairn("put", "-", "d:f", given="a year later")
        self.cairn("gc")
        self.assertEqual(self.cairn("cat", f"{draft}:draft"), "not committed")
        self.assertGreater(len(json.loads(self.cairn("audit", "--json"))["entries"]), before)
        self.assertEqual(len(self.log()), 5)
        # And back: what comes later is later.
        self.set("-1d")
        self.cairn("put", "-", "d:f", given="set right")
        times = [entry["time"] for entry in self.log()]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(self.cairn("cat", "d:f"), "set right")
        depots = [self.cairn("depot", "create", f"d{i}") for i in range(3)]
        self.assertEqual(depots, sorted(depots), "ids in the order in which they were made")

    def test_while_a_server_runs_a_jump_gives_nobody_a_longer_life(self):
        self.begin()
        said = tempfile.TemporaryFile()
        server = subprocess.Popen([CAIRN, "serve", "--listen", "127.0.0.1:0", "--log-format", "none"],
                                  stdout=subprocess.PIPE, stderr=said, text=True, env=self.env)
        self.addCleanup(lambda: (server.send_signal(signal.SIGTERM), ended(server), server.stdout.close(),
                                 said.close()))
        url = None
        for line in server.stdout:
            url = url or (re.search(r"address +(\S+)", line) or [None, None])[1]
            if line.strip().startswith("curl"):
                break
        owner = (self.dir / "data" / "owner.token").read_text().strip()

        def ask(method, path, body=None, token=owner):
            request = urllib.request.Request(f"{url}/api/realm/me/{path}", method=method,
                                             data=None if body is None else json.dumps(body).encode(),
                                             headers={"Authorization": f"Bearer {token}",
                                                      "Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)

        def delegate(name):
            return ask("POST", "delegates", {"name": name, "expiresIn": 3600})

        self.set("+365d")
        ahead = delegate("ahead")
        self.assertLess(ahead["delegate"]["expiresAt"], now() + 2 * HOUR)
        self.set("+0")
        self.assertTrue(ask("GET", "depots", token=ahead["accessToken"])["depots"])
        self.set("-3650d")
        back = delegate("back")
        self.assertGreater(back["delegate"]["expiresAt"], now() + HOUR / 2)
        self.assertLess(back["delegate"]["expiresAt"], now() + 2 * HOUR)
        self.assertTrue(ask("GET", "depots", token=back["accessToken"])["depots"])
        said.seek(0)
        told = said.read().decode()
        self.assertIn("365 days ahead", told)
        self.assertIn("3650 days behind", told)


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    if not os.path.exists(FAKETIME):
        sys.exit("clock_test.py: libfaketime is missing; scripts/install test installs it")
    unittest.main(verbosity=1)
