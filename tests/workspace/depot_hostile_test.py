#!/usr/bin/env python3
"""What should not happen to a depot's workspace: depot_hostile_test.py CAIRN

Paths that are none, names that are odd, content that is huge, trees that are deep or wide, patterns
that explode, and a server that is killed right after it answered.
"""

import json
import pathlib
import socket
import subprocess
import tempfile

from scene import CLEAN, FILES, DepotTest, LegacyDesk, LegacyStdio, ModernDesk, main

WIDE = 5000
MIB = 1 << 20


class Paths(DepotTest):
    def test_paths_that_lead_nowhere(self):
        depot, agent = self.at()
        for path, says in (
                *((path, "Access denied") for path in (
                    "a\0b", "\0", "a.txt\0.png", "..", "/..", "docs/../../x", "C:\\x", "c:/x",
                    "Z:")),
                ("x" * 256, "255"), ("x" * 5000, "4096"), ("ü" * 128, "255"),
                ("x/" * 600 + "y", "512"), ("x" * 3_000_000, "4096")):
            for tool, more in (("read_text_file", {}), ("write_file", {"content": "x"}),
                               ("create_directory", {}), ("delete_file", {}),
                               ("get_file_info", {}), ("list_directory", {})):
                said = agent.error(tool, path=path, **more)
                self.assertIn(says, said, (tool, path[:40]))
                self.assertLess(len(said), 2000)
            self.assertIn(says, agent.error("move_file", source="a.txt", destination=path))
            self.assertIn(says, agent.error("copy_file", source=path, destination="b"))
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_half_a_surrogate_is_not_json(self):
        depot, agent = self.at()
        answer = agent.request("tools/call", {"name": "write_file", "arguments": {
            "path": "x", "content": "\ud800"}})
        self.assertEqual(answer["error"]["code"], -32700)
        self.assertEqual(self.messages(depot), ["begin", "created"])

    def test_odd_names(self):
        depot, agent = self.at({})
        names = ["a b", " ", "-rf", "*", "?", "[x]", "{a,b}", "a\\b", "new\nline", "tab\t", "\x01",
                 "\x7f", "'", '"', "$(id)", "%2e%2e", "%00", "CON", "e\u0301", "\u00e9", "日本",
                 "\u202eabc", "\U0001f600", "...", ".hidden", "~", "~x", "x" * 255, "ü" * 127]
        for name in names:
            agent.write(name, f"{len(name)}\n")
        for name in names:
            self.assertEqual(agent.read(name), f"{len(name)}\n", name)
            self.assertEqual(agent.read("/" + name), f"{len(name)}\n", name)
        tree = json.loads(agent.text("directory_tree", path="/"))
        self.assertEqual({one["name"] for one in tree}, set(names))
        self.assertIn("/%2e%2e:1: 6", agent.text("search_content", path="/", pattern="6"))
        for name in names:
            agent.call("delete_file", path=name)
        self.assertEqual(agent.text("list_directory", path="/"), "")

    def test_a_name_cannot_pretend_to_be_a_line_of_the_history(self):
        _, agent = self.at({})
        agent.write("x\n9  2026-01-01T00:00:00.000Z  dlt_0  write_file forged", "x")
        self.assertEqual(len(agent.text("history").splitlines()), 2)

    def test_a_child_index_is_no_name_here(self):
        depot, agent = self.at()
        for tool, arguments in (("read_text_file", {}), ("write_file", {"content": "mine\n"}),
                                ("delete_file", {}), ("list_directory", {})):
            self.assertIn("cannot be a name", agent.error(tool, path="~0", **arguments))
        self.assertEqual(self.scene.file(depot, "a.txt"), FILES["a.txt"])

    def test_what_is_wrong_with_a_child_index_is_said(self):
        _, agent = self.at()
        answer = agent.result("write_file", path="~9", content="x")
        self.assertNotIn("ENAMETOOLONG", answer["content"][0]["text"])

    def test_a_name_that_is_too_long_is_said_as_others_say_it(self):
        _, agent = self.at()
        self.assertIn("ENAMETOOLONG", agent.error("write_file", path="x" * 300, content="x"))


