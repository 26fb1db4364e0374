#!/usr/bin/env python3
"""OAuth as programs meet it over the wire: what a 401 says, codes, tokens and their audience, several that share a
refresh token, devices, revocation; and a server that is killed at the worst moments.

flow_test.py CAIRN [test names…]
"""

import base64
import concurrent.futures
import hashlib
import json
import pathlib
import re
import secrets
import subprocess
import sys
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]
from person import Person  # noqa: E402
from server import Server  # noqa: E402
from waiting import CLEAN  # noqa: E402

CAIRN = ""
PASSWORD = "correct horse battery staple"
REDIRECT = "http://127.0.0.1:4711/callback"
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "prober", "version": "1"}}})
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def query_of(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


class Program:
    """One that asks for access, as a library would."""

    def __init__(self, server, name="Prober"):
        self.server = server
        self.id = self.json("POST", "/api/auth/register", {"client_name": name, "redirect_uris": [REDIRECT]})["client_id"]

    def request(self, method, target, body=None, headers=None):
        client = self.server.client("")
        try:
            return client.request(method, target, body, headers)
        finally:
            client.connection.close()

    def json(self, method, target, body):
        status, _, answer = self.request(method, target, json.dumps(body), JSON)
        assert status < 400, answer
        return json.loads(answer)

    def form(self, target, **fields):
        """Status and answer."""
        body = urllib.parse.urlencode({"client_id": self.id, **fields})
        status, _, answer = self.request("POST", target, body, {"Content-Type": "application/x-www-form-urlencoded"})
        return status, json.loads(answer)

    def address(self, **more):
        """Where the person is sent; the verifier stays here."""
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        fields = {"client_id": self.id, "redirect_uri": REDIRECT, "response_type": "code", "state": "a state",
                  "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                  "code_challenge_method": "S256", "resource": self.server.url + "/mcp", **more}
        return self.server.url + "/oauth/authorize?" + urllib.parse.urlencode(fields)

    def code(self, person, change=lambda form: None, **more):
        there = person.answers(self.address(**more), change=change)
        assert isinstance(there, str), there.text
        assert query_of(there)["state"] == "a state"
        assert query_of(there)["iss"] == self.server.url
        return query_of(there)["code"]

    def trade(self, code):
        return self.form("/api/auth/token", grant_type="authorization_code", code=code, code_verifier=self.verifier,
                         redirect_uri=REDIRECT, resource=self.server.url + "/mcp")

    def refresh(self, token):
        return self.form("/api/auth/token", grant_type="refresh_token", refresh_token=token)

    def connect(self, person, change=lambda form: None, **more):
        code = self.code(person, change, **more)
        status, tokens = self.form("/api/auth/token", grant_type="authorization_code", code=code,
                                   code_verifier=self.verifier)
        assert status == 200, tokens
        return tokens

    def status(self, token, target="/mcp"):
        headers = {"Authorization": f"Bearer {token}", **JSON}
        return self.request("POST" if target.startswith("/mcp") else "GET", target,
                            HELLO if target.startswith("/mcp") else None, headers)[0]


class Flow(unittest.TestCase):
    def setUp(self):
        self.server = Server(CAIRN)
        self.server.start()
        self.addCleanup(self.server.__exit__)
        subprocess.run([CAIRN, "user", "add", "ada", "--password-stdin", "--data", self.server.data], check=True,
                       input=PASSWORD + "\n", text=True, capture_output=True, env=CLEAN)
        self.ada = Person(self.server.url, "ada", PASSWORD)
        self.program = Program(self.server)

    def cairn(self, *words, token):
        done = subprocess.run([CAIRN, *words, "--json", "--server", self.server.url], check=True, text=True,
                              capture_output=True, env={**CLEAN, "CAIRN_TOKEN": token})
        return json.loads(done.stdout)

    def restart(self):
        """On the same port, as whoever was connected finds it again."""
        self.server.listen = f"127.0.0.1:{self.server.port}"
        self.server.start()

    def test_a_401_leads_to_the_metadata(self):
        for target, at in (("/mcp", "/mcp"), ("/api/mcp", "/api/mcp"), ("/mcp/workspaces/dpt_1", "/mcp/workspaces/dpt_1"),
                           ("/api/realm/me/depots", "/api")):
            for method in ("POST", "GET") if at == "/api" else ("POST", "GET", "DELETE"):
                status, headers, _ = self.program.request(method, target, headers=JSON)
                self.assertEqual(status, 401, f"{method} {target}")
                self.assertEqual(len(headers.get_all("WWW-Authenticate")), 1)
                said = headers["WWW-Authenticate"]
                self.assertTrue(said.startswith("Bearer "), said)
                self.assertNotIn("error=", said)
                where = re.search(r'resource_metadata="([^"]*)"', said).group(1)
                self.assertEqual(where, f"{self.server.url}/.well-known/oauth-protected-resource{at}")
            status, _, body = self.program.request("GET", where[len(self.server.url):])
            self.assertEqual((status, json.loads(body)["resource"]), (200, self.server.url + at))
        status, headers, _ = self.program.request("POST", "/mcp", HELLO, {"Authorization": "Bearer nonsense", **JSON})
        self.assertEqual(status, 401)
        self.assertIn('error="invalid_token"', headers["WWW-Authenticate"])
        status, headers, _ = self.program.request("POST", f"/mcp?access_token={self.server.token}", HELLO, JSON)
        self.assertEqual(status, 400)
        self.assertIn('error="invalid_request"', headers["WWW-Authenticate"])

    def test_hostile_names_of_the_server_are_not_repeated(self):
        for name in ("evil.example", "127.0.0.1.evil.example"):
            status, _, body = self.program.request("GET", "/.well-known/oauth-authorization-server",
                                                   headers={"Host": name})
            self.assertEqual(status, 403, body)
        status, _, body = self.program.request(
            "GET", "/.well-known/oauth-authorization-server",
            headers={"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example", "X-Forwarded-Proto": "https"})
        self.assertEqual((status, json.loads(body)["issuer"]), (200, self.server.url))

    def test_a_person_lets_a_program_in_and_out(self):
        tokens = self.program.connect(self.ada)
        self.assertEqual(tokens["scope"], "cas:read cas:write")
        self.assertEqual(self.program.status(tokens["access_token"]), 200)
        self.assertEqual(self.program.status(tokens["access_token"], "/api/realm/me/depots"), 401,
                         "a token for /mcp opens nothing else")
        # The grant is in the person's realm, whatever anybody says.
        status, answer = self.program.form("/api/auth/revoke", token=tokens["refresh_token"])
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.program.status(tokens["access_token"]), 401)
        self.assertEqual(self.program.refresh(tokens["refresh_token"])[1]["error"], "invalid_grant")

    def test_no_is_no(self):
        there = self.ada.answers(self.program.address(), allow=False)
        self.assertEqual(query_of(there)["error"], "access_denied")
        self.assertEqual(query_of(there)["iss"], self.server.url)

    def test_a_grant_is_listed_and_revoked_by_its_person(self):
        tokens = self.program.connect(self.ada, resource=self.server.url)
        mine = self.cairn("grant", "list", token=self.password_token())
        self.assertEqual([(g["clientName"], g["resource"]) for g in mine["grants"]], [("Prober", "/")])
        self.assertEqual(self.cairn("grant", "list", token=self.server.token)["grants"], [], "not the owner's")
        self.assertEqual(self.program.status(tokens["access_token"], "/api/realm/me/grants"), 403)
        self.cairn("grant", "revoke", mine["grants"][0]["delegateId"], token=self.password_token())
        self.assertEqual(self.program.status(tokens["access_token"]), 401)

    def password_token(self):
        status, _, body = self.program.request("POST", "/api/auth/login",
                                               json.dumps({"name": "ada", "password": PASSWORD}), JSON)
        self.assertEqual(status, 200, body)
        return json.loads(body)["accessToken"]

    def test_of_programs_that_share_a_refresh_token_all_go_on(self):
        tokens = self.program.connect(self.ada)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: self.program.refresh(tokens["refresh_token"]), range(8)))
        self.assertEqual([status for status, _ in answers], [200] * 8, answers)
        for _, answer in answers:
            self.assertEqual(self.program.status(answer["access_token"]), 200)
            self.assertEqual(self.program.refresh(answer["refresh_token"])[0], 200)

    def test_a_code_is_good_once_however_many_bring_it(self):
        code = self.program.code(self.ada)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: self.program.trade(code), range(8)))
        good = [answer for status, answer in answers if status == 200]
        self.assertEqual(len(good), 1, answers)
        self.assertEqual({answer["error"] for status, answer in answers if status != 200}, {"invalid_grant"})
        self.assertEqual(self.program.status(good[0]["access_token"]), 401, "and what it gave is void")

    def test_a_device_is_let_in_by_its_code(self):
        status, asked = self.program.form("/api/auth/device", scope="cas:read")
        self.assertEqual(status, 200, asked)
        poll = dict(grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=asked["device_code"])
        self.assertEqual(self.program.form("/api/auth/token", **poll)[1]["error"], "authorization_pending")
        self.ada.answers(asked["verification_uri_complete"])
        status, tokens = self.program.form("/api/auth/token", **poll)
        if status != 200:  # asked for too early, which is slow_down while nobody has answered only
            self.fail(tokens)
        self.assertEqual(tokens["scope"], "cas:read")
        self.assertEqual(self.program.status(tokens["access_token"]), 200)

    def test_nobody_is_locked_out_by_a_server_that_is_killed(self):
        code = self.program.code(self.ada)
        self.server.kill()
        self.restart()
        status, tokens = self.program.trade(code)
        self.assertEqual(status, 200, tokens)
        # Between a refresh and its answer: the answer is lost, the token was used.
        lost = self.program.refresh(tokens["refresh_token"])
        self.assertEqual(lost[0], 200)
        self.server.kill()
        self.restart()
        status, again = self.program.refresh(tokens["refresh_token"])
        self.assertEqual(status, 200, again)
        self.assertEqual(self.program.status(again["access_token"]), 200)
        grants = self.cairn("grant", "list", token=self.password_token())["grants"]
        self.assertEqual(len(grants), 1, "nothing was doubled")
        self.assertEqual(self.program.id, Program(self.server).id, "nor was the program forgotten")


if __name__ == "__main__":
    CAIRN = sys.argv.pop(1)
    unittest.main()
