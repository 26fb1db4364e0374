#!/usr/bin/env python3
"""cairn sandbox: what a command reaches, what becomes of its changes, and what is left behind.

sandbox_test.py CAIRN [test names…]

Where bubblewrap cannot work (some containers), the tests that need it are skipped and say why.
"""

import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import unittest

import program_test
from program_test import Base, Server
from waiting import PATIENCE, ended, until

PROBE = ["bwrap", "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
         "true"]


def why_not():
    try:
        done = subprocess.run(PROBE, capture_output=True, text=True, timeout=PATIENCE)
    except FileNotFoundError:
        return "bwrap is not installed"
    return "" if done.returncode == 0 else f"bwrap does not work here: {done.stderr.strip()}"


WHY_NOT = why_not()


class SandboxBase(Base):
    def setUp(self):
        super().setUp()
        self.runtime = self.dir / "runtime"
        self.runtime.mkdir()
        self.env = {"XDG_RUNTIME_DIR": str(self.runtime), "SHELL": "/bin/sh"}
        source = self.dir / "source"
        (source / "docs").mkdir(parents=True)
        (source / "src").mkdir()
        (source / "docs/a.md").write_text("one\ntwo\n")
        (source / "src/main.c").write_text("int main() {}\n")
        (source / "settings.json").write_text('{"a": 1}\n')
        (source / "notes.json").write_text("// not JSON\n")
        self.cairn("import", str(source), "d")

    def sandbox(self, *words, command=None, env=None, given=b""):
        """--data comes first: what is behind -- is the command's."""
        way, self.way = self.way, []
        try:
            return self.run_cairn(*way, "sandbox", *words, *(["--", *command] if command else []), given=given,
                                  env={**self.env, **(env or {})})
        finally:
            self.way = way

    def shell(self, script, *words, where="d", **more):
        return self.sandbox(where, *words, command=["sh", "-c", script], **more)

    def root(self):
        return self.cairn("depot", "show", "d", "--json").json["root"]

    def put(self, path, text):
        self.cairn("put", "-", f"d:{path}", given=text.encode())

    def assertNothingLeft(self):
        self.assertEqual(os.listdir(self.runtime), [])

    def assertUnchanged(self, done, code, before):
        self.assertEqual(done.code, code, done.text + done.err)
        self.assertEqual(self.root(), before)
        self.assertNothingLeft()


