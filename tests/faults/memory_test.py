#!/usr/bin/env python3
"""A server in little memory: it serves, searches, collects garbage and checks its store, and holds no more than its
budget and what one call needs.

memory_test.py CAIRN [test names…]

CAIRN_MEMORY and not --memory says how much: a program that does not know it is measured all the same.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
import waiting  # noqa: E402
from server import Server  # noqa: E402

CAIRN = ""
BUDGET = 64_000_000
MIB = 1 << 20
# A quarter of it is the usual budget. What the kernel holds for it and cannot drop counts, too.
MACHINE = 256 * MIB
LARGE_FILES, LARGE_FILE = 8, 10_000_000
SMALL_FILES, FILES_IN_A_DIRECTORY = 20_000, 100


def small_files(directory, words):
    for number in range(SMALL_FILES):
        where = directory / f"d{number // FILES_IN_A_DIRECTORY:03}"
        if number % FILES_IN_A_DIRECTORY == 0:
            where.mkdir(parents=True)
        (where / f"f{number}.txt").write_text(f"{words} {number}\nneedle{number % 1000}\n")


def large_document():
    """A JSON text of 24 MB."""
    rows = ",".join(json.dumps({"id": number, "name": f"record {number}", "tags": ["a", "b"], "on": True})
                    for number in range(1000))
    return ("[" + ",".join([rows] * (24_000_000 // (len(rows) + 1))) + "]").encode()


def small_document():
    return {f"k{number}": {"name": f"item {number}", "count": number, "tags": ["a", "b"]} for number in range(220)}


def at_once(count, work):
    """Calls work(0), work(1)… in threads; the first failure is raised."""
    failed = []

    def one(number):
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


class Memory(unittest.TestCase):
    def client(self, server):
        client = server.client()
        self.addCleanup(lambda: client.connection and client.connection.close())
        return client

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-memory-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        waiting.CLEAN["CAIRN_MEMORY"] = str(BUDGET)
        self.addCleanup(waiting.CLEAN.pop, "CAIRN_MEMORY")

    def held(self, server, what):
        """Bytes of /proc/PID/status: VmHWM, the most there ever were; RssAnon, what the program itself has now."""
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", status).group(1)) * 1024

    def put(self, client, depot, path, content):
        status, _, answer = client.request("PUT", f"/api/realm/me/nodes/fs/{depot}/file?path={path}", content,
                                           {"Content-Type": "application/octet-stream"})
        self.assertEqual(status, 200, answer)
        client.call("depot_commit", depotId=depot, root=json.loads(answer)["newRoot"])

    def import_small_files(self, server, title):
        tree = self.dir / title
        small_files(tree, title)
        done = subprocess.run([CAIRN, "--data", server.data, "import", str(tree), title], capture_output=True,
                              env=waiting.CLEAN)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.rmtree(tree)

    def read_in_parallel(self, server, depot):
        """Each large file five times, forty at once: 400 MB."""

        def read(number):
            client = self.client(server)
            status, _, content = client.request("GET", f"/api/realm/me/nodes/fs/{depot}/file?path="
                                                       f"large{number % LARGE_FILES}")
            self.assertEqual((status, len(content)), (200, LARGE_FILE))

        at_once(5 * LARGE_FILES, read)

    def update_documents(self, server):
        def update(number):
            client = self.client(server)
            depot = client.call("create_depot", title=f"documents {number}")["depotId"]
            self.put(client, depot, "data.json", json.dumps(small_document()).encode())
            for count in range(300):
                client.call("json_update", depotId=depot, path="data.json", items={f"k{count % 220}": {"count": -count}})

        at_once(4, update)

    def test_is_bounded_whatever_is_done(self):
        server = Server(CAIRN)
        self.import_small_files(server, "kept")
        self.import_small_files(server, "garbage")
        with server:
            client = self.client(server)
            depots = {depot["title"]: depot["depotId"] for depot in client.call("list_depots")["depots"]}
            large = client.call("create_depot", title="large")["depotId"]
            for number in range(LARGE_FILES):
                self.put(client, large, f"large{number}", os.urandom(LARGE_FILE))
            self.put(client, large, "large.json", large_document())
            self.read_in_parallel(server, large)
            self.update_documents(server)
            found = client.call("fs_grep", nodeKey=depots["kept"], pattern="needle77$", maxResults=1000)
            self.assertEqual(found["matches"], SMALL_FILES // 1000, found)
            answer = client.call("json_query", depotId=large, path="large.json", expression="[999].name")
            self.assertEqual(answer["result"], "record 999")
            client.call("delete_depot", depotId=depots["garbage"])
            removed = client.call("collect_garbage", grace=0)
            self.assertGreater(removed["removed"], SMALL_FILES, removed)
            checked = client.call("check_store")
            self.assertTrue(checked["clean"], checked)
            self.assertGreater(checked["nodes"], SMALL_FILES)
            self.assertLess(self.held(server, "VmHWM") / MIB, 0.85 * MACHINE / MIB)
            self.assertLess(self.held(server, "RssAnon") / MIB, BUDGET * 1.5 / MIB)
            self.assertEqual(server.stop(), 0)

    def test_too_little_or_too_much_is_refused(self):
        for given, words in (("1K", "not enough; give at least 64MB"), ("lots", "'lots' is not a size"),
                             ("1000TB", "more than the")):
            done = subprocess.run([CAIRN, "serve", "--data", str(self.dir / "data"), "--memory", given],
                                  capture_output=True, env=waiting.CLEAN, timeout=waiting.PATIENCE)
            self.assertEqual(done.returncode, 2, done)
            self.assertRegex(done.stderr.decode(), f"INVALID_ARGUMENT: --memory: .*{words}")


if __name__ == "__main__":
    CAIRN = sys.argv.pop(1)
    unittest.main(verbosity=1)
