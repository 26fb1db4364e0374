#!/usr/bin/env python3
"""The file tools over a depot: depot_test.py CAIRN

Every tool once, over every way in; each change a commit, nothing else one; history and undo; the
one tool `filesystem` with the shapes of its manual.
"""

import base64
import json
import re

from scene import FILES, DepotTest, LegacyDesk, LegacyStdio, ModernDesk, ModernStdio, main

TOOLS = ["read_file", "read_text_file", "read_media_file", "read_multiple_files", "write_file",
         "edit_file", "create_directory", "move_file", "copy_file", "delete_file",
         "list_directory", "list_directory_with_sizes", "get_file_info",
         "list_allowed_directories", "directory_tree", "search_files", "search_content", "history",
         "undo"]
ISO = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


class Tools(DepotTest):
    def every_tool(self, depot, agent):
        self.assertEqual(agent.tools(), TOOLS)
        for name in ("read_text_file", "read_file"):
            result = agent.result(name, path="a.txt")
            self.assertEqual(result["content"], [{"type": "text", "text": FILES["a.txt"]}])
            self.assertEqual(result["structuredContent"], {"content": FILES["a.txt"]})
        self.assertEqual(agent.text("read_text_file", path="a.txt", head=2), "one\ntwo")
        self.assertEqual(agent.text("read_text_file", path="a.txt", tail=2), "five\n")
        part = agent.call("read_text_file", path="/a.txt", offset=2, limit=2)
        self.assertEqual(part["content"], "two\nthree")
        self.assertIn("offset 4", part["notes"][0])
        media = agent.call("read_media_file", path="docs/guide.md")["content"][0]
        self.assertEqual(base64.b64decode(media["resource"]["blob"]).decode(), "# Guide\n")
        many = agent.text("read_multiple_files", paths=["a.txt", "none", "docs/guide.md"])
        self.assertIn("a.txt:\none\n", many)
        self.assertIn("none: Error - ENOENT", many)
        self.assertIn("docs/guide.md:\n# Guide\n", many)
        self.assertEqual(agent.text("list_directory", path="/"),
                         "[FILE] a.txt\n[DIR] docs\n[FILE] shop.json")
        self.assertRegex(agent.text("list_directory_with_sizes", path=".", sortBy="size"),
                         r"a\.txt +24 B\n(.*\n)+Total: 2 files, 1 directories\n")
        tree = json.loads(agent.text("directory_tree", path="/"))
        self.assertEqual(tree[1], {"name": "docs", "type": "directory",
                                   "children": [{"name": "guide.md", "type": "file"}]})
        self.assertEqual(agent.text("search_files", path="/", pattern="**/*.md"), "/docs/guide.md")
        self.assertEqual(agent.text("search_content", path="/", pattern="TW", ignoreCase=True),
                         "/a.txt:2: two")
        info = agent.text("get_file_info", path="a.txt")
        self.assertIn("size: 24\n", info)
        self.assertIn("isFile: true\npermissions: 644", info)
        self.assertEqual(agent.text("list_allowed_directories"), "Allowed directories:\n/")
        dry = agent.text("edit_file", path="a.txt", dryRun=True,
                         edits=[{"oldText": "two", "newText": "2"}])
        self.assertIn("-two\n+2\n", dry)
        self.assertEqual(agent.text("history"), agent.text("history", limit=2))
        self.assertEqual(self.messages(depot), ["begin", "created"])

        self.assertEqual(agent.write("new.txt", "hello\n"),
                         {"content": "Successfully wrote to new.txt"})
        self.assertIn("+2\n", agent.edit("a.txt", "two", "2")["content"])
        agent.call("create_directory", path="x/y")
        agent.call("move_file", source="new.txt", destination="x/new.txt")
        agent.call("copy_file", source="x/new.txt", destination="copy.txt")
        agent.call("delete_file", path="copy.txt")
        agent.call("delete_file", path="x", recursive=True)
        self.assertIn("delete_file x", agent.text("undo"))
        self.assertEqual(agent.read("x/new.txt"), "hello\n")
        self.assertEqual(self.messages(depot), [
            "undo #8: delete_file x", "delete_file x", "delete_file copy.txt",
            "copy_file x/new.txt -> copy.txt", "move_file new.txt -> x/new.txt",
            "create_directory x/y", "edit_file a.txt", "write_file new.txt", "begin", "created"])

    def test_over_http_modern(self):
        depot = self.scene.depot(FILES)
        self.every_tool(depot, self.scene.agent(depot, way=ModernDesk))

    def test_over_http_legacy(self):
        depot = self.scene.depot(FILES)
        self.every_tool(depot, self.scene.agent(depot, way=LegacyDesk))

    def test_over_stdio_through_the_server(self):
        for way in (LegacyStdio, ModernStdio):
            depot = self.scene.depot(FILES)
            self.every_tool(depot, self.scene.stdio(depot, way=way))

    def test_what_a_model_is_told(self):
        depot, agent = self.at()
        said = agent.request("server/discover")["result"]["instructions"]
        for word in (self.scene.tool("get_depot", depotId=depot)["title"], "history", "undo",
                     "CONFLICT"):
            self.assertIn(word, said)

    def test_answers_fit_their_schemas(self):
        _, agent = self.at()
        tools = {t["name"]: t for t in agent.request("tools/list")["result"]["tools"]}
        answers = {"history": agent.call("history"), "write_file": agent.write("b", "b"),
                   "undo": agent.call("undo"), "read_file": agent.call("read_file", path="a.txt")}
        for name, answer in answers.items():
            schema = tools[name]["outputSchema"]
            self.assertLessEqual(set(schema.get("required", [])), set(answer), name)
            self.assertLessEqual(set(answer), set(schema["properties"]), name)

    def test_what_fails_or_changes_nothing_makes_no_commit(self):
        depot, agent = self.at()
        edit = lambda old, new="x": [{"oldText": old, "newText": new}]  # noqa: E731
        for tool, arguments, says in (
                ("write_file", {"path": "no/such/x", "content": "x"}, "ENOENT"),
                ("write_file", {"path": "docs", "content": "x"}, "EISDIR"),
                ("write_file", {"path": "/", "content": "x"}, "EISDIR"),
                ("write_file", {"path": "a.txt/x", "content": "x"}, "ENOTDIR"),
                ("write_file", {"path": "x"}, "'content'"),
                ("write_file", {"path": 5, "content": "x"}, "'path'"),
                ("edit_file", {"path": "none", "edits": edit("x")}, "ENOENT"),
                ("edit_file", {"path": "a.txt", "edits": edit("nowhere")}, "Could not find"),
                ("edit_file", {"path": "a.txt", "edits": edit("one") + edit("nowhere")},
                 "Could not find"),
                ("create_directory", {"path": "a.txt"}, "EEXIST"),
                ("create_directory", {"path": "a.txt/x"}, "ENOTDIR"),
                ("move_file", {"source": "none", "destination": "x"}, "ENOENT"),
                ("move_file", {"source": "a.txt", "destination": "shop.json"},
                 "Destination already exists"),
                ("move_file", {"source": "a.txt", "destination": "none/x"}, "ENOENT"),
                ("move_file", {"source": "docs", "destination": "docs/x"}, "EINVAL"),
                ("move_file", {"source": "/", "destination": "x"}, "EACCES"),
                ("copy_file", {"source": "a.txt", "destination": "shop.json"}, "EEXIST"),
                ("copy_file", {"source": "none", "destination": "x"}, "ENOENT"),
                ("delete_file", {"path": "none"}, "ENOENT"),
                ("delete_file", {"path": "docs"}, "recursive"),
                ("delete_file", {"path": "/", "recursive": True}, "EACCES"),
                ("undo", {"change": "77"}, "HISTORY_NOT_FOUND")):
            self.assertIn(says, agent.error(tool, **arguments), (tool, arguments))
        agent.write("a.txt", FILES["a.txt"])
        agent.edit("a.txt", "one", "one")
        agent.call("create_directory", path="docs")
        agent.call("create_directory", path="/")
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_where_a_missing_place_begins_is_said_in_words(self):
        _, agent = self.at()
        self.assertNotIn("'the root'", agent.error("write_file", path="no/such/x", content="x"))

    def test_one_path_in_many_spellings(self):
        depot, agent = self.at()
        for path in ("docs/guide.md", "/docs/guide.md", "./docs/guide.md", "docs//guide.md",
                     "docs/./guide.md", "docs/x/../guide.md"):
            self.assertEqual(agent.read(path), "# Guide\n", path)
        agent.write("/docs/../docs/./new.md", "n\n")
        self.assertEqual(self.messages(depot)[0], "write_file docs/new.md")

    def test_a_choice_of_tools(self):
        depot = self.scene.depot(FILES)
        changing = {"write_file", "edit_file", "create_directory", "move_file", "copy_file",
                    "delete_file", "undo"}
        reading = [name for name in TOOLS if name not in changing]
        for agent in (self.scene.agent(depot, headers={"X-Cairn-Read-Only": "true"}),
                      self.scene.agent(depot, headers={"X-Cairn-Read-Only": "true"},
                                       way=LegacyDesk),
                      self.scene.stdio(depot, **{"read-only": "true"})):
            self.assertEqual(agent.tools(), reading)
            answer = agent.request("tools/call", {"name": "write_file", "arguments": {
                "path": "x", "content": "x"}})
            self.assertEqual(answer["error"]["code"], -32602)
        few = self.scene.agent(depot, headers={"X-Cairn-Tools": "read_text_file, undo"})
        self.assertEqual(few.tools(), ["read_text_file", "undo"])
        fewer = self.scene.agent(depot, headers={"X-Cairn-Exclude-Tools": "undo,read_file"})
        self.assertEqual(fewer.tools(), [n for n in TOOLS if n not in ("undo", "read_file")])
        wrong = self.scene.agent(depot, headers={"X-Cairn-Tools": "read_txt_file"})
        self.assertIn("did you mean 'read_text_file'", str(wrong.request("tools/list")))
        self.assertEqual(wrong.way.status, 400)
        self.assertEqual(self.messages(depot), ["begin", "created"])


