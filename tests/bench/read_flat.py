#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Readers on the same capture: a flat report of eight million tracepoint samples.

The sort keys are given because perf has others by default where all events are tracepoints.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import Run, machine, table  # noqa: E402
from readers import CPUS, HEAD, LOOP, compare, nr_samples  # noqa: E402

CALLS = int(os.environ.get("CALLS", str(4000000 // CPUS)))


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to compare with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    capture = os.path.join(folder, "perf.data")
    Run(["perf", "record", "-q", "-B", "-m", "64M", "-e", "raw_syscalls:*", "-o", capture, "--", LOOP, str(CPUS),
         str(CALLS)])
    title = "%d samples without call chains, %.0f MB; %s" % (
        nr_samples(capture), os.path.getsize(capture) / 1e6, machine())
    words = ["report", "--stdio", "--sort", "comm,dso,sym"]
    table(title, HEAD, [compare(" ".join(words), words, capture)])
    shutil.rmtree(folder)


main()
