#!/usr/bin/env python3
"""A damaged node, with the program itself: what is told of it, what goes on, and what makes it whole again.

heal_test.py CAIRN [test names…]
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
import faults_test  # noqa: E402
from waiting import CLEAN, PATIENCE, ended, until  # noqa: E402


class Base(faults_test.Base):
    """A depot of three files, in blobs."""

    def setUp(self):
        super().setUp()
        self.source = self.dir / "source"
        (self.source / "docs").mkdir(parents=True)
        # Not to be compressed, and together so large that they are written out of the log.
        self.files = {"docs/bad": os.urandom(3000), "docs/good": os.urandom(3000), "large": os.urandom(5_000_000)}
        for path, content in self.files.items():
            (self.source / path).write_bytes(content)
        self.cairn("import", str(self.source), "d")

    def damage(self, content):
        """A byte of it, wherever it lies below the store."""
        for file in (self.data / "store").glob("*.blob"):
            whole = file.read_bytes()
            at = whole.find(content[1000:1100])
            if at >= 0:
                file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
                return
        self.fail("the content is in no blob")

    def said(self, words, code=6):
        done = self.run_cairn(*words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout) if "--json" in words else done.stdout.decode() + done.stderr.decode()

    def check(self):
        return self.said(["fsck", "--json"])

    def is_whole(self):
        self.assertIn("clean", self.cairn("fsck"))
        out = self.dir / f"whole{len(list(self.dir.iterdir()))}"
        self.cairn("export", "d", str(out))
        for path, content in self.files.items():
            self.assertEqual((out / path).read_bytes(), content)


class Damaged(Base):
    """One of the files has a flipped byte, and there is a backup from before."""

    def setUp(self):
        super().setUp()
        self.backup = self.dir / "backup"
        self.cairn("backup", str(self.backup))
        # The backup has links to the same files: as if it were elsewhere.
        for file in (self.backup / "store").iterdir():
            content = file.read_bytes()
            file.unlink()
            file.write_bytes(content)
        self.damage(self.files["docs/bad"])

    def test_is_whole_when_the_same_content_is_written_again(self):
        self.assertIn("CORRUPT_NODE", self.said(["cat", "d:docs/bad"]))
        (self.dir / "bad").write_bytes(self.files["docs/bad"])
        self.cairn("put", str(self.dir / "bad"), "d:docs/bad", "-m", "again")
        self.is_whole()

    def test_is_listed_by_an_export_that_goes_on(self):
        server = None
        for way in ("here", "server"):
            out = self.dir / way
            words = ["export", "d", str(out), "--json"]
            if way == "server":
                server = self.serve()
            report = self.said(words)
            self.assertEqual([row["path"] for row in report["damaged"]], ["docs/bad"])
            self.assertEqual((report["files"], report["damagedCount"]), (2, 1))
            self.assertFalse((out / "docs/bad").exists())
            self.assertEqual(sorted(file.name for file in (out / "docs").iterdir()), ["good"])
            self.assertEqual((out / "large").read_bytes(), self.files["large"])
        shutil.rmtree(out)
        self.assertRegex(self.said(["export", "d", str(out)]), r"damaged  docs/bad: (.*\n)*.*1 path was left out")
        server.stop()

    def test_in_the_middle_of_a_large_file_the_export_goes_on_too(self):
        self.damage(self.files["large"][2_500_000:])
        for way in ("here", "server"):
            if way == "server":
                self.serve()
            report = self.said(["export", "d", str(self.dir / way), "--json"])
            self.assertEqual(sorted(row["path"] for row in report["damaged"]), ["docs/bad", "large"])
            self.assertEqual((self.dir / way / "docs/good").read_bytes(), self.files["docs/good"])

    def test_that_is_known_is_told_by_a_backup(self):
        # Nobody has looked yet, and a backup does not.
        self.cairn("backup", str(self.dir / "unaware"))
        report = self.check()
        self.assertEqual(report["problems"][0]["paths"][0].split(": ")[1], "docs/bad")
        made = self.said(["backup", str(self.dir / "aware"), "--json"])
        self.assertEqual([row["key"] for row in made["damaged"]], [report["problems"][0]["key"]])
        self.assertIn(report["problems"][0]["key"], (self.dir / "aware/DAMAGED").read_text())
        restored = self.cairn("restore", str(self.dir / "aware"), str(self.dir / "restored"))
        self.assertIn("restored", restored)
        self.cairn("fsck", "--repair", "--from", str(self.backup))
        self.cairn("backup", str(self.dir / "healed"))
        self.assertFalse((self.dir / "healed/DAMAGED").exists())

    def test_that_a_reader_met_is_told_by_a_backup(self):
        server = self.serve()
        self.said(["cat", "d:docs/bad"])
        made = self.said(["backup", str(self.dir / "aware"), "--json"])
        self.assertEqual(made["damagedCount"], 1)
        server.stop()

    def test_heals_from_a_backup(self):
        before = {file: file.stat().st_mtime_ns for file in self.backup.rglob("*")}
        report = json.loads(self.cairn("fsck", "--repair", "--from", str(self.backup), "--json"))
        self.assertEqual((report["healedCount"], report["clean"]), (1, True))
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.backup.rglob("*")}, before)
        self.is_whole()

    def test_heals_from_files(self):
        self.damage(self.files["large"][2_500_000:])
        report = json.loads(self.cairn("fsck", "--repair", "--from", str(self.source), "--json"))
        self.assertEqual((report["healedCount"], report["clean"]), (2, True))
        self.is_whole()

    def test_heals_from_a_server(self):
        self.damage(self.files["large"][2_500_000:])
        self.cairn("restore", str(self.backup), str(self.dir / "other"))
        self.data, here = self.dir / "other", self.data
        server = self.serve()
        self.data = here
        url = server.url.geturl()
        self.assertIn("--token", self.said(["fsck", "--repair", "--from", url], 7))
        self.said(["fsck", "--repair", "--from", url, "--token", "wrong"], 7)
        report = json.loads(self.cairn("fsck", "--repair", "--from", url, "--token", server.token, "--json"))
        self.assertEqual((report["healedCount"], report["clean"]), (2, True))
        self.is_whole()

    def test_that_cannot_be_healed_is_named(self):
        empty = self.dir / "empty"
        empty.mkdir()
        for words in (["fsck", "--repair"], ["fsck", "--repair", "--from", str(empty)]):
            said = self.said(words)
            self.assertRegex(said, r"corrupt  nod_\w+ .*\n  d \(dpt_\w+\): docs/bad\n")
            self.assertIn("1 problem", said)
        self.said(["fsck", "--repair", "--from", str(self.dir / "nowhere")], 3)
        self.said(["fsck", "--repair", "--from", str(self.source / "large")], 2)
        self.said(["fsck", "--from", str(self.backup)], 2)
        (self.backup / "cairn-backup").write_text("Cairn backup, format 2\n")
        self.assertIn("newer", self.said(["fsck", "--repair", "--from", str(self.backup)]))
        self.assertIn("newer", self.said(["restore", str(self.backup), str(self.dir / "new")]))

    def test_repairing_needs_the_store_for_itself(self):
        self.serve()
        self.assertIn("STORE_LOCKED", self.said(["fsck", "--repair", "--from", str(self.backup)]))


class DamagedTable(faults_test.Base):
    """Blocks of the tables themselves: many small files, and many commits."""

    FILES = 3000

    def setUp(self):
        super().setUp()
        self.source = self.dir / "source"
        for number in range(self.FILES):
            path = self.source / f"d{number % 30:02}" / f"f{number:04}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(100))
        self.cairn("import", str(self.source), "d")
        server = self.serve()
        depot = self.depot(server, "commits")
        for number in range(300):
            status, answer = server.ask("PUT", f"/api/realm/me/nodes/fs/{depot}/file?path=f", b"%d" % number,
                                        "application/octet-stream")
            self.assertEqual(status, 200, answer)
            self.assertEqual(server.tool("depot_commit", depotId=depot, root=answer["newRoot"], message="marked")[0], 200)
        server.stop()
        # Which writes all tables out of the log. Its files are its own.
        self.backup = self.dir / "backup"
        self.cairn("backup", str(self.backup))

    def damage(self, holds):
        """A bit in the middle of what a table has of something."""
        for file in sorted((self.data / "store").glob("*.sst"), key=lambda file: -file.stat().st_size):
            whole = file.read_bytes()
            if holds not in whole:
                continue
            at = (whole.index(holds) + whole.rindex(holds)) // 2
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            return
        self.fail("it is in no table")

    def repair(self, code, *more):
        done = self.run_cairn("fsck", "--repair", *more, "--json")
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def is_in_nobodys_way(self):
        self.assertFalse(self.repair(0)["tables"]["repaired"])
        for words in (["depot", "create", "more"], ["import", str(self.source), "more"], ["depot", "delete", "more", "--yes"],
                      ["gc", "--grace", "0"], ["fsck"]):
            self.cairn(*words)

    def test_of_nodes_is_written_anew_and_healed(self):
        self.damage((self.source / "d07" / "f0007").read_bytes())
        report = self.run_cairn("fsck", "--json")
        self.assertEqual(report.returncode, 6, report)
        report = self.repair(0, "--from", str(self.backup))
        self.assertTrue(report["tables"]["repaired"])
        self.assertGreater(report["healedCount"], 0)
        self.assertTrue((pathlib.Path(report["tables"]["saved"]) / "CURRENT").exists())
        self.cairn("export", "d", str(self.dir / "out"))
        for path in self.source.rglob("f*"):
            self.assertEqual((self.dir / "out" / path.relative_to(self.source)).read_bytes(), path.read_bytes())
        self.is_in_nobodys_way()

    def test_of_nodes_that_nobody_has_is_named(self):
        self.damage((self.source / "d07" / "f0007").read_bytes())
        report = self.repair(6)
        self.assertGreater(report["problemCount"], 0)
        self.assertTrue(any(row["paths"] for row in report["problems"]), report)
        self.assertFalse(self.repair(6)["tables"]["repaired"])
        # As soon as the same content comes again. (What else was in that block nobody may have.)
        self.cairn("import", str(self.source), "again")
        self.cairn("export", "d", str(self.dir / "out"))

    def test_of_records_says_between_which(self):
        self.damage(b"marked")
        report = self.repair(6)
        lost = report["tables"]["lostRecords"]
        self.assertEqual(len(lost), 1)
        for end in ("after", "before"):
            self.assertRegex(lost[0][end], r"^commit #\d+ of dpt_")
        self.assertFalse(report["clean"])
        self.assertEqual(report["problems"], [])
        self.assertEqual(self.cairn("cat", "commits:f"), "299")
        self.cairn("export", "d", str(self.dir / "out"))
        self.is_in_nobodys_way()


class Checking(Base):
    """Of a store that takes a while to check: it has many small files."""

    def setUp(self):
        super().setUp()
        many = self.dir / "many"
        for number in range(4000):
            path = many / f"d{number % 40}" / f"f{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"%d" % number * 40)
        self.cairn("import", str(many), "many")

    def stream(self, server):
        """The rows of a check, as they come."""
        process = subprocess.Popen(
            ["curl", "-sN", "-X", "POST", "-H", f"Authorization: Bearer {server.token}", "-H",
             "Accept: application/x-ndjson", "-H", "Content-Type: application/json", "-d", "{}",
             server.url.geturl() + "/api/realm/me/tools/check_store"], stdout=subprocess.PIPE, env=CLEAN)
        self.addCleanup(process.stdout.close)
        return process

    def test_ends_with_the_server_and_says_where(self):
        server = self.serve()
        client = self.stream(server)
        os.kill(server.process.pid, signal.SIGTERM)
        self.assertEqual(ended(server.process), 0)
        rows = [json.loads(line) for line in client.stdout if line.strip()]
        ended(client)
        # It had not begun, was ended, or had come to its end; never half of an answer.
        if rows and "summary" in rows[-1]:
            summary = rows[-1]["summary"]
            self.assertEqual(summary["complete"], summary["clean"])

    def test_interrupted_says_how_to_go_on(self):
        self.damage(self.files["docs/bad"])
        process = subprocess.Popen([faults_test.CAIRN, "fsck", "--data", str(self.data)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=CLEAN)
        lock = self.data / "store" / "LOCK"
        until(lambda: self.has_open(process, lock) or process.poll() is not None, "fsck has the store open", 0.001)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
        if process.returncode == 6:
            return  # it was quicker
        self.assertEqual(process.returncode, 130, said)
        if found := said.decode().rpartition("--resume ")[2].strip():
            if found.startswith("nod_"):
                report = self.said(["fsck", "--resume", found, "--json"])
                self.assertEqual(len(report["problems"]), 1)
                self.assertEqual(report["problems"][0]["paths"][0].split(": ")[1], "docs/bad")

    def has_open(self, process, file):
        try:
            return any(os.path.realpath(f"/proc/{process.pid}/fd/{fd}") == str(file)
                       for fd in os.listdir(f"/proc/{process.pid}/fd"))
        except OSError:
            return False

    def test_goes_on_from_a_position_here_and_over_a_server(self):
        self.damage(self.files["docs/bad"])
        whole = self.check()
        bad = whole["problems"][0]["key"]
        for way in ("here", "server"):
            if way == "server":
                self.serve()
            report = self.said(["fsck", "--resume", f"{bad},{bad}", "--json"])
            self.assertEqual([row["key"] for row in report["problems"]], [bad])
            self.assertLess(report["nodes"], whole["nodes"])
            self.assertTrue(report["complete"])
            self.said(["fsck", "--resume", "nod_x"], 2)


if __name__ == "__main__":
    faults_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