class History(DepotTest):
    def test_pages(self):
        depot, agent = self.at({})
        for i in range(7):
            agent.write(f"f{i}", "x\n")
        seen, cursor = [], {}
        while True:
            page = agent.call("history", limit=3, **cursor)
            self.assertLessEqual(len(page["changes"]), 3)
            seen += page["changes"]
            if "notes" not in page:
                break
            cursor = {"cursor": re.search(r"cursor (\S+)", page["notes"][0])[1]}
        self.assertEqual([c["message"] for c in seen],
                         [f"write_file f{i}" for i in range(6, -1, -1)] + ["created"])
        self.assertEqual([c["paths"] for c in seen], [[f"f{i}"] for i in range(6, -1, -1)] + [[]])
        self.assertEqual(len({c["change"] for c in seen}), 8)
        for change in seen:
            self.assertRegex(change["time"], ISO)
        for bad in ({"limit": 0}, {"limit": 101}, {"cursor": "zz"}, {"cursor": "c" + "9" * 40}):
            self.assertRegex(agent.error("history", **bad), "^INVALID_(ARGUMENT|CURSOR)")

    def test_the_cursor_is_in_the_structured_answer(self):
        _, agent = self.at()
        self.assertIn("nextCursor", agent.call("history", limit=1))

    def test_authors_and_paths(self):
        depot = self.scene.depot(FILES)
        token, ann = self.scene.delegate(name="ann", canUpload=True)
        agent = self.scene.agent(depot, token)
        agent.call("move_file", source="a.txt", destination="docs/b.txt")
        for i in range(8):
            self.scene.agent(depot).write(f"docs/f{i}", "x")
        agent.call("delete_file", path="docs", recursive=True)
        changes = agent.changes()
        self.assertEqual([changes[0]["author"], changes[-2]["author"]],
                         [ann, self.scene.tool("get_delegate")["delegateId"]])
        moved = changes[-3]
        self.assertEqual((moved["author"], set(moved["paths"])), (ann, {"a.txt", "docs/b.txt"}))
        self.assertEqual(changes[0]["paths"], ["docs"])

    def test_many_paths_are_counted(self):
        depot, agent = self.at({f"f{i}": "x" for i in range(9)})
        first = agent.changes()[0]
        self.assertEqual((len(first["paths"]), first["morePaths"]), (5, 4))


