# SPDX-License-Identifier: Apache-2.0
"""Captures with frames of rare kinds, for exports that mark them: (path, options of the reader)."""
import os

import dialect as d
import tap
from exported import USER, made

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")
INLINED, AROUND = "middle (inlined)", {"main", "outermost", "first", "second"}


def inlined():
    """Of a program with functions that are inlined into others: INLINED into those of AROUND."""
    path = tap.path("inlined")
    ran = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "-m", "8M", "--call-graph", "dwarf", "-o", path, "--", PROGRAM, "2000")
    assert ran.status == 0, ran.err
    return path, ["--inline"]


def jit():
    """Of code that process 42 made, and that its perf map calls made_work."""
    folder, event = tap.path("below/tmp"), d.Event(d.USUAL | d.CALLCHAIN)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "perf-42.map"), "w", encoding="ascii") as f:
        f.write("400000 1000 made_work\n")
    records = event.comm(pid=42) + event.mmap("//anon", pid=42) + event.sample(0x400010, 10 ** 9, pid=42, chain=[USER, 0x400010])
    return made("jit", [event], records), ["--symfs", tap.path("below")]
