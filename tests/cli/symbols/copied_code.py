#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that a program copied from its file into memory in the same place keeps its names, and is told to be a copy; memory
elsewhere, and code that a JIT compiler told of, does not get them."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/copied_code")
COPIED = "[.] work_here (copied)"
cap = tap.path("cap")


def rows(*how):
    made = tap.run(tap.TSTREAM, "record", "-q", "-o", cap, "-e", "cpu-clock:u", "-F", "1000", "-g", "--", PROGRAM, "100", *how)
    tap.ok(made.status == 0, f"a program that copies its code is recorded {how}", made.err)
    got = tap.run(tap.TSTREAM, "report", "--stdio", "--no-children", "-g", "none", "-s", "dso,sym", "-i", cap)
    lines = [line.split(None, 1) for line in got.out.splitlines() if "%" in line and line[0] != "#"]
    return {" ".join(row.split()): float(share.rstrip("%")) for share, row in lines}


for how in ((), ("memfd",)):
    got = rows(*how)
    tap.ok(got.get(f"copied_code {COPIED}", 0) > 90, "its function is named, of its file, as a copy", got)
script = tap.run(tap.TSTREAM, "script", "-i", cap, "-F", "ip,sym").out
tap.ok("work_here (copied)\n" in script, "script says so, too", script[:2000])
explained = tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", cap).out
tap.ok(f"  {PROGRAM}\n" in explained, "--explain-symbols names the file", explained)
got = rows("elsewhere")
tap.ok(got and not any("work_here" in row for row in got), "memory in another place has no names", got)
for how, named, sentence in (("jit", True, "a perf-map is believed first"), ("stub", False, "memory that it names code in is no copy")):
    got = rows(how)
    tap.ok(any("jitted_work" in row for row in got) == named and got and not any("work_here" in row for row in got), sentence, got)
    pid = tap.run(tap.TSTREAM, "script", "-i", cap, "-F", "pid").out.split()[0]
    os.unlink(f"/tmp/perf-{pid}.map")
tap.done()