class Undo(DepotTest):
    def ids(self, agent):
        return [change["change"] for change in agent.changes()]

    def test_the_latest_and_then_the_one_before(self):
        depot, agent = self.at()
        agent.edit("a.txt", "one", "1")
        agent.edit("a.txt", "five", "5")
        self.assertEqual(agent.call("undo")["change"]["message"], "edit_file a.txt")
        self.assertEqual(agent.read("a.txt"), "1\ntwo\nthree\nfour\nfive\n")
        agent.call("undo")
        self.assertEqual(agent.read("a.txt"), FILES["a.txt"])
        self.assertEqual([c.get("undone", False) for c in agent.changes()[:4]],
                         [False, False, True, True])

    def test_named_and_back_again(self):
        depot, agent = self.at()
        agent.edit("a.txt", "one", "1")
        change = self.ids(agent)[0]
        agent.edit("a.txt", "five", "5")
        agent.call("undo", change=change)
        self.assertEqual(agent.read("a.txt"), "one\ntwo\nthree\nfour\n5\n")
        self.assertIn("nothing is left of", agent.error("undo", change=change))
        agent.call("undo", change=self.ids(agent)[0])
        self.assertEqual(agent.read("a.txt"), "1\ntwo\nthree\nfour\n5\n")
        self.assertNotIn("undone", [c for c in agent.changes() if c["change"] == change][0])
        agent.call("undo", change=change)
        self.assertEqual(agent.read("a.txt"), "one\ntwo\nthree\nfour\n5\n")

    def test_each_kind_of_change(self):
        depot, agent = self.at()
        before = agent.text("directory_tree", path="/")
        for tool, arguments in (
                ("write_file", {"path": "n", "content": "x"}),
                ("write_file", {"path": "a.txt", "content": "x"}),
                ("create_directory", {"path": "p/q"}),
                ("move_file", {"source": "docs", "destination": "papers"}),
                ("copy_file", {"source": "docs", "destination": "papers"}),
                ("delete_file", {"path": "docs", "recursive": True})):
            agent.call(tool, **arguments)
            agent.call("undo")
            self.assertEqual(agent.text("directory_tree", path="/"), before, tool)
            self.assertEqual(agent.read("a.txt"), FILES["a.txt"])

    def test_later_changes_of_others_stay(self):
        depot, ann, bob = self.ann_and_bob()
        ann.edit("a.txt", "one", "1")
        bob.edit("a.txt", "five", "5")
        bob.write("bob.txt", "b\n")
        ann.call("undo")
        self.assertEqual(ann.read("a.txt"), "one\ntwo\nthree\nfour\n5\n")
        self.assertEqual(ann.read("bob.txt"), "b\n")
        self.assertIn("no change of yours", ann.error("undo"))

    def test_what_others_build_on_is_a_conflict(self):
        depot, ann, bob = self.ann_and_bob()
        ann.edit("a.txt", "one", "1")
        bob.edit("a.txt", "1", "eins")
        before = self.messages(depot)
        self.assertConflict(ann.error("undo"), "a.txt")
        self.assertEqual(ann.read("a.txt"), "eins\ntwo\nthree\nfour\nfive\n")
        ann.call("create_directory", path="d")
        bob.write("d/f", "b\n")
        said = ann.error("undo")
        self.assertTrue(said.startswith("CONFLICT"), said)
        self.assertEqual(bob.read("d/f"), "b\n")
        self.assertEqual(self.messages(depot), ["write_file d/f", "create_directory d", *before])

    def test_a_conflict_names_the_change_and_what_to_do_here(self):
        depot, ann, bob = self.ann_and_bob()
        ann.edit("a.txt", "one", "1")
        change = self.ids(ann)[0]
        bob.edit("a.txt", "1", "eins")
        said = ann.error("undo")
        self.assertNotIn("force", said)
        self.assertRegex(said, rf"\b{change}\b")

    def test_anothers_change_by_its_id_only(self):
        depot, ann, bob = self.ann_and_bob()
        bob.write("bob.txt", "b\n")
        self.assertIn("no change of yours", ann.error("undo"))
        self.assertEqual(bob.read("bob.txt"), "b\n")
        ann.call("undo", change=self.ids(ann)[0])
        self.assertIn("ENOENT", bob.error("read_text_file", path="bob.txt"))
        # It was taken back for everybody, and the undo is ann's.
        self.assertIn("no change of yours", bob.error("undo"))
        bob.call("undo", change=self.ids(bob)[0])
        self.assertEqual(bob.read("bob.txt"), "b\n")

    def test_ids_that_name_nothing(self):
        depot, agent = self.at()
        for bad, code in (("x", "INVALID_ARGUMENT"), ("-1", "INVALID_ARGUMENT"),
                          ("1.0", "INVALID_ARGUMENT"), (" 1", "INVALID_ARGUMENT"),
                          ("0x1", "INVALID_ARGUMENT"), ("9" * 30, "INVALID_ARGUMENT"),
                          ("99", "HISTORY_NOT_FOUND"), ("0", "HISTORY_NOT_FOUND"),
                          (self.scene.log(depot)[0]["root"], "INVALID_ARGUMENT")):
            self.assertTrue(agent.error("undo", change=bad).startswith(code + ": "), bad)
        self.assertIn("'change'", agent.error("undo", change=1))
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_an_empty_id_is_not_the_latest(self):
        depot, agent = self.at()
        agent.write("n", "x")
        self.assertIn("INVALID_ARGUMENT", agent.error("undo", change=""))

    def test_what_only_looks_like_an_undo_is_none(self):
        depot, ann, bob = self.ann_and_bob()
        ann.write("n", "x\n")
        change = self.ids(ann)[0]
        root = self.scene.tool("fs_write", nodeKey=depot, path="y", content="y")["newRoot"]
        self.scene.tool("depot_commit", depotId=depot, root=root,
                        message=f"undo {change}: not really")
        self.assertNotIn("undone", ann.changes()[1])
        ann.call("undo", change=change)
        self.assertIn("ENOENT", ann.error("read_text_file", path="n"))

    def test_an_undo_without_effect_says_so(self):
        depot, agent = self.at()
        agent.write("a.txt", "other\n")
        change = self.ids(agent)[0]
        agent.write("a.txt", FILES["a.txt"])
        answer = agent.result("undo", change=change)
        marked = [c for c in agent.changes() if c["change"] == change][0].get("undone", False)
        self.assertTrue(answer.get("isError") or marked, answer)

    def test_what_the_history_has_dropped_stays(self):
        depot = self.scene.depot(FILES, keep="last=4")
        agent = self.scene.agent(depot)
        for i in range(5):
            agent.write("n", f"{i}\n")
        self.assertGreater(self.scene.tool("collect_garbage")["thinned"], 0)
        listed = self.ids(agent)
        self.assertEqual(len(listed), 4)
        for gone in ("1", listed[-1]):
            self.assertIn("HISTORY_NOT_FOUND", agent.error("undo", change=gone))
        agent.call("undo")
        self.assertEqual(agent.read("n"), "3\n")

    def test_a_change_that_history_lists_can_be_taken_back(self):
        depot = self.scene.depot(FILES, maxHistory=10000)
        ann, bob = self.scene.two(depot)
        ann.write("n", "x\n")
        change = self.ids(ann)[0]
        for i in range(501):
            bob.write("count", f"{i}\n")
        self.assertIn(change, [c["change"] for c in ann.changes(limit=100, cursor=self.deep(ann))])
        ann.call("undo", change=change)
        self.assertIn("ENOENT", ann.error("read_text_file", path="n"))

    def deep(self, agent):
        """The cursor after the newest 500."""
        cursor = {}
        for _ in range(5):
            note = agent.call("history", limit=100, **cursor)["notes"][0]
            cursor = {"cursor": re.search(r"cursor (\S+)", note)[1]}
        return cursor["cursor"]


