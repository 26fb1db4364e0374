#!/usr/bin/env python3
"""Damage below a store, at random: its log, tables, blobs, MANIFEST, CURRENT and the rest, with flipped bits, zeroed
pages, cut off or gone. Whatever it is, the program never gives a wrong byte, never loses an acknowledged commit
without saying so, and never ends but in order.

damage_test.py CAIRN [--seed S] [--seeds N] [--only SEED] [--keep]

A seed is one trial. The table at the end says what came of the damage, for each kind of file:

  harmless   everything is there, and a check finds nothing
  told       the store is opened, and a check names what is damaged; the rest is read
  refused    the store is not opened, and why is said
  back       refused, and after `cairn fsck --repair` open again at an earlier state, with the depots that moved named
  healed     told, and after `cairn fsck --repair --from BACKUP` everything is there again
"""

import argparse
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import CLEAN, PATIENCE, ended  # noqa: E402

KINDS = {"log": "*.log", "table": "*.sst", "blob": "*.blob", "MANIFEST": "MANIFEST-*", "CURRENT": "CURRENT",
         "note": "SYNCED", "OPTIONS": "OPTIONS-*", "IDENTITY": "IDENTITY"}
WEIGHTS = {"log": 6, "table": 8, "blob": 6, "MANIFEST": 4, "CURRENT": 2, "note": 2, "OPTIONS": 1, "IDENTITY": 1}
HOWS = ("flip", "flips", "zero", "cut", "gone", "noise")
CRASHED = re.compile(rb"Assertion|Sanitizer|terminate called|Segmentation|pure virtual")
# Errors that speak of the store, and may stand before whoever asks for what is damaged.
STORE = {"CORRUPT_NODE", "IO_ERROR", "STORE_DAMAGED", "STORE_INCOMPATIBLE", "NODE_NOT_FOUND"}


class Wrong(Exception):
    """What must not be."""


class Serving:
    """cairn serve; `refused` has its words when it did not start."""

    def __init__(self, cairn, data):
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([cairn, "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--log-format",
                                         "none"], stdout=subprocess.PIPE, stderr=self.said, env=CLEAN)
        greeting = b""
        for line in self.process.stdout:
            greeting += line
            if line.strip().startswith(b"curl"):
                break
        found = re.search(rb"address +(\S+)", greeting)
        self.refused = None
        if not found:
            code = ended(self.process)
            self.refused = self.words()
            if code != 6:
                raise Wrong(f"serve ended with {code}: {self.refused}")
            return
        self.url = urllib.parse.urlsplit(found.group(1).decode())
        self.token = (data / "owner.token").read_text().strip()
        self.link = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=PATIENCE)

    def words(self):
        self.said.seek(0)
        words = self.said.read()
        if CRASHED.search(words):
            raise Wrong(f"a crash: {words.decode(errors='replace')[-2000:]}")
        return words.decode()

    def ask(self, method, target, body=None):
        """Status and body; None for a body that was broken off."""
        try:
            self.link.request(method, target, body, {"Authorization": f"Bearer {self.token}",
                                                     "Content-Type": "application/json"})
            answer = self.link.getresponse()
            text = answer.read()
            return answer.status, text
        except (http.client.HTTPException, ConnectionError) as error:
            self.link.close()
            if self.process.poll() is not None:
                raise Wrong(f"the server ended with {self.process.returncode} at {method} {target}: {self.words()}")
            return 200, None if isinstance(error, http.client.IncompleteRead) else b""

    def tool(self, name, **arguments):
        status, text = self.ask("POST", f"/api/realm/me/tools/{name}", json.dumps(arguments))
        return status, json.loads(text) if text else {}

    def stop(self, how=signal.SIGTERM):
        if self.refused is None:
            self.link.close()
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = ended(self.process)
        self.process.stdout.close()
        words = self.words()
        self.said.close()
        if how == signal.SIGTERM and self.refused is None and code != 0:
            raise Wrong(f"serve ended with {code}: {words}")


