#!/usr/bin/env python3
"""ledger_test.py: the checker notices every kind of loss, and nothing else.

Recorded histories, each with one thing that should not have happened, and the same without it.
"""

import unittest

from ledger import Broken, Change, Ledger, marks, marks_in

A, B, C, D = "mark-1-1", "mark-1-2", "mark-2-1", "mark-3-1"


def lines(*names):
    return "".join(f"{name} word\n" for name in names)


def begin(**files):
    return Ledger("r0", files or {"a": lines(A, B)})


class Marks(unittest.TestCase):
    def test_are_found_in_text_and_bytes(self):
        self.assertEqual(marks(lines(A, B, A)), {A: 2, B: 1})
        self.assertEqual(marks(b"\x00\xff" + A.encode() + b"\xfe"), {A: 1})
        self.assertEqual(marks("mark-1-12"), {"mark-1-12": 1})
        self.assertEqual(marks_in({"a": A, "b": f"{A} {B}"}), {A: 2, B: 1})


class Changes(unittest.TestCase):
    def test_follow_each_other(self):
        first = Change().then({A}, {B})
        self.assertEqual(first.then({B}, {A}), Change(frozenset({B}), frozenset({A})))
        self.assertEqual(first.then({C}), Change(frozenset({A, C}), frozenset({B})))


class Losses(unittest.TestCase):
    """Each has to be noticed."""

    def broken(self, kind, deed, *arguments):
        with self.assertRaises(Broken) as caught:
            deed(*arguments)
        self.assertEqual(caught.exception.kind, kind, caught.exception)

    def test_a_stale_root_wipes_a_line(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B, C)})
        self.broken("lost", ledger.committed, Change({D}), "r2", {"a": lines(A, B, D)})

    def test_a_stale_root_wipes_a_file(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B), "c": C})
        self.broken("lost", ledger.committed, Change({D}), "r2", {"a": lines(A, B), "d": D})

    def test_a_line_that_its_remover_had_not_seen(self):
        self.broken("lost", begin().committed, Change(removed={A}), "r1", {})

    def test_a_commit_that_dropped_its_own_line(self):
        self.broken("lost", begin().committed, Change({C}), "r1", {"a": lines(A, B)})

    def test_a_commit_that_was_acknowledged_and_did_nothing(self):
        ledger = begin()
        self.broken("lost", ledger.committed, Change({C}), "r0", ledger.state)

    def test_a_key_of_json(self):
        ledger = begin(a='{"%s": 1, "%s": "%s"}' % (A, B, C))
        self.broken("lost", ledger.committed, Change({D}), "r1", {"a": '{"%s": 1, "%s": "%s"}' % (A, B, D)})

    def test_bytes(self):
        ledger = begin(a=b"\x00" + A.encode())
        self.broken("lost", ledger.committed, Change({B}), "r1", {"a": b"\x00" + B.encode()})

    def test_a_merge_that_writes_a_line_twice(self):
        self.broken("doubled", begin().committed, Change({C}), "r1", {"a": lines(A, B, C, C)})

    def test_a_file_in_two_places_that_nobody_moved(self):
        self.broken("doubled", begin().committed, Change({C}), "r1", {"a": lines(A, B, C), "b": lines(C)})

    def test_a_refusal_that_changed_something(self):
        self.broken("changed", begin().refused, "r1", "CONFLICT")

    def test_a_write_that_moved_the_depot(self):
        self.broken("changed", begin().looked, "r1", "fs_write")

    def test_an_import_that_removes_what_others_put_there(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B), "theirs": C})
        self.broken("lost", ledger.committed, Change({D}, {A}), "r2", {"a": lines(B), "mine": D})

    def test_an_undo_that_takes_more_than_its_commit(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B, C)})
        ledger.committed(Change({D}), "r2", {"a": lines(A, B, C, D)})
        self.broken("lost", ledger.undone, ledger.commits[:1], "r3", {"a": lines(A, B)})

    def test_a_force_that_gave_something_else(self):
        self.broken("another", begin().replaced, {"a": lines(A)}, "r1", {"a": lines(A, B)}, "force")

    def test_a_sibling_that_is_dropped_without_a_word(self):
        ledger = begin()
        self.broken("untold", ledger.told, ["nod_ABCDEF"], {"changed": True}, "depot_commit")
        self.broken("untold", ledger.told, ["nod_ABCDEF"], {"uncommitted": [{"root": "nod_X"}]}, "depot_commit")
        self.broken("untold", ledger.told, ["nod_ABCDEF"], {"uncommitted": [{}]}, "depot_commit")

    def test_a_commit_that_is_missing_in_the_history(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B, C)})
        ledger.committed(Change({D}), "r2", {"a": lines(A, B, C, D)})
        self.broken("history", ledger.ends, ["r0", "r2"])

    def test_a_loss_that_comes_after_the_last_commit(self):
        ledger = begin()
        ledger.state = {"a": lines(A)}
        self.broken("lost", ledger.ends, ["r0"])


class NoLosses(unittest.TestCase):
    """None of these is one."""

    def test_a_line_that_its_remover_had_seen(self):
        ledger = begin()
        ledger.committed(Change({C}, {A}), "r1", {"a": lines(B, C)})
        ledger.ends(["r1"])

    def test_force_and_revert(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B, C)})
        ledger.replaced({"a": lines(D)}, "r2", {"a": lines(D)}, "force")
        ledger.replaced({"a": lines(A, B)}, "r0", {"a": lines(A, B)}, "revert")
        ledger.ends(["r0", "r1", "r2"])

    def test_undo(self):
        ledger = begin()
        ledger.committed(Change({C}), "r1", {"a": lines(A, B, C)})
        ledger.committed(Change({D}), "r2", {"a": lines(A, B, C, D)})
        ledger.undone(ledger.commits[:1], "r3", {"a": lines(A, B, D)})
        self.assertNotIn(C, ledger.live)
        self.assertIn(D, ledger.live)

    def test_what_was_taken_out_need_not_come_back(self):
        ledger = begin()
        first = Change({C})
        ledger.committed(first, "r1", {"a": lines(A, B, C)})
        ledger.committed(Change(removed={C}), "r2", {"a": lines(A, B)})
        ledger.committed(first, "r2", {"a": lines(A, B)})

    def test_but_what_came_back_stays(self):
        ledger = begin()
        ledger.committed(Change(removed={A}), "r1", {"a": lines(B)})
        ledger.replaced({"a": lines(A, B)}, "r0", {"a": lines(A, B)}, "revert")
        with self.assertRaises(Broken):
            ledger.committed(Change({C}), "r2", {"a": lines(B, C)})

    def test_a_file_that_two_moved(self):
        ledger = begin()
        ledger.moved({A, B})
        ledger.committed(Change(), "r1", {"b": lines(A, B), "c": lines(A, B)})

    def test_a_sibling_that_is_told(self):
        begin().told(["nod_ABCDEF"], {"uncommitted": [{"root": "nod_ABCDEF", "paths": ["a"]}]}, "depot_commit")
        begin().told(["nod_ABCDEF"], {"uncommitted": [{"root": "nod_ABC"}]}, "depot_commit")
        begin().told([], {}, "depot_commit")


if __name__ == "__main__":
    unittest.main(argv=["ledger_test.py"])
