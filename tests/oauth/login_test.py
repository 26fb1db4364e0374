#!/usr/bin/env python3
"""cairn login, logout, whoami, and the commands that use a sign-in, against a server.

login_test.py CAIRN [test names…]
"""

import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server"), str(HERE.parent / "mcp")]
from person import Person  # noqa: E402
from stdio_client import Client as McpClient  # noqa: E402
from waiting import CLEAN, PATIENCE, ended, until  # noqa: E402

CAIRN = ""
PASSWORD = "correct horse battery staple"


class Done:
    def __init__(self, process, out, err):
        self.code, self.out, self.err = process.returncode, out, err

    @property
    def json(self):
        return json.loads(self.out)


class Running:
    """A command that goes on while something else is done."""

    def __init__(self, *words, env):
        self.process = subprocess.Popen([CAIRN, *words], env=env, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.err, self.out = [], []
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in ((self.process.stderr, self.err), (self.process.stdout, self.out))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(pipe, into):
        for line in pipe:
            into.append(line)

    def says(self, pattern):
        def found():
            text = "".join(self.err)
            assert self.process.poll() is None or re.search(pattern, text), text
            return re.search(pattern, text)
        return until(found, lambda: f"{pattern} in {self.err}")

    def done(self):
        ended(self.process)
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return Done(self.process, "".join(self.out), "".join(self.err))


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-login-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.env = {**CLEAN, "HOME": str(self.dir), "XDG_CONFIG_HOME": str(self.dir / "config")}
        self.data = str(self.dir / "data")
        self.log = self.dir / "serve.log"
        self.start()
        self.cairn("user", "add", "ada", "--password-stdin", "--data", self.data, given=PASSWORD + "\n")
        self.ada = Person(self.url, "ada", PASSWORD)

    def start(self, listen="127.0.0.1:0"):
        with open(self.log, "a") as log:
            self.server = subprocess.Popen([CAIRN, "serve", "--data", self.data, "--listen", listen,
                                            "--log-format", "json"],
                                           stdout=subprocess.DEVNULL, stderr=log, env=self.env)
        self.addCleanup(self.stop)

        def served():
            assert self.server.poll() is None, self.log.read_text()
            try:
                return json.loads((pathlib.Path(self.data) / "server.json").read_text())["url"]
            except (OSError, ValueError):
                return None
        self.url = until(served, "a server")

    def stop(self):
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
        ended(self.server)

    def run_cairn(self, *words, given="", env=None):
        done = subprocess.run([CAIRN, *words], input=given, capture_output=True, text=True,
                              env={**self.env, **(env or {})}, timeout=PATIENCE)
        return Done(done, done.stdout, done.stderr)

    def cairn(self, *words, **more):
        done = self.run_cairn(*words, **more)
        self.assertEqual(done.code, 0, f"cairn {' '.join(words)}: {done.err}")
        return done

    def fails(self, code, pattern, *words, **more):
        done = self.run_cairn(*words, **more)
        self.assertEqual(done.code, code, f"cairn {' '.join(words)}: {done.out}{done.err}")
        self.assertRegex(done.err, pattern)
        return done

    def here(self, *words, **more):
        return self.cairn(*words, "--server", self.url, **more)

    # What is kept of the sign-in.
    @property
    def file(self):
        return self.dir / "config/cairn/credentials" / urllib.parse.urlsplit(self.url).netloc

    def kept(self):
        return json.loads(self.file.read_text())

    def keep(self, **change):
        """As if it were another: nobody else writes it now."""
        text = json.dumps({**self.kept(), **change})
        (self.dir / "new").write_text(text)
        os.chmod(self.dir / "new", 0o600)
        os.rename(self.dir / "new", self.file)

    def end_access(self):
        """The access token ends, and the program is to find that out by itself."""
        body = urllib.parse.urlencode({"token": self.kept()["accessToken"], "token_type_hint": "access_token",
                                       "client_id": self.kept()["clientId"]})
        page = self.ada.request("POST", self.kept()["revocationEndpoint"], body,
                                {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(page.status, 200, page.text)

    def renewals(self):
        lines = [line for line in self.log.read_text().splitlines() if "/api/auth/token" in line]
        return sum(json.loads(line).get("status") == 200 for line in lines)

    def log_in(self, *words, person=None, env=None, **how):
        login = Running("login", "--no-browser", "--server", self.url, *words, env={**self.env, **(env or {})})
        page = login.says(r"\n +(http://\S+/oauth/authorize\?\S+)\n").group(1)
        back = (person or self.ada).answers(page, **how)
        self.assertIsInstance(back, str, getattr(back, "text", None))
        answer = Person(back, "", "").request("GET", back)
        return login.done(), answer

    def signed_in(self, *words, **how):
        done, answer = self.log_in(*words, **how)
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("Signed in", answer.text)
        return done


class Login(Base):
    def test_in_a_browser(self):
        self.fails(7, "nobody is signed in to .* 'cairn login --server", "ls", "x", "--server", self.url)
        done = self.signed_in("--scope", "read", "--scope", "write", "--scope", "manage")
        self.assertIn(f"signed in to {self.url}", done.out)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.file.parent.stat().st_mode), 0o700)
        for secret in (self.kept()["accessToken"], self.kept()["refreshToken"]):
            self.assertNotIn(secret, done.out + done.err + self.log.read_text())
        me = self.here("whoami", "--json").json
        self.assertEqual(me["delegate"]["parentId"] is None, False, me)
        self.assertEqual(me["signIn"]["scope"], self.kept()["scope"])
        self.assertIn("renews itself", self.here("whoami").out)
        self.here("depot", "create", "notes")
        self.here("put", "-", "notes:a", given="hello")
        self.assertEqual(self.cairn("cat", "notes:a", env={"CAIRN_SERVER": self.url}).out, "hello")

    def test_only_what_was_allowed(self):
        def read_only(form):
            form.fields.pop("write")
        self.signed_in(change=read_only)
        self.assertEqual(self.kept()["scope"], "cas:read")
        me = self.here("whoami", "--json").json["delegate"]
        self.assertEqual((me["kind"], me["canUpload"], me["canManageDepot"]), ("grant", False, False))
        self.fails(7, "DEPOT_MANAGE_NOT_ALLOWED", "depot", "create", "x", "--server", self.url)
        # Asked for no more, there is no more.
        self.signed_in("--scope", "read")
        self.assertEqual(self.kept()["scope"], "cas:read")

    def test_as_a_client_that_was_added(self):
        added = self.cairn("client", "add", "cli", "--redirect", "http://127.0.0.1/callback", "--json",
                           "--data", self.data).json["clientId"]
        self.signed_in("--client-id", added)
        self.assertEqual(self.kept()["clientId"], added)
        self.here("depot", "list")
        done = self.fails(7, "INVALID_TOKEN|BAD_REQUEST|FORBIDDEN", "login", "--device", "--server", self.url,
                          "--client-id", "nobody")
        self.assertIn("client", done.err)

    def test_a_person_who_says_no(self):
        done, answer = self.log_in(allow=False)
        self.assertEqual(done.code, 7, done.err)
        self.assertIn("Not signed in", answer.text)
        self.assertRegex(done.err, "FORBIDDEN: it was not allowed on the page")
        self.assertFalse(self.file.exists())

    def test_on_another_device(self):
        login = Running("login", "--device", "--server", self.url, env=self.env)
        code = login.says(r"enter the code (\S+):").group(1)
        page = login.says(r"\n +(http://\S+/oauth/device)\n").group(1)
        last = self.ada.answers(f"{page}?user_code={code}")
        self.assertEqual(last.status, 200, last.text)
        done = login.done()
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("expiresAt", self.here("whoami", "--json").out)

    def test_again_is_the_same_grant(self):
        self.signed_in()
        one = self.here("whoami", "--json").json["delegate"]["delegateId"]
        self.signed_in()
        self.assertEqual(self.here("whoami", "--json").json["delegate"]["delegateId"], one)

    def test_logout(self):
        self.signed_in()
        token = self.kept()["accessToken"]
        self.cairn("depot", "list", "--server", self.url, "--token", token)
        self.assertIn(f"signed out of {self.url}", self.here("logout").out)
        self.assertFalse(self.file.exists())
        self.fails(7, "DELEGATE_REVOKED|INVALID_TOKEN", "depot", "list", "--server", self.url, "--token", token)
        self.fails(7, "nobody is signed in", "whoami", "--server", self.url)
        self.assertIn("nobody was signed in", self.here("logout").err)
        self.signed_in()
        self.stop()
        done = self.fails(6, "was not told", "logout", "--all")
        self.assertIn("signed out", done.out)
        self.assertFalse(self.file.exists())

    def test_in_a_file_of_ones_own(self):
        mine = str(self.dir / "mine")
        env = {"CAIRN_TOKEN_FILE": mine}
        self.signed_in(env=env)
        self.assertFalse(self.file.exists())
        self.here("depot", "list", env=env)
        self.here("depot", "list", "--token-file", mine)
        self.fails(2, "name that server with --server", "mcp", "--data", str(self.dir / "other"), env=env)
        self.here("logout", env=env)
        self.assertFalse(os.path.exists(mine))
        # A token that somebody has put there stays.
        pathlib.Path(mine).write_text("token\n")
        os.chmod(mine, 0o600)
        self.fails(2, "sign in again", "login", "--server", self.url, env=env)
        self.assertEqual(pathlib.Path(mine).read_text(), "token\n")

    def test_what_would_not_do(self):
        self.fails(2, "say which server", "login")
        self.fails(2, "has a path", "login", "--server", self.url + "/mcp")
        self.fails(2, "owner already", "login", "--server", f"unix:{self.data}/cairn.sock")
        self.fails(6, "UNAVAILABLE", "login", "--server", "http://127.0.0.1:1")
        self.fails(7, "not https", "login", "--server", "http://192.0.2.1")
        self.fails(2, "CAIRN_REFRESH_TOKEN is set, .* 'cairn login'", "depot", "list", "--server", self.url,
                   env={"CAIRN_REFRESH_TOKEN": "x"})
        self.fails(2, "both set", "depot", "list", "--server", self.url,
                   env={"CAIRN_TOKEN": "x", "CAIRN_TOKEN_FILE": "y"})


class Renewal(Base):
    def setUp(self):
        super().setUp()
        self.signed_in("--scope", "read", "--scope", "write", "--scope", "manage")

    def test_many_at_once(self):
        before, token = self.renewals(), self.kept()["accessToken"]
        self.keep(expiresAt=0)
        all_of_them = [Running("whoami", "--json", "--server", self.url, env=self.env) for _ in range(8)]
        for one in all_of_them:
            done = one.done()
            self.assertEqual(done.code, 0, done.err)
        until(lambda: self.renewals() > before, "a renewal")
        self.assertEqual(self.renewals(), before + 1)
        self.assertNotEqual(self.kept()["accessToken"], token)
        self.keep(expiresAt=0)
        self.here("whoami")
        self.assertEqual(self.renewals(), before + 2)

    def test_a_token_that_was_refused(self):
        self.end_access()
        self.here("depot", "create", "notes")
        self.assertEqual(self.here("depot", "list", "--json").json["depots"][0]["title"], "notes")

    def test_an_answer_that_never_came(self):
        # Somebody who renewed, and was killed before it wrote down what came.
        mine = self.kept()
        body = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": mine["refreshToken"],
                                       "client_id": mine["clientId"]})
        page = self.ada.request("POST", mine["tokenEndpoint"], body,
                                {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(page.status, 200, page.text)
        self.keep(expiresAt=0)
        self.here("whoami")

    def test_a_sign_in_that_was_ended_elsewhere(self):
        me = self.here("whoami", "--json").json["delegate"]["delegateId"]
        token = self.cairn("user", "token", "ada", "--json", "--data", self.data).json["accessToken"]
        self.cairn("delegate", "revoke", me, "--server", self.url, "--token", token)
        self.fails(7, "not signed in to .* any more: .*'cairn login --server", "depot", "list", "--server", self.url)

    def test_mcp(self):
        client = McpClient([CAIRN, "mcp", "--server", self.url], env=self.env)
        self.addCleanup(client.stop)
        client.begin()
        client.call("create_depot", title="notes")
        self.end_access()
        self.assertEqual(client.call("list_depots")["depots"][0]["title"], "notes")
        self.here("logout")
        refused = client.refused("tools/call", {"name": "list_depots", "arguments": {}})
        self.assertRegex(refused["message"], "not signed in")
        client.leave()

    def test_mirror(self):
        self.here("depot", "create", "notes")
        place = self.dir / "place"
        place.mkdir()
        mirror = Running("mirror", str(place), "notes", "--watch", "--server", self.url, env=self.env)
        mirror.says("watching")
        self.end_access()
        (place / "a").write_text("1")
        until(lambda: self.run_cairn("cat", "notes:a", "--server", self.url).out == "1", "a", 0.05)
        mirror.process.send_signal(signal.SIGTERM)
        self.assertEqual(mirror.done().code, 0)


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