class Base:
    """A store with something of every kind, and what it acknowledged. Some of it is only in the log."""

    def __init__(self, cairn, place, seed):
        self.cairn, self.data = cairn, place / "base"
        self.files, self.history = {}, {}
        rng = random.Random(seed)
        source = place / "source"
        for number in range(24):
            path = source / f"d{number % 3}" / f"f{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(rng.randbytes(rng.choice([40, 150, 900, 5000, 260_000, 400_000])))
        # Many small ones, which lie in the tables themselves.
        (source / "small").mkdir()
        for number in range(160):
            (source / "small" / f"s{number}").write_bytes(rng.randbytes(rng.choice([20, 100, 300])))
        # Enough to be written out of the log when it ends.
        (source / "large").write_bytes(rng.randbytes(5_000_000))
        self.run("import", str(source), "one")
        self.run("import", str(source / "d1"), "two")
        self.commits(rng, "one", 3)
        self.backup = place / "backup"
        self.run("backup", str(self.backup))
        self.tables_only = place / "tables"
        shutil.copytree(self.data, self.tables_only, ignore=shutil.ignore_patterns("RESERVE", "*.sock"))
        server = Serving(cairn, self.data)
        for title in ("one", "two", "three"):
            if title == "three":
                server.tool("create_depot", title=title)
            self.commits(rng, title, 6, server)
        server.stop(signal.SIGKILL)
        self.source = source
        self.expect(place)

    def run(self, *words, given=b""):
        done = subprocess.run([self.cairn, *words, "--data", str(self.data)], input=given, capture_output=True, env=CLEAN,
                              timeout=PATIENCE)
        if done.returncode != 0:
            raise Wrong(f"cairn {words}: {done.stderr}")
        return done.stdout

    def commits(self, rng, title, count, server=None):
        where = ["--server", server.url.geturl(), "--token", server.token] if server else ["--data", str(self.data)]
        for number in range(count):
            content = rng.randbytes(rng.choice([30, 300, 4000, 30_000]))
            name = f"new/{title}{number}{'s' if server else ''}"
            subprocess.run([self.cairn, "put", "-", f"{title}:{name}", "-m", f"{name} comes", *where], input=content,
                           check=True, capture_output=True, env=CLEAN)

    def expect(self, place):
        """What is there, read from a copy of it that nobody damaged."""
        whole = place / "whole"
        shutil.copytree(self.data, whole, ignore=shutil.ignore_patterns("RESERVE", "*.sock"))
        server = Serving(self.cairn, whole)
        self.depots = {row["title"]: row["depotId"] for row in server.tool("list_depots")[1]["depots"]}
        for title, depot in self.depots.items():
            self.history[title] = history(server, depot)[1]
            out = place / f"out-{title}"
            subprocess.run([self.cairn, "export", title, str(out), "--server", server.url.geturl(), "--token",
                            server.token], check=True, capture_output=True, env=CLEAN)
            self.files[title] = {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*")
                                 if file.is_file()}
        server.stop()
        shutil.rmtree(whole)


def history(server, depot):
    status, answer = server.tool("depot_history", depotId=depot, limit=1000)
    if status != 200:
        return status, answer.get("error")
    return status, [(row["change"], row["root"], row.get("message")) for row in answer["entries"]]


