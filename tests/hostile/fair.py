"""What somebody else's attack may cost whoever has nothing to do with it: how long reads take, on a machine of which
nobody knows what else it does.

A time by itself says little there. So each read of the server that is attacked is followed by the same read of another
one, that nobody attacks: what a busy machine does to the one it does to the other. In all 99 of 100 reads take at most
ten times what they took before or take there, and never more than 250 ms longer than there; where a machine is so busy
that they take as long by themselves, no more than four times as long.
"""

import statistics
import time

MOST = 0.25  # seconds
TIMES = 10


def p99(times):
    if len(times) < 2:
        return max(times, default=0.0)
    return statistics.quantiles(times, n=100, method="inclusive")[98]


def longest(same):
    """What 99 of 100 reads may take in any case."""
    return max(MOST + same, 4 * same)


def most_of(quiet, same):
    """What 99 of 100 reads may take that took `quiet` before, and take `same` at a server that nobody attacks."""
    return min(TIMES * max(quiet, same), longest(same))


class Reads:
    """When each read began, and what it and its like took."""

    def __init__(self, all_of_them):
        self.all = all_of_them

    ours = property(lambda self: [took for _, took, _ in self.all])
    others = property(lambda self: [took for _, _, took in self.all])

    def during(self, spans):
        """Those that began in one of these times."""
        return Reads([one for one in self.all if any(began <= one[0] <= end for began, end in spans)])


class Pair:
    """Two like reads, measured one after the other."""

    def __init__(self, ours, others):
        self.reads, self.measured = (ours, others), []

    def measure(self):
        """What the first one gave."""
        began, times, answers = time.monotonic(), [], []
        for read in self.reads:
            at = time.monotonic()
            answers.append(read())
            times.append(time.monotonic() - at)
        self.measured.append((began, *times))
        return answers[0]

    def take(self):
        out, self.measured = Reads(self.measured), []
        return out
