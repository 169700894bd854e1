#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code made at run time has the names of /tmp/perf-PID.map: as with perf, below --symfs, and of a process that has a /tmp and a
number of its own; a map that is none of ours, or no file, is told."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import contained
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if os.uname().machine != "x86_64":
    tap.skip_all("the code is x86-64's")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/jit_code")
cap = tap.path("cap")
made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", cap, "--", PROGRAM, "100")
tap.ok(made.status == 0, "a program that makes code is recorded", made.err)
pid = tap.run(tap.TSTREAM, "script", "-i", cap, "-F", "pid").out.split()[-1].rstrip(":")
MAP = f"/tmp/perf-{pid}.map"


def rows(tool, *options, capture=cap):
    result = tap.run(tool, "report", "--stdio", "-i", capture, "-s", "dso,sym", *options)
    return [line.split() for line in result.out.splitlines() if line and line[0] != "#"]


def is_named(*options, capture=cap):
    return any(row[-1] == "jitted_work" and row[1:3] == ["[JIT]", "tid"] for row in rows(tap.TSTREAM, *options, capture=capture))


def explained(*options):
    return tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", cap, *options).out


def check_contained():
    """A process that is number 1 in its own world."""
    own = tap.path("own")
    with contained.Process(f"mount -t tmpfs none /tmp && exec {PROGRAM} 600000", "jit_code") as pid:
        if not pid:
            return tap.skip("a process in a container", "unshare makes none here")
        made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-p", pid, "-o", own, "--", "sleep", "0.2")
        tap.ok(made.status == 0 and is_named(capture=own), "a process with a /tmp and a number of its own, while it lives", made.err)
    return tap.ok(not is_named(capture=own), "and no longer")


try:
    tap.ok(is_named(), "code made at run time has its name")
    if tap.PERF:
        tap.equal(rows(tap.TSTREAM), rows(tap.PERF), "perf reports the same")
    tap.ok(f"1 symbols from {MAP}" in explained(), "--explain-symbols names the file", explained())
    os.makedirs(tap.path("below/tmp"))
    os.rename(MAP, tap.path(f"below/tmp/perf-{pid}.map"))
    tap.ok(not is_named() and f"cannot open {MAP}" in explained(), "without the file there is no name", explained())
    tap.ok(is_named("--symfs", tap.path("below")), "--symfs says where else")
    os.mkfifo(MAP)
    tap.ok(f"cannot use {MAP}: it is no regular file" in explained(), "a pipe is not waited for", explained())
    os.unlink(MAP)
    with open(MAP, "w") as f:
        f.write("0 ffffffffffff someone_elses\n")
    os.chown(MAP, 12345, 12345)
    tap.ok(f"cannot use {MAP}: it belongs to neither" in explained() and not is_named(), "nor is a file of others believed", explained())
finally:
    if os.path.exists(MAP):
        os.unlink(MAP)
check_contained()
forked = tap.path("forked")
tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", forked, "--", PROGRAM, "100", "fork")
found = {row[-1] for row in rows(tap.TSTREAM, capture=forked)}
tap.ok({"jitted_work", "childs_work"} <= found, "a forked process has names of its own map, and of its parent's", found)
for pid in set(tap.run(tap.TSTREAM, "script", "-i", forked, "-F", "pid", "--show-task-events").out.replace(":", " ").split()):
    if os.path.exists(f"/tmp/perf-{pid}.map"):
        os.unlink(f"/tmp/perf-{pid}.map")
tap.done()
