#!/usr/bin/env python3
"""commits.py CAIRN [--rounds N]: sixteen clients commit to one depot while the server is killed.

Every client appends to a file of its own and to one they all share, by writing and committing over
HTTP. In each round, after a random number of commits, the server is killed with SIGKILL and started
again. Then:

* no acknowledged commit is lost: what a client was told is in the depot, in its order;
* the depot's history is one line: each acknowledged commit is in it once, and each root in it holds
  everything acknowledged before it was asked for;
* the store is clean.
"""

import argparse
import random
import sys
import threading
import time

from server import Failed, Report, Server
from waiting import until

CLIENTS = 16
LEAST, MOST = 100, 400  # commits of a round


class Writer(threading.Thread):
    def __init__(self, server, depot, number, stop, clock):
        super().__init__()
        self.server, self.depot, self.number, self.stop = server, depot, number, stop
        self.clock = clock
        self.acknowledged = []  # (sequence number, root, began, ended)
        self.uncertain = set()
        self.next = 0
        self.errors = []

    def run(self):
        client = self.server.client()
        while not self.stop.is_set():
            number = self.next
            path = f"w{self.number}/{number}.txt"
            began = self.clock()
            sent = False
            try:
                root = client.call("fs_write", nodeKey=self.depot, path=path,
                                   content=f"{number}\n")["newRoot"]
                sent = True
                done = client.call("depot_commit", depotId=self.depot, root=root,
                                   message=f"w{self.number} {number}")
                self.acknowledged.append((number, done["root"], began, self.clock()))
                self.next += 1
            except Failed as failure:
                self.errors.append(str(failure))
                return
            except Exception:  # the server was killed
                if sent:
                    self.uncertain.add(number)
                    self.next += 1
                time.sleep(0.002)


def history(client, depot):
    entries, cursor = [], None
    while True:
        page = client.call("depot_history", depotId=depot, limit=1000,
                           **({"cursor": cursor} if cursor else {}))
        entries += page["entries"]
        cursor = page["nextCursor"]
        if cursor is None:
            return entries[::-1]


def files(client, root):
    found, queue = set(), [""]
    while queue:
        where = queue.pop()
        cursor = None
        while True:
            page = client.call("fs_ls", nodeKey=root, path=where, limit=1000,
                               **({"cursor": cursor} if cursor else {}))
            for child in page["children"]:
                path = f"{where}/{child['name']}" if where else child["name"]
                (queue.append if child["type"] == "dir" else found.add)(path)
            cursor = page["nextCursor"]
            if cursor is None:
                break
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("cairn")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = options.parse_args()
    print(f"seed {options.seed}")
    dice = random.Random(options.seed)
    report = Report()
    with Server(options.cairn) as server:
        depot = server.client().call("create_depot", title="busy", maxHistory=10_000)["depotId"]
        told = []  # (writer, number, root, began, ended)
        uncertain = set()
        start = [0] * CLIENTS
        for round_number in range(options.rounds):
            stop = threading.Event()
            writers = [Writer(server, depot, n, stop, time.monotonic) for n in range(CLIENTS)]
            for writer in writers:
                writer.next = start[writer.number]
                writer.start()
            enough = dice.randint(LEAST, MOST)
            try:
                until(lambda: sum(len(writer.acknowledged) for writer in writers) >= enough
                      or any(writer.errors for writer in writers), "commits")
                time.sleep(dice.uniform(0, 0.02))  # into the midst of the next
            finally:
                server.kill()
                stop.set()
            for writer in writers:
                writer.join()
                start[writer.number] = writer.next + 1
                told += [(writer.number, *entry) for entry in writer.acknowledged]
                uncertain |= {(writer.number, n) for n in writer.uncertain}
                report.check("no writer was refused", not writer.errors, writer.errors[:1])
            server.start()
        client = server.client()
        entries = history(client, depot)
        messages = [entry["message"] for entry in entries]
        position = {message: at for at, message in enumerate(messages)}
        report.check("there was something to look at", len(told) >= LEAST * options.rounds, len(told))
        report.check("the history has no commit twice", len(position) == len(messages))
        now = files(client, depot)
        for writer, number, root, began, ended in told:
            message = f"w{writer} {number}"
            report.check("an acknowledged commit is in the history", message in position, message)
            report.check("with the root that was told",
                         message in position and entries[position[message]]["root"] == root)
            report.check("and its file is in the depot", f"w{writer}/{number}.txt" in now)
        # Linearizable: who was answered before another began stands before it.
        ordered = sorted(told, key=lambda t: t[4])
        latest = -1
        by_begin = sorted(told, key=lambda t: t[3])
        at = 0
        for writer, number, root, began, ended in by_begin:
            while at < len(ordered) and ordered[at][4] < began:
                latest = max(latest, position.get(f"w{ordered[at][0]} {ordered[at][1]}", -1))
                at += 1
            report.check("commits stand in the order they were acknowledged in",
                         position.get(f"w{writer} {number}", -1) > latest)
        # What is there and was never acknowledged was at least asked for.
        known = {f"w{w}/{n}.txt" for w, n, *_ in told} | {f"w{w}/{n}.txt" for w, n in uncertain}
        report.check("nothing is there that nobody wrote", now <= known, now - known)
        report.check("the store is clean", client.call("check_store")["clean"])
        report.check("it stops when asked", server.stop() == 0)
    report.done()


if __name__ == "__main__":
    sys.exit(main())
