#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Readers on the same capture: report and script of samples with call chains, perf's and ours, time and memory.

The capture is perf's own (raw_syscalls with -g over processes that call close(-1)), one file, so that neither
side reads its home format. The sort keys are given because perf has others by default where all events are
tracepoints. A ratio counts only when the text is equal, which is told.
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
    ("report --sort comm,dso,sym", ["report", "--stdio", "--sort", "comm,dso,sym"]),
    ("the same with --no-children -g none",
     ["report", "--stdio", "--no-children", "-g", "none", "--sort", "comm,dso,sym"]),
    ("script", ["script"]),
]


# What a comparison leaves out: comments, blanks at line ends, and what docs/differences.md explains.
PLAIN = r"grep -v '^#' | sed -e 's/ *$//' -e '/\[unknown\]/s/\[[k.]\]/[ ]/' | sort | sha256sum"


def same_text(words, capture):
    sums = [Run(["sh", "-c", "%s -i %s 2>/dev/null | %s" % (" ".join([program] + words), capture, PLAIN)]).out
            for program in ("perf", TSTREAM)]
    return sums[0] == sums[1]


def measure(command, capture):
    """The text goes nowhere: this process must stay small, as the memory of a child counts from its fork on."""
    run = Run(command + ["-i", capture], keep_output=False)
    if run.status:
        sys.exit("%s: status %d: %s" % (" ".join(command), run.status, run.err[:500]))
    return {"wall": run.wall, "rss": run.rss_mib}


def compare(name, words, capture):
    theirs, ours = [], []
    for _ in range(RUNS):
        theirs.append(measure(["perf"] + words, capture))
        ours.append(measure([TSTREAM] + words, capture))
    p, t = medians(theirs), medians(ours)
    return [name, "%.2f s, %.0f MiB" % (p["wall"], p["rss"]), "%.2f s, %.0f MiB" % (t["wall"], t["rss"]),
            "%.1f times" % (p["wall"] / t["wall"]), "yes" if same_text(words, capture) else "NO"]


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
