#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks that were dumped are unwound: to callers that are known, as libdw does it, as perf does it; and the ways of
--unwind."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if os.uname().machine != "x86_64":
    tap.skip_all("unwind tables are made for x86-64")
if not tap.can_record_all():
    tap.skip_all("recording needs root")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
KNOWN = ["in_handler", "on_signal", "__restore_rt"], ["compare"], ["through_realigned", "through_alloca", "through_frames", "main"]


def chains(text):
    """Samples as (head, [frames])."""
    found = []
    for block in text.split("\n\n"):
        lines = [" ".join(line.split()) for line in block.strip("\n").split("\n")]
        if lines and lines[0]:
            found.append((lines[0], lines[1:]))
    return found


def names(frames):
    return [re.sub(r"^[0-9a-f]+ ", "", f) for f in frames]


def script(capture, *options):
    return tap.run(tap.TSTREAM, "script", "-F", "tid,time,ip,sym", "-i", capture, *options)


cap = tap.path("cap")
made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-m", "8M", "--call-graph", "dwarf", "-o", cap,
               "--", PROGRAM, "200")
tap.ok(made.status == 0, "a program with known callers is recorded", made.err)
got = script(cap, "--unwind=both")
ours = chains(got.out)
inner = [names(frames) for _, frames in ours if names(frames)[:1] == ["in_handler"]]
tap.ok(len(inner) > 10, "samples are where the program spends its time", len(inner))
tap.ok(all(f[:3] == KNOWN[0] and KNOWN[1][0] in f and f[f.index("through_realigned"):][:4] == KNOWN[2] for f in inner
           if "through_realigned" in f) and all("through_realigned" in f for f in inner),
       "through a signal handler, a library, frames that are realigned and of a size not known", inner[:1])
tap.ok(re.search(r"^tstream: note: libdw unwinds 0 of [1-9]\d* samples differently$", got.err, re.M), "libdw finds the same callers",
       got.err)
tap.equal(script(cap, "--unwind=libdw").out, got.out, "and prints the same")
plain = chains(script(cap, "--unwind=no").out)
tap.ok(plain and all(len(frames) <= 1 for _, frames in plain), "--unwind=no leaves the callers out", plain[:1])
got = script(cap, "--unwind=guess")
tap.ok(got.status == 2 and "give table, libdw, both or no" in got.err, "--unwind takes no other word", got.err)

if tap.PERF:
    # perf takes what returns from a handler for a call, so it looks one byte before it, where no symbol is.
    theirs = chains(tap.run(tap.PERF, "script", "--no-inline", "-F", "tid,time,ip,sym", "-i", cap).out)
    mine = {head: names(frames) for head, frames in ours}
    # perf ends some stacks early, or in an address of -1 where the dump ends.
    other = [(head, names(frames), mine[head]) for head, frames in theirs
             if head in mine and any(a != b for a, b in zip([f for f in names(frames)], mine[head])
                                     if b != "__restore_rt") and "through_realigned" in names(frames)]
    tap.equal(len(theirs), len(ours), "perf prints as many samples")
    tap.equal(other[:1], [], "of callers that perf finds none is another")
    counts = [collections.Counter(c for _, frames in which for c in set(names(frames)) & {"main", "through_frames", "compare"})
              for which in (theirs, ours)]
    tap.ok(counts[1]["main"] >= counts[0]["main"] > 0, "main is found at least as often as by perf", counts)
else:
    tap.skip("perf finds the same callers", "perf is not installed")

rows = tap.run(tap.TSTREAM, "report", "-g", "none", "--sort", "sym", "-F", "overhead_children,sym", "-i", cap).out
share = re.search(r"^\s+([0-9.]+)%\s+\[\.\] through_frames$", rows, re.M)
tap.ok(share and float(share[1]) > 80, "report counts callers that were unwound", rows[:600])
tap.done()
