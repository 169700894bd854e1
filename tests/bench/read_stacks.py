#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Readers on the same capture: report and script of samples with call chains, perf's and ours, time and memory.

The capture is perf's own (raw_syscalls with -g over processes that call close(-1)), one file, so that neither
side reads its home format. A ratio counts only when the rows are equal, which is checked first.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, medians, table  # noqa: E402

CALLS = int(os.environ.get("CALLS", "300000"))
CPUS = len(os.sched_getaffinity(0))
LOAD = [os.path.join(BUILD, "tests/bench/close_loop"), str(CPUS), str(CALLS)]
PAIRS = [
    ("report", ["report", "--stdio"]),
    ("report --no-children -g none", ["report", "--stdio", "--no-children", "-g", "none"]),
    ("script", ["script"]),
]


def rows_of(text):
    return sorted(re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if re.match(r"\s+\d+\.\d+%", line))


def measure(command, capture):
    run = Run(command + ["-i", capture])
    if run.status:
        sys.exit("%s: status %d: %s" % (" ".join(command), run.status, run.err[:500]))
    return {"wall": run.wall, "rss": run.rss_mib}, run.out


def compare(name, words, capture):
    theirs, ours = [], []
    for _ in range(RUNS):
        numbers, perf_text = measure(["perf"] + words, capture)
        theirs.append(numbers)
        numbers, our_text = measure([TSTREAM] + words, capture)
        ours.append(numbers)
    if words[0] == "script":
        equal = sorted(perf_text.splitlines()) == sorted(our_text.splitlines())
    else:
        equal = rows_of(perf_text) == rows_of(our_text)
    p, t = medians(theirs), medians(ours)
    return [name, "%.2f s, %.0f MiB" % (p["wall"], p["rss"]), "%.2f s, %.0f MiB" % (t["wall"], t["rss"]),
            "%.1f times" % (p["wall"] / t["wall"]), "yes" if equal else "NO"]


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to compare with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    capture = os.path.join(folder, "perf.data")
    Run(["perf", "record", "-q", "-B", "-m", "16M", "-e", "raw_syscalls:*", "-g", "-o", capture, "--"] + LOAD)
    samples = int(re.search(r"SAMPLE events:\s+(\d+)", Run(["perf", "report", "--stats", "-i", capture]).out).group(1))
    title = "%d samples with call chains, %.0f MB; %s" % (samples, os.path.getsize(capture) / 1e6, machine())
    table(title, ["command", "perf", "tstream", "faster", "text equal"],
          [compare(name, words, capture) for name, words in PAIRS])
    shutil.rmtree(folder)


main()
