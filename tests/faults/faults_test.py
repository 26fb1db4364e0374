#!/usr/bin/env python3
"""Ordinary faults, with the program itself: a damaged log, a full disk, one that is read-only, no
descriptors left, a data directory that is gone, a certificate that was renewed.

faults_test.py CAIRN [test names…]
"""

import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import CLEAN, PATIENCE, ended, until  # noqa: E402

CAIRN = ""


class Serving:
    """cairn serve, and one client with the owner's token."""

    def __init__(self, data, *options, limit=None):
        def fewer():
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [CAIRN, "serve", "--data", data, "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=self.said, env=CLEAN, preexec_fn=fewer if limit else None)
        greeting = ""
        for line in self.process.stdout:
            greeting += line.decode()
            if line.decode().strip().startswith("curl"):
                break
        found = re.search(r"address +(\S+)", greeting)
        assert found, self.errors()
        self.url = urllib.parse.urlsplit(found.group(1))
        self.token = (pathlib.Path(data) / "owner.token").read_text().strip()

    def errors(self):
        self.said.seek(0)
        return self.said.read().decode()

    def ask(self, method, target, body=None, kind="application/json"):
        """Status and body."""
        link = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=PATIENCE)
        try:
            link.request(method, target, body, {"Authorization": f"Bearer {self.token}", "Content-Type": kind})
            answer = link.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text.startswith(b"{") else text
        finally:
            link.close()

    def tool(self, name, **arguments):
        return self.ask("POST", f"/api/realm/me/tools/{name}", json.dumps(arguments))

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = ended(self.process)
        self.process.stdout.close()
        self.said.close()
        return code


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-faults-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.data = self.dir / "data"

    def run_cairn(self, *words, given=b""):
        return subprocess.run([CAIRN, *words, "--data", str(self.data)], input=given, capture_output=True,
                              env=CLEAN, timeout=PATIENCE)

    def cairn(self, *words, given=b""):
        done = self.run_cairn(*words, given=given)
        self.assertEqual(done.returncode, 0, f"cairn {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout.decode()

    def serve(self, *options, **more):
        server = Serving(str(self.data), *options, **more)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def depot(self, server, title):
        status, made = server.tool("create_depot", title=title)
        self.assertEqual(status, 200, made)
        return made["depotId"]

    def put(self, server, depot, path, content):
        """Written and committed: status and answer of what failed, or of the commit."""
        status, answer = server.ask("PUT", f"/api/realm/me/nodes/fs/{depot}/file?path={path}", content,
                                    "application/octet-stream")
        if status >= 300:
            return status, answer
        return server.tool("depot_commit", depotId=depot, root=answer["newRoot"])


class DamagedLog(Base):
    def test_is_refused_and_repaired_on_request(self):
        self.cairn("depot", "create", "stays")
        self.cairn("depot", "create", "goes")
        server = self.serve()
        link = server.url.geturl()
        for number in range(12):
            name = "stays" if number < 6 else "goes"
            done = subprocess.run([CAIRN, "put", "-", f"{name}:file{number}", "-m", "one more", "--server", link,
                                   "--token", server.token], input=b"x" * 3000, capture_output=True, env=CLEAN)
            self.assertEqual(done.returncode, 0, done.stderr)
        server.stop(signal.SIGKILL)
        log = max((self.data / "store").glob("*.log"), key=lambda file: file.stat().st_size)
        whole = log.read_bytes()
        at = whole.rindex(b"one more") // 2 + whole.index(b"one more") // 2
        log.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
        files = sorted(file.name for file in (self.data / "store").iterdir())
        for words in (["depot", "list"], ["fsck"], ["depot", "log", "stays"]):
            refused = self.run_cairn(*words)
            self.assertEqual(refused.returncode, 6, refused)
            self.assertRegex(refused.stderr.decode(), r"STORE_DAMAGED: .*about \d+ commits.*fsck --repair")
        self.assertEqual(sorted(file.name for file in (self.data / "store").iterdir()), files)
        report = json.loads(self.cairn("fsck", "--repair", "--json"))
        self.assertTrue(report["clean"], report)
        self.assertTrue(report["log"]["repaired"])
        moved = {row["title"]: row for row in report["log"]["movedBack"]}
        self.assertIn("goes", moved)
        self.assertEqual(moved["goes"]["lostCommits"], 6)
        saved = pathlib.Path(report["log"]["saved"])
        self.assertEqual((saved / log.name).read_bytes()[:at], whole[:at])
        left = len(self.cairn("find", "stays", "file*").split())
        self.assertEqual(left + moved.get("stays", {"lostCommits": 0})["lostCommits"], 6, report)
        self.cairn("put", "-", "goes:file", "-m", "on", given=b"y")
        self.assertIn("not damaged", self.cairn("fsck", "--repair"))


class SmallDisk(Base):
    KIND = None

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can mount")
        at = self.dir / "disk"
        at.mkdir()
        if self.KIND == "tmpfs":
            command = f"mount -t tmpfs -o size=32m cairn-test {at}"
        else:
            image = self.dir / "image"
            command = f"truncate -s 32M {image} && mkfs.ext4 -q -m 0 {image} && mount -o loop {image} {at}"
        done = subprocess.run(command, shell=True, capture_output=True)
        if done.returncode != 0:
            self.skipTest(f"cannot mount here: {done.stderr.decode().strip()}")
        self.disk = at
        self.addCleanup(subprocess.run, ["umount", "-l", str(at)])
        self.data = at / "data"


class OnAFullDisk:
    """What a small disk of any kind is put through."""

    def fill(self, server, depot):
        """Until it is refused; what was acknowledged."""
        stored = []
        while True:
            path = f"file{len(stored)}"
            status, answer = self.put(server, depot, path, os.urandom(200_000))
            if status >= 300:
                self.assertEqual((status, self.code(answer)), (507, "STORAGE_FULL"), answer)
                return stored
            stored.append(path)

    def everything_is_there(self, server, depot, stored):
        status, listed = server.tool("fs_ls", nodeKey=depot, limit=1000)
        self.assertEqual(status, 200, listed)
        self.assertEqual({row["name"] for row in listed["children"]}, set(stored))

    def code(self, answer):
        return answer["error"]

    def test_reads_frees_and_goes_on(self):
        server = self.serve()
        depot = self.depot(server, "large")
        small = self.depot(server, "small")
        stored = self.fill(server, depot)
        self.assertGreater(len(stored), 20)
        for path in ("/readyz", "/healthz"):
            status, answer = server.ask("GET", path)
            self.assertEqual((status, self.code(answer)), (507, "STORAGE_FULL"), path)
        self.everything_is_there(server, depot, stored)
        self.assertEqual(server.stop(), 0)
        server = self.serve()  # while it is full
        self.everything_is_there(server, depot, stored)
        target = self.dir / "backup"
        status, answer = server.tool("backup_store", target=str(target))
        self.assertEqual(status, 200, answer)
        status, answer = server.tool("delete_depot", depotId=depot)
        self.assertEqual(status, 200, answer)
        status, answer = server.tool("collect_garbage", grace=0)
        self.assertEqual(status, 200, answer)
        status, answer = self.put(server, small, "again", b"again")
        self.assertLess(status, 300, answer)
        self.assertEqual(server.ask("GET", "/readyz")[0], 200)
        self.assertEqual(server.stop(), 0)
        self.assertIn("clean", self.cairn("fsck"))


class Ext4(OnAFullDisk, SmallDisk):
    KIND = "ext4"

    def test_read_only_it_is_read_and_copied(self):
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:a.txt", "-m", "one", given=b"hello")
        subprocess.run(["mount", "-o", "remount,ro", str(self.disk)], check=True)
        self.assertEqual(self.cairn("cat", "d:a.txt"), "hello")
        self.cairn("export", "d", str(self.dir / "out"))
        self.assertEqual((self.dir / "out" / "a.txt").read_text(), "hello")
        self.cairn("backup", str(self.dir / "backup"))
        refused = self.run_cairn("put", "-", "d:b.txt", "-m", "two", given=b"no")
        self.assertEqual(refused.returncode, 6)
        self.assertIn("STORE_READ_ONLY", refused.stderr.decode())
        subprocess.run(["mount", "-o", "remount,rw", str(self.disk)], check=True)
        self.cairn("put", "-", "d:b.txt", "-m", "two", given=b"yes")


class Tmpfs(OnAFullDisk, SmallDisk):
    KIND = "tmpfs"


class Health(Base):
    def test_says_that_the_data_is_gone(self):
        server = self.serve()
        for path in ("/readyz", "/healthz"):
            self.assertEqual(server.ask("GET", path)[0], 200)
        os.rename(self.data, self.dir / "elsewhere")
        for path in ("/readyz", "/healthz"):
            status, answer = server.ask("GET", path)
            self.assertEqual(status, 500)
            self.assertIn("is gone", json.dumps(answer))
        os.rename(self.dir / "elsewhere", self.data)
        self.assertEqual(server.ask("GET", "/readyz")[0], 200)


class Descriptors(Base):
    def test_used_up_by_others_leave_the_store_its_own(self):
        for limit in (256, 1024):
            with self.subTest(limit=limit):
                self.uses_up(limit)

    def uses_up(self, limit):
        mine, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, max(mine, 4096)), most))
        self.data = self.dir / str(limit)
        server = self.serve(limit=limit)
        depot = self.depot(server, "d")
        links = []
        for _ in range(limit + limit // 2):
            try:
                links.append(socket.create_connection((server.url.hostname, server.url.port), 5))
            except OSError:
                break
        self.assertGreater(len(links), limit - limit // 5)
        for link in links:
            link.close()

        def put(number):
            try:
                return self.put(server, depot, f"f{number}", b"x" * 1000)[0] < 300
            except OSError:
                return False

        # Connections that were closed are seen to be, and then every write is taken.
        until(lambda: put(0))
        for number in range(1, 40):
            self.assertTrue(put(number))
        self.assertEqual(server.stop(), 0)


class HangUp(Base):
    def certificate(self, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", f"/CN={name}", "-keyout", str(self.dir / "key.pem"), "-out",
                        str(self.dir / "cert.pem")], check=True, capture_output=True)

    def shown(self, server):
        """The certificate that a new connection gets."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection((server.url.hostname, server.url.port), PATIENCE) as link:
            with context.wrap_socket(link) as wrapped:
                return wrapped.getpeercert(binary_form=True)

    def test_reads_certificates_and_opens_the_log_anew(self):
        self.certificate("first")
        server = self.serve("--tls-cert", str(self.dir / "cert.pem"), "--tls-key", str(self.dir / "key.pem"),
                            "--log-file", str(self.dir / "requests.log"))
        first = self.shown(server)
        self.certificate("second")
        self.assertEqual(self.shown(server), first)
        os.rename(self.dir / "requests.log", self.dir / "requests.log.1")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: self.shown(server) != first, "another certificate")
        until((self.dir / "requests.log").exists, "a new log")
        # Of no use: it goes on with what it has.
        second = self.shown(server)
        (self.dir / "cert.pem").write_text("nothing")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: "goes on as before" in server.errors(), server.errors)
        self.assertEqual(self.shown(server), second)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    CAIRN = sys.argv.pop(1)
    unittest.main(verbosity=1)
