#!/usr/bin/env python3
"""Directories of the server's machine over HTTP: directory_http_test.py CAIRN

The file tools and the tool `filesystem` at `cairn serve --root`, near and far: who may use which
directory, that others do not exist, and that nothing leads out.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from scene import CLEAN, PATIENCE, Agent, FarStdio, Scene, main  # noqa: E402
from ways import LegacyHttp, ModernHttp  # noqa: E402


def at(kind, target):
    class Way(kind):
        def __init__(self, server, token=None):
            super().__init__(server, token)
            self.target = target

    return Way


class Directories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cairn = str(pathlib.Path(sys.argv[1]).resolve())
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="cairn-directories-"))
        for name in ("notes", "logs"):
            (cls.base / name).mkdir()
            (cls.base / name / "a.txt").write_text(f"in {name}\n")
        cls.scene = Scene(cls.cairn, "--root", f"notes={cls.base / 'notes'}",
                          "--read-only-root", f"logs={cls.base / 'logs'}")

    @classmethod
    def tearDownClass(cls):
        code = cls.scene.close()
        shutil.rmtree(cls.base)
        assert code == 0, code

    def agent(self, target, token=None, kind=ModernHttp):
        agent = Agent(at(kind, target)(self.scene.server, token))
        self.scene.open.append(agent)
        return agent

    def token(self, *grants):
        return self.scene.delegate(directories=[
            {"name": name, "write": write} for name, write in grants])[0]

    def status(self, target, token):
        """Of a listing of tools, and what is said."""
        client = self.scene.server.client(token)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        status, _, said = client.request("POST", target, json.dumps(body), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
        client.connection.close()
        return status, said

    def cli(self, *words, token=None, **more):
        env = {**CLEAN, **({"CAIRN_TOKEN": token} if token else {})}
        return subprocess.run([self.cairn, *words], env=env, capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL, **more)

    def test_the_file_tools_on_a_directory(self):
        for kind in (ModernHttp, LegacyHttp):
            agent = self.agent("/mcp/directories/notes", kind=kind)
            self.assertIn("delete_file", agent.tools())
            self.assertNotIn("undo", agent.tools())
            self.assertEqual(agent.read("a.txt"), "in notes\n")
            agent.write("new.txt", "1\n")
            self.assertEqual((self.base / "notes/new.txt").read_text(), "1\n")
            agent.call("delete_file", path="new.txt", dryRun=True)
            self.assertTrue((self.base / "notes/new.txt").exists())
            agent.call("delete_file", path="new.txt")
            self.assertFalse((self.base / "notes/new.txt").exists())
            self.assertIn("Access denied", agent.error("read_text_file", path="../logs/a.txt"))
            self.assertIn("Access denied", agent.error("read_text_file", path="/etc/passwd"))

    def test_rights(self):
        reader, writer, nobody = (self.token(("notes", False)), self.token(("notes", True)),
                                  self.scene.delegate(canUpload=True)[0])
        agent = self.agent("/mcp/directories/notes", reader)
        self.assertEqual(agent.read("a.txt"), "in notes\n")
        self.assertNotIn("write_file", agent.tools())
        self.assertIn("may only read", agent.error("write_file", path="x", content="x"))
        self.agent("/mcp/directories/notes", writer).write("w.txt", "w")
        os.unlink(self.base / "notes/w.txt")
        # What one may not use does not exist.
        for token in (reader, nobody):
            status, said = self.status("/mcp/directories/logs", token)
            other, nothing = self.status("/mcp/directories/lags", token)
            self.assertEqual((status, other), (404, 404))
            self.assertEqual(*(re.sub(rb'"requestId":"\w+"|l[oa]gs', b"", answer)
                               for answer in (said, nothing)))
        self.assertEqual(self.status("/mcp/directories/notes", nobody)[0], 404)
        self.assertEqual(self.status("/mcp/directories/notes", "wrong")[0], 401)
        # Nobody writes where the server only reads.
        owner = self.agent("/mcp/directories/logs")
        self.assertNotIn("write_file", owner.tools())
        self.assertIn("read-only", owner.error("write_file", path="x", content="x"))

    def test_a_right_that_ends_is_gone_at_once(self):
        token, delegate = self.scene.delegate(directories=[{"name": "notes"}])
        agent = self.agent("/mcp/directories/notes", token)
        agent.read("a.txt")
        self.scene.tool("revoke_delegate", delegateId=delegate)
        self.assertEqual(self.status("/mcp/directories/notes", token)[0], 401)

    def test_users(self):
        user = self.scene.tool("add_user", name="ada")
        self.assertEqual(self.status("/mcp/directories/notes", user["accessToken"])[0], 404)
        done = self.cli("user", "directories", "ada", "--directory", "notes", "--server",
                        self.scene.server.url, token=self.scene.server.token)
        self.assertEqual(done.returncode, 0, done.stderr)
        agent = self.agent("/mcp/directories/notes", user["accessToken"])
        self.assertEqual(agent.read("a.txt"), "in notes\n")
        self.assertNotIn("write_file", agent.tools())

    def test_filesystem_on_all(self):
        agent = self.agent("/mcp?toolsets=filesystem")
        self.assertEqual(agent.tools(), ["filesystem"])
        listed = agent.call("filesystem", method="list_allowed_directories")
        self.assertEqual(sorted(listed["result"]),
                         [str(self.base / "logs"), str(self.base / "notes")])
        self.assertIn("name one of logs, notes",
                      agent.error("filesystem", method="read_text_file", path="a.txt"))
        self.assertEqual(agent.call("filesystem", method="read_text_file", path="a.txt",
                                    directory="logs"), {"result": "in logs\n"})
        # With one it is as its manual has it.
        one = self.agent("/mcp?toolsets=filesystem", self.token(("notes", True)))
        self.assertEqual(one.call("filesystem", method="write_file", path="r/role.md",
                                  content="12"), {"bytesWritten": 2, "path": "r/role.md"})
        self.assertEqual(one.call("filesystem", method="create_directory", path="r/s"),
                         {"created": str(self.base / "notes/r/s")})
        shutil.rmtree(self.base / "notes/r")
        # Beside others, and also where they are named.
        self.assertLess({"filesystem", "fs_read"},
                        set(self.agent("/mcp?toolsets=default,filesystem").tools()))
        self.assertEqual(self.agent("/mcp?tools=filesystem,fs_ls").tools(),
                         ["fs_ls", "filesystem"])
        self.assertEqual(self.status("/mcp?toolsets=filesystem",
                                     self.scene.delegate(canUpload=True)[0])[0], 404)
        self.assertEqual(self.agent("/mcp/directories/notes?tools=filesystem").tools(),
                         ["filesystem"])

    def test_what_is_read_is_bounded(self):
        """As in a depot; the tools on standard input give what the reference server gives."""
        line = "x" * 99 + "\n"
        text, media = 3 << 20, 6 << 20
        (self.base / "notes/big.txt").write_text(line * (text // 100))
        (self.base / "notes/big.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * media)
        (self.base / "notes/small.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * (3 << 20))
        for name in ("p1.txt", "p2.txt", "p3.txt"):
            (self.base / "notes" / name).write_text(line * 5000)
        calls = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                             "clientInfo": {"name": "t", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                  "params": {"name": "read_text_file", "arguments": {"path": "big.txt"}}}]
        near = subprocess.run([self.cairn, "mcp", "--root", str(self.base / "notes")], env=CLEAN,
                              text=True, capture_output=True, timeout=PATIENCE, check=True,
                              input="".join(json.dumps(call) + "\n" for call in calls))
        self.assertGreater(len(near.stdout), text)
        self.scene.tool("create_depot", title="bounded")
        depot = self.agent("/mcp/workspaces/bounded")
        depot.write("big.txt", line * (text // 100))
        for agent in (self.agent("/mcp/directories/notes"), depot):
            for arguments in ({}, {"offset": 2}, {"head": 25000}, {"tail": 25000}):
                said = agent.error("read_text_file", path="big.txt", **arguments)
                for word in ("head", "tail", "limit"):
                    self.assertIn(word, said)
            self.assertEqual(len(agent.call("read_text_file", path="big.txt", head=2)["content"]),
                             199)
            edits = [{"oldText": "xx\n", "newText": "xy\n", "replaceAll": True}]
            edited = agent.call("edit_file", path="big.txt", edits=edits, dryRun=True)
            self.assertIn("the diff is left out", edited["notes"][0])
            self.assertLess(len(json.dumps(edited)), 1000)
            several = agent.call("read_multiple_files", paths=["big.txt"])["content"]
            self.assertLess(len(several), 1000)
            self.assertIn("tail", several)
        agent = self.agent("/mcp/directories/notes")
        self.assertIn("bytes", agent.error("read_media_file", path="big.png"))
        agent.call("read_media_file", path="small.png")
        several = agent.call("read_multiple_files", paths=["p1.txt", "p2.txt", "p3.txt"])["content"]
        self.assertLess(len(several), 1 << 20 | 1000)
        self.assertIn("p3.txt: Error - ", several)
        self.assertIn("read it by itself", several)
        one = self.agent("/mcp/directories/notes?tools=filesystem")
        self.assertIn("tail", one.error("filesystem", method="read_text_file", path="big.txt"))
        self.assertIn("too many to show", one.error(
            "filesystem", method="edit_file", path="big.txt", dryRun=True,
            edits=[{"oldText": "xx\n", "newText": "xy\n"}]))
        for name in ("big.txt", "big.png", "small.png", "p1.txt", "p2.txt", "p3.txt"):
            os.unlink(self.base / "notes" / name)

    def test_it_is_in_the_audit_log(self):
        self.agent("/mcp/directories/notes").write("audited.txt", "not to be seen")
        log = json.dumps(self.scene.tool("get_audit", tool="write_file"))
        self.assertIn("notes: audited.txt", log)
        self.assertNotIn("not to be seen", log)

    def test_from_another_machine(self):
        token = self.token(("notes", False))
        far = Agent(FarStdio(self.cairn, self.scene.server.url, token, {"directory": "notes"}))
        self.scene.open.append(far)
        self.assertEqual(far.read("a.txt"), "in notes\n")

    def test_no_directory_leads_to_secrets(self):
        """Who may read one would read there how to become the owner."""
        base = self.base / "secrets"
        (base / "data" / "store").mkdir(parents=True)
        (base / "keys" / "deep").mkdir(parents=True)
        (base / "links").mkdir()
        key = base / "keys" / "deep" / "key.pem"
        key.write_text("a key\n")
        secret = base / "keys" / "secret"
        secret.write_text("0123456789abcdef\n")
        for file in (key, secret):
            file.chmod(0o600)
        (base / "alias").symlink_to(base / "data")
        (base / "links" / "data").symlink_to(base / "data")
        tls = ("--tls-cert", str(key), "--tls-key", str(key))
        internal = ("--internal-listen", "127.0.0.1:0", "--internal-secret", str(secret))
        of_data = "the data directory"
        for option in ("--root", "--read-only-root"):
            for root, data, more, said in (
                    ("data", "data", (), of_data), ("data", "new/../data", (), of_data),
                    (".", "data", (), of_data), ("/", "data", (), of_data),
                    ("data/store", "data", (), of_data), ("alias", "data", (), of_data),
                    ("data", "alias", (), of_data), ("links", "links/data", (), of_data),
                    (".", "fresh", (), of_data), ("fresh", "fresh", (), of_data),
                    ("keys", "data", tls, "--tls-key"), ("keys/deep", "data", tls, "--tls-key"),
                    ("keys", "data", internal, "--internal-secret")):
                with self.subTest(option=option, root=root, data=data, more=more):
                    done = self.cli("serve", option, f"a={base / root}", "--data",
                                    str(base / data), "--listen", "127.0.0.1:0", *more)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(said, done.stderr)
                    self.assertIn("'a'", done.stderr)
                    shutil.rmtree(base / "fresh", ignore_errors=True)

    def test_contradictions_are_refused(self):
        url = self.scene.server.url
        for words, said in (
                (("mcp", "--server", url, "--root", str(self.base)), "--directory NAME"),
                (("mcp", "--token", "t", "--root", str(self.base)), "rights of this process"),
                (("mcp", "--directory", "notes"), "--server URL"),
                (("mcp", "--server", url, "--directory", "notes", "--depot", "d"), "one of them"),
                (("mcp", "config", "--client", "zed", "--server", url, "--root", "x"),
                 "--directory NAME"),
                (("serve", "--root", str(self.base)), "NAME=DIR"),
                (("serve", "--root", "a/b=" + str(self.base)), "letters, digits"),
                (("serve", "--root", "a=/none", "--data", str(self.base / "data"),
                  "--listen", "127.0.0.1:0"), "/none"),
                (("serve", "--root", f"a={self.base}/notes", "--root", f"a={self.base}/notes",
                  "--data", str(self.base / "data"), "--listen", "127.0.0.1:0"),
                 "two directories")):
            done = self.cli(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(said, done.stderr, words)


if __name__ == "__main__":
    main()
