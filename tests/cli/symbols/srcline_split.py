#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Source lines of programs with split DWARF (-gsplit-dwarf): they are in the program; the file that it names is not opened."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if not shutil.which("gcc"):
    tap.skip_all("gcc is not installed")

SOURCE = os.path.join(os.environ.get("abs_srcdir", "."), "tests/programs/deep_calls.c")
for version in ("4", "5"):
    object_file, program, cap = (tap.path(name.format(version)) for name in ("made{}.o", "program{}", "cap{}"))
    made = tap.run("gcc", "-O2", f"-gdwarf-{version}", "-gsplit-dwarf", "-c", SOURCE, "-o", object_file)
    made = made if made.status else tap.run("gcc", object_file, "-o", program)
    dwo = object_file[:-1] + "dwo"
    if made.status or not os.path.exists(dwo):
        tap.skip(f"lines of split DWARF {version}", f"gcc makes none: {made.err}")
        continue
    tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", cap, "--", program, "100")
    for what in ("as it was made", "with a pipe in the place of the other file"):
        got = tap.run("timeout", "60", tap.TSTREAM, "report", "-i", cap, "-s", "sym,srcline").out
        tap.ok("in_handler" in got and "deep_calls.c:" in got, f"DWARF {version}, {what}: lines", got[:2000])
        os.unlink(dwo)
        os.mkfifo(dwo)
got = tap.run(tap.TSTREAM, "report", "-i", tap.path("cap5"), "--explain-symbols").out
tap.ok(f"source lines from {tap.path('program5')}\n" in got, "--explain-symbols says from which file", got)
shutil.copy(tap.path("program5"), tap.path("whole"))
tap.run("objcopy", "--strip-debug", tap.path("whole"), tap.path("program5"))
got = tap.run(tap.TSTREAM, "report", "-i", tap.path("cap5"), "--explain-symbols").out
tap.ok("cannot read source lines: there is no DWARF\n" in got, "or that there are none", got)
tap.done()
