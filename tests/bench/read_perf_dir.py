#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Directories of perf's against ours: the same load, recorded in both ways, read by tstream.

Samples are not the same ones, so what counts is the time a million of them.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import TSTREAM, Run, machine, table  # noqa: E402
from readers import CPUS, LOOP, turns  # noqa: E402

CALLS = int(os.environ.get("CALLS", "400000"))
EVENTS = ["-e", "raw_syscalls:*", "-g", "-m", "16M"]
RECORDERS = [
    ("tstream record", [TSTREAM, "record", "-q"]),
    ("perf record --threads=cpu", ["perf", "record", "-q", "-B", "--threads=cpu"]),
    ("tstream record -z", [TSTREAM, "record", "-q", "-z"]),
    ("perf record -z", ["perf", "record", "-q", "-B", "-z"]),
    ("perf record --threads=cpu -z", ["perf", "record", "-q", "-B", "--threads=cpu", "-z"]),
]


def bytes_of(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))


def nr_samples(path):
    """As we count them: perf 6.1 does not count those in the streams of a directory."""
    out = Run([TSTREAM, "report", "--stats", "-i", path]).out
    return int(re.search(r"SAMPLE events:\s+(\d+)", out).group(1))


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to compare with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    load = ["-a", "--", LOOP, str(CPUS), str(CALLS)]
    paths = [os.path.join(folder, "capture.%d" % i) for i in range(len(RECORDERS))]
    for path, (_, words) in zip(paths, RECORDERS):
        run = Run(words + EVENTS + ["-o", path] + load)
        if not os.path.exists(path):
            sys.exit("%s: status %d: %s" % (" ".join(words), run.status, run.err[:500]))
    counts = [nr_samples(path) for path in paths]
    medians = turns([[TSTREAM, "report", "--stdio", "--sort", "comm,dso,sym", "-i", path] for path in paths])
    table("Captures of the same load; " + machine(),
          ["recorded by", "samples", "MB", "report", "a million samples", "CPU of that"],
          [[name, str(nr), "%.0f" % (bytes_of(path) / 1e6), "%.2f s, %.0f MiB" % (m["wall"], m["rss"]),
            "%.0f ms" % (1e9 * m["wall"] / nr), "%.0f ms" % (1e9 * m["cpu"] / nr)]
           for (name, _), path, nr, m in zip(RECORDERS, paths, counts, medians)])
    shutil.rmtree(folder)


main()
