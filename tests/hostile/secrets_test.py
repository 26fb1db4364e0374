#!/usr/bin/env python3
"""Attacks on the secrets of whoever runs Cairn: on the token after a crash, on copies, files and
terminals. Each of them got through once.

secrets_test.py CAIRN [test names…]
"""

import contextlib
import fcntl
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "server")]
import program_test  # noqa: E402
from program_test import Base, Server  # noqa: E402
from sandbox_test import WHY_NOT, SandboxBase  # noqa: E402
from waiting import CLEAN, ended, own_address, until  # noqa: E402

RTL = "\u202e"


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class Listener:
    """Somebody who listens where a server was, answers everything, and notes what was said."""

    def __init__(self, address, status=200, body=b'{"status": "ok", "proof": "of nothing"}'):
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.requests.append(f"{self.requestline}\n{self.headers}")
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(address, Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def url(self):
        return "http://{}:{}".format(*self.server.server_address)

    def heard(self, secret):
        return any(secret in request for request in list(self.requests))

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@contextlib.contextmanager
def held(*directories):
    """The locks of a process that has the store open."""
    handles = [os.open(directory, os.O_RDONLY | os.O_DIRECTORY) for directory in directories]
    for handle in handles:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    yield
    for handle in handles:
        os.close(handle)


class AfterACrash(Base):
    """server.json outlives a killed server, and anybody may listen at its port then."""

    def setUp(self):
        super().setUp()
        server = Server(self.data, listen=f"{own_address()}:0")
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:a", given=b"1")
        self.token = server.token
        host, port = re.fullmatch(r"http://(.*):(\d+)", server.url).groups()
        self.url = server.url
        server.stop(signal.SIGKILL)
        self.thief = Listener((host, int(port)))
        self.addCleanup(self.thief.stop)

    def asked_while_locked(self, *words):
        process = subprocess.Popen([program_test.CAIRN, *words, *self.way], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN)
        with held(self.data, os.path.join(self.data, "store")):
            # Again and again: it has decided by then.
            until(lambda: self.thief.heard(self.token) or len(self.thief.requests) >= 4
                  or process.poll() is not None, lambda: f"questions: {self.thief.requests}")
        out, err = process.communicate()
        self.assertFalse(self.thief.heard(self.token), self.thief.requests)
        return process.returncode, out, err

    def test_a_command_sends_the_token_to_nobody(self):
        self.assertEqual(self.asked_while_locked("cat", "d:a")[:2], (0, b"1"))

    def test_mcp_sends_the_token_to_nobody(self):
        self.assertEqual(self.asked_while_locked("mcp")[0], 0)

    def test_a_url_that_should_be_the_servers_has_to_prove_it(self):
        env = {"CAIRN_DATA": self.data, "CAIRN_TOKEN": self.token}
        done = self.fails(6, "UNAVAILABLE", "ls", "d", "--server", self.url, way=[], env=env)
        self.assertIn("server.json", done.err)
        self.assertFalse(self.thief.heard(self.token))

    def test_what_it_left_is_gone_with_the_next_command(self):
        self.assertEqual(self.cairn("cat", "d:a").text, "1")
        for name in ("server.json", "cairn.sock"):
            self.assertFalse(os.path.lexists(os.path.join(self.data, name)), name)


class TheSocket(Base):
    def serve(self, *options):
        server = Server(self.data, *options)
        self.addCleanup(server.stop)
        return server

    def test_needs_no_token_and_works_with_tls(self):
        key, certificate = str(self.dir / "key.pem"), str(self.dir / "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=elsewhere.example"], check=True, capture_output=True)
        os.chmod(key, 0o600)
        self.serve("--tls-cert", certificate, "--tls-key", key)
        os.remove(os.path.join(self.data, "owner.token"))
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:a", given=b"1")
        self.assertEqual(self.cairn("cat", "d:a").text, "1")
        self.assertIn("owner", self.cairn("user", "list").text)

    def test_is_its_owners_alone_and_goes_with_the_server(self):
        server = self.serve()
        path = os.path.join(self.data, "cairn.sock")
        self.assertTrue(stat.S_ISSOCK(os.lstat(path).st_mode))
        self.assertEqual(mode_of(path), 0o600)
        self.assertEqual(mode_of(os.path.join(self.data, "server.json")), 0o600)
        self.assertEqual(server.stop(), 0)
        self.assertFalse(os.path.lexists(path))

    def test_is_found_however_long_its_path_is(self):
        self.data = str(self.dir / ("d" * 100) / ("e" * 100))
        self.way = ["--data", self.data]
        self.serve()
        os.remove(os.path.join(self.data, "owner.token"))
        self.cairn("depot", "create", "d")
        self.assertIn("d", self.cairn("depot", "list").text)

    def test_a_token_that_is_given_still_decides(self):
        self.serve()
        self.cairn("depot", "create", "d")
        token = self.cairn("delegate", "create", "--name", "r", "--json").json["accessToken"]
        way = ["--server", "unix:" + os.path.join(self.data, "cairn.sock"), "--token", token]
        self.assertIn("d", self.cairn("depot", "list", way=way).text)
        self.fails(7, "DEPOT_MANAGE_NOT_ALLOWED", "depot", "create", "e", way=way)

    @unittest.skipIf(os.geteuid() != 0, "only root can be somebody else")
    def test_other_users_are_not_answered(self):
        self.serve()
        path = os.path.join(self.data, "cairn.sock")
        # Should somebody open everything.
        os.chmod(self.dir, 0o755)
        os.chmod(self.data, 0o755)
        os.chmod(path, 0o666)

        def asked(where):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(where)
                with contextlib.suppress(ConnectionError):
                    client.sendall(b"GET /api/realm/me HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return client.recv(4096)
            return b""

        self.assertIn(b"200 OK", asked(path))
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            # From inside: the directories above may be closed to others.
            os.chdir(self.data)
            os.setgid(65534)
            os.setuid(65534)
            try:
                os.write(theirs, b"<" + asked("cairn.sock") + b">")
            except OSError as error:
                os.write(theirs, str(error).encode())
            os._exit(0)
        os.close(theirs)
        os.waitpid(child, 0)
        with os.fdopen(ours, "rb") as said:
            self.assertEqual(said.read(), b"<>")


class Terminals(Base):
    def test_nothing_from_outside_changes_the_direction_or_commands(self):
        self.cairn("depot", "create", f"t{RTL}itle")
        depot = self.cairn("depot", "list", "--json").json["depots"][0]["depotId"]
        self.cairn("put", "-", f"{depot}:n{RTL}ame\u2066\u009b2J", "-m", f"m{RTL}essage", given=f"x{RTL}y\n".encode())
        for words in (["ls", depot], ["tree", depot], ["find", depot, "*"], ["grep", "x", depot], ["log", depot],
                      ["depot", "list"], ["audit"], ["ls", depot, "--json"], ["log", depot, "--json"],
                      ["depot", "list", "--json"]):
            seen, code = self.on_a_terminal(*words)
            self.assertEqual(code, 0, seen)
            for bad in (RTL, "\u2066", "\u009b"):
                self.assertNotIn(bad.encode(), seen, words)

    def test_json_says_the_same_with_escapes(self):
        self.cairn("depot", "create", "d")
        name = f"n{RTL}\u2066\u009b\x7fé"
        self.cairn("put", "-", f"d:{name}", given=b"")
        done = self.cairn("ls", "d", "--json")
        self.assertEqual(done.json["children"][0]["name"], name)
        self.assertIn("\\u202e", done.text)
        self.assertIn("é", done.text)
        for bad in (RTL, "\u2066", "\u009b"):
            self.assertNotIn(bad, done.text)

    def test_a_servers_error_is_no_command(self):
        body = json.dumps({"error": "NOT_FOUND", "message": f"\x1b[2Jgone\u009b{RTL}\nand more"}).encode()
        hostile = Listener((own_address(), 0), 404, body)
        self.addCleanup(hostile.stop)
        done = self.run_cairn("ls", "d", way=["--server", hostile.url, "--token", "t"])
        self.assertEqual(done.code, 3)
        self.assertIn("gone", done.err)
        for bad in ("\x1b", "\u009b", RTL):
            self.assertNotIn(bad, done.err)


class Files(Base):
    def test_a_directory_of_something_else_is_refused(self):
        home = self.dir / "home"
        home.mkdir(mode=0o755)
        (home / "letter.txt").write_text("dear")
        for words in (["serve", "--listen", "127.0.0.1:0"], ["depot", "create", "d"]):
            done = self.fails(2, "INVALID_ARGUMENT", *words, way=["--data", str(home)])
            self.assertIn("letter.txt", done.err)
        self.assertEqual(os.listdir(home), ["letter.txt"])
        self.assertEqual(mode_of(home), 0o755)

    def test_secrets_that_others_may_read_are_refused(self):
        server = Server(self.data)
        server.stop()
        file = os.path.join(self.data, "owner.token")
        os.chmod(file, 0o644)
        for words in (["token", "show"], ["serve", "--listen", "127.0.0.1:0"]):
            self.assertIn(f"chmod 600 {file}", self.fails(7, "FORBIDDEN", *words).err)
        self.assertIn("chmod 600", self.fails(7, "FORBIDDEN", "ls", "d",
                                              way=["--server", "http://127.0.0.1:1", "--token-file", file]).err)
        os.chmod(file, 0o600)
        secret = self.dir / "secret"
        secret.write_text("a secret that is long enough\n")
        secret.chmod(0o640)
        self.assertIn(f"chmod 600 {secret}",
                      self.fails(7, "FORBIDDEN", "serve", "--listen", "127.0.0.1:0", "--internal-listen",
                                 "127.0.0.1:0", "--internal-secret", str(secret)).err)

    def copies(self):
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:a", given=os.urandom(300_000))
        backup, restored = self.dir / "backup", self.dir / "restored"
        self.cairn("backup", str(backup))
        self.cairn("restore", str(backup), str(restored), way=[])
        return backup, restored

    def test_backups_and_what_is_restored_are_their_owners_alone(self):
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        for copy in self.copies():
            self.assertEqual(mode_of(copy), 0o700)
            for place in copy.rglob("*"):
                self.assertEqual(mode_of(place), 0o700 if place.is_dir() else 0o600, place)

    def test_a_backup_shares_nothing_with_the_store_unless_it_is_asked_to(self):
        backup, _ = self.copies()
        self.assertEqual({file.stat().st_nlink for file in (backup / "store").iterdir()}, {1})
        linked = self.dir / "linked"
        self.cairn("backup", "--link", str(linked))
        self.assertIn(2, {file.stat().st_nlink for file in (linked / "store").iterdir()})
        for one in (backup, linked):
            self.assertIn("clean", self.cairn("backup", "--verify", str(one), way=[]).text)

    def test_a_backup_that_changed_is_told(self):
        backup, _ = self.copies()
        subprocess.run(["sha256sum", "--check", "--quiet", "files.sha256"], cwd=backup, check=True)
        table = max((backup / "store").glob("*.sst"), key=lambda file: file.stat().st_size)
        whole = table.read_bytes()
        table.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
        done = self.fails(6, "STORE_DAMAGED", "backup", "--verify", str(backup), way=[])
        self.assertIn(table.name, done.err)
        table.unlink()
        self.assertIn("missing", self.fails(6, "STORE_DAMAGED", "backup", "--verify", str(backup), way=[]).err)

    def test_a_backup_is_no_data_directory(self):
        backup, _ = self.copies()
        before = sorted(os.listdir(backup / "store"))
        for words in (["serve", "--listen", "127.0.0.1:0"], ["ls", "d"]):
            self.assertIn("cairn restore",
                          self.fails(2, "INVALID_ARGUMENT", *words, way=["--data", str(backup)]).err)
        self.assertEqual(sorted(os.listdir(backup / "store")), before)


class Exports(Base):
    def test_nothing_is_written_through_a_link_that_was_put_there(self):
        server = Server(self.data)
        self.addCleanup(server.stop)
        source = self.dir / "source"
        (source / "sub").mkdir(parents=True)
        for number in range(300):
            (source / f"sub/{number}").write_text("x")
        self.cairn("import", str(source), "d")
        bait, target = self.dir / "bait", self.dir / "target"
        bait.mkdir()
        way = ["--server", server.url, "--token", server.token]
        process = subprocess.Popen([program_test.CAIRN, "export", "d", str(target), *way],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=CLEAN)
        swapped = False
        while process.poll() is None and not swapped:
            with contextlib.suppress(OSError):
                os.rename(target / "sub", target / "moved")
                os.symlink(bait, target / "sub")
                swapped = True
        err = process.communicate()[1].decode()
        self.assertEqual(os.listdir(bait), [], err)
        if swapped:
            self.assertNotEqual(process.returncode, 0, err)

    def test_more_than_there_is_room_for_is_not_begun(self):
        server = Server(self.data)
        self.addCleanup(server.stop)
        self.cairn("depot", "create", "d")
        self.cairn("put", "-", "d:0/f", given=b"x" * 100)
        # Each level has the one before it four times: 16 million files in a few nodes.
        for level in range(1, 13):
            for copy in "abcd":
                self.cairn("cp", f"d:{level - 1}", f"d:{level}/{copy}")
        for way in (self.way, ["--server", server.url, "--token", server.token]):
            target = self.dir / "target"
            done = self.fails(5, "STORAGE_FULL", "export", "d", str(target), way=way)
            self.assertIn("files", done.err)
            self.assertFalse(target.exists())
            self.fails(5, "STORAGE_FULL", "export", "d:4", str(target), "--max-size", "20k", way=way)
            self.cairn("export", "d:4", str(target), "--max-size", "30k", way=way)
            subprocess.run(["rm", "-r", str(target)], check=True)
        mirrored = self.dir / "mirrored"
        mirrored.mkdir()
        self.fails(5, "STORAGE_FULL", "mirror", str(mirrored), "d")
        self.assertEqual([name for name in os.listdir(mirrored) if not name.startswith(".")], [])


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Sandboxes(SandboxBase):
    def test_the_callers_environment_is_nowhere_inside(self):
        done = self.sandbox("d", "--yes", command=["sh", "-c", "cat /proc/*/environ > seen.txt; true"],
                            env={"MY_API_KEY": "sk-123"})
        self.assertEqual(done.code, 0, done.err)
        seen = self.cairn("cat", "d:seen.txt").out
        self.assertNotIn(b"sk-123", seen)
        self.assertNotIn(b"XDG_RUNTIME_DIR", seen)
        self.assertIn(b"HOME=/tmp/home", seen)

    def test_a_command_ends_when_its_time_is_over(self):
        began = time.monotonic()
        done = self.sandbox("d", "--yes", "--time", "1s", command=["sh", "-c", "sleep 1000"])
        self.assertEqual(done.code, 0 if "nothing changed" in done.err else 1, done.err)
        self.assertIn("--time 1s is over", done.err)
        self.assertLess(time.monotonic() - began, 100)

    def test_memory_is_bounded(self):
        self.sandbox("d", "--yes", "--memory", "100M", command=["sh", "-c", "echo fine > small.txt"])
        self.assertEqual(self.cairn("cat", "d:small.txt").line, "fine")
        script = "x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x} > size.txt"
        self.sandbox("d", "--yes", "--memory", "100M", command=["sh", "-c", script])
        self.assertNotEqual(self.run_cairn("cat", "d:size.txt").line, "300000000")
        self.sandbox("d", "--yes", "--memory", "100M",
                     command=["sh", "-c", "head -c 300000000 /dev/zero > /tmp/big; stat -c %s /tmp/big > size.txt"])
        self.assertNotEqual(self.run_cairn("cat", "d:size.txt").line, "300000000")

    def test_memory_is_bounded_however_many_take_it(self):
        # None of them has more than it may.
        hog = "(x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 1000) & "
        done = self.sandbox("d", "--yes", "--memory", "200M", "--time", "10m", command=["sh", "-c", hog * 6 + "wait"])
        self.assertIn("--memory", done.err)
        self.sandbox("d", "--yes", "--memory", "200M", command=["sh", "-c", "sleep 1; echo fine > small.txt"])
        self.assertEqual(self.cairn("cat", "d:small.txt").line, "fine")

    def test_processes_are_bounded_whoever_starts_them(self):
        script = "i=0; while [ $i -lt {} ]; do sleep 1000 & i=$((i+1)); done; {}"
        done = self.sandbox("d", "--yes", "--processes", "20", "--time", "10m",
                            command=["sh", "-c", script.format(40, "wait")])
        # Others than root are not given more of them in the first place.
        self.assertIn("--processes" if os.geteuid() == 0 else "", done.err)
        self.assertNotIn("--time 10m is over", done.err)
        self.sandbox("d", "--yes", "--processes", "20",
                     command=["sh", "-c", script.format(10, "sleep 1; echo fine > small.txt; exit 0")])
        self.assertEqual(self.cairn("cat", "d:small.txt").line, "fine")


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
