#!/usr/bin/env python3
"""Who may do what at a depot's workspace: depot_rights_test.py CAIRN

Delegates that only read, that see a part, that are revoked; users that are suspended or have no
room left; depots of others and depots that are not there; titles; the audit log.
"""

import random

from scene import FILES, DepotTest, LegacyDesk, ModernDesk, main, use

CHANGES = (("write_file", {"path": "a.txt", "content": "x"}),
           ("edit_file", {"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}),
           ("create_directory", {"path": "x"}),
           ("move_file", {"source": "a.txt", "destination": "b.txt"}),
           ("copy_file", {"source": "a.txt", "destination": "b.txt"}),
           ("delete_file", {"path": "a.txt"}),
           ("undo", {}),
           ("undo", {"change": "1"}))


def without_request(greeting):
    """A refusal without the id of its request, in which alone two of them may differ."""
    status, answer = greeting
    return status, {**answer, "details": {k: v for k, v in answer.get("details", {}).items()
                                          if k != "requestId"}}


class Rights(DepotTest):
    def greeting(self, depot, token=None, way=ModernDesk):
        """Status and answer of the first request at a depot."""
        agent = self.scene.agent(depot, token, way=way)
        method = "server/discover" if way is ModernDesk else "initialize"
        params = None if way is ModernDesk else {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}
        answer = agent.request(method, params)
        return agent.way.status, answer

    def test_a_delegate_that_only_reads(self):
        depot = self.scene.depot(FILES)
        token, _ = self.scene.delegate(name="reader")
        for agent in (self.scene.agent(depot, token),
                      self.scene.agent(depot, token, way=LegacyDesk),
                      self.scene.stdio(depot, token), self.scene.far(depot, token)):
            self.assertEqual(agent.read("a.txt"), FILES["a.txt"])
            self.assertEqual(len(agent.changes()), 2)
            self.assertIn("permissions: 444", agent.text("get_file_info", path="a.txt"))
            for tool, arguments in CHANGES:
                said = agent.error(tool, **arguments)
                self.assertTrue(said.startswith("UPLOAD_NOT_ALLOWED: "), said)
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_a_refusal_names_the_tool_that_was_called(self):
        depot = self.scene.depot(FILES)
        agent = self.scene.agent(depot, self.scene.delegate()[0])
        self.assertNotIn("workspace_change",
                         agent.error("write_file", path="a.txt", content="x"))

    def test_a_dry_run_is_reading(self):
        depot = self.scene.depot(FILES)
        agent = self.scene.agent(depot, self.scene.delegate()[0])
        self.assertIn("+1\n", agent.text("edit_file", path="a.txt", dryRun=True,
                                         edits=[{"oldText": "one", "newText": "1"}]))

    # A delegate that sees a directory only.

    def scoped(self, **more):
        depot = self.scene.depot({**FILES, "secret/plan.txt": "the plan\n"})
        token, _ = self.scene.delegate(canUpload=True, scope=[depot + "/docs"], **more)
        return depot, token, self.scene.agent(depot, token)

    def test_its_place_is_the_whole(self):
        depot, _, agent = self.scoped()
        self.assertEqual(agent.text("list_directory", path="/"), "[FILE] guide.md")
        agent.write("new.md", "new\n")
        self.assertEqual(self.scene.file(depot, "docs/new.md"), "new\n")
        agent.call("move_file", source="new.md", destination="newer.md")
        agent.call("undo")
        agent.call("undo")
        self.assertIn("ENOENT", agent.error("read_text_file", path="new.md"))
        self.assertEqual(self.scene.file(depot, "secret/plan.txt"), "the plan\n")

    def test_nothing_outside_can_be_reached_or_told_apart(self):
        depot, _, agent = self.scoped()
        other = self.scene.depot({"x": "x"})
        said = lambda **arguments: agent.error("read_text_file", **arguments)  # noqa: E731
        for path in ("../secret/plan.txt", "/../secret/plan.txt", "x/../../secret/plan.txt",
                     "../docs/guide.md", "..", "../../etc/passwd"):
            self.assertIn("Access denied", said(path=path), path)
        # What is there is refused in the very words for what is not.
        for there, nowhere in (("secret/plan.txt", "nosuch/plan.txt"),
                               ("/secret/plan.txt", "/nosuch/plan.txt"),
                               ("docs/guide.md", "nope/guide.md"),
                               (f"/{other}/x", f"/dpt_{'0' * 26}/x")):
            name = lambda path: path.strip("/").split("/")[0]  # noqa: E731
            self.assertIn("ENOENT", said(path=there))
            self.assertEqual(said(path=there).replace(name(there), "N"),
                             said(path=nowhere).replace(name(nowhere), "N"))
        for tool, arguments in (("search_content", {"path": "/", "pattern": "plan"}),
                                ("search_files", {"path": "/", "pattern": "**/plan*"})):
            self.assertIn("No matches", agent.text(tool, **arguments))
        self.assertIn("Access denied", agent.error("move_file", source="guide.md",
                                                   destination="../guide.md"))
        self.assertIn("Access denied", agent.error("copy_file", source="../secret/plan.txt",
                                                   destination="plan.txt"))
        self.assertNotIn("plan", str(agent.call("history")))

    def test_its_history_is_of_its_place(self):
        depot, _, agent = self.scoped()
        owner = self.scene.agent(depot)
        owner.write("secret/plan.txt", "changed\n")
        owner.write("docs/guide.md", "# Changed\n")
        changes = agent.changes()
        self.assertEqual([c["message"] for c in changes], ["changed guide.md", "changed"])
        self.assertEqual(changes[0]["paths"], ["guide.md"])
        self.assertNotIn("secret", str(changes))
        hidden = owner.changes()[1]["change"]
        self.assertIn("HISTORY_NOT_FOUND", agent.error("undo", change=hidden))
        self.assertEqual(self.scene.file(depot, "secret/plan.txt"), "changed\n")

    def test_messages_do_not_tell_of_outside(self):
        depot, _, agent = self.scoped()
        self.scene.agent(depot).call("move_file", source="secret/plan.txt",
                                     destination="docs/plan.txt")
        self.assertEqual(agent.read("plan.txt"), "the plan\n")
        self.assertNotIn("secret", str(agent.call("history")))

    def test_its_undo_is_of_its_place_alone(self):
        depot, _, agent = self.scoped()
        root = depot
        for path in ("docs/half.md", "secret/half.txt"):
            root = self.scene.tool("fs_write", nodeKey=root, path=path, content="h")["newRoot"]
        self.scene.tool("depot_commit", depotId=depot, root=root, message="both halves")
        change = agent.changes()[0]
        self.assertEqual((change["message"], change["paths"]), ("changed half.md", ["half.md"]))
        agent.call("undo", change=change["change"])
        owner = self.scene.agent(depot)
        self.assertIn("ENOENT", owner.error("read_text_file", path="docs/half.md"))
        self.assertEqual(owner.read("secret/half.txt"), "h")
        owner.call("undo", change=change["change"])
        self.assertIn("ENOENT", owner.error("read_text_file", path="secret/half.txt"))

    def test_two_places_of_one_depot_are_named(self):
        depot = self.scene.depot({**FILES, "src/main.c": "int main;\n"}, title="two places")
        token, _ = self.scene.delegate(canUpload=True, scope=[depot + "/docs", depot + "/src"])
        status, answer = self.greeting(depot, token)
        self.assertEqual((status, answer["error"]), (400, "INVALID_ARGUMENT"))
        self.assertIn(depot + "/src", answer["message"])
        self.assertEqual(self.greeting("two places", token)[0], 400)
        source = self.scene.agent(depot + "/src", token)
        self.assertEqual(source.text("list_directory", path="/"), "[FILE] main.c")
        source.write("new.c", "int x;\n")
        self.assertEqual(self.scene.file(depot, "src/new.c"), "int x;\n")
        self.assertEqual(self.scene.stdio(depot + "/docs", token).text("list_directory", path="/"),
                         "[FILE] guide.md")
        for wrong in (depot + "/secret", depot + "/docs/x", depot + "/a.txt"):
            self.assertEqual(self.greeting(wrong, token)[0], 404, wrong)

    def test_several_places_are_not_called_several_depots(self):
        depot = self.scene.depot({**FILES, "src/main.c": ""}, title="one depot, two places")
        token, _ = self.scene.delegate(scope=[depot + "/docs", depot + "/src"])
        said = self.greeting("one depot, two places", token)[1]["message"]
        self.assertNotIn("2 depots", said)
        self.assertIn(depot + "/src", said)

    def test_a_place_of_a_depot_as_a_workspace(self):
        depot = self.scene.depot(FILES)
        status, answer = self.greeting(depot + "/docs")
        if status != 200:
            self.assertNotIn("put the path in", answer["message"])

    def test_depots_of_others_are_not_there(self):
        depot = self.scene.depot(FILES, title="mine alone")
        ann = use(self.scene.owner, "add_user", {"name": "ann"})["accessToken"]
        nowhere = "dpt_" + "0" * 26
        narrow, _ = self.scene.delegate(delegatedDepots=[self.scene.depot({})])
        for token in (ann, narrow):
            for way in (ModernDesk, LegacyDesk):
                there, missing = (without_request(self.greeting(d, token, way))
                                  for d in (depot, nowhere))
                self.assertEqual(there[0], 404)
                self.assertEqual(str(there).replace(depot, nowhere), str(missing))
            by_title = self.greeting("mine alone", token)
            self.assertEqual(by_title[0], 404)
            self.assertEqual(str(without_request(by_title)).replace("mine alone", "nobody's"),
                             str(without_request(self.greeting("nobody's", token))))
            self.assertNotIn("mine alone", str(self.greeting("mine alon", token)))

    def test_tokens_that_are_none(self):
        depot = self.scene.depot(FILES)
        for token in ("x", "A" * 44, self.scene.server.token[:-4] + "AAA="):
            self.assertEqual(self.greeting(depot, token)[0], 401)
            self.assertEqual(self.greeting("nothing", token)[0], 401)
            done = self.scene.run("mcp", "--depot", depot, "--token", token)
            self.assertEqual(done.returncode, 7, done.stderr)
        status, headers, _ = self.scene.server.client("").request(
            "POST", f"/mcp/workspaces/{depot}", "{}", {"Content-Type": "application/json"})
        self.assertEqual(status, 401)
        self.assertIn("Bearer", headers.get("WWW-Authenticate", ""))

    def test_revoked_in_an_open_session(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate(canUpload=True)
        agents = [self.scene.agent(depot, token), self.scene.agent(depot, token, way=LegacyDesk),
                  self.scene.stdio(depot, token), self.scene.far(depot, token)]
        for agent in agents:
            agent.read("a.txt")
        self.scene.tool("revoke_delegate", delegateId=delegate)
        for agent in agents:
            for tool, arguments in (("read_text_file", {"path": "a.txt"}), CHANGES[0]):
                answer = agent.request("tools/call", {"name": tool, "arguments": arguments})
                self.assertNotIn("result", answer)
                self.assertIn("revoked", str(answer))
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_a_depot_that_is_deleted_in_an_open_session(self):
        depot = self.scene.depot(FILES)
        agents = [self.scene.agent(depot), self.scene.agent(depot, way=LegacyDesk),
                  self.scene.stdio(depot)]
        for agent in agents:
            agent.read("a.txt")
        self.scene.tool("delete_depot", depotId=depot)
        for agent in agents:
            answer = agent.request("tools/call", {"name": "read_text_file",
                                                  "arguments": {"path": "a.txt"}})
            self.assertIn("there is no depot", str(answer))

    def test_a_user_that_is_suspended(self):
        made = use(self.scene.owner, "add_user", {"name": "eve"})
        token, user = made["accessToken"], made["userId"]
        depot = self.scene.depot(FILES, token=token)
        agents = [self.scene.agent(depot, token), self.scene.agent(depot, token, way=LegacyDesk)]
        for agent in agents:
            agent.read("a.txt")
        use(self.scene.owner, "update_user", {"userId": user, "role": "unauthorized"})
        for agent in agents:
            answer = agent.request("tools/call", {"name": "read_text_file",
                                                  "arguments": {"path": "a.txt"}})
            self.assertEqual((agent.way.status, answer["error"]), (403, "FORBIDDEN"))
        use(self.scene.owner, "update_user", {"userId": user, "role": "authorized"})
        self.assertEqual(self.scene.agent(depot, token).read("a.txt"), FILES["a.txt"])

    def test_no_room_left(self):
        made = use(self.scene.owner, "add_user", {"name": "quentin", "quota": 20000})
        token = made["accessToken"]
        depot = self.scene.depot(FILES, token=token)
        agent = self.scene.agent(depot, token)
        dice = random.Random(1)
        noise = "".join(dice.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=60000))
        before = agent.text("history")
        said = agent.error("write_file", path="big", content=noise)
        self.assertTrue(said.startswith("QUOTA_EXCEEDED: "), said)
        said = agent.error("edit_file", path="a.txt", edits=[{"oldText": "one", "newText": noise}])
        self.assertTrue(said.startswith("QUOTA_EXCEEDED: "), said)
        self.assertEqual(agent.text("history"), before)
        self.assertEqual(agent.read("a.txt"), FILES["a.txt"])
        agent.write("small", "s\n")
        agent.call("delete_file", path="small")


class Titles(DepotTest):
    def test_a_title_finds_its_depot(self):
        for title in ("plain", "two words", "Grüße & 100% / ü?#", "日本", "..", "a" * 200):
            self.scene.depot({"here": title}, title=title)
            self.assertEqual(self.scene.agent(title).read("here"), title)
            self.assertEqual(self.scene.stdio(title).read("here"), title)

    def test_a_title_that_several_have(self):
        """Titles are unique, but somebody may see several places of one depot."""
        depot = self.scene.depot({"docs/a": "1", "src/b": "2", "more/c": "3"}, title="twin")
        places = [f"{depot}/{name}" for name in ("docs", "src", "more")]
        token, _ = self.scene.delegate(scope=places)
        agent = self.scene.agent("twin", token)
        answer = agent.request("tools/list")
        self.assertEqual((agent.way.status, answer["error"]), (400, "INVALID_ARGUMENT"))
        self.assertIn("several have the title 'twin'", answer["message"])
        for place in places:
            self.assertIn(place, answer["message"])
            self.assertIn("list_directory", self.scene.agent(place, token).tools())

    def test_did_you_mean(self):
        self.scene.depot({}, title="almanac")
        agent = self.scene.agent("almanak")
        answer = agent.request("tools/list")
        self.assertEqual((agent.way.status, answer["error"]), (404, "DEPOT_NOT_FOUND"))
        self.assertIn("did you mean 'almanac'?", answer["message"])
        done = self.scene.run("mcp", "--depot", "almanak")
        self.assertEqual(done.returncode, 3)
        self.assertIn("did you mean 'almanac'?", done.stderr)

    def test_names_that_are_none(self):
        for name in ("", "/", "dpt_", "dpt_x", "dpt_" + "Z" * 26, "nod_" + "0" * 52, "x" * 5000):
            agent = self.scene.agent(name)
            answer = agent.request("tools/list")
            self.assertIn(agent.way.status, (400, 404), answer)
            self.assertLess(len(str(answer)), 1000)

    def test_a_workspace_takes_no_toolsets(self):
        depot = self.scene.depot({})
        done = self.scene.run("mcp", "--depot", depot, "--toolsets", "read")
        self.assertEqual(done.returncode, 2)
        done = self.scene.run("mcp", "--depot", depot, "--root", "/tmp")
        self.assertEqual(done.returncode, 2)
        done = self.scene.run("mcp", "--depot", depot, "--tools", "rite_file")
        self.assertEqual(done.returncode, 2)
        self.assertIn("write_file", done.stderr)


class Audit(DepotTest):
    def entries(self, depot, delegate):
        found = self.scene.tool("get_audit", delegateId=delegate, limit=100)["entries"]
        return [(e["tool"], e["context"].removeprefix(depot).strip(), e["outcome"])
                for e in reversed(found)]

    def test_who_did_what_where(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate(name="ann", canUpload=True)
        agent = self.scene.agent(depot, token)
        agent.read("a.txt")
        agent.write("b.txt", "not for the log")
        agent.call("move_file", source="b.txt", destination="docs/c.txt")
        agent.error("read_text_file", path="../../etc/passwd")
        agent.error("delete_file", path="none")
        agent.call("undo")
        one = self.scene.agent(depot, token, {"X-Cairn-Tools": "filesystem"})
        one.call("filesystem", method="create_directory", path="d")
        self.assertEqual(self.entries(depot, delegate), [
            ("read_text_file", "a.txt", "ok"), ("write_file", "b.txt", "ok"),
            ("move_file", "b.txt docs/c.txt", "ok"),
            ("read_text_file", "../../etc/passwd", "PATH_OUTSIDE"),
            ("delete_file", "none", "PATH_NOT_FOUND"), ("undo", "", "ok"),
            ("create_directory", "d", "ok")])
        printed = self.scene.run("audit", "-n", "20").stdout
        self.assertRegex(printed, r"ann +mcp +write_file +ok .* b\.txt\n")
        self.assertNotIn("not for the log", printed)

    def test_refused_changes_are_there(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate()
        self.scene.agent(depot, token).error("write_file", path="x", content="x")
        self.assertEqual(self.entries(depot, delegate),
                         [("write_file", "x", "UPLOAD_NOT_ALLOWED")])

    def test_every_path_is_there(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate()
        self.scene.agent(depot, token).call("read_multiple_files", paths=["a.txt", "shop.json"])
        (_, context, _), = self.entries(depot, delegate)
        self.assertIn("a.txt", context)
        self.assertIn("shop.json", context)

    def test_the_change_that_was_taken_back_is_there(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate(canUpload=True)
        self.scene.agent(depot, token).call("undo", change="1")
        (_, context, _), = self.entries(depot, delegate)
        self.assertEqual(context, "1")

    def test_calls_can_be_found_by_the_tool(self):
        depot = self.scene.depot(FILES)
        token, delegate = self.scene.delegate()
        self.scene.agent(depot, token).read("a.txt")
        found = self.scene.tool("get_audit", delegateId=delegate, tool="read_text_file")["entries"]
        self.assertEqual(len(found), 1)


if __name__ == "__main__":
    main()
