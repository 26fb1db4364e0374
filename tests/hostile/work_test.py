#!/usr/bin/env python3
"""Callers who make work for everybody, or leave it behind: trees that are too deep, schemas, quotas.

work_test.py CAIRN [test names…]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import hostile_test  # noqa: E402  (finds server.py)
from hostile_test import JSON, Hostile  # noqa: E402
from server import Failed  # noqa: E402
from waiting import CLEAN  # noqa: E402


class Work(Hostile):
    def test_directories_too_deep_are_refused_where_they_are_committed(self):
        place = "/".join(["p"] * 20)
        depot = self.depot(self.owner, {f"{place}/a.txt": "needle"})
        writer = self.server.client(self.reader(self.owner, f"{depot}/{place}", canUpload=True))
        mine = writer.call("list_depots")["depots"][0]["depotId"]
        root = writer.call("fs_write", nodeKey=mine, path="d/" * 500 + "f", content="x")["newRoot"]
        with self.assertRaises(Failed) as refused:
            writer.call("depot_commit", depotId=mine, root=root)
        self.assertEqual(refused.exception.code, "INVALID_PATH")
        self.assertEqual(self.owner.call("fs_grep", nodeKey=depot, pattern="needle")["matches"], 1)

    def test_trees_that_are_too_deep_are_searched_as_far_as_names_go(self):
        depot = self.depot(self.owner, {"d/" * 500 + "f": "needle", "top.txt": "needle"})
        # A copy of a copy: as raw nodes would make it, and nobody can commit it.
        deep = self.owner.call("fs_cp", nodeKey=depot, **{"from": "d", "to": "d/" * 300 + "more"})["newRoot"]
        found = self.owner.call("fs_grep", nodeKey=deep, pattern="needle")
        self.assertEqual((found["matches"], found["skippedDeep"]), (2, 1))
        found = self.owner.call("fs_find", nodeKey=deep, pattern="f")
        self.assertEqual((len(found["matches"]), found["skippedDeep"]), (1, 1))
        changed = self.owner.call("fs_diff", **{"from": depot, "to": deep})
        self.assertTrue(changed["changes"])
        _, _, tree = self.owner.request("POST", "/api/realm/me/tools/fs_tree", json.dumps(
            {"nodeKey": deep, "depth": -1, "maxEntries": 100_000}), JSON)
        self.assertIn(b'"truncated":true', tree[:500])
        for way in (["--data", self.server.data], ["--server", self.server.url, "--token", self.server.token]):
            with tempfile.TemporaryDirectory() as directory:
                done = subprocess.run([hostile_test.CAIRN, "export", deep, f"{directory}/out", *way], env=CLEAN,
                                      capture_output=True, text=True)
                self.assertEqual(pathlib.Path(f"{directory}/out/top.txt").read_text(), "needle", done.stderr)
                self.assertIn("1 path was left out", done.stderr)
            done = subprocess.run([hostile_test.CAIRN, "grep", "needle", deep, *way], env=CLEAN, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("too deep", done.stderr)

    def test_a_very_deep_tree_is_no_trouble(self):
        # Fifty thousand directories in one another; each step puts what there is below five hundred more.
        root = self.depot(self.owner, {"d/" * 500 + "f": "x"})
        for i in range(100):
            here, there = "de"[i % 2], "ed"[i % 2]
            root = self.owner.call("fs_mv", nodeKey=root, **{"from": here, "to": f"{there}/" * 500 + here})["newRoot"]
        for tool, arguments in (("fs_tree", {"depth": -1, "maxEntries": 100_000}), ("fs_find", {"pattern": "f"}),
                                ("fs_grep", {"pattern": "x"}), ("fs_ls", {}), ("fs_stat", {})):
            # Not taken apart here: it is nested as deep as a path may be.
            status, _, _ = self.owner.request("POST", f"/api/realm/me/tools/{tool}",
                                              json.dumps({"nodeKey": root, **arguments}), JSON)
            self.assertEqual(status, 200, tool)

    def test_comparing_with_an_enum_is_counted(self):
        depot = self.depot(self.owner, {"a.json": "[]"})
        choice = {"operationType": "custom", "config": {"script": "return 1", "inputSchema": {
            "type": "object", "properties": {"x": {"type": "array", "items": {"enum": [
                f"{i}" + "a" * 5 for i in range(5000)]}}}}}}
        reader = self.server.client(self.reader(self.owner, depot))
        key = reader.call("create_endpoint", name="e", type="rest", bindings=[
            {"tool": choice, "toolName": "t"}])["apiKey"]
        before = self.server.cpu()
        status, _, body = self.server.client("").request(
            "POST", f"/api/v2/rest/{key}/t", json.dumps({"x": ["4999aaaaa"] * 80_000}), JSON)
        took = self.server.cpu() - before
        print(f"80,000 values and an enum of 5,000: {took:.2f} CPU seconds, {status}")
        self.assertLess(took, 5)

    def test_delegates_and_depots_count_and_have_an_end(self):
        bob = self.somebody_else()
        self.owner.call("update_user", userId="bob", quota=60_000)
        manager = self.server.client(bob.call("create_delegate", canManageDepot=True)["accessToken"])
        for tool, text in (("create_delegate", "name"), ("create_depot", "title")):
            with self.assertRaises(Failed) as refused:
                for i in range(400):
                    manager.call(tool, **{text: f"{i} " + "x" * 180})
            self.assertIn(refused.exception.code, ("QUOTA_EXCEEDED", "TOO_MANY_ENTRIES"))
        self.owner.call("update_user", userId="bob", quota=0)
        bob.call("create_delegate", name="more")

    def test_texts_of_tools_count_towards_the_quota(self):
        bob = self.somebody_else()
        depot = self.depot(bob, {"a.json": "[]"})
        self.owner.call("update_user", userId="bob", quota=1_000_000)
        reader = self.server.client(self.reader(bob, depot))
        config = {"script": "-- " + "x" * 50_000, "inputSchema": {"type": "object"}}
        with self.assertRaises(Failed) as refused:
            for _ in range(25):
                reader.call("create_tool", operationType="custom", config=config)
        self.assertEqual(refused.exception.code, "QUOTA_EXCEEDED")


if __name__ == "__main__":
    hostile_test.CAIRN = sys.argv.pop(1)
    unittest.main(verbosity=2, warnings="ignore")
