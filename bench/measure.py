"""Measuring a server from outside: the CPU time of its processes, and wrk's figures."""

import os
import re
import subprocess
import time


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def to_ms(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def wrk(url, pids, seconds, *options):
    """32 connections for so long; stops the program when an answer was not 2xx."""
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "--latency", *options, url]
    before, began = cpu_seconds(pids), time.monotonic()
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used, took = cpu_seconds(pids) - before, time.monotonic() - began
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(f"{url}: {out}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    quantile = {q: to_ms(re.search(rf"^\s+{q}%\s+(\S+)", out, re.M).group(1)) for q in (50, 99)}
    total = re.search(r"^total (\d+) (\d+)$", out, re.M)  # requests and bytes, where a script says so
    return {"rate": rate, "cores": used / took, "per_core": rate * took / max(used, 0.01),
            "p50": quantile[50], "p99": quantile[99],
            "answer_bytes": int(total.group(2)) / int(total.group(1)) if total else None}