class Terminal:
    """cairn sandbox on a terminal of its own, typed to like a person would."""

    def __init__(self, test, *words):
        leader, follower = pty.openpty()
        env = {**program_test.CLEAN, **test.env, "TERM": "xterm"}
        self.process = subprocess.Popen([program_test.CAIRN, "--data", test.data, "sandbox", *words], stdin=follower,
                                        stdout=follower, stderr=follower, env=env, start_new_session=True)
        os.close(follower)
        self.leader, self.seen = leader, b""

    def read(self, seconds):
        if not select.select([self.leader], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.leader, 65536)
        except OSError:
            return b""

    def until(self, text):
        def came():
            self.seen += self.read(1)
            return text.encode() in self.seen

        until(came, lambda: f"{text!r} in {self.seen.decode(errors='replace')}")

    def type(self, text):
        os.write(self.leader, text.encode())

    def end(self):
        while part := self.read(PATIENCE):
            self.seen += part
        code = ended(self.process)
        os.close(self.leader)
        return code


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Walls(SandboxBase):
    """What a command reaches."""

    def test_no_files_of_the_host(self):
        (self.dir / "canary").write_text("sees me")
        script = f"""
            for path in /home /root /var /srv /opt /mnt /media /run /sys /boot {self.dir} {self.data} {self.runtime} \
                /etc/shadow /etc/hostname /etc/ssh /etc/resolv.conf; do
              if [ -e $path ]; then echo "there is $path"; fi
            done
            pwd; id -u; ls /; echo; ls -A /tmp /tmp/home /etc; cat /etc/passwd; hostname"""
        done = self.shell(script)
        self.assertEqual(done.code, 0, done.err)
        self.assertNotIn("there is", done.text)
        self.assertTrue(done.text.startswith("/work\n1000\n"), done.text)
        self.assertNotIn("root:", done.text)
        self.assertTrue(done.text.endswith("sandbox\n"), done.text)

    def test_nothing_to_write_but_the_tree(self):
        script = """
            for path in /x /usr/x /usr/local/x /bin/x /etc/x /etc/passwd /proc/sys/kernel/hostname \
                /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
              if [ -w $path ]; then echo "may write $path"; fi
              (echo bad > $path) 2>/dev/null && echo "wrote $path"
            done
            echo fine > /tmp/x && echo fine > $HOME/.x && echo ok"""
        done = self.shell(script)
        self.assertEqual((done.code, done.text), (0, "ok\n"), done.err)
        self.assertIn("nothing changed", done.err)

    def test_no_network_and_no_other_processes(self):
        server = Server(self.data)
        try:
            port = server.url.rsplit(":", 1)[1]
            script = f"""
                grep -c : /proc/net/dev; ls -d /proc/[0-9]* | wc -l
                (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo connected
                kill -0 {server.process.pid} 2>/dev/null && echo "sees the server"
                echo end"""
            done = self.sandbox("d", command=["bash", "-c", script])
            self.assertEqual(done.code, 0, done.err)
            lines = done.text.split()
            self.assertEqual(lines[0], "1", "only lo")
            self.assertLess(int(lines[1]), 8)
            self.assertEqual(lines[2:], ["end"], done.text)
        finally:
            server.stop()

    def test_nothing_of_the_environment_and_no_rights(self):
        done = self.shell("env; grep Cap /proc/self/status", env={"SECRET_KEY": "hunter2", "CAIRN_TOKEN": "t0k"})
        names = {line.split("=")[0] for line in done.text.splitlines() if "=" in line}
        self.assertLessEqual(names, {"PATH", "HOME", "TERM", "LANG", "PWD", "OLDPWD", "SHLVL", "_"})
        for which in ("CapPrm", "CapEff", "CapBnd"):
            self.assertRegex(done.text, rf"{which}:\s+0+\n")
        self.assertEqual(self.shell("unshare -U true 2>/dev/null && echo nested").text, "")

    def test_a_data_directory_among_the_programs_is_hidden(self):
        # In a world where /usr/local is a directory of this test's.
        local = self.dir / "local"
        local.mkdir()
        world = ["bwrap", "--dev-bind", "/", "/", "--bind", str(local), "/usr/local", "--"]
        if subprocess.run([*world, *PROBE], capture_output=True).returncode != 0:
            self.skipTest("no sandbox in a sandbox here")

        def run(*words):
            return subprocess.run([*world, program_test.CAIRN, "--data", "/usr/local/data", *words], text=True,
                                  env={**program_test.CLEAN, **self.env}, capture_output=True, stdin=subprocess.DEVNULL)

        self.assertEqual(run("depot", "create", "e").returncode, 0)
        self.assertIn("store", os.listdir(local / "data"))
        done = run("sandbox", "e", "--", "ls", "-A", "/usr/local/data")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_what_this_process_has_open_stays_outside(self):
        outside = self.dir / "outside"
        outside.mkdir()
        (outside / "secret").write_text("a secret")
        held = os.open(outside, os.O_RDONLY)
        try:
            script = f"cat /proc/self/fd/{held}/secret; echo x > /proc/self/fd/{held}/new; ls /proc/self/fd"
            done = subprocess.run([program_test.CAIRN, "--data", self.data, "sandbox", "d", "--no", "--", "sh", "-c",
                                   script], env={**program_test.CLEAN, **self.env}, pass_fds=[held],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
        finally:
            os.close(held)
        self.assertNotIn("secret", done.stdout)
        self.assertEqual(os.listdir(outside), ["secret"])

    def test_background_processes_end_with_it(self):
        mark = f"cairn-test-{os.getpid()}"
        script = f"(exec -a {mark} sleep 1000 >/dev/null 2>&1) & exit 0"
        done = self.sandbox("d", command=["bash", "-c", script])
        self.assertEqual(done.code, 0, done.err)
        everything = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        self.assertNotIn(mark, everything)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Changes(SandboxBase):
    """What becomes of what a command changes."""

    def test_changes_are_shown_and_committed(self):
        script = """echo three >> docs/a.md; rm src/main.c; mkdir -p new/empty; echo hi > new/file
                    printf 'a\\0b' > blob; mv notes.json renamed.txt"""
        done = self.shell(script, "--yes", "-m", "by machine")
        self.assertEqual(done.code, 0, done.err)
        for part in ("M", "docs/a.md", "+three", "--- a/src/main.c\n+++ /dev/null", "-int main() {}",
                     "A   dir  new/empty/", "+hi", "A   3 B  blob"):
            self.assertIn(part, done.text)
        self.assertTrue(done.line.endswith(self.root()))
        self.assertEqual(self.cairn("cat", "d:docs/a.md").text, "one\ntwo\nthree\n")
        self.assertEqual(self.cairn("cat", "d:blob").out, b"a\0b")
        out = self.dir / "out"
        self.cairn("export", "d", str(out))
        self.assertEqual(sorted(str(p.relative_to(out)) for p in out.rglob("*")),
                         ["blob", "docs", "docs/a.md", "new", "new/empty", "new/file", "renamed.txt", "settings.json",
                          "src"])
        log = self.cairn("depot", "log", "d", "-n", "1").text
        self.assertIn("by machine", log)
        self.assertNothingLeft()

    def test_only_a_place_of_the_depot(self):
        done = self.shell("ls; echo x > b.md; rm a.md", "--yes", where="d:docs")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(done.text.startswith("a.md\n"), done.text)
        self.assertIn("docs/b.md", done.text)
        self.assertEqual(self.cairn("find", "d", "*.*").text.split(),
                         ["docs/b.md", "notes.json", "settings.json", "src/main.c"])
        ident = self.cairn("depot", "show", "d", "--json").json["depotId"]
        for where in (f"{ident}/src", "d/src", "d/src/", "d:src"):
            done = self.shell("ls", where=where)
            self.assertEqual((done.code, done.text), (0, "main.c\n"), done.err)

    def test_without_consent_nothing_changes(self):
        before = self.root()
        done = self.shell("echo x > docs/a.md")
        self.assertUnchanged(done, 1, before)
        self.assertIn("--yes", done.err)
        self.assertIn("+x", done.text)
        self.assertUnchanged(self.shell("echo x > docs/a.md", "--no"), 1, before)
        self.assertUnchanged(self.shell("true", "--no"), 0, before)
        self.assertUnchanged(self.shell("touch docs/a.md", "--yes"), 0, before)

    def test_the_exit_code_of_the_command_is_told(self):
        done = self.shell("exit 3", "--yes")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("ended with 3", done.err)
        done = self.sandbox("d", command=["no-such-program"])
        self.assertEqual(done.code, 0)
        self.assertRegex(done.err, "no-such-program.*\n.*ended with 1")

    def test_yes_is_not_for_a_command_that_failed(self):
        before = self.root()
        done = self.shell("echo x > x.txt; exit 3", "--yes")
        self.assertUnchanged(done, 1, before)
        self.assertIn("the command failed", done.err)

    def test_keep(self):
        done = self.shell("echo x > docs/a.md", "--no", "--keep")
        self.assertEqual(done.code, 1)
        kept = pathlib.Path(re.search(r"kept in (\S+)", done.err).group(1))
        self.assertEqual((kept / "docs/a.md").read_text(), "x\n")
        self.assertEqual(kept.parent.stat().st_mode & 0o777, 0o700)

    def test_what_cannot_be_kept_is_told(self):
        script = """ln -s /etc/passwd link; mkfifo pipe; touch "$(printf 'bad\\377name')"; touch '~1'
                    chmod 755 src/main.c; ln -s /etc linked-dir"""
        done = self.shell(script, "--yes")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("nothing changed", done.err)
        for part in ("link: symbolic", "pipe: neither", "src/main.c: only its mode", "~1: ", "linked-dir: symbolic"):
            self.assertIn(f"not taken over: {part}", done.err)
        self.assertEqual(done.err.count("not taken over"), 6)
        self.assertNotIn(str(self.runtime), done.err)

    def test_a_link_in_the_place_of_a_file_removes_it(self):
        done = self.shell("rm docs/a.md; ln -s /etc/passwd docs/a.md", "--yes")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.run_cairn("cat", "d:docs/a.md").code, 3)

    def test_files_become_directories_and_the_other_way(self):
        done = self.shell("rm -r docs; echo file > docs; rm settings.json; mkdir settings.json; echo x > settings.json/y",
                          "--yes")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.cairn("cat", "d:docs").text, "file\n")
        self.assertEqual(self.cairn("cat", "d:settings.json/y").text, "x\n")

    def test_as_json(self):
        done = self.shell("echo to stdout; echo x > docs/a.md; exit 0", "--yes", "--json")
        answer = done.json
        self.assertIn("to stdout", done.err)
        self.assertEqual(answer["changes"], [{"change": "modified", "path": "docs/a.md", "type": "file", "size": 2}])
        self.assertEqual((answer["exitCode"], answer["committed"], answer["root"]), (0, True, self.root()))
        self.assertFalse(self.shell("echo y > docs/a.md", "--json").json["committed"])

    def test_many_files(self):
        done = self.shell("for i in $(seq 1 350); do mkdir -p e/$i f/$i; echo $i > f/$i/x; done", "--yes")
        self.assertEqual(done.code, 0, done.err)
        done = self.shell("rm -r f/1* f/2/x e/3; find e f | wc -l", "--yes")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.cairn("cat", "d:f/33/x").text, "33\n")
        self.assertEqual(self.run_cairn("cat", "d:f/133/x").code, 3)
        self.assertIn("nothing changed", self.shell("true").err)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Hostile(SandboxBase):
    def test_unreadable_deep_and_huge_things(self):
        before = self.root()
        done = self.shell("chmod 000 docs src/main.c; chmod 000 src", "--yes")
        self.assertUnchanged(done, 0, before)
        done = self.shell("truncate -s 1T huge; truncate -s 1T docs/a.md", "--yes")
        self.assertUnchanged(done, 4, before)
        self.assertIn("in all; they may have", done.err)
        deep = "import os\nfor i in range(2000): os.mkdir('deeper'); os.chdir('deeper')"
        done = self.sandbox("d", "--no", command=["python3", "-c", deep])
        self.assertEqual(done.code, 1, done.err[-300:])
        self.assertIn("not taken over: deeper/", done.err)
        self.assertEqual(self.root(), before)
        self.assertNothingLeft()

    def test_text_is_no_command_to_the_terminal(self):
        terminal = Terminal(self, "d", "--", "sh", "-c", r"printf 'x\033[2Jy\n' > evil; touch \"$(printf 'n\033[2J')\"")
        terminal.until("[y/N]")
        terminal.type("n\r")
        self.assertEqual(terminal.end(), 1)
        self.assertNotIn(b"\x1b[2J", terminal.seen)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Rules(SandboxBase):
    def broken(self, script, *words, part):
        before = self.root()
        done = self.shell(script, "--yes", *words)
        self.assertUnchanged(done, 4, before)
        self.assertRegex(done.err, "(?m)^cairn: RULE_BROKEN: ")
        self.assertIn(part, done.err)
        return done

    def test_paths(self):
        self.broken("echo x > src/main.c", "--allow", "docs/**", part="'src/main.c' is not among the paths")
        self.assertEqual(self.shell("echo x > docs/a.md", "--yes", "--allow", "docs/**").code, 0)
        self.put(".cairn/rules.json", '{"allow": ["docs/**", "src/**"], "deny": ["*.c"]}')
        self.broken("echo y > src/main.c", part="'src/main.c' may not change")
        self.broken("echo y > new", part="'new' is not among")
        self.broken("echo y > src/x", "--allow", "docs/**", part="'src/x' is not among")
        self.broken("rm docs/a.md; rm src/main.c", part="'src/main.c' may not change")
        self.assertEqual(self.shell("echo y > src/x", "--yes", where="d:src").code, 0)

    def test_the_rules_are_those_before(self):
        self.put(".cairn/rules.json", '{"allow": ["docs/**"]}')
        self.broken("echo '{}' > .cairn/rules.json; echo x > src/main.c", part="only change with --allow-rules")
        self.broken("rm -r .cairn", part="'.cairn'")
        self.broken("echo '{}' > .cairn/rules.json", "--allow-rules", part="'.cairn/rules.json' is not among")
        self.put(".cairn/rules.json", "{}")
        self.assertEqual(self.shell("echo '{\"deny\": []}' > .cairn/rules.json", "--yes", "--allow-rules").code, 0)

    def test_sizes(self):
        self.broken("head -c 2000 /dev/zero > big", "--max-size", "1kB", part="2.0 kB in all; they may have 1.0 kB")
        self.put(".cairn/rules.json", '{"maxBytes": 1500, "maxFileBytes": 1000}')
        self.broken("head -c 1100 /dev/zero > big", part="'big' has 1.1 kB")
        self.broken("for i in 1 2; do head -c 900 /dev/zero > $i; done", "--max-size", "1MB", part="in all")

    def test_json_stays_json(self):
        self.broken("echo '{,}' > settings.json", part="'settings.json' is not JSON any more")
        self.broken("echo nothing > new.json", part="'new.json' is not JSON")
        self.assertEqual(self.shell("echo '// still none' > notes.json; echo '[]' > new.json", "--yes").code, 0)
        self.put(".cairn/rules.json", '{"json": false}')
        self.assertEqual(self.shell("echo '{,}' > settings.json", "--yes").code, 0)

    def test_broken_rules_are_an_error_before_anything_runs(self):
        self.put(".cairn/rules.json", '{"allow": "docs"}')
        before = self.root()
        done = self.shell("echo ran", "--yes")
        self.assertUnchanged(done, 2, before)
        self.assertNotIn("ran", done.text)
        self.assertIn(".cairn/rules.json", done.err)
        self.assertIn("'allow'", done.err)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Meanwhile(SandboxBase):
    """Others use the store while a command runs."""

    def begun(self, script, *words):
        """A command that waits in its sandbox until it gets a line."""
        process = subprocess.Popen([program_test.CAIRN, *self.way, "sandbox", "d", *words, "--", "sh", "-c",
                                    f"echo begun; read line; {script}"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**program_test.CLEAN, **self.env})
        self.assertEqual(process.stdout.readline(), b"begun\n")
        return process

    def ended(self, process):
        out, err = process.communicate(b"go\n", timeout=PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def test_what_others_committed_is_merged(self):
        process = self.begun("echo mine > docs/b.md", "--yes")
        self.put("src/theirs.c", "theirs")
        code, out, err = self.ended(process)
        self.assertEqual(code, 0, err)
        self.assertIn("merged", err)
        self.assertEqual(self.cairn("cat", "d:src/theirs.c").text, "theirs")
        self.assertEqual(self.cairn("cat", "d:docs/b.md").text, "mine\n")

    def test_a_conflict_loses_nothing(self):
        process = self.begun("echo mine > docs/a.md", "--yes")
        self.put("docs/a.md", "theirs\n")
        before = self.root()
        code, out, err = self.ended(process)
        self.assertEqual(code, 4, err)
        self.assertIn("cairn: CONFLICT: ", err)
        self.assertEqual(self.root(), before)
        kept = pathlib.Path(re.search(r"kept in (\S+):", err).group(1))
        self.assertEqual((kept / "docs/a.md").read_text(), "mine\n")
        diff = re.search(r"cairn (diff \S+ nod_\w+)", err).group(1).split()
        self.assertIn("+mine", self.run_cairn(*diff).text)

    def test_beside_a_server(self):
        server = Server(self.data)
        try:
            done = self.shell("echo x >> docs/a.md", "--yes")
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(self.cairn("cat", "d:docs/a.md").text, "one\ntwo\nx\n")
        finally:
            server.stop()

    def test_signals_leave_nothing_behind(self):
        before = self.root()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.begun("sleep 1000", "--yes")
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 128 + number, err)
            self.assertNothingLeft()
        self.assertEqual(self.root(), before)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class OnATerminal(SandboxBase):
    def test_yes_commits_and_anything_else_does_not(self):
        for answer, code in (("n", 1), ("", 1), ("maybe", 1), ("y", 0)):
            before = self.root()
            terminal = Terminal(self, "d", "--", "sh", "-c", f"echo {code} > docs/a.md")
            terminal.until("Commit these changes to 'd'? [y/N]")
            terminal.type(answer + "\r")
            self.assertEqual(terminal.end(), code, terminal.seen)
            self.assertEqual(self.root() != before, code == 0)
            self.assertNothingLeft()

    def test_an_interrupt_at_the_question(self):
        before = self.root()
        terminal = Terminal(self, "d", "--", "sh", "-c", "echo x > docs/a.md")
        terminal.until("[y/N]")
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.end(), 130)
        self.assertEqual(self.root(), before)
        self.assertNothingLeft()

    def test_a_shell_with_job_control(self):
        self.env["SHELL"] = "/bin/bash"
        terminal = Terminal(self, "d")
        terminal.type("set -o | grep monitor; stty size; echo hi > docs/new; tty >/dev/null && echo is-a'-'tty\r")
        terminal.until("is-a-tty")
        self.assertRegex(terminal.seen.decode(), r"monitor\s+on")
        terminal.type("""sh -c "echo sleep'-'ing; exec sleep 1000"\r""")
        terminal.until("sleep-ing")
        terminal.type("\x03")
        terminal.type("echo still'-'here; exit\r")
        terminal.until("still-here")
        terminal.until("[y/N]")
        self.assertIn("docs/new", terminal.seen.decode())
        terminal.type("y\r")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(self.cairn("cat", "d:docs/new").text, "hi\n")

    def test_a_command_cannot_answer_for_the_person(self):
        before = self.root()
        script = ("import fcntl, termios\n"
                  "open('docs/a.md', 'w').write('evil')\n"
                  "for c in 'y\\n' * 20:\n"
                  "    try: fcntl.ioctl(0, termios.TIOCSTI, c)\n"
                  "    except OSError as error: print(error)\n")
        terminal = Terminal(self, "d", "--", "python3", "-c", script)
        # Typed too early, for the command.
        terminal.type("y\ry\r")
        terminal.until("[y/N]")
        terminal.seen += terminal.read(1)
        self.assertIsNone(terminal.process.poll())
        terminal.type("\r")
        self.assertEqual(terminal.end(), 1)
        self.assertEqual(self.root(), before)


