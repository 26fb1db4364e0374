#!/usr/bin/env python3
"""scripts_test.py: what the scripts say and refuse, and that scripts/check finds what it is there to find.

Everything happens in a clone of the tree in a temporary directory; nothing is installed or built."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def copy_tree(to):
    """The tree as it is now, committed or not, as a repository of its own."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], cwd=to, check=True)


class ScriptsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="cairn-scripts-")
        cls.tree = pathlib.Path(cls.temporary.name) / "tree"
        copy_tree(cls.tree)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_in(self, *words, **environment):
        return subprocess.run(words, cwd=self.tree, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, **environment), timeout=300)

    def test_help_is_printed_and_nothing_built(self):
        for script in ("./start", "./test", "scripts/build"):
            for word in ("--help", "-h"):
                done = self.run_in(script, word)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(script.removeprefix("./"), done.stdout)
        self.assertFalse((self.tree / "build").exists())

    def test_unknown_words_are_refused(self):
        for words in (["./start", "--hlep"], ["./start", "serve"], ["./test", "unti"], ["./test", "unit", "--fast"],
                      ["scripts/build", "relaese"], ["scripts/build"], ["scripts/check", "--tidy"]):
            done = self.run_in(*words)
            self.assertEqual(done.returncode, 2, words)
        self.assertIn("'unti'", self.run_in("./test", "unti").stderr)
        self.assertFalse((self.tree / "build").exists())

    def test_check_finds(self):
        """All at once: one run of scripts/check reads the whole tree. That it passes as it is, ./test check shows."""
        include = '#include "data/tree/path.h"\n'
        cases = [
            ("an include of a higher layer", "src/base/bytes.cc", lambda text: include + text,
             "src/base/bytes.cc:1"),
            ("an include past what CMake depends on", "src/data/store/layout.cc", lambda text: include + text,
             "data/store does not depend on data/tree"),
            ("a source that is not listed", "src/base/stray.cc", lambda _: "", "src/base/stray.cc is not in"),
            ("Boost's parser", "src/tools/files/fs.cc", lambda text: text + "\n// boost::json::parse\n",
             "use json::parse"),
            ("a mutex that no analysis sees", "src/base/bytes.cc", lambda text: text + "\nstd::mutex lock;\n",
             "use Mutex or Guarded"),
            ("an include that precompiled headers hide", "src/base/bytes.cc",
             lambda text: text + "\nstd::unordered_set<int> set;\n", "does not include <unordered_set>"),
            ("another version", "server.json", lambda text: text.replace('"version": "', '"version": "9'),
             "does not say version"),
            ("a line out of shape", "src/base/error.cc", lambda text: text + "\nint   x ;\n", "clang-format-19 -i"),
        ]
        before = {}
        try:
            for _, name, change, _ in cases:
                file = self.tree / name
                before.setdefault(file, file.read_text() if file.exists() else None)
                file.write_text(change(file.read_text() if file.exists() else None))
            done = self.run_in("scripts/check", "--no-tidy")
        finally:
            for file, text in before.items():
                file.unlink() if text is None else file.write_text(text)
        self.assertEqual(done.returncode, 1)
        for what, _, _, said in cases:
            with self.subTest(what):
                self.assertIn(said, done.stderr)

    def test_a_failed_test_says_why_and_how_to_run_it_alone(self):
        tiny = self.tree / "build" / "tiny"
        tiny.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.tree / "build")
        output = "\n".join(["[ RUN      ] A.Passes", "noise", "[       OK ] A.Passes (0 ms)",
                            "[ RUN      ] A.Breaks", "why it broke", "[  FAILED  ] A.Breaks (0 ms)"])
        (tiny / "output").write_text(output)
        (tiny / "CTestTestfile.cmake").write_text(
            'add_test(good "/bin/true")\n'
            f'add_test(bad "/bin/sh" "-c" "cat {tiny}/output; exit 1")\n')
        done = self.run_in("scripts/run_tests", "tiny", "tiny")
        self.assertEqual(done.returncode, 1)
        self.assertIn("why it broke", done.stdout)
        self.assertNotIn("noise", done.stdout)
        (self.tree / "build/results/stages").write_text("tiny FAILED 61\n")
        report = self.run_in("scripts/report", "build/results").stdout
        self.assertIn("1:01  FAILED", report)
        self.assertIn("ctest --test-dir build/tiny --output-on-failure -R '^bad$'", report)
        self.assertTrue(report.endswith("\n1 passed, 1 failed\n"), report)
        self.assertIn("tiny: good", report)


if __name__ == "__main__":
    unittest.main()
