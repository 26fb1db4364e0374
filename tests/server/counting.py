#!/usr/bin/env python3
"""counting.py CAIRN: sixteen clients count up one number, each as it thinks is safe.

A client reads the depot's root and the number there, writes the next number on that root and commits with
`expectedRoot`; half of them exactly. However they meet: the number in the end is how often somebody was told that
it had changed something, and whoever was not told so is told why.
"""

import sys
import threading

from server import Failed, Report, Server

CLIENTS, TIMES = 16, 15


class Counter(threading.Thread):
    def __init__(self, server, depot, exact):
        super().__init__()
        self.server, self.depot, self.exact = server, depot, exact
        self.counted, self.same, self.refused, self.silent, self.errors = 0, 0, 0, 0, []

    def run(self):
        client = self.server.client()
        for _ in range(TIMES):
            try:
                self.count(client)
            except Failed as failure:
                wanted = "PRECONDITION_FAILED" if self.exact else "CONFLICT"
                if wanted in str(failure):
                    self.refused += 1
                else:
                    self.errors.append(str(failure))

    def count(self, client):
        began = client.call("get_depot", depotId=self.depot)["root"]
        number = int(client.call("fs_read", nodeKey=began, path="n")["content"])
        root = client.call("fs_write", nodeKey=began, path="n", content=f"{number + 1}\n")["newRoot"]
        done = client.call("depot_commit", depotId=self.depot, root=root, expectedRoot=began,
                           **({"exact": True} if self.exact else {}))
        if done["changed"]:
            self.counted += 1
        elif done.get("sameAsOthers") == ["n"] or done["merged"]:
            self.same += 1
        else:
            self.silent += 1


def main():
    report = Report()
    with Server(sys.argv[1]) as server:
        client = server.client()
        depot = client.call("create_depot", title="counted")["depotId"]
        root = client.call("fs_write", nodeKey=depot, path="n", content="0\n")["newRoot"]
        client.call("depot_commit", depotId=depot, root=root)
        counters = [Counter(server, depot, exact=i % 2 == 1) for i in range(CLIENTS)]
        for counter in counters:
            counter.start()
        for counter in counters:
            counter.join()
        number = int(client.call("fs_read", nodeKey=depot, path="n")["content"])
        counted = sum(counter.counted for counter in counters)
        print(f"counted {counted}, the same as others {sum(c.same for c in counters)}, "
              f"refused {sum(c.refused for c in counters)}")
        report.check("the number is what they were told", number == counted, number, counted)
        report.check("nothing was dropped without a word", all(c.silent == 0 for c in counters))
        report.check("nothing else went wrong", not any(c.errors for c in counters),
                     [c.errors for c in counters if c.errors][:1])
    report.done()


if __name__ == "__main__":
    sys.exit(main())
