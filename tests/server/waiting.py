"""What tests beside busy neighbours need: patience, and an address and surroundings of their own.

A test waits until something is there, and never for a time. PATIENCE is when it gives up on what
will not come any more, however busy the machine is; ctest's patience with a whole test is longer.
"""

import os
import time

PATIENCE = 120
# Nothing of the caller's taste.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_") and k != "NO_COLOR"}


def until(good, what="it", pause=0.005):
    """What `good` gives, once it gives something. `what` may be a function: what there is instead.
    Looking may cost more than nothing: then with a longer pause."""
    end = time.monotonic() + PATIENCE
    while not (found := good()):
        if time.monotonic() > end:
            raise AssertionError(f"{what() if callable(what) else what}: not in {PATIENCE} s")
        time.sleep(pause)
    return found


def own_address():
    """A loopback address that no other process on this machine has: a port there that was free, or
    was this test's, is not taken by somebody else meanwhile."""
    pid = os.getpid()
    return f"127.{1 + (pid >> 16 & 127)}.{pid >> 8 & 255}.{pid & 255}"


def ended(process):
    """The exit code of a process that was told to end; one that does not is killed."""
    try:
        return process.wait(PATIENCE)
    except BaseException:
        process.kill()
        process.wait()
        raise