def damage(rng, file, how):
    """The bytes of a file that some accident leaves; what was done, in words."""
    if how == "gone":
        file.unlink()
        return "gone"
    data = bytearray(file.read_bytes())
    size = len(data)
    if how == "cut":
        at = rng.randrange(size)
        file.write_bytes(data[:at])
        return f"cut at {at} of {size}"
    at = rng.randrange(size)
    if how == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif how == "flips":
        for _ in range(10):
            data[rng.randrange(size)] ^= 1 << rng.randrange(8)
    else:
        page = at - at % min(4096, max(size // 4, 1))
        length = min(4096, size - page)
        data[page:page + length] = bytes(length) if how == "zero" else rng.randbytes(length)
        at = page
    file.write_bytes(data)
    return f"{how} at {at} of {size}"


class Trial:
    def __init__(self, base, place, seed):
        self.base, self.seed = base, seed
        self.rng = random.Random(seed)
        self.place = place / f"trial{seed}"
        self.data = self.place / "data"
        self.silent = []  # what is not as it was, and was not told yet

    def run(self):
        """Kind of file, how, outcome."""
        self.place.mkdir()
        start = self.rng.choice([self.base.data, self.base.data, self.base.tables_only])
        # Without the reserve, which is as large as all the rest.
        shutil.copytree(start, self.data, ignore=shutil.ignore_patterns("RESERVE", "*.sock"))
        self.whole = start == self.base.data
        files = []
        while not files:
            kind = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            files = sorted(file for file in (self.data / "store").glob(KINDS[kind]) if file.stat().st_size > 0)
        file, how = self.rng.choice(files), self.rng.choice(HOWS)
        self.what = f"{file.name} {damage(self.rng, file, how)}"
        outcome = self.look()
        if outcome == "told" and kind in ("blob", "table"):
            outcome = self.heal()
            self.goes_on()
        return kind, how, outcome

    def wrong(self, words):
        raise Wrong(words)

    def cairn(self, *words):
        done = subprocess.run([self.base.cairn, *words, "--data", str(self.data)], capture_output=True, env=CLEAN,
                              timeout=PATIENCE)
        if done.returncode < 0 or CRASHED.search(done.stderr):
            self.wrong(f"cairn {' '.join(words)} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done

    def look(self):
        server = Serving(self.base.cairn, self.data)
        if server.refused is None:
            return self.look_at(server)
        server.stop()
        if not re.search(r"damaged|cannot open|cannot be used|newer version|cannot read|no store", server.refused):
            self.wrong(f"refused without a reason: {server.refused}")
        if "fsck --repair" not in server.refused:
            return "refused"
        done = self.cairn("fsck", "--repair", "--json")
        if done.returncode not in (0, 6) or not done.stdout:
            return "refused"
        report = json.loads(done.stdout)
        moved = {row["title"] for row in report["log"].get("movedBack", [])}
        server = Serving(self.base.cairn, self.data)
        if server.refused is not None:
            server.stop()
            return "refused"
        # A depot of which records are lost may be at an earlier commit, or gone; that was said.
        unsure = report["log"].get("unreadableChanges", 0) > 0 or report["tables"].get("lostRecords")
        self.look_at(server, None if unsure else moved)
        return "back"

    def look_at(self, server, moved=()):
        """Everything as it was, or told. `moved`: depots that were named as moved back; None: it was said that there
        may be others."""
        try:
            status, listed = server.tool("check_store")
            if status != 200 and listed.get("error") not in STORE:
                self.wrong(f"the check failed with {status}: {listed}")
            told = status != 200 or not listed["clean"]
            missing = self.depots_at(server, moved)
            missing += self.files_at(server, moved)
            if missing and not told:
                self.wrong(f"a check finds nothing, but {missing[:5]} ({listed})")
            return "told" if told else "harmless"
        finally:
            server.stop()

    def depots_at(self, server, moved):
        missing = []
        status, listed = server.tool("list_depots")
        if status != 200:
            return [f"depots cannot be listed: {listed}"]
        here = {row["title"]: row["depotId"] for row in listed["depots"]}
        for title, depot in self.base.depots.items():
            if title not in here:
                if self.whole and moved is not None and title not in moved:
                    missing.append(f"{title} is gone")
                continue
            status, entries = history(server, depot)
            if status != 200:
                missing.append(f"history of {title}: {entries}")
                continue
            expected = self.base.history[title]
            if not set(entries) <= set(expected):
                self.wrong(f"the history of {title} has {set(entries) - set(expected)}, which never was")
            if self.whole and moved is not None and title not in moved and entries != expected:
                missing.append(f"the history of {title} has {len(entries)} of {len(expected)} commits")
        return missing

    def files_at(self, server, moved):
        missing = []
        for title, depot in self.base.depots.items():
            for path, content in self.base.files[title].items():
                where = f"/api/realm/me/nodes/fs/{depot}/file?path={urllib.parse.quote(path)}"
                status, found = server.ask("GET", where)
                if status == 200 and found is not None and found == content:
                    continue
                if status == 200 and found:
                    self.wrong(f"{title}:{path} has {len(found)} bytes that are wrong")
                if not self.whole and status == 404:
                    continue  # it came later than this store
                if moved is not None and title not in moved:
                    missing.append(f"{title}:{path}: {status} {(found or b'broken off')[:200]}")
                elif status == 404 and json.loads(found)["error"] not in ("PATH_NOT_FOUND", "NOT_FOUND",
                                                                         "DEPOT_NOT_FOUND"):
                    missing.append(f"{title}:{path}: {found}")
        return missing

    def heal(self):
        """From the backup, which has all but the newest commits; what is not in it is named."""
        done = self.cairn("fsck", "--repair", "--from", str(self.base.backup), "--json")
        if done.returncode not in (0, 6) or not done.stdout:
            self.wrong(f"fsck --repair ended with {done.returncode}: {done.stderr}")
        lost = json.loads(done.stdout)["tables"].get("lostRecords")
        if done.returncode == 0 and lost:
            self.wrong(f"fsck --repair is content, and lost {lost}")
        if lost:
            self.whole = False  # depots may be at earlier commits
        self.export(done.returncode == 0)
        return "healed" if done.returncode == 0 else "told"

    def goes_on(self):
        """Nothing damaged is in the way any more, of reading, writing or collecting garbage."""
        again = self.cairn("fsck", "--repair", "--json")
        if not again.stdout or json.loads(again.stdout)["tables"]["repaired"]:
            self.wrong(f"fsck --repair has to write the tables anew once more: {again.stdout}{again.stderr}")
        for words in (["depot", "create", "after"], ["import", str(self.base.source / "d0"), "after"],
                      ["depot", "delete", "after", "--yes"]):
            done = self.cairn(*words)
            if done.returncode != 0:
                self.wrong(f"after the repair, cairn {words[0]} ended with {done.returncode}: {done.stderr}")
        # What cannot be read may be referred to still: then nothing is thrown away.
        done = self.cairn("gc", "--grace", "0")
        if done.returncode != 0 and json.loads(again.stdout)["clean"]:
            self.wrong(f"after the repair, cairn gc ended with {done.returncode}: {done.stderr}")

    def export(self, whole):
        """Each file that is written has its bytes; each other one is listed."""
        for title, files in self.base.files.items():
            out = self.place / f"out-{title}"
            done = self.cairn("export", title, str(out), "--json")
            if done.returncode == 3 and not self.whole:
                continue
            if done.returncode not in ((0,) if whole else (0, 6)):
                self.wrong(f"export ended with {done.returncode}: {done.stderr}")
            lost = set()
            if done.stdout:
                lost = {row["path"] for row in json.loads(done.stdout).get("damaged", [])}
            elif done.returncode == 0:
                self.wrong("export said nothing")
            for path, content in files.items():
                file = out / path
                if file.exists():
                    if file.read_bytes() != content:
                        self.wrong(f"export wrote {title}:{path} with wrong bytes")
                elif self.whole and done.returncode == 0:
                    self.wrong(f"export left {title}:{path} out")
                elif self.whole and done.stdout and not any(path == at or path.startswith(at + "/") or at == ""
                                                            for at in lost):
                    self.wrong(f"export left {title}:{path} out and did not list it")


def trial(base, place, seed, keep):
    test = Trial(base, place, seed)
    test.what = "?"
    try:
        return test.run(), None
    except Wrong as error:
        return None, f"seed {seed}, {test.what}: {error}"
    except Exception as error:  # noqa: BLE001
        return None, f"seed {seed}, {test.what}: {type(error).__name__}: {error}"
    finally:
        if not keep:
            shutil.rmtree(test.place, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=20261118, help="of the first trial; the others count up")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--only", type=int, help="the trial with this seed")
    parser.add_argument("--keep", action="store_true", help="keep the directories of trials")
    given = parser.parse_args()
    seeds = [given.only] if given.only is not None else range(given.seed, given.seed + given.seeds)
    place = pathlib.Path(tempfile.mkdtemp(prefix="cairn-damage-"))
    try:
        base = Base(given.cairn, place, 1)
        counts, failed = collections.Counter(), []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for outcome, error in pool.map(lambda seed: trial(base, place, seed, given.keep), seeds):
                if error:
                    failed.append(error)
                    print(error, flush=True)
                else:
                    counts[outcome] += 1
        outcomes = ("harmless", "told", "healed", "refused", "back")
        print(f"seed {given.seed}, {len(list(seeds))} trials, {len(failed)} failed")
        print(f"{'':10}" + "".join(f"{name:>10}" for name in outcomes))
        for kind in KINDS:
            row = [sum(n for (k, _, o), n in counts.items() if (k, o) == (kind, name)) for name in outcomes]
            print(f"{kind:10}" + "".join(f"{n:>10}" for n in row))
        if given.keep:
            print(place)
        return 1 if failed else 0
    finally:
        if not given.keep:
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
