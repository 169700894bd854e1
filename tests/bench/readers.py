# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of readers share: one command of perf's and of ours on a capture, by turns."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, medians  # noqa: E402

CPUS = len(os.sched_getaffinity(0))
LOOP = os.path.join(BUILD, "tests/bench/close_loop")
# What a comparison leaves out: comments, blanks at line ends, and what docs/differences.md explains.
PLAIN = r"grep -v '^#' | sed -e 's/ *$//' -e '/\[unknown\]/s/\[[k.]\]/[ ]/' | sort | sha256sum"


def same_text(theirs, ours):
    sums = [Run(["sh", "-c", "%s 2>/dev/null | %s" % (" ".join(words), PLAIN)]).out for words in (theirs, ours)]
    return sums[0] == sums[1]


def measure(command):
    """The text goes nowhere: this process must stay small, as the memory of a child counts from its fork on."""
    run = Run(command, keep_output=False)
    if run.status:
        sys.exit("%s: status %d: %s" % (" ".join(command), run.status, run.err[:500]))
    return {"wall": run.wall, "rss": run.rss_mib, "cpu": run.cpu}


def turns(commands):
    """The medians of each command, measured by turns."""
    rows = [[] for _ in commands]
    for _ in range(RUNS):
        for row, command in zip(rows, commands):
            row.append(measure(command))
    return [medians(row) for row in rows]


def told(m):
    return "%.2f s, %.0f MiB" % (m["wall"], m["rss"])


def compare(name, words, capture, perf_words=()):
    theirs, ours = ["perf"] + words + list(perf_words) + ["-i", capture], [TSTREAM] + words + ["-i", capture]
    p, t = turns([theirs, ours])
    return [name, told(p), told(t), "%.1f times" % (p["wall"] / t["wall"]), "%.1f times" % (p["rss"] / t["rss"]),
            "yes" if same_text(theirs, ours) else "NO"]


def nr_samples(capture, tool="perf"):
    """As perf counts them, or tstream, which is quicker: over all events."""
    return int(re.search(r"SAMPLE events:\s+(\d+)", Run([tool, "report", "--stats", "-i", capture]).out).group(1))


HEAD = ["command", "perf", "tstream", "faster", "less memory", "text equal"]
