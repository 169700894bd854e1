#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that only a container has, with its debug file: named while it lives, and from then on if it was archived."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import contained
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if not shutil.which("objcopy"):
    tap.skip_all("objcopy is not installed")

BUILT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
program, debug, inside, cap = tap.path("program"), tap.path("program.debug"), tap.path("inside"), tap.path("cap")
os.mkdir(inside)
for step in (("--only-keep-debug", BUILT, debug), ("--strip-all", f"--add-gnu-debuglink={debug}", BUILT, program)):
    if tap.run("objcopy", *step).status:
        tap.skip_all("objcopy cannot strip")


def is_named(capture):
    return "in_handler" in tap.run(tap.TSTREAM, "report", "-i", capture, "-s", "sym").out


def explained():
    return tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", cap).out


with contained.Process(f"mount -t tmpfs none {inside} && cp {program} {debug} {inside} && exec {inside}/program 600000", "program") as pid:
    if not pid:
        tap.skip_all("unshare makes no container here")
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-p", pid, "-o", cap, "--", "sleep", "0.2")
    tap.ok(made.status == 0 and is_named(cap), "a program of a container is named while it lives", made.err + explained())
    tap.ok(f"of /proc/{pid}/root{inside}/program.debug" in explained() and f"cannot open {inside}/program for its symbols" in explained(),
           "--explain-symbols says where", explained())
    archived = tap.path("archived")
    shutil.copytree(cap, archived)
    made = tap.run(tap.TSTREAM, "archive", archived)
    tap.ok(made.status == 0 and "warning" not in made.err, "it is archived", made.err)
    os.mkdir(tap.path("root"))
    own = tap.run(tap.TSTREAM, "report", "-i", cap, "-s", "sym", "--symfs", tap.path("root")).out
    tap.ok("in_handler" not in own, "--symfs is looked in alone")
tap.ok(not is_named(cap), "when it is gone, so are the names")
tap.ok(is_named(archived), "but for the archived ones")
with open(f"{inside}/program", "wb") as f:
    f.write(open(os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/jit_code"), "rb").read())
tap.ok("its build-id is not the recorded one" in explained(), "another program of that name is not taken", explained())
tap.done()
