#!/usr/bin/env python3
"""Several agents at one depot: depot_agents_test.py CAIRN

With a token each, or sessions that share one; one after another and all at once. Their changes are
merged, or the later one is told: nobody's work is overwritten silently.
"""

import concurrent.futures
import pathlib
import shutil
import subprocess
import tempfile
import threading

from scene import CLEAN, FILES, Agent, DepotTest, LegacyDesk, LegacyStdio, ModernStdio, main

TEXT = FILES["a.txt"]


class Pairs:
    """What holds for two agents, however they came in: `pair` makes them."""

    def test_different_lines_are_merged_and_it_is_said(self):
        ann, bob = self.pair()
        ann.read("a.txt")
        self.assertNotIn("notes", bob.write("bob.txt", "b\n"))
        bob.read("a.txt")
        bob.write("a.txt", TEXT.replace("one", "ONE"))
        answer = ann.result("write_file", path="a.txt", content=TEXT.replace("five", "FIVE"))
        self.assertIn("merged", " ".join(answer["structuredContent"]["notes"]))
        self.assertIn("merged", answer["content"][1]["text"])
        self.assertEqual(bob.read("a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n")

    def test_the_same_line_is_a_conflict(self):
        ann, bob = self.pair()
        ann.read("a.txt")
        bob.read("a.txt")
        bob.write("a.txt", TEXT.replace("one", "bob"))
        self.assertConflict(
            ann.error("write_file", path="a.txt", content=TEXT.replace("one", "ann")), "a.txt")
        self.assertEqual(bob.read("a.txt"), TEXT.replace("one", "bob"))
        # Again without reading is refused again.
        self.assertConflict(
            ann.error("write_file", path="a.txt", content=TEXT.replace("one", "ann")), "a.txt")
        self.assertEqual(ann.read("a.txt"), TEXT.replace("one", "bob"))
        self.assertNotIn("notes", ann.write("a.txt", TEXT.replace("one", "bob and ann")))
        self.assertEqual(bob.read("a.txt"), TEXT.replace("one", "bob and ann"))

    def test_without_having_read_it_is_said(self):
        ann, bob = self.pair()
        bob.write("new.txt", "bob\n")
        self.assertIn("not read", ann.notes("write_file", path="new.txt", content="ann\n"))
        self.assertEqual(bob.read("new.txt"), "ann\n")
        ann.call("undo")
        self.assertEqual(bob.read("new.txt"), "bob\n")

    def test_what_changed_since_is_not_deleted_or_moved(self):
        ann, bob = self.pair()
        ann.read("a.txt")
        bob.edit("a.txt", "one", "ONE")
        self.assertConflict(ann.error("delete_file", path="a.txt"), "a.txt")
        self.assertConflict(ann.error("move_file", source="a.txt", destination="b.txt"), "a.txt")
        self.assertEqual(bob.text("list_directory", path="/"),
                         "[FILE] a.txt\n[DIR] docs\n[FILE] shop.json")
        ann.read("a.txt")
        ann.call("move_file", source="a.txt", destination="b.txt")
        self.assertEqual(bob.read("b.txt"), TEXT.replace("one", "ONE"))
        ann.call("delete_file", path="b.txt")


class Tokens(DepotTest, Pairs):
    def pair(self):
        return self.ann_and_bob()[1:]


class LegacySessions(DepotTest, Pairs):
    """Two sessions with one token, over HTTP."""

    # All four FAIL now: the sessions are taken for one agent, and overwrite each other silently.

    def pair(self):
        depot = self.scene.depot(FILES)
        token, _ = self.scene.delegate(canUpload=True)
        return [self.scene.agent(depot, token, way=LegacyDesk) for _ in range(2)]


class Desks(DepotTest, Pairs):
    """Two with one token that name themselves."""

    def pair(self):
        depot = self.scene.depot(FILES)
        return [self.scene.agent(depot, headers={"X-Cairn-Desk": desk}) for desk in ("a", "b")]


class Bridges(DepotTest, Pairs):
    """Two processes, both through a server."""

    def pair(self):
        depot = self.scene.depot(FILES)
        return self.scene.stdio(depot), self.scene.stdio(depot, way=ModernStdio)


class NamedServer(DepotTest, Pairs):
    """One process with --server and a token, one over HTTP with the same token."""

    def pair(self):
        depot = self.scene.depot(FILES)
        token, _ = self.scene.delegate(canUpload=True)
        return self.scene.far(depot, token), self.scene.agent(depot, token, way=LegacyDesk)


class OneDirectory(DepotTest, Pairs):
    """Two processes on a data directory and no server: the second goes through the first."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.open, cls.folders = [], []

    @classmethod
    def tearDownClass(cls):
        for agent in reversed(cls.open):
            assert agent.close() == 0
        for folder in cls.folders:
            shutil.rmtree(folder, ignore_errors=True)
        super().tearDownClass()

    def begin(self):
        folder = tempfile.mkdtemp(prefix="cairn-test-")
        self.folders.append(folder)
        data = folder + "/data"
        files = tempfile.mkdtemp(prefix="cairn-test-")
        self.folders.append(files)
        for path, text in FILES.items():
            place = pathlib.Path(files) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        subprocess.run([self.scene.cairn, "import", files, "shared", "--data", data], env=CLEAN,
                       check=True, capture_output=True)
        return data

    def process(self, data, way=LegacyStdio):
        agent = Agent(way(self.scene.cairn, data, None, {"depot": "shared"}))
        self.open.append(agent)
        agent.tools()
        return agent

    def pair(self):
        data = self.begin()
        return self.process(data), self.process(data)

    def test_the_second_goes_on_when_the_first_ends(self):
        data = self.begin()
        first, second = self.process(data), self.process(data)
        first.write("first.txt", "1\n")
        self.assertEqual(second.read("first.txt"), "1\n")
        self.open.remove(first)
        self.assertEqual(first.close(), 0)
        self.assertEqual(second.read("first.txt"), "1\n")
        second.write("second.txt", "2\n")
        self.assertEqual(self.process(data).read("second.txt"), "2\n")


class Merging(DepotTest):
    def test_json_by_key(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("shop.json")
        bob.edit("shop.json", '"coffee": 2', '"coffee": 3')
        self.assertIn("merged", ann.notes("write_file", path="shop.json",
                                          content='{"tea": 5, "coffee": 2}\n'))
        self.assertEqual(bob.read("shop.json"), '{"tea": 5, "coffee": 3}\n')
        ann.read("shop.json")
        bob.edit("shop.json", '"tea": 5', '"tea": 6')
        self.assertConflict(ann.error("write_file", path="shop.json",
                                      content='{"tea": 7, "coffee": 3}\n'), "shop.json")
        self.assertEqual(bob.read("shop.json"), '{"tea": 6, "coffee": 3}\n')

    def test_files_of_their_own(self):
        depot, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        bob.write("docs/guide.md", "# Bob\n")
        self.assertNotIn("notes", ann.write("a.txt", "ann\n"))
        self.assertEqual(self.scene.file(depot, "docs/guide.md"), "# Bob\n")

    def test_a_conflict_says_what_can_be_done_here(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        bob.write("a.txt", "bob\n")
        said = ann.error("write_file", path="a.txt", content="ann\n")
        self.assertIn("read", said)
        self.assertNotIn("force", said)
        self.assertNotIn("nod_", said)

    def test_reading_what_was_deleted(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        bob.call("delete_file", path="a.txt")
        self.assertConflict(ann.error("write_file", path="a.txt", content="ann\n"), "a.txt")
        self.assertIn("ENOENT", ann.error("delete_file", path="a.txt"))
        self.assertIn("ENOENT", ann.error("edit_file", path="a.txt",
                                          edits=[{"oldText": "one", "newText": "1"}]))

    def test_a_deleted_file_can_be_made_anew_after_looking(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        bob.call("delete_file", path="a.txt")
        self.assertConflict(ann.error("write_file", path="a.txt", content="ann\n"), "a.txt")
        self.assertIn("ENOENT", ann.error("read_text_file", path="a.txt"))
        ann.write("a.txt", "ann\n")

    def test_ones_own_deletion_is_no_conflict(self):
        _, ann, _ = self.ann_and_bob()
        ann.read("a.txt")
        ann.call("delete_file", path="a.txt")
        ann.write("a.txt", "new\n")
        self.assertEqual(ann.read("a.txt"), "new\n")

    def test_ones_own_move_is_no_conflict(self):
        _, ann, _ = self.ann_and_bob()
        ann.write("a.txt", "old\n")
        ann.call("move_file", source="a.txt", destination="a.bak")
        ann.write("a.txt", "new\n")
        self.assertEqual([ann.read("a.txt"), ann.read("a.bak")], ["new\n", "old\n"])

    def test_ones_own_undo_is_no_conflict(self):
        _, ann, _ = self.ann_and_bob()
        ann.write("n.txt", "first try\n")
        ann.call("undo")
        ann.write("n.txt", "second try\n")
        self.assertEqual(ann.read("n.txt"), "second try\n")

    def test_a_file_that_was_moved_is_still_known(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        ann.call("move_file", source="a.txt", destination="b.txt")
        bob.edit("b.txt", "one", "ONE")
        self.assertIn("merged", ann.notes("write_file", path="b.txt",
                                          content=TEXT.replace("five", "FIVE")))
        self.assertEqual(bob.read("b.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n")

    # What an agent was never shown it has not seen: writing over it has to merge, conflict or be
    # told. Each of these begins with ann knowing the file and bob changing its first line.

    def known_then_changed(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("a.txt")
        bob.edit("a.txt", "one", "BOB")
        return ann, bob

    def assertNotLostSilently(self, ann, bob, content):
        answer = ann.result("write_file", path="a.txt", content=content)
        kept = bob.read("a.txt").startswith("BOB\n")
        told = answer.get("isError") or answer["structuredContent"].get("notes")
        self.assertTrue(kept or told, f"bob's line is gone, and the answer is {answer['content']}")

    def test_after_a_merge_the_others_lines_are_not_seen(self):
        ann, bob = self.known_then_changed()
        ann.write("a.txt", TEXT.replace("five", "FIVE"))
        self.assertNotLostSilently(ann, bob, TEXT.replace("five", "FIVE!"))

    def test_an_edit_shows_a_part_only(self):
        lines = "".join(f"line {i}\n" for i in range(40))
        _, ann, bob = self.ann_and_bob({"a.txt": "one\n" + lines})
        ann.read("a.txt")
        bob.edit("a.txt", "one", "BOB")
        ann.edit("a.txt", "line 39", "LINE 39")
        self.assertNotLostSilently(ann, bob, "one\n" + lines.replace("line 39", "LINE 39!"))

    def test_a_search_shows_lines_only(self):
        ann, bob = self.known_then_changed()
        self.assertIn("No matches", ann.text("search_content", path="/", pattern="nowhere"))
        self.assertNotLostSilently(ann, bob, TEXT.replace("five", "FIVE"))

    def test_the_tail_is_not_the_whole(self):
        ann, bob = self.known_then_changed()
        ann.text("read_text_file", path="a.txt", tail=2)
        self.assertNotLostSilently(ann, bob, TEXT.replace("five", "FIVE"))

    def test_a_range_is_not_the_whole(self):
        ann, bob = self.known_then_changed()
        ann.text("read_text_file", path="a.txt", offset=3, limit=2)
        self.assertNotLostSilently(ann, bob, TEXT.replace("five", "FIVE"))

    def test_a_dry_run_shows_a_part_only(self):
        ann, bob = self.known_then_changed()
        ann.call("edit_file", path="a.txt", edits=[{"oldText": "four", "newText": "4"}],
                 dryRun=True)
        self.assertNotLostSilently(ann, bob, TEXT.replace("five", "FIVE"))

    def test_a_directory_with_a_changed_file_is_not_deleted(self):
        _, ann, bob = self.ann_and_bob()
        ann.read("docs/guide.md")
        bob.write("docs/guide.md", "# Bob worked hours on this\n")
        said = ann.result("delete_file", path="docs", recursive=True)
        self.assertTrue(said.get("isError") or said["structuredContent"].get("notes"),
                        said["content"])

    def test_one_more_name_is_no_way_around(self):
        ann, bob = self.known_then_changed()
        answer = ann.result("write_file", path="~0", content="ann\n")
        self.assertEqual(bob.read("a.txt"), TEXT.replace("one", "BOB"), answer["content"])


class AtOnce(DepotTest):
    """Many at the same time."""

    def all_at_once(self, works):
        barrier = threading.Barrier(len(works))

        def begin(work):
            barrier.wait()
            return work()

        with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
            return [done.result() for done in [pool.submit(begin, work) for work in works]]

    def test_sixteen_edit_one_file(self):
        text = "".join(f"line {i}.{j}\n" for i in range(16) for j in range(10))
        depot = self.scene.depot({"big.txt": text}, maxHistory=1000)
        tokens = [self.scene.delegate(canUpload=True)[0] for _ in range(4)]
        agents = [self.scene.agent(depot, tokens[i % 4]) for i in range(16)]

        def work(i):
            for j in range(10):
                agents[i].edit("big.txt", f"line {i}.{j}\n", f"LINE {i}.{j} by {i}\n")

        self.all_at_once([lambda i=i: work(i) for i in range(16)])
        self.assertEqual(self.scene.file(depot, "big.txt"), "".join(
            f"LINE {i}.{j} by {i}\n" for i in range(16) for j in range(10)))
        self.assertEqual(self.messages(depot).count("edit_file big.txt"), 160)

    def test_sixteen_edit_one_line(self):
        """Each edit is made on what is there: none is lost though all touch the same line."""
        depot = self.scene.depot({"line": " ".join(f"w{i}" for i in range(16)) + "\n"})
        agents = [self.scene.agent(depot) for _ in range(16)]
        done = self.all_at_once([
            lambda i=i: agents[i].result("edit_file", path="line", edits=[
                {"oldText": f"w{i} " if i < 15 else "w15", "newText": f"W{i} " if i < 15 else "W15"}
            ]) for i in range(16)])
        words = self.scene.file(depot, "line").split()
        for i, answer in enumerate(done):
            self.assertEqual(words[i], f"w{i}" if answer.get("isError") else f"W{i}")
        self.assertEqual([a["content"] for a in done if a.get("isError")], [])

    def test_moves_onto_one_name(self):
        depot = self.scene.depot({f"f{i}": f"{i}\n" for i in range(8)})
        agents = [self.scene.agent(depot) for _ in range(8)]
        done = self.all_at_once([
            lambda i=i: agents[i].result("move_file", source=f"f{i}", destination="one")
            for i in range(8)])
        won = [i for i, answer in enumerate(done) if not answer.get("isError")]
        self.assertEqual(len(won), 1)
        self.assertEqual(self.scene.file(depot, "one"), f"{won[0]}\n")
        for i in set(range(8)) - set(won):
            self.assertEqual(self.scene.file(depot, f"f{i}"), f"{i}\n")
            self.assertRegex(done[i]["content"][0]["text"],
                             "^(CONFLICT: |Destination already exists)")

    def test_creations_of_one_file(self):
        depot = self.scene.depot({})
        agents = [self.scene.agent(depot, headers={"X-Cairn-Desk": str(i)}) for i in range(8)]
        done = self.all_at_once([
            lambda i=i: agents[i].result("write_file", path="one", content=f"{i}\n")
            for i in range(8)])
        silent = [i for i, answer in enumerate(done)
                  if not answer.get("isError") and "notes" not in answer["structuredContent"]]
        # One made it; every other was refused, or told that it replaced something.
        self.assertEqual(len(silent), 1, done)
        made = sum(not answer.get("isError") for answer in done)
        self.assertEqual(self.messages(depot).count("write_file one"), made)

    def test_files_of_their_own(self):
        depot = self.scene.depot({}, maxHistory=1000)
        agents = [self.scene.agent(depot, way=LegacyDesk) for _ in range(8)]

        def work(i):
            for j in range(10):
                agents[i].write(f"f{i}.{j}", f"{i} {j}\n")

        self.all_at_once([lambda i=i: work(i) for i in range(8)])
        listed = agents[0].text("list_directory", path="/").splitlines()
        self.assertEqual(len(listed), 80)
        self.assertEqual(len(self.messages(depot)), 81)

    def test_undo_while_others_write(self):
        depot = self.scene.depot(FILES, maxHistory=1000)
        ann, bob = self.scene.two(depot)

        def undo():
            for i in range(10):
                ann.write(f"ann{i}", "a\n")
                ann.call("undo")
                ann.error("read_text_file", path=f"ann{i}")

        def write():
            for i in range(20):
                bob.write(f"bob{i}", "b\n")

        self.all_at_once([undo, write])
        self.assertEqual(ann.text("search_files", path="/", pattern="bob*").count("\n"), 19)


class Sessions(DepotTest):
    def test_one_token_without_desks_is_one_agent(self):
        depot = self.scene.depot(FILES)
        one, other = self.scene.agent(depot), self.scene.agent(depot)
        one.read("a.txt")
        self.assertNotIn("notes", other.write("a.txt", "x\n"))

    def test_a_session_stays_at_its_depot(self):
        here, there = self.scene.depot({"a": "here"}), self.scene.depot({"a": "there"})
        agent = self.scene.agent(here, way=LegacyDesk)
        self.assertEqual(agent.read("a"), "here")
        agent.way.target = agent.way.target.replace(here, there)
        answer = agent.request("tools/call", {"name": "read_text_file",
                                              "arguments": {"path": "a"}})
        self.assertNotIn("here", str(answer))
        self.assertEqual(agent.way.status, 404, answer)

    def test_a_session_is_for_its_token(self):
        depot = self.scene.depot(FILES)
        agent = self.scene.agent(depot, self.scene.delegate()[0], way=LegacyDesk)
        agent.read("a.txt")
        agent.way.token = self.scene.delegate()[0]
        answer = agent.request("tools/list")
        self.assertEqual(agent.way.status, 404, answer)

    def test_a_client_that_names_its_version_at_once_has_a_session_of_its_own(self):
        depot = self.scene.depot(FILES)
        version = {"MCP-Protocol-Version": "2025-11-25"}
        ann, bob = (self.scene.agent(depot, way=LegacyDesk, headers=version) for _ in range(2))
        ann.read("a.txt")
        bob.read("a.txt")
        bob.write("a.txt", "bob\n")
        self.assertConflict(ann.error("write_file", path="a.txt", content="ann\n"), "a.txt")

    def test_odd_desks(self):
        depot = self.scene.depot(FILES)
        for desk in ("x" * 5000, "a b", "x" * 199 + "\u00e9\u00e9", "\u00ff"):
            agent = self.scene.agent(depot, headers={"X-Cairn-Desk": desk.encode("utf-8")})
            answer = agent.request("tools/call", {"name": "read_text_file",
                                                  "arguments": {"path": "a.txt"}})
            self.assertIn(TEXT, str(answer).replace("\\n", "\n"), desk[:20])


if __name__ == "__main__":
    main()