class Refusals(SandboxBase):
    def test_without_bubblewrap(self):
        empty = self.dir / "empty"
        empty.mkdir()
        done = self.shell("true", env={"PATH": str(empty)})
        self.assertEqual(done.code, 6)
        self.assertIn("apt-get install bubblewrap", done.err)
        self.assertNothingLeft()

    def test_with_a_bubblewrap_that_may_not(self):
        fake = self.dir / "fake"
        fake.mkdir()
        (fake / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        (fake / "bwrap").chmod(0o755)
        done = self.shell("true", env={"PATH": f"{fake}:{os.environ['PATH']}"})
        self.assertEqual(done.code, 6)
        self.assertIn("UNAVAILABLE: the sandbox cannot be made here (bwrap: No permissions", done.err)
        self.assertIn("user namespaces", done.err)
        self.assertNothingLeft()

    def test_what_it_does_not_work_on(self):
        for words, code, part in (
                (["d", "--server", "http://127.0.0.1:1"], 2, "this machine"),
                (["d", "--yes", "--no"], 2, "not both"),
                (["d", "--max-size", "big"], 2, "not a size"),
                (["d", "--allow", "[a"], 2, "is wrong at"),
                (["none"], 3, "none"),
                (["d:nowhere"], 3, "nowhere"),
                (["d:settings.json"], 2, "is a file"),
                ([self.root()], 2, "is a node")):
            if WHY_NOT and part not in ("this machine", "not both"):
                continue
            if "--server" in words:
                self.way, way = [], self.way
            done = self.sandbox(*words, command=["true"])
            if "--server" in words:
                self.way = way
            self.assertEqual(done.code, code, f"{words}: {done.err}")
            self.assertIn(part, done.err)
            self.assertNothingLeft()

    def test_no_tool_of_that_name(self):
        self.assertEqual(self.run_cairn("call", "sandbox").code, 3)


if __name__ == "__main__":
    program_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    if WHY_NOT:
        print(f"skipped in part: {WHY_NOT}", file=sys.stderr)
    unittest.main(verbosity=1)