class OneTool(DepotTest):
    """`filesystem`, as its manual has it."""

    def here(self):
        depot = self.scene.depot(FILES)
        agent = self.scene.agent(depot, headers={"X-Cairn-Tools": "filesystem"})
        return depot, lambda method, **more: agent.call("filesystem", method=method, **more), agent

    def test_shapes(self):
        depot, do, agent = self.here()
        self.assertEqual(agent.tools(), ["filesystem"])
        self.assertEqual(do("read_text_file", path="a.txt", head=1), {"result": "one"})
        self.assertEqual(do("read_media_file", path="docs/guide.md"),
                         {"base64": base64.b64encode(b"# Guide\n").decode(),
                          "mimeType": "text/markdown"})
        self.assertEqual(do("read_file", path="a.txt", tail=1), {"result": "five\n"})
        for method, arguments in (("write_file", {"path": "n/new.md", "content": "x"}),
                                  ("delete_file", {"path": "docs", "recursive": True}),
                                  ("move_file", {"source": "docs", "destination": "d"}),
                                  ("undo", {})):
            self.assertIs(do(method, dryRun=True, **arguments)["dryRun"], True)
        self.assertEqual(self.messages(depot), ["begin", "created"])
        good, bad = do("read_multiple_files", paths=["docs/guide.md", "none"])["result"]
        self.assertEqual(good, {"path": "docs/guide.md", "content": "# Guide\n", "success": True})
        self.assertEqual((bad["path"], bad["success"]), ("none", False))
        self.assertTrue(bad["error"].startswith("文件不存在: "), bad)
        self.assertEqual(do("write_file", path="docs/new.md", content="größer\n"),
                         {"bytesWritten": 9, "path": "docs/new.md"})
        edits = [{"oldText": "größer", "newText": "groß"}]
        self.assertEqual(do("edit_file", path="docs/new.md", edits=edits, dryRun=True),
                         {"dryRun": True, "original": "größer\n", "modified": "groß\n",
                          "changes": edits})
        self.assertEqual(do("edit_file", path="docs/new.md", edits=edits),
                         {"editsApplied": 1, "path": "docs/new.md"})
        self.assertEqual(do("create_directory", path="d/e"), {"created": "/d/e"})
        self.assertEqual(do("list_directory", path="docs/")["result"],
                         [{"name": "guide.md", "type": "file"}, {"name": "new.md", "type": "file"}])
        sized = do("list_directory_with_sizes", path="/", sortBy="size")["result"]
        self.assertEqual({tuple(sorted(one)) for one in sized},
                         {("modified", "name", "size", "type")})
        self.assertEqual(sized[0]["size"], 24)
        self.assertRegex(sized[0]["modified"], ISO)
        tree = do("directory_tree", path="/")["result"]
        self.assertEqual(tree[1], {"name": "d", "type": "directory", "children": [
            {"name": "e", "type": "directory", "children": []}]})
        self.assertEqual(do("move_file", source="docs/new.md", destination="d/new.md"),
                         {"from": "docs/new.md", "to": "d/new.md"})
        self.assertEqual(do("search_files", path="/", pattern="*.md", excludePatterns=["d/*"]),
                         {"result": ["docs/guide.md"]})
        info = do("get_file_info", path="a.txt")
        self.assertEqual((info["size"], info["isFile"], info["isDirectory"], info["permissions"]),
                         (24, True, False, "644"))
        for name in ("created", "modified", "accessed"):
            self.assertRegex(info[name], ISO)
        self.assertEqual(do("list_allowed_directories"), {"result": ["/"]})
        self.assertEqual(do("history", limit=1)["result"][0]["message"],
                         "move_file docs/new.md -> d/new.md")
        self.assertEqual(do("undo")["message"], "move_file docs/new.md -> d/new.md")
        self.assertEqual(len(self.messages(depot)), 7)

    def test_the_kinds_of_errors(self):
        depot, _, agent = self.here()
        for kind, arguments in (
                ("路径越权", {"method": "read_text_file", "path": "../x"}),
                ("文件不存在", {"method": "read_text_file", "path": "none"}),
                ("参数错误", {"method": "read_text_file"}),
                ("参数错误", {"method": "read_text_file", "path": "a.txt", "head": 1, "tail": 1}),
                ("参数错误", {}),
                ("参数错误", {"method": 5}),
                ("参数错误", {"method": "undo", "dryrun": True}),
                ("不支持的方法", {"method": "format_disk"})):
            result = agent.result("filesystem", **arguments)
            self.assertTrue(result["isError"])
            told = result["structuredContent"]
            self.assertEqual(set(told), {"success", "error"})
            self.assertIs(told["success"], False)
            self.assertTrue(told["error"].startswith(kind + ": "), told)
            self.assertEqual(json.loads(result["content"][0]["text"]), told)
        token, _ = self.scene.delegate()
        reader = self.scene.agent(depot, token, {"X-Cairn-Tools": "filesystem"})
        told = reader.result("filesystem", method="write_file", path="x", content="x")
        self.assertTrue(told["structuredContent"]["error"].startswith("权限不足: "), told)
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_merges_and_conflicts_are_told(self):
        depot, do, agent = self.here()
        other = self.scene.agent(depot, self.scene.delegate(canUpload=True)[0])
        do("read_text_file", path="a.txt")
        other.edit("a.txt", "one", "ONE")
        merged = do("write_file", path="a.txt", content=FILES["a.txt"].replace("five", "FIVE"))
        self.assertIn("merged", merged["notes"][0])
        do("read_text_file", path="a.txt")
        other.edit("a.txt", "ONE", "Eins")
        told = agent.result("filesystem", method="write_file", path="a.txt", content="mine\n")
        self.assertIn("CONFLICT", told["structuredContent"]["error"])

    def test_read_only(self):
        depot = self.scene.depot(FILES)
        agent = self.scene.agent(depot, headers={"X-Cairn-Tools": "filesystem",
                                                 "X-Cairn-Read-Only": "true"})
        tool = agent.request("tools/list")["result"]["tools"][0]
        self.assertTrue(tool["annotations"]["readOnlyHint"])
        self.assertNotIn("write_file", tool["inputSchema"]["properties"]["method"]["enum"])
        told = agent.result("filesystem", method="write_file", path="x", content="x")
        self.assertTrue(told["structuredContent"]["error"].startswith("不支持的方法"), told)


if __name__ == "__main__":
    main()
