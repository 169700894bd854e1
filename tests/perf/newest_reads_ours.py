#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The newest perf reads what tstream records in each of its ways, and prints of it what tstream prints: records by type, rows
with their percentages, lines of script with their frames; without complaints.

Each capture is read by both. Of recordings of the whole machine only the test's own commands are compared.
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
CLOCK = ["-e", "cpu-clock", "-F", "997", "-m", "1M"]
OWN = "many_modules", "first name", "other name"


def start(capture, *options, command=(WORKLOAD,)):
    return [tap.TSTREAM, "record", "-q", *CLOCK, *options, "-o", capture, *(["--", *command] if command else [])]


def record(name, *options, command=(WORKLOAD,)):
    """The capture, or None."""
    capture = tap.path(name.replace(" ", "_"))
    made = tap.run(*start(capture, *options, command=command))
    return capture if tap.ok(made.status == 0, f"{name}: recorded", made.err) else None


def parts_of(capture):
    return sorted(path for path in glob.glob(capture + ".2*") if not path.endswith((".new", ".old")))


def record_parts(name, which, *options, wanted=2):
    """The directories that a recording leaves to which a signal is sent twice between runs of the workload."""
    run = f"'{WORKLOAD}'; kill -{which} $PPID; sleep 0.5; "
    capture = tap.path(name.replace(" ", "_"))
    made = tap.run(*start(capture, *options, command=("sh", "-c", run + run + f"'{WORKLOAD}'")))
    parts = parts_of(capture)
    tap.ok(made.status == 0 and len(parts) >= wanted, f"{name}: recorded", f"{made.status} {made.err} {parts}")
    return parts


def made_of(name, *command):
    """Whether a command of tstream ends well."""
    made = tap.run(tap.TSTREAM, *command)
    return tap.ok(made.status == 0, f"{name}: made", made.err)


def check(capture, name, *options, **how):
    newest.check(capture, name, *options, is_ours=True, **how)


def is_with_chains(options):
    return "-g" in options or "--call-graph" in options


def check_table(capture):
    """What docs/differences.md says of the text of newer perfs: the comparisons undo just that."""
    raw, ours = (tap.run(tool, "script", "-i", capture, *more).out.splitlines()
                 for tool, more in ((newest.RAW, ["--no-inline"]), (tap.TSTREAM, [])))
    heads = [(theirs, mine) for theirs, mine in zip(raw, ours) if mine and not mine.startswith("\t")]
    tap.ok(heads and all(theirs == re.sub(r" ( *\d+)(?= \[)", lambda tid: f" {tid[1].strip():>7}", mine, count=1) for theirs, mine in heads),
           "the table: thread ids have a column of 7, else heads are the same", heads[:1])
    frames = [(int(theirs.split()[0], 16), int(mine.split()[0], 16)) for theirs, mine in zip(raw, ours)
              if mine.startswith("\t") and ".so" in mine and ".so" in theirs]
    tap.ok(frames and all(theirs > mine and (theirs - mine) % newest.PAGE == 0 for theirs, mine in frames),
           "the table: frames have their address in memory", frames[:3])
    counts = [tap.run(tool, "report", "--stats", "-i", capture).out for tool in (newest.RAW, tap.TSTREAM)]
    tap.equal(counts[0], re.sub(r"^( +\w+ events:)", r"    \1", counts[1], flags=re.M), "the table: --stats is indented by 4 more")


# --- one directory ---

for name, options in (("default", []), ("threads=cpu", ["--threads=cpu"]), ("threads=socket", ["--threads=socket"]),
                      ("threads=core with z", ["--threads=core", "-z"]), ("z", ["-z"]), ("pwrite", ["--io=pwrite"]),
                      ("frame pointers", ["--call-graph", "fp"]), ("frame pointers with z and threads", ["-g", "-z", "--threads=cpu"]),
                      ("switches", ["--switch-events"]), ("memory fields", ["-d", "-W"])):
    capture = record(name, *options)
    if capture:
        check(capture, name, has_chains=is_with_chains(options))
    if capture and name == "frame pointers":
        check_table(capture)

for name, options in (("everything", ["-a", "-g"]), ("everything with threads", ["-a", "--threads=cpu"]),
                      ("cgroups of samples", ["-a", "--all-cgroups"]), ("a cgroup", ["-a", "-G", "/"])):
    capture = record(name, *options)
    if capture:
        check(capture, name, newest.own(capture, OWN), keys="pid,dso,sym", has_chains=is_with_chains(options))

with subprocess.Popen([DEEP, "1000000"]) as child:
    capture = tap.path("process")
    made = tap.run(*start(capture, "-g", "-p", str(child.pid), command=("sleep", "0.5")))
    child.kill()
if tap.ok(made.status == 0, "a process: recorded", made.err):
    check(capture, "a process", has_chains=True)

# --- dumped stacks: who unwinds how is for newest_unwinds.py ---

dwarf = tap.path("dwarf")
made = tap.run(*start(dwarf, "--call-graph", "dwarf,8192", "-m", "8M", command=(DEEP, "200")))
if tap.ok(made.status == 0, "dumped stacks: recorded", made.err):
    newest.check_counts(dwarf, "dumped stacks")
    newest.check_rows(dwarf, "dumped stacks")
    newest.check_complaints(dwarf, "dumped stacks")
    small = tap.path("small")
    if made_of("compacted", "compact", "-q", "-o", small, dwarf):
        check(small, "compacted", has_chains=True)

# --- many directories ---

for name, which, options in (("rotated", "USR2", ["--switch-output=signal", "-g"]),
                             ("rotated with threads and z", "USR2", ["--switch-output=signal", "--threads=cpu", "-z"]),
                             ("rings dumped", "USR2", ["--overwrite", "-g"]),
                             ("snapshots of memory", "USR1", ["-M", "16M", "-g"])):
    parts = record_parts(name, which, *options)
    for number, part in enumerate(parts):
        check(part, f"{name}, {number}", has_chains=is_with_chains(options))
    if name == "rotated" and len(parts) > 1:
        merged, single = tap.path("merged"), tap.path("single.data")
        if made_of("merged", "merge", "-q", "-o", merged, *parts):
            check(merged, has_chains=True, name="merged")
        if made_of("merged into one file", "merge", "-q", "--single", "-o", single, *parts):
            check(single, has_chains=True, name="merged into one file")

capture = record("archived", "-g")
if capture and made_of("archived", "archive", "-q", capture):
    check(capture, "archived", has_chains=True)
tap.done()
