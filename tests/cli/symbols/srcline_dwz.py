#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Source lines and inlined functions of programs that have parts of their DWARF in a file in common (dwz -m)."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if not shutil.which("dwz") or not shutil.which("readelf"):
    tap.skip_all("dwz is not installed")
if os.uname().machine != "x86_64":
    tap.skip_all("the callers are unwound, which is for x86-64")

BUILT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
program, twin, common, cap = (tap.path(name) for name in ("program", "twin", "common", "cap"))
for copy in (program, twin):
    shutil.copy(BUILT, copy)
made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "-m", "8M", "--call-graph", "dwarf", "-o", cap, "--", program, "100")
tap.ok(made.status == 0, "a program is recorded", made.err)


def printed():
    return tap.run(tap.TSTREAM, "script", "--inline", "-i", cap, "-F", "ip,sym,srcline").out


def has_lines():
    return "deep_calls.c:" in printed()


before = printed(), tap.run(tap.TSTREAM, "report", "-i", cap, "-s", "sym,srcline").out
tap.ok(has_lines() and "mixed" in before[0] and "(inlined)" in before[0], "it has lines and inlined functions", before[0][:300])
made = tap.run("dwz", "-m", common, program, twin)
linked = ".gnu_debugaltlink" in tap.run("readelf", "-S", "-W", program).out
if made.status or not linked:
    tap.skip("lines of dwz", f"dwz found nothing to share: {made.err}")
    tap.done()
    sys.exit()
after = printed(), tap.run(tap.TSTREAM, "report", "-i", cap, "-s", "sym,srcline").out
tap.equal(after[0], before[0], "and the same ones when a part of its DWARF is elsewhere")
tap.equal(after[1], before[1], "for report, too")
os.rename(common, common + ".moved")
tap.ok(not has_lines(), "not when that is gone")
os.mkfifo(common)
tap.ok(not has_lines(), "nor when it is a pipe, which is not waited for")
os.unlink(common)
shutil.copy(BUILT, common)
tap.ok(not has_lines(), "nor when it is another file")
os.rename(common + ".moved", common)
made = tap.run(tap.TSTREAM, "archive", "--lines", cap)
tap.ok(made.status == 0 and len([n for n in os.listdir(cap + "/symbols") if n.endswith(".debug")]) >= 1, "it is archived", made.err)
for name in (program, common):
    os.unlink(name)
tap.equal(printed(), before[0], "and read from there")
tap.done()
