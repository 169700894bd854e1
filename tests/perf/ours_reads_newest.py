#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream reads what the newest perf records in each of its ways, and prints of it what that perf prints: records by type, rows
with their percentages, lines of script with their frames.

Each capture is read by both. Of recordings of the whole machine only the test's own commands are compared. What this machine
or its kernel refuses perf to record is skipped, with the reason that perf gives.
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import newest
import tap

newest.enter()

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
DEEP = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
CLOCK = ["-e", "cpu-clock", "-F", "997"]
OWN = "many_modules", "first name", "other name"
REFUSALS = re.compile(r"not supported|Invalid argument|not permitted|No such device|unknown callchain|No permission|doesn't support", re.I)


def reason_of(err):
    lines = [line.strip() for line in err.splitlines() if line.strip() and line.strip() != "Error:"]
    return next((line for line in lines if REFUSALS.search(line)), None)


def record(name, *options, events=(*CLOCK, "-m", "1M"), command=(WORKLOAD,), may_be_refused=False):
    """The captures, by name; none where it is skipped."""
    capture = tap.path(name.replace(" ", "_"))
    made = tap.run(newest.RAW, "record", "-q", *events, *options, "-o", capture, "--", *command)
    found = sorted(glob.glob(capture + "*"))
    refused = reason_of(made.err) if may_be_refused and made.status else None
    if refused:
        tap.skip(name, refused)
        return []
    return found if tap.ok(made.status == 0 and found, f"{name}: recorded", f"{made.status} {made.err}") else []


def check(name, *options, has_chains=False, **how):
    for capture in record(name, *options, **how):
        newest.check(capture, name, has_chains=has_chains)


check("plain")
for name, options in (("threads", ["--threads"]), ("z", ["-z"]), ("threads and z", ["--threads", "-z"])):
    check(name, *options)
    check(f"{name} with chains", "-g", *options, has_chains=True)
check("latency", "--latency", "-g", has_chains=True)
check("switches", "--switch-events", "--namespaces")
check("memory fields", "-d", "--phys-data", "--data-page-size", "--code-page-size", "-W")
check("without build-ids of maps", "--no-buildid-mmap")
check("cpu and period", "--sample-cpu", "-P", "-T", "--tail-synthesize")

for name, options in (("everything", ["-a", "-g"]), ("everything with threads and z", ["-a", "--threads", "-z", "-g"]),
                      ("cgroups of samples", ["-a", "--all-cgroups"]), ("overwritten rings", ["-a", "--overwrite"])):
    for capture in record(name, *options):
        newest.check(capture, name, newest.own(capture, OWN), keys="pid,dso,sym", has_chains="-g" in options)

# A group that is read at samples of its first event; and one that is not
for name, events in (("a group that is read", ["-e", "{cpu-clock,task-clock}:S"]), ("events in a group", ["-e", "{cpu-clock,page-faults}"])):
    for capture in record(name, events=[*events, "-F", "997", "-m", "1M"]):
        newest.check_counts(capture, name)
        newest.check_lines(capture, name)
        newest.check_rows(capture, name, "--no-group")

# Stacks that were dumped: numbers, and where the samples themselves are; their callers are for newest_unwinds.py
for name, options in (("dumped stacks", []), ("dumped stacks with threads and z", ["--threads", "-z"])):
    for capture in record(name, "--call-graph", "dwarf,8192", *options, events=[*CLOCK, "-m", "8M"], command=(DEEP, "200")):
        newest.check_counts(capture, name)
        newest.check_rows(capture, name)

name = "deferred callchains"
for capture in record(name, "--call-graph", "fp,defer", may_be_refused=True):
    if "defer_callchain: 1" in tap.run(newest.RAW, "evlist", "-v", "-i", capture).out:
        newest.check(capture, name, has_chains=True)
    else:
        tap.skip(name, "this kernel has none (Linux 6.19 does), so perf records without")
check("branches", "-b", may_be_refused=True, events=["-e", "cycles", "-F", "997"])

name = "rotated"
run = f"'{WORKLOAD}'; kill -USR2 $PPID; sleep 0.5; "
for number, capture in enumerate(record(name, "--switch-output=signal", "-g", command=("sh", "-c", run + f"'{WORKLOAD}'"))):
    newest.check(capture, f"{name}, {number}", has_chains=True)

name = "a pipe"
piped = tap.path("piped")
with open(piped, "wb") as out:
    made = subprocess.run([newest.RAW, "record", "-q", *CLOCK, "-g", "-o", "-", "--", WORKLOAD], stdin=subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE)
if tap.ok(made.returncode == 0, f"{name}: recorded", made.stderr):
    newest.check(piped, name, has_chains=True)
tap.done()