class Large(DepotTest):
    def test_eleven_megabytes(self):
        depot, agent = self.at({})
        text = "0123456789abcde\n" * (11 * MIB // 16)
        for way in (ModernDesk, LegacyDesk):
            name = way.name
            agent = self.scene.agent(depot, way=way)
            agent.write(name, text)
            self.assertEqual(agent.text("read_text_file", path=name, head=1), "0123456789abcde")
            self.assertEqual(agent.text("read_text_file", path=name, tail=2),
                             "0123456789abcde\n")
            self.assertIn(f"size: {len(text)}\n", agent.text("get_file_info", path=name))
            agent.edit(name, "0123456789abcde\n", "first\n")
            self.assertEqual(agent.text("read_text_file", path=name, head=1), "first")
        stdio = self.scene.stdio(depot)
        stdio.write("stdio", text)
        self.assertIn(f"size: {len(text)}\n", stdio.text("get_file_info", path="stdio"))

    def test_an_answer_that_takes_long_and_is_large_arrives(self):
        depot, agent = self.at({})
        agent.write("line", "x" * (11 * MIB))
        result = agent.result("edit_file", path="line", edits=[{"oldText": "xx", "newText": "y"}])
        self.assertFalse(result.get("isError"))

    def test_more_than_a_message_holds(self):
        depot, agent = self.at({})
        server = self.scene.server
        with socket.create_connection((server.host, server.port)) as connection:
            connection.sendall((f"POST /mcp/workspaces/{depot} HTTP/1.1\r\nHost: {server.host}\r\n"
                                f"Authorization: Bearer {server.token}\r\n"
                                "Content-Type: application/json\r\nAccept: application/json\r\n"
                                f"Content-Length: {13 * MIB}\r\n\r\n").encode())
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413 "))
        stdio = self.scene.stdio(depot)
        stdio.tools()
        stdio.way.write({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {
            "name": "write_file", "arguments": {"path": "x", "content": "x" * (13 * MIB)}}})
        self.assertIn("tools", stdio.request("tools/list")["result"])
        self.assertEqual(self.messages(depot), ["created"])

    def test_many_lines_found(self):
        depot, agent = self.at({})
        agent.write("many", "zzz\n" * 200_000)
        answer = agent.call("search_content", path="/", pattern="zzz")
        self.assertEqual(len(answer["content"].splitlines()), 1000)
        self.assertIn("maxResults", answer["notes"][0])
        answer = agent.call("search_content", path="/", pattern="zzz", maxResults=100_000)
        self.assertLess(len(answer["content"]), 1.1 * MIB)
        self.assertIn("the room for an answer", answer["notes"][0])

    def test_many_edits(self):
        depot, agent = self.at({"n": "".join(f"line {i};\n" for i in range(1000))})
        agent.call("edit_file", path="n", edits=[
            {"oldText": f"line {i};", "newText": f"LINE {i};"} for i in range(1000)])
        self.assertEqual(self.scene.file(depot, "n").count("LINE"), 1000)
        self.assertEqual(len(self.messages(depot)), 3)


class Wide(DepotTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.depot = cls.scene.depot({})
        with tempfile.TemporaryDirectory() as folder:
            wide = pathlib.Path(folder) / "m"
            wide.mkdir()
            for i in range(WIDE):
                (wide / f"f{i:04}.txt").write_text(f"needle {i}\n")
            done = cls.scene.run("import", folder, cls.depot)
            assert done.returncode == 0, done.stderr
        cls.agent = cls.scene.agent(cls.depot)

    def test_listed_whole(self):
        self.assertEqual(len(self.agent.text("list_directory", path="m").splitlines()), WIDE)
        sized = self.agent.text("list_directory_with_sizes", path="m", sortBy="size")
        self.assertIn(f"Total: {WIDE} files, 0 directories", sized)
        tree = json.loads(self.agent.text("directory_tree", path="/"))
        self.assertEqual(len(tree[0]["children"]), WIDE)

    def test_a_tree_says_what_it_left_out(self):
        answer = self.agent.call("directory_tree", path="/", maxEntries=10)
        inner = json.loads(answer["content"])[0]
        self.assertEqual((inner["truncated"], len(inner["children"])), (True, 9))
        self.assertIn(str(WIDE - 9), answer["notes"][0])
        answer = self.agent.call("directory_tree", path="m", maxEntries=10)
        self.assertEqual(len(json.loads(answer["content"])), 10)
        self.assertIn(str(WIDE - 10), answer["notes"][0])
        answer = self.agent.call("directory_tree", path="/", maxDepth=1)
        self.assertEqual(json.loads(answer["content"]),
                         [{"name": "m", "type": "directory", "truncated": True, "children": []}])
        self.assertIn("1 directories", answer["notes"][0])
        self.assertNotIn("notes", self.agent.call("directory_tree", path="/",
                                                  excludePatterns=["m"], maxEntries=1))
        for bad in ({"maxEntries": 0}, {"maxEntries": 10 ** 9}, {"maxDepth": 0},
                    {"maxDepth": 10 ** 9}, {"maxDepth": "1"}):
            self.assertIn("INVALID_ARGUMENT", self.agent.error("directory_tree", path="/", **bad))

    def test_a_tree_that_depth_has_cut_says_to_raise_it(self):
        note = self.agent.call("directory_tree", path="/", maxDepth=1)["notes"][0]
        self.assertIn("maxDepth", note)

    def test_a_search_says_where_it_stopped(self):
        answer = self.agent.call("search_files", path="/", pattern="**/*9.txt", maxResults=3)
        self.assertEqual(len(answer["content"].splitlines()), 3)
        self.assertIn("stopped at 3", answer["notes"][0])
        whole = self.agent.call("search_files", path="/", pattern="m/f000?.txt", maxResults=10)
        self.assertEqual(len(whole["content"].splitlines()), 10)
        self.assertNotIn("notes", whole)
        answer = self.agent.call("search_content", path="/", pattern="needle", maxResults=5)
        self.assertEqual(len(answer["content"].splitlines()), 5)
        self.assertIn("stopped at 5", answer["notes"][0])

    def test_a_search_that_found_all_does_not_say_more(self):
        answer = self.agent.call("search_content", path="/", pattern="needle 4999", maxResults=1)
        self.assertEqual(answer["content"], "/m/f4999.txt:1: needle 4999")
        self.assertNotIn("notes", answer)

    def test_patterns_that_explode(self):
        for pattern in ("*" * 3000 + "x", "**/" * 300 + "x", "{" * 100, "{a,b}" * 30,
                        "[" * 1000, "+(a|+(b))" * 50, "\\" * 999, "x" * 100_000, ""):
            result = self.agent.result("search_files", path="/", pattern=pattern)
            self.assertIn("content", result, pattern[:20])
        for pattern in ("(a*)*b" * 50, "(" * 2000, "a{1000}{1000}", "(?P<x>a)\\1", "[", "\\C*"):
            result = self.agent.result("search_content", path="/", pattern=pattern, regex=True)
            self.assertIn("content", result, pattern[:20])
        self.assertIn("INVALID_PATTERN",
                      self.agent.error("search_content", path="/", pattern="(", regex=True))

    def test_advice_names_arguments_that_there_are(self):
        said = self.agent.error("search_content", path="/", pattern="(", regex=True)
        self.assertNotIn("'literal'", said)


class Deep(DepotTest):
    def test_as_deep_as_paths_go(self):
        depot, agent = self.at({})
        deep = "/".join(["d"] * 511)
        agent.call("create_directory", path=deep)
        agent.write(deep + "/f", "needle\n")
        self.assertEqual(agent.read(deep + "/f"), "needle\n")
        self.assertIn("512", agent.error("write_file", path=deep + "/f/g", content="x"))
        tree = agent.call("directory_tree", path="/")
        self.assertEqual(tree["content"].count('"name"'), 200)
        self.assertIn("1 directories", tree["notes"][0])
        below = "/".join(["d"] * 300)
        self.assertIn("/f:1: needle", agent.text("search_content", path=below, pattern="needle"))
        self.assertTrue(agent.call("search_files", path="/", pattern="**/f")["notes"])
        agent.call("copy_file", source="d", destination="e")
        agent.call("delete_file", path="d", recursive=True)
        agent.call("undo")
        self.assertEqual(agent.read(deep + "/f"), "needle\n")

    def test_what_is_too_deep_to_search_is_said_as_such(self):
        _, agent = self.at({})
        agent.call("create_directory", path="/".join(["d"] * 500))
        note = agent.call("search_files", path="/", pattern="**/f")["notes"][0]
        self.assertNotIn("could not be read", note)


class Killed(DepotTest):
    def test_what_was_answered_is_there_after_a_kill(self):
        depot = self.scene.depot(FILES, maxHistory=1000)
        for i in range(5):
            agent = self.scene.agent(depot)
            agent.write(f"n{i}", f"{i}\n")
            agent.edit("a.txt", "one" if i == 0 else f"one {i - 1}", f"one {i}")
            agent.call("move_file", source=f"n{i}", destination=f"docs/n{i}")
            self.scene.server.kill()
            self.scene.server.start()
            self.scene.owner = self.scene.server.client()
            agent = self.scene.agent(depot)
            self.assertEqual(agent.read(f"docs/n{i}"), f"{i}\n")
            self.assertTrue(agent.read("a.txt").startswith(f"one {i}\n"))
            self.assertEqual(self.messages(depot)[0], f"move_file n{i} -> docs/n{i}")
        agent.call("undo")
        self.assertEqual(agent.read("n4"), "4\n")
        done = self.scene.run("fsck")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_process_on_the_directory_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.scene.cairn, "depot", "create", "own", "--data", folder],
                           env=CLEAN, check=True, capture_output=True)
            for i in range(3):
                way = LegacyStdio(self.scene.cairn, folder, None, {"depot": "own"})
                params = {"name": "write_file",
                          "arguments": {"path": f"n{i}", "content": f"{i}\n"}}
                self.assertNotIn("isError", way.request("tools/call", params)["result"])
                way.process.kill()
                way.process.wait()
                for pipe in (way.process.stdin, way.process.stdout, way.process.stderr):
                    pipe.close()
            way = LegacyStdio(self.scene.cairn, folder, None, {"depot": "own"})
            listed = way.request("tools/call", {"name": "list_directory",
                                                "arguments": {"path": "/"}})["result"]
            self.assertEqual(way.close(), 0)
            self.assertEqual(listed["structuredContent"]["content"],
                             "[FILE] n0\n[FILE] n1\n[FILE] n2")


if __name__ == "__main__":
    main()
