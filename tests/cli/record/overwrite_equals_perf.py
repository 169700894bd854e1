#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What perf's flight recorder leaves: samples that stand newest first, threads whose names were overwritten or come too late.

Such captures are read in their order, without complaints, and give perf's lines and rows: one made here, and those that
perf record --overwrite --switch-output dumps."""
import difflib
import glob
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

ROW = re.compile(r" *\d+\.\d+%")
TIME = re.compile(r"\s(\d+\.\d+): ")
# Dumped twice, in the midst of calls and of threads that come and go
COMMAND = """for i in 1 2 3; do (cat /proc/self/status; true) >/dev/null; done; kill -USR2 $PPID
sleep 0.2; for i in 1 2 3; do (cat /proc/self/status; true) >/dev/null; done"""


def make():
    """Threads 11 and 21 are named when they were sampled already; 21 is another thread before."""
    chance = random.Random(5)
    program = perf_file.Program(tap.path("program"), ["main", "work"])
    made = perf_file.PerfFile()
    made.thread(10, 10, "first")
    made.map(10, program)
    made.thread(20, 20, "second")
    for time_ns in range(9000, 1000, -10):
        pid, tid = chance.choice(((10, 10), (10, 11), (20, 20), (20, 21)))
        made.sample(pid, tid, time_ns, [program.at(chance.choice(("main", "work")), 8 * tid)], period=time_ns + 7 * tid)
    made.thread(10, 11, "late", 5005)
    made.thread(20, 21, "renamed", 7005)
    made.thread(20, 21, "later", 3005)
    made.write(tap.path("made"))
    return tap.path("made")


def lines(tool, *command):
    result = tap.run(tool, *command)
    return [line.rstrip() for line in result.out.splitlines() if line.strip()], result.err


def difference(theirs, ours):
    return "\n".join(list(difflib.unified_diff(sorted(theirs), sorted(ours), "perf", "tstream", lineterm="", n=0))[:20])


def check(name, capture):
    theirs, _ = lines(tap.PERF, "script", "-i", capture, "-F", "comm,tid,time,event,ip")
    ours, complaints = lines(tap.TSTREAM, "script", "-i", capture, "-F", "comm,tid,time,event,ip")
    # of equal time in any order
    tap.ok(sorted(theirs) == sorted(ours) and len(ours) > 20, f"{name}: perf's lines", difference(theirs, ours))
    times = [float(TIME.search(line)[1]) for line in ours if TIME.search(line)]
    tap.ok(times == sorted(times) and times, f"{name}: in the order of time", times[:9])
    tap.equal(complaints, "", f"{name}: without complaints")
    for keys in ("comm", "comm,dso", "pid"):
        theirs, ours = ([line for line in lines(tool, "report", "-g", "none", "--no-children", "-s", keys, "-i", capture)[0]
                         if ROW.match(line)] for tool in (tap.PERF, tap.TSTREAM))
        # rows of equal weight have an order of their own
        tap.ok(tap.same_but_cut(sorted(theirs), sorted(ours)) and ours, f"{name}: perf's rows by {keys}", difference(theirs, ours))


def record():
    """Two of perf's dumps and what it leaves at its end."""
    where = tap.path("dump")
    result = tap.run(tap.PERF, "record", "-q", "-B", "-N", "-a", "--overwrite", "-m", "16", "-e", "raw_syscalls:sys_enter",
                     "--switch-output=signal", "-o", where, "--", "sh", "-c", COMMAND)
    return sorted(glob.glob(where + ".*")), result.err


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    check("made", make())
    if tap.can_record_all() and tap.has_tracepoints():
        dumps, err = record()
        tap.ok(len(dumps) >= 2, "perf dumps its rings", err)
        for number, dump in enumerate(dumps[:2]):
            check(f"dump {number}", dump)
    else:
        tap.skip("perf's dumps", "only root may record tracepoints")
    tap.done()


main()
