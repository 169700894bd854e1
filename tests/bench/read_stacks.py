#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Readers on the same capture: report and script of two million samples with call chains.

The capture is perf's own, one file, so that neither side reads its home format: system calls and cpu-clock
with -g over a shell that runs a compiler three times, find, and processes that call close(-1). Most samples
are the latter's, most distinct stacks the former's. A ratio counts only when the text is equal, which is told.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import TSTREAM, Run, machine, table  # noqa: E402
from readers import CPUS, HEAD, LOOP, compare, nr_samples, told, turns  # noqa: E402

ONLY = os.environ.get("ONLY", "")  # the command that is compared; empty: all
CALLS = int(os.environ.get("CALLS", "400000"))
SOURCE = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" + "".join(
    "int f%d(int n) { char b[64]; snprintf(b, sizeof(b), \"%%d\", n * %d); "
    "return n > 1 ? f%d(n / 2) + atoi(b) : (int)strlen(b); }\n" % (i, i, i - 1 if i else 0) for i in range(400))
LOAD = """cd {folder}
{loop} {cpus} {calls} > /dev/null &
for i in 1 2 3; do {cc} -O2 -c -o x.o load.c; done &
find /usr -name '*.h' -newer /etc/passwd > /dev/null &
wait
"""
COMPARED = [
    ("report", ["report", "--stdio"], []),
    ("report (perf: --no-inline)", ["report", "--stdio"], ["--no-inline"]),
    ("report --no-children -g none", ["report", "--stdio", "--no-children", "-g", "none"], []),
    ("script", ["script"], []),
]


def record(folder, capture, events=("raw_syscalls:*", "cpu-clock/freq=1000/"), calls=CALLS):
    with open(os.path.join(folder, "load.c"), "w") as f:
        f.write(SOURCE)
    load = os.path.join(folder, "load.sh")
    with open(load, "w") as f:
        f.write(LOAD.format(folder=folder, loop=LOOP, cpus=CPUS, calls=calls, cc=os.environ.get("CC", "gcc")))
    Run(["perf", "record", "-q", "-B", "-m", "16M", *[word for event in events for word in ("-e", event)], "-g",
         "-o", capture, "--", "sh", load])


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to compare with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    capture = os.path.join(folder, "perf.data")
    record(folder, capture)
    title = "%d samples with call chains, %.0f MB; %s" % (
        nr_samples(capture), os.path.getsize(capture) / 1e6, machine())
    table(title, HEAD, [compare(name, words, capture, more) for name, words, more in COMPARED if ONLY in name])
    jobs = [[TSTREAM, "report", "--stdio", "-j", str(n), "-i", capture] for n in (1, 2)]
    stats = [TSTREAM, "report", "--stats", "-i", capture]
    names = ["report, one worker", "report, two workers", "report --stats: a scan that counts"]
    table("The same report with one and two workers", ["command", "time, memory", "CPU"],
          [[name, told(m), "%.2f s" % m["cpu"]] for name, m in zip(names, turns(jobs + [stats]))])
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
