#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a recorded system call costs whoever makes it, with rings that are drained and with rings that are overwritten.

One process calls close(-1) CALLS times, raw_syscalls:* of it is recorded, by turns. The time is that of all calls: the mean of
RUNS runs and its standard deviation.
"""
import os
import shutil
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, table  # noqa: E402

CALLS = int(os.environ.get("CALLS", "3000000"))
LOAD = [os.path.join(BUILD, "tests/bench/close_loop"), "1", str(CALLS)]
WHAT = ["-e", "raw_syscalls:*", "-m", "512K", "-o", "OUT", "--"]
PERF, OURS = ["perf", "record", "-q", "-B"], [TSTREAM, "record", "-q"]
WAYS = [
    ("nothing recorded", []),
    ("perf record", PERF),
    ("perf record --overwrite", PERF + ["--overwrite"]),
    ("tstream record", OURS),
    ("tstream record --overwrite", OURS + ["--overwrite"]),
]


def calls_us(command):
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH"))
    words = [word.replace("OUT", os.path.join(folder, "cap")) for word in command + WHAT] if command else []
    run = Run(words + LOAD)
    shutil.rmtree(folder)
    if run.status:
        sys.exit("%s: status %d: %s" % (" ".join(command), run.status, run.err[:500]))
    return float(run.out.split()[0]) * CALLS / 1000


def line(name, times, base):
    deviation = statistics.stdev(times) if len(times) > 1 else 0.0
    return [name, "%.0f us" % statistics.mean(times), "%.0f us" % deviation,
            "%.2f us" % ((statistics.mean(times) - base) / CALLS)]


def main():
    ways = [way for way in WAYS if way[1][:1] != ["perf"] or shutil.which("perf")]
    times = {name: [] for name, _ in ways}
    for _ in range(RUNS):
        for name, command in ways:
            times[name].append(calls_us(command))
    base = statistics.mean(times[WAYS[0][0]])
    table("%d calls of close(-1) in one process; %s" % (CALLS, machine().replace("medians of ", "")),
          ["recorder", "all calls, mean", "standard deviation", "more a call"],
          [line(name, times[name], base) for name, _ in ways])


main()
